/* Whose turn it is, what the passes of two contenders say, what is cached. */
#include "par/group.h"
#include "suites/shipbench/gains.h"
#include "suites/shipbench/shipbench.h"
#include "sys/cache.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Every repetition has everyone once. Over a whole design each begins equally
 * often and follows each other equally often; already in the first three
 * repetitions nobody follows the same one throughout. */
static void check_order(size_t n)
{
    int after[SHIP_MAX_CONTENDERS][SHIP_MAX_CONTENDERS] = {{0}};
    int begins[SHIP_MAX_CONTENDERS] = {0};
    int64_t repetitions = (int64_t)(n % 2 == 0 ? n : 2 * n);

    for (int64_t r = 0; r < repetitions; r++) {
        int seen[SHIP_MAX_CONTENDERS] = {0};

        begins[ship_order(n, r, 0)]++;
        for (size_t i = 0; i < n; i++) {
            size_t who = ship_order(n, r, i);

            assert_true(who < n);
            assert_int_equal(seen[who]++, 0);
            if (i > 0)
                after[ship_order(n, r, i - 1)][who]++;
            if (i > 0 && r == 2 && n > 2)
                assert_true(after[ship_order(n, r, i - 1)][who] < 3);
        }
    }
    for (size_t a = 0; a < n; a++) {
        assert_int_equal(begins[a], (int)(repetitions / (int64_t)n));
        for (size_t b = 0; b < n; b++)
            if (a != b)
                assert_int_equal(after[a][b], after[0][1]);
    }
}

static void test_order_any_count_is_balanced(void **state)
{
    (void)state;
    for (size_t n = 2; n <= SHIP_MAX_CONTENDERS; n++)
        check_order(n);
    assert_int_equal(ship_order(1, 5, 0), 0);
}

static void test_gain_few_passes_has_students_interval(void **state)
{
    double ratios[] = {2.2, 1.8, 2.0}, one[] = {3}, wrong[] = {1, 0, 2};
    struct ship_gain gain;

    (void)state;
    assert_int_equal(ship_gain_of(ratios, 3, &gain), 0);
    assert_int_equal(gain.kind, SHIP_GAIN_STUDENT);
    assert_true(fabs(gain.ratio - 2.0) < 1e-9);
    /* Logarithms: mean 0.68980, deviation 0.10038; t 4.303. */
    assert_true(fabs(gain.low - 1.5534) < 1e-3);
    assert_true(fabs(gain.high - 2.5579) < 1e-3);
    assert_int_equal(ship_gain_of(one, 1, &gain), 0);
    assert_int_equal(gain.kind, SHIP_GAIN_NONE);
    assert_true(gain.low == 3 && gain.high == 3);
    assert_true(ship_gain_of(wrong, 3, &gain) < 0);
    assert_true(ship_gain_of(one, 0, &gain) < 0);
}

static void test_gain_six_passes_has_the_medians_interval(void **state)
{
    double ratios[] = {1.6, 1.1, 1.5, 1.2, 1.4, 1.3};
    struct ship_gain gain;

    (void)state;
    assert_int_equal(ship_gain_of(ratios, 6, &gain), 0);
    assert_int_equal(gain.kind, SHIP_GAIN_MEDIAN);
    assert_true(fabs(gain.ratio - 1.35) < 1e-9);
    assert_true(gain.low == 1.1 && gain.high == 1.6);
}

static void test_figure_numbers_are_the_papers(void **state)
{
    (void)state;
    assert_int_equal(ship_paper_figure(SHIP_SHIPPING, "write"), 2);
    assert_int_equal(ship_paper_figure(SHIP_SHIPPING, "read"), 3);
    assert_int_equal(ship_paper_figure(SHIP_RANGES, "rewrite"), 4);
    assert_int_equal(ship_paper_figure(SHIP_SPARSE, "read"), 7);
    assert_int_equal(ship_paper_figure(SHIP_DISCONTIGUOUS, "read"), 9);
    assert_int_equal(ship_paper_figure(SHIP_TASKS_PER_NODE, "rewrite"), 10);
    assert_int_equal(ship_paper_figure(SHIP_ONESHOT, "write"), 0);
}

static struct pario_group *world;

/* Reads one byte of each place: it is in the page cache then. */
static void touch(const char *path, int64_t first, int64_t count, int64_t step)
{
    int fd = open(path, O_RDONLY);
    char byte;

    assert_true(fd >= 0);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(pread(fd, &byte, 1, first + i * step), 1);
    close(fd);
}

static int resident_of(const char *path, const struct pario_range *ranges,
                       int64_t *bytes_p)
{
    return pario_residency_of_parts(world, path, 1, ranges, 64, 0, bytes_p);
}

/* Other parts of the file in the cache say nothing about what is read. */
static void test_resident_elsewhere_counts_nothing(void **state)
{
    char path[] = "/var/tmp/test_shipbench.XXXXXX";
    int fd = mkstemp(path);
    char block[4096] = {1};
    int64_t left = 0, bytes = -2;
    struct pario_range ranges[64];

    (void)state;
    assert_true(fd >= 0);
    for (int i = 0; i < 1024; i++)
        assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
    assert_int_equal(close(fd), 0);
    for (int64_t i = 0; i < 64; i++)
        ranges[i] = (struct pario_range){i * 8 * 4096, 4096};
    if (pario_cache_evict(path, &left) != 0 || left > 0) {
        unlink(path);
        skip();
    }
    touch(path, 512 * 4096 + 4096, 400, 4096);
    assert_int_equal(pario_cache_resident(path, 0, 0, &left), 0);
    assert_true(left >= 400 * 4096);
    assert_int_equal(resident_of(path, ranges, &bytes), 0);
    assert_int_equal(bytes, 0);
    touch(path, 0, 32, 8 * 4096);
    assert_int_equal(resident_of(path, ranges, &bytes), 0);
    assert_in_range(bytes, 31 * 4096, 33 * 4096);
    touch(path, 0, 64, 8 * 4096);
    assert_int_equal(resident_of(path, ranges, &bytes), 0);
    assert_int_equal(bytes, 64 * 4096);
    unlink(path);
}

static void test_without_names_must_be_contenders(void **state)
{
    (void)state;
    assert_int_equal(ship_without_check(NULL), 0);
    assert_int_equal(ship_without_check("native; max_acc 7;10 %, ship, dense;"
                                        "shipping/with shipping;"
                                        "tasks-per-node/2 per node, shipio"),
                     0);
    assert_int_equal(ship_without_check("native;ship, two bufers"),
                     PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "ship, two buffers"));
}

/* A repetition replaces what the one before recorded, where it stood. */
static void test_measure_with_more_passes_replaces_the_earlier(void **state)
{
    char path[] = "/tmp/test_shipbench.XXXXXX";
    char *words[] = {path, NULL};
    int fd = mkstemp(path);
    struct pario_result *result = NULL;
    const json_t *list;

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(
        pario_result_create("shipbench", 1, words, path, 1, &result), 0);
    for (int i = 0; i < 4; i++) {
        struct pario_measure measure = {
            .test = i % 2 == 0 ? "first" : "second",
            .partition = 2,
            .parameters = json_pack("{s:s}", "series", "native"),
            .bytes = 1000 + i,
            .seconds = 1,
            .first_done_s = -1,
            .last_done_s = -1,
            .replaces = 1};

        assert_int_equal(pario_result_add(result, &measure), 0);
    }
    list = json_object_get(pario_result_document(result), "measures");
    assert_int_equal(json_array_size(list), 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(json_integer_value(
                             json_object_get(json_array_get(list, i), "bytes")),
                         1002 + (int)i);
    pario_result_destroy(result);
    unlink(path);
}

static int start(void **state)
{
    (void)state;
    return pario_par_start(NULL, NULL, &world);
}

static int finish(void **state)
{
    (void)state;
    pario_par_finish(world);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_any_count_is_balanced),
        cmocka_unit_test(test_gain_few_passes_has_students_interval),
        cmocka_unit_test(test_gain_six_passes_has_the_medians_interval),
        cmocka_unit_test(test_figure_numbers_are_the_papers),
        cmocka_unit_test(test_resident_elsewhere_counts_nothing),
        cmocka_unit_test(test_without_names_must_be_contenders),
        cmocka_unit_test(test_measure_with_more_passes_replaces_the_earlier),
    };

    return cmocka_run_group_tests(tests, start, finish);
}
