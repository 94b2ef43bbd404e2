/* cli/cmd_rawdata.c - `pario rawdata`, `distribution` and `allav`: the test
 * suite's analysis tools by name (Sect. 7.1.1). */
#include "analysis/analysis.h"
#include "cli/commands.h"
#include "core/options.h"
#include "core/units.h"
#include "report/plots.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAX_LANES 8 /* on a terminal, unless asked for one */
#define TERMINAL 80

struct tool_options {
    const char *range, *output;
    int64_t proc, block, skip;
    int list, force, average;
};

static const char *const averages[] = {"mean", "median", NULL};

#define AT(field) offsetof(struct tool_options, field)

static const struct pario_option tool_table[] = {
    {PARIO_OPTION("range", STRING, AT(range), "A:B"),
     .help = "only the calls A up to and without B of each process, from 0"},
    {PARIO_OPTION("skip", INT, AT(skip), "N"), PARIO_RANGE(0, 1e15),
     .help = "cut the startup: leave out the first N calls of each process"},
    {PARIO_OPTION("proc", INT, AT(proc), "N"), PARIO_RANGE(-1, 1e9),
     .help = "only process N, from 0; -1: all"},
    {PARIO_OPTION("block", INT, AT(block), "N"), PARIO_RANGE(0, 1e9),
     .letter = 'b',
     .help = "block of the file, from 1 (see --list); 0: the first, for allav "
             "all"},
    {PARIO_OPTION("average", CHOICE, AT(average), "KIND"), .choices = averages,
     .help = "allav: parts of the longest block by the mean or the median of "
             "their calls"},
    {PARIO_FLAG("list", AT(list)),
     .help = "list the blocks of the file and end"},
    {PARIO_CLI_OUTPUT(AT(output)),
     .help = "write FILE: .gp (gnuplot), .csv, .png, .svg or .pdf"},
    {PARIO_CLI_FORCE(AT(force))},
    {.name = NULL},
};

/* The three tools. */
struct tool {
    const char *name, *help;
    /* For one block; NULL: for the whole file. */
    int (*figure)(const struct pario_timings_block *block,
                  const struct pario_lanes *lanes,
                  struct pario_figure **figure_p);
};

static const struct tool rawdata = {
    .name = "rawdata",
    .help = "Shows the time of each call over the loop counter, one lane for "
            "each process.",
    .figure = pario_rawdata_figure};
static const struct tool distribution = {
    .name = "distribution",
    .help = "Shows how the times of the calls are distributed, a curve for "
            "each process.",
    .figure = pario_distribution_figure};
static const struct tool allav = {
    .name = "allav",
    .help = "Shows the rate over file size and over block size, with error "
            "bars.\nLook at rawdata and distribution before believing an "
            "average."};

static int terminal_columns(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col < 160 ? size.ws_col : 160;
    return TERMINAL;
}

static int parse_range(const struct tool_options *options,
                       struct pario_lane_plan *plan)
{
    int code = pario_range_parse(options->range, &plan->first, &plan->last);

    if (code == 0 && options->skip > plan->first)
        plan->first = options->skip;
    return code;
}

static int list_blocks(const struct pario_timings *timings)
{
    for (size_t i = 0; i < timings->nblocks; i++) {
        const struct pario_timings_block *block = &timings->blocks[i];
        char *title = pario_block_title(block);
        int64_t samples = 0;

        for (size_t k = 0; k < block->nsections; k++)
            samples += block->sections[k].count;
        printf("%4zu  line %-9" PRId64 " %10" PRId64 " samples  %s\n", i + 1,
               block->line, samples, title != NULL ? title : "?");
        free(title);
    }
    return 0;
}

static int put_table(const struct pario_timings_block *block,
                     const struct pario_lanes *lanes)
{
    struct pario_table *table;
    int code = pario_lanes_table(block, lanes, &table);

    if (code != 0)
        return code;
    putchar('\n');
    code = pario_table_render(table, stdout, PARIO_FORMAT_TEXT);
    pario_table_destroy(table);
    return code;
}

static int show(const struct pario_figure *figure,
                const struct tool_options *options)
{
    if (options->output != NULL)
        return pario_output_figure(figure, options->output, options->force);
    return pario_figure_terminal(figure, stdout, terminal_columns());
}

static int ends_in_csv(const char *path)
{
    size_t len = path != NULL ? strlen(path) : 0;

    return len > 4 && strcmp(path + len - 4, ".csv") == 0;
}

struct samples {
    const struct pario_timings *timings;
    const struct pario_timings_block *block;
    const struct pario_lane_plan *plan;
    int proc;
};

static int write_samples(void *context, FILE *out, const char *path)
{
    const struct samples *s = context;

    (void)path;
    return pario_samples_csv(s->timings, s->block, s->proc, s->plan, out);
}

static int run_block(const struct tool *tool,
                     const struct tool_options *options,
                     const struct pario_timings *timings,
                     const struct pario_lane_plan *plan)
{
    int64_t number = options->block > 0 ? options->block : 1;
    const struct pario_timings_block *block = &timings->blocks[number - 1];
    struct samples samples = {timings, block, plan, (int)options->proc};
    struct pario_figure *figure = NULL;
    struct pario_lanes lanes, shown;
    int code;

    /* Numbers of a drawing are columns of several calls; these are all. */
    if (tool == &rawdata && ends_in_csv(options->output))
        return pario_output_write(options->output, options->force,
                                  write_samples, &samples);
    code = pario_lanes_init(timings, block, (int)options->proc, plan, &lanes);
    if (code != 0)
        return code;
    shown = lanes;
    if (options->output == NULL && shown.count > MAX_LANES)
        shown.count = MAX_LANES;
    code = tool->figure(block, &shown, &figure);
    if (code == 0)
        code = show(figure, options);
    if (code == 0 && options->output == NULL) {
        code = put_table(block, &lanes);
        if (shown.count < lanes.count)
            printf("\n%zu of %zu processes are drawn: --proc N draws another, "
                   "-o FILE all\n",
                   shown.count, lanes.count);
        if (timings->nblocks > 1)
            printf("\nblock %" PRId64 " of %zu: --block N takes another, "
                   "--list lists them\n",
                   number, timings->nblocks);
    }
    pario_figure_destroy(figure);
    pario_lanes_fini(&lanes);
    return code;
}

/* "rate.png" and figure "allav-growth" -> "rate-growth.png" for all but the
 * first: the tool has more than one figure. */
static int show_all(const struct pario_figure_list *figures,
                    const struct tool_options *options)
{
    struct tool_options one = *options;
    int code = 0;

    for (size_t i = 0; code == 0 && i < figures->count; i++) {
        const struct pario_figure *figure = figures->items[i];
        const char *dot, *word = strchr(figure->id, '-');
        char *path = NULL;

        if (i > 0 && options->output != NULL) {
            dot = strrchr(options->output, '.');
            if (dot == NULL || word == NULL)
                break;
            if (asprintf(&path, "%.*s%s%s", (int)(dot - options->output),
                         options->output, word, dot) < 0)
                return pario_fail_errno(-ENOMEM, "allav");
            one.output = path;
        } else if (i > 0) {
            putchar('\n');
        }
        code = show(figure, &one);
        free(path);
    }
    return code;
}

static int run_file(const struct tool_options *options,
                    const struct pario_timings *timings,
                    const struct pario_lane_plan *plan)
{
    struct pario_figure_list figures = {.count = 0};
    struct pario_timings some = *timings; /* borrows all that it has */
    const char *why;
    int code;

    if (options->block > 0) {
        some.blocks += options->block - 1;
        some.nblocks = 1;
    }
    code = pario_allav_figures(&some, plan, (int)options->proc, &figures, &why);

    if (code == 0 && why != NULL)
        code = pario_fail(PARIO_EFORMAT, "%s: %s", timings->path, why);
    if (code == 0)
        code = show_all(&figures, options);
    pario_figure_list_fini(&figures);
    return code;
}

static int run_tool(const struct tool *tool, struct tool_options *options,
                    const char *path)
{
    struct pario_lane_plan plan = {.columns = 1024, .levels = 1};
    struct pario_timings *timings;
    int code = parse_range(options, &plan);

    if (code == 0 && options->output != NULL)
        code = pario_output_figure_check(options->output);
    if (code != 0)
        return code;
    plan.median = options->average;
    if (options->output == NULL)
        plan.columns = (size_t)terminal_columns() - 11;
    code = pario_timings_open(path, &timings);
    if (code != 0)
        return code;
    for (size_t i = 0; i < timings->ncomplaints; i++)
        fprintf(stderr, "pario: warning: %s\n", timings->complaints[i]);
    if (timings->nunreported > 0)
        fprintf(stderr, "pario: warning: %" PRId64 " more of these\n",
                timings->nunreported);
    if ((size_t)options->block > timings->nblocks)
        code = pario_fail(PARIO_EUSAGE, "%s has no block %" PRId64 ", only %zu",
                          path, options->block, timings->nblocks);
    else if (options->list)
        code = list_blocks(timings);
    else if (tool->figure != NULL)
        code = run_block(tool, options, timings, &plan);
    else
        code = run_file(options, timings, &plan);
    pario_timings_close(timings);
    return code;
}

static int tool_main(const struct tool *tool, int argc, char **argv)
{
    struct tool_options options = {.proc = -1};
    const struct pario_option_set sets[] = {
        {.table = tool_table, .values = &options}, {.table = NULL}};
    int noperands, code;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0) {
            printf("usage: pario %s TIMINGS [options]\n\n%s\nTIMINGS is what "
                   "--samples FILE wrote. Without -o it is drawn on the "
                   "terminal.\n\noptions:\n",
                   tool->name, tool->help);
            pario_options_help(stdout, tool_table, &options);
            return 0;
        }
    code = pario_options_parse(sets, argc, argv, &noperands);
    if (code != 0)
        return code;
    if (noperands != 1)
        return pario_fail(PARIO_EUSAGE,
                          "%s: which timings file? usage: pario %s FILE "
                          "(`pario %s --help`)",
                          tool->name, tool->name, tool->name);
    return run_tool(tool, &options, argv[1]);
}

int pario_cmd_rawdata(const struct pario_group *world, int argc, char **argv)
{
    (void)world;
    return tool_main(&rawdata, argc, argv);
}

int pario_cmd_distribution(const struct pario_group *world, int argc,
                           char **argv)
{
    (void)world;
    return tool_main(&distribution, argc, argv);
}

int pario_cmd_allav(const struct pario_group *world, int argc, char **argv)
{
    (void)world;
    return tool_main(&allav, argc, argv);
}
