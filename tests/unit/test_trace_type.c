/* Datatypes as text: their size, extent and bytes. */
#include "trace/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "size lb extent: offset+len ..." */
static void assert_layout(const char *text, const char *expected)
{
    struct pario_type *type = NULL;
    struct pario_layout layout;
    int64_t work = PARIO_LAYOUT_WORK;
    char found[400];
    int n;

    assert_int_equal(pario_type_parse(text, NULL, &type), 0);
    assert_int_equal(pario_type_layout(type, &work, &layout), 0);
    n = snprintf(found, sizeof(found),
                 "%lld %lld %lld:", (long long)layout.size,
                 (long long)layout.lb, (long long)layout.extent);
    for (size_t i = 0; i < layout.count && n < 380; i++)
        n += snprintf(found + n, sizeof(found) - (size_t)n, " %lld+%lld",
                      (long long)layout.segments[i].offset,
                      (long long)layout.segments[i].len);
    assert_string_equal(found, expected);
    pario_layout_fini(&layout);
    pario_type_destroy(type);
}

static void test_layout_of_each_kind(void **state)
{
    (void)state;
    assert_layout("8", "8 0 8: 0+8");
    assert_layout("0", "0 0 0:");
    assert_layout("c(3,8)", "24 0 24: 0+24");
    assert_layout("v(3,2,20,4)", "24 0 48: 0+8 20+8 40+8");
    assert_layout("v(2,1,-8,4)", "8 -8 12: 0+4 -8+4");
    assert_layout("i(1,2;16,0;4)", "12 0 20: 16+4 0+8");
    assert_layout("i(1*3;0+10*3;4)", "12 0 24: 0+4 10+4 20+4");
    assert_layout("s(1,1;0,8;4;8)", "12 0 16: 0+4 8+8");
    assert_layout("r(-4,100,8)", "8 -4 100: 0+8");
    assert_layout("c(2,r(0,16,8))", "16 0 32: 0+8 16+8");
    assert_layout("a(c;4,4;2,2;1,1;1)", "4 0 16: 5+2 9+2");
    assert_layout("a(f;4,4;2,2;0,2;1)", "4 0 16: 8+2 12+2");
    assert_layout("x(12,20)", "12 0 20: 0+12");
}

static void assert_bounds(const char *text, int64_t size, int64_t low,
                          int64_t high)
{
    struct pario_type *type = NULL;
    struct pario_layout layout;
    int64_t work = PARIO_LAYOUT_WORK;

    assert_int_equal(pario_type_parse(text, NULL, &type), 0);
    assert_int_equal(pario_type_layout(type, &work, &layout), 0);
    assert_int_equal(layout.size, size);
    assert_int_equal(layout.low, low);
    assert_int_equal(layout.high, high);
    pario_layout_fini(&layout);
    pario_type_destroy(type);
}

/* Also where the extent says otherwise, or there are too many pieces. */
static void test_bounds_hold_all_bytes(void **state)
{
    (void)state;
    assert_bounds("r(-4,100,8)", 8, 0, 8);
    assert_bounds("c(3,r(0,-100,8))", 24, -200, 8);
    assert_bounds("v(2,1,-8,4)", 8, -8, 4);
    assert_bounds("i(1,2;16,-32;4)", 12, -32, 20);
    assert_bounds("v(4000000,1,16,8)", 32000000, 0, 3999999LL * 16 + 8);
    assert_bounds("d(0,2;c;40000000;1;1;2;8)", 160000000, 0, 320000000);
}

/* The parts of all processes are the whole array (MPI 4.0, Sect. 5.1.4). */
static void test_layout_of_distributed_arrays_covers_the_array(void **state)
{
    static const char *const arrays[] = {"d(%d,4;c;8,6;0,0;-1,-1;2,2;4)",
                                         "d(%d,4;f;8,6;1,1;3,1;2,2;4)",
                                         "d(%d,4;c;8,6;1,2;-1,-1;4,1;4)"};

    (void)state;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        int owned[48 * 4] = {0};

        for (int rank = 0; rank < 4; rank++) {
            struct pario_type *type = NULL;
            struct pario_layout layout;
            int64_t work = PARIO_LAYOUT_WORK;
            char text[100];
            char format[100];

            snprintf(format, sizeof(format), "%s", arrays[i]);
            snprintf(text, sizeof(text), "d(%d%s", rank, format + 4);
            assert_int_equal(pario_type_parse(text, NULL, &type), 0);
            assert_int_equal(pario_type_layout(type, &work, &layout), 0);
            assert_int_equal(layout.extent, 48 * 4);
            for (size_t k = 0; k < layout.count; k++)
                for (int64_t b = 0; b < layout.segments[k].len; b++)
                    owned[layout.segments[k].offset + b]++;
            pario_layout_fini(&layout);
            pario_type_destroy(type);
        }
        for (int b = 0; b < 48 * 4; b++)
            assert_int_equal(owned[b], 1);
    }
}

static void test_locate_position_in_tiles(void **state)
{
    struct pario_type *type = NULL;
    struct pario_layout layout;
    int64_t work = PARIO_LAYOUT_WORK;
    struct pario_segment piece;

    (void)state;
    assert_int_equal(pario_type_parse("r(0,100,v(2,1,30,10))", NULL, &type), 0);
    assert_int_equal(pario_type_layout(type, &work, &layout), 0);
    assert_int_equal(pario_layout_locate(&layout, 7, 0, &piece), 0);
    assert_int_equal(piece.offset, 7);
    assert_int_equal(piece.len, 10);
    assert_int_equal(pario_layout_locate(&layout, 7, 34, &piece), 0);
    assert_int_equal(piece.offset, 7 + 100 + 34);
    assert_int_equal(piece.len, 6);
    pario_layout_fini(&layout);
    pario_type_destroy(type);
}

static void test_parse_refuses_what_is_no_type(void **state)
{
    static const char *const texts[] = {"",           "q",
                                        "v(1,2",      "v(1,2,3)",
                                        "8x",         "c(-1,8)",
                                        "i(1,2;0;8)", "a(c;4;8;0;1",
                                        "s(1;0;)",    "i(1+9*99999999999;0;8)",
                                        "r(1,2,)",    "99999999999999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct pario_type *type = NULL;

        assert_int_equal(pario_type_parse(texts[i], NULL, &type),
                         PARIO_EFORMAT);
    }
}

/* A few letters that stand for millions cost their share, right or wrong. */
static void test_parse_takes_from_the_work(void **state)
{
    static const char *const texts[] = {"i(1*1000000;", "i(1*600;8+8*600;8)"};
    struct pario_type *type = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int64_t work = 1000;

        assert_int_equal(pario_type_parse(texts[i], &work, &type),
                         PARIO_EFORMAT);
        assert_true(work < 0);
    }
}

/* Counts that no machine has time for. */
static void test_layout_of_hostile_counts_ends(void **state)
{
    static const char *const texts[] = {
        "v(4611686018427387904,1,0,0)", "v(4611686018427387904,1,8,r(0,1,8))",
        "c(4611686018427387904,r(0,8,v(2,1,4,4)))",
        "d(0,1;c;4611686018427387904;1;1;1;r(0,1,1))",
        "c(4611686018427387904,c(4611686018427387904,8))"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct pario_type *type = NULL;
        struct pario_layout layout = {0};
        int64_t work = PARIO_LAYOUT_WORK;

        assert_int_equal(pario_type_parse(texts[i], NULL, &type), 0);
        (void)!pario_type_layout(type, &work, &layout);
        pario_layout_fini(&layout);
        pario_type_destroy(type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout_of_each_kind),
        cmocka_unit_test(test_bounds_hold_all_bytes),
        cmocka_unit_test(test_layout_of_distributed_arrays_covers_the_array),
        cmocka_unit_test(test_locate_position_in_tiles),
        cmocka_unit_test(test_parse_refuses_what_is_no_type),
        cmocka_unit_test(test_parse_takes_from_the_work),
        cmocka_unit_test(test_layout_of_hostile_counts_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
