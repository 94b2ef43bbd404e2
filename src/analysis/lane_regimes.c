/* analysis/lane_regimes.c - cache and disk plateaus in a row of times (the test
 * suite's Sect. 7.2), as a suggestion next to the data. No model: two levels
 * of log time that leave less scatter than one. */
#include "analysis/lane.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_COLUMNS 8
#define MIN_SIDE 3        /* columns that a plateau must have */
#define MIN_RATIO 1.5     /* between the medians of the two sides */
#define MIN_EXPLAINED 0.5 /* share of the scatter that the step explains */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of(const int64_t *ns, size_t n, double *scratch)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = (double)ns[i];
    qsort(scratch, n, sizeof(*scratch), compare_doubles);
    return scratch[(n - 1) / 2];
}

/* The split with the least sum of squares of log time about the two means. */
static size_t best_split(const double *logs, size_t n, double *explained_p)
{
    double total = 0, squares = 0, left = 0, best = -1;
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        total += logs[i];
        squares += logs[i] * logs[i];
    }
    squares -= total * total / (double)n;
    for (size_t i = 1; i + MIN_SIDE <= n; i++) {
        double a = (double)i, b = (double)(n - i), gain;

        left += logs[i - 1];
        if (i < MIN_SIDE)
            continue;
        gain = left * left / a + (total - left) * (total - left) / b -
               total * total / (double)n;
        if (gain > best) {
            best = gain;
            at = i;
        }
    }
    *explained_p = squares > 0 ? best / squares : 0;
    return at;
}

int pario_lane_regimes(const struct pario_lane *lane,
                       struct pario_regimes *regimes_p)
{
    const struct pario_band *band = &lane->level[0];
    double *scratch, explained, before, after;
    size_t n = lane->nlevels > 0 ? band->count : 0, at;

    if (n < MIN_COLUMNS)
        return 0;
    scratch = malloc(n * sizeof(*scratch));
    if (scratch == NULL)
        return 0; /* a suggestion less */
    for (size_t i = 0; i < n; i++)
        scratch[i] = log((double)(band->median[i] > 0 ? band->median[i] : 1));
    at = best_split(scratch, n, &explained);
    before = median_of(band->median, at, scratch);
    after = median_of(band->median + at, n - at, scratch);
    free(scratch);
    if (explained < MIN_EXPLAINED || before <= 0 || after <= 0 ||
        (before / after < MIN_RATIO && after / before < MIN_RATIO))
        return 0;
    *regimes_p =
        (struct pario_regimes){.at = lane->first + (int64_t)at * band->width,
                               .before_ns = before,
                               .after_ns = after};
    return 1;
}
