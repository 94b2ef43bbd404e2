/* io/mpiio_names.h - files as names, by MPI-IO: made, opened, deleted. Local,
 * by one process alone; bare codes with the MPI library's message. */
#ifndef PARIO_IO_MPIIO_NAMES_H
#define PARIO_IO_MPIIO_NAMES_H

#include "core/error.h"
#include <stddef.h>

/* A new file with these bytes in it; closed again. */
int pario_mpiio_name_make(const char *path, const void *data,
                          size_t len) PARIO_MUST_USE;
/* Opened for reading, and closed. */
int pario_mpiio_name_open(const char *path) PARIO_MUST_USE;
int pario_mpiio_name_delete(const char *path) PARIO_MUST_USE;

#endif
