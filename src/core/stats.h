/* core/stats.h - moments, histograms with bounded error, intervals. */
#ifndef PARIO_CORE_STATS_H
#define PARIO_CORE_STATS_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

/* Streaming mean and variance (Welford); merge is exact. */
struct pario_moments {
    int64_t count;
    double mean, m2, min, max;
};

void pario_moments_init(struct pario_moments *m);
void pario_moments_add(struct pario_moments *m, double x);
double pario_moments_stddev(const struct pario_moments *m);

/*
 * Log-linear histogram of non-negative integers (nanoseconds): exact below
 * 64, then 64 buckets an octave, so that a percentile is wrong by at most
 * 0.8 %. Values above 2^PARIO_HIST_MAX_BITS are counted in the last bucket;
 * min, max and sum are exact. Plain data: merged by adding the counts.
 */
#define PARIO_HIST_SUB_BITS 6
#define PARIO_HIST_MAX_BITS 44
#define PARIO_HIST_BUCKETS                                                     \
    (((PARIO_HIST_MAX_BITS - PARIO_HIST_SUB_BITS) + 1) << PARIO_HIST_SUB_BITS)

struct pario_hist {
    int64_t count, sum, min, max;
    int64_t bucket[PARIO_HIST_BUCKETS];
};

void pario_hist_init(struct pario_hist *hist);
void pario_hist_merge(struct pario_hist *into, const struct pario_hist *from);
/* The value below or at which the share q (0..1) of the samples lies. */
int64_t pario_hist_percentile(const struct pario_hist *hist, double q);

static inline unsigned pario_hist_index(uint64_t value)
{
    unsigned msb;

    if (value < (1u << PARIO_HIST_SUB_BITS))
        return (unsigned)value;
    msb = 63u - (unsigned)__builtin_clzll(value);
    if (msb >= PARIO_HIST_MAX_BITS)
        return PARIO_HIST_BUCKETS - 1;
    return ((msb - PARIO_HIST_SUB_BITS + 1) << PARIO_HIST_SUB_BITS) +
           (unsigned)((value >> (msb - PARIO_HIST_SUB_BITS)) &
                      ((1u << PARIO_HIST_SUB_BITS) - 1));
}

/* In the timed loop: a handful of instructions, no call. */
static inline void pario_hist_add(struct pario_hist *hist, int64_t value)
{
    if (value < 0)
        value = 0;
    hist->bucket[pario_hist_index((uint64_t)value)]++;
    hist->count++;
    hist->sum += value;
    if (value < hist->min)
        hist->min = value;
    if (value > hist->max)
        hist->max = value;
}

/* Median and distribution-free 95 % interval (order statistics). With fewer
 * than 6 values there is no such interval: low/high are min/max and exact=0. */
struct pario_interval {
    double median, low, high;
    int exact;
};

/* Local. Sorts values in place. -EINVAL when n is 0. */
int pario_median_interval(double *values, size_t n,
                          struct pario_interval *interval_p) PARIO_MUST_USE;

/* Two things that take a_s and b_s alone and both_s beside each other: how
 * much of the shorter was hidden, 0 (nothing) to 1 (all of it). NAN where
 * there was nothing to hide. */
double pario_overlap(double a_s, double b_s, double both_s);

#endif
