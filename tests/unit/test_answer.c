/* The answer at the end of a run: short, in people's units, and honest. */
#include "core/progress.h"
#include "core/units.h"
#include "report/answer.h"
#include "report/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static char printed[65536];

/* A document of a suite that this program does not know. */
static json_t *made_up(const char *flags)
{
    json_t *document = json_pack(
        "{s:s, s:b, s:[s], s:[], s:s, s:s, s:{s:s, s:i, s:i, s:s, s:{s:s, "
        "s:s}},"
        " s:{s:f, s:f, s:f}, s:{s:o, s:o, s:o}, s:[],"
        " s:{s:[{s:s, s:[{s:s, s:s}, {s:s, s:s}], s:s},"
        "       {s:s, s:[{s:s, s:s}]}, {s:s, s:[{s:s, s:s}]}],"
        "    s:[s], s:s}}",
        "suite", "made-up", "valid", 1, "warnings", "the moon was full",
        "invalid_reasons", "started_utc", "2026-01-31T12:00:00Z",
        "finished_utc", "2026-01-31T12:01:01Z", "system", "filesystem", "ext4",
        "nodes", 1, "processes", 1, "mpi", "none", "filesystem_details",
        "target", "/scratch", "source", "/dev/nvme0n1", "summary", "a_mbps",
        1941.0, "b_iops", 18230.0, "b_p99_ns", 1.9e6, "summary_flags", "a_mbps",
        json_loads(flags, 0, NULL), "b_iops", json_loads(flags, 0, NULL),
        "b_p99_ns", json_array(), "measures", "view", "answer", "label",
        "large files", "figures", "name", "write", "figure", "a_mbps", "name",
        "small", "figure", "b_iops", "note", "one file", "label", "4 KiB",
        "figures", "name", "p99", "figure", "b_p99_ns", "label", "not there",
        "figures", "name", "x", "figure", "no_such_mbps", "sentences",
        "It is limited by the moon.", "next", "pario tune /scratch");

    assert_non_null(document);
    return document;
}

static const char *answer_of(json_t *document)
{
    FILE *out = fmemopen(printed, sizeof(printed), "w");

    assert_non_null(out);
    assert_int_equal(pario_answer_print(out, document, "r.json"), 0);
    assert_int_equal(fclose(out), 0);
    json_decref(document);
    return printed;
}

static void test_answer_unknown_suite_shows_its_own_lines(void **state)
{
    (void)state;
    assert_string_equal(
        answer_of(made_up("[]")),
        "/scratch: ext4 on nvme0n1, 1 process on 1 node, 1 min 01 s\n"
        "\n"
        "  large files    write   1.94 GB/s    small   18.2 k IOPS  one file\n"
        "  4 KiB          p99     1.90 ms\n"
        "\n"
        "  It is limited by the moon.\n"
        "\n"
        "  ! the moon was full\n"
        "\n"
        "details: pario report r.json    next: pario tune /scratch\n");
}

static void test_answer_flagged_figure_says_so_and_why_once(void **state)
{
    const char *text = answer_of(made_up("[\"cache\"]"));
    const char *why = strstr(text, "! cache: ");

    (void)state;
    assert_non_null(strstr(text, "18.2 k IOPS  one file (cache)"));
    assert_non_null(why);
    assert_null(strstr(why + strlen("! cache: "), "cache: "));
}

static void test_answer_failed_figure_is_not_shown(void **state)
{
    const char *text = answer_of(made_up("[\"failed\"]"));

    (void)state;
    assert_null(strstr(text, "1.94"));
    assert_non_null(strstr(text, "write  not valid"));
}

/* Two gains with what their intervals are, one below the other. */
static const char *answer_of_gains(double low, double high)
{
    json_t *document = json_pack(
        "{s:s, s:b, s:{s:f, s:f, s:f, s:f}, s:{s:[{s:s, s:[{s:s, s:s}]},"
        " {s:s, s:[{s:s, s:s}]}]}}",
        "suite", "made-up", "valid", 1, "summary", "a_ratio", 2.11, "a_low",
        low, "a_high", high, "b_ratio", 0.004, "view", "answer", "label",
        "a label of 24 characters", "figures", "name", "read", "figure",
        "a_ratio", "label", "short", "figures", "name", "read", "figure",
        "b_ratio");

    assert_non_null(document);
    return answer_of(document);
}

static void test_answer_ratio_has_its_interval_and_stands_below(void **state)
{
    (void)state;
    assert_non_null(
        strstr(answer_of_gains(1.9, 2.31),
               "\n  a label of 24 characters  read    2.11 x (1.90 to 2.31)\n"
               "  short                     read   0.004 x\n"));
    assert_non_null(
        strstr(answer_of_gains(0.01, 310), "x (too noisy to tell)"));
}

static void test_answer_many_warnings_fit_the_screen(void **state)
{
    json_t *document = made_up("[]");
    json_t *warnings = json_object_get(document, "warnings");
    int lines = 0;

    (void)state;
    for (int i = 0; i < 40; i++)
        (void)json_array_append_new(warnings,
                                    json_sprintf("warning number %d", i));
    for (const char *c = answer_of(document); *c != '\0'; c++)
        lines += *c == '\n';
    assert_in_range(lines, 10, 24);
    assert_non_null(strstr(printed, "more warnings in the report"));
}

static void test_answer_escape_sequences_do_not_reach_a_terminal(void **state)
{
    json_t *document = made_up("[]");
    json_t *view = json_object_get(document, "view");

    (void)state;
    (void)json_object_set_new(view, "next", json_string("\033[2Jrm -rf"));
    (void)json_array_append_new(json_object_get(view, "sentences"),
                                json_string("\033]0;title\a"));
    (void)json_array_append_new(json_object_get(view, "answer"),
                                json_integer(7));
    assert_null(strchr(answer_of(document), '\033'));
}

static void test_print_quantity_is_as_a_person_writes(void **state)
{
    static const struct {
        const char *name;
        double value;
        const char *text;
    } cases[] = {
        {"x_mbps", 812.4, "812 MB/s"},      {"x_mbps", 999.6, "1.00 GB/s"},
        {"x_mbps", 0.31, "0.31 MB/s"},      {"x_bytes_per_s", 5e9, "5.00 GB/s"},
        {"x_iops", 950, "950 IOPS"},        {"x_iops", 71500, "71.5 k IOPS"},
        {"create_per_s", 9100, "9.10 k/s"}, {"stat_per_s", 48000, "48.0 k/s"},
        {"x_ns", 310000, "310 µs"},         {"x_s", 0.0019, "1.90 ms"},
        {"x_share", 0.12, "12 %"},          {"x_ratio", 15, "15.0 x"},
        {"x_bytes", 67108864, "64 MiB"},    {"anything", 0.12345, "0.123"},
        {"x_ratio", 0.83, "0.83 x"},        {"x_ratio", 0.0043, "0.0043 x"},
        {"x_ratio", 1e-5, "<0.001 x"},      {"x_ratio", 0, "0.00 x"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[PARIO_QUANTITY_LEN];
        json_t *value = json_real(cases[i].value);

        assert_string_equal(pario_quantity_print(cases[i].name, value, text),
                            cases[i].text);
        json_decref(value);
    }
}

static void test_print_time_left_tells_the_truth(void **state)
{
    char text[2 * PARIO_UNITS_LEN];

    (void)state;
    assert_string_equal(pario_progress_left(60, 19, text), "41 s left");
    assert_string_equal(pario_progress_left(600, 19, text), "9 min 41 s left");
    assert_string_equal(pario_progress_left(60, 59.5, text), "a moment left");
    assert_string_equal(pario_progress_left(60, 65, text), "5 s over the plan");
    assert_string_equal(pario_progress_left(0, 65, text), "");
}

static void test_progress_line_keeps_the_rate(void **state)
{
    char line[PARIO_PROGRESS_LEN];

    (void)state;
    assert_string_equal(
        pario_progress_line("[#.] 4 s left  ", "read", "9.04 MB/s", 40, line),
        "[#.] 4 s left  read  9.04 MB/s");
    assert_string_equal(pario_progress_line("[#.] 4 s left  ", "größe 1 MiB",
                                            "9.04 MB/s", 30, line),
                        "[#.] 4 s left  größ  9.04 MB/s");
    assert_string_equal(
        pario_progress_line("[#.] 4 s left  ", "read", "9.04 MB/s", 8, line),
        "[#.] 4 s");
}

static void test_progress_line_cuts_no_unit(void **state)
{
    static const struct {
        int columns;
        const char *label;
    } cases[] = {{20, "random, read 4 KiB"},
                 {17, "random, read"},
                 {15, "random, read"},
                 {11, "random"},
                 {7, "random"},
                 {4, "rand"}};
    char line[PARIO_PROGRESS_LEN], wanted[PARIO_PROGRESS_LEN];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(wanted, sizeof(wanted), "> %s  9 MB/s", cases[i].label);
        assert_string_equal(pario_progress_line("> ", "random, read 4 KiB",
                                                "9 MB/s", cases[i].columns + 10,
                                                line),
                            wanted);
    }
}

static void test_answer_has_whole_seconds(void **state)
{
    static const struct {
        const char *finished, *shown;
    } cases[] = {{"2026-01-01T00:00:05Z", ", 5 s"},
                 {"2026-01-01T00:00:00Z", ", under 1 s"},
                 {"2026-01-01T00:01:01Z", ", 1 min 01 s"}};
    char text[PARIO_WHERE_LEN];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *document = json_pack(
            "{s:s, s:s, s:{s:i}}", "started_utc", "2026-01-01T00:00:00Z",
            "finished_utc", cases[i].finished, "system", "processes", 2);

        pario_answer_where(document, text);
        assert_string_equal(text + strlen("2 processes"), cases[i].shown);
        json_decref(document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress_line_keeps_the_rate),
        cmocka_unit_test(test_progress_line_cuts_no_unit),
        cmocka_unit_test(test_answer_has_whole_seconds),
        cmocka_unit_test(test_answer_unknown_suite_shows_its_own_lines),
        cmocka_unit_test(test_answer_flagged_figure_says_so_and_why_once),
        cmocka_unit_test(test_answer_failed_figure_is_not_shown),
        cmocka_unit_test(test_answer_ratio_has_its_interval_and_stands_below),
        cmocka_unit_test(test_answer_many_warnings_fit_the_screen),
        cmocka_unit_test(test_answer_escape_sequences_do_not_reach_a_terminal),
        cmocka_unit_test(test_print_quantity_is_as_a_person_writes),
        cmocka_unit_test(test_print_time_left_tells_the_truth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
