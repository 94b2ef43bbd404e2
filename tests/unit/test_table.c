/* Tables of results: nothing that speaks against a number is left out. */
#include "report/data.h"
#include "report/table.h"
#include "report/table_parts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char printed[65536];

static json_t *measure(const char *test, const char *cache, const char *verify)
{
    json_t *value = json_pack(
        "{s:s, s:{s:i, s:i, s:i}, s:s, s:i, s:i, s:f, s:f, s:i,"
        " s:{s:i, s:i, s:i, s:i, s:i}, s:o, s:s, s:n}",
        "test", test, "pattern", "type", 0, "l_bytes", 1048576, "U", 2,
        "access", "read", "partition", 4, "bytes", 1000000, "seconds", 0.5,
        "bandwidth_mbps", 2.0, "operations", 10, "latency_ns", "p50", 1500,
        "p90", 2000, "p99", 2500, "p999", 3000, "max", 123456, "verify",
        json_loads(verify, 0, NULL), "cache", cache, "error");

    assert_non_null(value);
    return value;
}

#define CHECKED "{\"checked_bytes\": 4096, \"errors\": 0, \"off\": false}"
#define UNCHECKED "{\"checked_bytes\": 0, \"errors\": 0}"
#define OFF "{\"checked_bytes\": 0, \"errors\": 0, \"off\": true}"
#define WRONG "{\"checked_bytes\": 4096, \"errors\": 2}"

static json_t *document_with(json_t *first, json_t *second)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:b, s:[], s:[s, s], s:s, s:s,"
        " s:{s:s, s:s}, s:{s:s},"
        " s:{s:s, s:i, s:i, s:s, s:s}, s:{s:f}, s:[]}",
        "schema", "pario-result/1", "suite", "beffio", "valid", 1, "warnings",
        "command", "pario", "beffio", "started_utc", "2026-01-31T12:00:00Z",
        "finished_utc", "2026-01-31T12:30:00Z", "hints_requested", "cb_nodes",
        "4", "no_such", "x", "hints_in_force", "cb_nodes", "2", "system",
        "host", "n01", "nodes", 2, "processes", 4, "mpi", "MPICH 4.0.2",
        "filesystem", "ext4", "summary", "b_eff_io_mbps", 123.456, "measures");
    json_t *list = json_object_get(document, "measures");

    assert_non_null(document);
    assert_int_equal(json_array_append_new(list, first), 0);
    if (second != NULL)
        assert_int_equal(json_array_append_new(list, second), 0);
    return document;
}

static const char *print_as(const json_t *document, enum pario_format format)
{
    FILE *out = fmemopen(printed, sizeof(printed), "w");

    assert_non_null(out);
    if (pario_table_print(out, document, format) != 0)
        fail_msg("%s", pario_error_message());
    fclose(out);
    return printed;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("\"%s\" is in:\n%s", part, text);
}

/* The line of text that begins with a test's name. */
static const char *row_of(const char *text, const char *test)
{
    static char row[4096];
    const char *at = strstr(text, test), *end;

    if (at == NULL) {
        fail_msg("no row of %s in:\n%s", test, text);
        return "";
    }
    end = strchr(at, '\n');
    snprintf(row, sizeof(row), "%.*s",
             end != NULL ? (int)(end - at) : (int)strlen(at), at);
    return row;
}

static void test_text_shows_headline_summary_and_figures(void **state)
{
    json_t *document = document_with(measure("type0", "disk", CHECKED), NULL);
    const char *text = print_as(document, PARIO_FORMAT_TEXT);

    (void)state;
    assert_has(text, "pario beffio\n");
    assert_has(text, "2026-01-31T12:00:00Z");
    assert_has(text, "n01");
    assert_has(text, "2 nodes × 2 processes, MPI: MPICH 4.0.2");
    assert_has(text, "file system  ext4\n");
    assert_has(text, "cb_nodes=4(in force: 2) no_such=x(not in force)");
    assert_has(text, "\nVALID\n");
    assert_has(text, "b eff io  123 MB/s  b_eff_io_mbps\n");
    assert_has(row_of(text, "type0"),
               "type 0, l 1 MiB, U 2  read            4");
    assert_has(row_of(text, "type0"), "2.000  1.907  20.00");
    assert_has(row_of(text, "type0"), "1.500   2.500   123.5  disk   ok");
    assert_has_not(text, "error");
    json_decref(document);
}

static void test_rows_carry_cache_and_verification_in_every_format(void **s)
{
    static const struct {
        const char *cache, *verify, *text, *flag;
    } cases[] = {
        {"cache", CHECKED, "cache", "cache"},
        {"mixed", CHECKED, "mixed", "cache-mixed"},
        {"unknown", CHECKED, "unknown", "cache-unknown"},
        {"disk", UNCHECKED, "unverified", "unverified"},
        {"disk", OFF, "off", "unverified"},
        {"disk", WRONG, "WRONG DATA", "wrong-data"},
    };

    (void)s;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *document =
            document_with(measure("bad_one", cases[i].cache, cases[i].verify),
                          measure("good_one", "disk", CHECKED));
        char csv[128];

        assert_has(row_of(print_as(document, PARIO_FORMAT_TEXT), "bad_one"),
                   cases[i].text);
        assert_has_not(
            row_of(print_as(document, PARIO_FORMAT_TEXT), "good_one"),
            cases[i].text);
        assert_has(row_of(print_as(document, PARIO_FORMAT_MD), "bad_one"),
                   cases[i].text);
        snprintf(csv, sizeof(csv), ",VALID,%s,", cases[i].flag);
        assert_has(row_of(print_as(document, PARIO_FORMAT_CSV), "bad_one"),
                   csv);
        assert_has(row_of(print_as(document, PARIO_FORMAT_CSV), "good_one"),
                   ",ok,disk,VALID,,");
        json_decref(document);
    }
}

static void test_status_of_the_run_is_in_every_row_and_format(void **state)
{
    static const struct {
        const char *member, *value, *headline, *row, *flag;
    } cases[] = {
        {"valid", "false", "INVALID", "INVALID", "run-invalid"},
        {"finished_utc", "null", "warning: the run did not finish",
         "UNFINISHED", "run-invalid"},
        {"summary", "{\"official\": false}", "PRELIMINARY: not an official",
         "PRELIMINARY", "preliminary"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *document =
            document_with(measure("type0", "disk", CHECKED), NULL);
        const char *text;

        assert_int_equal(json_object_set_new(
                             document, cases[i].member,
                             json_loads(cases[i].value, JSON_DECODE_ANY, NULL)),
                         0);
        text = print_as(document, PARIO_FORMAT_TEXT);
        assert_has(text, cases[i].headline);
        assert_has_not(text, "\nVALID");
        assert_has(row_of(text, "type0"), cases[i].row);
        text = print_as(document, PARIO_FORMAT_MD);
        assert_has(row_of(text, "type0"), cases[i].row);
        text = print_as(document, PARIO_FORMAT_CSV);
        assert_has(row_of(text, "type0"), cases[i].row);
        assert_has(row_of(text, "type0"), cases[i].flag);
        json_decref(document);
    }
}

static void test_errors_and_missing_figures_are_shown(void **state)
{
    json_t *bad = measure("bad_one", "disk", UNCHECKED), *document;
    const char *text;

    (void)state;
    json_object_set_new(bad, "error", json_string("no space, on \"x\""));
    json_object_set_new(bad, "bandwidth_mbps", json_null());
    json_object_set_new(bad, "seconds", json_null());
    document = document_with(bad, measure("good_one", "disk", CHECKED));
    text = row_of(print_as(document, PARIO_FORMAT_TEXT), "bad_one");
    assert_has(text, "n/a    n/a    n/a");
    assert_has(text, "no space, on \"x\"");
    text = row_of(print_as(document, PARIO_FORMAT_CSV), "bad_one");
    assert_has(text, "\"no space, on \"\"x\"\"\"");
    assert_has(text, ",1000000,,10,,,,1500,");
    assert_has(text, "unverified error");
    json_decref(document);
}

/* What is written is checked when it is read; too short says so. */
static void test_write_and_short_measures_say_so(void **state)
{
    json_t *first = measure("first", "disk", UNCHECKED);
    json_t *second = measure("brief", "disk", CHECKED), *document;

    (void)state;
    json_object_set_new(first, "access", json_string("rewrite"));
    json_object_set_new(second, "short", json_true());
    document = document_with(first, second);
    assert_has(row_of(print_as(document, PARIO_FORMAT_TEXT), "first"),
               "at read");
    assert_has(row_of(print_as(document, PARIO_FORMAT_TEXT), "brief"), "short");
    assert_has(row_of(print_as(document, PARIO_FORMAT_CSV), "brief"),
               ",VALID,short,");
    json_decref(document);
}

static void test_csv_of_two_runs_has_one_header_and_their_labels(void **state)
{
    json_t *document = document_with(measure("type0", "disk", CHECKED), NULL);
    const struct pario_run_shown runs[] = {{document, "one"},
                                           {document, "two"}};
    FILE *out = fmemopen(printed, sizeof(printed), "w");

    (void)state;
    assert_int_equal(pario_data_csv(out, runs, 2), 0);
    fclose(out);
    assert_int_equal(strncmp(printed, "suite,started_utc,test,", 23), 0);
    assert_null(strstr(printed + 1, "suite,started_utc"));
    assert_has(printed, ",one,");
    assert_has(printed, ",two,");
    json_decref(document);
}

static void test_parameters_of_all_measures_are_said_once(void **state)
{
    json_t *a = measure("first", "disk", CHECKED);
    json_t *b = measure("bravo", "disk", CHECKED), *document;
    const char *text;

    (void)state;
    json_object_set_new(a, "parameters",
                        json_pack("{s:i, s:s}", "depth", 1, "order", "up"));
    json_object_set_new(b, "parameters",
                        json_pack("{s:i, s:s}", "depth", 1, "order", "down"));
    document = document_with(a, b);
    text = print_as(document, PARIO_FORMAT_TEXT);
    assert_has(text, "\nall measures: depth 1\n");
    assert_has(row_of(text, "first"), "U 2, order up ");
    assert_has(row_of(text, "bravo"), "U 2, order down ");
    assert_has(row_of(print_as(document, PARIO_FORMAT_CSV), "bravo"),
               ",depth=1 order=down,");
    json_decref(document);
}

static void test_reasons_are_not_repeated_as_warnings(void **state)
{
    json_t *document = document_with(measure("type0", "disk", CHECKED), NULL);
    const char *text;

    (void)state;
    json_object_set_new(document, "valid", json_false());
    json_object_set_new(document, "invalid_reasons", json_pack("[s]", "bad"));
    json_object_set_new(document, "warnings", json_pack("[s,s]", "bad", "odd"));
    text = print_as(document, PARIO_FORMAT_TEXT);
    assert_has(text, "\nINVALID: bad\nwarning: odd\n");
    json_decref(document);
}

static void test_document_without_measures_says_so(void **state)
{
    json_t *document = document_with(measure("type0", "disk", CHECKED), NULL);

    (void)state;
    json_object_set_new(document, "measures", json_array());
    assert_has(print_as(document, PARIO_FORMAT_TEXT), "no measures");
    json_decref(document);
}

static struct pario_table *two_columns(const char *first, const char *second)
{
    static const char *const headers[] = {"name", "größe µ"};
    struct pario_table *table = NULL;

    assert_int_equal(pario_table_create(2, headers, &table), 0);
    assert_int_equal(pario_table_cell(table, "%s", first), 0);
    assert_int_equal(pario_table_cell(table, "%s", second), 0);
    return table;
}

static const char *render(struct pario_table *table, enum pario_format format)
{
    FILE *out = fmemopen(printed, sizeof(printed), "w");

    assert_non_null(out);
    assert_int_equal(pario_table_render(table, out, format), 0);
    fclose(out);
    pario_table_destroy(table);
    return printed;
}

static void test_columns_align_by_characters_not_bytes(void **state)
{
    (void)state;
    assert_string_equal(render(two_columns("é", "12.5"), PARIO_FORMAT_TEXT),
                        "name  größe µ\n"
                        "----  -------\n"
                        "é        12.5\n");
    assert_string_equal(render(two_columns("é", "zz"), PARIO_FORMAT_TEXT),
                        "name  größe µ\n"
                        "----  -------\n"
                        "é     zz\n");
}

static void test_special_characters_are_escaped_in_each_format(void **state)
{
    (void)state;
    assert_has(
        render(two_columns("a\033[2Jb\nc", "\xc2\x9b"), PARIO_FORMAT_TEXT),
        "\na [2Jb c");
    assert_has(
        render(two_columns("a\u202e1234\u2066\u200f\u061cb\u2029\u2013", "x"),
               PARIO_FORMAT_TEXT),
        "\na 1234   b \u2013");
    assert_has(render(two_columns("a|b*<i>\n", "1"), PARIO_FORMAT_MD),
               "| a\\|b\\*&lt;i>  | 1 |\n");
    assert_string_equal(
        render(two_columns("a,\"b\"\n", "plain"), PARIO_FORMAT_CSV),
        "name,größe µ\n\"a,\"\"b\"\"\n\",plain\n");
    assert_has(render(two_columns("x", "7"), PARIO_FORMAT_MD),
               "| --- | ---: |");
}

static void test_incomplete_row_is_filled_with_blanks(void **state)
{
    struct pario_table *table = two_columns("a", "1");

    (void)state;
    assert_int_equal(pario_table_cell(table, "b"), 0);
    assert_has(render(table, PARIO_FORMAT_CSV), "\na,1\nb,\n");
}

static void test_figures_have_four_digits(void **state)
{
    char buf[PARIO_FIGURE_LEN];

    (void)state;
    assert_string_equal(pario_number_print(12345.6, buf), "12346");
    assert_string_equal(pario_number_print(999.96, buf), "1000");
    assert_string_equal(pario_number_print(123.45, buf), "123.5");
    assert_string_equal(pario_number_print(1.23456, buf), "1.235");
    assert_string_equal(pario_number_print(0, buf), "0.000");
    assert_string_equal(pario_number_print(0.0000123, buf), "1.230e-05");
}

static void test_print_to_full_device_is_an_error(void **state)
{
    json_t *document = document_with(measure("type0", "disk", CHECKED), NULL);
    FILE *out = fopen("/dev/full", "w");

    (void)state;
    assert_non_null(out);
    assert_int_equal(pario_table_print(out, document, PARIO_FORMAT_TEXT), -EIO);
    fclose(out);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_shows_headline_summary_and_figures),
        cmocka_unit_test(
            test_rows_carry_cache_and_verification_in_every_format),
        cmocka_unit_test(test_status_of_the_run_is_in_every_row_and_format),
        cmocka_unit_test(test_errors_and_missing_figures_are_shown),
        cmocka_unit_test(test_write_and_short_measures_say_so),
        cmocka_unit_test(test_csv_of_two_runs_has_one_header_and_their_labels),
        cmocka_unit_test(test_parameters_of_all_measures_are_said_once),
        cmocka_unit_test(test_reasons_are_not_repeated_as_warnings),
        cmocka_unit_test(test_document_without_measures_says_so),
        cmocka_unit_test(test_columns_align_by_characters_not_bytes),
        cmocka_unit_test(test_special_characters_are_escaped_in_each_format),
        cmocka_unit_test(test_incomplete_row_is_filled_with_blanks),
        cmocka_unit_test(test_figures_have_four_digits),
        cmocka_unit_test(test_print_to_full_device_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
