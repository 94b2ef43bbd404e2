/* report/compare.h - two results measure by measure. Local. */
#ifndef PARIO_REPORT_COMPARE_H
#define PARIO_REPORT_COMPARE_H

#include "report/measures.h"
#include "report/table.h"
#include <jansson.h>

/* A ratio new/base of rates with its 95 % interval: Student's t on the
 * logarithms of the repetitions, Welch's degrees of freedom. */
struct pario_ratio {
    double ratio, low, high;
    int known; /* low and high are: at least two values on both sides */
};

int pario_ratio_of(const double *base, size_t nbase, const double *now,
                   size_t nnow, struct pario_ratio *ratio_p) PARIO_MUST_USE;

/* Student's t, 97.5 %; freedom at least 1. */
double pario_student(double freedom);

/* "better", "worse", "no difference shown", or "single values: no verdict". */
const char *pario_ratio_verdict(const struct pario_ratio *ratio);

struct pario_comparison {
    json_t *differences;          /* texts: what is set differently */
    json_t *shared;               /* members that all measures have alike */
    struct pario_table *headline; /* summary rates; NULL: none in common */
    struct pario_table *measures; /* one row for each in both */
    struct pario_ratio overall;   /* geometric mean over the measures */
    size_t matched, only_base, only_now;
    size_t missing_headlines; /* in the base only */
    double worst_headline;    /* least ratio of a headline; INFINITY: none */
    double worst_shown; /* least ratio shown to be worse; INFINITY: none */
};

/* Fails with PARIO_EUSAGE for results of different suites, and for a valid
 * one with an invalid one unless allow_invalid. */
int pario_compare(const struct pario_run_shown *base,
                  const struct pario_run_shown *now, int allow_invalid,
                  struct pario_comparison *comparison_p) PARIO_MUST_USE;
void pario_comparison_fini(struct pario_comparison *comparison);

/* Whether the runs are valid and what was set differently first, then the
 * figures. */
int pario_comparison_print(const struct pario_comparison *comparison,
                           const struct pario_run_shown *base,
                           const struct pario_run_shown *now, FILE *out,
                           enum pario_format format) PARIO_MUST_USE;

#endif
