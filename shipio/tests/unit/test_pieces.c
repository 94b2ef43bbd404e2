/* test_pieces.c - lists of runs against a plain array of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pieces.h"

#define BYTES 600
#define LISTS 5

static unsigned seed = 1;

static int any(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)((seed >> 16) % (unsigned)n);
}

/* Pieces of one kind after the other, some regular, some not. */
static void fill(struct shipio_piece_list *list, char *bytes)
{
    int at = any(20);

    memset(bytes, 0, BYTES);
    while (at < BYTES) {
        int len = 1 + any(6);
        int gap = any(3) == 0 ? 0 : 1 + any(9);

        for (int i = any(8); i >= 0 && at + len <= BYTES; i--) {
            shipio_pieces_add(list, at, len);
            memset(bytes + at, 1, (size_t)len);
            at += len + gap;
        }
        at += any(30);
    }
    shipio_pieces_end(list);
    assert_int_equal(list->error, 0);
}

static void same(const struct shipio_pieces *pieces, const char *bytes)
{
    for (int i = 0; i < 60; i++) {
        int low = i == 0 ? 0 : any(BYTES);
        int high = i == 0 ? BYTES : low + any(BYTES - low + 1);
        struct shipio_range extent = shipio_pieces_extent(pieces, low, high);
        struct shipio_pieces_walk walk;
        int64_t first = -1;
        int64_t last = -1;
        int64_t sum = 0;
        int64_t at = low;

        shipio_pieces_walk_init(&walk, pieces, low, high);
        while (shipio_pieces_walk_next(&walk)) {
            for (; at < walk.start; at++)
                assert_int_equal(bytes[at], 0);
            for (; at < walk.start + walk.len; at++)
                assert_int_equal(bytes[at], 1);
        }
        for (; at < high; at++)
            assert_int_equal(bytes[at], 0);
        for (int64_t k = low; k < high; k++) {
            sum += bytes[k];
            first = first < 0 && bytes[k] ? k : first;
            last = bytes[k] ? k : last;
        }
        assert_int_equal(shipio_pieces_count(pieces, low, high), sum);
        assert_int_equal(extent.len, sum > 0 ? last - first + 1 : 0);
        if (sum > 0)
            assert_int_equal(extent.start, first);
    }
}

static struct shipio_pieces view(const struct shipio_piece_list *list)
{
    return (struct shipio_pieces){.items = list->items, .n = list->n};
}

static void test_lists_hold_what_was_added(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct shipio_piece_list list = {.n = 0};
        struct shipio_pieces pieces;
        char bytes[BYTES];

        fill(&list, bytes);
        pieces = view(&list);
        same(&pieces, bytes);
        shipio_pieces_free(&list);
    }
}

static void test_merged_lists_hold_the_bytes_of_all(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct shipio_piece_list lists[LISTS] = {{.n = 0}};
        struct shipio_pieces views[LISTS];
        struct shipio_piece_list all = {.n = 0};
        struct shipio_pieces pieces;
        char bytes[BYTES] = {0};
        char one[BYTES];
        int n = 1 + any(LISTS);

        for (int k = 0; k < n; k++) {
            fill(&lists[k], one);
            views[k] = view(&lists[k]);
            for (int b = 0; b < BYTES; b++)
                bytes[b] = (char)(bytes[b] | one[b]);
        }
        shipio_pieces_merge(&all, views, n);
        pieces = view(&all);
        same(&pieces, bytes);
        for (int k = 0; k < n; k++)
            shipio_pieces_free(&lists[k]);
        shipio_pieces_free(&all);
    }
}

/* Ranks that take turns: one run, or one piece, however many pieces. */
static void test_turns_of_ranks_merge_to_one_run(void **state)
{
    struct shipio_series items[4];
    struct shipio_pieces lists[4];
    struct shipio_piece_list all = {.n = 0};

    (void)state;
    for (int k = 0; k < 4; k++) {
        items[k] = (struct shipio_series){.start = 5 + 8 * ((k + 1) % 4),
                                          .len = 8,
                                          .stride = 100,
                                          .count = 1000000};
        lists[k] = (struct shipio_pieces){.items = &items[k], .n = 1};
    }
    shipio_pieces_merge(&all, lists, 4);
    assert_int_equal(all.n, 1);
    assert_int_equal(all.items[0].start, 5);
    assert_int_equal(all.items[0].len, 32);
    assert_int_equal(all.items[0].stride, 100);
    assert_int_equal(all.items[0].count, 1000000);
    shipio_pieces_free(&all);
    for (int k = 0; k < 4; k++)
        items[k].stride = 32;
    shipio_pieces_merge(&all, lists, 4);
    assert_int_equal(all.n, 1);
    assert_int_equal(all.items[0].len, 32000000);
    assert_int_equal(all.items[0].count, 1);
    shipio_pieces_free(&all);
}

static bool every_second(const void *argument, const struct shipio_series *item)
{
    const struct shipio_series *first = argument;

    return (item - first) % 2 == 0;
}

static void test_a_list_comes_back_from_a_message(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct shipio_piece_list list = {.n = 0};
        struct shipio_piece_list back = {.n = 0};
        struct shipio_pieces pieces;
        unsigned char coded[BYTES * SHIPIO_SERIES_CODED];
        char bytes[BYTES];
        int64_t len;

        fill(&list, bytes);
        pieces = view(&list);
        len = shipio_pieces_encode(&pieces, NULL, NULL, coded);
        assert_int_equal(shipio_pieces_encode(&pieces, NULL, NULL, NULL), len);
        assert_true(len <= 8 * list.n);
        assert_true(shipio_pieces_decode(&back, coded, len));
        assert_int_equal(back.n, list.n);
        pieces = view(&back);
        same(&pieces, bytes);
        if (len > 0)
            assert_false(shipio_pieces_decode(&back, coded, len - 1));
        shipio_pieces_free(&back);
        pieces = view(&list);
        len = shipio_pieces_encode(&pieces, every_second, list.items, coded);
        assert_true(shipio_pieces_decode(&back, coded, len));
        assert_int_equal(back.n, (list.n + 1) / 2);
        for (int64_t k = 0; k < back.n; k++)
            assert_memory_equal(&back.items[k], &list.items[2 * k],
                                sizeof(back.items[k]));
        shipio_pieces_free(&list);
        shipio_pieces_free(&back);
    }
}

static void test_a_regular_view_is_one_run(void **state)
{
    struct shipio_piece_list list = {.n = 0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        /* In two halves, as a type may have it. */
        shipio_pieces_add(&list, 16 * i, 4);
        shipio_pieces_add(&list, 16 * i + 4, 4);
    }
    shipio_pieces_end(&list);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.items[0].len, 8);
    assert_int_equal(list.items[0].count, 1000);
    shipio_pieces_free(&list);
}

static void test_a_list_that_is_too_long_says_so(void **state)
{
    struct shipio_piece_list list = {.most = 16};

    (void)state;
    for (int i = 0; i < 1000; i++)
        shipio_pieces_add(&list, 100 * i + i * i % 7, 1 + i % 3);
    assert_true(list.error < 0);
    shipio_pieces_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_hold_what_was_added),
        cmocka_unit_test(test_merged_lists_hold_the_bytes_of_all),
        cmocka_unit_test(test_turns_of_ranks_merge_to_one_run),
        cmocka_unit_test(test_a_list_comes_back_from_a_message),
        cmocka_unit_test(test_a_regular_view_is_one_run),
        cmocka_unit_test(test_a_list_that_is_too_long_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
