/* tests/unit/test_clock.c */
#include "core/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_measure_resolution_is_finer_than_10_ms(void **state)
{
    (void)state;
    assert_in_range(pario_clock_resolution_ns(), 1, 10000000);
}

static void test_read_twice_never_goes_back(void **state)
{
    int64_t last = pario_clock_ns();

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int64_t now = pario_clock_ns();

        assert_true(now >= last);
        last = now;
    }
}

/* Digits of text where pattern has 0, all else as in pattern. */
static void check_shape(const char *text, const char *pattern)
{
    assert_int_equal(strlen(text), strlen(pattern));
    for (size_t i = 0; pattern[i] != '\0'; i++) {
        if (pattern[i] == '0')
            assert_in_range(text[i], '0', '9');
        else
            assert_int_equal(text[i], pattern[i]);
    }
}

static void test_print_utc_both_forms_reads_back_as_now(void **state)
{
    char text[PARIO_UTC_LEN];
    time_t before = time(NULL);
    struct tm utc = {0};

    (void)state;
    pario_clock_utc(text, 1);
    check_shape(text, "00000000T000000Z");
    pario_clock_utc(text, 0);
    check_shape(text, "0000-00-00T00:00:00Z");
    assert_non_null(strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc));
    assert_in_range(timegm(&utc), before, before + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure_resolution_is_finer_than_10_ms),
        cmocka_unit_test(test_read_twice_never_goes_back),
        cmocka_unit_test(test_print_utc_both_forms_reads_back_as_now),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
