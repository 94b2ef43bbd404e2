/* suites/quick/phase.h - one timed phase: every process moves its chunks of
 * one size through one I/O interface. */
#ifndef PARIO_QUICK_PHASE_H
#define PARIO_QUICK_PHASE_H

#include "core/rng.h"
#include "io/backend.h"
#include "measure/phase.h"
#include "result/samples.h"

enum quick_access { QUICK_WRITE, QUICK_REWRITE, QUICK_READ, QUICK_ACCESSES };

/* What is done; the same on all ranks. */
struct quick_case {
    const struct pario_backend *backend;
    const char *library; /* whose MPI-IO, where that is compared; or NULL */
    int separate;        /* one file per process; else one shared file */
    int random;          /* each chunk once, in random order */
    int direct;          /* O_DIRECT */
    int depth;           /* requests under way, where the interface can */
    int64_t request_bytes;
    /* A call moves pieces of this size that lie interleaved with those of the
     * other processes, through a view; 0: it moves one piece. */
    int64_t piece_bytes;
    int goes_round;       /* a first write does not end with its data */
    uint64_t file_number; /* of the data */
};

/* One rank's part in it. Chunk i of the order lies at buffer + i * request,
 * so that nothing is filled or copied while the time runs. */
struct quick_part {
    const struct quick_case *what;
    char path[4200];
    char *buffer;
    size_t buffer_len;
    /* Calls of the first write and of the rewrite, pass after pass; none
     * before. A rewrite goes over the chunks that the first write has made. */
    int64_t written, rewritten;
    struct pario_perm order;
    struct pario_hist latency;     /* of the last phase */
    struct pario_samples *samples; /* of the last phase; required */
};

/* Collective. Moves chunks for about `seconds`: a first write at most its
 * data unless it goes round, rewrite and read pass after pass, each pass of
 * writes synced before the next
 * and with --cold each read evicted before the next; checks sizes and data,
 * what was written before it is overwritten. phase_p->figures are everybody's,
 * part->latency too. */
int quick_phase(struct pario_run *run, struct quick_part *part,
                enum quick_access access, double seconds,
                struct pario_phase *phase_p) PARIO_MUST_USE;

#endif
