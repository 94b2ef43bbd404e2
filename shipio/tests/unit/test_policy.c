/* test_policy.c - the steps of controlled prefetching (Sect. 2.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy.h"

/* Step 1 asks for 2 * max_acc, step 2 takes max_acc, step 3 fills up. */
static void test_everything_granted_keeps_two_batches_ahead(void **state)
{
    struct shipio_policy p;

    (void)state;
    shipio_policy_init(&p, 10, 2);
    assert_int_equal(shipio_policy_ask(&p), 4);
    shipio_policy_granted(&p, 4);
    assert_int_equal(shipio_policy_take(&p), 2);
    shipio_policy_accessed(&p, 2);
    assert_int_equal(shipio_policy_ask(&p), 2);
    shipio_policy_granted(&p, 2);
    assert_int_equal(p.scheduled, 6);
    assert_int_equal(shipio_policy_take(&p), 2);
}

static void test_short_series_asks_for_all(void **state)
{
    struct shipio_policy p;

    (void)state;
    shipio_policy_init(&p, 3, 4);
    assert_int_equal(shipio_policy_ask(&p), 3);
    shipio_policy_granted(&p, 3);
    assert_int_equal(shipio_policy_take(&p), 3);
    shipio_policy_accessed(&p, 3);
    assert_int_equal(shipio_policy_ask(&p), 0);
    assert_int_equal(shipio_policy_take(&p), 0);
}

static void test_nothing_granted_accesses_one(void **state)
{
    struct shipio_policy p;

    (void)state;
    shipio_policy_init(&p, 3, 2);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(shipio_policy_take(&p), 1);
        shipio_policy_accessed(&p, 1);
        assert_int_equal(p.scheduled, i + 1);
        shipio_policy_granted(&p, 0);
    }
    assert_int_equal(shipio_policy_take(&p), 0);
}

static void test_partly_granted_asks_for_the_rest(void **state)
{
    struct shipio_policy p;

    (void)state;
    shipio_policy_init(&p, 20, 3);
    assert_int_equal(shipio_policy_ask(&p), 6);
    shipio_policy_granted(&p, 2);
    assert_int_equal(shipio_policy_take(&p), 2);
    shipio_policy_accessed(&p, 2);
    assert_int_equal(shipio_policy_ask(&p), 6);
}

/* Whatever is granted, every range is accessed once and in order. */
static void test_all_ranges_are_accessed(void **state)
{
    (void)state;
    for (int64_t max_acc = 1; max_acc < 6; max_acc++)
        for (int64_t n = 0; n < 30; n++) {
            struct shipio_policy p;
            int64_t steps = 0;

            shipio_policy_init(&p, n, max_acc);
            while (p.accessed < n) {
                int64_t take;

                shipio_policy_granted(&p, (steps * 7) % 5);
                assert_true(p.scheduled - p.accessed <= 2 * max_acc);
                take = shipio_policy_take(&p);
                assert_true(take >= 1 && take <= max_acc);
                shipio_policy_accessed(&p, take);
                assert_true(++steps <= n);
            }
            assert_int_equal(p.accessed, n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_granted_keeps_two_batches_ahead),
        cmocka_unit_test(test_short_series_asks_for_all),
        cmocka_unit_test(test_nothing_granted_accesses_one),
        cmocka_unit_test(test_partly_granted_asks_for_the_rest),
        cmocka_unit_test(test_all_ranges_are_accessed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
