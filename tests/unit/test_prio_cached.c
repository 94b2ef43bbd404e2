/* What of the bytes that were read came out of the page cache. */
#include "suites/prio/transfer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct prio_reading once = {
    .bytes = 1000,
    .pass_bytes = 1000,
    .data_bytes = 2000,
    .resident_bytes = 500,
    .fits = 1,
};

static void test_one_pass_takes_the_resident_share(void **state)
{
    struct prio_reading part = once;

    (void)state;
    assert_int_equal(prio_cached_bytes(&once), 250);
    part.bytes = 100; /* the time was over before the pass was */
    assert_int_equal(prio_cached_bytes(&part), 25);
}

static void test_further_passes_come_from_the_cache(void **state)
{
    struct prio_reading many = once;

    (void)state;
    many.bytes = 50000;
    many.resident_bytes = 0;
    assert_int_equal(prio_cached_bytes(&many), 49000);
    many.fits = 0;
    assert_int_equal(prio_cached_bytes(&many), 0);
}

static void test_unknown_residency_stays_unknown(void **state)
{
    struct prio_reading unknown = once;

    (void)state;
    unknown.resident_bytes = -1;
    assert_int_equal(prio_cached_bytes(&unknown), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_pass_takes_the_resident_share),
        cmocka_unit_test(test_further_passes_come_from_the_cache),
        cmocka_unit_test(test_unknown_residency_stays_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
