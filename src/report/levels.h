/* report/levels.h - where a figure over time changed its level. Local. */
#ifndef PARIO_REPORT_LEVELS_H
#define PARIO_REPORT_LEVELS_H

#include "core/error.h"
#include <stddef.h>

/* Values from `first` on that have one level, their median, and the band in
 * which 95 % of single values are expected. */
struct pario_level {
    size_t first, count;
    double level, low, high;
};

#define PARIO_LEVEL_LEAST 3 /* values: fewer make no level of their own */

/*
 * Splits values, in the order of time, where a level ends. The noise is known
 * from the differences of neighbours, which a step does not change; single
 * outliers make no level; a step must be beyond what chance makes of so many
 * values, and at least 1 %. Positive values are compared by ratios. The caller
 * frees *levels_p; count 0: no values.
 */
int pario_levels_find(const double *values, size_t count,
                      struct pario_level **levels_p,
                      size_t *count_p) PARIO_MUST_USE;

#endif
