/* diff_run.h - run a case with real calls and compare with the model. */
#ifndef SHIPIO_DIFF_RUN_H
#define SHIPIO_DIFF_RUN_H

#include "diff_case.h"

/* What shrinking has taken out of a case. */
struct diff_dropped {
    bool op[DIFF_MAX_OPS];
    bool hint[DIFF_MAX_HINTS];
    bool part[DIFF_MAX_OPS][DIFF_MAX_RANKS];
};

struct diff_options {
    const char *dir;
    bool native;  /* tolerate what the MPI libraries are known to do wrong */
    bool verbose; /* tell each step on rank 0 */
    unsigned limit_s; /* of a case: after it, it hangs */
    bool new_names;   /* no file has the name of one that was removed */
};

/*
 * Collective over the world. Returns true when all ranks saw what the model
 * predicts; otherwise message holds the first complaint of the lowest rank
 * that has one, on every rank.
 */
bool diff_run_case(const struct diff_case *c,
                   const struct diff_dropped *dropped,
                   const struct diff_options *options, char *message,
                   size_t len);

#endif
