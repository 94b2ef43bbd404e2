/* cli/cmd_compare.c - `pario compare`: results against a base. */
#include "cli/commands.h"
#include "core/options.h"
#include "report/compare.h"
#include "report/inputs.h"
#include "report/page.h"
#include "report/plots.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compare_options {
    double fail_below;
    int html, force, allow_invalid;
    const char *output;
};

static const struct pario_option compare_table[] = {
    {.name = "fail-below",
     .type = PARIO_OPT_REAL,
     .offset = offsetof(struct compare_options, fail_below),
     .argument = "RATIO",
     .min = 0,
     .max = 1000,
     .help = "exit with 1 when the overall ratio, a headline figure, or a "
             "measure that is shown to be worse is below RATIO, or when NEW "
             "lacks what BASE has"},
    {.name = "allow-invalid",
     .type = PARIO_OPT_FLAG,
     .offset = offsetof(struct compare_options, allow_invalid),
     .help = "compare also runs that are not valid"},
    {.name = "html",
     .type = PARIO_OPT_FLAG,
     .offset = offsetof(struct compare_options, html),
     .help = "one HTML page with all runs side by side"},
    {.name = "output",
     .letter = 'o',
     .type = PARIO_OPT_STRING,
     .offset = offsetof(struct compare_options, output),
     .argument = "FILE",
     .help = "write to FILE instead of the standard output"},
    {.name = "force",
     .type = PARIO_OPT_FLAG,
     .offset = offsetof(struct compare_options, force),
     .help = "replace FILE where it exists"},
    {.name = NULL},
};

static void print_help(void)
{
    static const struct compare_options defaults = {.fail_below = 0};

    puts("usage: pario compare BASE.json NEW.json... [options]\n\n"
         "Compares results measure by measure: ratio of the rates, 95 % "
         "interval, verdict.\nMeasures match when test, pattern, parameters, "
         "access and number of processes\ndo; repetitions of one give the "
         "interval.\n\noptions:");
    pario_options_help(stdout, compare_table, &defaults);
}

/* What --fail-below is held against, over all NEW. */
struct gate {
    double least;
    size_t missing; /* measures and headline figures of the base */
};

static void pass_gate(const struct pario_comparison *c, struct gate *gate)
{
    const double ratios[] = {c->matched > 0 ? c->overall.ratio : INFINITY,
                             c->worst_headline, c->worst_shown};

    for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++)
        if (ratios[i] < gate->least)
            gate->least = ratios[i];
    gate->missing += c->only_base + c->missing_headlines;
}

static int judge(const struct gate *gate, double fail_below)
{
    if (gate->least < fail_below)
        return pario_fail(-ERANGE,
                          "compare: a ratio of %.3f is below --fail-below %g",
                          gate->least, fail_below);
    if (gate->missing > 0)
        return pario_fail(-ERANGE,
                          "compare: %zu measures or headline figures of the "
                          "base are missing in the new: --fail-below cannot "
                          "be judged",
                          gate->missing);
    return 0;
}

static int compare_all(const struct compare_options *options,
                       const struct pario_inputs *inputs, FILE *out,
                       struct gate *gate)
{
    enum pario_format format =
        options->html ? PARIO_FORMAT_HTML : PARIO_FORMAT_TEXT;
    int code = 0;

    for (size_t i = 1; code == 0 && i < inputs->nruns; i++) {
        struct pario_comparison comparison;

        code = pario_compare(&inputs->runs[0], &inputs->runs[i],
                             options->allow_invalid, &comparison);
        if (code != 0)
            break;
        if (i > 1)
            fputs("\n", out);
        code = pario_comparison_print(&comparison, &inputs->runs[0],
                                      &inputs->runs[i], out, format);
        pass_gate(&comparison, gate);
        if (code == 0 && comparison.matched == 0 && comparison.headline == NULL)
            code =
                pario_fail(PARIO_EFORMAT, "%s and %s have no measure in common",
                           inputs->runs[0].label, inputs->runs[i].label);
        pario_comparison_fini(&comparison);
    }
    return code;
}

/* The page around the comparison; text is replaced by it. */
static int wrap_page(const struct pario_inputs *inputs, char **text_p,
                     size_t *len_p)
{
    struct pario_figure_list figures = {.count = 0};
    struct pario_page page = {.runs = inputs->runs,
                              .nruns = inputs->nruns,
                              .figures = &figures,
                              .last = -1,
                              .comparison = *text_p};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int code;

    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "compare");
    code = pario_inputs_figures(inputs, 0, -1, &figures);
    if (code == 0)
        code = pario_page_print(out, &page);
    pario_figure_list_fini(&figures);
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "compare");
    if (code != 0) {
        free(text);
        return code;
    }
    free(*text_p);
    *text_p = text;
    *len_p = len;
    return 0;
}

static int compare(const struct compare_options *options,
                   const struct pario_inputs *inputs)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    struct gate gate = {.least = INFINITY};
    int code;

    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "compare");
    code = compare_all(options, inputs, out, &gate);
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "compare");
    if (code == 0 && options->html)
        code = wrap_page(inputs, &text, &len);
    if (code == 0)
        code =
            options->output != NULL
                ? pario_output_file(options->output, options->force, text, len)
                : pario_output_stream(stdout, "the standard output", text, len);
    free(text);
    if (code == 0 && options->fail_below > 0)
        code = judge(&gate, options->fail_below);
    return code;
}

int pario_cmd_compare(const struct pario_group *world, int argc, char **argv)
{
    struct compare_options options = {.fail_below = 0};
    const struct pario_option_set sets[] = {
        {.table = compare_table, .values = &options}, {.table = NULL}};
    struct pario_inputs inputs;
    int noperands, code;

    (void)world;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return 0;
        }
    code = pario_options_parse(sets, argc, argv, &noperands);
    if (code != 0)
        return code;
    if (noperands < 2)
        return pario_fail(PARIO_EUSAGE,
                          "compare: which results? usage: pario compare "
                          "BASE.json NEW.json... (`pario compare --help`)");
    code = pario_inputs_init(&inputs, noperands, argv + 1);
    if (code != 0)
        return code;
    if (inputs.failed != 0)
        code = pario_fail(inputs.failed, "%s", inputs.problems[0]);
    else if (inputs.ntimings > 0)
        code =
            pario_fail(PARIO_EUSAGE, "compare: %s holds timings, not a result",
                       inputs.timings[0]->path);
    else
        code = compare(&options, &inputs);
    pario_inputs_fini(&inputs);
    return code;
}
