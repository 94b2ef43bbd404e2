/* errors.h - from -errno to MPI error classes, and error handlers.
 *
 * A handler gets the address of the code, because it may change it. shipio
 * remembers the functions of handlers as the program makes them, and calls
 * these itself; for all others it asks the MPI library. MPICH's C++ calls its
 * own when it gets the code (api_cxx.c).
 */
#ifndef SHIPIO_ERRORS_H
#define SHIPIO_ERRORS_H

#include <mpi.h>

/* An error of our own that is an MPI class already. */
#define SHIPIO_ECLASS(class) (-(100000 + (class)))

/* Local. MPI_SUCCESS for 0. */
int shipio_error_class(int error);
/* Local. The other way round: what the MPI library has met in the file. */
int shipio_error_of_class(int class);
/* Local. The MPI library's own errors go unheard, because shipio reports them,
 * until the handler is put back, which this returns. */
MPI_Errhandler shipio_errors_hush(MPI_File fh);
void shipio_errors_restore(MPI_File fh, MPI_Errhandler handler);
/* Local. to gets the handler of from. */
void shipio_errors_copy(MPI_File from, MPI_File to);
/* Local. Calls the error handler of fh; returns the class, or what a handler of
 * the program made of it. */
int shipio_raise(MPI_File fh, int error);
/* Local. The same for an open that failed: calls the handler of MPI_FILE_NULL,
 * and says which file it was when the program ends with that. */
int shipio_raise_open(const char *filename, int error);
/* Local. A handler that the program has made; NULL: one that the C++ of the MPI
 * library calls itself when it gets the code. */
void shipio_errors_remember(MPI_Errhandler handler,
                            MPI_File_errhandler_function *function);

#endif
