/* iotparams.in: what is accepted, and what is said about what is not. */
#include "core/rng.h"
#include "suites/iot/keywords.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct iot_errors errors;
static struct iot_params params;

static void read_text(const char *text, int nprocs)
{
    errors.path = "iotparams.in";
    assert_int_equal(iot_params_read(text, nprocs, 0, &errors, &params), 0);
}

static int forget(void **state)
{
    (void)state;
    iot_params_fini(&params);
    iot_errors_fini(&errors);
    return 0;
}

static void assert_says(const char *part)
{
    if (errors.text == NULL || strstr(errors.text, part) == NULL)
        fail_msg("no '%s' in: %s", part, errors.text ? errors.text : "");
}

#define LOW(test)                                                              \
    "class Lowlevel\ntestname " test "\nfilename /tmp/x\ncollective true\n"
#define SINGLE "classname Lowlevel\ntestname single\nfilename /tmp/x\n"
#define MATRIX "class Kernel\ntestname matrix2D\nfilename /tmp/x\n"

static void test_read_products_gives_each_with_each(void **state)
{
    (void)state;
    read_text(SINGLE "numfilesize 2\nfilesize 0.8 1.6 9\nnumblocksize 2\n"
                     "blocksize 0.2,0.4\n",
              1);
    assert_int_equal(errors.count, 0);
    assert_int_equal(params.ntests, 1);
    assert_int_equal(params.test[0].nsets, 4);
    assert_int_equal(params.test[0].set[1].file_bytes, 800000);
    assert_int_equal(params.test[0].set[1].block_bytes, 400000);
    assert_int_equal(params.test[0].set[2].file_bytes, 1600000);
}

static void test_read_numruns_gives_pairs(void **state)
{
    (void)state;
    read_text(SINGLE "numruns 2\nfilesize 0.8 1.6\nblocksize 0.2 0.4\n", 1);
    assert_int_equal(errors.count, 0);
    assert_int_equal(params.test[0].nsets, 2);
    assert_int_equal(params.test[0].set[1].file_bytes, 1600000);
    assert_int_equal(params.test[0].set[1].block_bytes, 400000);
}

static void test_read_lists_without_numbers_is_an_error(void **state)
{
    (void)state;
    read_text(SINGLE "filesize 1 2\nblocksize 0.2 0.4\n", 1);
    assert_int_equal(errors.count, 1);
    assert_says("numruns");
}

static void test_read_block_larger_than_file(void **state)
{
    (void)state;
    read_text(SINGLE "numruns 1\nfilesize 1\nblocksize 2\n", 1);
    assert_int_equal(errors.count, 1);
    assert_says("iotparams.in:6: a block of 2000000 bytes is larger");
    forget(state);
    /* As one of several combinations it is left out. */
    read_text(SINGLE "numfilesize 2\nfilesize 1 4\nblocksize 2\n", 1);
    assert_int_equal(errors.count, 0);
    assert_int_equal(errors.nwarnings, 1);
    assert_int_equal(params.test[0].nsets, 1);
}

static void test_read_collects_all_errors_with_lines(void **state)
{
    (void)state;
    read_text("% comment\n"
              "classname Lowlevel\n"
              "testname singel\n"
              "classname Kernel\n"
              "testname matrix2D\n"
              "filename /tmp/x\n"
              "problemsize 10\n"
              "xproc 3\n"
              "yproc 2\n"
              "blocksise 4\n"
              "class Lowlevel\n"
              "testname single\n"
              "filename /tmp/x\n"
              "numruns 1\n"
              "filesize 1.0000001\n"
              "blocksize 1\n"
              "cb_nodes two\n",
              4);
    assert_says("iotparams.in:3: unknown testname 'singel'; did you mean");
    assert_says("iotparams.in:10: unknown keyword 'blocksise'; did you mean "
                "blocksize");
    assert_says("iotparams.in:8: the process grid 3 x 2 has 6 processes, the "
                "run has 4");
    assert_says("iotparams.in:8: xsize 10 is not divisible by xproc 3");
    assert_says("iotparams.in:17: cb_nodes: 'two' is no whole number");
    assert_says(
        "iotparams.in:15: filesize 1.0000001 MB is no multiple of 8 bytes");
    assert_int_equal(errors.count, 6);
}

static void test_read_size_not_multiple_of_8_is_an_error(void **state)
{
    (void)state;
    read_text(SINGLE "numruns 1\nfilesize 1\nblocksize 0.000004\n", 1);
    assert_says("iotparams.in:6: blocksize 4e-06 MB is no multiple of 8");
}

static void test_read_required_keywords_are_named(void **state)
{
    (void)state;
    read_text("class Lowlevel\ntestname multiple\nfilename /tmp/x\n", 1);
    assert_int_equal(errors.count, 3);
    assert_says("needs the keyword filesize");
    assert_says("needs the keyword blocksize");
    assert_says("needs the keyword collective");
}

static void test_read_keyword_of_another_test_is_an_error(void **state)
{
    (void)state;
    read_text(SINGLE "numruns 1\nfilesize 1\nblocksize 1\nxproc 1\n", 1);
    assert_says("iotparams.in:7: xproc is no keyword of the test single");
}

static void test_read_class_of_another_test_is_an_error(void **state)
{
    (void)state;
    read_text("class Kernel\ntestname single\nfilename x\nnumruns 1\n"
              "filesize 1\nblocksize 1\n",
              1);
    assert_says("iotparams.in:2: single is a test of the class Lowlevel");
}

static void test_read_wrapped_comment_is_a_warning(void **state)
{
    (void)state;
    read_text("# must come at the beginning of each test\nsection.\n" SINGLE
              "numruns 1\nfilesize 1\nblocksize 1\n",
              1);
    assert_int_equal(errors.count, 0);
    assert_int_equal(errors.nwarnings, 1);
    forget(state);
    read_text(SINGLE "section.\nnumruns 1\nfilesize 1\nblocksize 1\n", 1);
    assert_int_equal(errors.count, 1);
}

static void test_read_matrix_sizes_both_ways(void **state)
{
    (void)state;
    read_text(MATRIX "numsizes 2\nxsize 8,16\nysize 4,8\nnumprocgrids 2\n"
                     "xproc 1 2\nyproc 2 1\n" MATRIX
                     "problem_size 8\nxproc 2\nyproc 1\n",
              2);
    assert_int_equal(errors.count, 0);
    assert_int_equal(params.test[0].nsets, 4);
    assert_int_equal(params.test[0].set[3].size[0], 16);
    assert_int_equal(params.test[0].set[3].size[1], 8);
    assert_int_equal(params.test[0].set[3].grid[0], 2);
    assert_int_equal(params.test[0].set[3].file_bytes, 16 * 8 * 8);
    assert_int_equal(params.test[1].set[0].size[1], 8);
}

#define LATTICE                                                                \
    "class Kernel\ntestname matrix4D\nfilename x\n"                            \
    "xproc 1\nyproc 1\nzproc 1\ntproc 2\n"

static void test_read_lattice_has_four_sizes_and_ghosts(void **state)
{
    (void)state;
    read_text(LATTICE "xsize 4\nysize 3\nzsize 2\ntsize 6\nghost 2\n" LATTICE
                      "problemsize 4\n",
              2);
    assert_int_equal(errors.count, 0);
    assert_int_equal(params.test[0].set[0].size[3], 6);
    assert_int_equal(params.test[0].set[0].grid[3], 2);
    assert_int_equal(params.test[0].set[0].ghost, 2);
    assert_int_equal(params.test[0].set[0].file_bytes, 4 * 3 * 2 * 6 * 8);
    /* (4 + 4) (3 + 4) (2 + 4) (3 + 4) doubles of each of two processes. */
    assert_int_equal(params.test[0].bench->memory(params.test[0].set, 2, 2),
                     8 * 7 * 6 * 7 * 8 * 2);
    assert_int_equal(params.test[1].set[0].ghost, 1);
}

static void test_read_lattice_errors_are_named(void **state)
{
    (void)state;
    read_text(LATTICE "xsize 4\nysize 3\nzsize 2\n", 2);
    assert_says("needs problemsize, or xsize and ysize and zsize and tsize");
    forget(state);
    read_text(LATTICE "problemsize 4\nghost 65\n", 2);
    assert_says("ghost is one number from 0 to 64");
    forget(state);
    read_text(LATTICE "problemsize 5\n", 4);
    assert_says("the process grid 1 x 1 x 1 x 2 has 2 processes, the run has "
                "4");
    assert_says("tsize 5 is not divisible by tproc 2");
    forget(state);
    read_text(MATRIX "problemsize 4\nxproc 1\nyproc 1\nghost 1\n", 1);
    assert_says("ghost is no keyword of the test matrix2D");
}

static void test_read_hints_are_kept(void **state)
{
    (void)state;
    read_text(LOW("multiple") "numruns 1\nfilesize 1\nblocksize 0.1\n"
                              "collective_buffering true\nchunked 4,4\n"
                              "access_style write_once,sequential\n"
                              "hint romio_cb_write=enable\n",
              2);
    assert_int_equal(errors.count, 0);
    assert_int_equal(params.test[0].hints.count, 4);
    assert_string_equal(
        pario_hints_get(&params.test[0].hints, "romio_cb_write"), "enable");
    assert_true(params.test[0].set[0].collective);
}

static void test_read_access_style_unknown_is_an_error(void **state)
{
    (void)state;
    read_text(LOW("multiple") "numruns 1\nfilesize 1\nblocksize 0.1\n"
                              "access_style sometimes\n",
              2);
    assert_says("access_style: 'sometimes'");
}

static void test_read_fraction_above_one_is_an_error(void **state)
{
    (void)state;
    read_text("class Kernel\ntestname nonseq\nfilename x\nfilesize 1\n"
              "blocksize 0.004\nupdate_frac 0 1.5\n",
              2);
    assert_says("iotparams.in:6: update_frac 1.5 is no fraction");
}

static void test_read_transpose_must_divide_both_ways(void **state)
{
    (void)state;
    read_text("class Kernel\ntestname transpose\nfilename x\nxsize 8\n"
              "ysize 9\n",
              2);
    assert_says("ysize 9 is not divisible by the 2 processes");
}

static void test_read_tasklength_has_order_and_repeat(void **state)
{
    (void)state;
    read_text("class Lowlevel\ntestname singleI\nfilename x\nnumruns 1\n"
              "filesize 1\nblocksize 0.1\ntasklength 300 4\n",
              1);
    assert_int_equal(errors.count, 0);
    assert_int_equal(params.test[0].set[0].task_order, 300);
    assert_int_equal(params.test[0].set[0].task_repeat, 4);
    forget(state);
    read_text("class Lowlevel\ntestname singleI\nfilename x\nnumruns 1\n"
              "filesize 1\nblocksize 0.1\ntasklength 0\n",
              1);
    assert_int_equal(errors.count, 1);
}

static void test_read_outofcore_with_too_little_memory(void **state)
{
    (void)state;
    read_text("class Kernel\ntestname outofcore\nfilename x\nproblemsize 100\n"
              "panel 10\nmemory 0.01\n",
              1);
    assert_says("iotparams.in:6: memory 0.010 MB is too little");
    forget(state);
    read_text("class Kernel\ntestname outofcore\nfilename x\nproblemsize 100\n"
              "panel 7\nmemory 1\n",
              1);
    assert_says("not divisible by the panel width 7");
}

static void test_read_hint_twice_is_an_error(void **state)
{
    (void)state;
    read_text(SINGLE "numruns 1\nfilesize 1\nblocksize 1\ncb_nodes 1\n"
                     "cb_nodes 2\nhint a=1\nhint b=2;a=3\nhint cb_nodes=4\n",
              1);
    assert_int_equal(errors.count, 3);
    assert_says("iotparams.in:8: the hint cb_nodes was given already");
    assert_says("iotparams.in:10: the hint a was given already");
}

static void test_read_other_hints_make_one_line_of_the_header(void **state)
{
    (void)state;
    read_text(SINGLE "hint a=1\nnumruns 1\nfilesize 1\nblocksize 1\n"
                     "hint b=2\n",
              1);
    assert_int_equal(errors.count, 0);
    assert_non_null(strstr(params.test[0].input, "hint a=1;b=2\n"));
    assert_null(strstr(params.test[0].input, "hint a=1\n"));
}

#define BENCHES 14 /* entries of iot_benches before its end */

/* A test with all the keywords it needs, `empty` without a value. */
static void write_test(char *text, size_t len, const struct iot_bench *bench,
                       int empty)
{
    size_t used =
        (size_t)snprintf(text, len, "class %s\ntestname %s\n",
                         iot_class_names[bench->class], bench->test.name);

    for (int k = 0; k < IOT_KW_COUNT; k++)
        if (k == empty || (bench->required & (uint64_t)1 << k))
            used += (size_t)snprintf(
                text + used, len - used, "%s%s\n", iot_keyword_table[k].name,
                k == empty                                   ? ""
                : iot_keyword_table[k].type == IOT_TYPE_BOOL ? " true"
                                                             : " 1");
}

static void test_read_keyword_without_value_is_one_error(void **state)
{
    char text[1024], message[128];

    (void)state;
    for (const struct iot_bench *b = iot_benches; b->test.name != NULL; b++)
        for (int k = 0; k < IOT_KW_COUNT; k++) {
            if (!iot_keyword_applies(k, b))
                continue;
            write_test(text, sizeof(text), b, k);
            read_text(text, 1);
            snprintf(message, sizeof(message), "%s needs a value\n",
                     iot_keyword_table[k].name);
            assert_says(message);
            forget(state);
        }
    read_text(SINGLE "numruns 1\nfilesize 1\nblocksize 1\nfuzzy\n", 1);
    assert_int_equal(errors.count, 1);
}

static void test_read_hint_without_value_is_an_error(void **state)
{
    (void)state;
    read_text(SINGLE "numruns 1\nfilesize 1\nblocksize 1\nio_node_list\n"
                     "hint\n",
              1);
    assert_int_equal(errors.count, 2);
    assert_says("iotparams.in:7: io_node_list needs a value");
    assert_says("iotparams.in:8: hint needs a value");
}

/* A line of any keyword with any value: right, wrong or absurd. */
static size_t random_line(struct pario_rng *rng, char *text, size_t len)
{
    static const char *const others[] = {
        "class Kernel", "class Lowlevel",
        "classname",    "testname",
        "hint",         "hint a=b;c=d",
        "hint =",       "cb_nodes",
        "cb_nodes 3",   "chunked 1,2",
        "# comment",    "section.",
        "nonsense 1",   "= 3",
        "\"\" \"",      "",
    };
    static const char *const values[] = {
        "",     "1",    "0",      "-1",  "1e15",    "1e300", "0.000008",
        "8",    "1 2",  "1,2,,3", ", ,", "3000000", "2 2 2", "0.5",
        "true", "left", "both",   "1 x", "nan",     "0x10",  "999999999999",
        "64",   "1000", "0.4",    "=",   "\"",      "1.5",   "32768 1e15",
    };
    size_t nothers = sizeof(others) / sizeof(others[0]);
    size_t nvalues = sizeof(values) / sizeof(values[0]);
    uint64_t what = pario_rng_below(rng, 20);

    if (what < 2)
        return (size_t)snprintf(text, len, "%s\n",
                                others[pario_rng_below(rng, nothers)]);
    return (size_t)snprintf(
        text, len, "%s %s\n",
        iot_keyword_table[pario_rng_below(rng, IOT_KW_COUNT)].name,
        values[pario_rng_below(rng, nvalues)]);
}

/* Whatever stands in a file: it is refused with a reason, or all its sets can
 * be run. */
static void test_read_random_lines_gives_errors_or_sets(void **state)
{
    struct pario_rng rng;
    char text[4096];
    int accepted = 0;

    pario_rng_init(&rng, 11);
    for (int i = 0; i < 20000; i++) {
        const struct iot_bench *bench =
            &iot_benches[pario_rng_below(&rng, BENCHES)];
        size_t used;

        write_test(text, sizeof(text), bench, -1);
        used = strlen(text);
        for (uint64_t n = pario_rng_below(&rng, 6); n > 0; n--)
            used += random_line(&rng, text + used, sizeof(text) - used);
        read_text(text, 1 + i % 4);
        if (errors.count > 0) {
            assert_non_null(errors.text);
        } else {
            accepted++;
            for (size_t t = 0; t < params.ntests; t++) {
                assert_true(params.test[t].nsets > 0);
                for (size_t s = 0; s < params.test[t].nsets; s++)
                    assert_true(params.test[t].set[s].file_bytes > 0);
            }
        }
        forget(state);
    }
    assert_true(accepted > 100);
}

static void test_read_other_class_is_not_looked_at(void **state)
{
    static const char text[] =
        MATRIX "problemsize 9\nxproc 7\nyproc\nnonsense 3\n"
               "zproc 1\n" SINGLE "numruns 1\nfilesize 1\nblocksize 1\n";

    (void)state;
    errors.path = "iotparams.in";
    assert_int_equal(iot_params_read(text, 1, IOT_LOWLEVEL, &errors, &params),
                     0);
    /* What is no keyword at all is wrong in any case. */
    assert_int_equal(errors.count, 1);
    assert_says("unknown keyword 'nonsense'");
    assert_int_equal(params.test[0].nsets, 0);
    assert_int_equal(params.test[1].nsets, 1);
}

static void test_read_collective_is_false_where_unknown(void **state)
{
    (void)state;
    read_text(SINGLE "numruns 1\nfilesize 1\nblocksize 1\n" MATRIX
                     "problemsize 8\nxproc 1\nyproc 1\n",
              1);
    assert_int_equal(errors.count, 0);
    assert_false(params.test[0].set[0].collective);
    assert_true(params.test[1].set[0].collective);
}

static void test_read_empty_file_is_an_error(void **state)
{
    (void)state;
    read_text("# nothing\n", 1);
    assert_int_equal(errors.count, 1);
    assert_says("holds no test");
}

#define CASE(name) cmocka_unit_test_teardown(name, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_read_products_gives_each_with_each),
        CASE(test_read_numruns_gives_pairs),
        CASE(test_read_lists_without_numbers_is_an_error),
        CASE(test_read_block_larger_than_file),
        CASE(test_read_collects_all_errors_with_lines),
        CASE(test_read_size_not_multiple_of_8_is_an_error),
        CASE(test_read_required_keywords_are_named),
        CASE(test_read_keyword_of_another_test_is_an_error),
        CASE(test_read_class_of_another_test_is_an_error),
        CASE(test_read_wrapped_comment_is_a_warning),
        CASE(test_read_matrix_sizes_both_ways),
        CASE(test_read_lattice_has_four_sizes_and_ghosts),
        CASE(test_read_lattice_errors_are_named),
        CASE(test_read_hints_are_kept),
        CASE(test_read_access_style_unknown_is_an_error),
        CASE(test_read_fraction_above_one_is_an_error),
        CASE(test_read_transpose_must_divide_both_ways),
        CASE(test_read_tasklength_has_order_and_repeat),
        CASE(test_read_outofcore_with_too_little_memory),
        CASE(test_read_empty_file_is_an_error),
        CASE(test_read_other_class_is_not_looked_at),
        CASE(test_read_collective_is_false_where_unknown),
        CASE(test_read_hint_twice_is_an_error),
        CASE(test_read_other_hints_make_one_line_of_the_header),
        CASE(test_read_keyword_without_value_is_one_error),
        CASE(test_read_hint_without_value_is_an_error),
        CASE(test_read_random_lines_gives_errors_or_sets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
