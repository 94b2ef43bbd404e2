/* io/mpiio_calls.h - the MPI-IO calls of one library. With shipio
 * loaded MPI_File_* is shipio's and PMPI_File_* the MPI library's own, so that
 * both run in one job; without it both are the same. */
#ifndef PARIO_IO_MPIIO_CALLS_H
#define PARIO_IO_MPIIO_CALLS_H

#include "par/mpi.h"

typedef int pario_mpiio_transfer(MPI_File, void *, int, MPI_Datatype,
                                 MPI_Status *);
typedef int pario_mpiio_transfer_at(MPI_File, MPI_Offset, void *, int,
                                    MPI_Datatype, MPI_Status *);

struct pario_mpiio_calls {
    const char *name; /* "native", "shipio" */
    int (*open)(MPI_Comm, const char *, int, MPI_Info, MPI_File *);
    int (*close)(MPI_File *);
    int (*set_view)(MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype,
                    const char *, MPI_Info);
    int (*sync)(MPI_File);
    int (*get_info)(MPI_File, MPI_Info *);
    int (*get_size)(MPI_File, MPI_Offset *);
    int (*seek)(MPI_File, MPI_Offset, int);
    pario_mpiio_transfer *write, *read;
    pario_mpiio_transfer *write_all, *read_all;
    pario_mpiio_transfer_at *write_at, *read_at;
    pario_mpiio_transfer_at *write_at_all, *read_at_all;
    pario_mpiio_transfer *write_ordered, *read_ordered;
};

extern const struct pario_mpiio_calls pario_mpiio_native, pario_mpiio_shipio;

#endif
