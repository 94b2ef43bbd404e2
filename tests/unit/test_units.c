/* tests/unit/test_units.c */
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_parse_size_every_unit_gives_bytes(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"1032", 1032},
        {"7B", 7},
        {"7 B", 7},
        {"1k", 1024},
        {"1K", 1024},
        {"1Ki", 1024},
        {"1KiB", 1024},
        {"1kib", 1024},
        {"3M", 3145728},
        {"3Mi", 3145728},
        {"3 MiB", 3145728},
        {"3m", 3145728},
        {"2G", 2147483648},
        {"2Gi", 2147483648},
        {"2GiB", 2147483648},
        {"1T", 1099511627776},
        {"1Ti", 1099511627776},
        {"1TiB", 1099511627776},
        {"1kB", 1000},
        {"1KB", 1000},
        {"5MB", 5000000},
        {"5GB", 5000000000},
        {"5TB", 5000000000000},
        {"1.5k", 1536},
        {".5k", 512},
        {"2.k", 2048},
        {"1.0009765625k", 1025},
        {"0.123456789GB", 123456789},
        {"0.00000000001TB", 10},
        {"1.000", 1},
        {"0.500000000000000000000000000000k", 512},
        {"000000000000000000000000000001", 1},
        {"9223372036854775807", INT64_MAX},
        {"8388607T", 8388607 * ((int64_t)1 << 40)},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t bytes = -1;

        assert_int_equal(pario_size_parse(cases[i].text, &bytes), 0);
        assert_int_equal(bytes, cases[i].bytes);
    }
}

static void test_parse_size_malformed_is_usage_error(void **state)
{
    static const char *const cases[] = {
        "",         " ",
        "k",        "MB",
        "-1",       "-1k",
        "+1",       "1x",
        "1kk",      "1 k x",
        "1MiX",     "1,5k",
        "1..5",     ".",
        "0x10",     "1e3",
        "1.5",      "0.1k",
        "1.2345kB", "1 2",
        " 1",       "1k\n",
        "inf",      "nan",
        "1PB",      "0.0000000000001TB",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t bytes = 42;

        pario_error_clear();
        assert_int_equal(pario_size_parse(cases[i], &bytes), PARIO_EUSAGE);
        assert_int_equal(bytes, 42);
        assert_non_null(strstr(pario_error_message(), cases[i]));
        assert_non_null(strstr(pario_error_message(), "is no size"));
    }
}

static void test_parse_size_overflow_is_usage_error(void **state)
{
    static const char *const cases[] = {
        "9223372036854775808",
        "99999999999999999999999999",
        "8388608T",
        "9223372036854775807k",
        "9223373TB",
        "9223372036854775.9kB",
        "8388607.9999999999999999T",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t bytes = 42;

        assert_int_equal(pario_size_parse(cases[i], &bytes), PARIO_EUSAGE);
        assert_int_equal(bytes, 42);
    }
}

static void test_print_size_whole_units_is_exact(void **state)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1, "1 B"},
        {1023, "1023 B"},
        {1024, "1 KiB"},
        {1032, "1032 B"},
        {1536, "1536 B"},
        {1048576, "1 MiB"},
        {33554440, "33554440 B"},
        {3 * ((int64_t)1 << 30), "3 GiB"},
        {(int64_t)1 << 40, "1 TiB"},
        {(int64_t)1 << 50, "1024 TiB"},
        {INT64_MAX, "9223372036854775807 B"},
        {-2048, "-2 KiB"},
        {INT64_MIN, "-8388608 TiB"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[PARIO_UNITS_LEN];

        assert_ptr_equal(pario_size_print(cases[i].bytes, buf), buf);
        assert_string_equal(buf, cases[i].text);
    }
}

static void test_parse_size_printed_returns_same(void **state)
{
    uint64_t x = 1;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int64_t bytes, back = -1;
        char buf[PARIO_UNITS_LEN];

        x = x * 6364136223846793005u + 1442695040888963407u;
        bytes = (int64_t)(x >> (1 + i % 60));
        bytes -= bytes % ((int64_t)1 << (i % 31));
        assert_int_equal(pario_size_parse(pario_size_print(bytes, buf), &back),
                         0);
        assert_int_equal(back, bytes);
    }
}

static void test_print_size_short_gives_three_figures(void **state)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1000, "1000 B"},
        {1032, "1.01 KiB"},
        {1048576, "1 MiB"},
        {1320702444, "1.23 GiB"},
        {10240 + 512, "10.5 KiB"},
        {10235, "10.0 KiB"},
        {1048575, "1.00 MiB"},
        {33554440, "32.0 MiB"},
        {INT64_MAX, "8388608 TiB"},
        {-1032, "-1.01 KiB"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[PARIO_UNITS_LEN];

        assert_ptr_equal(pario_size_print_short(cases[i].bytes, buf), buf);
        assert_string_equal(buf, cases[i].text);
    }
}

static void test_parse_time_every_unit_gives_seconds(void **state)
{
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {
        {"60", 60},     {"60s", 60},    {"60 s", 60},     {"0", 0},
        {"1.5min", 90}, {"2m", 120},    {"2h", 7200},     {"1d", 86400},
        {"500ms", 0.5}, {"1ms", 0.001}, {"3us", 3e-6},    {"7ns", 7e-9},
        {".25", 0.25},  {"1e3", 1000},  {"1e-3s", 0.001}, {"0.1", 0.1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double seconds = -1;

        assert_int_equal(pario_time_parse(cases[i].text, &seconds), 0);
        assert_true(seconds == cases[i].seconds);
    }
}

static void test_parse_time_malformed_is_usage_error(void **state)
{
    static const char *const cases[] = {
        "",     " ",   "s",     "-1",   "+1",     "1x",  "1 s x",
        "0x10", "inf", "nan",   "1.5.", "1,5s",   "1ss", ".",
        "1e",   "1M",  "1e999", " 1",   "1e308h", "-0",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double seconds = 42;

        pario_error_clear();
        assert_int_equal(pario_time_parse(cases[i], &seconds), PARIO_EUSAGE);
        assert_true(seconds == 42);
        assert_non_null(strstr(pario_error_message(), "is no time"));
    }
}

static void test_print_time_any_length_is_readable(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {0, "0 s"},           {1, "1.00 s"},
        {59.94, "59.9 s"},    {59.96, "1 min 00 s"},
        {90, "1 min 30 s"},   {3599.6, "1 h 00 min"},
        {7500, "2 h 05 min"}, {0.5, "500 ms"},
        {0.0123, "12.3 ms"},  {12e-6, "12.0 µs"},
        {3e-9, "3.00 ns"},    {0.9996, "1.00 s"},
        {-2, "-2.00 s"},      {1e300, "1e+300 s"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[PARIO_UNITS_LEN];

        assert_ptr_equal(pario_time_print(cases[i].seconds, buf), buf);
        assert_string_equal(buf, cases[i].text);
    }
}

static void test_compute_mbps_without_time_is_zero(void **state)
{
    (void)state;
    assert_true(pario_mbps(1000, 0) == 0);
    assert_true(pario_mbps(1000, -1) == 0);
}

static void test_compute_mbps_is_powers_of_ten(void **state)
{
    (void)state;
    assert_true(pario_mbps(3000000, 2) == 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_size_every_unit_gives_bytes),
        cmocka_unit_test(test_parse_size_malformed_is_usage_error),
        cmocka_unit_test(test_parse_size_overflow_is_usage_error),
        cmocka_unit_test(test_print_size_whole_units_is_exact),
        cmocka_unit_test(test_parse_size_printed_returns_same),
        cmocka_unit_test(test_print_size_short_gives_three_figures),
        cmocka_unit_test(test_parse_time_every_unit_gives_seconds),
        cmocka_unit_test(test_parse_time_malformed_is_usage_error),
        cmocka_unit_test(test_print_time_any_length_is_readable),
        cmocka_unit_test(test_compute_mbps_without_time_is_zero),
        cmocka_unit_test(test_compute_mbps_is_powers_of_ten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
