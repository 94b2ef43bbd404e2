/* report/measures_headlines.c - figures of whole runs: their headlines side by
 * side and over the number of processes. */
#include "report/measures_parts.h"
#include "report/table_parts.h"
#include "result/value.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MB/s of a summary member, NAN where it is no rate. */
static double summary_rate(const char *name, const json_t *value)
{
    size_t len = strlen(name);

    if (!json_is_number(value))
        return NAN;
    if (len > 5 && strcmp(name + len - 5, "_mbps") == 0)
        return json_number_value(value);
    if (len > 12 && strcmp(name + len - 12, "_bytes_per_s") == 0)
        return json_number_value(value) / 1e6;
    return NAN;
}

/* The headline figures of the runs side by side (b_eff_io's figure 5). */
static int draw_summaries(const struct pario_run_shown *runs, size_t count,
                          struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    int code =
        pario_figure_create(PARIO_FIGURE_BARS, "summary", "headline figures",
                            "figure", "rate, MB/s", &figure);

    for (size_t i = 0; code == 0 && i < count; i++) {
        json_t *summary = json_object_get(runs[i].document, "summary");
        const char *name;
        const json_t *value;

        json_object_foreach(summary, name, value)
        {
            struct pario_point point = {
                .y = summary_rate(name, value),
                .low = NAN,
                .high = NAN,
                .flags = pario_summary_flags(runs[i].document, name)};

            if (code == 0 && isfinite(point.y))
                code = pario_figure_bar(figure, name, runs[i].label, point);
        }
    }
    return pario_figure_list_take(figures, figure, code);
}

/* The number of processes in "np8_b_eff_io_mbps", or 0. */
static double partition_in(const char *member, const char *name)
{
    char *end;
    long number;

    if (strncmp(member, "np", 2) != 0)
        return 0;
    number = strtol(member + 2, &end, 10);
    return *end == '_' && strcmp(end + 1, name) == 0 && number > 0
               ? (double)number
               : 0;
}

/* What a headline figure is in the unit of its diagram. */
static const struct headline {
    const char *name, *title, *unit;
    double scale;
} headlines[] = {
    {"b_eff_io_mbps", "b_eff_io_mbps", "MB/s", 1},
    {"priomark_total_mbps", "priomark_total_mbps", "MB/s", 1},
    {"r_io_bytes_per_s", "R_IO of NHT-1", "MB/s", 1e-6},
    {"io_overhead", "I/O overhead of NHT-1", "share of the time without I/O",
     1},
    {"r_peak_bytes_per_s", "R_PEAK of NHT-1", "MB/s", 1e-6},
    {"r_throughput_bytes_per_s", "R_THROUGHPUT of NHT-1", "MB/s", 1e-6},
};

/* The value of a run: of each of its partitions where it tells them. */
static int add_values(struct pario_figure *figure,
                      const struct headline *headline, const char *curve,
                      const struct pario_run_shown *run)
{
    json_t *summary = json_object_get(run->document, "summary");
    const json_t *system = json_object_get(run->document, "system");
    const char *fs = pario_text_of(system, "filesystem", NULL);
    const char *member;
    const json_t *value;
    int code = 0, parts = 0;

    if (curve[0] == '\0')
        curve = fs != NULL ? fs : run->label;
    json_object_foreach(summary, member, value)
    {
        parts |= partition_in(member, headline->name) > 0;
    }
    json_object_foreach(summary, member, value)
    {
        double processes = partition_in(member, headline->name);
        struct pario_curve *series;
        struct pario_point point = {
            .y = json_number_value(value) * headline->scale,
            .low = NAN,
            .high = NAN,
            .flags = pario_summary_flags(run->document, member)};

        if (!parts && strcmp(member, headline->name) == 0)
            processes = pario_number_of(system, "processes");
        if (code != 0 || processes <= 0 || !json_is_number(value))
            continue;
        point.x = processes;
        series = pario_figure_curve(figure, curve);
        code = series != NULL ? pario_curve_add(series, point) : -ENOMEM;
    }
    return code;
}

/* Adds the figure when it has a curve, and always takes it. */
static int add_curves(struct pario_figure_list *figures,
                      struct pario_figure *figure, int code)
{
    if (code == 0 && pario_figure_is_curve(figure)) {
        figure->x_log = 1;
        code = pario_figure_merge(figure);
        if (code == 0)
            code = pario_figure_note_flags(figure);
        if (code == 0)
            return pario_figure_list_add(figures, figure);
    }
    pario_figure_destroy(figure);
    return code;
}

/* One value over the number of processes, of the partitions of a run or of
 * several runs, a curve for each system (b_eff_io's figures 2 and 5). */
static int draw_over_processes(const struct pario_run_shown *runs, size_t count,
                               struct pario_figure_list *figures)
{
    int code = 0;

    for (size_t n = 0;
         code == 0 && n < sizeof(headlines) / sizeof(headlines[0]); n++) {
        struct pario_figure *figure = NULL;
        char title[PARIO_NAME_LEN], curve[PARIO_NAME_LEN];

        snprintf(title, sizeof(title), "%s over the number of processes",
                 headlines[n].title);
        code = pario_figure_create(PARIO_FIGURE_LINES, headlines[n].name, title,
                                   "processes", headlines[n].unit, &figure);
        for (size_t i = 0; code == 0 && i < count; i++)
            code = add_values(figure, &headlines[n],
                              pario_run_curve(runs, count, i, curve), &runs[i]);
        code = add_curves(figures, figure, code);
    }
    return code;
}

int pario_headline_figures(const struct pario_run_shown *runs, size_t count,
                           struct pario_figure_list *figures)
{
    int code = draw_summaries(runs, count, figures);

    return code == 0 ? draw_over_processes(runs, count, figures) : code;
}

/* What speaks against the measures of a directory and partition. */
static unsigned directory_flags(const json_t *document, const char *directory,
                                json_int_t processes)
{
    const json_t *measure;
    unsigned flags = pario_run_flags(document);
    size_t i;

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        const json_t *parameters = json_object_get(measure, "parameters");
        const char *where = pario_text_of(parameters, "directory", NULL);

        if (where != NULL && strcmp(where, directory) == 0 &&
            pario_integer_of(measure, "partition") == processes)
            flags |= pario_measure_flags(document, measure);
    }
    return flags & ~(unsigned)PARIO_FLAG_FAILED;
}

/* The totals of one directory under the names of their members. */
static int add_totals(struct pario_figure *figure, const char *member,
                      const json_t *entry, const struct pario_run_shown *run,
                      int labels)
{
    const char *directory = pario_text_of(entry, "directory", NULL);
    char name[PARIO_NAME_LEN];
    const json_t *total;
    size_t i;

    if (directory == NULL)
        return 0;
    snprintf(name, sizeof(name), "%.100s%s%.90s", directory, labels ? " " : "",
             labels ? run->label : "");
    json_array_foreach(json_object_get(entry, "totals"), i, total)
    {
        json_int_t processes = pario_integer_of(total, "processes");
        const json_t *value = json_object_get(total, member);
        struct pario_point point = {.x = (double)processes,
                                    .y = json_number_value(value),
                                    .low = NAN,
                                    .high = NAN};
        struct pario_curve *series;

        if (!json_is_number(value) || processes <= 0)
            continue;
        point.flags = directory_flags(run->document, directory, processes);
        series = pario_figure_curve(figure, name);
        if (series == NULL || pario_curve_add(series, point) != 0)
            return -ENOMEM;
    }
    return 0;
}

static int draw_member(const struct pario_run_shown *runs, size_t count,
                       const char *member, struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    char title[PARIO_NAME_LEN], id[64];
    size_t with = 0, k;
    const json_t *entry;
    int code;

    for (size_t i = 0; i < count; i++)
        with += json_object_get(runs[i].document, "prio_directories") != NULL;
    snprintf(title, sizeof(title), "prio: %s of each directory over processes",
             strcmp(member, "total_mbps") == 0 ? "the total" : member);
    snprintf(id, sizeof(id), "prio-directories-%.40s", member);
    code = pario_figure_create(PARIO_FIGURE_LINES, id, title, "processes",
                               "bandwidth, MB/s", &figure);
    for (size_t i = 0; code == 0 && i < count; i++)
        json_array_foreach(
            json_object_get(runs[i].document, "prio_directories"), k, entry)
        {
            if (code == 0)
                code = add_totals(figure, member, entry, &runs[i], with > 1);
        }
    return add_curves(figures, figure, code);
}

int pario_directory_figures(const struct pario_run_shown *runs, size_t count,
                            struct pario_figure_list *figures)
{
    static const char *const members[] = {
        "total_mbps", "common_file", "strided", "async", "single_file", "raw"};
    int code = 0;

    for (size_t i = 0; code == 0 && i < sizeof(members) / sizeof(members[0]);
         i++)
        code = draw_member(runs, count, members[i], figures);
    return code;
}
