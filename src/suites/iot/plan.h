/* suites/iot/plan.h - from a parameter file to what will be run. */
#ifndef PARIO_IOT_PLAN_H
#define PARIO_IOT_PLAN_H

#include "suites/iot/iot.h"

#define IOT_TIMINGS "all.out" /* B.3: the default timings file */

struct iot_options {
    int class; /* 0 all, else enum iot_class */
    const char *params;
    double time_s;
};

/* Collective. Reads the file, checks all of it and the file systems it names,
 * prints every error and fails with PARIO_EUSAGE if there is any. */
int iot_plan(struct pario_run *run, const struct iot_options *options,
             struct iot_params *params_p) PARIO_MUST_USE;

/* Local. The timings file's name. */
const char *iot_plan_timings(const struct pario_run *run,
                             const struct iot_params *params);

/* Local, acts on rank 0. */
void iot_plan_print(const struct pario_run *run,
                    const struct iot_params *params);

/* Collective. Facts about the file system that will hold the file, which goes
 * to the result. */
int iot_plan_facts(struct pario_run *run, const char *filename,
                   struct pario_fs_facts *facts_p) PARIO_MUST_USE;

#endif
