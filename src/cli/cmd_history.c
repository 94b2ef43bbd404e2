/* cli/cmd_history.c - `pario history`: runs over time. */
#include "cli/commands.h"
#include "core/options.h"
#include "core/output.h"
#include "report/format.h"
#include "report/history.h"
#include "report/page.h"
#include "result/result.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct history_options {
    const char *file, *output, *format;
    int64_t line, last;
    int force, verbose;
};

#define MAX_ROWS 13 /* of a table on a screen: what quick has */
#define AT(field) offsetof(struct history_options, field)

static const struct pario_option history_table[] = {
    {PARIO_OPTION("file", STRING, AT(file), "FILE"), .letter = 'f',
     .help = "the history (default: $PARIO_HISTORY, or pario-history.db here)"},
    {PARIO_OPTION("line", INT, AT(line), "N"), PARIO_RANGE(0, 1e15),
     .help = "trend: only this line (default: all)"},
    {PARIO_OPTION("last", INT, AT(last), "N"), PARIO_RANGE(0, 1e15),
     .help = "list: the newest N runs, 0: all"},
    {PARIO_OPTION("format", STRING, AT(format), "text|csv|md|html"),
     .help = "what to write (default: by the ending of FILE, text otherwise)"},
    {PARIO_CLI_OUTPUT(AT(output)),
     .help = "write to FILE instead of the standard output; .html: a page"},
    {PARIO_CLI_FORCE(AT(force))},
    {PARIO_FLAG("verbose", AT(verbose)), .letter = 'v',
     .help = "trend: on the standard output all figures, where there are many "
             "also those whose level did not change"},
    {.name = NULL},
};

static const struct history_options defaults = {.last = 30};

static void print_help(void)
{
    puts("usage: pario history add RESULT.json...\n"
         "       pario history list\n"
         "       pario history show RUN\n"
         "       pario history trend [FIGURE]\n\n"
         "Keeps the results of runs in one file and shows how their figures "
         "change over\ntime: levels with their noise, when they changed, and "
         "what was set differently\nthen. Only runs of the same work in the "
         "same place are put on one line.\n\noptions:");
    pario_options_help(stdout, history_table, &defaults);
}

/* What a command writes, and as what. */
struct writing {
    struct pario_history *history;
    const struct history_options *options;
    enum pario_format format;
    FILE *out;
};

static int add(const struct writing *w, int count, char **paths)
{
    char message[1024] = "";
    int failed = 0;

    for (int i = 0; i < count; i++) {
        json_t *document = NULL;
        int64_t run = 0;
        int added = 0, code = pario_result_load(paths[i], &document);

        if (code == 0)
            code =
                pario_history_add(w->history, paths[i], document, &run, &added);
        if (code == 0 && added)
            fprintf(w->out, "%s: run %" PRId64 "\n", paths[i], run);
        else if (code == 0)
            fprintf(w->out, "%s: is there already\n", paths[i]);
        json_decref(document);
        if (code == 0)
            continue;
        if (failed != 0)
            fprintf(stderr, "pario: %s\n", message);
        snprintf(message, sizeof(message), "%s", pario_error_message());
        failed = code;
    }
    if (failed != 0)
        pario_error_replace(message);
    return failed;
}

static int list(const struct writing *w, int count, char **words)
{
    (void)words;
    if (count > 0)
        return pario_fail(PARIO_EUSAGE, "history list takes no operand");
    return pario_history_list(w->history, w->options->last, w->out, w->format);
}

static int show(const struct writing *w, int count, char **words)
{
    json_t *document = NULL;
    char *end = NULL;
    int64_t run = count == 1 ? strtoll(words[0], &end, 10) : 0;
    int code;

    if (count != 1 || end == words[0] || *end != '\0')
        return pario_fail(PARIO_EUSAGE,
                          "history show: which run? `pario history list` has "
                          "their numbers");
    code = pario_history_load(w->history, run, &document);
    if (code == 0)
        code = pario_table_print(w->out, document, w->format);
    json_decref(document);
    return code;
}

static int has_changed(const struct pario_trend *trend)
{
    return trend->nlevels > 1;
}

static void put_changed(const struct pario_trends *trends, FILE *out)
{
    size_t changed = 0;

    for (size_t i = 0; i < trends->count; i++)
        changed += (size_t)has_changed(&trends->items[i]);
    if (changed == 0)
        fprintf(out, "none of %zu figures has changed its level",
                trends->count);
    else
        fprintf(out, "%zu of %zu figures changed %s level", changed,
                trends->count, changed == 1 ? "its" : "their");
}

/* What the page begins with: the answer. */
static int put_lead(const struct pario_trends *trends, int single, FILE *out)
{
    int code = 0;

    if (single) {
        for (size_t i = 0; code == 0 && i < trends->count; i++)
            code = pario_trend_print(&trends->items[i], out, PARIO_FORMAT_HTML);
        return code;
    }
    fputs("<p class=\"answer\">", out);
    put_changed(trends, out);
    fputs("</p>\n", out);
    return pario_trends_table(trends, out, PARIO_FORMAT_HTML);
}

/* The answer, the pictures, and of several figures the levels of each. */
static int print_page(const struct writing *w,
                      const struct pario_trends *trends, int single)
{
    struct pario_figure_list figures = {.count = 0};
    char *lead = NULL, *rest = NULL;
    size_t len = 0, rest_len = 0;
    FILE *out = open_memstream(&lead, &len);
    FILE *below = open_memstream(&rest, &rest_len);
    struct pario_page page = {.figures = &figures,
                              .lead_title = "History",
                              .rest_title = "Levels, and what changed"};
    int code = out != NULL && below != NULL
                   ? put_lead(trends, single, out)
                   : pario_fail_errno(-ENOMEM, "history");

    for (size_t i = 0; code == 0 && i < trends->count; i++) {
        struct pario_figure *figure = NULL;

        if (!single)
            code =
                pario_trend_print(&trends->items[i], below, PARIO_FORMAT_HTML);
        if (code == 0)
            code = pario_trend_figure(&trends->items[i], &figure);
        if (code == 0)
            code = pario_figure_list_add(&figures, figure);
    }
    if (((out != NULL && fclose(out) != 0) |
         (below != NULL && fclose(below) != 0)) &&
        code == 0)
        code = pario_fail_errno(-ENOMEM, "history");
    page.lead = lead;
    page.rest = single ? NULL : rest;
    if (code == 0)
        code = pario_page_print(w->out, &page);
    pario_figure_list_fini(&figures);
    free(lead);
    free(rest);
    return code;
}

/* One trend; on a screen its picture stands above the answer. */
static int print_trend(const struct writing *w, const struct pario_trend *trend)
{
    struct pario_figure *figure = NULL;
    int code = 0;

    if (w->format == PARIO_FORMAT_TEXT && trend->count > 1) {
        code = pario_trend_figure(trend, &figure);
        if (code == 0)
            code = pario_figure_terminal(figure, w->out, 79);
        pario_figure_destroy(figure);
        fputs("\n", w->out);
    }
    return code != 0 ? code : pario_trend_print(trend, w->out, w->format);
}

/* Of many figures those that changed: as many as a screen has room for. */
static int print_changed(const struct writing *w,
                         const struct pario_trends *trends)
{
    struct pario_trends some = {.count = 0};
    int code = 0;

    some.items = calloc(MAX_ROWS, sizeof(*some.items));
    if (some.items == NULL)
        return pario_fail_errno(-ENOMEM, "history");
    for (size_t i = 0; i < trends->count; i++)
        if (has_changed(&trends->items[i]) && some.count < MAX_ROWS)
            some.items[some.count++] = trends->items[i];
    if (some.count > 0) {
        code = pario_trends_table(&some, w->out, w->format);
        fputs("\n", w->out);
    }
    free(some.items); /* what they hold is still trends' */
    put_changed(trends, w->out);
    fputs(" (--verbose shows all)\n", w->out);
    return code;
}

static int print_overview(const struct writing *w,
                          const struct pario_trends *trends)
{
    int text = w->format == PARIO_FORMAT_TEXT && w->options->output == NULL;
    const char *next = trends->count > 0 ? trends->items[0].figure : NULL;
    int code = text && !w->options->verbose && trends->count > MAX_ROWS
                   ? print_changed(w, trends)
                   : pario_trends_table(trends, w->out, w->format);

    for (size_t i = trends->count; i-- > 0;)
        if (has_changed(&trends->items[i]))
            next = trends->items[i].figure;
    if (code == 0 && w->format == PARIO_FORMAT_TEXT && next != NULL)
        fprintf(w->out, "\nnext: pario history trend %s\n", next);
    return code;
}

static int print_trends(const struct writing *w,
                        const struct pario_trends *trends, int single)
{
    int code = 0;

    if (w->format == PARIO_FORMAT_HTML)
        return print_page(w, trends, single);
    if (!single)
        return print_overview(w, trends);
    for (size_t i = 0; code == 0 && i < trends->count; i++) {
        struct pario_figure *figure = NULL;

        fputs(i > 0 ? "\n" : "", w->out);
        if (w->format != PARIO_FORMAT_CSV) {
            code = print_trend(w, &trends->items[i]);
            continue;
        }
        code = pario_trend_figure(&trends->items[i], &figure);
        if (code == 0)
            code = pario_figure_table(figure, w->out, PARIO_FORMAT_CSV);
        pario_figure_destroy(figure);
    }
    return code;
}

static int trend(const struct writing *w, int count, char **words)
{
    struct pario_trends trends;
    int code;

    if (count > 1)
        return pario_fail(PARIO_EUSAGE, "history trend takes one figure");
    code = pario_history_trends(w->history, count == 1 ? words[0] : NULL,
                                w->options->line, &trends);
    if (code != 0)
        return code;
    code = print_trends(w, &trends, count == 1);
    pario_trends_fini(&trends);
    return code;
}

static const struct action {
    const char *name;
    int writable;
    int (*run)(const struct writing *w, int count, char **words);
} actions[] = {
    {"add", 1, add},
    {"list", 0, list},
    {"show", 0, show},
    {"trend", 0, trend},
};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

/* Made in memory first, so that FILE is not touched when something fails. */
static int run_action(const struct action *action, struct writing *w, int count,
                      char **words)
{
    const struct history_options *options = w->options;
    char *text = NULL, message[1024];
    size_t len = 0;
    int code, written = 0;

    w->out = open_memstream(&text, &len);
    if (w->out == NULL)
        return pario_fail_errno(-ENOMEM, "history");
    code = action->run(w, count, words);
    snprintf(message, sizeof(message), "%s", pario_error_message());
    if (fclose(w->out) != 0 && code == 0)
        code = pario_fail_errno(-ENOMEM, "history");
    if (code == 0 || action->writable)
        written = pario_output_made(options->output, options->force, text, len);
    free(text);
    if (code != 0)
        pario_error_replace(message);
    return code != 0 ? code : written;
}

static const char *history_file(const struct history_options *options)
{
    const char *file = getenv("PARIO_HISTORY");

    if (options->file != NULL)
        return options->file;
    return file != NULL && file[0] != '\0' ? file : "pario-history.db";
}

#define FORMATS                                                                \
    (PARIO_FORMAT_BIT(PARIO_FORMAT_TEXT) |                                     \
     PARIO_FORMAT_BIT(PARIO_FORMAT_CSV) | PARIO_FORMAT_BIT(PARIO_FORMAT_MD) |  \
     PARIO_FORMAT_BIT(PARIO_FORMAT_HTML))

int pario_cmd_history(const struct pario_group *world, int argc, char **argv)
{
    struct history_options options = defaults;
    const struct pario_option_set sets[] = {
        {.table = history_table, .values = &options}, {.table = NULL}};
    struct writing w = {.options = &options};
    const struct action *action;
    int noperands, code;

    (void)world;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return 0;
        }
    code = pario_options_parse(sets, argc, argv, &noperands);
    if (code == 0)
        code = pario_format_choose(options.format, options.output, FORMATS,
                                   &w.format);
    if (code != 0)
        return code;
    action = noperands > 0 ? find_action(argv[1]) : NULL;
    if (action == NULL || (action->run == add && noperands < 2))
        return pario_fail(PARIO_EUSAGE,
                          "history: what? usage: pario history add "
                          "RESULT.json..., list, show RUN, or trend [FIGURE] "
                          "(`pario history --help`)");
    code = pario_history_open(history_file(&options), action->writable,
                              &w.history);
    if (code == 0)
        code = run_action(action, &w, noperands - 1, argv + 2);
    pario_history_close(w.history);
    return code;
}
