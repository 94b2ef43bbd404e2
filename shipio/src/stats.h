/* stats.h - what shipio did to one file, on this rank. */
#ifndef SHIPIO_STATS_H
#define SHIPIO_STATS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum shipio_counter {
    SHIPIO_N_CALLS,         /* data access calls */
    SHIPIO_N_COLLECTIVE,    /* of these, collective */
    SHIPIO_N_BYTES_WRITTEN, /* as the program sees it */
    SHIPIO_N_BYTES_READ,
    SHIPIO_N_REQUESTS,      /* contiguous pieces asked for */
    SHIPIO_N_FILE_REQUESTS, /* system calls on the file */
    SHIPIO_N_FILE_BYTES,    /* bytes they moved */
    SHIPIO_N_MESSAGES,      /* between nodes or to agents */
    SHIPIO_N_BYTES_SHIPPED, /* through shared memory or messages */
    SHIPIO_N_MODE_SHIP,     /* decisions, one for each call */
    SHIPIO_N_MODE_DIRECT,
    SHIPIO_N_MODE_MAPPED,
    SHIPIO_N_MODE_DELAYED, /* write-behind */
    SHIPIO_N_MODE_AGENT,   /* noncollective shipping */
    SHIPIO_N_RANGES_PREFETCHED,
    SHIPIO_N_RANGES_RELEASED,
    SHIPIO_N_ROUNDS,       /* of messages between nodes, once for all */
    SHIPIO_N_LISTS,        /* messages that hold lists of pieces */
    SHIPIO_N_LEADERS,      /* ranks that may send to other nodes */
    SHIPIO_N_BYTES_SENT,   /* to other nodes */
    SHIPIO_N_BYTES_COPIED, /* to and from messages and stripes */
    SHIPIO_N_COUNTERS
};

enum shipio_timer {
    SHIPIO_T_EXCHANGE, /* copying to and from shared memory, messages */
    SHIPIO_T_FILE,     /* system calls on the file */
    SHIPIO_T_WAIT,     /* for other ranks */
    SHIPIO_T_TIMERS
};

struct shipio_stats {
    bool timed;   /* somebody wants to see the times */
    bool threads; /* more than one thread may count */
    int64_t count[SHIPIO_N_COUNTERS];
    int64_t nanoseconds[SHIPIO_T_TIMERS];
};

/* Local. Seconds on the monotonic clock, 0 when nobody wants them. */
double shipio_stats_now(const struct shipio_stats *stats);
/* Local. Seconds of a clock, timed or not. */
double shipio_clock(void);
void shipio_stats_since(struct shipio_stats *stats, enum shipio_timer timer,
                        double start);

/* Local. From now on more than one thread counts: before another one is made,
 * whoever else may be counting already. */
static inline void shipio_stats_share(struct shipio_stats *stats)
{
    __atomic_store_n(&stats->threads, true, __ATOMIC_RELAXED);
}

/* One thread is spared the cost of an atomic addition. */
static inline void shipio_stats_add(const struct shipio_stats *stats,
                                    int64_t *sum, int64_t n)
{
    if (__atomic_load_n(&stats->threads, __ATOMIC_RELAXED))
        __atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
    else
        *sum += n;
}

static inline void shipio_count(struct shipio_stats *stats,
                                enum shipio_counter counter, int64_t n)
{
    shipio_stats_add(stats, &stats->count[counter], n);
}

/* Local. True when SHIPIO_STATS or SHIPIO_STATS_JSON ask for output. */
bool shipio_stats_wanted(void);

struct shipio_file;
/* Collective over the file. Rank 0 prints the sums over all ranks. */
void shipio_stats_print(struct shipio_file *file);
/* Local. Rank 0 tells of a file that passes through from the start. */
void shipio_stats_print_foreign(MPI_Comm comm, const char *path,
                                const char *reason);

#endif
