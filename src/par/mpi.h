/* par/mpi.h - for the few files that speak MPI themselves. */
#ifndef PARIO_PAR_MPI_H
#define PARIO_PAR_MPI_H

#include "par/group.h"
#include "pario_config.h"

#if PARIO_HAVE_MPI
#include <mpi.h>

MPI_Comm pario_group_comm(const struct pario_group *group);

/* Local. MPI_SUCCESS -> 0; else records "WHAT: MPI's text" and returns
 * PARIO_EMPI, or -ENOSPC, -EDQUOT, -EACCES, -ENOENT, -EEXIST, -EROFS where
 * the error class says so. */
int pario_mpi_check(int mpi_code, const char *what) PARIO_MUST_USE;

/* len bytes as count elements of type: MPI counts are int, lengths are not. */
struct pario_mpi_bytes {
    MPI_Datatype type;
    int count;
    int owned;
};

int pario_mpi_bytes_init(struct pario_mpi_bytes *bytes,
                         size_t len) PARIO_MUST_USE;
void pario_mpi_bytes_fini(struct pario_mpi_bytes *bytes);

/* Local. A committed file type: len bytes, then a gap up to stride. The caller
 * frees it. */
int pario_mpi_strided_type(int64_t len, int64_t stride,
                           MPI_Datatype *type_p) PARIO_MUST_USE;
#endif

#endif
