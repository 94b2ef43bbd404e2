/* test_window.c - how much shared memory the buffers of a node take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parts.h"
#include "window.h"

#define MIB ((size_t)1 << 20)

static struct shipio_window_plan plan_of(int ranks, int64_t stripe,
                                         int64_t nstripes)
{
    static struct shipio_file file;
    static struct shipio_team team;

    team.size = ranks;
    file.team = &team;
    file.ship.nagents = ranks;
    file.hints.stripe = stripe;
    file.hints.default_stripe = (int64_t)256 * 1024;
    file.hints.double_buffer = true;
    return shipio_window_plan_for(&file, nstripes);
}

static struct shipio_window_plan plan_for(int ranks, int64_t stripe)
{
    return plan_of(ranks, stripe, INT64_MAX);
}

/* Lists of all ranks for the buffers of all agents would be 1.1 GB with 128
 * ranks. */
static void test_many_ranks_stay_within_64_mib(void **state)
{
    static const int ranks[] = {1, 2, 8, 16, 32, 64, 128, 256};

    (void)state;
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
        struct shipio_window_plan plan = plan_for(ranks[i], 0);

        assert_true(plan.len <= 65 * MIB);
        assert_true(plan.nslots >= 2 && plan.nslots <= 32);
    }
    assert_true(plan_for(32, 0).nslots == 32);
}

/* A huge stripe still has two buffers. */
static void test_large_stripe_keeps_two_buffers(void **state)
{
    (void)state;
    assert_int_equal(plan_for(256, 64 * (int64_t)MIB).nslots, 2);
}

/* Few ranks have as many buffers as before: two for each agent, 4 MiB. */
static void test_few_ranks_have_four_mib_of_buffers(void **state)
{
    struct shipio_window_plan plan = plan_for(4, 0);

    (void)state;
    assert_int_equal(plan.nslots, 16);
    assert_int_equal(plan_for(16, 0).nslots, 32);
}

static void test_small_access_has_as_many_buffers_as_stripes(void **state)
{
    (void)state;
    assert_int_equal(plan_of(4, 0, 1).nslots, 1);
    assert_int_equal(plan_of(4, 0, 3).nslots, 3);
    assert_int_equal(plan_of(4, 0, 1000).nslots, 16);
}

static void test_everything_fits_the_length(void **state)
{
    struct shipio_window_plan plan = plan_for(7, 4096);
    size_t lists = (size_t)plan.nslots * 7 * plan.parts_len;

    (void)state;
    assert_int_equal(plan.parts_len, shipio_parts_room(4096));
    assert_true(plan.slots_len >=
                (size_t)plan.nslots * sizeof(struct shipio_shm_slot));
    assert_int_equal(plan.len, plan.slots_len + (size_t)plan.nslots * 4096 +
                                   lists + 7 * SHIPIO_WANTED_LEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_ranks_stay_within_64_mib),
        cmocka_unit_test(test_large_stripe_keeps_two_buffers),
        cmocka_unit_test(test_few_ranks_have_four_mib_of_buffers),
        cmocka_unit_test(test_small_access_has_as_many_buffers_as_stripes),
        cmocka_unit_test(test_everything_fits_the_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
