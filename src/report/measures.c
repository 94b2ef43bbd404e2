/* report/measures.c - which figures the measures of some results make.
 *
 * Each measure is a row: what it is (identity), which run it is of, and its
 * values. Rows of one suite and test make a group; in a group, a parameter
 * that varies can be an x axis, and all others that vary name the series. */
#include "report/measures.h"
#include "report/table_parts.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SERIES 24
#define NAME_LEN 200
#define MOST_AXES 3
#define MOST_REPETITIONS 64

struct row {
    const json_t *measure;
    json_t *identity;
    const char *label;
    char group[NAME_LEN];
    unsigned flags;
};

struct rows {
    struct row *items;
    size_t count;
};

/* x axes in the order of preference. */
static const struct axis {
    const char *name, *label;
    int logarithmic;
} axes[] = {
    {"l_bytes", "contiguous chunk on disk, bytes", 1},
    {"request_bytes", "request size, bytes", 1},
    {"block_bytes", "block size, bytes", 1},
    {"partition", "processes", 1},
    {"file_bytes", "file size, bytes", 1},
    {"data_bytes", "data size, bytes", 1},
    {"grid", "process grid", 0},
    {"queue_depth", "queue depth", 1},
    {"update_frac", "share of blocks updated", 0},
    {"stride", "stride", 1},
    {"agents", "I/O agents", 1},
};

static const struct value {
    const char *name, *label, *what;
} values[] = {
    {"bandwidth_mbps", "bandwidth, MB/s", "bandwidth"},
    {"acl", "loss of computing speed", "asynchronous computing loss (ACL)"},
    {"abl", "loss of bandwidth", "asynchronous bandwidth loss (ABL)"},
};

/* Never part of a series' name. */
static const char *const silent[] = {"U", "L_bytes", "type", "test"};

static int is_in(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return 1;
    return 0;
}

static void free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        json_decref(rows->items[i].identity);
    free(rows->items);
}

static int is_beffio_type(const char *suite, const char *test)
{
    return strcmp(suite, "beffio") == 0 && strncmp(test, "type", 4) == 0;
}

/* b_eff_io's types are one diagram; elsewhere a test has its own. */
static void name_group(struct row *row, const char *suite, const char *test)
{
    const char *total = strstr(test, "_total");

    if (is_beffio_type(suite, test))
        snprintf(row->group, sizeof(row->group), "%s",
                 total != NULL ? "beffio totals" : "beffio");
    else
        snprintf(row->group, sizeof(row->group), "%.60s %.100s", suite, test);
}

static int collect_run(const struct pario_run_shown *run, struct rows *rows)
{
    const char *suite =
        json_string_value(json_object_get(run->document, "suite"));
    const json_t *list = json_object_get(run->document, "measures");
    size_t i;
    const json_t *measure;

    json_array_foreach(list, i, measure)
    {
        struct row *row = &rows->items[rows->count];

        row->flags = pario_measure_flags(run->document, measure);
        if (row->flags & PARIO_POINT_FAILED)
            continue;
        row->measure = measure;
        row->label = run->label;
        row->identity = pario_measure_identity(measure);
        if (row->identity == NULL)
            return pario_fail_errno(-ENOMEM, "report");
        name_group(row, suite,
                   json_string_value(json_object_get(measure, "test")));
        rows->count++;
    }
    return 0;
}

static int collect(const struct pario_run_shown *runs, size_t count,
                   struct rows *rows)
{
    size_t total = 1;
    int code = 0;

    for (size_t i = 0; i < count; i++)
        total += json_array_size(json_object_get(runs[i].document, "measures"));
    rows->items = calloc(total, sizeof(*rows->items));
    if (rows->items == NULL)
        return pario_fail_errno(-ENOMEM, "report");
    for (size_t i = 0; code == 0 && i < count; i++)
        code = collect_run(&runs[i], rows);
    return code;
}

/* The rows of one group with one access method, and what varies in them. */
struct group {
    const struct row **rows;
    size_t count;
    json_t *varying; /* names as members */
    int labels;      /* rows of more than one run */
};

static int note_varying(struct group *group)
{
    const struct row *first = group->rows[0];
    const char *name;
    json_t *value;

    group->varying = json_object();
    group->labels = 0;
    if (group->varying == NULL)
        return -ENOMEM;
    for (size_t i = 1; i < group->count; i++) {
        group->labels |= strcmp(first->label, group->rows[i]->label) != 0;
        for (int side = 0; side < 2; side++) {
            const struct row *a = side ? first : group->rows[i];
            const struct row *b = side ? group->rows[i] : first;

            json_object_foreach(a->identity, name, value)
            {
                const json_t *other = json_object_get(b->identity, name);

                if ((other == NULL || !json_equal(value, other)) &&
                    json_object_set_new(group->varying, name, json_true()))
                    return -ENOMEM;
            }
        }
    }
    return 0;
}

static int varies(const struct group *group, const char *name)
{
    return json_object_get(group->varying, name) != NULL;
}

static void append(char *name, const char *word)
{
    size_t used = strlen(name);

    snprintf(name + used, NAME_LEN - used, "%s%s", used > 0 ? " " : "", word);
}

static void append_member(char *name, const char *member, const json_t *value)
{
    json_t *one = json_pack("{s:O}", member, value);
    char *text = one != NULL ? pario_value_short(one) : NULL;

    if (strcmp(member, "collective") == 0)
        append(name, json_is_true(value) ? "collective" : "independent");
    else if (json_is_string(value))
        append(name, json_string_value(value));
    else if (text != NULL)
        append(name, text);
    free(text);
    json_decref(one);
}

/* b_eff_io's chunks of a power of two plus 8 bytes are a curve of their own:
 * they lie beside the others and are slower. */
static int is_ragged(const struct row *row)
{
    return json_integer_value(json_object_get(row->identity, "l_bytes")) %
               1024 ==
           8;
}

/* What tells a row from others that share the x axis. */
static void series_name(const struct group *group, const struct row *row,
                        const char *x, char name[NAME_LEN])
{
    const char *test =
        json_string_value(json_object_get(row->identity, "test"));
    const char *member;
    json_t *value;

    name[0] = '\0';
    if (varies(group, "test"))
        append(name, test);
    json_object_foreach(row->identity, member, value)
    {
        if (varies(group, member) && strcmp(member, x) != 0 &&
            !is_in(member, silent, sizeof(silent) / sizeof(silent[0])))
            append_member(name, member, value);
    }
    if (strcmp(x, "l_bytes") == 0 && is_ragged(row))
        append(name, "+8 B");
    if (group->labels)
        append(name, row->label);
    if (name[0] == '\0')
        append(name, test);
}

static double value_of(const struct row *row, const struct value *value)
{
    const json_t *number = json_object_get(row->measure, value->name);

    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* Repetitions of a point become one, with their interval. */
static void merge_repetitions(struct pario_series *series)
{
    size_t to = 0;

    for (size_t i = 0; i < series->count;) {
        double y[MOST_REPETITIONS];
        struct pario_interval interval;
        struct pario_point point = series->points[i];
        size_t n = 0;

        for (; i < series->count && series->points[i].x == point.x; i++) {
            point.flags |= series->points[i].flags;
            if (n < MOST_REPETITIONS)
                y[n++] = series->points[i].y;
        }
        if (n > 1 && pario_median_interval(y, n, &interval) == 0) {
            point.y = interval.median;
            point.low = interval.low;
            point.high = interval.high;
        }
        series->points[to++] = point;
    }
    series->count = to;
}

/* beffio has patterns that differ in the memory size only: they stay. */
static int has_repetitions(const struct group *group)
{
    return !varies(group, "L_bytes");
}

static int add_row(struct pario_figure *figure, const struct group *group,
                   const struct row *row, const struct axis *axis,
                   const struct value *value)
{
    const json_t *x = json_object_get(row->identity, axis->name);
    struct pario_point point = {.y = value_of(row, value),
                                .low = NAN,
                                .high = NAN,
                                .flags = row->flags};
    struct pario_series *series;
    char name[NAME_LEN];
    int category;

    if (!isfinite(point.y) || x == NULL)
        return 0;
    if (figure->kind == PARIO_FIGURE_BARS) {
        category = pario_figure_category(
            figure, json_is_string(x) ? json_string_value(x) : "?");
        if (category < 0)
            return category;
        point.x = category;
    } else {
        point.x = json_number_value(x);
    }
    series_name(group, row, axis->name, name);
    if (figure->nseries >= MOST_SERIES) {
        for (size_t i = 0; i < figure->nseries; i++)
            if (strcmp(figure->series[i].name, name) == 0)
                return pario_series_add(&figure->series[i], point);
        return 0;
    }
    series = pario_figure_series(figure, name);
    return series != NULL ? pario_series_add(series, point) : -ENOMEM;
}

static void make_id(char *id, size_t len, const char *text)
{
    size_t n = 0;

    for (; *text != '\0' && n + 1 < len; text++) {
        int good = (*text >= 'a' && *text <= 'z') ||
                   (*text >= '0' && *text <= '9') || *text == '_';

        if (*text >= 'A' && *text <= 'Z')
            id[n++] = (char)(*text - 'A' + 'a');
        else if (good)
            id[n++] = *text;
        else if (n > 0 && id[n - 1] != '-')
            id[n++] = '-';
    }
    id[n] = '\0';
}

/* A parameter that only goes along with another one makes no curve. */
static int is_curve(const struct pario_figure *figure)
{
    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 1; k < figure->series[i].count; k++)
            if (figure->series[i].points[k].x != figure->series[i].points[0].x)
                return 1;
    return 0;
}

/* One figure of a group over one axis. */
static int draw_axis(const struct group *group, const struct axis *axis,
                     const struct value *value, int *drawn_p,
                     struct pario_figures *figures)
{
    const struct row *first = group->rows[0];
    const char *access =
        json_string_value(json_object_get(first->identity, "access"));
    struct pario_figure *figure = NULL;
    char title[2 * NAME_LEN], id[96];
    int code;

    snprintf(title, sizeof(title), "%s: %s%s%s over %s", first->group,
             access != NULL && !varies(group, "access") ? access : "",
             access != NULL && !varies(group, "access") ? ", " : "",
             value->what, axis->label);
    make_id(id, sizeof(id), title);
    code = pario_figure_create(strcmp(axis->name, "grid") == 0
                                   ? PARIO_FIGURE_BARS
                                   : PARIO_FIGURE_LINES,
                               id, title, axis->label, value->label, &figure);
    if (code != 0)
        return code;
    figure->x_log = axis->logarithmic;
    for (size_t i = 0; code == 0 && i < group->count; i++)
        code = add_row(figure, group, group->rows[i], axis, value);
    pario_figure_sort(figure);
    for (size_t i = 0; has_repetitions(group) && i < figure->nseries; i++)
        merge_repetitions(&figure->series[i]);
    if (code == 0 && !is_curve(figure)) {
        pario_figure_destroy(figure);
        return 0;
    }
    if (code == 0 && figure->nseries >= MOST_SERIES)
        code = pario_figure_note(figure,
                                 "At most %d series are drawn; all measures "
                                 "are in the table of the run.",
                                 MOST_SERIES);
    if (code == 0)
        code = pario_figure_note_flags(figure);
    if (code != 0 || figure->nseries == 0) {
        pario_figure_destroy(figure);
        return code;
    }
    *drawn_p += 1;
    return pario_figures_add(figures, figure);
}

static int add_bar(struct pario_figure *figure, const char *category,
                   const char *name, struct pario_point point)
{
    int number = pario_figure_category(figure, category);
    struct pario_series *series = pario_figure_series(figure, name);

    if (number < 0 || series == NULL)
        return -ENOMEM;
    point.x = number;
    return pario_series_add(series, point);
}

/* Where no parameter varies that could be an axis: a bar each. */
static int draw_bars(const struct group *group, struct pario_figures *figures)
{
    struct pario_figure *figure = NULL;
    char title[2 * NAME_LEN], id[96], category[NAME_LEN];
    int code;

    snprintf(title, sizeof(title), "%s: bandwidth", group->rows[0]->group);
    make_id(id, sizeof(id), title);
    code = pario_figure_create(PARIO_FIGURE_BARS, id, title, "measure",
                               "bandwidth, MB/s", &figure);
    for (size_t i = 0; code == 0 && i < group->count && i < 64; i++) {
        const struct row *row = group->rows[i];
        struct group unlabelled = *group;
        struct pario_point point = {.y = value_of(row, &values[0]),
                                    .low = NAN,
                                    .high = NAN,
                                    .flags = row->flags};

        if (!isfinite(point.y))
            continue;
        unlabelled.labels = 0;
        series_name(&unlabelled, row, "", category);
        code = add_bar(figure, category, row->label, point);
    }
    if (code == 0)
        code = pario_figure_note_flags(figure);
    if (code != 0 || figure->nseries == 0) {
        pario_figure_destroy(figure);
        return code;
    }
    return pario_figures_add(figures, figure);
}

static int has_value(const struct group *group, const struct value *value)
{
    for (size_t i = 0; i < group->count; i++)
        if (isfinite(value_of(group->rows[i], value)))
            return 1;
    return 0;
}

/* All axes of a group; *drawn_p counts them. */
static int draw_group(const struct group *group, int *drawn_p,
                      struct pario_figures *figures)
{
    int code = 0;

    for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
        int drawn = 0;

        if (!has_value(group, &values[v]))
            continue;
        for (size_t i = 0; code == 0 && drawn < MOST_AXES &&
                           i < sizeof(axes) / sizeof(axes[0]);
             i++) {
            if (!varies(group, axes[i].name))
                continue;
            code = draw_axis(group, &axes[i], &values[v], &drawn, figures);
        }
        *drawn_p += drawn;
    }
    return code;
}

static const char *access_of(const struct row *row)
{
    const char *access =
        json_string_value(json_object_get(row->identity, "access"));

    return access != NULL ? access : "";
}

/* The rows after `first` of its group (and access), taken out of done. */
static int take_group(const struct rows *rows, size_t first, int by_access,
                      const char *done, struct group *group)
{
    const struct row *like = &rows->items[first];

    group->count = 0;
    for (size_t i = first; i < rows->count; i++) {
        const struct row *row = &rows->items[i];

        if (!done[i] && strcmp(row->group, like->group) == 0 &&
            (!by_access || strcmp(access_of(row), access_of(like)) == 0))
            group->rows[group->count++] = row;
    }
    return note_varying(group);
}

static int draw_all(const struct rows *rows, struct group *group, char *done,
                    struct pario_figures *figures)
{
    int code = 0, drawn;

    for (size_t i = 0; code == 0 && i < rows->count; i++) {
        if (done[i])
            continue;
        /* One diagram for each access method; bars hold all of them. */
        drawn = 0;
        code = take_group(rows, i, 1, done, group);
        if (code == 0)
            code = draw_group(group, &drawn, figures);
        json_decref(group->varying);
        group->varying = NULL;
        if (code == 0 && drawn == 0) {
            code = take_group(rows, i, 0, done, group);
            if (code == 0)
                code = draw_bars(group, figures);
            json_decref(group->varying);
            group->varying = NULL;
        }
        for (size_t k = 0; k < group->count; k++)
            done[group->rows[k] - rows->items] = 1;
    }
    return code;
}

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
                          struct pario_figures *figures)
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
            struct pario_point point = {.y = summary_rate(name, value),
                                        .low = NAN,
                                        .high = NAN,
                                        .flags =
                                            pario_run_flags(runs[i].document)};

            if (code == 0 && isfinite(point.y))
                code = add_bar(figure, name, runs[i].label, point);
        }
    }
    if (code == 0)
        code = pario_figure_note_flags(figure);
    if (code != 0 || figure->nseries == 0) {
        pario_figure_destroy(figure);
        return code;
    }
    return pario_figures_add(figures, figure);
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
static int add_values(struct pario_figure *figure, const char *name,
                      const struct pario_run_shown *run)
{
    json_t *summary = json_object_get(run->document, "summary");
    const json_t *system = json_object_get(run->document, "system");
    const char *fs = json_string_value(json_object_get(system, "filesystem"));
    const char *member;
    const json_t *value;
    int code = 0, parts = 0;

    json_object_foreach(summary, member, value)
    {
        parts |= partition_in(member, name) > 0;
    }
    json_object_foreach(summary, member, value)
    {
        double processes = partition_in(member, name);
        struct pario_series *series;
        struct pario_point point = {.y = json_number_value(value),
                                    .low = NAN,
                                    .high = NAN,
                                    .flags = pario_run_flags(run->document)};

        if (!parts && strcmp(member, name) == 0)
            processes = json_number_value(json_object_get(system, "processes"));
        if (code != 0 || processes <= 0 || !json_is_number(value))
            continue;
        point.x = processes;
        series =
            pario_figure_series(figure, parts || fs == NULL ? run->label : fs);
        code = series != NULL ? pario_series_add(series, point) : -ENOMEM;
    }
    return code;
}

/* One value over the number of processes, of the partitions of a run or of
 * several runs (b_eff_io's figures 2 and 5). */
static int draw_over_processes(const struct pario_run_shown *runs, size_t count,
                               struct pario_figures *figures)
{
    static const char *const names[] = {"b_eff_io_mbps", "priomark_total_mbps"};
    int code = 0;

    for (size_t n = 0; code == 0 && n < sizeof(names) / sizeof(names[0]); n++) {
        struct pario_figure *figure = NULL;
        char title[NAME_LEN];

        snprintf(title, sizeof(title), "%s over the number of processes",
                 names[n]);
        code = pario_figure_create(PARIO_FIGURE_LINES, names[n], title,
                                   "processes", "MB/s", &figure);
        for (size_t i = 0; code == 0 && i < count; i++)
            code = add_values(figure, names[n], &runs[i]);
        if (code == 0 && is_curve(figure)) {
            figure->x_log = 1;
            pario_figure_sort(figure);
            code = pario_figure_note_flags(figure);
            if (code == 0) {
                code = pario_figures_add(figures, figure);
                figure = NULL;
            }
        }
        pario_figure_destroy(figure);
    }
    return code;
}

int pario_measures_figures(const struct pario_run_shown *runs, size_t count,
                           struct pario_figures *figures)
{
    struct rows rows = {.count = 0};
    struct group group = {.count = 0};
    char *done = NULL;
    int code = draw_summaries(runs, count, figures);

    if (code == 0)
        code = draw_over_processes(runs, count, figures);
    if (code == 0)
        code = collect(runs, count, &rows);
    if (code == 0) {
        done = calloc(rows.count + 1, 1);
        group.rows = calloc(rows.count + 1, sizeof(const struct row *));
        code = done != NULL && group.rows != NULL
                   ? draw_all(&rows, &group, done, figures)
                   : pario_fail_errno(-ENOMEM, "report");
    }
    free(done);
    free(group.rows);
    free_rows(&rows);
    return code;
}
