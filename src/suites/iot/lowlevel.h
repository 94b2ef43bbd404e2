/* suites/iot/lowlevel.h - what the blocking and the asynchronous low-level
 * tests share: blocks, their buffers, loops of samples.
 *
 * Writing is one continuous loop from the first call to the sync: the buffer
 * is filled once, and each block gets stamps (values.h). Reading goes through
 * a window of buffers; when it is full the clock stands still, nothing is
 * under way, and the blocks are checked.
 */
#ifndef PARIO_IOT_LOWLEVEL_H
#define PARIO_IOT_LOWLEVEL_H

#include "core/rng.h"
#include "suites/iot/file.h"

/* The file as blocks 0 .. count-1; fuzzy ones differ in size (5.1.3). */
struct iot_blocks {
    int64_t mean, count; /* doubles in a block, blocks */
    double fuzzy;
    uint64_t seed;
};

/* Local. The first element of block k; of k == count: the file's end. */
int64_t iot_block_begin(const struct iot_blocks *blocks, int64_t k);

/* One I/O call of the loop. */
struct iot_request {
    int64_t first; /* element of the file */
    double *buf;
    int count;
};

/* Times of the calls of one loop over the file. */
struct iot_loop {
    struct pario_samples samples;
    struct pario_hist latency;
    int64_t total_ns; /* of this rank */
};

struct iot_low {
    struct iot_context *context;
    struct iot_file file;
    MPI_Comm comm; /* of the active ranks */
    int active, alone, collective;
    int64_t ranks, place;   /* block k belongs to k mod ranks == place */
    struct pario_data base; /* what is between the stamps */
    struct iot_blocks blocks;
    int64_t rounds; /* blocks of rank 0 */
    int64_t window; /* buffers */
    int64_t slots;  /* of them in use by the present loop */
    int64_t stride; /* doubles of buffer for a block */
    int writing;
    double *buffer;
    struct iot_request *request; /* of each slot */
    struct iot_loop loop;        /* of the I/O calls */
    int64_t bytes, operations;   /* of the present loop */
    struct pario_rng rng;        /* where blocks are checked */
    int code;                    /* the first error of the loop */
    char message[IOT_TEXT];
};

/* How a block that was read is checked. */
typedef void iot_check_fn(struct iot_low *low,
                          const struct iot_request *request,
                          struct pario_figures *figures);

/* Local. alone: rank 0 only; at least so many blocks have a buffer. */
int iot_low_init(struct iot_low *low, struct iot_context *context, int alone,
                 int64_t buffers) PARIO_MUST_USE;
void iot_low_fini(struct iot_low *low);

/* Local. Before a loop: buffers filled (or poisoned, so that nothing stale
 * passes for data read), counters at 0. slots: buffers that take turns. */
void iot_low_begin(struct iot_low *low, int writing, int64_t slots);
/* Local, in the loop. This rank's j-th block; NULL: there are no more. In the
 * last round of collective calls some bring nothing: count 0. */
struct iot_request *iot_low_next(struct iot_low *low, int64_t j);
/* Local. The first error is kept. */
void iot_low_note(struct iot_low *low, const struct iot_request *request,
                  int code);
/* The window is full: checks its blocks while the clock stands still. Returns
 * the clock. Collective where the calls are. */
int64_t iot_low_pause(struct iot_low *low, struct pario_phase *phase,
                      iot_check_fn *check);
/* Local, after the loop: the figures of this rank; its error. */
int iot_low_done(struct iot_low *low, struct pario_phase *phase);
/* Local, after the time. What the last window still holds of `rounds`. */
void iot_low_check_rest(struct iot_low *low, struct pario_phase *phase,
                        iot_check_fn *check);

/* Collective over the active ranks; arg is the struct iot_low. Each phase ends
 * with the file closed, and the next one opens it before its time. */
int iot_low_open(void *arg) PARIO_MUST_USE;
int iot_low_close(void *arg) PARIO_MUST_USE;

/* Collective over all ranks. The blocking loop, one way, recorded; the time of
 * the loop without sync and close is everybody's. */
int iot_low_blocking(struct iot_low *low, int writing, const char *access,
                     double *loop_s_p) PARIO_MUST_USE;

/* In the loop. */
static inline int64_t iot_loop_take(struct iot_loop *loop, int64_t last_ns,
                                    int64_t now_ns)
{
    pario_samples_take(&loop->samples, &loop->latency, now_ns - last_ns);
    loop->total_ns += now_ns - last_ns;
    return now_ns;
}

/* Zero it before; fini in any case. */
int iot_loop_init(struct iot_loop *loop, int64_t rounds) PARIO_MUST_USE;
void iot_loop_begin(struct iot_loop *loop);
void iot_loop_fini(struct iot_loop *loop);

#endif
