/* launch/library.h - the shared libraries that stand beside the program. */
#ifndef PARIO_LAUNCH_LIBRARY_H
#define PARIO_LAUNCH_LIBRARY_H

#include "core/error.h"
#include <stddef.h>

/* Local. The path of a library of ours: what the variable names, else ../lib
 * beside the program, else the library folder of the installation. */
int pario_library_find(const char *name, const char *variable, char *path,
                       size_t len) PARIO_MUST_USE;
/* Local. The libraries, by their names and variables. */
int pario_library_shipio(char *path, size_t len) PARIO_MUST_USE;
int pario_library_fault(char *path, size_t len) PARIO_MUST_USE;
int pario_library_record(char *path, size_t len) PARIO_MUST_USE;

/* Local. 1 when the MPI-IO calls of this process are shipio's. */
int pario_shipio_loaded(void);

/* Local, before MPI_Init. Starts the program anew with shipio preloaded, the
 * command as it was typed; returns only when that is done already or cannot be.
 * With threads the MPI library is asked for MPI_THREAD_MULTIPLE, which
 * noncollective shipping needs. */
int pario_shipio_preload(int threads) PARIO_MUST_USE;

#endif
