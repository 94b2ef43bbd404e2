/* Losses and verdicts of async from given times (docs/prio.md). */
#include "suites/prio/async.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9)
        fail_msg("%g instead of %g", found, expected);
}

static void test_full_overlap_has_no_loss(void **state)
{
    struct prio_async_times times = {.io = 2,
                                     .calculation = 1,
                                     .start = 0.001,
                                     .calculation_c = 1,
                                     .wait = 0.999,
                                     .together = 2};

    (void)state;
    assert_near(prio_async_acl(&times), 0);
    assert_near(prio_async_abl(&times), 0);
    assert_near(prio_async_overlap(&times), 1);
    assert_string_equal(prio_async_verdict(&times), "overlapped");
}

static void test_work_in_wait_is_serial_and_said_so(void **state)
{
    struct prio_async_times times = {.io = 2,
                                     .calculation = 1,
                                     .calculation_c = 1,
                                     .wait = 2,
                                     .together = 3};

    (void)state;
    assert_near(prio_async_acl(&times), 0);
    assert_near(prio_async_abl(&times), 1.0 / 3);
    assert_near(prio_async_overlap(&times), 0);
    assert_string_equal(prio_async_verdict(&times), "in wait");
}

static void test_work_in_start_is_serial_and_said_so(void **state)
{
    struct prio_async_times times = {.io = 2,
                                     .calculation = 1,
                                     .start = 2,
                                     .calculation_c = 1,
                                     .together = 3};

    (void)state;
    assert_string_equal(prio_async_verdict(&times), "in start");
}

static void test_both_slowed_down_gives_both_losses(void **state)
{
    struct prio_async_times times = {.io = 2,
                                     .calculation = 1,
                                     .calculation_c = 2,
                                     .wait = 0.5,
                                     .together = 2.5};

    (void)state;
    assert_near(prio_async_acl(&times), 0.5);
    assert_near(prio_async_abl(&times), 0.2);
    assert_near(prio_async_overlap(&times), 0.5);
    assert_string_equal(prio_async_verdict(&times), "partly");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_overlap_has_no_loss),
        cmocka_unit_test(test_work_in_wait_is_serial_and_said_so),
        cmocka_unit_test(test_work_in_start_is_serial_and_said_so),
        cmocka_unit_test(test_both_slowed_down_gives_both_losses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
