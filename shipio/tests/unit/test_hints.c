/* test_hints.c - sizes, and hints from the environment. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hints.h"

static void test_sizes_in_bytes_and_blocks(void **state)
{
    static const struct {
        const char *text;
        int64_t want;
    } cases[] = {
        {"65536", 65536},    {"64k", 65536},    {"2MiB", 2 << 20},
        {"8 mb", 8 << 20},   {"16", 65536},     {"16b", 65536},
        {"4 blocks", 16384}, {"", -1},          {"x", -1},
        {"-5", -1},          {"12parsecs", -1}, {"99999999999999999999", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(shipio_parse_size(cases[i].text, 4096), cases[i].want);
}

static void test_environment_is_heard(void **state)
{
    struct shipio_hints hints;

    (void)state;
    setenv("SHIPIO_MODE", "ship", 1);
    setenv("SHIPIO_AGENTS", "3", 1);
    setenv("SHIPIO_STRIPE", "5000", 1);
    setenv("SHIPIO_DOUBLE_BUFFER", "0", 1);
    setenv("SHIPIO_MAX_ACC", "4", 1);
    shipio_hints_init(&hints, 4096);
    assert_int_equal(hints.mode, SHIPIO_SHIP);
    assert_int_equal(hints.agents, 3);
    assert_int_equal(hints.stripe, 8192); /* whole pages */
    assert_false(hints.double_buffer);
    assert_int_equal(hints.max_acc, 4);
}

static void test_nonsense_changes_nothing(void **state)
{
    struct shipio_hints hints;

    (void)state;
    setenv("SHIPIO_MODE", "fast", 1);
    setenv("SHIPIO_AGENTS", "-3", 1);
    setenv("SHIPIO_STRIPE", "1", 1);
    setenv("SHIPIO_DOUBLE_BUFFER", "maybe", 1);
    shipio_hints_init(&hints, 512);
    assert_int_equal(hints.mode, SHIPIO_AUTO);
    assert_int_equal(hints.agents, 0);
    assert_int_equal(hints.stripe, 0);
    assert_true(hints.double_buffer);
}

static void test_everything_shipped_includes_noncollective(void **state)
{
    struct shipio_hints hints;

    (void)state;
    setenv("SHIPIO_MODE", "ship", 1);
    shipio_hints_init(&hints, 4096);
    assert_true(shipio_hints_noncollective(&hints));
    hints.mode = SHIPIO_AUTO;
    assert_false(shipio_hints_noncollective(&hints));
    setenv("SHIPIO_NONCOLLECTIVE", "0", 1);
    shipio_hints_init(&hints, 4096);
    assert_false(shipio_hints_noncollective(&hints));
    setenv("SHIPIO_NONCOLLECTIVE", "1", 1);
    setenv("SHIPIO_MODE", "direct", 1);
    shipio_hints_init(&hints, 4096);
    assert_false(shipio_hints_noncollective(&hints));
    unsetenv("SHIPIO_NONCOLLECTIVE");
}

static void test_config_list_names_hosts(void **state)
{
    static const struct {
        const char *list;
        const char *host;
        int want;
    } cases[] = {
        {"", "a", -1},
        {"*:2", "a", 2},
        {"*:*", "a", INT_MAX},
        {"a:3,*:1", "a", 3},
        {"a:3,*:1", "b", 1},
        {"a:3,b", "b", 1},
        {"a:3,b", "c", 0},
        {"*:0,node7:2", "node7.cluster.org", 2},
        {"node7:2", "node77", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(shipio_config_limit(cases[i].list, cases[i].host),
                         cases[i].want);
}

static void test_stripe_follows_large_blocks_only(void **state)
{
    const int64_t k = 1024;

    (void)state;
    assert_int_equal(shipio_stripe_for(4 * k, 256 * k), 256 * k);
    assert_int_equal(shipio_stripe_for(64 * k, 256 * k), 256 * k);
    assert_int_equal(shipio_stripe_for(192 * k, 256 * k), 384 * k);
    assert_int_equal(shipio_stripe_for(4096 * k, 256 * k), 4096 * k);
    assert_int_equal(shipio_stripe_for(k * k * k, 256 * k), 256 * k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_in_bytes_and_blocks),
        cmocka_unit_test(test_environment_is_heard),
        cmocka_unit_test(test_nonsense_changes_nothing),
        cmocka_unit_test(test_everything_shipped_includes_noncollective),
        cmocka_unit_test(test_config_list_names_hosts),
        cmocka_unit_test(test_stripe_follows_large_blocks_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
