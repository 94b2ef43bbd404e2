/* The process group: runs alone and under the launcher. */
#include "par/group.h"
#include "par/series.h"
#include "par/watchdog.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct pario_group *world;

static void test_agree_without_error_returns_zero(void **state)
{
    (void)state;
    assert_int_equal(pario_agree(world, 0), 0);
}

static void test_agree_error_on_last_rank_reaches_all(void **state)
{
    int last = pario_group_size(world) - 1;
    int code = 0;

    (void)state;
    pario_error_clear();
    if (pario_group_rank(world) == last)
        code = pario_fail(-ENOSPC, "cannot write /x: no space");
    code = pario_agree(world, code);
    assert_int_equal(code, -ENOSPC);
    assert_non_null(strstr(pario_error_message(), "cannot write /x: no space"));
    if (last > 0)
        assert_int_equal(strncmp(pario_error_message(), "rank ", 5), 0);
}

static void test_agree_several_errors_returns_lowest_rank(void **state)
{
    int rank = pario_group_rank(world);
    int code = pario_agree(world, pario_fail(-(rank + 1), "error %d", rank));

    (void)state;
    assert_int_equal(code, -1);
    assert_non_null(strstr(pario_error_message(), "error 0"));
}

static void test_agree_twice_names_rank_once(void **state)
{
    int code = pario_agree(world, pario_fail(-EIO, "broken"));

    (void)state;
    code = pario_agree(world, code);
    assert_int_equal(code, -EIO);
    assert_null(strstr(pario_error_message() + 1, "rank 0: rank"));
}

static void test_reduce_gives_sum_min_max_on_all_ranks(void **state)
{
    int64_t n = pario_group_size(world), rank = pario_group_rank(world);
    int64_t sum = rank, least = rank, most = rank;
    double real = (double)rank;

    (void)state;
    assert_int_equal(pario_reduce_i64(world, PARIO_SUM, &sum, 1), 0);
    assert_int_equal(pario_reduce_i64(world, PARIO_MIN, &least, 1), 0);
    assert_int_equal(pario_reduce_i64(world, PARIO_MAX, &most, 1), 0);
    assert_int_equal(pario_reduce_f64(world, PARIO_SUM, &real, 1), 0);
    assert_int_equal(sum, n * (n - 1) / 2);
    assert_int_equal(least, 0);
    assert_int_equal(most, n - 1);
    assert_true(real == (double)sum);
}

static void test_merge_hist_equals_histogram_of_union(void **state)
{
    int n = pario_group_size(world), rank = pario_group_rank(world);
    struct pario_hist *mine = malloc(sizeof(*mine));
    struct pario_hist *all = malloc(sizeof(*all));

    (void)state;
    assert_non_null(mine);
    assert_non_null(all);
    pario_hist_init(mine);
    pario_hist_init(all);
    for (int r = 0; r < n; r++)
        for (int i = 1; i < 1000; i++) {
            pario_hist_add(all, (int64_t)i * i * (r + 1));
            if (r == rank)
                pario_hist_add(mine, (int64_t)i * i * (r + 1));
        }
    assert_int_equal(pario_merge_hist(world, mine), 0);
    assert_memory_equal(mine, all, sizeof(*all));
    free(mine);
    free(all);
}

static void test_gather_brings_all_to_rank_zero_in_order(void **state)
{
    int n = pario_group_size(world), rank = pario_group_rank(world);
    int *all = calloc((size_t)n, sizeof(*all));

    (void)state;
    assert_non_null(all);
    assert_int_equal(pario_gather(world, &rank, sizeof(rank), all), 0);
    for (int i = 0; rank == 0 && i < n; i++)
        assert_int_equal(all[i], i);
    free(all);
}

static void test_first_makes_partition_of_lowest_ranks(void **state)
{
    struct pario_group *part = NULL;
    int n = pario_group_size(world), rank = pario_group_rank(world);
    int members = n > 1 ? n - 1 : 1;

    (void)state;
    assert_int_equal(pario_group_first(world, members, &part), 0);
    if (rank < members) {
        assert_non_null(part);
        assert_int_equal(pario_group_size(part), members);
        assert_int_equal(pario_group_rank(part), rank);
        pario_group_destroy(part);
    } else {
        assert_null(part);
    }
}

static void test_first_larger_than_run_is_refused(void **state)
{
    struct pario_group *part = NULL;

    (void)state;
    assert_true(pario_group_first(world, pario_group_size(world) + 1, &part) <
                0);
    assert_null(part);
}

static void test_nodes_of_one_machine_are_one(void **state)
{
    (void)state;
    assert_int_equal(pario_group_nodes(world), 1);
    assert_int_equal(pario_group_node(world), 0);
    assert_int_equal(pario_group_node_size(world), pario_group_size(world));
    assert_int_equal(pario_group_node_rank(world), pario_group_rank(world));
}

/* Every rank gets the same counts, and they double: 1 2 4 8 ... */
static void test_series_counts_are_equal_and_grow(void **state)
{
    struct pario_series series;
    int64_t n, expected = 1, total = 0;

    (void)state;
    pario_series_start(&series, world, 1e6, 1023);
    while ((n = pario_series_next(&series)) > 0) {
        int64_t least = n, most = n;

        assert_int_equal(pario_reduce_i64(world, PARIO_MIN, &least, 1), 0);
        assert_int_equal(pario_reduce_i64(world, PARIO_MAX, &most, 1), 0);
        assert_int_equal(least, most);
        assert_int_equal(n, expected);
        expected *= 2;
        total += n;
    }
    assert_int_equal(total, 1023);
    assert_int_equal(series.done, total);
    assert_int_equal(series.decisions, 11);
}

/* One rank fails: all stop after the same round. */
static void test_series_failure_on_one_rank_stops_all(void **state)
{
    struct pario_series series;
    int last = pario_group_size(world) - 1;

    (void)state;
    pario_series_start(&series, world, 100, 0);
    assert_int_equal(pario_series_next(&series), 1);
    series.failed = pario_group_rank(world) == last;
    assert_int_equal(pario_series_next(&series), 0);
}

static void test_series_stops_at_limit(void **state)
{
    struct pario_series series;
    int64_t n, total = 0;

    (void)state;
    pario_series_start(&series, world, 100, 37);
    while ((n = pario_series_next(&series)) > 0)
        total += n;
    assert_int_equal(total, 37);
}

static void test_series_first_round_longer_than_time_runs_once(void **state)
{
    struct pario_series series;
    struct timespec pause = {.tv_nsec = 20000000};

    (void)state;
    pario_series_start(&series, NULL, 0.001, 0);
    assert_int_equal(pario_series_next(&series), 1);
    nanosleep(&pause, NULL);
    assert_int_equal(pario_series_next(&series), 0);
}

/* Calls without cost that owe 10 ms each: 100 of them fill a second. */
static void test_series_leaves_time_for_what_is_owed(void **state)
{
    struct pario_series series;
    int64_t n, total = 0;

    (void)state;
    pario_series_start(&series, NULL, 1, 0);
    series.owed_s = 0.01;
    while ((n = pario_series_next(&series)) > 0)
        total += n;
    assert_true(total > 0 && total <= 101);
}

static void test_watchdog_keeps_quiet_within_deadline(void **state)
{
    struct timespec pause = {.tv_nsec = 300000000};

    (void)state;
    assert_int_equal(pario_watchdog_start(world), 0);
    pario_watchdog_phase(30, 10, "test");
    pario_position_at(4711);
    nanosleep(&pause, NULL);
    pario_watchdog_stop();
}

/* The offset of a loop arrives by itself, and the last one when it ends. */
static void test_watchdog_follows_offset_of_loop(void **state)
{
    struct timespec look = {.tv_nsec = 10000000};
    _Atomic int64_t offset = 4096;

    (void)state;
    assert_int_equal(pario_watchdog_start(world), 0);
    pario_watchdog_follow(&offset);
    for (int i = 0; i < 2000 && atomic_load(pario_position) != 4096; i++)
        nanosleep(&look, NULL);
    assert_int_equal(atomic_load(pario_position), 4096);
    atomic_store(&offset, 8192);
    pario_watchdog_follow(NULL);
    assert_int_equal(atomic_load(pario_position), 8192);
    pario_watchdog_stop();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agree_without_error_returns_zero),
        cmocka_unit_test(test_agree_error_on_last_rank_reaches_all),
        cmocka_unit_test(test_agree_several_errors_returns_lowest_rank),
        cmocka_unit_test(test_agree_twice_names_rank_once),
        cmocka_unit_test(test_reduce_gives_sum_min_max_on_all_ranks),
        cmocka_unit_test(test_merge_hist_equals_histogram_of_union),
        cmocka_unit_test(test_gather_brings_all_to_rank_zero_in_order),
        cmocka_unit_test(test_first_makes_partition_of_lowest_ranks),
        cmocka_unit_test(test_first_larger_than_run_is_refused),
        cmocka_unit_test(test_nodes_of_one_machine_are_one),
        cmocka_unit_test(test_series_counts_are_equal_and_grow),
        cmocka_unit_test(test_series_failure_on_one_rank_stops_all),
        cmocka_unit_test(test_series_stops_at_limit),
        cmocka_unit_test(test_series_first_round_longer_than_time_runs_once),
        cmocka_unit_test(test_series_leaves_time_for_what_is_owed),
        cmocka_unit_test(test_watchdog_keeps_quiet_within_deadline),
        cmocka_unit_test(test_watchdog_follows_offset_of_loop),
    };
    int failed;

    if (pario_par_start(&argc, &argv, &world) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    pario_par_finish(world);
    return failed != 0;
}
