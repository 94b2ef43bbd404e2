/* suites/jobs.h - what the suites share that start jobs themselves. */
#ifndef PARIO_SUITES_JOBS_H
#define PARIO_SUITES_JOBS_H

#include "measure/run.h"

/* Common options that mean nothing to them. */
extern const char *const pario_jobs_without[];

/* Local. Which MPI-IO by --mpiio: both where shipio is
 * there, or the one that is named. */
int pario_jobs_check(const struct pario_run *run, int *native_p,
                     int *shipio_p) PARIO_MUST_USE;

#endif
