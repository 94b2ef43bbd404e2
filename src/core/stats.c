/* core/stats.c - moments, histogram percentiles, median intervals. */
#include "core/stats.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pario_moments_init(struct pario_moments *m)
{
    *m = (struct pario_moments){.min = INFINITY, .max = -INFINITY};
}

void pario_moments_add(struct pario_moments *m, double x)
{
    double delta = x - m->mean;

    m->count++;
    m->mean += delta / (double)m->count;
    m->m2 += delta * (x - m->mean);
    m->min = fmin(m->min, x);
    m->max = fmax(m->max, x);
}

double pario_moments_stddev(const struct pario_moments *m)
{
    return m->count < 2 ? 0.0 : sqrt(m->m2 / (double)(m->count - 1));
}

void pario_hist_init(struct pario_hist *hist)
{
    memset(hist, 0, sizeof(*hist));
    hist->min = INT64_MAX;
}

void pario_hist_merge(struct pario_hist *into, const struct pario_hist *from)
{
    for (unsigned i = 0; i < PARIO_HIST_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
    into->count += from->count;
    into->sum += from->sum;
    if (from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
}

/* The middle of a bucket: wrong by half its width at most. */
static int64_t bucket_value(unsigned index)
{
    unsigned octave = index >> PARIO_HIST_SUB_BITS;
    int64_t sub = index & ((1u << PARIO_HIST_SUB_BITS) - 1);

    if (octave == 0)
        return sub;
    return ((((1 << PARIO_HIST_SUB_BITS) + sub) * 2 + 1) << (octave - 1)) / 2;
}

int64_t pario_hist_percentile(const struct pario_hist *hist, double q)
{
    int64_t rank, value, seen = 0;
    unsigned i;

    if (hist->count == 0)
        return 0;
    if (q >= 1.0)
        return hist->max;
    /* 0.55 * 100 is 55.000000000000007: not the 56th value. */
    rank = (int64_t)ceil(q * (double)hist->count * (1.0 - 4 * DBL_EPSILON));
    if (rank <= 1)
        return hist->min;
    for (i = 0; i < PARIO_HIST_BUCKETS - 1; i++) {
        seen += hist->bucket[i];
        if (seen >= rank)
            break;
    }
    if (i == PARIO_HIST_BUCKETS - 1 && hist->max >> PARIO_HIST_MAX_BITS != 0)
        return hist->max;
    value = bucket_value(i);
    if (value < hist->min)
        return hist->min;
    return value > hist->max ? hist->max : value;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The largest k with P(X < k) <= 2.5 % for X binomial (n, 1/2): then the k-th
 * smallest and k-th largest value enclose the median with at least 95 %.
 * In logarithms, as 2^-n underflows from n = 1075 on. 0 if there is none. */
static size_t interval_rank(size_t n)
{
    double log_term = -(double)n * log(2.0);
    double below = 0.0;
    size_t k = 0;

    for (;;) {
        below += exp(log_term);
        if (below > 0.025)
            return k;
        log_term += log((double)(n - k) / (double)(k + 1));
        k++;
    }
}

int pario_median_interval(double *values, size_t n,
                          struct pario_interval *interval_p)
{
    size_t k;

    if (n == 0)
        return pario_fail(-EINVAL, "no values to take a median of");
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i]))
            return pario_fail(-EINVAL, "a value of the median is no number");
    }
    qsort(values, n, sizeof(*values), compare_doubles);
    k = interval_rank(n);
    interval_p->median =
        n % 2 == 1 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
    interval_p->exact = k > 0;
    if (k == 0)
        k = 1;
    interval_p->low = values[k - 1];
    interval_p->high = values[n - k];
    return 0;
}

double pario_overlap(double a_s, double b_s, double both_s)
{
    double shorter = fmin(a_s, b_s);

    return shorter > 0 ? fmax(0, fmin(1, (a_s + b_s - both_s) / shorter)) : NAN;
}
