/* tests/unit/test_stats.c */
#include "core/rng.h"
#include "core/stats.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SAMPLES 20001

/* cmocka's own comparison is one of floats. */
#define assert_near(found, expected, error)                                    \
    assert_true(fabs((found) - (expected)) <= (error))

static void test_add_known_values_gives_moments(void **state)
{
    static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct pario_moments m;

    (void)state;
    pario_moments_init(&m);
    for (size_t i = 0; i < COUNT(values); i++)
        pario_moments_add(&m, values[i]);
    assert_int_equal(m.count, 8);
    assert_near(m.mean, 5, 1e-12);
    assert_near(pario_moments_stddev(&m), sqrt(32.0 / 7), 1e-12);
    assert_true(m.min == 2 && m.max == 9);
}

/* The textbook formula loses all figures here. */
static void test_add_large_offset_keeps_variance(void **state)
{
    struct pario_moments m;

    (void)state;
    pario_moments_init(&m);
    for (int i = 0; i < 1000; i++)
        pario_moments_add(&m, 1e9 + i % 2);
    assert_near(pario_moments_stddev(&m), 0.5 * sqrt(1000.0 / 999), 1e-6);
}

static void test_take_stddev_of_few_is_zero(void **state)
{
    struct pario_moments m;

    (void)state;
    pario_moments_init(&m);
    assert_true(pario_moments_stddev(&m) == 0);
    pario_moments_add(&m, 3);
    assert_true(pario_moments_stddev(&m) == 0);
}

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int64_t draw_uniform(struct pario_rng *rng)
{
    return (int64_t)pario_rng_below(rng, 1000000);
}

static int64_t draw_small(struct pario_rng *rng)
{
    return (int64_t)pario_rng_below(rng, 100);
}

static int64_t draw_exponential(struct pario_rng *rng)
{
    return (int64_t)(-50000.0 * log(1.0 - pario_rng_unit(rng)));
}

static int64_t draw_heavy_tail(struct pario_rng *rng)
{
    return (int64_t)(100.0 * pow(1.0 - pario_rng_unit(rng), -1.5));
}

static int64_t draw_all_scales(struct pario_rng *rng)
{
    return (int64_t)exp2(43.0 * pario_rng_unit(rng));
}

static int64_t draw_constant(struct pario_rng *rng)
{
    (void)rng;
    return 123457;
}

static void check_percentiles(int64_t (*draw)(struct pario_rng *))
{
    static const double shares[] = {0,    0.001, 0.01, 0.1,   0.25, 0.5,
                                    0.75, 0.9,   0.99, 0.999, 1};
    static int64_t values[SAMPLES];
    static struct pario_hist hist;
    struct pario_rng rng;

    pario_rng_init(&rng, 11);
    pario_hist_init(&hist);
    for (int i = 0; i < SAMPLES; i++) {
        values[i] = draw(&rng);
        pario_hist_add(&hist, values[i]);
    }
    qsort(values, SAMPLES, sizeof(values[0]), compare_int64);
    for (size_t i = 0; i < COUNT(shares); i++) {
        double rank = ceil(shares[i] * SAMPLES);
        double exact = (double)values[rank < 1 ? 0 : (int)rank - 1];
        double found = (double)pario_hist_percentile(&hist, shares[i]);

        assert_true(fabs(found - exact) <= 0.008 * exact);
    }
    assert_int_equal(pario_hist_percentile(&hist, 0), values[0]);
    assert_int_equal(pario_hist_percentile(&hist, 1), values[SAMPLES - 1]);
}

static void test_take_percentile_any_distribution_is_near(void **state)
{
    (void)state;
    check_percentiles(draw_uniform);
    check_percentiles(draw_small);
    check_percentiles(draw_exponential);
    check_percentiles(draw_heavy_tail);
    check_percentiles(draw_all_scales);
    check_percentiles(draw_constant);
}

static void test_take_percentile_small_values_is_exact(void **state)
{
    static struct pario_hist hist;

    (void)state;
    pario_hist_init(&hist);
    for (int i = 1; i <= 100; i++)
        pario_hist_add(&hist, i);
    for (int i = 1; i <= 100; i++)
        assert_int_equal(pario_hist_percentile(&hist, i / 100.0), i);
}

static void test_take_percentile_of_none_is_zero(void **state)
{
    static struct pario_hist hist;

    (void)state;
    pario_hist_init(&hist);
    assert_int_equal(pario_hist_percentile(&hist, 0.5), 0);
    assert_int_equal(pario_hist_percentile(&hist, 1), 0);
}

static void test_add_extreme_values_stays_in_bounds(void **state)
{
    static struct pario_hist hist;

    (void)state;
    pario_hist_init(&hist);
    pario_hist_add(&hist, -5);
    pario_hist_add(&hist, ((int64_t)1 << PARIO_HIST_MAX_BITS) - 1);
    pario_hist_add(&hist, (int64_t)1 << PARIO_HIST_MAX_BITS);
    pario_hist_add(&hist, INT64_MAX / 2);
    assert_int_equal(hist.min, 0);
    assert_int_equal(hist.max, INT64_MAX / 2);
    assert_int_equal(hist.bucket[PARIO_HIST_BUCKETS - 1], 3);
    assert_int_equal(pario_hist_percentile(&hist, 0.9), INT64_MAX / 2);
}

/* Without a gap: each bucket begins where the last one ended. */
static void test_index_rising_values_rises_by_one(void **state)
{
    unsigned last = pario_hist_index(0);

    (void)state;
    for (uint64_t value = 1; value < 1 << 20; value++) {
        unsigned index = pario_hist_index(value);

        assert_true(index == last || index == last + 1);
        last = index;
    }
    assert_int_equal(pario_hist_index(127), 127);
    assert_int_equal(pario_hist_index(UINT64_MAX), PARIO_HIST_BUCKETS - 1);
}

static void test_merge_histograms_equals_histogram_of_union(void **state)
{
    static struct pario_hist part[3], all, merged;
    struct pario_rng rng;

    (void)state;
    pario_rng_init(&rng, 2);
    pario_hist_init(&all);
    pario_hist_init(&merged);
    for (int i = 0; i < 3; i++)
        pario_hist_init(&part[i]);
    for (int i = 0; i < 10000; i++) {
        int64_t value = draw_all_scales(&rng);

        pario_hist_add(&all, value);
        pario_hist_add(&part[i % 2], value); /* part[2] stays empty */
    }
    for (int i = 0; i < 3; i++)
        pario_hist_merge(&merged, &part[i]);
    assert_memory_equal(&merged, &all, sizeof(all));
}

static void test_take_interval_of_none_is_einval(void **state)
{
    struct pario_interval interval;
    double nan_values[] = {1, (double)NAN, 2};

    (void)state;
    assert_int_equal(pario_median_interval(nan_values, 0, &interval), -EINVAL);
    assert_int_equal(pario_median_interval(nan_values, 3, &interval), -EINVAL);
}

static void test_take_interval_of_few_is_inexact(void **state)
{
    struct pario_interval interval;

    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        double values[] = {5, 1, 4, 2, 3};

        assert_int_equal(pario_median_interval(values, n, &interval), 0);
        assert_int_equal(interval.exact, 0);
        assert_true(interval.low == values[0]);
        assert_true(interval.high == values[n - 1]);
    }
    assert_true(interval.low == 1 && interval.median == 3 &&
                interval.high == 5);
}

static void test_take_interval_of_six_is_min_max(void **state)
{
    double values[] = {6, 5, 1, 4, 2, 3};
    struct pario_interval interval;

    (void)state;
    assert_int_equal(pario_median_interval(values, 6, &interval), 0);
    assert_int_equal(interval.exact, 1);
    assert_true(interval.low == 1 && interval.high == 6);
    assert_true(interval.median == 3.5);
}

/* Pascal's triangle in whole numbers: the rank k is the largest with
 * 40 * (C(n,0) + ... + C(n,k-1)) <= 2^n. */
static size_t binomial_rank(size_t n)
{
    uint64_t row[64] = {1}, sum = 0;
    size_t k = 0;

    for (size_t i = 1; i <= n; i++) {
        for (size_t j = i; j > 0; j--)
            row[j] += row[j - 1];
    }
    for (;;) {
        sum += row[k];
        if (sum > ((uint64_t)1 << n) / 40)
            return k;
        k++;
    }
}

static void test_take_interval_matches_binomial_ranks(void **state)
{
    struct pario_interval interval;

    (void)state;
    for (size_t n = 6; n < 62; n++) {
        double values[64];
        size_t k = binomial_rank(n);

        for (size_t i = 0; i < n; i++)
            values[i] = (double)(n - i); /* n .. 1, so that rank = value */
        assert_int_equal(pario_median_interval(values, n, &interval), 0);
        assert_int_equal(interval.exact, 1);
        assert_near(interval.low, (double)k, 1e-12);
        assert_near(interval.high, (double)(n + 1 - k), 1e-12);
        assert_near(interval.median, (double)(n + 1) / 2, 1e-12);
    }
}

/* Large n: near n/2 - 0.98 sqrt(n); 2^-n would have underflowed. */
static void test_take_interval_of_many_is_near_normal(void **state)
{
    enum { N = 10000 };
    static double values[N];
    struct pario_interval interval;

    (void)state;
    for (int i = 0; i < N; i++)
        values[i] = i + 1;
    assert_int_equal(pario_median_interval(values, N, &interval), 0);
    assert_near(interval.low, 5000 - 98, 2);
    assert_near(interval.high, 5000 + 99, 2);
}

static void test_overlap_is_the_hidden_share_of_the_shorter(void **state)
{
    (void)state;
    assert_near(pario_overlap(2, 1, 3), 0, 0); /* one after the other */
    assert_near(pario_overlap(2, 1, 2.5), 0.5, 1e-12);
    assert_near(pario_overlap(1, 2, 2.25), 0.75, 1e-12);
    assert_near(pario_overlap(2, 1, 2), 1, 0); /* all of the shorter */
    /* What noise makes of it stays in its bounds. */
    assert_near(pario_overlap(2, 1, 3.5), 0, 0);
    assert_near(pario_overlap(2, 1, 1.5), 1, 0);
    assert_true(isnan(pario_overlap(2, 0, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_known_values_gives_moments),
        cmocka_unit_test(test_add_large_offset_keeps_variance),
        cmocka_unit_test(test_take_stddev_of_few_is_zero),
        cmocka_unit_test(test_take_percentile_any_distribution_is_near),
        cmocka_unit_test(test_take_percentile_small_values_is_exact),
        cmocka_unit_test(test_take_percentile_of_none_is_zero),
        cmocka_unit_test(test_add_extreme_values_stays_in_bounds),
        cmocka_unit_test(test_index_rising_values_rises_by_one),
        cmocka_unit_test(test_merge_histograms_equals_histogram_of_union),
        cmocka_unit_test(test_take_interval_of_none_is_einval),
        cmocka_unit_test(test_take_interval_of_few_is_inexact),
        cmocka_unit_test(test_take_interval_of_six_is_min_max),
        cmocka_unit_test(test_take_interval_matches_binomial_ranks),
        cmocka_unit_test(test_take_interval_of_many_is_near_normal),
        cmocka_unit_test(test_overlap_is_the_hidden_share_of_the_shorter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
