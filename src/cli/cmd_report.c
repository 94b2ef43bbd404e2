/* cli/cmd_report.c - `pario report`: results and timings as tables, plots and
 * one HTML page. */
#include "analysis/analysis.h"
#include "analysis/inputs.h"
#include "analysis/page_raw.h"
#include "cli/commands.h"
#include "core/options.h"
#include "report/data.h"
#include "report/format.h"
#include "report/page.h"
#include "report/plots.h"
#include "report/table.h"
#include "result/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report_options {
    enum pario_format format; /* by format_name, or by the output's */
    int force;
    const char *format_name, *output, *plots, *range;
};

#define FORMATS                                                                \
    (PARIO_FORMAT_BIT(PARIO_FORMAT_TEXT) |                                     \
     PARIO_FORMAT_BIT(PARIO_FORMAT_CSV) | PARIO_FORMAT_BIT(PARIO_FORMAT_MD) |  \
     PARIO_FORMAT_BIT(PARIO_FORMAT_HTML) |                                     \
     PARIO_FORMAT_BIT(PARIO_FORMAT_PROMETHEUS))

#define MAX_BLOCKS 12      /* whose raw timings --plots draws */
#define COURSE_COLUMNS 200 /* over time: wider than a pixel */
#define MAX_LANES 16       /* that fit on one sheet */

#define AT(field) offsetof(struct report_options, field)

static const struct pario_option report_table[] = {
    {PARIO_OPTION("format", STRING, AT(format_name),
                  "text|csv|md|html|prometheus"),
     .help = "for a screen, for programs, Markdown, one HTML page, or a "
             "textfile for Prometheus (default: by the ending of FILE, text "
             "otherwise)"},
    {PARIO_CLI_OUTPUT(AT(output)),
     .help = "write to FILE instead of the standard output"},
    {PARIO_OPTION("plots", STRING, AT(plots), "DIR"),
     .help = "write gnuplot scripts, PNG, SVG and PDF of all figures to DIR"},
    {PARIO_OPTION("range", STRING, AT(range), "A:B"),
     .help = "of timings: only the calls A up to and without B, from 0"},
    {PARIO_CLI_FORCE(AT(force))},
    {.name = NULL},
};

static void print_help(void)
{
    static const struct report_options defaults = {.force = 0};

    puts("usage: pario report RESULT.json... [TIMINGS...] [options]\n\n"
         "Prints the measures of results as tables, or with -o FILE.html as "
         "one page\nwith interactive plots; timings (--samples) are shown "
         "there too. Every number\nfrom a cache, not verified, or of an "
         "invalid run says so.\n\n"
         "options:");
    pario_options_help(stdout, report_table, &defaults);
}

/* What is printed, of which calls, and what could not be. */
struct printing {
    FILE *out;
    enum pario_format format;
    struct pario_lane_plan range;
    int64_t left_out; /* blocks */
};

static int report_block(struct printing *p, const struct pario_timings *timings,
                        size_t i)
{
    struct pario_table *table = NULL;
    struct pario_lanes lanes;
    char *title = pario_block_title(&timings->blocks[i]);
    int code =
        pario_lanes_init(timings, &timings->blocks[i], -1, &p->range, &lanes);

    if (code == 0) {
        fputs(i > 0 ? "\n" : "", p->out);
        pario_cell_put(p->out, title != NULL ? title : "?", p->format);
        fputs("\n\n", p->out);
        code = pario_lanes_table(&timings->blocks[i], &lanes, &table);
        if (code == 0)
            code = pario_table_render(table, p->out, p->format);
        pario_table_destroy(table);
        pario_lanes_fini(&lanes);
    }
    free(title);
    return code;
}

/* A table of each block of a timings file. */
static int report_timings(struct printing *p, const char *path)
{
    struct pario_timings *timings;
    int code;

    code = pario_timings_open(path, &timings);
    if (code != 0)
        return code;
    for (size_t i = 0; i < timings->ncomplaints; i++) {
        fputs(p->format == PARIO_FORMAT_MD ? "- warning: " : "warning: ",
              p->out);
        pario_cell_put(p->out, timings->complaints[i], p->format);
        fputs("\n", p->out);
    }
    if (timings->ncomplaints > 0)
        fputs("\n", p->out);
    p->left_out += (int64_t)timings->ncomplaints + timings->nunreported;
    for (size_t i = 0; code == 0 && i < timings->nblocks; i++)
        code = report_block(p, timings, i);
    pario_timings_close(timings);
    return code;
}

/* Appends the tables of one file to out. */
static int report_one(struct printing *p, const char *path, int first)
{
    json_t *document;
    int code;

    if (pario_timings_looks_so(path)) {
        if (!first)
            fputs("\n", p->out);
        return report_timings(p, path);
    }
    code = pario_result_load(path, &document);
    if (code != 0)
        return code;
    if (!first)
        fputs("\n", p->out);
    code = pario_table_print(p->out, document, p->format);
    json_decref(document);
    return code;
}

/* Every good one, whatever the others are; returns the last error, whose
 * message the caller prints. */
static int report_all(struct printing *p, int count, char **paths, int *good_p)
{
    char message[1024] = "";
    int failed = 0;

    *good_p = 0;
    for (int i = 0; i < count; i++) {
        int code = report_one(p, paths[i], *good_p == 0);

        if (code == 0) {
            (*good_p)++;
            continue;
        }
        if (failed != 0)
            fprintf(stderr, "pario: %s\n", message);
        snprintf(message, sizeof(message), "%s", pario_error_message());
        failed = code;
    }
    if (failed != 0)
        pario_error_replace(message);
    else if (p->left_out > 0)
        failed = pario_fail(PARIO_EFORMAT,
                            "report: %" PRId64 " parts of the timings could "
                            "not be used (see the warnings)",
                            p->left_out);
    return failed;
}

/* The tables are made in memory first, so that -o FILE is not touched when no
 * document was good. */
static int report(const struct report_options *options, int count, char **paths)
{
    char *text = NULL, message[1024];
    size_t len = 0;
    struct printing p = {.format = options->format,
                         .range = {.columns = 64, .levels = 1}};
    int good, failed,
        code = pario_range_parse(options->range, &p.range.first, &p.range.last);

    if (code != 0)
        return code;
    p.out = open_memstream(&text, &len);
    if (p.out == NULL)
        return pario_fail_errno(-errno, "report");
    failed = report_all(&p, count, paths, &good);
    if (fclose(p.out) != 0) {
        free(text);
        return pario_fail_errno(-ENOMEM, "report");
    }
    snprintf(message, sizeof(message), "%s", pario_error_message());
    if (good > 0)
        code = pario_output_made(options->output, options->force, text, len);
    free(text);
    if (code != 0 && failed != 0)
        fprintf(stderr, "pario: %s\n", message);
    return code != 0 ? code : failed;
}

static int print_data(FILE *out, const struct pario_inputs *inputs,
                      enum pario_format format)
{
    if (inputs->ntimings > 0)
        return pario_fail(PARIO_EUSAGE,
                          "%s holds timings, which have no rows of measures: "
                          "`pario rawdata %s -o FILE.csv` writes them",
                          inputs->timings[0]->path, inputs->timings[0]->path);
    if (inputs->nruns == 0)
        return pario_fail(inputs->failed, "report: no file could be used");
    return format == PARIO_FORMAT_CSV
               ? pario_data_csv(out, inputs->runs, inputs->nruns)
               : pario_data_prometheus(out, inputs->runs, inputs->nruns);
}

/* All good files as one table for other programs. */
static int report_data(const struct report_options *options, int count,
                       char **paths)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    struct pario_inputs inputs = {.nruns = 0};
    int code = out != NULL ? pario_inputs_init(&inputs, count, paths)
                           : pario_fail_errno(-ENOMEM, "report");

    if (code != 0) {
        if (out != NULL)
            fclose(out);
        free(text);
        return code;
    }
    for (size_t i = 0; i < inputs.nproblems; i++)
        fprintf(stderr, "pario: %s\n", inputs.problems[i]);
    code = print_data(out, &inputs, options->format);
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "report");
    if (code == 0)
        code = pario_output_made(options->output, options->force, text, len);
    if (code == 0 && inputs.failed != 0)
        code = pario_fail(inputs.failed, "report: not all files could be used");
    free(text);
    pario_inputs_fini(&inputs);
    return code;
}

/* The page is made of every good file; the others are named in it. */
static int print_page(FILE *out, const struct pario_inputs *inputs,
                      const struct pario_figure_list *figures,
                      const struct pario_lane_plan *range)
{
    const struct pario_page_raw raw = {.timings = inputs->timings,
                                       .ntimings = inputs->ntimings,
                                       .first = range->first,
                                       .last = range->last};
    struct pario_page page = {
        .runs = inputs->runs,
        .nruns = inputs->nruns,
        .figures = figures,
        .problems = (const char *const *)inputs->problems,
        .nproblems = inputs->nproblems,
        .put_raw = inputs->ntimings > 0 ? pario_page_put_raw : NULL,
        .raw = &raw};

    return pario_page_print(out, &page);
}

static int write_page(const struct report_options *options,
                      const struct pario_inputs *inputs,
                      const struct pario_figure_list *figures,
                      const struct pario_lane_plan *range)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int code;

    if (out == NULL)
        return pario_fail_errno(-errno, "report");
    code = print_page(out, inputs, figures, range);
    if (fclose(out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "report");
    if (code == 0)
        code = pario_output_made(options->output, options->force, text, len);
    free(text);
    return code;
}

/* rawdata and distribution of a block. */
static int plot_block(struct pario_plots *plots,
                      const struct pario_timings *timings,
                      const struct pario_timings_block *block,
                      const struct pario_lane_plan *plan)
{
    struct pario_figure *raw = NULL, *spread = NULL;
    struct pario_figure_list course = {.count = 0};
    struct pario_lanes lanes;
    int code = pario_lanes_init(timings, block, -1, plan, &lanes);

    if (code != 0)
        return code;
    code = pario_rawdata_figure(block, &lanes, &raw);
    if (code == 0)
        code = pario_output_plot(plots, raw);
    if (code == 0)
        code = pario_distribution_figure(block, &lanes, &spread);
    if (code == 0)
        code = pario_output_plot(plots, spread);
    if (code == 0)
        code = pario_course_figures(block, &lanes, COURSE_COLUMNS, &course);
    for (size_t i = 0; code == 0 && i < course.count; i++)
        code = pario_output_plot(plots, course.items[i]);
    pario_figure_list_fini(&course);
    pario_figure_destroy(raw);
    pario_figure_destroy(spread);
    pario_lanes_fini(&lanes);
    return code;
}

static int plot_blocks(struct pario_plots *plots,
                       const struct pario_inputs *inputs,
                       const struct pario_lane_plan *range)
{
    struct pario_lane_plan plan = *range;
    size_t left_out = 0, drawn = 0;
    int code = 0;

    plan.columns = 1024;
    plan.levels = 1;
    for (size_t t = 0; t < inputs->ntimings; t++)
        for (size_t b = 0; code == 0 && b < inputs->timings[t]->nblocks; b++) {
            const struct pario_timings_block *block =
                &inputs->timings[t]->blocks[b];

            if (drawn == MAX_BLOCKS || block->nsections > MAX_LANES) {
                left_out++;
                continue;
            }
            drawn++;
            code = plot_block(plots, inputs->timings[t], block, &plan);
        }
    if (left_out > 0)
        fprintf(stderr,
                "pario: warning: raw timings of %zu more blocks are not "
                "drawn: `pario rawdata --block N -o FILE.pdf` draws one\n",
                left_out);
    return code;
}

static int write_plots(const struct report_options *options,
                       const struct pario_inputs *inputs,
                       const struct pario_figure_list *figures,
                       const struct pario_lane_plan *range)
{
    struct pario_plots plots = {.directory = options->plots,
                                .force = options->force};
    int code = 0;

    for (size_t i = 0; code == 0 && i < figures->count; i++)
        code = pario_output_plot(&plots, figures->items[i]);
    if (code == 0)
        code = plot_blocks(&plots, inputs, range);
    if (code == 0 && plots.undrawn)
        fprintf(stderr,
                "pario: warning: no gnuplot here: %s has the scripts, not the "
                "drawings\n",
                options->plots);
    return code;
}

/* Everything that is made of figures. */
static int report_figures(const struct report_options *options, int count,
                          char **paths)
{
    struct pario_figure_list figures = {.count = 0};
    struct pario_lane_plan range = {.first = 0};
    struct pario_inputs inputs;
    int code = pario_range_parse(options->range, &range.first, &range.last);

    if (code == 0)
        code = pario_inputs_init(&inputs, count, paths);
    if (code != 0)
        return code;
    for (size_t i = 0; i < inputs.nproblems; i++)
        fprintf(stderr, "pario: %s%s\n",
                inputs.failed != 0 ? "" : "warning: ", inputs.problems[i]);
    if (inputs.nruns + inputs.ntimings == 0)
        code = pario_fail(inputs.failed, "report: no file could be used");
    if (code == 0)
        code = pario_inputs_figures(&inputs, range.first, range.last, &figures);
    if (code == 0 && options->plots != NULL)
        code = write_plots(options, &inputs, &figures, &range);
    if (code == 0 && options->format == PARIO_FORMAT_HTML)
        code = write_page(options, &inputs, &figures, &range);
    if (code == 0 && inputs.failed != 0)
        code = pario_fail(inputs.failed, "report: not all files could be used");
    pario_figure_list_fini(&figures);
    pario_inputs_fini(&inputs);
    return code;
}

int pario_cmd_report(const struct pario_group *world, int argc, char **argv)
{
    struct report_options options = {.force = 0};
    const struct pario_option_set sets[] = {
        {.table = report_table, .values = &options}, {.table = NULL}};
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
    if (noperands == 0)
        return pario_fail(PARIO_EUSAGE,
                          "report: which results? usage: pario report "
                          "RESULT.json... (`pario report --help`)");
    code = pario_format_choose(options.format_name, options.output, FORMATS,
                               &options.format);
    if (code != 0)
        return code;
    if (options.format == PARIO_FORMAT_HTML || options.plots != NULL)
        code = report_figures(&options, noperands, argv + 1);
    if (code != 0 || options.format == PARIO_FORMAT_HTML ||
        (options.plots != NULL && options.output == NULL))
        return code;
    if (options.format == PARIO_FORMAT_CSV ||
        options.format == PARIO_FORMAT_PROMETHEUS)
        return report_data(&options, noperands, argv + 1);
    return report(&options, noperands, argv + 1);
}
