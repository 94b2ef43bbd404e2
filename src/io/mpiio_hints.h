/* io/mpiio_hints.h - hints as MPI info objects. */
#ifndef PARIO_IO_MPIIO_HINTS_H
#define PARIO_IO_MPIIO_HINTS_H

#include "io/hints.h"
#include "io/mpiio_calls.h"
#include "par/mpi.h"

/* Local. hints NULL: an empty info. The caller frees *info_p. */
int pario_hints_to_info(const struct pario_hints *hints,
                        MPI_Info *info_p) PARIO_MUST_USE;

/* Local. Who serves files that the MPI library's own MPI-IO opens, and those
 * that MPI_File_open opens in this process (shipio, where it is preloaded). */
enum pario_hint_library pario_hints_native_library(void);
enum pario_hint_library pario_hints_current_library(void);

/* Local. Adds the hints in force that the library reports in info;
 * PARIO_HINT_NOT_KNOWN for those that it only repeats. */
int pario_hints_of_info(MPI_Info info, enum pario_hint_library library,
                        struct pario_hints *hints) PARIO_MUST_USE;

/* Local. The same of an open file, by the library that opened it. */
int pario_hints_of_calls(const struct pario_mpiio_calls *calls, MPI_File handle,
                         struct pario_hints *hints) PARIO_MUST_USE;

/* Local. The same of a file of MPI_File_open. */
int pario_hints_of_file(MPI_File handle,
                        struct pario_hints *hints) PARIO_MUST_USE;

#endif
