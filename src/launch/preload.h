/* launch/preload.h - another program, started with libraries of ours: shipio
 * before its MPI, the recorder before all. */
#ifndef PARIO_LAUNCH_PRELOAD_H
#define PARIO_LAUNCH_PRELOAD_H

#include "core/error.h"

enum pario_launcher {
    PARIO_LAUNCHER_OTHER,   /* srun, a script, the program itself */
    PARIO_LAUNCHER_OPENMPI, /* passes on only what it is told to */
    PARIO_LAUNCHER_HYDRA,   /* MPICH's and its relatives' */
};

/* A command that starts MPI programs, ready to run: the caller frees it with
 * pario_preload_fini. */
struct pario_preload {
    enum pario_launcher launcher;
    char **word;       /* ended by NULL; the array is ours, the words not all */
    char *environment; /* LD_PRELOAD for the command itself; NULL: as it is */
    char **owned;      /* words made here */
    int nowned;
};

/* Local. 1 for an entry of the environment that is passed on to the processes
 * of a job: SHIPIO_*, PARIO_RECORD* and ROMIO_HINTS. */
int pario_preload_passes(const char *entry);

/* Local. The command (ended by NULL, its array may change) with what its
 * launcher needs so that the processes it starts, and if possible only these,
 * have library (or several, with colons between) preloaded, before what the
 * user preloads already, and see the variables of this process that are passed
 * on. An error when the library is no build of ours or one for another MPI
 * library than the launcher's. */
int pario_preload_init(struct pario_preload *preload, const char *library,
                       char **command) PARIO_MUST_USE;
void pario_preload_fini(struct pario_preload *preload);

#endif
