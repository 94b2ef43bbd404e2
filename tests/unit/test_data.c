/* tests/unit/test_data.c */
#include "core/data.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define KEY 0x0123456789abcdefu

static const struct pario_data data = {KEY, 5};

/* The bytes are fixed for ever: a file of an older version still verifies. */
static void test_fill_known_places_gives_golden_bytes(void **state)
{
    static const struct {
        struct pario_data data;
        int64_t offset;
        unsigned char bytes[16];
    } golden[] = {
        {{0x0u, 0},
         0,
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x2a, 0xb4, 0xca,
          0x9d, 0xee, 0x89, 0xfb, 0x17}},
        {{0x1u, 0},
         0,
         {0x2b, 0x03, 0xb1, 0xb0, 0xb8, 0xfe, 0xe8, 0xd6, 0x6a, 0xb0, 0x89,
          0x21, 0x17, 0x86, 0xb6, 0x9c}},
        {{0x123456789abcdefu, 5},
         13,
         {0x16, 0x79, 0xb1, 0x76, 0x83, 0xf0, 0xe8, 0x8f, 0xb3, 0xc2, 0x64,
          0xd4, 0x62, 0x7e, 0x6b, 0x1a}},
        {{0xffffffffffffffffu, 1048575},
         140737488355312,
         {0x43, 0x54, 0x06, 0x85, 0xcb, 0x2f, 0x64, 0x91, 0x21, 0x2a, 0x83,
          0xc2, 0xe5, 0x17, 0xb2, 0x48}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(golden); i++) {
        unsigned char buf[16];

        pario_data_fill(&golden[i].data, golden[i].offset, buf, sizeof(buf));
        assert_memory_equal(buf, golden[i].bytes, sizeof(buf));
    }
}

static void test_fill_any_alignment_gives_same_bytes(void **state)
{
    enum { LEN = 100, OFFSETS = 24 };
    unsigned char whole[LEN + OFFSETS];

    (void)state;
    pario_data_fill(&data, 0, whole, sizeof(whole));
    for (int64_t offset = 0; offset < OFFSETS; offset++) {
        for (size_t len = 0; len <= LEN; len++) {
            for (size_t shift = 0; shift < 9; shift++) {
                unsigned char buf[LEN + 16];
                struct pario_data_error err;

                memset(buf, 0xa5, sizeof(buf));
                pario_data_fill(&data, offset, buf + shift, len);
                assert_memory_equal(buf + shift, whole + offset, len);
                assert_true(shift == 0 || buf[shift - 1] == 0xa5);
                assert_int_equal(buf[shift + len], 0xa5);
                assert_int_equal(
                    pario_data_check(&data, offset, buf + shift, len, &err), 0);
            }
        }
    }
}

static void test_check_flipped_bit_gives_its_offset(void **state)
{
    static const size_t lens[] = {1, 3, 7, 8, 9, 31, 64, 100, 517};
    unsigned char buf[520];

    (void)state;
    for (size_t i = 0; i < COUNT(lens); i++) {
        for (int64_t offset = 1000; offset < 1009; offset++) {
            pario_data_fill(&data, offset, buf, lens[i]);
            for (size_t bit = 0; bit < lens[i] * 8; bit++) {
                unsigned char right = buf[bit / 8];
                struct pario_data_error err = {0};

                buf[bit / 8] ^= (unsigned char)(1u << bit % 8);
                assert_int_equal(
                    pario_data_check(&data, offset, buf, lens[i], &err),
                    PARIO_EVERIFY);
                assert_int_equal(err.offset, offset + (int64_t)(bit / 8));
                assert_int_equal(err.expected, right);
                assert_int_equal(err.found, buf[bit / 8]);
                assert_int_equal(err.wrong_bytes, 1);
                buf[bit / 8] = right;
            }
        }
    }
}

static void test_check_flipped_bit_in_large_buffer_is_found(void **state)
{
    enum { LEN = 300000 };
    unsigned char *buf = malloc(LEN);
    struct pario_rng rng;

    (void)state;
    assert_non_null(buf);
    pario_rng_init(&rng, 1);
    for (int i = 0; i < 200; i++) {
        int64_t offset = (int64_t)pario_rng_below(&rng, (uint64_t)1 << 46);
        size_t place = (size_t)pario_rng_below(&rng, LEN);
        struct pario_data_error err = {0};

        pario_data_fill(&data, offset, buf, LEN);
        assert_int_equal(pario_data_check(&data, offset, buf, LEN, &err), 0);
        buf[place] ^= 0x10;
        assert_int_equal(pario_data_check(&data, offset, buf, LEN, &err),
                         PARIO_EVERIFY);
        assert_int_equal(err.offset, offset + (int64_t)place);
        assert_int_equal(err.wrong_bytes, 1);
    }
    free(buf);
}

static void test_check_several_errors_counts_all(void **state)
{
    enum { LEN = 20000 };
    static unsigned char buf[LEN];
    struct pario_data_error err;

    (void)state;
    pario_data_fill(&data, 3, buf, LEN);
    buf[2] ^= 1;          /* head */
    buf[7000] ^= 0xff;    /* a block of words */
    buf[15000] ^= 0x80;   /* another */
    buf[LEN - 1] ^= 0x01; /* tail */
    assert_int_equal(pario_data_check(&data, 3, buf, LEN, &err), PARIO_EVERIFY);
    assert_int_equal(err.wrong_bytes, 4);
    assert_int_equal(err.offset, 5);
    assert_int_equal(err.word_is_whole, 0);
}

static void test_check_right_data_leaves_error_alone(void **state)
{
    struct pario_data_error err = {.offset = 77};
    unsigned char buf[64];

    (void)state;
    pario_data_fill(&data, 0, buf, sizeof(buf));
    assert_int_equal(pario_data_check(&data, 0, buf, sizeof(buf), &err), 0);
    assert_int_equal(err.offset, 77);
}

/* Checks a block that holds what belongs elsewhere; the text of describe. */
static void check_foreign(const struct pario_data *from, int64_t from_offset,
                          int64_t offset, char *text, size_t len)
{
    unsigned char buf[4096];
    struct pario_data_error err;

    pario_data_fill(from, from_offset, buf, sizeof(buf));
    assert_int_equal(pario_data_check(&data, offset, buf, sizeof(buf), &err),
                     PARIO_EVERIFY);
    assert_in_range(err.offset, (uint64_t)offset, (uint64_t)offset + 7);
    assert_true(err.wrong_bytes > 4000);
    assert_int_equal(err.word_is_whole, 1);
    pario_data_describe(&data, 8, &err, text, len);
}

static void test_describe_misplaced_block_gives_its_place(void **state)
{
    const struct pario_data other = {KEY, 7};
    char text[256];

    (void)state;
    check_foreign(&data, 1 << 20, 8192, text, sizeof(text));
    assert_non_null(strstr(text, "wrong data at offset 8192 of file 5"));
    assert_non_null(strstr(text, "belong at offset 1048576"));
    check_foreign(&data, 8, 0, text, sizeof(text));
    assert_non_null(strstr(text, "belong at offset 8"));
    check_foreign(&other, 8192, 8192, text, sizeof(text));
    assert_non_null(strstr(text, "belong to file 7 at offset 8192"));
    check_foreign(&other, (int64_t)1 << 46, 8192, text, sizeof(text));
    assert_non_null(strstr(text, "file 7 at offset 70368744177664"));
}

static void test_describe_stale_block_belongs_nowhere(void **state)
{
    const struct pario_data earlier = {KEY + 1234567, 5};
    char text[256];

    (void)state;
    check_foreign(&earlier, 8192, 8192, text, sizeof(text));
    assert_non_null(strstr(text, "belong nowhere in this run"));
}

static void test_describe_zeros_says_zeros(void **state)
{
    unsigned char buf[512] = {0};
    struct pario_data_error err;
    char text[256];

    (void)state;
    assert_int_equal(pario_data_check(&data, 4096, buf, sizeof(buf), &err),
                     PARIO_EVERIFY);
    pario_data_describe(&data, 8, &err, text, sizeof(text));
    assert_non_null(strstr(text, "are zeros"));
    assert_non_null(strstr(text, "found 0x00"));
}

static void test_describe_flipped_bit_says_so(void **state)
{
    unsigned char buf[512];
    struct pario_data_error err;
    char text[256], expected[64];

    (void)state;
    pario_data_fill(&data, 4096, buf, sizeof(buf));
    snprintf(expected, sizeof(expected),
             "offset 4108 of file 5: expected 0x%02x, found 0x%02x, 1 byte ",
             buf[12], buf[12] ^ 4);
    buf[12] ^= 4;
    assert_int_equal(pario_data_check(&data, 4096, buf, sizeof(buf), &err),
                     PARIO_EVERIFY);
    pario_data_describe(&data, 8, &err, text, sizeof(text));
    assert_non_null(strstr(text, expected));
    assert_non_null(strstr(text, "one bit is flipped"));
}

static void test_describe_partial_word_says_too_few(void **state)
{
    unsigned char buf[4];
    struct pario_data_error err;
    char text[256];

    (void)state;
    pario_data_fill(&data, 4, buf, sizeof(buf));
    buf[0] ^= 1;
    assert_int_equal(pario_data_check(&data, 4, buf, sizeof(buf), &err),
                     PARIO_EVERIFY);
    pario_data_describe(&data, 8, &err, text, sizeof(text));
    assert_non_null(strstr(text, "too few bytes"));
}

static void test_describe_short_buffer_ends_with_nul(void **state)
{
    struct pario_data_error err = {.offset = 1, .wrong_bytes = 1};
    char text[10];

    (void)state;
    memset(text, 'x', sizeof(text));
    pario_data_describe(&data, 8, &err, text, sizeof(text));
    assert_int_equal(strlen(text), 9);
}

/* The word as it stands in the file, by way of its bytes. */
static uint64_t word_in_file(const struct pario_data *from, int64_t offset)
{
    unsigned char bytes[8];
    uint64_t word = 0;

    pario_data_fill(from, offset, bytes, sizeof(bytes));
    for (int i = 7; i >= 0; i--)
        word = word << 8 | bytes[i];
    return word;
}

static void test_locate_any_word_gives_file_and_offset(void **state)
{
    struct pario_rng rng;

    (void)state;
    pario_rng_init(&rng, 3);
    for (int i = 0; i < 100000; i++) {
        struct pario_data from = {pario_rng_next(&rng),
                                  pario_rng_below(&rng, 1 << 20)};
        int64_t place = (int64_t)pario_rng_below(&rng, (uint64_t)1 << 44) * 8;
        uint64_t word = word_in_file(&from, place);
        uint64_t file = 0;
        int64_t offset = -1;

        assert_int_equal(
            pario_data_locate(from.key, from.file + 1, word, &file, &offset),
            1);
        assert_int_equal(file, from.file);
        assert_int_equal(offset, place);
        assert_int_equal(
            pario_data_locate(from.key, from.file, word, &file, &offset), 0);
    }
}

static int compare_uint64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Words of several files and of another run: no two alike. */
static void test_fill_many_files_gives_unique_words(void **state)
{
    enum { FILES = 16, RUNS = 2, WORDS = 4096, ALL = RUNS * FILES * WORDS };
    uint64_t *words = calloc(ALL, sizeof(*words));
    size_t n = 0;

    (void)state;
    assert_non_null(words);
    for (uint64_t run = 0; run < RUNS; run++) {
        for (uint64_t file = 0; file < FILES; file++, n += WORDS) {
            struct pario_data from = {KEY * (run + 1), file};

            pario_data_fill(&from, 0, &words[n], WORDS * sizeof(*words));
        }
    }
    qsort(words, ALL, sizeof(*words), compare_uint64);
    for (size_t i = 1; i < ALL; i++)
        assert_true(words[i - 1] != words[i]);
    free(words);
}

/* At the same offset nearly all bytes of two files differ, not only some
 * bytes of each word. */
static void test_fill_two_files_differ_in_all_bytes(void **state)
{
    enum { WORDS = 2560 };
    static unsigned char a[WORDS][8], b[WORDS][8];
    const struct pario_data next = {KEY, 6};

    (void)state;
    pario_data_fill(&data, 0, a, sizeof(a));
    pario_data_fill(&next, 0, b, sizeof(b));
    for (int byte = 0; byte < 8; byte++) {
        int same = 0;

        for (int i = 0; i < WORDS; i++)
            same += a[i][byte] == b[i][byte];
        assert_in_range(same, 0, 40); /* 10 expected */
    }
}

static void test_check_stamped_finds_misplaced_and_flipped(void **state)
{
    enum { LEN = 4096 + 1032 };
    struct pario_data base = {.key = 5, .file = 1000};
    struct pario_data_chunk chunk = {.data = {.key = 5, .file = 3},
                                     .offset = 8 * LEN,
                                     .base = base,
                                     .base_offset = 64};
    struct pario_data_error error;
    unsigned char buf[LEN];

    (void)state;
    pario_data_fill(&base, 64, buf, LEN);
    pario_data_stamp(&chunk.data, chunk.offset, buf, LEN);
    assert_int_equal(pario_data_check_stamped(&chunk, buf, LEN, &error), 0);
    for (size_t at = 0; at < LEN; at++) {
        buf[at] ^= 0x10;
        assert_int_equal(pario_data_check_stamped(&chunk, buf, LEN, &error),
                         PARIO_EVERIFY);
        assert_int_equal(error.offset, chunk.offset + (int64_t)at);
        assert_int_equal(error.wrong_bytes, 1);
        buf[at] ^= 0x10;
    }
    /* The chunk of the call before, at the same place of the buffer. */
    pario_data_stamp(&chunk.data, chunk.offset - LEN, buf, LEN);
    assert_int_equal(pario_data_check_stamped(&chunk, buf, LEN, &error),
                     PARIO_EVERIFY);
    assert_true(error.word_is_whole);
    {
        uint64_t file = 0;
        int64_t offset = 0;

        assert_int_equal(
            pario_data_locate(5, 4, error.found_word, &file, &offset), 1);
        assert_int_equal(file, 3);
        assert_int_equal(offset, chunk.offset - LEN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill_known_places_gives_golden_bytes),
        cmocka_unit_test(test_fill_any_alignment_gives_same_bytes),
        cmocka_unit_test(test_check_flipped_bit_gives_its_offset),
        cmocka_unit_test(test_check_flipped_bit_in_large_buffer_is_found),
        cmocka_unit_test(test_check_several_errors_counts_all),
        cmocka_unit_test(test_check_right_data_leaves_error_alone),
        cmocka_unit_test(test_describe_misplaced_block_gives_its_place),
        cmocka_unit_test(test_describe_stale_block_belongs_nowhere),
        cmocka_unit_test(test_describe_zeros_says_zeros),
        cmocka_unit_test(test_describe_flipped_bit_says_so),
        cmocka_unit_test(test_describe_partial_word_says_too_few),
        cmocka_unit_test(test_describe_short_buffer_ends_with_nul),
        cmocka_unit_test(test_locate_any_word_gives_file_and_offset),
        cmocka_unit_test(test_fill_many_files_gives_unique_words),
        cmocka_unit_test(test_fill_two_files_differ_in_all_bytes),
        cmocka_unit_test(test_check_stamped_finds_misplaced_and_flipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
