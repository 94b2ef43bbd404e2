/* tests/unit/test_options.c */
#include "core/lists.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_ARGS 32

struct values {
    int force, verbose, verify;
    int none; /* where padding would defeat assert_memory_equal */
    int64_t repeat, signed_count, size;
    double time_s, factor;
    const char *output;
};

struct common {
    int quiet;
};

#define AT(field) offsetof(struct values, field)

static const char *const verify_choices[] = {"off", "sample", "full", NULL};

static const struct pario_option table[] = {
    {.name = "force",
     .type = PARIO_OPT_FLAG,
     .offset = AT(force),
     .help = "overwrite"},
    {.name = "verbose",
     .letter = 'v',
     .type = PARIO_OPT_FLAG,
     .offset = AT(verbose),
     .help = "say more"},
    {.name = "verify",
     .type = PARIO_OPT_CHOICE,
     .offset = AT(verify),
     .help = "how much of what was read is checked, which is a long story "
             "that does not fit on one line",
     .choices = verify_choices},
    {.name = "repeat",
     .letter = 'r',
     .type = PARIO_OPT_INT,
     .offset = AT(repeat),
     .argument = "N",
     .help = "times",
     .min = 1,
     .max = 100},
    {.name = "signed",
     .type = PARIO_OPT_INT,
     .offset = AT(signed_count),
     .argument = "N",
     .help = "any number"},
    {.name = "size",
     .letter = 's',
     .type = PARIO_OPT_SIZE,
     .offset = AT(size),
     .argument = "BYTES",
     .help = "of a file",
     .min = 1024,
     .max = 1048576},
    {.name = "time",
     .letter = 't',
     .type = PARIO_OPT_TIME,
     .offset = AT(time_s),
     .argument = "SECONDS",
     .help = "in all",
     .min = 0.5,
     .max = 3600},
    {.name = "factor",
     .type = PARIO_OPT_REAL,
     .offset = AT(factor),
     .argument = "X",
     .help = "a factor",
     .min = -1,
     .max = 1},
    {.name = "output",
     .letter = 'o',
     .type = PARIO_OPT_STRING,
     .offset = AT(output),
     .argument = "FILE",
     .help = "the result"},
    {.name = NULL},
};

static const struct pario_option common_table[] = {
    {.name = "quiet",
     .letter = 'q',
     .type = PARIO_OPT_FLAG,
     .offset = offsetof(struct common, quiet),
     .help = "say less"},
    {.name = NULL},
};

static const struct values defaults = {
    .verify = 1,
    .repeat = 3,
    .size = 4096,
    .time_s = 60,
    .factor = 0.5,
};

/* One command line, cut at blanks, and what came of it. */
struct line {
    struct values values;
    struct common common;
    char text[256];
    char *argv[MAX_ARGS];
    int argc, noperands, err;
};

static void parse_line(struct line *line, const char *text)
{
    struct pario_option_set sets[] = {
        {table, &line->values}, {common_table, &line->common}, {NULL, NULL}};
    char *rest = line->text;

    line->values = defaults;
    line->common.quiet = 0;
    snprintf(line->text, sizeof(line->text), "%s", text);
    line->argv[0] = rest;
    line->argc = 1;
    while ((rest = strchr(rest, ' ')) != NULL) {
        *rest++ = '\0';
        line->argv[line->argc++] = rest;
    }
    line->noperands = -1;
    pario_error_clear();
    line->err =
        pario_options_parse(sets, line->argc, line->argv, &line->noperands);
}

static void test_parse_every_type_sets_field(void **state)
{
    struct line line;

    (void)state;
    parse_line(&line, "pario --force --verbose --verify full --repeat 7 "
                      "--signed -12 --size 64k --time 1.5min --factor -0.25 "
                      "--output x.json");
    assert_int_equal(line.err, 0);
    assert_int_equal(line.noperands, 0);
    assert_int_equal(line.values.force, 1);
    assert_int_equal(line.values.verbose, 1);
    assert_int_equal(line.values.verify, 2);
    assert_int_equal(line.values.repeat, 7);
    assert_int_equal(line.values.signed_count, -12);
    assert_int_equal(line.values.size, 65536);
    assert_true(line.values.time_s == 90);
    assert_true(line.values.factor == -0.25);
    assert_string_equal(line.values.output, "x.json");
    assert_int_equal(line.common.quiet, 0);
}

static void test_parse_equals_form_sets_field(void **state)
{
    struct line line;

    (void)state;
    parse_line(&line, "pario --force=no --verify=off --repeat=7 --size=64KiB "
                      "--time=500ms --factor=1 --output=--a=b --quiet=on "
                      "--signed=9223372036854775807");
    assert_int_equal(line.err, 0);
    assert_int_equal(line.values.force, 0);
    assert_int_equal(line.values.verify, 0);
    assert_int_equal(line.values.repeat, 7);
    assert_int_equal(line.values.size, 65536);
    assert_true(line.values.time_s == 0.5);
    assert_true(line.values.factor == 1);
    assert_string_equal(line.values.output, "--a=b");
    assert_int_equal(line.common.quiet, 1);
    assert_int_equal(line.values.signed_count, INT64_MAX);
}

static void test_parse_letters_sets_fields(void **state)
{
    struct line line;

    (void)state;
    parse_line(&line, "pario -vqt5 -r 9 -o - -s2k");
    assert_int_equal(line.err, 0);
    assert_int_equal(line.values.verbose, 1);
    assert_int_equal(line.common.quiet, 1);
    assert_true(line.values.time_s == 5);
    assert_int_equal(line.values.repeat, 9);
    assert_string_equal(line.values.output, "-");
    assert_int_equal(line.values.size, 2048);
    assert_int_equal(line.noperands, 0);
}

static void test_parse_no_form_clears_flag(void **state)
{
    struct line line;

    (void)state;
    parse_line(&line, "pario --force --no-force --quiet --no-quiet");
    assert_int_equal(line.err, 0);
    assert_int_equal(line.values.force, 0);
    assert_int_equal(line.common.quiet, 0);
}

static void test_parse_twice_given_last_wins(void **state)
{
    struct line line;

    (void)state;
    parse_line(&line, "pario --repeat 1 --repeat=2");
    assert_int_equal(line.err, 0);
    assert_int_equal(line.values.repeat, 2);
}

static void test_parse_operands_between_come_first(void **state)
{
    struct line line;

    (void)state;
    parse_line(&line, "pario a --time 5 b -v - --force -- --c -d e");
    assert_int_equal(line.err, 0);
    assert_int_equal(line.noperands, 6);
    assert_string_equal(line.argv[0], "pario");
    assert_string_equal(line.argv[1], "a");
    assert_string_equal(line.argv[2], "b");
    assert_string_equal(line.argv[3], "-");
    assert_string_equal(line.argv[4], "--c");
    assert_string_equal(line.argv[5], "-d");
    assert_string_equal(line.argv[6], "e");
    assert_string_equal(line.argv[7], "--time");
    assert_string_equal(line.argv[8], "5");
    assert_string_equal(line.argv[11], "--");
    assert_true(line.values.time_s == 5);
    assert_int_equal(line.values.force, 1);
}

static void test_parse_no_arguments_changes_nothing(void **state)
{
    struct line line;

    (void)state;
    parse_line(&line, "pario");
    assert_int_equal(line.err, 0);
    assert_int_equal(line.noperands, 0);
    assert_memory_equal(&line.values, &defaults, sizeof(defaults));
}

/* Wrong usage: the message has these words, and the field its default. */
static void check_usage_error(const char *text, const char *word1,
                              const char *word2)
{
    struct line line;

    parse_line(&line, text);
    assert_int_equal(line.err, PARIO_EUSAGE);
    assert_int_equal(line.noperands, -1);
    if (strstr(pario_error_message(), word1) == NULL ||
        strstr(pario_error_message(), word2) == NULL)
        fail_msg("%s: %s", text, pario_error_message());
    assert_memory_equal(&line.values, &defaults, sizeof(defaults));
}

static void test_parse_unknown_option_suggests_nearest(void **state)
{
    (void)state;
    check_usage_error("pario --tiem 5", "--tiem", "did you mean --time?");
    check_usage_error("pario --quite", "--quite", "did you mean --quiet?");
    check_usage_error("pario --ouput=x", "--ouput;", "did you mean --output?");
    check_usage_error("pario --banana", "--banana", "--help");
    check_usage_error("pario --tim 5", "--tim", "--time");
    check_usage_error("pario -x", "unknown option -x", "--help");
    check_usage_error("pario -5", "unknown option -5", "--help");
    check_usage_error("pario --no-time", "--no-time", "unknown");
    check_usage_error("pario --no-", "--no-", "unknown");
    check_usage_error("pario --=5", "unknown", "--");
}

static void test_parse_missing_value_is_usage_error(void **state)
{
    (void)state;
    check_usage_error("pario --time", "--time needs", "SECONDS");
    check_usage_error("pario -t", "--time needs", "SECONDS");
    check_usage_error("pario --output --force", "--output needs", "FILE");
    check_usage_error("pario --output -- a", "--output needs", "FILE");
    check_usage_error("pario --no-force=1", "--no-force", "no value");
}

static void test_parse_bad_value_names_option(void **state)
{
    (void)state;
    check_usage_error("pario --repeat 5x", "--repeat: ", "5x");
    check_usage_error("pario --repeat=", "--repeat: ", "no whole number");
    check_usage_error("pario --repeat 1.5", "--repeat: ", "1.5");
    check_usage_error("pario --repeat -", "--repeat: ", "no whole number");
    check_usage_error("pario -r5x", "--repeat: ", "5x");
    check_usage_error("pario --signed 9223372036854775808",
                      "--signed: ", "too large");
    check_usage_error("pario --size 64q", "--size: ", "64q");
    check_usage_error("pario --time 5y", "--time: ", "5y");
    check_usage_error("pario --factor half", "--factor: ", "half");
    check_usage_error("pario --factor 0x1", "--factor: ", "0x1");
    check_usage_error("pario --factor nan", "--factor: ", "nan");
    check_usage_error("pario --factor 1e999", "--factor: ", "too large");
    check_usage_error("pario --factor 1e", "--factor: ", "no number");
    check_usage_error("pario --factor=", "--factor: ", "no number");
    check_usage_error("pario --verify fill", "--verify: ",
                      "did you mean full? (one of off, sample, full)");
    check_usage_error("pario --verify 1", "--verify: ", "one of off");
    check_usage_error("pario --force=maybe", "--force: ", "maybe");
}

static void test_parse_out_of_range_names_range(void **state)
{
    (void)state;
    check_usage_error("pario --repeat 0", "--repeat: 0", "1 to 100");
    check_usage_error("pario --repeat 101", "--repeat: 101", "1 to 100");
    check_usage_error("pario --size 1023", "--size: ", "1 KiB to 1 MiB");
    check_usage_error("pario --size 2M", "--size: ", "1 KiB to 1 MiB");
    check_usage_error("pario --time 0.4", "--time: ", "0.5s to 3600s");
    check_usage_error("pario --time 2h", "--time: ", "0.5s to 3600s");
    check_usage_error("pario --factor 1.01", "--factor: ", "-1 to 1");
}

static void test_parse_at_bounds_is_accepted(void **state)
{
    struct line line;

    (void)state;
    parse_line(&line, "pario --repeat 100 --size 1k --time 1h --factor -1");
    assert_int_equal(line.err, 0);
    assert_int_equal(line.values.repeat, 100);
    assert_int_equal(line.values.size, 1024);
    assert_true(line.values.time_s == 3600);
    assert_true(line.values.factor == -1);
}

static void test_set_value_below_open_range_names_least(void **state)
{
    static const struct pario_option option = {
        .name = "depth", .type = PARIO_OPT_INT, .min = 1, .max = INFINITY};
    int64_t depth = 5;

    (void)state;
    assert_int_equal(pario_option_set_value(&option, &depth, "0", "--depth"),
                     PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "at least 1"));
    assert_int_equal(depth, 5);
}

/* What a result file says about an option sets it the same way again. */
static void test_print_every_type_parses_back(void **state)
{
    struct values first = {1, 0, 2, 0, 77, -5, 12345, 0.7, 1.0 / 3, "a b"};
    struct values second = defaults;

    (void)state;
    for (const struct pario_option *o = table; o->name != NULL; o++) {
        char text[64];

        pario_option_print(o, &first, text, sizeof(text));
        assert_int_equal(pario_option_set_value(o, &second, text, o->name), 0);
        if (o->type == PARIO_OPT_STRING) {
            assert_string_equal(text, "a b");
            second.output = first.output;
        }
    }
    assert_memory_equal(&first, &second, sizeof(first));
}

static void test_print_known_values_gives_text(void **state)
{
    static const char *const expected[] = {"no",    "no",  "sample", "3", "0",
                                           "4 KiB", "60s", "0.5",    ""};

    (void)state;
    for (size_t i = 0; i < COUNT(expected); i++) {
        char text[64];

        pario_option_print(&table[i], &defaults, text, sizeof(text));
        assert_string_equal(text, expected[i]);
    }
}

static int from_keyfile(const char *text, const char *section,
                        struct values *values, struct common *common,
                        struct pario_keyfile **file_p)
{
    struct pario_option_set sets[] = {
        {table, values}, {common_table, common}, {NULL, NULL}};

    *values = defaults;
    common->quiet = 0;
    assert_int_equal(pario_keyfile_parse("f.in", text, NULL, file_p), 0);
    pario_error_clear();
    return pario_options_from_keyfile(sets, *file_p, section);
}

static void test_read_keyfile_every_type_sets_field(void **state)
{
    struct pario_keyfile *file;
    struct values values;
    struct common common;

    (void)state;
    assert_int_equal(from_keyfile("force\nverbose = yes\nverify full\n"
                                  "repeat 7\nsigned -3\nsize 1 MiB\n"
                                  "time = 2 min\nfactor 1e-1\n"
                                  "output \"a #b\"\nquiet on\nno-force\n",
                                  "", &values, &common, &file),
                     0);
    assert_int_equal(values.force, 0);
    assert_int_equal(values.verbose, 1);
    assert_int_equal(values.verify, 2);
    assert_int_equal(values.repeat, 7);
    assert_int_equal(values.signed_count, -3);
    assert_int_equal(values.size, 1048576);
    assert_true(values.time_s == 120);
    assert_true(values.factor == 0.1);
    assert_string_equal(values.output, "a #b");
    assert_int_equal(common.quiet, 1);
    pario_keyfile_destroy(file);
}

static void test_read_keyfile_section_wins_over_general(void **state)
{
    struct pario_keyfile *file;
    struct values values;
    struct common common;

    (void)state;
    assert_int_equal(from_keyfile("repeat 1\nsize 4k\n[a]\nrepeat 2\ntime 5\n",
                                  "a", &values, &common, &file),
                     0);
    assert_int_equal(values.repeat, 2);
    assert_int_equal(values.size, 4096);
    assert_true(values.time_s == 5);
    pario_keyfile_destroy(file);
    assert_int_equal(
        from_keyfile("repeat 1\n[b]\nrepeat 4\n", "a", &values, &common, &file),
        PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "f.in:3: section [b]"));
    pario_keyfile_destroy(file);
}

static void test_read_keyfile_bad_keyword_names_line(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"repeat 1\ntiem 5\n", "f.in:2: tiem: unknown keyword; did you mean "
                               "time?"},
        {"banana 5\n", "f.in:1: banana: unknown keyword"},
        {"\n\nrepeat 0\n", "f.in:3: repeat: 0 is out of range (1 to 100)"},
        {"repeat\n", "f.in:1: repeat: \"\" is no whole number"},
        {"time 5 x\n", "f.in:1: time: \"5 x\" is no time"},
        {"no-force yes\n", "f.in:1: no-force takes no value"},
        {"force 7\n", "f.in:1: force: \"7\" is neither yes nor no"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pario_keyfile *file;
        struct values values;
        struct common common;

        assert_int_equal(
            from_keyfile(cases[i].text, "", &values, &common, &file),
            PARIO_EUSAGE);
        if (strstr(pario_error_message(), cases[i].words) == NULL)
            fail_msg("%s", pario_error_message());
        pario_keyfile_destroy(file);
    }
}

static void test_parse_after_keyfile_wins(void **state)
{
    struct pario_keyfile *file;
    struct values values;
    struct common common;
    struct pario_option_set sets[] = {{table, &values}, {NULL, NULL}};
    char name[] = "pario", option[] = "--repeat=9";
    char *argv[] = {name, option, NULL};
    int noperands;

    (void)state;
    assert_int_equal(
        from_keyfile("repeat 2\ntime 5\n", "", &values, &common, &file), 0);
    assert_int_equal(pario_options_parse(sets, 2, argv, &noperands), 0);
    assert_int_equal(values.repeat, 9);
    assert_true(values.time_s == 5);
    pario_keyfile_destroy(file);
}

static void test_print_help_names_options_and_defaults(void **state)
{
    static const char *const words[] = {
        "  -t, --time SECONDS",
        "in all (default: 60s)",
        "      --force",
        "off|sample|full",
        "(default: sample)",
        "(default: 4 KiB)",
        "  -o, --output FILE       the result\n",
        "--verbose",
    };
    struct values values = defaults;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    (void)state;
    assert_non_null(out);
    values.verbose = 1;
    pario_options_help(out, table, &values);
    fclose(out);
    for (size_t i = 0; i < COUNT(words); i++) {
        if (strstr(text, words[i]) == NULL)
            fail_msg("\"%s\" is not in:\n%s", words[i], text);
    }
    assert_non_null(strstr(text, "(default: yes; see --no-verbose)"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_in_range(strlen(line), 1, 80);
    free(text);
}

static const struct pario_option numbers = {.name = "numbers",
                                            .type = PARIO_OPT_INT};

static void check_list(const char *text, const int64_t *expected, size_t count)
{
    struct pario_list list;

    assert_int_equal(pario_list_parse(&numbers, text, &list), 0);
    assert_int_equal(list.count, count);
    assert_memory_equal(list.value, expected, count * sizeof(*expected));
}

static void test_parse_list_all_forms_gives_numbers(void **state)
{
    static const int64_t three[] = {2, 4, 8};
    static const int64_t one[] = {-7};

    (void)state;
    check_list("2,4,8", three, 3);
    check_list("2 4 8", three, 3);
    check_list(" 2 , 4\t8 ", three, 3);
    check_list("-7", one, 1);
}

static void test_parse_list_malformed_is_usage_error(void **state)
{
    static const char *const cases[] = {
        "",     " ",   ",",   "2,",  ",2",
        "2,,4", "2;4", "2,x", "1.5", "2 4 9223372036854775808",
        "2,4 ,"};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pario_list list = {.count = 42};

        assert_int_equal(pario_list_parse(&numbers, cases[i], &list),
                         PARIO_EUSAGE);
        assert_non_null(strstr(pario_error_message(), "--numbers: "));
        assert_int_equal(list.count, 42);
    }
}

static void test_parse_list_of_sizes_and_names_gives_values(void **state)
{
    static const char *const names[] = {"posix", "uring", "mpiio", NULL};
    static const struct pario_option sizes = {
        .name = "sizes", .type = PARIO_OPT_SIZE, .max = 1 << 20};
    static const struct pario_option choices = {
        .name = "interfaces", .type = PARIO_OPT_CHOICE, .choices = names};
    struct pario_list list = {.count = 0};

    (void)state;
    assert_int_equal(pario_list_parse(&sizes, "0,4k, 1M", &list), 0);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.value[1], 4096);
    assert_int_equal(pario_list_largest(&list), 1 << 20);
    assert_int_equal(pario_list_parse(&sizes, "0,2M", &list), PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "--sizes: 2M is out of"));
    assert_int_equal(pario_list_parse(&choices, "mpiio,posix", &list), 0);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.value[0], 2);
    assert_int_equal(list.value[1], 0);
    assert_int_equal(pario_list_parse(&choices, "urin", &list), PARIO_EUSAGE);
    assert_non_null(strstr(pario_error_message(), "did you mean uring"));
}

static void test_parse_list_too_long_is_usage_error(void **state)
{
    char text[2 * (PARIO_MAX_LIST + 1)];
    struct pario_list list = {.count = 0};

    (void)state;
    for (size_t i = 0; i < PARIO_MAX_LIST + 1; i++)
        memcpy(text + 2 * i, "1,", 2);
    text[2 * PARIO_MAX_LIST - 1] = '\0';
    assert_int_equal(pario_list_parse(&numbers, text, &list), 0);
    assert_int_equal(list.count, PARIO_MAX_LIST);
    text[2 * PARIO_MAX_LIST - 1] = ',';
    text[2 * PARIO_MAX_LIST + 1] = '\0';
    assert_int_equal(pario_list_parse(&numbers, text, &list), PARIO_EUSAGE);
    memset(text, '1', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(pario_list_parse(&numbers, text, &list), PARIO_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_every_type_sets_field),
        cmocka_unit_test(test_parse_equals_form_sets_field),
        cmocka_unit_test(test_parse_letters_sets_fields),
        cmocka_unit_test(test_parse_no_form_clears_flag),
        cmocka_unit_test(test_parse_twice_given_last_wins),
        cmocka_unit_test(test_parse_operands_between_come_first),
        cmocka_unit_test(test_parse_no_arguments_changes_nothing),
        cmocka_unit_test(test_parse_unknown_option_suggests_nearest),
        cmocka_unit_test(test_parse_missing_value_is_usage_error),
        cmocka_unit_test(test_parse_bad_value_names_option),
        cmocka_unit_test(test_parse_out_of_range_names_range),
        cmocka_unit_test(test_parse_at_bounds_is_accepted),
        cmocka_unit_test(test_set_value_below_open_range_names_least),
        cmocka_unit_test(test_print_every_type_parses_back),
        cmocka_unit_test(test_print_known_values_gives_text),
        cmocka_unit_test(test_read_keyfile_every_type_sets_field),
        cmocka_unit_test(test_read_keyfile_section_wins_over_general),
        cmocka_unit_test(test_read_keyfile_bad_keyword_names_line),
        cmocka_unit_test(test_parse_after_keyfile_wins),
        cmocka_unit_test(test_print_help_names_options_and_defaults),
        cmocka_unit_test(test_parse_list_all_forms_gives_numbers),
        cmocka_unit_test(test_parse_list_malformed_is_usage_error),
        cmocka_unit_test(test_parse_list_of_sizes_and_names_gives_values),
        cmocka_unit_test(test_parse_list_too_long_is_usage_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
