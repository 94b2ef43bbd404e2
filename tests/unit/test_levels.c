/* Levels of a figure over time: steps are found where they are, noise and
 * single outliers are none. */
#include "report/levels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define MANY 400

static uint64_t seed;

static double uniform(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) * 0x1p-53;
}

/* Nearly normal: the sum of twelve. */
static double normal(void)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

static void fill(double *values, size_t n, double level, double noise)
{
    for (size_t i = 0; i < n; i++)
        values[i] = level * exp(noise * normal());
}

/* How many levels; those are in levels[]. */
static size_t find(const double *values, size_t n, struct pario_level *first,
                   struct pario_level *last)
{
    struct pario_level *levels;
    size_t count;

    assert_int_equal(pario_levels_find(values, n, &levels, &count), 0);
    if (count > 0) {
        *first = levels[0];
        *last = levels[count - 1];
    }
    free(levels);
    return count;
}

static void test_levels_of_noise_are_one(void **state)
{
    double values[100];
    struct pario_level first = {0}, last = {0};
    int alarms = 0;

    (void)state;
    seed = 1;
    for (int i = 0; i < MANY; i++) {
        fill(values, 100, 500, 0.03);
        alarms += find(values, 100, &first, &last) != 1;
    }
    assert_in_range(alarms, 0, MANY / 50); /* at most 2 % */
    assert_true(fabs(first.level / 500 - 1) < 0.02);
    assert_true(first.low < 500 * exp(-0.04) && first.low > 500 * exp(-0.09));
}

static void test_levels_step_is_found_where_it_is(void **state)
{
    double values[100];
    struct pario_level first = {0}, last = {0};
    int found = 0, near = 0;

    (void)state;
    seed = 2;
    for (int i = 0; i < MANY; i++) {
        fill(values, 90, 1000, 0.03);
        fill(values + 90, 10, 830, 0.03); /* six times the noise */
        found += find(values, 100, &first, &last) == 2;
        near += last.first >= 89 && last.first <= 91;
    }
    assert_in_range(found, MANY * 95 / 100, MANY);
    assert_in_range(near, MANY * 95 / 100, MANY);
    assert_true(fabs(last.level / 830 - 1) < 0.05);
}

static void test_levels_single_outlier_is_none(void **state)
{
    double values[60];
    struct pario_level first = {0}, last = {0};
    int alarms = 0;

    (void)state;
    seed = 3;
    for (size_t i = 0; i < 600; i++) {
        fill(values, 60, 1000, 0.01);
        values[i % 60] = 300;
        alarms += find(values, 60, &first, &last) != 1;
    }
    assert_in_range(alarms, 0, 12); /* noise alone makes a few */
}

static void test_levels_last_three_runs_are_enough(void **state)
{
    double values[33];
    struct pario_level first = {0}, last = {0};

    (void)state;
    seed = 4;
    fill(values, 30, 1000, 0.02);
    fill(values + 30, 3, 700, 0.02);
    assert_int_equal(find(values, 33, &first, &last), 2);
    assert_int_equal(last.first, 30);
    assert_int_equal(last.count, 3);
}

static void test_levels_of_few_zero_and_equal_values(void **state)
{
    double values[8] = {5, 5, 5, 5, 5, 5, 5, 5};
    struct pario_level first = {0}, last = {0};

    (void)state;
    assert_int_equal(find(values, 0, &first, &last), 0);
    assert_int_equal(find(values, 1, &first, &last), 1);
    assert_int_equal(find(values, 2, &first, &last), 1);
    assert_int_equal(find(values, 8, &first, &last), 1);
    assert_true(fabs(first.level - 5) < 1e-9);
    values[3] = 0;
    assert_int_equal(find(values, 8, &first, &last), 1);
    assert_true(fabs(first.level - 5) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_of_noise_are_one),
        cmocka_unit_test(test_levels_step_is_found_where_it_is),
        cmocka_unit_test(test_levels_single_outlier_is_none),
        cmocka_unit_test(test_levels_last_three_runs_are_enough),
        cmocka_unit_test(test_levels_of_few_zero_and_equal_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
