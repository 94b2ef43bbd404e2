/* result/repetitions.h - measures of a document that are repetitions of the
 * same work, and what they came to together. Local, rank 0. */
#ifndef PARIO_RESULT_REPETITIONS_H
#define PARIO_RESULT_REPETITIONS_H

#include "core/stats.h"
#include "result/result.h"

struct pario_repetitions {
    const json_t *all;       /* the document's measures */
    const json_t **measures; /* the repetitions; room for all */
    double *values;          /* as many */
    size_t count;
    unsigned flags; /* of exactly these */
};

/* fini in any case. */
int pario_repetitions_init(struct pario_result *result,
                           struct pario_repetitions *same) PARIO_MUST_USE;
void pario_repetitions_fini(struct pario_repetitions *same);

/* All that repeat this one; none, if it is not the first of them. */
void pario_repetitions_gather(struct pario_repetitions *same,
                              const json_t *first);

/* The median of a quantity; 0: there is none. */
int pario_repetitions_median(const struct pario_repetitions *same,
                             double (*of)(const json_t *measure),
                             struct pario_interval *interval_p);

/* 0: the times of calls are not known. */
double pario_measure_p99_ns(const json_t *measure);

#endif
