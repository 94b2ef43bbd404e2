/* Whose turn it is, and what the passes of two contenders say. */
#include "suites/shipbench/gains.h"
#include "suites/shipbench/shipbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every repetition has everyone once. Over a whole design each begins equally
 * often and follows each other equally often; already in the first three
 * repetitions nobody follows the same one throughout. */
static void check_order(size_t n)
{
    int after[SHIP_MOST_CONTENDERS][SHIP_MOST_CONTENDERS] = {{0}};
    int begins[SHIP_MOST_CONTENDERS] = {0};
    int64_t repetitions = (int64_t)(n % 2 == 0 ? n : 2 * n);

    for (int64_t r = 0; r < repetitions; r++) {
        int seen[SHIP_MOST_CONTENDERS] = {0};

        begins[ship_order(n, r, 0)]++;
        for (size_t i = 0; i < n; i++) {
            size_t who = ship_order(n, r, i);

            assert_true(who < n);
            assert_int_equal(seen[who]++, 0);
            if (i > 0)
                after[ship_order(n, r, i - 1)][who]++;
            if (i > 0 && r == 2 && n > 2)
                assert_true(after[ship_order(n, r, i - 1)][who] < 3);
        }
    }
    for (size_t a = 0; a < n; a++) {
        assert_int_equal(begins[a], (int)(repetitions / (int64_t)n));
        for (size_t b = 0; b < n; b++)
            if (a != b)
                assert_int_equal(after[a][b], after[0][1]);
    }
}

static void test_order_any_count_is_balanced(void **state)
{
    (void)state;
    for (size_t n = 2; n <= SHIP_MOST_CONTENDERS; n++)
        check_order(n);
    assert_int_equal(ship_order(1, 5, 0), 0);
}

static void test_gain_few_passes_has_students_interval(void **state)
{
    double ratios[] = {2.2, 1.8, 2.0}, one[] = {3}, wrong[] = {1, 0, 2};
    struct ship_gain gain;

    (void)state;
    assert_int_equal(ship_gain_of(ratios, 3, &gain), 0);
    assert_int_equal(gain.kind, SHIP_GAIN_STUDENT);
    assert_true(fabs(gain.ratio - 2.0) < 1e-9);
    /* Logarithms: mean 0.68980, deviation 0.10038; t 4.303. */
    assert_true(fabs(gain.low - 1.5534) < 1e-3);
    assert_true(fabs(gain.high - 2.5579) < 1e-3);
    assert_int_equal(ship_gain_of(one, 1, &gain), 0);
    assert_int_equal(gain.kind, SHIP_GAIN_NONE);
    assert_true(gain.low == 3 && gain.high == 3);
    assert_true(ship_gain_of(wrong, 3, &gain) < 0);
    assert_true(ship_gain_of(one, 0, &gain) < 0);
}

static void test_gain_six_passes_has_the_medians_interval(void **state)
{
    double ratios[] = {1.6, 1.1, 1.5, 1.2, 1.4, 1.3};
    struct ship_gain gain;

    (void)state;
    assert_int_equal(ship_gain_of(ratios, 6, &gain), 0);
    assert_int_equal(gain.kind, SHIP_GAIN_MEDIAN);
    assert_true(fabs(gain.ratio - 1.35) < 1e-9);
    assert_true(gain.low == 1.1 && gain.high == 1.6);
}

static void test_figure_numbers_are_the_papers(void **state)
{
    (void)state;
    assert_int_equal(ship_paper_figure(SHIP_SHIPPING, "write"), 2);
    assert_int_equal(ship_paper_figure(SHIP_SHIPPING, "read"), 3);
    assert_int_equal(ship_paper_figure(SHIP_RANGES, "rewrite"), 4);
    assert_int_equal(ship_paper_figure(SHIP_SPARSE, "read"), 7);
    assert_int_equal(ship_paper_figure(SHIP_DISCONTIGUOUS, "read"), 9);
    assert_int_equal(ship_paper_figure(SHIP_TASKS_PER_NODE, "rewrite"), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_any_count_is_balanced),
        cmocka_unit_test(test_gain_few_passes_has_students_interval),
        cmocka_unit_test(test_gain_six_passes_has_the_medians_interval),
        cmocka_unit_test(test_figure_numbers_are_the_papers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
