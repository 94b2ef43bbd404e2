/* report/measures_headlines.c - figures of whole runs: their headlines side by
 * side and over the number of processes, and what the suites drew themselves.
 */
#include "report/measures_parts.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/value.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADLINES 24
#define MAX_PICTURES 24
#define MAX_POINTS 2000 /* of a picture */

/* The names of the headline figures of a run: those of its answer, else all
 * that are numbers. A new reference; NULL: no memory. */
static json_t *headlines_of(const json_t *document)
{
    const json_t *lines =
        json_object_get(json_object_get(document, "view"), "answer");
    json_t *summary = json_object_get(document, "summary");
    json_t *names = json_array();
    const json_t *line, *cell, *value;
    const char *name;
    size_t i, k;

    json_array_foreach(lines, i, line)
    {
        json_array_foreach(json_object_get(line, "figures"), k, cell)
        {
            name = pario_text_of(cell, "figure", "");
            if (json_is_number(json_object_get(summary, name)) &&
                json_array_size(names) < MAX_HEADLINES)
                (void)json_array_append_new(names, json_string(name));
        }
    }
    /* A run may have none of them: a suite that did a part of its work. */
    if (json_array_size(names) > 0)
        return names;
    json_object_foreach(summary, name, value)
    {
        if (json_is_number(value) && pario_quantity_unit(name)[0] != '\0' &&
            json_array_size(names) < MAX_HEADLINES)
            (void)json_array_append_new(names, json_string(name));
    }
    return names;
}

/* Of one unit are the figures of one diagram; rates of bytes are one. */
static const char *drawn_unit(const char *name, double *scale_p)
{
    const char *unit = pario_quantity_unit(name);

    *scale_p = 1;
    if (strcmp(unit, "B/s") == 0) {
        *scale_p = 1e-6;
        return "MB/s";
    }
    if (strcmp(unit, "ns") == 0) {
        *scale_p = 1e-6;
        return "ms";
    }
    return unit;
}

static int add_headline(struct pario_figure *figure, const char *name,
                        double scale, const struct pario_run_shown *run)
{
    const json_t *summary = json_object_get(run->document, "summary");
    struct pario_point point = {
        .y = pario_number_of(summary, name) * scale,
        .low = pario_quantity_bound(summary, name, "_low") * scale,
        .high = pario_quantity_bound(summary, name, "_high") * scale,
        .flags = pario_summary_flags(run->document, name)};
    char *plain = pario_headline_name(run->document, name);
    int code;

    if (plain == NULL)
        return pario_fail_errno(-ENOMEM, "report");
    code = pario_figure_bar(figure, plain[0] != '\0' ? plain : name, run->label,
                            point);
    free(plain);
    return code;
}

/* The headline figures of one unit, of all runs, side by side. */
static int draw_unit(const struct pario_run_shown *runs, size_t count,
                     const char *unit, struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    char id[64], title[64];
    int code;

    snprintf(id, sizeof(id), "summary-%zu", figures->count + 1);
    snprintf(title, sizeof(title), "headline figures, %.40s", unit);
    code = pario_figure_create(PARIO_FIGURE_BARS, id, title, "figure", unit,
                               &figure);
    for (size_t i = 0; code == 0 && i < count; i++) {
        json_t *names = headlines_of(runs[i].document);
        const json_t *name;
        size_t k;

        json_array_foreach(names, k, name)
        {
            double scale;
            const char *own = drawn_unit(json_string_value(name), &scale);

            if (code == 0 && strcmp(own, unit) == 0)
                code = add_headline(figure, json_string_value(name), scale,
                                    &runs[i]);
        }
        json_decref(names);
    }
    return pario_figure_list_take(figures, figure, code);
}

/* How many figures of each unit the runs have, most_p: at most of one. */
static json_t *count_units(const struct pario_run_shown *runs, size_t count,
                           json_int_t *most_p)
{
    json_t *units = json_object();

    *most_p = 0;
    for (size_t i = 0; i < count; i++) {
        json_t *names = headlines_of(runs[i].document);
        const json_t *name;
        size_t k;

        json_array_foreach(names, k, name)
        {
            double scale;
            const char *unit = drawn_unit(json_string_value(name), &scale);
            json_int_t n = json_integer_value(json_object_get(units, unit)) + 1;

            if (unit[0] != '\0')
                (void)json_object_set_new(units, unit, json_integer(n));
            if (unit[0] != '\0' && n > *most_p)
                *most_p = n;
        }
        json_decref(names);
    }
    return units;
}

/* All units, in the order in which they occur first. A single bar says no more
 * than its number does: it is drawn where no unit has two. */
static int draw_summaries(const struct pario_run_shown *runs, size_t count,
                          struct pario_figure_list *figures)
{
    json_int_t most;
    json_t *units = count_units(runs, count, &most);
    const char *unit;
    json_t *value;
    int code = 0;

    json_object_foreach(units, unit, value)
    {
        if (code == 0 && (most == 1 || json_integer_value(value) > 1))
            code = draw_unit(runs, count, unit, figures);
    }
    json_decref(units);
    return code;
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

/* The value of a run: of each of its partitions where it tells them. */
static int add_values(struct pario_figure *figure, const char *headline,
                      const char *curve, const struct pario_run_shown *run)
{
    json_t *summary = json_object_get(run->document, "summary");
    const json_t *system = json_object_get(run->document, "system");
    const char *member;
    const json_t *value;
    int code = 0, parts = 0;
    double scale;

    (void)drawn_unit(headline, &scale);
    if (curve[0] == '\0')
        curve = pario_text_of(system, "filesystem", run->label);
    json_object_foreach(summary, member, value)
    {
        parts |= partition_in(member, headline) > 0;
    }
    json_object_foreach(summary, member, value)
    {
        double processes = partition_in(member, headline);
        struct pario_curve *series;
        struct pario_point point = {
            .y = json_number_value(value) * scale,
            .low = NAN,
            .high = NAN,
            .flags = pario_summary_flags(run->document, member)};

        if (!parts && strcmp(member, headline) == 0)
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

/* One headline figure over the number of processes, of the partitions of a run
 * or of several runs, a curve for each system (b_eff_io's figures 2 and 5). */
static int draw_headline(const struct pario_run_shown *runs, size_t count,
                         const json_t *document, const char *headline,
                         struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    char title[2 * PARIO_NAME_LEN], curve[PARIO_NAME_LEN];
    char *name = pario_headline_name(document, headline);
    double scale;
    int code;

    snprintf(title, sizeof(title), "%.200s over the number of processes",
             name != NULL && name[0] != '\0' ? name : headline);
    free(name);
    code = pario_figure_create(PARIO_FIGURE_LINES, headline, title, "processes",
                               drawn_unit(headline, &scale), &figure);
    if (code == 0)
        figure->question = PARIO_ASKS_PROCESSES;
    for (size_t i = 0; code == 0 && i < count; i++)
        code = add_values(figure, headline,
                          pario_run_curve(runs, count, i, curve), &runs[i]);
    return add_curves(figures, figure, code);
}

static int draw_over_processes(const struct pario_run_shown *runs, size_t count,
                               struct pario_figure_list *figures)
{
    json_t *done = json_object();
    int code = 0;

    for (size_t i = 0; code == 0 && i < count; i++) {
        json_t *names = headlines_of(runs[i].document);
        const json_t *name;
        size_t k;

        json_array_foreach(names, k, name)
        {
            const char *headline = json_string_value(name);

            if (code != 0 || json_object_get(done, headline) != NULL)
                continue;
            (void)json_object_set_new(done, headline, json_true());
            code =
                draw_headline(runs, count, runs[i].document, headline, figures);
        }
        json_decref(names);
    }
    json_decref(done);
    return code;
}

static double number_or_nan(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int add_drawn_point(struct pario_figure *figure, const json_t *entry,
                           const char *label, unsigned of_run)
{
    const char *category = pario_text_of(entry, "x", NULL);
    struct pario_point point = {
        .x = number_or_nan(entry, "x"),
        .y = number_or_nan(entry, "y"),
        .low = number_or_nan(entry, "low"),
        .high = number_or_nan(entry, "high"),
        .flags =
            of_run | pario_flags_from_json(json_object_get(entry, "flags"))};
    char name[PARIO_NAME_LEN] = "";
    struct pario_curve *series;

    pario_series_word(name, "", pario_text_of(entry, "series", ""));
    pario_series_word(name, " ", label);
    if (!isfinite(point.y) ||
        (category != NULL) != (figure->kind == PARIO_FIGURE_BARS))
        return 0;
    if (category != NULL)
        return pario_figure_bar(figure, category, name, point);
    series = isfinite(point.x) ? pario_figure_curve(figure, name) : NULL;
    return series != NULL ? pario_curve_add(series, point) : 0;
}

/* A figure that the suite drew itself: its points as they stand there. */
static int draw_picture(const struct pario_run_shown *run,
                        const json_t *picture, const char *label,
                        struct pario_figure_list *figures)
{
    const json_t *points = json_object_get(picture, "points"), *entry;
    int texts = json_is_string(json_object_get(json_array_get(points, 0), "x"));
    struct pario_figure *figure = NULL;
    char id[64];
    size_t i;
    int code;

    snprintf(id, sizeof(id), "picture-%zu", figures->count + 1);
    code = pario_figure_create(texts ? PARIO_FIGURE_BARS : PARIO_FIGURE_LINES,
                               id, pario_text_of(picture, "title", "?"),
                               pario_text_of(picture, "x", ""),
                               pario_text_of(picture, "y", ""), &figure);
    if (code == 0 && !texts)
        figure->question = strcmp(figure->x_label, "processes") == 0
                               ? PARIO_ASKS_PROCESSES
                               : PARIO_ASKS_OTHER;
    json_array_foreach(points, i, entry)
    {
        if (code == 0 && i < MAX_POINTS)
            code = add_drawn_point(figure, entry, label,
                                   pario_run_flags(run->document));
    }
    if (code == 0)
        pario_figure_sort(figure);
    return pario_figure_list_take(figures, figure, code);
}

static int draw_pictures(const struct pario_run_shown *runs, size_t count,
                         struct pario_figure_list *figures)
{
    int code = 0;

    for (size_t i = 0; i < count; i++) {
        const json_t *view = json_object_get(runs[i].document, "view");
        const json_t *picture;
        size_t k;

        json_array_foreach(json_object_get(view, "pictures"), k, picture)
        {
            if (code == 0 && k < MAX_PICTURES)
                code = draw_picture(&runs[i], picture,
                                    count > 1 ? runs[i].label : "", figures);
        }
    }
    return code;
}

int pario_headline_figures(const struct pario_run_shown *runs, size_t count,
                           struct pario_figure_list *figures)
{
    int code = draw_pictures(runs, count, figures);

    if (code == 0)
        code = draw_summaries(runs, count, figures);
    return code == 0 ? draw_over_processes(runs, count, figures) : code;
}
