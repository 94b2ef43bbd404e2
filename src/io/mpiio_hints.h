/* io/mpiio_hints.h - hints as MPI info objects. */
#ifndef PARIO_IO_MPIIO_HINTS_H
#define PARIO_IO_MPIIO_HINTS_H

#include "io/hints.h"
#include "par/mpi.h"

/* Local. hints NULL: an empty info. The caller frees *info_p. */
int pario_hints_to_info(const struct pario_hints *hints,
                        MPI_Info *info_p) PARIO_MUST_USE;

/* Local. Adds what an info object holds. */
int pario_hints_of_info(MPI_Info info,
                        struct pario_hints *hints) PARIO_MUST_USE;

/* Local. Adds the hints in force (MPI_File_get_info). */
int pario_hints_of_file(MPI_File handle,
                        struct pario_hints *hints) PARIO_MUST_USE;

#endif
