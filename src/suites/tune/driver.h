/* suites/tune/driver.h - between the rounds (driver.c) and one job (job.c). */
#ifndef PARIO_TUNE_DRIVER_H
#define PARIO_TUNE_DRIVER_H

#include "suites/tune/tune.h"

#include <limits.h>

struct tune_driver {
    const struct tune_options *options;
    struct tune_race *race;
    char base[PATH_MAX];
    uint64_t key;
    int jobs, start; /* number of the next; who begins in it */
    int round;       /* of the race */
    int confirming;  /* ... is over */
    double start_s, end_s;
    double slowest_s;                 /* pass so far */
    int nodes;                        /* of the jobs; 0: not known yet */
    struct pario_placement placement; /* of their processes */
};

/* Local. Bytes of the files of one job. */
int64_t tune_file_bytes(const struct tune_driver *driver);

/* Local. Runs those in that share these parameters and keeps their passes.
 * Who fails is excluded; an error only where not even the native default
 * starts. */
int tune_run_job(struct tune_driver *driver, const char *variable,
                 int passes) PARIO_MUST_USE;

#endif
