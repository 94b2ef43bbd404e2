/* suites/iot/lowlevel.h - what the blocking and the asynchronous low-level
 * tests share: blocks, windows of requests, loops of samples.
 *
 * A rank fills a window of blocks, runs the timed loop over it, and only then
 * fills (or checks) the next: nothing but I/O calls is in the time, and
 * memory is bounded whatever the file size.
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
    int64_t ns; /* its time */
    int64_t task_ns;
};

struct iot_low {
    struct iot_context *context;
    struct iot_file file;
    MPI_Comm comm; /* of the active ranks */
    int active, partition, collective;
    struct iot_blocks blocks;
    int64_t rounds; /* blocks of rank 0 */
    int64_t window; /* rounds in one */
    int64_t stride; /* doubles of buffer for a block */
    double *buffer;
    struct iot_request *request;
    int64_t nrequests;
    struct pario_rng rng; /* where blocks are checked */
    char message[IOT_TEXT];
};

/* Samples of one loop over the file. */
struct iot_loop {
    struct pario_samples samples;
    struct pario_hist latency;
    double seconds; /* of this rank */
    int64_t bytes, operations, rounds;
    double *window_s; /* of this rank in each window */
    size_t nwindows, capacity;
};

/* Local. alone: rank 0 only. */
int iot_low_init(struct iot_low *low, struct iot_context *context,
                 int alone) PARIO_MUST_USE;
void iot_low_fini(struct iot_low *low);

/* Local. Requests of the rounds from `first` on; fills or poisons them. */
void iot_low_window(struct iot_low *low, int64_t first, int writing);
/* Local. As --verify says. */
void iot_low_check(struct iot_low *low, struct iot_figures *figures);

/* Zero it before; fini in any case. */
int iot_loop_init(struct iot_loop *loop,
                  const struct iot_low *low) PARIO_MUST_USE;
void iot_loop_fini(struct iot_loop *loop);
/* Collective over all ranks, after the last window: barriers part the windows,
 * so each took as long as its slowest rank. The sum of that, of the first loop
 * and, if not NULL, the second beside it. */
int iot_loop_slowest(const struct iot_low *low, const struct iot_loop *loop,
                     const struct iot_loop *beside,
                     double *seconds_p) PARIO_MUST_USE;
/* Collective over all ranks: adds the window's times (of the I/O calls or of
 * the tasks); when the samples are full they go to the timings file. */
int iot_low_keep(struct iot_low *low, const char *keyword, int task,
                 struct iot_loop *loop) PARIO_MUST_USE;

#endif
