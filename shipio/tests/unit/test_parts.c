/* test_parts.c - notes of pieces, coverage of stripes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cover.h"
#include "parts.h"

#define STRIPE 4096

static struct shipio_parts *new_parts(void)
{
    struct shipio_parts *parts = calloc(1, (size_t)shipio_parts_room(STRIPE));

    assert_non_null(parts);
    return parts;
}

static void test_equal_pieces_make_one_run(void **state)
{
    struct shipio_parts *parts = new_parts();
    uint64_t scratch[STRIPE / 64 + 8];

    (void)state;
    for (int i = 0; i < 50; i++)
        shipio_parts_add(parts, STRIPE, scratch, 7 + 40 * i, 10);
    assert_int_equal(parts->nruns, 1);
    assert_int_equal(parts->nbytes, 500);
    assert_int_equal(shipio_parts_len(parts, STRIPE),
                     (int64_t)offsetof(struct shipio_parts, list) +
                         (int64_t)sizeof(struct shipio_run));
    free(parts);
}

/* More runs than there is room for: the same pieces come out again. */
static void check_walk(int piece_max, bool bits)
{
    struct shipio_parts *parts = new_parts();
    uint64_t scratch[STRIPE / 64 + 8];
    unsigned char want[STRIPE] = {0};
    unsigned char got[STRIPE] = {0};
    uint64_t cover[STRIPE / 64 + 8] = {0};
    struct shipio_parts_walk walk;
    int64_t start = 0;
    int64_t len = 0;
    unsigned seed = 5;

    for (int64_t at = 0; at < STRIPE - 2 * piece_max;) {
        seed = seed * 1103515245u + 12345u;
        len = 1 + (int64_t)(seed >> 16) % piece_max;
        memset(want + at, 1, (size_t)len);
        shipio_parts_add(parts, STRIPE, scratch, at, len);
        at += len + 1 + (int64_t)(seed >> 20) % piece_max;
    }
    assert_int_equal(parts->as_bits != 0, bits);
    shipio_parts_walk_init(&walk, parts, STRIPE);
    while (shipio_parts_walk_next(&walk))
        memset(got + walk.start, 1, (size_t)walk.len);
    assert_memory_equal(got, want, STRIPE);
    memset(got, 0, STRIPE);
    shipio_parts_cover(parts, STRIPE, cover);
    len = 0;
    while (shipio_cover_next(cover, STRIPE, &start, &len)) {
        memset(got + start, 1, (size_t)len);
        start += len;
    }
    assert_memory_equal(got, want, STRIPE);
    free(parts);
}

static void test_runs_give_pieces_back(void **state)
{
    (void)state;
    check_walk(200, false);
}

static void test_bits_give_pieces_back(void **state)
{
    (void)state;
    check_walk(5, true);
}

static void test_cover_finds_runs_over_words(void **state)
{
    uint64_t bits[4] = {0};
    int64_t start = 0;
    int64_t len = 0;

    (void)state;
    shipio_cover_mark(bits, 60, 10);
    shipio_cover_mark(bits, 70, 58);
    shipio_cover_mark(bits, 200, 1);
    assert_true(shipio_cover_next(bits, 256, &start, &len));
    assert_int_equal(start, 60);
    assert_int_equal(len, 68);
    start += len;
    assert_true(shipio_cover_next(bits, 256, &start, &len));
    assert_int_equal(start, 200);
    assert_int_equal(len, 1);
    start += len;
    assert_false(shipio_cover_next(bits, 256, &start, &len));
}

/* Each pair of runs, as it is said in words. */
static bool pairs_disjoint(const struct shipio_run *runs, int n, int64_t stride)
{
    for (int a = 0; a < n; a++) {
        if (runs[a].len > stride)
            return false;
        for (int b = 0; b < a; b++) {
            int64_t gap = (int64_t)runs[b].start - runs[a].start;

            gap = (gap % stride + stride) % stride;
            if (gap < runs[a].len || gap + runs[b].len > stride)
                return false;
        }
    }
    return true;
}

static void test_runs_of_256_ranks_are_disjoint_or_not(void **state)
{
    struct shipio_run runs[256];
    struct shipio_run copy[256];
    unsigned random = 1;
    int disjoint = 0;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        int n = 1 + round % 256;
        int64_t stride = (int64_t)n * 64;
        /* Most are neighbours; now and then one is a byte too long. */
        bool spoilt = round % 3 == 0;

        for (int i = 0; i < n; i++) {
            random = random * 1103515245u + 12345u;
            runs[i] = (struct shipio_run){
                .start = (uint32_t)(i * 7 % n * 64 + 13) +
                         (random >> 16) % 3 * (uint32_t)stride,
                .len = spoilt && (random >> 20) % (unsigned)n == 0 ? 65 : 64,
                .stride = (uint32_t)stride,
                .count = 3};
        }
        for (int i = 0; i < n; i++)
            copy[i] = runs[i];
        disjoint += pairs_disjoint(runs, n, stride);
        assert_int_equal(shipio_runs_disjoint(copy, n, stride),
                         pairs_disjoint(runs, n, stride));
    }
    assert_true(disjoint > 500 && disjoint < 1900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_pieces_make_one_run),
        cmocka_unit_test(test_runs_give_pieces_back),
        cmocka_unit_test(test_bits_give_pieces_back),
        cmocka_unit_test(test_cover_finds_runs_over_words),
        cmocka_unit_test(test_runs_of_256_ranks_are_disjoint_or_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
