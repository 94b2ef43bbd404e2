/* native.h - the MPI library's own handle of a file, when it is needed.
 *
 * The program's handle is one of the MPI library's, so that error handlers and
 * Fortran's numbers need no work. But Open MPI takes ten times as long to open
 * a file as shipio, and shipio seldom needs that. There the program gets a
 * *token*: a handle that this process has of an empty file without a name, and
 * uses again when the program has closed its file. The library opens the file
 * itself when it is to pass over (on all ranks), or for the memory of a GPU (by
 * this rank alone); from then on calls that pass go by that handle, which
 * shipio_native_of finds. What could not be opened is not asked for; if the
 * library has another reason not to open, it calls the handler of MPI_FILE_NULL
 * as in any open. With other libraries, and where threads may call MPI at the
 * same time, the handle is opened at once.
 */
#ifndef SHIPIO_NATIVE_H
#define SHIPIO_NATIVE_H

#include "file.h"

/* Collective. The library opens the file later, or never: then the handle for
 * the program goes to *fh. False on all ranks: it must open it now. */
bool shipio_native_put_off(struct shipio_file *file, MPI_Info info,
                           MPI_File *fh);
/* Collective. The library's handle, if it has none yet, which only returns
 * errors; MPI's code, with the file's error handler called. */
int shipio_native_demand(struct shipio_file *file);
/* Local. The file passes over: the handle gets the program's error handler. */
void shipio_native_pass(struct shipio_file *file);
/* Local. fh, or MPI_FILE_NULL: the program has closed it, and shipio has it. So
 * the library finds the fault. */
MPI_File shipio_native_valid(MPI_File fh);
/* Local. The same, and for a file that the library has opened later what it is
 * asked by. */
MPI_File shipio_native_of(MPI_File fh);
/* Local. The same for accesses of this rank alone: opened when first asked for.
 * MPI_FILE_NULL: it cannot be. */
MPI_File shipio_native_alone(struct shipio_file *file);
/* Collective. Closes all of them, and what the program knows the file by; MPI's
 * code. */
int shipio_native_close(struct shipio_file *file, MPI_File *fh);
/* Local. MPI is about to end. */
void shipio_native_end(void);

#endif
