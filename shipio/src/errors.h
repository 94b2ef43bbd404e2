/* errors.h - from -errno to MPI error classes. */
#ifndef SHIPIO_ERRORS_H
#define SHIPIO_ERRORS_H

#include <mpi.h>

/* An error of our own that is an MPI class already. */
#define SHIPIO_ECLASS(class) (-(100000 + (class)))

/* Local. MPI_SUCCESS for 0. */
int shipio_error_class(int error);
/* Local. Calls the error handler of fh; returns the class. */
int shipio_raise(MPI_File fh, int error);

#endif
