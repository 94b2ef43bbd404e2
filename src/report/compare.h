/* report/compare.h - two sides, each of one run or of several repetitions,
 * measure by measure. Local. */
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

/* "faster", "slower", "the same" (no difference is shown, and none above a
 * quarter is possible), "too noisy" (one is), or "not judged" (single
 * values). */
const char *pario_ratio_verdict(const struct pario_ratio *ratio);

/* Runs that are repetitions of each other; borrowed. */
struct pario_side {
    const struct pario_run_shown *runs;
    size_t count; /* at least 1 */
};

/* What docs/report.md says of --format json; all other formats are made from
 * it. Where both sides have several runs, one value per run counts, so that
 * the interval has what differs from run to run in it. Fails with PARIO_EUSAGE
 * for results of different suites, and where one is not valid unless
 * allow_invalid. A new reference in *comparison_p. */
int pario_compare(const struct pario_side *base, const struct pario_side *now,
                  int allow_invalid, json_t **comparison_p) PARIO_MUST_USE;

/* Holds it against the least ratio that is good enough: what is below it, or
 * is missing in the new, stands then in `failed`, each with name and reason.
 * Returns how many; negative: an error. */
int pario_comparison_gate(json_t *comparison, double least) PARIO_MUST_USE;

/* The answer first, then what was compared with what, then the figures: as
 * text, Markdown or a part of a page. Of a comparison with a true member
 * `brief` long tables are left out and counted. */
int pario_comparison_print(const json_t *comparison, FILE *out,
                           enum pario_format format) PARIO_MUST_USE;
/* A row per figure; header: the line of names first. */
int pario_comparison_csv(const json_t *comparison, FILE *out,
                         int header) PARIO_MUST_USE;
/* A <testsuite>: a test case per figure, failed where the gate says so. */
void pario_comparison_junit(const json_t *comparison, FILE *out);
/* The ratios with their intervals, worst first, as an <svg> element. */
void pario_comparison_svg(const json_t *comparison, FILE *out);

/* What speaks against a row: a ratio is as good as the worse of its two. */
unsigned pario_comparison_flags(const json_t *row);

#endif
