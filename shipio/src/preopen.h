/* preopen.h - opening the file before the MPI library does.
 *
 * MPI libraries hang or disagree when one rank cannot open a file. So shipio
 * opens first, on all ranks, and agrees; the MPI library is asked only for a
 * file that all ranks could open.
 */
#ifndef SHIPIO_PREOPEN_H
#define SHIPIO_PREOPEN_H

#include <mpi.h>

struct shipio_opening {
    const char *filename;
    int amode;
    MPI_Info info;
};

/*
 * Collective over comm. 0: every rank has the file open as *fd_p. 1: a file
 * for the MPI library alone (not regular, wrong mode, foreign name,
 * SHIPIO_DISABLE on rank 0); *fd_p is -1. Negative: nobody has it
 * open, the same error on all ranks.
 */
int shipio_preopen(MPI_Comm comm, const struct shipio_opening *opening,
                   int *fd_p) __attribute__((warn_unused_result));

/* Local. "ufs:/tmp/x" names the file system to ROMIO; the rest is the path. */
const char *shipio_preopen_path(const char *filename);

#endif
