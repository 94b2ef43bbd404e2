/* The requests of a pass: each byte once, exact ratios, the same each time. */
#include "suites/prio/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct prio_case fixed = {
    .pattern = PRIO_READ_WRITE,
    .data_bytes = 10000, /* the last request is shorter */
    .request_low = 512,
    .request_high = 512,
    .reads = 1,
    .writes = 2,
    .seed = 7,
};

/* Every byte of the data in exactly one request. */
static void assert_covers(const struct prio_plan *plan, int64_t bytes)
{
    char *seen = calloc(1, (size_t)bytes);

    assert_non_null(seen);
    for (int64_t i = 0; i < plan->count; i++) {
        const struct prio_request *request = &plan->request[i];

        assert_in_range(request->len, 1, plan->longest);
        assert_true(request->at >= 0);
        assert_true(request->at + request->len <= bytes);
        for (uint32_t b = 0; b < request->len; b++) {
            assert_int_equal(seen[request->at + b], 0);
            seen[request->at + b] = 1;
        }
    }
    assert_null(memchr(seen, 0, (size_t)bytes));
    free(seen);
}

static void test_plan_of_every_pattern_covers_each_byte_once(void **state)
{
    (void)state;
    for (int p = 0; p < PRIO_PATTERNS; p++)
        for (int random = 0; random < 2; random++) {
            struct prio_case what = fixed;
            struct prio_plan plan;

            what.pattern = (enum prio_pattern)p;
            if (random)
                what.request_high = 4096;
            assert_int_equal(prio_plan_init(&plan, &what, 3), 0);
            assert_int_equal(plan.count, prio_plan_count(&what));
            assert_covers(&plan, what.data_bytes);
            prio_plan_fini(&plan);
        }
}

static void test_plan_keeps_the_ratio_exactly_in_every_period(void **state)
{
    struct prio_plan plan;
    int writes = 0;

    (void)state;
    assert_int_equal(prio_plan_init(&plan, &fixed, 0), 0);
    for (int64_t i = 0; i + 2 < plan.count; i += 3) {
        writes = 0;
        for (int64_t k = i; k < i + 3; k++)
            writes += (int)plan.request[k].write;
        assert_int_equal(writes, 2);
    }
    prio_plan_fini(&plan);
}

static void test_plan_of_ratio_without_writes_only_reads(void **state)
{
    struct prio_case what = fixed;
    struct prio_plan plan;

    (void)state;
    what.writes = 0;
    assert_int_equal(prio_plan_init(&plan, &what, 0), 0);
    assert_int_equal(plan.written_bytes, 0);
    prio_plan_fini(&plan);
    what.reads = 0;
    what.writes = 1;
    assert_int_equal(prio_plan_init(&plan, &what, 0), 0);
    assert_int_equal(plan.written_bytes, what.data_bytes);
    prio_plan_fini(&plan);
}

static void test_plan_is_the_same_again_and_another_by_rank(void **state)
{
    struct prio_case what = fixed;
    struct prio_plan one, two, other;
    size_t bytes;

    (void)state;
    what.pattern = PRIO_RANDOM;
    what.request_high = 2048;
    assert_int_equal(prio_plan_init(&one, &what, 1), 0);
    assert_int_equal(prio_plan_init(&two, &what, 1), 0);
    assert_int_equal(prio_plan_init(&other, &what, 2), 0);
    bytes = (size_t)one.count * sizeof(*one.request);
    assert_int_equal(one.count, two.count);
    /* The sizes are the same everywhere: collective calls stay in step. */
    assert_int_equal(one.count, other.count);
    assert_memory_equal(one.request, two.request, bytes);
    assert_true(memcmp(one.request, other.request, bytes) != 0);
    prio_plan_fini(&one);
    prio_plan_fini(&two);
    prio_plan_fini(&other);
}

static void test_plan_backward_read_goes_from_the_end(void **state)
{
    struct prio_case what = fixed;
    struct prio_plan plan;

    (void)state;
    what.pattern = PRIO_BACKWARD;
    assert_int_equal(prio_plan_init(&plan, &what, 0), 0);
    for (int64_t i = 1; i < plan.count; i++)
        assert_true(plan.request[i].at < plan.request[i - 1].at);
    assert_int_equal(plan.request[plan.count - 1].at, 0);
    prio_plan_fini(&plan);
}

static void test_draw_size_stays_in_range_and_on_steps(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        int64_t size = prio_draw_size(4096, 65536, 4096, seed);

        assert_in_range(size, 4096, 65536);
        assert_int_equal(size % 4096, 0);
    }
    assert_int_equal(prio_draw_size(4096, 4096, 4096, 1), 4096);
    assert_int_not_equal(prio_draw_size(4096, 1 << 30, 4096, 1),
                         prio_draw_size(4096, 1 << 30, 4096, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_of_every_pattern_covers_each_byte_once),
        cmocka_unit_test(test_plan_keeps_the_ratio_exactly_in_every_period),
        cmocka_unit_test(test_plan_of_ratio_without_writes_only_reads),
        cmocka_unit_test(test_plan_is_the_same_again_and_another_by_rank),
        cmocka_unit_test(test_plan_backward_read_goes_from_the_end),
        cmocka_unit_test(test_draw_size_stays_in_range_and_on_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
