/* suites/prio/plan.h - the requests of one process in one pass: each block of
 * its data exactly once. Made before the time, so that the timed loop only
 * walks along them; 16 bytes a request. Local. */
#ifndef PARIO_PRIO_PLAN_H
#define PARIO_PRIO_PLAN_H

#include "suites/prio/bench.h"

struct prio_request {
    int64_t at; /* in the process's data */
    uint32_t len;
    uint32_t write; /* 0 read, 1 write */
};

struct prio_plan {
    struct prio_request *request;
    int64_t count;
    int64_t written_bytes;
    uint32_t longest;
};

/* The block sizes are the same for every process, the order is not: the same
 * case, seed and rank give the same plan, everywhere. */
int prio_plan_init(struct prio_plan *plan, const struct prio_case *what,
                   int rank) PARIO_MUST_USE;
void prio_plan_fini(struct prio_plan *plan);

/* Requests of one pass of one process, for --explain. */
int64_t prio_plan_count(const struct prio_case *what);

/* The data of one process: what was asked for, or drawn for this repetition
 * where a range was given. */
int64_t prio_draw_size(int64_t low, int64_t high, int64_t step, uint64_t seed);

#endif
