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

#define SECOND INT64_C(1000000000)

static void test_compare_clocks_that_agree_is_quiet(void **state)
{
    struct pario_clocks begin = {5, 6, 7, 8, 0}, end = begin;
    char text[128] = "";

    (void)state;
    end.used_ns += 100 * SECOND;
    end.raw_ns += 100 * SECOND + SECOND / 20; /* NTP's largest correction */
    end.boot_ns += 100 * SECOND;
    end.mpi_ns += 100 * SECOND;
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 0);
    /* 5 ms of 6 ms: the readings themselves take time. */
    end = begin;
    end.used_ns += 6000000;
    end.raw_ns += 1000000;
    end.boot_ns += 6000000;
    end.mpi_ns += 6000000;
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 0);
    /* 30 ms of a second, where a reading was kept waiting for 25. */
    end.used_ns = begin.used_ns + SECOND;
    end.boot_ns = begin.boot_ns + SECOND;
    end.mpi_ns = begin.mpi_ns + SECOND;
    end.raw_ns = begin.raw_ns + SECOND + 30000000;
    end.width_ns = 25000000;
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 0);
    end.width_ns = 0;
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 1);
    end.raw_ns = begin.raw_ns + SECOND;
    text[0] = '\0';
    /* Without MPI there is one less. */
    begin.mpi_ns = end.mpi_ns = -1;
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void test_compare_clocks_names_the_one_that_disagrees(void **state)
{
    struct pario_clocks begin = {5, 6, 7, 8, 0}, end;
    char text[128] = "";

    (void)state;
    /* A thousand times too fast. */
    end =
        (struct pario_clocks){5 + 1000 * SECOND, 6 + SECOND, 7 + SECOND, 8, 0};
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 1);
    assert_string_equal(text, "the clocks disagree: 1000.000 s passed by "
                              "CLOCK_MONOTONIC, 1.000 s by "
                              "CLOCK_MONOTONIC_RAW");
    /* Suspended for a minute. */
    end = (struct pario_clocks){5 + SECOND, 6 + SECOND, 7 + 61 * SECOND,
                                8 + SECOND, 0};
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 1);
    assert_non_null(strstr(text, "61.000 s by CLOCK_BOOTTIME"));
    /* An MPI library with its own idea of a second: 2 % too slow. */
    end = (struct pario_clocks){5 + SECOND, 6 + SECOND, 7 + SECOND,
                                8 + SECOND / 50 * 49, 0};
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 1);
    assert_non_null(strstr(text, "0.980 s by MPI_Wtime"));
}

static void test_clocks_of_this_system_agree(void **state)
{
    struct timespec wait = {.tv_nsec = 20000000};
    struct pario_clocks begin, end;
    char text[128] = "";

    (void)state;
    pario_clocks_now(NULL, &begin);
    nanosleep(&wait, NULL);
    pario_clocks_now(NULL, &end);
    assert_int_equal(pario_clocks_compare(&begin, &end, text, sizeof text), 0);
    assert_true(end.raw_ns > begin.raw_ns && end.boot_ns > begin.boot_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure_resolution_is_finer_than_10_ms),
        cmocka_unit_test(test_read_twice_never_goes_back),
        cmocka_unit_test(test_compare_clocks_that_agree_is_quiet),
        cmocka_unit_test(test_compare_clocks_names_the_one_that_disagrees),
        cmocka_unit_test(test_clocks_of_this_system_agree),
        cmocka_unit_test(test_print_utc_both_forms_reads_back_as_now),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
