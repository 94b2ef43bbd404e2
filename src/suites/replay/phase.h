/* suites/replay/phase.h - a trace as one phase of the measuring engine. */
#ifndef PARIO_SUITES_REPLAY_PHASE_H
#define PARIO_SUITES_REPLAY_PHASE_H

#include "measure/phase.h"
#include "suites/replay/workload.h"

#include <limits.h>

struct replay_part {
    struct replay_workload work;
    struct replay_sums sums; /* of this process, after the loop */
    int verify;              /* enum pario_verify */
    char path[2 * PATH_MAX]; /* of the file that the engine asks about */
};

/* Local, after replay_workload_prepare. Fills in what the engine must know of
 * the files; run, group, beside and latency are the caller's. */
void replay_part_describe(struct replay_part *part, struct pario_phase *phase);

/* For pario_phase_run; the argument is a struct replay_part. */
extern const struct pario_phase_calls replay_part_calls;

/* Collective over the phase's group, after the run. Calls of all processes that
 * ended otherwise than recorded, all calls, and on the first process what the
 * first one of its own was. */
struct replay_outcome {
    int64_t otherwise, calls;
    const char *first;
};
int replay_part_outcome(const struct replay_part *part,
                        struct replay_outcome *outcome_p) PARIO_MUST_USE;

#endif
