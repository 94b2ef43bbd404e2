/* opening.h - opening the file before the MPI library does.
 *
 * MPI libraries hang or disagree when one rank cannot open a file. So shipio
 * opens first, on all ranks, and agrees; the MPI library is asked only for a
 * file that all ranks could open.
 *
 * All come (before that nothing is created, for a rank may delete the file
 * first), rank 0 opens and tells the hints, all open, all vote. On a node these
 * are barriers in shared memory; between nodes a few collective calls besides
 * the MPI library's own (a reopening: two MPI_Bcast, three MPI_Allreduce, one
 * MPI_Barrier).
 */
#ifndef SHIPIO_OPENING_H
#define SHIPIO_OPENING_H

#include "file.h"

struct shipio_opening {
    const char *filename;
    int amode;
    MPI_Info info;
};

/*
 * Collective over comm. 0: every rank has the file open and *file_p. 1: a file
 * for the MPI library alone (not regular, wrong mode, foreign name,
 * SHIPIO_DISABLE on rank 0, ranks that cannot be connected). Negative: nobody
 * has it open, the same error on all ranks.
 */
int shipio_open(MPI_Comm comm, const struct shipio_opening *opening,
                struct shipio_file **file_p)
    __attribute__((warn_unused_result));
/* Local. The system's flags for MPI's mode, and its open, which may be
 * interrupted: 0 or -errno. */
int shipio_open_flags(int amode);
int shipio_open_retry(const char *path, int flags, int *fd_p);
/* Collective. The MPI library could not open it. */
void shipio_open_undo(struct shipio_file *file);

#endif
