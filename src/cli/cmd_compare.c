/* cli/cmd_compare.c - `pario compare`: results against a base, runs of one side
 * against those of another. */
#include "analysis/inputs.h"
#include "cli/commands.h"
#include "core/options.h"
#include "report/compare.h"
#include "report/format.h"
#include "report/page.h"
#include "report/plots.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct compare_options {
    double fail_below;
    int html, force, allow_invalid, verbose;
    const char *output, *format;
};

#define AT(field) offsetof(struct compare_options, field)

static const struct pario_option compare_table[] = {
    {PARIO_OPTION("fail-below", REAL, AT(fail_below), "RATIO"),
     PARIO_RANGE(0, 1000),
     .help = "exit with 1 and name the figures when the overall ratio, a "
             "headline rate, or a measure that is shown to be slower is below "
             "RATIO, or when NEW lacks what OLD has"},
    {PARIO_FLAG("allow-invalid", AT(allow_invalid)),
     .help = "compare also runs that are not valid"},
    {PARIO_OPTION("format", STRING, AT(format), "text|json|csv|md|junit|html"),
     .help = "what to write (default: by the ending of FILE, text otherwise)"},
    {PARIO_FLAG("html", AT(html)), .help = "the same as --format html"},
    {PARIO_CLI_OUTPUT(AT(output)),
     .help = "write to FILE instead of the standard output: .html, .json, "
             ".csv, .md, .xml (JUnit) or .txt"},
    {PARIO_FLAG("verbose", AT(verbose)), .letter = 'v',
     .help = "on the standard output also tables that are longer than a "
             "screen"},
    {PARIO_CLI_FORCE(AT(force))},
    {.name = NULL},
};

#define FORMATS                                                                \
    (PARIO_FORMAT_BIT(PARIO_FORMAT_TEXT) |                                     \
     PARIO_FORMAT_BIT(PARIO_FORMAT_JSON) |                                     \
     PARIO_FORMAT_BIT(PARIO_FORMAT_CSV) | PARIO_FORMAT_BIT(PARIO_FORMAT_MD) |  \
     PARIO_FORMAT_BIT(PARIO_FORMAT_JUNIT) |                                    \
     PARIO_FORMAT_BIT(PARIO_FORMAT_HTML))

static void print_help(void)
{
    static const struct compare_options defaults = {.fail_below = 0};

    puts("usage: pario compare OLD.json... -- NEW.json... [options]\n"
         "       pario compare OLD.json NEW.json... [options]\n\n"
         "Is the new one faster? Several runs of a side are repetitions: they "
         "give each\nratio an interval and a verdict. Without -- the first "
         "run is the base of all\nothers. Measures match when test, pattern, "
         "parameters, access and number of\nprocesses do.\n\noptions:");
    pario_options_help(stdout, compare_table, &defaults);
}

/* All comparisons of one call: of two sides, or of each run with the first. */
struct comparisons {
    json_t *list;
    size_t failed; /* figures that the gate named */
    char names[512];
};

/* The first of those that failed, for the message. */
static void note_failed(struct comparisons *all, const json_t *comparison)
{
    const json_t *failure;
    size_t i;

    json_array_foreach(json_object_get(comparison, "failed"), i, failure)
    {
        size_t used = strlen(all->names);
        const char *name = json_string_value(json_object_get(failure, "name"));
        const char *reason =
            json_string_value(json_object_get(failure, "reason"));

        if (used + strlen(name) + strlen(reason) + 8 < sizeof(all->names))
            snprintf(all->names + used, sizeof(all->names) - used, "%s%s: %s",
                     used > 0 ? "; " : "", name, reason);
        all->failed++;
    }
}

static int compare_sides(const struct compare_options *options,
                         const struct pario_side *base,
                         const struct pario_side *now, struct comparisons *all)
{
    json_t *comparison;
    int code = pario_compare(base, now, options->allow_invalid, &comparison);

    if (code != 0)
        return code;
    if (options->fail_below > 0)
        code = pario_comparison_gate(comparison, options->fail_below);
    if (code >= 0) {
        note_failed(all, comparison);
        code = json_array_append(all->list, comparison) == 0
                   ? 0
                   : pario_fail_errno(-ENOMEM, "compare");
    }
    if (code == 0 &&
        json_array_size(json_object_get(comparison, "measures")) +
                json_array_size(json_object_get(comparison, "headlines")) ==
            0)
        code = pario_fail(PARIO_EFORMAT, "%s and %s have no measure in common",
                          base->runs[0].label, now->runs[0].label);
    json_decref(comparison);
    return code;
}

static int compare_all(const struct compare_options *options,
                       const struct pario_inputs *inputs, size_t nbase,
                       struct comparisons *all)
{
    struct pario_side base = {inputs->runs, nbase > 0 ? nbase : 1};
    int code = 0;

    if (nbase > 0) {
        struct pario_side now = {inputs->runs + nbase, inputs->nruns - nbase};

        return compare_sides(options, &base, &now, all);
    }
    for (size_t i = 1; code == 0 && i < inputs->nruns; i++) {
        struct pario_side now = {inputs->runs + i, 1};

        code = compare_sides(options, &base, &now, all);
    }
    return code;
}

/* The page around the comparison. */
static int print_page(const struct pario_inputs *inputs, const char *comparison,
                      FILE *out)
{
    struct pario_figure_list figures = {.count = 0};
    struct pario_page page = {.runs = inputs->runs,
                              .nruns = inputs->nruns,
                              .figures = &figures,
                              .lead_title = "Comparison",
                              .lead = comparison};
    int code = pario_inputs_figures(inputs, 0, -1, &figures);

    if (code == 0)
        code = pario_page_print(out, &page);
    pario_figure_list_fini(&figures);
    return code;
}

static int print_html(const struct pario_inputs *inputs, const json_t *list,
                      FILE *out)
{
    char *text = NULL;
    size_t len = 0, i;
    FILE *part = open_memstream(&text, &len);
    const json_t *comparison;
    int code = part != NULL ? 0 : pario_fail_errno(-ENOMEM, "compare");

    json_array_foreach(list, i, comparison)
    {
        if (code == 0)
            code = pario_comparison_print(comparison, part, PARIO_FORMAT_HTML);
    }
    if (part != NULL && fclose(part) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "compare");
    if (code == 0)
        code = print_page(inputs, text, out);
    free(text);
    return code;
}

static int print_json(const json_t *list, FILE *out)
{
    json_t *document = json_pack("{s:s, s:O}", "schema", "pario-compare/1",
                                 "comparisons", list);
    int code = document != NULL &&
                       json_dumpf(document, out,
                                  JSON_INDENT(1) | JSON_ENSURE_ASCII) == 0 &&
                       fputs("\n", out) >= 0
                   ? 0
                   : pario_fail_errno(-ENOMEM, "compare");

    json_decref(document);
    return code;
}

static int print_one(const json_t *comparison, size_t i, FILE *out,
                     enum pario_format format)
{
    if (format == PARIO_FORMAT_CSV)
        return pario_comparison_csv(comparison, out, i == 0);
    if (format == PARIO_FORMAT_JUNIT) {
        pario_comparison_junit(comparison, out);
        return 0;
    }
    fputs(i > 0 ? "\n" : "", out);
    return pario_comparison_print(comparison, out, format);
}

static int print_all(const struct pario_inputs *inputs, const json_t *list,
                     FILE *out, enum pario_format format)
{
    const json_t *comparison;
    size_t i;
    int code = 0;

    if (format == PARIO_FORMAT_HTML)
        return print_html(inputs, list, out);
    if (format == PARIO_FORMAT_JSON)
        return print_json(list, out);
    if (format == PARIO_FORMAT_JUNIT)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
              out);
    json_array_foreach(list, i, comparison)
    {
        if (code == 0)
            code = print_one(comparison, i, out, format);
    }
    if (format == PARIO_FORMAT_JUNIT)
        fputs("</testsuites>\n", out);
    return code;
}

/* Made in memory first, so that FILE is not touched when something fails. */
static int write_all(const struct compare_options *options,
                     const struct pario_inputs *inputs, const json_t *list,
                     enum pario_format format)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int code;

    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "compare");
    code = print_all(inputs, list, out, format);
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "compare");
    if (code == 0)
        code = pario_output_made(options->output, options->force, text, len);
    free(text);
    return code;
}

/* What is printed on a screen is to fit it. */
static int make_brief(json_t *list)
{
    json_t *comparison;
    size_t i;

    json_array_foreach(list, i, comparison)
    {
        if (json_object_set_new(comparison, "brief", json_true()) != 0)
            return pario_fail_errno(-ENOMEM, "compare");
    }
    return 0;
}

static int compare(const struct compare_options *options,
                   const struct pario_inputs *inputs, size_t nbase,
                   enum pario_format format)
{
    struct comparisons all = {.list = json_array()};
    int code = all.list != NULL ? compare_all(options, inputs, nbase, &all)
                                : pario_fail_errno(-ENOMEM, "compare");

    if (code == 0 && format == PARIO_FORMAT_TEXT && options->output == NULL &&
        !options->verbose)
        code = make_brief(all.list);
    if (code == 0)
        code = write_all(options, inputs, all.list, format);
    json_decref(all.list);
    /* Who reads the answer on a terminal has their names there. */
    if (code == 0 && all.failed > 0 && format == PARIO_FORMAT_TEXT &&
        options->output == NULL && isatty(STDOUT_FILENO))
        code = pario_fail(-ERANGE,
                          "compare: %zu figure%s not good enough "
                          "(--fail-below %g)",
                          all.failed, all.failed == 1 ? " is" : "s are",
                          options->fail_below);
    else if (code == 0 && all.failed > 0)
        code = pario_fail(-ERANGE,
                          "compare: %zu figure%s not good enough "
                          "(--fail-below %g): %s",
                          all.failed, all.failed == 1 ? " is" : "s are",
                          options->fail_below, all.names);
    return code;
}

static int compare_files(const struct compare_options *options, int count,
                         char **paths, size_t nbase)
{
    struct pario_inputs inputs;
    enum pario_format format;
    int code = pario_format_choose(options->html ? "html" : options->format,
                                   options->output, FORMATS, &format);

    if (code == 0)
        code = pario_inputs_init(&inputs, count, paths);
    if (code != 0)
        return code;
    if (inputs.failed != 0)
        code = pario_fail(inputs.failed, "%s", inputs.problems[0]);
    else if (inputs.ntimings > 0)
        code =
            pario_fail(PARIO_EUSAGE, "compare: %s holds timings, not a result",
                       inputs.timings[0]->path);
    else
        code = compare(options, &inputs, nbase, format);
    pario_inputs_fini(&inputs);
    return code;
}

/* Both sides of "--" have operands and may have options; the operands are
 * moved together to argv[1..]. */
static int parse_sides(struct compare_options *options, int argc, char **argv,
                       int *nbase_p, int *count_p)
{
    const struct pario_option_set sets[] = {
        {.table = compare_table, .values = options}, {.table = NULL}};
    int divide = 1, nold = 0, nnew = 0, code;

    while (divide < argc && strcmp(argv[divide], "--") != 0)
        divide++;
    code = pario_options_parse(sets, divide, argv, &nold);
    if (code == 0 && divide < argc)
        code = pario_options_parse(sets, argc - divide, argv + divide, &nnew);
    if (code != 0)
        return code;
    if (divide < argc ? nold < 1 || nnew < 1 : nold < 2)
        return pario_fail(PARIO_EUSAGE,
                          "compare: which results? usage: pario compare "
                          "OLD.json... -- NEW.json... (`pario compare "
                          "--help`)");
    memmove(argv + 1 + nold, argv + divide + 1, (size_t)nnew * sizeof(*argv));
    *nbase_p = divide < argc ? nold : 0;
    *count_p = nold + nnew;
    return 0;
}

int pario_cmd_compare(const struct pario_group *world, int argc, char **argv)
{
    struct compare_options options = {.fail_below = 0};
    int nbase = 0, count = 0, code;

    (void)world;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return 0;
        }
    code = parse_sides(&options, argc, argv, &nbase, &count);
    return code != 0 ? code
                     : compare_files(&options, count, argv + 1, (size_t)nbase);
}
