/* test_seg.c - trees of segments against lists made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "seg.h"

/* Offset of data byte pos, by walking from the start. */
static int64_t walk_to(const struct shipio_tiling *tiling, int64_t pos)
{
    struct shipio_cursor cursor;

    shipio_cursor_init(&cursor, tiling, 0);
    for (;;) {
        int64_t n = shipio_cursor_peek(&cursor);

        if (pos < n)
            return cursor.off + pos;
        shipio_cursor_take(&cursor, n);
        pos -= n;
    }
}

static void test_vector_stays_two_nodes(void **state)
{
    struct shipio_node *node =
        shipio_node_repeat(shipio_node_block(8), 1000000, 24);

    (void)state;
    assert_int_equal(node->kind, SHIPIO_REPEAT);
    assert_int_equal(node->child->kind, SHIPIO_BLOCK);
    assert_int_equal(node->size, 8000000);
    assert_int_equal(node->nseg, 1000000);
    assert_int_equal(node->last, 24 * 999999 + 8);
    shipio_node_put(node);
}

static void test_touching_blocks_become_one(void **state)
{
    struct shipio_node *node =
        shipio_node_repeat(shipio_node_block(8), 1000, 8);
    int64_t disp[3] = {0, 4, 10};
    int64_t lens[3] = {4, 6, 2};
    struct shipio_node *list = shipio_node_blocks(3, disp, lens);

    (void)state;
    assert_int_equal(node->kind, SHIPIO_BLOCK);
    assert_int_equal(node->size, 8000);
    assert_int_equal(list->kind, SHIPIO_BLOCK);
    assert_int_equal(list->size, 12);
    shipio_node_put(node);
    shipio_node_put(list);
}

static void test_regular_list_becomes_repeat(void **state)
{
    int64_t disp[4] = {5, 15, 25, 35};
    int64_t lens[4] = {3, 3, 3, 3};
    struct shipio_node *node = shipio_node_blocks(4, disp, lens);

    (void)state;
    assert_int_equal(node->nseg, 4);
    assert_int_equal(node->first, 5);
    assert_int_equal(node->items[0]->kind, SHIPIO_REPEAT);
    shipio_node_put(node);
}

/* A nested tree: every way of asking for an offset gives the same answer. */
static void test_seek_equals_walk(void **state)
{
    int64_t disp[3] = {0, 40, 100};
    struct shipio_node *parts[3];
    struct shipio_node *node;
    struct shipio_tiling tiling;

    (void)state;
    parts[0] = shipio_node_repeat(shipio_node_block(3), 4, 7);
    parts[1] = shipio_node_block(11);
    parts[2] = shipio_node_repeat(
        shipio_node_repeat(shipio_node_block(1), 3, 2), 2, 20);
    node = shipio_node_join(3, disp, parts);
    assert_non_null(node);
    assert_int_equal(node->size, 12 + 11 + 6);
    assert_true(node->monotone);
    shipio_tiling_init(&tiling, node, 1000, 150);
    for (int64_t pos = 0; pos < 100; pos++) {
        int64_t off = walk_to(&tiling, pos);

        assert_int_equal(shipio_tiling_offset(&tiling, pos), off);
        assert_int_equal(shipio_tiling_below(&tiling, off), pos);
        assert_int_equal(shipio_tiling_below(&tiling, off + 1), pos + 1);
        assert_int_equal(shipio_tiling_end(&tiling, pos + 1), off + 1);
    }
    shipio_node_put(node);
}

static void test_negative_offsets_in_endless_block(void **state)
{
    struct shipio_node *node = shipio_node_shift(shipio_node_block(1), -5);
    struct shipio_tiling tiling;
    struct shipio_cursor cursor;

    (void)state;
    shipio_tiling_init(&tiling, node, 0, 1);
    assert_true(tiling.contig);
    shipio_cursor_init(&cursor, &tiling, 2);
    assert_true(shipio_cursor_peek(&cursor) > 1000000);
    assert_int_equal(cursor.off, -3);
    shipio_node_put(node);
}

static void test_order_is_known(void **state)
{
    struct shipio_node *forth = shipio_node_repeat(shipio_node_block(2), 3, 5);
    struct shipio_node *back = shipio_node_repeat(shipio_node_block(2), 3, -5);
    struct shipio_tiling tiling;

    (void)state;
    assert_true(forth->monotone);
    assert_false(back->monotone);
    assert_int_equal(back->first, -10);
    assert_int_equal(back->last, 2);
    /* Tiles that reach into each other are in order one at a time. */
    shipio_tiling_init(&tiling, forth, 0, 2);
    assert_true(shipio_tiling_ordered(&tiling, 0, 6));
    assert_false(shipio_tiling_ordered(&tiling, 0, 7));
    shipio_node_put(forth);
    shipio_node_put(back);
}

/* Deeper than a cursor can follow: flattened on the way. */
static void test_deep_nesting_works(void **state)
{
    struct shipio_node *node = shipio_node_block(1);
    struct shipio_tiling tiling;
    int64_t stride = 3;

    (void)state;
    for (int i = 0; i < 40; i++) {
        node = shipio_node_shift(node, 1);
        if (i % 8 == 0) {
            node = shipio_node_repeat(node, 2, stride);
            stride *= 3;
        }
    }
    assert_non_null(node);
    assert_true(node->depth < SHIPIO_DEPTH_MAX);
    assert_int_equal(node->size, 32);
    shipio_tiling_init(&tiling, node, 0, 10000);
    for (int64_t pos = 0; pos < 64; pos++)
        assert_int_equal(shipio_tiling_offset(&tiling, pos),
                         walk_to(&tiling, pos));
    shipio_node_put(node);
}

static void test_empty_parts_vanish(void **state)
{
    int64_t disp[2] = {0, 8};
    struct shipio_node *parts[2];
    struct shipio_node *node;

    (void)state;
    parts[0] = shipio_node_repeat(shipio_node_block(4), 0, 8);
    parts[1] = shipio_node_repeat(shipio_node_block(4), 2, 8);
    node = shipio_node_join(2, disp, parts);
    assert_int_equal(node->size, 8);
    assert_int_equal(node->first, 8);
    shipio_node_put(node);
}

/* The first data byte at or beyond x, by walking; limit if there is none. */
static int64_t walk_beyond(const struct shipio_tiling *tiling, int64_t x,
                           int64_t limit)
{
    for (int64_t pos = 0; pos < limit; pos++)
        if (walk_to(tiling, pos) >= x)
            return pos;
    return limit;
}

/* Overlapping, backward and mixed pieces, in tiles that reach into each other
 * or stay where they are. */
static void test_end_without_order_is_found(void **state)
{
    int64_t disp[4] = {30, 0, 12, 3};
    int64_t lens[4] = {5, 4, 3, 2};
    int64_t extents[4] = {0, 1, 7, 50};

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct shipio_node *parts[2];
        struct shipio_node *node;

        if (kind == 0)
            node = shipio_node_repeat(shipio_node_block(4), 2, 0);
        else if (kind == 1)
            node = shipio_node_shift(
                shipio_node_repeat(shipio_node_block(4), 5, -6), 24);
        else
            node = shipio_node_blocks(4, disp, lens);
        if (kind == 3) {
            parts[0] = node;
            parts[1] = shipio_node_repeat(shipio_node_block(2), 3, 9);
            node = shipio_node_join(2, disp, parts);
        }
        assert_non_null(node);
        assert_false(node->monotone);
        for (int e = 0; e < 4; e++) {
            struct shipio_tiling tiling;
            int64_t limit = extents[e] > 0 ? 200 * node->size : node->size;

            shipio_tiling_init(&tiling, node, 10, extents[e]);
            for (int64_t x = 0; x < 100; x++)
                assert_int_equal(shipio_tiling_below(&tiling, x),
                                 walk_beyond(&tiling, x, limit));
        }
        shipio_node_put(node);
    }
}

/* Columns of a matrix: tiles reach into each other, each by itself is in
 * order. */
static void test_interleaved_tiles_are_told_apart(void **state)
{
    struct shipio_node *node = shipio_node_repeat(shipio_node_block(4), 5, 12);
    struct shipio_tiling tiling;

    (void)state;
    shipio_tiling_init(&tiling, node, 100, 4);
    for (int64_t pos = 0; pos < 3 * node->size; pos++) {
        int64_t off = walk_to(&tiling, pos);
        int64_t first = pos / node->size * node->size;

        assert_true(shipio_tiling_ordered(&tiling, first, node->size));
        assert_int_equal(shipio_tiling_below_from(&tiling, first, off), pos);
        assert_int_equal(shipio_tiling_below_from(&tiling, first, off + 1),
                         pos + 1);
        assert_int_equal(shipio_tiling_below_from(&tiling, first, 0), first);
    }
    assert_false(shipio_tiling_ordered(&tiling, 0, node->size + 1));
    shipio_node_put(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector_stays_two_nodes),
        cmocka_unit_test(test_touching_blocks_become_one),
        cmocka_unit_test(test_regular_list_becomes_repeat),
        cmocka_unit_test(test_seek_equals_walk),
        cmocka_unit_test(test_negative_offsets_in_endless_block),
        cmocka_unit_test(test_order_is_known),
        cmocka_unit_test(test_interleaved_tiles_are_told_apart),
        cmocka_unit_test(test_deep_nesting_works),
        cmocka_unit_test(test_empty_parts_vanish),
        cmocka_unit_test(test_end_without_order_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
