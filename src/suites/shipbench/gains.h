/* suites/shipbench/gains.h - with over without. Local. */
#ifndef PARIO_SHIPBENCH_GAINS_H
#define PARIO_SHIPBENCH_GAINS_H

#include "result/view.h"
#include "suites/shipbench/layout.h"

enum ship_gain_kind {
    SHIP_GAIN_NONE,    /* one pass: low and high are the ratio */
    SHIP_GAIN_STUDENT, /* below six passes: of the logarithms */
    SHIP_GAIN_MEDIAN,  /* order statistics */
};
extern const char *const ship_gain_kinds[]; /* for people */

struct ship_gain {
    double ratio, low, high; /* the median of the ratios, 95 % interval */
    enum ship_gain_kind kind;
};

/* Sorts ratios. -EINVAL when n is 0, -EDOM when one is not positive. */
int ship_gain_of(double *ratios, size_t n,
                 struct ship_gain *gain_p) PARIO_MUST_USE;

/* The number of the paper's figure; 0: it has none. */
int ship_paper_figure(enum ship_test test, const char *access);

/* What its documents show, beside a line for each optimisation. */
extern const struct pario_view ship_view;

/* Rank 0. `gains` of the document and the headlines in its summary, from the
 * measures that it has. */
int ship_gains_set(struct pario_result *result) PARIO_MUST_USE;

/* A member's text, or "". */
const char *ship_text_of(const json_t *object, const char *name);

#endif
