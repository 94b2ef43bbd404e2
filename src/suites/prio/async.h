/* suites/prio/async.h - one nonblocking request on one file, four ways. */
#ifndef PARIO_PRIO_ASYNC_H
#define PARIO_PRIO_ASYNC_H

#include "suites/prio/transfer.h"

struct prio_async; /* one open file; each way defines its own */

/* Each call returns 0 or a negative error. */
struct prio_async_way {
    /* Collective over group. The caller owns *file_p. */
    int (*open)(const char *path, const struct prio_case *what,
                const struct pario_group *group, struct prio_async **file_p);
    /* Local. One request at a time; bare codes, no message. */
    int (*start)(struct prio_async *file, int write, void *buf, size_t len,
                 int64_t offset);
    int (*wait)(struct prio_async *file);
    /* Collective. Frees file also when it reports an error. */
    int (*close)(struct prio_async *file);
};

extern const struct prio_async_way prio_async_aio, prio_async_uring,
    prio_async_individual, prio_async_explicit;

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
