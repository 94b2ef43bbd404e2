/* suites/prio/loop.h - the timed loops. Local, but for the collective forms
 * of MPI-IO. */
#ifndef PARIO_PRIO_LOOP_H
#define PARIO_PRIO_LOOP_H

#include "core/data.h"
#include "io/backend.h"
#include "result/samples.h"
#include "suites/prio/plan.h"
#include "suites/prio/think.h"

/* All that a timed loop touches. */
struct prio_loop {
    const struct prio_request *request; /* count of them, count > 0 */
    int64_t count;
    char *buffer; /* the requests' data one after the other */
    int reuse;    /* or one buffer (one a slot) of `longest` for all */
    uint32_t longest;
    int64_t base; /* file offset of the process's data */
    struct prio_think think;
    int64_t stop_ns; /* INT64_MAX: one pass */
    int sync_passes; /* what the next pass overwrites is durable before */
    /* Passes that write have data of their own: stamps of `data`, by the place
     * in the data of all processes, that of this one from data_offset on. */
    int stamps;
    struct pario_data data;
    int64_t data_offset;
    int keep_step; /* collective: go on after an error, others wait */
    struct pario_hist *latency;
    struct pario_samples *samples[2]; /* of reads, of writes; NULL: not asked */
    /* The outcome, added to. */
    int64_t done, bytes, written_bytes;
    int64_t pass;      /* from 0 */
    int code;          /* the first error */
    int64_t failed_at; /* its file offset */
    int failed_write;
    int failed_sync; /* which has made its own message */
};

void prio_loop_blocking(struct prio_loop *loop,
                        const struct pario_backend *backend,
                        struct pario_file *file, enum pario_form form);

/* Up to depth requests of an open file under way; the back-end has start and
 * next. The file stays the caller's. */
struct prio_queue;
int prio_queue_create(const struct pario_backend *backend,
                      struct pario_file *file, unsigned depth,
                      struct prio_queue **queue_p) PARIO_MUST_USE;
void prio_loop_queued(struct prio_loop *loop, struct prio_queue *queue);
void prio_queue_destroy(struct prio_queue *queue);

/* What follows a request, in both loops. Returns the clock. */
static inline int64_t prio_loop_account(struct prio_loop *loop,
                                        const struct prio_request *request,
                                        int64_t begun_ns, int64_t now_ns)
{
    pario_hist_add(loop->latency, now_ns - begun_ns);
    if (loop->samples[request->write] != NULL)
        pario_samples_add(loop->samples[request->write], now_ns - begun_ns);
    loop->done++;
    loop->bytes += request->len;
    if (request->write)
        loop->written_bytes += request->len;
    return now_ns;
}

/* Before the next pass: nothing is under way. Stamping takes some 10 ns for
 * each 4 KiB, within the time. Returns the clock. */
int64_t prio_loop_next_pass(struct prio_loop *loop);

#endif
