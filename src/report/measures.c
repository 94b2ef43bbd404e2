/* report/measures.c - which figures the measures of some results make.
 *
 * Each measure is a row: what it is (identity), which run it is of, and its
 * values. Rows of one suite and test make a group; in a group, a parameter
 * that varies can be an x axis, and all others that vary name the series. */
#include "report/measures.h"
#include "report/measures_parts.h"
#include "report/table_parts.h"
#include "result/value.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GROUPS 200 /* of measures that are drawn together */
#define MAX_SERIES 24
#define NAME_LEN PARIO_NAME_LEN
#define MAX_AXES 3
#define MAX_BARS 64

struct row {
    const json_t *measure;
    json_t *identity;
    const char *label;
    char curve[NAME_LEN]; /* instead of the label, over processes */
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
    {"tasks_per_node", "tasks on a node", 1},
    {"sparsity_percent", "stripes accessed, %", 1},
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

/* Over the process grid the time is shown too (the test suite's kernels). */
static const struct value time_taken = {"seconds", "time, s", "time"};

/* Never part of a series' name. */
static const char *const silent[] = {"U",    "L_bytes", "type",
                                     "test", "parts",   "processes_computing"};

/* Nor these where shipbench has named the series. */
static const char *const named[] = {
    "series",     "library",        "hints",           "blocks_per_task",
    "file_bytes", "tasks_per_node", "sparsity_percent"};

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

static int collect_run(const struct pario_run_shown *run, const char *curve,
                       struct rows *rows)
{
    const char *suite = pario_text_of(run->document, "suite", NULL);
    const json_t *list = json_object_get(run->document, "measures");
    size_t i;
    const json_t *measure;

    json_array_foreach(list, i, measure)
    {
        struct row *row = &rows->items[rows->count];

        row->flags = pario_measure_flags(run->document, measure);
        if (row->flags & PARIO_FLAG_FAILED)
            continue;
        row->measure = measure;
        row->label = run->label;
        snprintf(row->curve, sizeof(row->curve), "%s", curve);
        row->identity = pario_measure_identity(measure);
        if (row->identity == NULL)
            return pario_fail_errno(-ENOMEM, "report");
        name_group(row, suite, pario_text_of(measure, "test", NULL));
        rows->count++;
    }
    return 0;
}

static json_int_t partition_of(const struct row *row)
{
    return pario_integer_of(row->identity, "partition");
}

/* b_eff_io's diagrams have ten curves: one for each number of processes. */
static void split_partitions(struct rows *rows)
{
    const struct row *first = NULL;
    int several = 0;

    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->items[i].group, "beffio") != 0)
            continue;
        first = first != NULL ? first : &rows->items[i];
        several |= partition_of(&rows->items[i]) != partition_of(first);
    }
    for (size_t i = 0; several && i < rows->count; i++)
        if (strcmp(rows->items[i].group, "beffio") == 0)
            snprintf(rows->items[i].group, NAME_LEN,
                     "beffio, %" JSON_INTEGER_FORMAT " process%s",
                     partition_of(&rows->items[i]),
                     partition_of(&rows->items[i]) == 1 ? "" : "es");
}

static int collect(const struct pario_run_shown *runs, size_t count,
                   struct rows *rows)
{
    char curve[NAME_LEN];
    size_t total = 1;
    int code = 0;

    for (size_t i = 0; i < count; i++)
        total += json_array_size(json_object_get(runs[i].document, "measures"));
    rows->items = calloc(total, sizeof(*rows->items));
    if (rows->items == NULL)
        return pario_fail_errno(-ENOMEM, "report");
    for (size_t i = 0; code == 0 && i < count; i++)
        code =
            collect_run(&runs[i], pario_run_curve(runs, count, i, curve), rows);
    split_partitions(rows);
    return code;
}

/* The rows of one group with one access method, and what varies in them. */
struct group {
    const struct row **rows;
    size_t count;
    json_t *varying; /* names as members */
    json_t *least;   /* {"TEST L_BYTES": the least L_bytes of these} */
    int labels;      /* rows of more than one run */
    int taken;       /* how many groups there have been */
};

/* The chunk size of a row and its test, as one text. */
static void chunk_key(const struct row *row, char key[NAME_LEN])
{
    const char *test = pario_text_of(row->identity, "test", NULL);

    snprintf(key, NAME_LEN, "%.80s %" JSON_INTEGER_FORMAT,
             test != NULL ? test : "",
             pario_integer_of(row->identity, "l_bytes"));
}

static int note_least(struct group *group)
{
    group->least = json_object();
    for (size_t i = 0; i < group->count; i++) {
        json_t *memory = json_object_get(group->rows[i]->identity, "L_bytes");
        const json_t *least;
        char key[NAME_LEN];

        chunk_key(group->rows[i], key);
        least = json_object_get(group->least, key);
        if ((least == NULL ||
             json_integer_value(memory) < json_integer_value(least)) &&
            json_object_set_new(group->least, key,
                                json_integer(json_integer_value(memory))) != 0)
            return -ENOMEM;
    }
    return 0;
}

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

/* "512x512" for all sides of an array. */
static void append_sides(char *name, const json_t *identity)
{
    static const char *const sides[] = {"xsize", "ysize", "zsize"};
    char text[80] = "";
    size_t used = 0;

    for (size_t i = 0; i < 3; i++) {
        const json_t *side = json_object_get(identity, sides[i]);

        if (json_is_integer(side))
            used += (size_t)snprintf(
                text + used, sizeof(text) - used, "%s%" JSON_INTEGER_FORMAT,
                used > 0 ? "x" : "", json_integer_value(side));
    }
    append(name, text);
}

static void append_member(char *name, const struct row *row, const char *member,
                          const json_t *value)
{
    json_t *one = json_pack("{s:O}", member, value);
    char *text = one != NULL ? pario_value_short(one) : NULL;

    if (strcmp(member, "collective") == 0)
        append(name, json_is_true(value) ? "collective" : "independent");
    else if (strcmp(member, "partition") == 0) {
        char words[40];

        snprintf(words, sizeof(words), "%" JSON_INTEGER_FORMAT " process%s",
                 json_integer_value(value),
                 json_integer_value(value) == 1 ? "" : "es");
        append(name, words);
    } else if (strcmp(member, "xsize") == 0)
        append_sides(name, row->identity);
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
    return pario_integer_of(row->identity, "l_bytes") % 1024 == 8;
}

/* b_eff_io has a pattern of the same chunk and access with less memory: this
 * one is a point of its own, not part of the curve. */
static int is_second(const struct group *group, const struct row *row)
{
    char key[NAME_LEN];

    chunk_key(row, key);
    return pario_integer_of(group->least, key) <
           pario_integer_of(row->identity, "L_bytes");
}

/* shipbench's own name; without "50 %, " where that is the axis. */
static void append_series(char *name, const char *series, const char *x)
{
    const char *comma = strstr(series, ", ");

    if (comma != NULL && (strcmp(x, "sparsity_percent") == 0 ||
                          strcmp(x, "tasks_per_node") == 0))
        series = comma + 2;
    append(name, series);
}

static int is_silent(const struct row *row, const char *member)
{
    static const char *const sides[] = {"file_bytes", "ysize", "zsize"};
    const json_t *identity = row->identity;

    return is_in(member, silent, sizeof(silent) / sizeof(silent[0])) ||
           (json_object_get(identity, "series") != NULL &&
            is_in(member, named, sizeof(named) / sizeof(named[0]))) ||
           (json_object_get(identity, "xsize") != NULL &&
            is_in(member, sides, sizeof(sides) / sizeof(sides[0])));
}

/* NHT-1's solver chooses these by the number of processes. */
static int follows(const char *member, const char *x)
{
    static const char *const chosen[] = {"scheme", "kernel"};

    return strcmp(x, "partition") == 0 &&
           is_in(member, chosen, sizeof(chosen) / sizeof(chosen[0]));
}

/* What tells a row from others that share the x axis. */
static void series_name(const struct group *group, const struct row *row,
                        const char *x, char name[NAME_LEN])
{
    const char *test = pario_text_of(row->identity, "test", NULL);
    const char *series = pario_text_of(row->identity, "series", NULL);
    const char *member;
    json_t *value;

    name[0] = '\0';
    if (varies(group, "test") || strcmp(x, "l_bytes") == 0)
        append(name, test);
    if (series != NULL)
        append_series(name, series, x);
    json_object_foreach(row->identity, member, value)
    {
        if (varies(group, member) && strcmp(member, x) != 0 &&
            !is_silent(row, member) && !follows(member, x))
            append_member(name, row, member, value);
    }
    if (strcmp(x, "l_bytes") == 0 && is_ragged(row))
        append(name, "+8 B");
    if (strcmp(x, "l_bytes") == 0 && is_second(group, row))
        append_member(name, row, "L_bytes",
                      json_object_get(row->identity, "L_bytes"));
    if (group->labels)
        append(name, strcmp(x, "partition") == 0 ? row->curve : row->label);
    if (name[0] == '\0')
        append(name, test);
}

static double value_of(const struct row *row, const struct value *value)
{
    const json_t *number = json_object_get(row->measure, value->name);

    /* A phase that moves no data has no rate. */
    if (!json_is_number(number) ||
        (value == &values[0] && json_number_value(number) <= 0))
        return NAN;
    return json_number_value(number);
}

static struct pario_point point_of(const struct row *row,
                                   const struct value *value)
{
    const json_t *interval = json_object_get(row->measure, "interval_mbps");
    struct pario_point point = {.y = value_of(row, value),
                                .low = NAN,
                                .high = NAN,
                                .flags = row->flags};

    if (value == &values[0] && json_array_size(interval) == 2) {
        point.low = json_number_value(json_array_get(interval, 0));
        point.high = json_number_value(json_array_get(interval, 1));
    }
    return point;
}

/* *cut_p is set where there is no room for one more series. */
static int add_row(struct pario_figure *figure, const struct group *group,
                   const struct row *row, const struct axis *axis,
                   const struct value *value, int *cut_p)
{
    const json_t *x = json_object_get(row->identity, axis->name);
    struct pario_point point = point_of(row, value);
    struct pario_curve *series;
    char name[NAME_LEN];
    int category;

    if (!isfinite(point.y) || x == NULL ||
        json_is_string(x) != (figure->kind == PARIO_FIGURE_BARS))
        return 0;
    if (figure->kind == PARIO_FIGURE_BARS) {
        category = pario_figure_category(figure, json_string_value(x));
        if (category < 0)
            return category;
        point.x = category;
    } else {
        point.x = json_number_value(x);
    }
    series_name(group, row, axis->name, name);
    if (figure->nseries >= MAX_SERIES) {
        for (size_t i = 0; i < figure->nseries; i++)
            if (strcmp(figure->series[i].name, name) == 0)
                return pario_curve_add(&figure->series[i], point);
        *cut_p = 1;
        return 0;
    }
    series = pario_figure_curve(figure, name);
    return series != NULL ? pario_curve_add(series, point) : -ENOMEM;
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
    if (n > 0 && id[n - 1] == '-')
        n--;
    id[n] = '\0';
}

/* One figure of a group over one axis. */
static int draw_axis(const struct group *group, const struct axis *axis,
                     const struct value *value, int *drawn_p,
                     struct pario_figure_list *figures)
{
    const struct row *first = group->rows[0];
    const char *access = pario_text_of(first->identity, "access", NULL);
    struct pario_figure *figure = NULL;
    char title[2 * NAME_LEN], id[96];
    int code, cut = 0;

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
        code = add_row(figure, group, group->rows[i], axis, value, &cut);
    if (code == 0)
        code = pario_figure_merge(figure);
    if (code == 0 && !pario_figure_is_curve(figure)) {
        pario_figure_destroy(figure);
        return 0;
    }
    if (code == 0 && cut)
        code = pario_figure_note(figure,
                                 "Only the first %d series are drawn; all "
                                 "measures are in the table of the run.",
                                 MAX_SERIES);
    *drawn_p += code == 0 && figure->nseries > 0;
    return pario_figure_list_take(figures, figure, code);
}

/* Bars side by side: what runs, hint sets or directories have in common is the
 * category, which of them it is the series. */
static int add_bar(struct pario_figure *figure, const struct group *group,
                   const struct row *row, int *cut_p)
{
    static const char *const beside[] = {"hints", "directory"};
    struct pario_point point = point_of(row, &values[0]);
    char category[NAME_LEN], name[NAME_LEN] = "";
    struct group plain = *group;
    const char *sides = "";

    for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
        const json_t *value = json_object_get(row->identity, beside[i]);

        if (sides[0] == '\0' && json_is_string(value) &&
            varies(group, beside[i])) {
            sides = beside[i];
            append(name, json_string_value(value));
        }
    }
    if (group->labels || name[0] == '\0')
        append(name, row->label);
    plain.labels = 0;
    series_name(&plain, row, sides, category);
    for (size_t i = 0; i < figure->ncategories; i++)
        if (strcmp(figure->categories[i], category) == 0)
            return pario_figure_bar(figure, category, name, point);
    if (figure->ncategories >= MAX_BARS) {
        *cut_p = 1;
        return 0;
    }
    return pario_figure_bar(figure, category, name, point);
}

/* Where no parameter varies that could be an axis: a bar each. */
static int draw_bars(const struct group *group,
                     struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    char title[2 * NAME_LEN], id[96];
    int code, cut = 0;

    snprintf(title, sizeof(title), "%s: bandwidth", group->rows[0]->group);
    make_id(id, sizeof(id), title);
    code = pario_figure_create(PARIO_FIGURE_BARS, id, title, "measure",
                               "bandwidth, MB/s", &figure);
    for (size_t i = 0; code == 0 && i < group->count; i++)
        if (isfinite(value_of(group->rows[i], &values[0])))
            code = add_bar(figure, group, group->rows[i], &cut);
    if (code == 0)
        code = pario_figure_merge(figure);
    if (code == 0 && cut)
        code = pario_figure_note(figure,
                                 "Only the first %d measures are drawn; all "
                                 "are in the table of the run.",
                                 MAX_BARS);
    return pario_figure_list_take(figures, figure, code);
}

static int has_value(const struct group *group, const struct value *value)
{
    for (size_t i = 0; i < group->count; i++)
        if (isfinite(value_of(group->rows[i], value)))
            return 1;
    return 0;
}

/* shipbench's files grow with the tasks: no axis of their own. */
static int is_axis(const struct group *group, const char *name)
{
    return varies(group, name) &&
           (strcmp(name, "file_bytes") != 0 ||
            json_object_get(group->rows[0]->identity, "series") == NULL);
}

/* All axes of a group; *drawn_p counts them. */
static int draw_group(const struct group *group, int *drawn_p,
                      struct pario_figure_list *figures)
{
    int code = 0;

    for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
        int drawn = 0;

        if (!has_value(group, &values[v]))
            continue;
        for (size_t i = 0; code == 0 && drawn < MAX_AXES &&
                           i < sizeof(axes) / sizeof(axes[0]);
             i++) {
            if (!is_axis(group, axes[i].name))
                continue;
            code = draw_axis(group, &axes[i], &values[v], &drawn, figures);
            if (code == 0 && v == 0 && strcmp(axes[i].name, "grid") == 0)
                code = draw_axis(group, &axes[i], &time_taken, &drawn, figures);
        }
        *drawn_p += drawn;
    }
    return code;
}

static const char *access_of(const struct row *row)
{
    const char *access = pario_text_of(row->identity, "access", NULL);

    return access != NULL ? access : "";
}

enum state { NEW, CURVES, BARS };

/* The rows from `first` on of its group, and of its access or NULL for any,
 * that are in this state. */
static int take_group(const struct rows *rows, size_t first, const char *access,
                      const char *states, struct group *group)
{
    const struct row *like = &rows->items[first];

    group->count = 0;
    group->taken++;
    for (size_t i = first; i < rows->count; i++) {
        const struct row *row = &rows->items[i];

        if (states[i] == states[first] &&
            strcmp(row->group, like->group) == 0 &&
            (access == NULL || strcmp(access_of(row), access) == 0))
            group->rows[group->count++] = row;
    }
    return note_least(group) != 0 ? -ENOMEM : note_varying(group);
}

static void leave_group(const struct rows *rows, struct group *group,
                        char *states, enum state state)
{
    json_decref(group->varying);
    json_decref(group->least);
    group->varying = group->least = NULL;
    for (size_t i = 0; i < group->count; i++)
        states[group->rows[i] - rows->items] = (char)state;
}

/* One diagram for each access method of the group of row `first`; those
 * without a curve are bars together. */
static int draw_accesses(const struct rows *rows, size_t first,
                         struct group *group, char *states,
                         struct pario_figure_list *figures)
{
    const char *name = rows->items[first].group;
    size_t bars = rows->count;
    int code = 0;

    for (size_t i = first;
         code == 0 && i < rows->count && group->taken < MAX_GROUPS; i++) {
        int drawn = 0;

        if (states[i] != NEW || strcmp(rows->items[i].group, name) != 0)
            continue;
        code = take_group(rows, i, access_of(&rows->items[i]), states, group);
        if (code == 0)
            code = draw_group(group, &drawn, figures);
        leave_group(rows, group, states, drawn > 0 ? CURVES : BARS);
        if (drawn == 0 && bars == rows->count)
            bars = i;
    }
    if (code == 0 && bars < rows->count) {
        code = take_group(rows, bars, NULL, states, group);
        if (code == 0)
            code = draw_bars(group, figures);
        leave_group(rows, group, states, CURVES);
    }
    return code;
}

static int draw_all(const struct rows *rows, struct group *group, char *states,
                    struct pario_figure_list *figures)
{
    int code = 0;

    for (size_t i = 0;
         code == 0 && i < rows->count && group->taken < MAX_GROUPS; i++)
        if (states[i] == NEW)
            code = draw_accesses(rows, i, group, states, figures);
    if (code == 0 && group->taken >= MAX_GROUPS && figures->count > 0)
        code = pario_figure_note(figures->items[figures->count - 1],
                                 "Only the first %d kinds of measures are "
                                 "drawn; all are in the table of the run.",
                                 MAX_GROUPS);
    return code;
}

int pario_measures_figures(const struct pario_run_shown *runs, size_t count,
                           struct pario_figure_list *figures)
{
    struct rows rows = {.count = 0};
    struct group group = {.count = 0};
    char *states = NULL;
    int code = pario_headline_figures(runs, count, figures);

    if (code == 0)
        code = pario_directory_figures(runs, count, figures);
    if (code == 0)
        code = collect(runs, count, &rows);
    if (code == 0) {
        states = calloc(rows.count + 1, 1);
        group.rows = calloc(rows.count + 1, sizeof(const struct row *));
        code = states != NULL && group.rows != NULL
                   ? draw_all(&rows, &group, states, figures)
                   : pario_fail_errno(-ENOMEM, "report");
    }
    free(states);
    free(group.rows);
    free_rows(&rows);
    return code;
}
