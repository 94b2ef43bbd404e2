/* measure/figures.h - what was measured, with all that speaks for and against
 * it, until it is a measure of the document. Local. */
#ifndef PARIO_MEASURE_FIGURES_H
#define PARIO_MEASURE_FIGURES_H

#include "measure/run.h"
#include "measure/verdict.h"

/* What one process did; after pario_phase_settle, what all of them did. */
struct pario_figures {
    /* The suite's loop says: */
    int64_t bytes, written_bytes; /* moved, and of these written */
    int64_t operations;
    int64_t data_bytes; /* different bytes of the files; 0: each byte once, or
                         * with an empty cache each time */
    /* Different bytes that were written, where calls may write over others
     * before these are durable; 0: each byte once. */
    int64_t written_data_bytes;
    /* The suite's check says: */
    int64_t checked_bytes, wrong_bytes;
    char wrong[256]; /* the first wrong place, in words */
    /* The engine says: */
    double seconds, first_s; /* slowest and fastest process */
    double loop_s;           /* of it in the loop; the slowest process */
    double wall_s;           /* with the pauses; the slowest process */
    struct pario_seen seen;
    enum pario_cache cache;
    unsigned flags; /* enum pario_flag, without those of the run */
    int passes;     /* phases in it; 0: of one, as settle has left it */
};

/* Local. Several phases that repeat one piece of work: bytes, checks, times and
 * what was seen are added up; the verdict is that of all of them. A sum starts
 * as all zeros. */
void pario_figures_add(struct pario_figures *sum,
                       const struct pario_figures *figures);
/* Local. One of the phases that are in the sum, with a time of its own (their
 * median); what was checked stays that of all. */
struct pario_figures pario_figures_one_of(const struct pario_figures *sum,
                                          double seconds);

/* Local. The way back, for --resume: a sum as if it had been added up now, of
 * the first `passes` of the `all` phases that a measure stands for. */
void pario_figures_load(const json_t *measure, int64_t all, int64_t passes,
                        struct pario_figures *sum_p);

/* Local. The figures in a measure that has its name; a document of a run has
 * them by pario_figures_record. figures are borrowed until it is added. */
void pario_figures_measure(const struct pario_figures *figures,
                           struct pario_measure *measure);

/* Local, acts on rank 0. Adds the figures to a measure that has its name (test,
 * access, partition, pattern, parameters, extra, error) and to the document.
 * Wrong data makes the run invalid. latency NULL: none. */
int pario_figures_record(struct pario_run *run,
                         const struct pario_figures *figures,
                         const struct pario_hist *latency,
                         struct pario_measure *measure) PARIO_MUST_USE;

#endif
