/* trace/live.h - a stream of calls while it is being recorded.
 *
 * The calls of one thread, kept so that a loop costs nothing: equal calls are
 * stored once (offsets as distances from the last one of the file, so that a
 * stride is equal too), the order as a sequence in which repetitions, also of
 * repetitions, are counted. Times are sums over slices of time, exact for
 * calls that are slow or stand alone.
 *
 * All of it lives in memory of a fixed size that knows no addresses: mapped
 * from a file, what a killed process recorded is still there. Nothing here
 * allocates, locks or calls the system. One thread writes; calls are inside
 * signal handlers only as far as `busy` lets them.
 */
#ifndef PARIO_TRACE_LIVE_H
#define PARIO_TRACE_LIVE_H

#include "trace/ops.h"
#include <stddef.h>
#include <stdint.h>

#define PARIO_LIVE_CALLS 2048   /* different calls of a block */
#define PARIO_LIVE_BUCKETS 4096 /* a power of two */
#define PARIO_LIVE_SYMBOLS 8192
#define PARIO_LIVE_LOOPS 1024
#define PARIO_LIVE_BODIES 8192
#define PARIO_LIVE_SLICES 4096
#define PARIO_LIVE_FILES 256  /* remember their last offset by slot */
#define PARIO_LIVE_PERIOD 256 /* longest body of a loop that is looked for */
#define PARIO_LIVE_MAGIC 0x4556494c4f495250u /* also tells the byte order */
#define PARIO_LIVE_VERSION 1

/* A call as the recorder gives it: offsets are absolute. */
struct pario_call {
    int32_t op; /* enum pario_trace_op */
    int32_t spare;
    int64_t args[PARIO_TRACE_ARGS];
    int64_t result;
};

struct pario_live_call {
    struct pario_call call; /* the offset is a distance */
    uint64_t busy, longest; /* ticks, of all calls that were equal */
    uint32_t next;          /* in its bucket, one more than the index */
    uint32_t spare;
};

struct pario_live_loop {
    uint32_t body, len; /* in bodies */
    uint64_t count;
    uint64_t uses; /* in the sequence and in bodies; 0: free for its body */
};

struct pario_live_slice {
    uint64_t calls;
    uint64_t gaps;    /* ticks before the calls, since the last one's end */
    uint64_t busy;    /* ticks within the calls */
    uint64_t waiting; /* ticks of the gaps within other calls of MPI */
};

/* Symbols: below PARIO_LIVE_CALLS a call, else a loop. The tail of the
 * sequence may be the body of a loop that still goes on. */
struct pario_live {
    uint64_t magic;
    uint32_t version, size;
    uint64_t process;                /* who: id of the process */
    uint32_t thread, rank_plus_1;    /* 0: no rank */
    uint64_t block;                  /* number of blocks written before */
    uint64_t start, last;            /* ticks: block began, last call ended */
    uint64_t ticks[2], ns[2];        /* two readings of both clocks */
    uint64_t slice_ticks, gap_ticks; /* longest slice, shortest idle time */
    uint64_t waiting;                /* ticks in MPI since the last call */
    uint32_t busy;                   /* a call is being added */
    uint32_t lost_blocks;
    uint64_t lost_calls;
    uint64_t calls_added; /* in this block */
    uint32_t ncalls, nsymbols, nloops, nbodies, nslices, nplaces;
    uint32_t loop_len, loop_at; /* the loop at the tail: 0: none; how far */
    uint64_t loop_count;
    int64_t last_offset[PARIO_LIVE_FILES];
    struct pario_live_slice slice[PARIO_LIVE_SLICES];
    struct pario_live_call call[PARIO_LIVE_CALLS];
    uint32_t bucket[PARIO_LIVE_BUCKETS];
    uint32_t symbol[PARIO_LIVE_SYMBOLS];
    uint32_t before[PARIO_LIVE_SYMBOLS]; /* the same symbol: 1 + its place */
    uint32_t latest[PARIO_LIVE_CALLS + PARIO_LIVE_LOOPS]; /* 1 + place */
    struct pario_live_loop loop[PARIO_LIVE_LOOPS];
    uint32_t bodies[PARIO_LIVE_BODIES];
    uint32_t place[PARIO_LIVE_SYMBOLS]; /* of the loops in the sequence */
};

/* Local. resolution_ns: the longest slice of time; 0: every call exactly. */
void pario_live_init(struct pario_live *live, uint64_t process, uint32_t thread,
                     uint64_t resolution_ns, double ticks_per_ns);

/* Local. An empty block that goes on after this one. */
void pario_live_clear(struct pario_live *live);

/* Local. Adds a call that began and ended at these ticks. Returns 1 when the
 * block should be written before the next call, else 0. */
int pario_live_add(struct pario_live *live, const struct pario_call *call,
                   uint64_t begin, uint64_t end);

/* Local. Is this a block that live.c could have left behind at any moment?
 * For memory that comes from a file. Returns 0 or -EINVAL. */
int pario_live_check(const struct pario_live *live, size_t len);

/* Local. The longest that a block can be when written, and the block of a
 * live that is in order; returns its length. */
#define PARIO_BLOCK_MAX                                                        \
    (PARIO_LIVE_CALLS * (PARIO_TRACE_ARGS + 4) * 10 +                          \
     (PARIO_LIVE_SYMBOLS + PARIO_LIVE_BODIES + PARIO_LIVE_PERIOD) * 4 +        \
     PARIO_LIVE_LOOPS * 20 + PARIO_LIVE_SLICES * 40 + 200)
size_t pario_live_encode(const struct pario_live *live, uint8_t *block);

#endif
