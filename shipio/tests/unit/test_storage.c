/* test_storage.c - what requests cost, and what follows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "file.h"

#define MIB (INT64_C(1) << 20)

static void test_local_file_has_no_cost(void **state)
{
    struct shipio_file file = {.storage.remote = false};

    (void)state;
    shipio_storage_note(&file.storage, 1, 1024, 1e-3);
    assert_int_equal(shipio_storage_cost(&file, 1), 0);
}

static void test_remote_file_is_dear_until_measured(void **state)
{
    struct shipio_file file = {.storage.remote = true};

    (void)state;
    assert_true(shipio_storage_cost(&file, 1) >= 100000);
    shipio_storage_note(&file.storage, 1, 1024, 20e-6);
    assert_in_range(shipio_storage_cost(&file, 1), 15000, 20000);
    /* What writes cost says nothing of reads. */
    assert_true(shipio_storage_cost(&file, 0) >= 100000);
}

static void test_bytes_are_not_counted_as_cost(void **state)
{
    struct shipio_file file = {.storage.remote = true};

    (void)state;
    shipio_storage_note(&file.storage, 1, 4 * MIB, 1.1e-3);
    assert_in_range(shipio_storage_cost(&file, 1), 1, 100000);
}

static void test_cost_follows_later_requests(void **state)
{
    struct shipio_file file = {.storage.remote = true};

    (void)state;
    for (int i = 0; i < 10; i++)
        shipio_storage_note(&file.storage, 1, 0, 1e-5);
    for (int i = 0; i < 50; i++)
        shipio_storage_note(&file.storage, 1, 0, 1e-3);
    assert_in_range(shipio_storage_cost(&file, 1), 900000, 1000000);
}

static void test_dear_requests_ship_longer_pieces(void **state)
{
    (void)state;
    assert_int_equal(shipio_storage_piece_max(0), 16 * 1024);
    assert_in_range(shipio_storage_piece_max(1000000), MIB, 4 * MIB);
    assert_int_equal(shipio_storage_piece_max(INT32_MAX), 4 * MIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_file_has_no_cost),
        cmocka_unit_test(test_remote_file_is_dear_until_measured),
        cmocka_unit_test(test_bytes_are_not_counted_as_cost),
        cmocka_unit_test(test_cost_follows_later_requests),
        cmocka_unit_test(test_dear_requests_ship_longer_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
