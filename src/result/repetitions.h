/* result/repetitions.h - measures of a document that are repetitions of the
 * same work (result/identity.h), and what they came to together. The time it
 * takes grows with the number of measures, not with its square. Local, rank
 * 0. */
#ifndef PARIO_RESULT_REPETITIONS_H
#define PARIO_RESULT_REPETITIONS_H

#include "core/stats.h"
#include <jansson.h>

struct pario_repetitions {
    json_t *works;           /* a list of measures for each, in order */
    const json_t **measures; /* of the work that was taken last, */
    size_t count;            /* so many, */
    unsigned flags;          /* and the flags of exactly these */
    double *values;          /* room for as many */
};

/* but_for: what does not tell two works apart here, beside the parameters that
 * number repetitions; up to a NULL, or NULL: nothing. fini in any case. */
int pario_repetitions_init(const json_t *document, const char *const *but_for,
                           struct pario_repetitions *same) PARIO_MUST_USE;
void pario_repetitions_fini(struct pario_repetitions *same);

/* Takes all measures of the i-th work, in the order of the document; 0: there
 * are no more. */
int pario_repetitions_take(struct pario_repetitions *same, size_t i);

/* The median of a quantity; 0: there is none. */
int pario_repetitions_median(const struct pario_repetitions *same,
                             double (*of)(const json_t *measure),
                             struct pario_interval *interval_p);

/* 0: the times of calls are not known. */
double pario_measure_p99_ns(const json_t *measure);

#endif
