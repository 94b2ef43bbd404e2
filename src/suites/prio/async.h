/* suites/prio/async.h - what a request and a computation lose by each other. */
#ifndef PARIO_PRIO_ASYNC_H
#define PARIO_PRIO_ASYNC_H

#include "suites/prio/transfer.h"

/* What one process took, in seconds. */
struct prio_async_times {
    double io;            /* the request alone: started and waited for */
    double calculation;   /* the computation alone */
    double start;         /* together: in the call that starts the request */
    double calculation_c; /* the computation beside it */
    double wait;          /* in the call that waits for it */
    double together;      /* from start to the end of wait */
};

/* 1 - T_calculation / T_calculation_c and 1 - T_io / T_together. */
double prio_async_acl(const struct prio_async_times *times);
double prio_async_abl(const struct prio_async_times *times);
/* Share of the shorter of both that was hidden: 0 serial, 1 overlapped. */
double prio_async_overlap(const struct prio_async_times *times);
/* "overlapped", "in start", "in wait" or "partly". */
const char *prio_async_verdict(const struct prio_async_times *times);

#endif
