/* Lists of sizes, ratios, processes and shares of workload files. */
#include "suites/prio/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_parse_sizes_list_and_range_gives_powers_of_two(void **state)
{
    struct prio_sizes sizes;

    (void)state;
    assert_int_equal(prio_sizes_parse("512, 1k-8k 3MB", &sizes), 0);
    assert_int_equal(sizes.count, 6);
    assert_int_equal(sizes.item[0].low, 512);
    assert_int_equal(sizes.item[1].low, 1024);
    assert_int_equal(sizes.item[4].high, 8192);
    assert_int_equal(sizes.item[5].low, 3000000);
    for (size_t i = 0; i < sizes.count; i++)
        assert_int_equal(sizes.item[i].low, sizes.item[i].high);
}

static void test_parse_sizes_range_not_reached_stops_below_its_end(void **state)
{
    struct prio_sizes sizes;

    (void)state;
    assert_int_equal(prio_sizes_parse("3k-10k", &sizes), 0);
    assert_int_equal(sizes.count, 2);
    assert_int_equal(sizes.item[1].low, 6144);
}

static void test_parse_sizes_random_range_is_one_item(void **state)
{
    struct prio_sizes sizes;

    (void)state;
    assert_int_equal(prio_sizes_parse("random 1k-8k, 16k", &sizes), 0);
    assert_int_equal(sizes.count, 2);
    assert_int_equal(sizes.item[0].low, 1024);
    assert_int_equal(sizes.item[0].high, 8192);
    assert_int_equal(prio_size_step(&sizes.item[0]), 1024);
    assert_int_equal(prio_size_step(&sizes.item[1]), 4096);
}

static void test_parse_sizes_impossible_is_refused(void **state)
{
    static const char *const wrong[] = {"",
                                        " , ",
                                        "0",
                                        "8k-1k",
                                        "12q",
                                        "random",
                                        "-4k",
                                        "random 4k",
                                        "4k-",
                                        "1k-8k-",
                                        "random random 1k-2k",
                                        NULL};
    struct prio_sizes sizes;

    (void)state;
    for (int i = 0; wrong[i] != NULL; i++)
        if (prio_sizes_parse(wrong[i], &sizes) != PARIO_EUSAGE)
            fail_msg("'%s' was accepted", wrong[i]);
}

static void test_parse_ratios_both_signs_are_understood(void **state)
{
    struct prio_ratios ratios;

    (void)state;
    assert_int_equal(prio_ratios_parse("1:2 1/0, 0:1", &ratios), 0);
    assert_int_equal(ratios.count, 3);
    assert_int_equal(ratios.item[0].reads, 1);
    assert_int_equal(ratios.item[0].writes, 2);
    assert_int_equal(ratios.item[1].writes, 0);
    assert_int_equal(ratios.item[2].reads, 0);
}

static void test_parse_ratios_impossible_is_refused(void **state)
{
    static const char *const wrong[] = {"0:0",  "0/0",  "1", "1:", ":1",
                                        "1:2x", "-1:2", "",  NULL};
    struct prio_ratios ratios;

    (void)state;
    for (int i = 0; wrong[i] != NULL; i++)
        if (prio_ratios_parse(wrong[i], &ratios) != PARIO_EUSAGE)
            fail_msg("'%s' was accepted", wrong[i]);
}

static void test_parse_counts_list_range_and_all(void **state)
{
    struct prio_counts counts;

    (void)state;
    assert_int_equal(prio_counts_parse("1-8, 12 all", &counts), 0);
    assert_int_equal(counts.count, 6);
    assert_int_equal(counts.item[3], 8);
    assert_int_equal(counts.item[4], 12);
    assert_int_equal(counts.item[5], 0);
    assert_int_equal(prio_counts_parse("2-all", &counts), 0);
    assert_int_equal(counts.count, 1);
    assert_int_equal(counts.item[0], -2);
    assert_int_equal(prio_counts_parse("2-allx", &counts), PARIO_EUSAGE);
    assert_int_equal(prio_counts_parse("0", &counts), PARIO_EUSAGE);
    assert_int_equal(prio_counts_parse("2-x", &counts), PARIO_EUSAGE);
    assert_int_equal(prio_counts_parse("8-2", &counts), PARIO_EUSAGE);
}

static void test_parse_share_number_percentage_and_rest(void **state)
{
    struct prio_share share;

    (void)state;
    assert_int_equal(prio_share_parse("3", &share), 0);
    assert_int_equal(share.processes, 3);
    assert_true(share.percent < 0);
    assert_int_equal(prio_share_parse("25%", &share), 0);
    assert_true(share.percent == 25);
    assert_int_equal(prio_share_parse("rest", &share), 0);
    assert_true(share.rest);
    assert_int_equal(prio_share_parse("0", &share), PARIO_EUSAGE);
    assert_int_equal(prio_share_parse("101%", &share), PARIO_EUSAGE);
    assert_int_equal(prio_share_parse("1.5", &share), PARIO_EUSAGE);
    assert_int_equal(prio_share_parse("some", &share), PARIO_EUSAGE);
}

static void test_parse_processes_beyond_all_machines_are_refused(void **state)
{
    static const char *const wrong[] = {
        "99999999999",           "1-99999999999",       "9223372036854775807",
        "1-9223372036854775807", "9223372036854775808", "99999999999-all"};
    struct prio_counts counts;
    struct prio_share share;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(prio_counts_parse(wrong[i], &counts), PARIO_EUSAGE);
    assert_int_equal(prio_share_parse("99999999999", &share), PARIO_EUSAGE);
    assert_int_equal(prio_share_parse("1e300", &share), PARIO_EUSAGE);
}

static void test_parse_names_unknown_names_the_nearest(void **state)
{
    static const char *const names[] = {"write", "read_write", NULL};
    unsigned bits = 0;

    (void)state;
    assert_int_equal(prio_names_parse("read_write", "pattern", names, 3, &bits),
                     0);
    assert_int_equal(bits, 2);
    assert_int_equal(prio_names_parse("all", "pattern", names, 1, &bits), 0);
    assert_int_equal(bits, 1);
    assert_int_equal(prio_names_parse("read_wrote", "pattern", names, 3, &bits),
                     PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "did you mean read_write"));
    assert_int_equal(prio_names_parse("read_write", "pattern", names, 1, &bits),
                     PARIO_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_sizes_list_and_range_gives_powers_of_two),
        cmocka_unit_test(
            test_parse_sizes_range_not_reached_stops_below_its_end),
        cmocka_unit_test(test_parse_sizes_random_range_is_one_item),
        cmocka_unit_test(test_parse_sizes_impossible_is_refused),
        cmocka_unit_test(test_parse_ratios_both_signs_are_understood),
        cmocka_unit_test(test_parse_ratios_impossible_is_refused),
        cmocka_unit_test(test_parse_counts_list_range_and_all),
        cmocka_unit_test(test_parse_share_number_percentage_and_rest),
        cmocka_unit_test(test_parse_processes_beyond_all_machines_are_refused),
        cmocka_unit_test(test_parse_names_unknown_names_the_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
