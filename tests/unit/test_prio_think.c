/* When requests may be made ahead of the program that they are for. Only lower
 * bounds: a busy machine wakes late. */
#include "suites/prio/think.h"

#include "core/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS ((int64_t)1000000)

static void test_without_prefetch_each_request_waits(void **state)
{
    struct prio_think think = {.think_ns = 2 * MS};
    int64_t begin_ns = pario_clock_ns();

    (void)state;
    for (int i = 1; i <= 3; i++)
        assert_true(prio_think_after(&think, pario_clock_ns()) - begin_ns >=
                    2 * MS * i);
    assert_int_equal(think.requests, 3);
    assert_true(think.slept_ns >= 6 * MS - 3 * MS / 10);
}

static void test_prefetch_goes_on_until_so_many_wait(void **state)
{
    struct prio_think think = {.think_ns = 20 * MS, .prefetch = 2};
    int64_t begin_ns = pario_clock_ns();

    (void)state;
    /* It computes with the first, and the second and third wait for it. */
    assert_int_equal(prio_think_after(&think, begin_ns), begin_ns);
    assert_int_equal(prio_think_after(&think, begin_ns), begin_ns);
    assert_int_equal(think.slept_ns, 0);
    /* There is room for a fourth when it takes up the second. */
    assert_true(prio_think_after(&think, begin_ns) >= begin_ns + 20 * MS);
    assert_int_equal(think.busy_until_ns, begin_ns + 60 * MS);
    assert_true(think.slept_ns >= 20 * MS);
    prio_think_end(&think, INT64_MAX);
    assert_true(pario_clock_ns() >= begin_ns + 60 * MS);
    assert_int_equal(think.left_ns, 0);
    assert_int_equal(think.first_ns, begin_ns);
}

/* What was read ahead does not make the time longer, nor is it computed. */
static void test_time_ends_what_was_read_ahead(void **state)
{
    struct prio_think think = {.think_ns = 3600000 * MS, .prefetch = 4};
    int64_t begin_ns = pario_clock_ns(), end_ns;

    (void)state;
    assert_int_equal(prio_think_after(&think, begin_ns), begin_ns);
    assert_int_equal(prio_think_after(&think, begin_ns), begin_ns);
    prio_think_end(&think, begin_ns + 10 * MS);
    end_ns = pario_clock_ns();
    assert_true(end_ns >= begin_ns + 10 * MS);
    assert_true(think.left_ns >= 7200000 * MS - (end_ns - begin_ns));
    assert_true(think.left_ns <= 7200000 * MS - 10 * MS);
}

static void test_program_that_waited_computes_from_then_on(void **state)
{
    struct prio_think think = {.think_ns = 5, .prefetch = 4};
    int64_t now_ns = pario_clock_ns();

    (void)state;
    assert_int_equal(prio_think_after(&think, now_ns - 1000), now_ns - 1000);
    assert_int_equal(think.busy_until_ns, now_ns - 995);
    assert_int_equal(prio_think_after(&think, now_ns - 500), now_ns - 500);
    assert_int_equal(think.busy_until_ns, now_ns - 495);
    /* The clock stood still for it. */
    prio_think_paused(&think, 100);
    assert_int_equal(think.busy_until_ns, now_ns - 395);
    assert_int_equal(think.begins_ns[1], now_ns - 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_prefetch_each_request_waits),
        cmocka_unit_test(test_prefetch_goes_on_until_so_many_wait),
        cmocka_unit_test(test_time_ends_what_was_read_ahead),
        cmocka_unit_test(test_program_that_waited_computes_from_then_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
