/* b_eff_io: Table 1, the golden values of Tables 2 and 3, partitions, hints,
 * the original's command line. */
#include "suites/beffio/beffio.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Table 2 of the paper: rows write, rewrite, read; types 0 to 4. */
static const struct {
    const char *name;
    struct beffio_bandwidths b;
    double release_1, release_2; /* Table 2's corner, Table 3 */
    double average[3];           /* Table 2's last column */
    double type[5];              /* its bottom row */
} golden[] = {
    {"baseline",
     {{{197, 188, 104, 338, 13},
       {190, 172, 83, 186, 11},
       {122, 130, 96, 408, 11}}},
     152,
     159.5,
     {173, 139, 148},
     {157, 155, 95, 335, 12}},
    {"second",
     {{{284, 277, 435, 541, 524},
       {197, 244, 241, 228, 431},
       {483, 346, 609, 586, 590}}},
     420,
     440.8,
     {391, 256, 516},
     {362, 303, 473, 485, 534}},
    {"third",
     {{{397, 282, 423, 533, 502},
       {449, 265, 234, 297, 297},
       {441, 282, 579, 554, 544}}},
     425,
     451.7,
     {422, 332, 473},
     {432, 278, 454, 485, 472}},
};

static void test_table_1_has_36_patterns_and_5_warm_ups(void **state)
{
    int measured = 0, warm_ups = 0;

    (void)state;
    for (int type = 0; type < BEFFIO_TYPES; type++)
        for (const struct beffio_pattern *row =
                 beffio_patterns((enum beffio_type)type);
             row->l != 0; row++) {
            measured += row->U > 0;
            warm_ups += row->U == 0;
            if (row->l != BEFFIO_MPART)
                assert_int_equal(row->L % row->l, 0);
            if (type != BEFFIO_SCATTER)
                assert_int_equal(row->L, row->l);
        }
    assert_int_equal(measured, 36);
    assert_int_equal(warm_ups, 5);
}

/* Table 1 as printed: kB and MB are 1024 and 1024^2 bytes; L = 0 stands for
 * ":=l", l = -1 for M_PART. */
#define KB ((int64_t)1024)
#define MB (1024 * KB)
static const struct {
    int type;
    int64_t l, L;
    int U;
} table_1[] = {
    {0, MB, MB, 0},
    {0, -1, 0, 4},
    {0, MB, 2 * MB, 4},
    {0, MB, MB, 4},
    {0, 32 * KB, MB, 2},
    {0, KB, MB, 2},
    {0, 32 * KB + 8, MB + 256, 2},
    {0, KB + 8, MB + 8 * KB, 2},
    {0, MB + 8, MB + 8, 2},
    {1, MB, 0, 0},
    {1, -1, 0, 4},
    {1, MB, 0, 2},
    {1, 32 * KB, 0, 1},
    {1, KB, 0, 1},
    {1, 32 * KB + 8, 0, 1},
    {1, KB + 8, 0, 1},
    {1, MB + 8, 0, 2},
    {2, MB, 0, 0},
    {2, -1, 0, 2},
    {2, MB, 0, 2},
    {2, 32 * KB, 0, 1},
    {2, KB, 0, 1},
    {2, 32 * KB + 8, 0, 1},
    {2, KB + 8, 0, 1},
    {2, MB + 8, 0, 2},
};

static void test_table_1_is_the_papers_value_by_value(void **state)
{
    const int64_t mpart = 7 * MB;
    size_t n = sizeof(table_1) / sizeof(table_1[0]);

    (void)state;
    for (int type = 0; type < BEFFIO_TYPES; type++) {
        const struct beffio_pattern *row =
            beffio_patterns((enum beffio_type)type);

        for (size_t i = 0; i < n; i++) {
            int64_t l = table_1[i].l < 0 ? mpart : table_1[i].l;

            /* "3/4 see type=2" */
            if (table_1[i].type != (type > 2 ? 2 : type))
                continue;
            assert_int_equal(beffio_bytes(row->l, mpart), l);
            assert_int_equal(beffio_bytes(row->L, mpart),
                             table_1[i].L == 0 ? l : table_1[i].L);
            assert_int_equal(row->U, table_1[i].U);
            row++;
        }
        assert_int_equal(row->l, 0);
    }
}

static const char *unofficial(struct beffio_options options, double time_s,
                              int changed_mpart)
{
    static char text[512];
    struct pario_run run = {.common = {.verify = PARIO_VERIFY_SAMPLE}};
    struct beffio *beffio = calloc(1, sizeof(*beffio));

    assert_non_null(beffio);
    beffio->run = &run;
    beffio->options = &options;
    beffio->time_s = time_s;
    beffio->changed_mpart = changed_mpart;
    beffio_unofficial(beffio, text, sizeof(text));
    free(beffio);
    return text;
}

static void test_official_needs_15_minutes_and_nothing_changed(void **state)
{
    struct beffio_options options = beffio_defaults;

    (void)state;
    assert_string_equal(unofficial(options, 900, 0), "");
    assert_non_null(strstr(unofficial(options, 899, 0), "900 s"));
    assert_non_null(strstr(unofficial(options, 900, 1), "M_PART"));
    options.no_shared = 1;
    assert_non_null(strstr(unofficial(options, 900, 0), "shared"));
}

static void test_official_top500_needs_10_minutes_for_each(void **state)
{
    struct beffio_options options = beffio_defaults;
    char own[] = "1,2";

    (void)state;
    options.schedule = BEFFIO_TOP500; /* of any number of processes */
    assert_string_equal(unofficial(options, 600, 0), "");
    assert_non_null(strstr(unofficial(options, 599, 0), "600 s"));
    options.release = 1;
    assert_non_null(strstr(unofficial(options, 600, 0), "900 s"));
    options.release = 2;
    options.partitions = own;
    assert_non_null(strstr(unofficial(options, 600, 0), "900 s"));
    options = beffio_defaults;
    assert_non_null(strstr(unofficial(options, 600, 0), "900 s"));
}

static void test_sync_rate_is_learnt_from_what_is_large(void **state)
{
    struct beffio *beffio = calloc(1, sizeof(*beffio));

    (void)state;
    assert_non_null(beffio);
    beffio_learn_sync(beffio, 50e6, 1);
    assert_true(fabs(beffio->sync_s / beffio->sync_bytes - 20e-9) < 1e-12);
    for (int i = 0; i < 20; i++)
        beffio_learn_sync(beffio, 1e5, 0.05); /* latency */
    assert_true(fabs(beffio->sync_s / beffio->sync_bytes - 20e-9) < 1e-12);
    for (int i = 0; i < 6; i++)
        beffio_learn_sync(beffio, 100e6, 1);
    assert_true(fabs(beffio->sync_s / beffio->sync_bytes - 10e-9) < 1e-9);
    free(beffio);
}

static void test_sum_of_units_is_64(void **state)
{
    (void)state;
    assert_int_equal(beffio_sum_units(), 64);
}

static void test_golden_release_1_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(beffio_value(&golden[i].b, 1) - golden[i].release_1) <
                    0.6);
}

static void test_golden_release_2_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(beffio_value(&golden[i].b, 2) - golden[i].release_2) <
                    0.1); /* the table's bandwidths are rounded */
}

static void test_golden_weighted_averages(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (int access = 0; access < BEFFIO_ACCESSES; access++)
            assert_true(fabs(beffio_access_average(&golden[i].b,
                                                   (enum beffio_access)access) -
                             golden[i].average[access]) < 0.6);
        for (int type = 0; type < BEFFIO_TYPES; type++)
            assert_true(
                fabs(beffio_type_average(&golden[i].b, (enum beffio_type)type) -
                     golden[i].type[type]) < 1.01);
    }
}

static void test_rewriting_counts_whole_in_release_1_only(void **state)
{
    (void)state;
    for (int type = 0; type < BEFFIO_ALL_TYPES; type++) {
        enum beffio_type t = (enum beffio_type)type;
        int of_value = type < BEFFIO_TYPES;

        assert_int_equal(beffio_counts(BEFFIO_WRITE, t, 2), of_value);
        assert_int_equal(beffio_counts(BEFFIO_READ, t, 2), of_value);
        assert_int_equal(beffio_counts(BEFFIO_REWRITE, t, 1), of_value);
        assert_int_equal(beffio_counts(BEFFIO_REWRITE, t, 2),
                         type == BEFFIO_SCATTER);
    }
}

static void test_value_with_missing_type_is_zero(void **state)
{
    struct beffio_bandwidths b = golden[0].b;

    (void)state;
    b.mbps[BEFFIO_WRITE][BEFFIO_SEGMENTED] = 0;
    assert_true(beffio_value(&b, 1) == 0);
    assert_true(beffio_value(&b, 2) == 0);
}

/* The whole table of sizes, against the formula in integers: 2^round(x) is
 * the power of two whose exponent is nearest. */
static void test_partitions_of_1_to_1024_follow_the_formulas(void **state)
{
    (void)state;
    for (int size = 1; size <= 1024; size++) {
        int part[3], n = beffio_partitions(size, part);
        double exact = log(size) / log(2);
        int small = 1 << (int)floor(exact * 0.35 + 0.5);
        int medium = 1 << (int)floor(exact * 0.70 + 0.5);

        if (size == 3)
            small = 1;
        if (size == 4)
            medium = 3;
        assert_true(n >= 1 && n <= 3);
        assert_int_equal(part[0], small < size ? small : size);
        assert_int_equal(part[n - 1], size);
        for (int i = 1; i < n; i++)
            assert_true(part[i] > part[i - 1]);
        if (n == 3)
            assert_int_equal(part[1], medium);
    }
}

static void test_partitions_of_known_sizes(void **state)
{
    static const struct {
        int size, n, part[3];
    } known[] = {{1, 1, {1}},          {2, 2, {1, 2}},
                 {3, 3, {1, 2, 3}},    {4, 3, {2, 3, 4}},
                 {8, 3, {2, 4, 8}},    {16, 3, {2, 8, 16}},
                 {64, 3, {4, 16, 64}}, {1024, 3, {16, 128, 1024}}};
    int part[3];

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        assert_int_equal(beffio_partitions(known[i].size, part), known[i].n);
        assert_memory_equal(part, known[i].part,
                            (size_t)known[i].n * sizeof(int));
    }
}

static void test_mpart_follows_memory_and_partition(void **state)
{
    int64_t mb = 1 << 20, gb = mb * 1024;

    (void)state;
    assert_int_equal(beffio_mpart(64 * mb, 4), 2 * mb);
    assert_int_equal(beffio_mpart(8 * gb, 4), 64 * mb);
    assert_int_equal(beffio_mpart(8 * gb + 12345, 4), 64 * mb);
    /* Sect. 5: all chunks of a partition together at most 16 GB. */
    assert_int_equal(beffio_mpart(512 * gb, 1024), 16 * mb);
    assert_int_equal(beffio_mpart(512 * gb, 100000), 2 * mb);
}

static void write_file(char *path, const char *text)
{
    int fd;
    FILE *out;

    strcpy(path, "/tmp/pario-hints-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    out = fdopen(fd, "w");
    fputs(text, out);
    fclose(out);
}

static void test_hints_select_by_type_access_and_chunk(void **state)
{
    struct beffio_hintset *set = NULL;
    struct pario_hints hints = {0}, chunk = {0};
    char path[64];
    int found = 0;

    (void)state;
    write_file(path, "cb_nodes 2\n"
                     "[type 0]\n"
                     "IBM_largeblock_io = switchable\n"
                     "[scatter read]\n"
                     "cb_nodes 7\n"
                     "[type 0 chunk 1k+8]\n"
                     "IBM_largeblock_io false\n"
                     "[chunk M_PART]\n"
                     "IBM_largeblock_io true\n");
    assert_int_equal(beffio_hintset_read(path, 0, &set), 0);
    assert_int_equal(
        beffio_hintset_open(set, BEFFIO_SCATTER, BEFFIO_READ, &hints), 0);
    assert_string_equal(pario_hints_get(&hints, "cb_nodes"), "7");
    assert_string_equal(pario_hints_get(&hints, "IBM_largeblock_io"),
                        "switchable");
    pario_hints_fini(&hints);
    assert_int_equal(
        beffio_hintset_open(set, BEFFIO_SHARED, BEFFIO_WRITE, &hints), 0);
    assert_string_equal(pario_hints_get(&hints, "cb_nodes"), "2");
    assert_null(pario_hints_get(&hints, "IBM_largeblock_io"));
    pario_hints_fini(&hints);
    assert_int_equal(beffio_hintset_chunk(set, BEFFIO_SCATTER, BEFFIO_WRITE,
                                          1032, &chunk, &found),
                     0);
    assert_true(found);
    assert_string_equal(pario_hints_get(&chunk, "IBM_largeblock_io"), "false");
    pario_hints_fini(&chunk);
    assert_int_equal(beffio_hintset_chunk(set, BEFFIO_SHARED, BEFFIO_READ,
                                          BEFFIO_MPART, &chunk, &found),
                     0);
    assert_true(found);
    pario_hints_fini(&chunk);
    assert_int_equal(beffio_hintset_chunk(set, BEFFIO_SHARED, BEFFIO_READ, 1024,
                                          &chunk, &found),
                     0);
    assert_false(found);
    beffio_hintset_destroy(set);
    unlink(path);
}

static void check_refused(const char *text, const char *line, const char *word)
{
    struct beffio_hintset *set = NULL;
    char path[64], where[80];

    write_file(path, text);
    assert_int_equal(beffio_hintset_read(path, 0, &set), PARIO_EUSAGE);
    snprintf(where, sizeof(where), "%s:%s:", path, line);
    assert_non_null(strstr(pario_error_message(), where));
    assert_non_null(strstr(pario_error_message(), word));
    assert_null(set);
    unlink(path);
}

static void test_hints_unknown_type_or_key_names_line(void **state)
{
    (void)state;
    check_refused("cb_nodes 2\n[type 9]\ncb_nodes 3\n", "3", "'type'");
    check_refused("[scater]\ncb_nodes 3\n", "2", "scater");
    check_refused("\ncb_node 2\n", "2", "did you mean cb_nodes");
    check_refused("[chunk 1q]\ncb_nodes 2\n", "2", "chunk");
}

/* argv as main gets it: a copy that the callee may write to. */
static int translate(char *line, int *argc, char ***argv)
{
    static char *words[32];
    char *rest = line;

    *argc = 0;
    while ((words[*argc] = strsep(&rest, " ")) != NULL)
        (*argc)++;
    *argv = words;
    return beffio_translate("b_eff_io", argc, argv);
}

static void test_translate_originals_options(void **state)
{
    char line[] = "b_eff_io -MB 512 -MT 4096 -N 2,4 -T 900 -p /x -f out "
                  "-noshared -rewrite";
    static const char *const expected[] = {
        "beffio", "--memory", "512M", "--partitions", "2,4",           "--time",
        "900",    "--prefix", "out",  "--no-shared",  "--rewrite=all", "/x"};
    char **argv;
    int argc;

    (void)state;
    assert_int_equal(translate(line, &argc, &argv), 0);
    assert_int_equal(argc, 12);
    for (int i = 0; i < argc; i++) {
        assert_string_equal(argv[i], expected[i]);
        free(argv[i]);
    }
    free(argv);
}

static void test_translate_unknown_option_suggests(void **state)
{
    char line[] = "b_eff_io -noshard";
    char **argv;
    int argc;

    (void)state;
    assert_int_equal(translate(line, &argc, &argv), PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "-noshared"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_1_has_36_patterns_and_5_warm_ups),
        cmocka_unit_test(test_table_1_is_the_papers_value_by_value),
        cmocka_unit_test(test_official_needs_15_minutes_and_nothing_changed),
        cmocka_unit_test(test_official_top500_needs_10_minutes_for_each),
        cmocka_unit_test(test_sync_rate_is_learnt_from_what_is_large),
        cmocka_unit_test(test_sum_of_units_is_64),
        cmocka_unit_test(test_golden_release_1_values),
        cmocka_unit_test(test_golden_release_2_values),
        cmocka_unit_test(test_golden_weighted_averages),
        cmocka_unit_test(test_value_with_missing_type_is_zero),
        cmocka_unit_test(test_rewriting_counts_whole_in_release_1_only),
        cmocka_unit_test(test_partitions_of_1_to_1024_follow_the_formulas),
        cmocka_unit_test(test_partitions_of_known_sizes),
        cmocka_unit_test(test_mpart_follows_memory_and_partition),
        cmocka_unit_test(test_hints_select_by_type_access_and_chunk),
        cmocka_unit_test(test_hints_unknown_type_or_key_names_line),
        cmocka_unit_test(test_translate_originals_options),
        cmocka_unit_test(test_translate_unknown_option_suggests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
