/* suites/jobs.c - what the suites share that start jobs themselves. */
#include "suites/jobs.h"

#include "launch/library.h"

#include <limits.h>

const char *const pario_jobs_without[] = {
    "samples", "verify", "cold", "seed", "deadline", "no-watchdog", NULL};

int pario_jobs_check(const struct pario_run *run, int *native_p, int *shipio_p)
{
    int mpiio = run->common.mpiio, code = 0;
    char path[PATH_MAX];

    *native_p = mpiio != PARIO_MPIIO_SHIPIO;
    *shipio_p = mpiio != PARIO_MPIIO_NATIVE;
    if (*shipio_p)
        code = pario_library_shipio(path, sizeof(path));
    if (code != 0 && mpiio == PARIO_MPIIO_AUTO) {
        *shipio_p = 0;
        code = 0;
    }
    return code;
}
