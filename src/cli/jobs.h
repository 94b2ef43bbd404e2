/* cli/jobs.h - what the commands that start jobs themselves share. */
#ifndef PARIO_CLI_JOBS_H
#define PARIO_CLI_JOBS_H

#include "core/options.h"
#include <limits.h>

enum pario_jobs_mpiio { PARIO_JOBS_AUTO, PARIO_JOBS_NATIVE, PARIO_JOBS_SHIPIO };
extern const char *const pario_jobs_mpiio_names[]; /* choices of --mpiio */

/* What every such command needs to know. */
struct pario_jobs {
    const char *command;              /* "tune" */
    const struct pario_option *table; /* the first is --processes */
    void *values;
    int *help, *mpiio; /* within values */
    /* Set by pario_jobs_parse: */
    char directory[PATH_MAX]; /* absolute */
    int native, shipio;       /* whose MPI-IO; auto: shipio where it is */
};

/* Local. Options and the operand DIR, -n N included; refuses to run inside
 * a job. With --help nothing else is looked at. Starts the janitor. */
int pario_jobs_parse(struct pario_jobs *jobs, int argc,
                     char **argv) PARIO_MUST_USE;

#endif
