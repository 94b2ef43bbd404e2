/* suites/pattern/timed.h - one phase of a pattern on one process: what its
 * loop touches and what its check needs. Private to the suite. */
#ifndef PARIO_PATTERN_TIMED_H
#define PARIO_PATTERN_TIMED_H

#include "suites/pattern/pattern.h"

#define PATTERN_KEPT ((size_t)1 << 20) /* last reads whose word is kept */
#define PATTERN_DEPTH 256              /* most requests under way */

struct pattern_timed {
    struct pattern_part *part;
    const struct pattern_plan *plan;
    enum pattern_access access;
    const char *path;
    int in_order, collective, depth;
    int64_t limit;   /* most transfers */
    int64_t cycle;   /* after so many the first comes again; 0: never */
    int64_t stop_ns; /* none begins after that */
    struct pattern_contents contents;
    int full;           /* every read is checked, with the clock stopped */
    int older;          /* what is read may be of the generation before, too */
    int unknown;        /* nobody knows what the data should be */
    int64_t source_len; /* of a slot */
    struct pario_phase *phase;
    struct pario_file *file;
    pario_io_fn *io[2]; /* read, write */
    /* The outcome. */
    int64_t begin_ns;
    int64_t done, bytes, written_bytes, at_stonewall;
    int64_t since_sync; /* writes, for --fsync-every */
    int64_t paused_ns;
    /* By slot of the buffers: one more than the number of the last transfer
     * there; 0: none. */
    int64_t last_in[PATTERN_DEPTH];
    struct pario_figures found; /* by checks in the loop */
    int code;                   /* the first error, where, and in words */
    int64_t failed_at;
    int failed_write;
    char message[512];
};

/* Which transfer of the plan number i is. */
static inline int64_t pattern_timed_place(const struct pattern_timed *timed,
                                          int64_t i)
{
    return timed->cycle > 0 && i >= timed->cycle ? i % timed->cycle : i;
}

/* Different transfers that were made. */
static inline int64_t pattern_timed_different(const struct pattern_timed *timed)
{
    return timed->cycle > 0 && timed->done > timed->cycle ? timed->cycle
                                                          : timed->done;
}

/* loop.c. The timed loop: transfers until `end` of them are done, the time is
 * over or one has failed. Local, but for collective calls. */
void pattern_move(struct pattern_timed *timed, int64_t end);

/* phase.c. Local. Keeps the first error, for describe. */
void pattern_timed_error(struct pattern_timed *timed, int code,
                         const struct pattern_op *op);

/* check.c. Local, after the time: sizes and data. */
int pattern_timed_check(struct pattern_timed *timed,
                        struct pario_figures *figures) PARIO_MUST_USE;

#endif
