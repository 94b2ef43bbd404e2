/* suites/prio/think.h - the program that the requests are for: it computes for
 * a time with each, and requests may be made ahead of it, as readers of
 * training data do. It is not run: when it would be where follows from the
 * clock. Local. */
#ifndef PARIO_PRIO_THINK_H
#define PARIO_PRIO_THINK_H

#include <stdint.h>

#define PRIO_MAX_PREFETCH 256

struct prio_think {
    int64_t think_ns; /* with each request; 0: there is no program */
    int64_t prefetch; /* requests that may be done and wait for it; 0: none is
                         made while it computes */
    /* The outcome. */
    int64_t requests; /* that it was given */
    int64_t slept_ns;
    int64_t left_ns; /* of computing that was not done when the time was over */
    int64_t first_ns;      /* when it was given the first */
    int64_t busy_until_ns; /* with all that it was given */
    /* When it takes up the last ones, by number modulo prefetch. */
    int64_t begins_ns[PRIO_MAX_PREFETCH];
};

/* A request was done at now_ns. Sleeps until the next may be made; that time is
 * not I/O. Returns the clock. */
int64_t prio_think_after(struct prio_think *think, int64_t now_ns);

/* Sleeps until the program is through with all, or the time is over. */
void prio_think_end(struct prio_think *think, int64_t stop_ns);

/* For so long the clock stood still for it. */
void prio_think_paused(struct prio_think *think, int64_t length_ns);

#endif
