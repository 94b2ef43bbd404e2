/* report/measures.c - which figures the measures of some results make.
 *
 * Each measure is a row: what it is (identity), which run it is of, and its
 * values. Rows of one test, or of tests that the document wants together, make
 * a group; in a group a parameter that varies can be an x axis, and all others
 * that vary name the series. What is what the document says (result/view.h);
 * where it does not, the measures show it. */
#include "report/measures.h"
#include "report/measures_parts.h"
#include "report/quantity.h"
#include "report/table_parts.h"
#include "result/identity.h"
#include "result/value.h"
#include "result/view.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GROUPS 200 /* of measures that are drawn together */
#define MAX_SERIES 24
#define NAME_LEN PARIO_NAME_LEN
#define MAX_AXES 3
#define MAX_BARS 64
#define MAX_TRIED 4  /* axes of a group, drawn or not */
#define MAX_VALUES 8 /* of a document's view */

struct rows {
    struct pario_row *items;
    size_t count;
};

/* What a document that says nothing wants to have drawn. */
static const struct pario_view_name usual_values[] = {
    {.key = "bandwidth_mbps", .name = "bandwidth"},
    {.key = "operations_per_s", .name = "operations"},
    {.key = "latency_ns.p99", .name = "time of a call, 99 % of them"},
};

#define NUSUAL (sizeof(usual_values) / sizeof(usual_values[0]))

static void free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        json_decref(rows->items[i].identity);
    free(rows->items);
}

/* Tests that the document wants together are one diagram; else a test has its
 * own. */
static void name_group(struct pario_row *row, const json_t *document)
{
    const char *suite = pario_text_of(document, "suite", "");
    const char *test = pario_text_of(row->identity, "test", "");
    const char *figure = pario_view_find(row->view, "tests", test, "figure");
    const char *name = pario_view_find(row->view, "tests", test, "name");

    if (figure != NULL)
        snprintf(row->group, sizeof(row->group), "%.160s", figure);
    else if (name == NULL && strcmp(suite, test) == 0)
        snprintf(row->group, sizeof(row->group), "%.60s", suite);
    else
        snprintf(row->group, sizeof(row->group), "%.60s %.100s", suite,
                 name != NULL ? name : test);
}

static int collect_run(const struct pario_run_shown *run, const char *curve,
                       struct rows *rows)
{
    const json_t *list = json_object_get(run->document, "measures");
    size_t i;
    const json_t *measure;

    json_array_foreach(list, i, measure)
    {
        struct pario_row *row = &rows->items[rows->count];

        row->flags = pario_measure_flags(run->document, measure);
        if (row->flags & PARIO_FLAG_FAILED)
            continue;
        row->measure = measure;
        row->view = json_object_get(run->document, "view");
        row->label = run->label;
        snprintf(row->curve, sizeof(row->curve), "%s", curve);
        row->identity = pario_measure_identity(measure, row->view);
        if (row->identity == NULL)
            return pario_fail_errno(-ENOMEM, "report");
        name_group(row, run->document);
        rows->count++;
    }
    return 0;
}

/* The parameter that each value of has a diagram of its own; NULL: none. */
static const char *apart_of(const struct pario_row *row)
{
    return pario_view_find(row->view, "tests",
                           pario_text_of(row->identity, "test", ""), "apart");
}

/* Groups whose diagrams a parameter sets apart get its value into their name,
 * where it has several. */
static void split_groups(struct rows *rows)
{
    json_t *first = json_object(), *several = json_object();

    for (size_t i = 0; i < rows->count; i++) {
        const struct pario_row *row = &rows->items[i];
        const char *apart = apart_of(row);
        json_t *value =
            apart != NULL ? json_object_get(row->identity, apart) : NULL;

        if (value == NULL)
            continue;
        if (json_object_get(first, row->group) == NULL)
            (void)json_object_set(first, row->group, value);
        else if (!json_equal(json_object_get(first, row->group), value))
            (void)json_object_set_new(several, row->group, json_true());
    }
    for (size_t i = 0; i < rows->count; i++) {
        struct pario_row *row = &rows->items[i];

        if (apart_of(row) != NULL && json_object_get(several, row->group))
            pario_series_member(row->group, ", ", row, apart_of(row));
    }
    json_decref(first);
    json_decref(several);
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
    split_groups(rows);
    return code;
}

/* The rows of one group with one access method, and what varies in them. */
struct group {
    const struct pario_row **rows;
    size_t count;
    const json_t *view; /* of the first */
    json_t *varying;    /* names as members */
    int labels;         /* rows of more than one run */
    int taken;          /* how many groups there have been */
};

static int note_varying(struct group *group)
{
    const struct pario_row *first = group->rows[0];
    const char *name;
    json_t *value;

    group->varying = json_object();
    group->labels = 0;
    if (group->varying == NULL)
        return -ENOMEM;
    for (size_t i = 1; i < group->count; i++) {
        group->labels |= strcmp(first->label, group->rows[i]->label) != 0;
        for (int side = 0; side < 2; side++) {
            const struct pario_row *a = side ? first : group->rows[i];
            const struct pario_row *b = side ? group->rows[i] : first;

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

/* What tells a row from others that share the x axis. */
static void series_name(const struct group *group, const struct pario_row *row,
                        const char *x, char name[NAME_LEN])
{
    const char *series = pario_text_of(row->measure, "series", NULL);
    const char *member;
    json_t *value;

    name[0] = '\0';
    if (series != NULL)
        pario_series_word(name, " ", series);
    else if (varies(group, "test"))
        pario_series_member(name, " ", row, "test");
    json_object_foreach(row->identity, member, value)
    {
        if (strlen(name) + 8 > NAME_LEN)
            break; /* there is no room for more */
        if (varies(group, member) && strcmp(member, x) != 0 &&
            strcmp(member, "test") != 0 &&
            !pario_view_lists(row->view, "details", member))
            pario_series_member(name, name[0] != '\0' ? ", " : "", row, member);
    }
    if (group->labels)
        pario_series_word(
            name, " ", strcmp(x, "partition") == 0 ? row->curve : row->label);
    if (name[0] == '\0')
        pario_series_member(name, "", row, "test");
}

/* "latency_ns.p99" is a member of a member. */
static double number_at(const json_t *measure, const char *path)
{
    char outer[NAME_LEN];
    const char *dot = strchr(path, '.');

    if (strcmp(path, "operations_per_s") == 0)
        return pario_operation_rate(measure);
    if (dot != NULL) {
        snprintf(outer, sizeof(outer), "%.*s", (int)(dot - path), path);
        measure = json_object_get(measure, outer);
        path = dot + 1;
    }
    measure = json_object_get(measure, path);
    return json_is_number(measure) ? json_number_value(measure) : NAN;
}

/* How a value is drawn: its unit, and what makes it of what is written. */
struct unit {
    const char *text;
    double scale;
    int positive; /* nothing moved, no rate; nothing timed, no time */
};

static struct unit unit_of(const char *key)
{
    char name[NAME_LEN];
    const char *unit;

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(key, "."), key);
    unit = pario_quantity_unit(name);
    if (strcmp(unit, "ns") == 0)
        return (struct unit){"ms", 1e-6, 1};
    return (struct unit){unit, 1, unit[0] != '\0'};
}

static double value_of(const struct pario_row *row,
                       const struct pario_view_name *value)
{
    struct unit unit = unit_of(value->key);
    double number = number_at(row->measure, value->key);

    return unit.positive && !(number > 0) ? NAN : number * unit.scale;
}

static int is_bandwidth(const struct pario_view_name *value)
{
    return strcmp(value->key, usual_values[0].key) == 0;
}

static struct pario_point point_of(const struct pario_row *row,
                                   const struct pario_view_name *value)
{
    const json_t *interval = json_object_get(row->measure, "interval_mbps");
    struct pario_point point = {.y = value_of(row, value),
                                .low = NAN,
                                .high = NAN,
                                .flags = row->flags};

    if (is_bandwidth(value) && json_array_size(interval) == 2) {
        point.low = json_number_value(json_array_get(interval, 0));
        point.high = json_number_value(json_array_get(interval, 1));
    }
    return point;
}

/* *cut_p is set where there is no room for one more series. */
static int add_row(struct pario_figure *figure, const struct group *group,
                   const struct pario_row *row, const char *axis,
                   const struct pario_view_name *value, int *cut_p)
{
    const json_t *x = json_object_get(row->identity, axis);
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
    series_name(group, row, axis, name);
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

/* "time of a call, ms". */
static void label_with_unit(char label[NAME_LEN], const char *name,
                            const char *unit)
{
    snprintf(label, NAME_LEN, "%.120s%s%.40s", name,
             unit[0] != '\0' ? ", " : "", unit);
}

/* A logarithmic axis where the values lie far apart. */
static void choose_scale(struct pario_figure *figure)
{
    double low = INFINITY, high = 0;

    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 0; k < figure->series[i].count; k++) {
            low = fmin(low, figure->series[i].points[k].x);
            high = fmax(high, figure->series[i].points[k].x);
        }
    figure->x_log =
        figure->kind == PARIO_FIGURE_LINES && low > 0 && high >= 4 * low;
}

static enum pario_question question_of(const char *axis,
                                       const struct pario_view_name *value)
{
    if (strncmp(value->key, "latency_ns", 10) == 0)
        return PARIO_ASKS_TIME;
    return strcmp(axis, "partition") == 0 ? PARIO_ASKS_PROCESSES
                                          : PARIO_ASKS_SIZE;
}

static int begin_axis(const struct group *group, const char *axis,
                      const struct pario_view_name *value,
                      struct pario_figure **figure_p)
{
    const struct pario_row *first = group->rows[0];
    const char *access = pario_text_of(first->identity, "access", NULL);
    int texts = json_is_string(json_object_get(first->identity, axis));
    char title[3 * NAME_LEN], id[96], x_name[NAME_LEN], x[NAME_LEN],
        y[NAME_LEN], how[NAME_LEN];
    int code;

    pario_series_plain(first, axis, x_name);
    label_with_unit(x, x_name, pario_quantity_unit(axis));
    label_with_unit(y, value->name, unit_of(value->key).text);
    snprintf(title, sizeof(title), "%s: %s%s over %s", first->group,
             pario_access_words(varies(group, "access") ? NULL : access, how),
             value->name, x_name);
    make_id(id, sizeof(id), title);
    code = pario_figure_create(texts ? PARIO_FIGURE_BARS : PARIO_FIGURE_LINES,
                               id, title, x, y, figure_p);
    if (code == 0)
        (*figure_p)->question = question_of(axis, value);
    return code;
}

/* One figure of a group over one axis. */
static int draw_axis(const struct group *group, const char *axis,
                     const struct pario_view_name *value, int *drawn_p,
                     struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    int code = begin_axis(group, axis, value, &figure), cut = 0;

    for (size_t i = 0; code == 0 && i < group->count; i++)
        code = add_row(figure, group, group->rows[i], axis, value, &cut);
    if (code == 0)
        code = pario_figure_merge(figure);
    if (code == 0 && !pario_figure_is_curve(figure)) {
        pario_figure_destroy(figure);
        return 0;
    }
    if (code == 0)
        choose_scale(figure);
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
                   const struct pario_row *row,
                   const struct pario_view_name *value, int *cut_p)
{
    const json_t *beside = json_object_get(row->view, "beside"), *word;
    char category[NAME_LEN], name[NAME_LEN] = "";
    struct group plain = *group;
    const char *side = "";
    size_t i;

    json_array_foreach(beside, i, word)
    {
        const char *member = json_string_value(word);

        if (member != NULL && side[0] == '\0' && varies(group, member) &&
            json_is_string(json_object_get(row->identity, member))) {
            side = member;
            pario_series_member(name, "", row, member);
        }
    }
    if (group->labels || name[0] == '\0')
        pario_series_word(name, " ", row->label);
    plain.labels = 0;
    series_name(&plain, row, side, category);
    if (figure->ncategories >= MAX_BARS &&
        !pario_figure_has_category(figure, category)) {
        *cut_p = 1;
        return 0;
    }
    return pario_figure_bar(figure, category, name, point_of(row, value));
}

static int has_value(const struct group *group,
                     const struct pario_view_name *value)
{
    for (size_t i = 0; i < group->count; i++)
        if (isfinite(value_of(group->rows[i], value)))
            return 1;
    return 0;
}

/* The i-th value that is drawn of a group; 0: there are no more. The rate of
 * operations is of use where the document asks for it or no data is moved. */
static int value_at(const struct group *group, size_t i,
                    struct pario_view_name *value_p)
{
    const json_t *own = json_object_get(group->view, "values");
    const json_t *entry = json_array_get(own, i);

    if (!json_is_array(own)) {
        if (i >= NUSUAL)
            return 0;
        *value_p = usual_values[i];
        if (i == 1 && has_value(group, &usual_values[0]))
            value_p->only = "";
        return 1;
    }
    *value_p = (struct pario_view_name){
        .key = pario_text_of(entry, "key", ""),
        .name = pario_text_of(entry, "name", ""),
        .only = pario_text_of(entry, "only", NULL),
    };
    return i < json_array_size(own) && i < MAX_VALUES;
}

/* Where no parameter varies that could be an axis: a bar each. */
static int draw_bars(const struct group *group,
                     struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    struct pario_view_name value;
    char title[2 * NAME_LEN], id[96], y[NAME_LEN];
    int code, cut = 0;
    size_t i = 0;

    while (value_at(group, i, &value) && !has_value(group, &value))
        i++;
    if (!value_at(group, i, &value))
        return 0;
    snprintf(title, sizeof(title), "%s: %s", group->rows[0]->group, value.name);
    make_id(id, sizeof(id), title);
    label_with_unit(y, value.name, unit_of(value.key).text);
    code = pario_figure_create(PARIO_FIGURE_BARS, id, title, "measure", y,
                               &figure);
    if (code == 0)
        figure->question = PARIO_ASKS_SIZE;
    for (i = 0; code == 0 && i < group->count; i++)
        if (isfinite(value_of(group->rows[i], &value)))
            code = add_bar(figure, group, group->rows[i], &value, &cut);
    if (code == 0)
        code = pario_figure_merge(figure);
    if (code == 0 && cut)
        code = pario_figure_note(figure,
                                 "Only the first %d measures are drawn; all "
                                 "are in the table of the run.",
                                 MAX_BARS);
    return pario_figure_list_take(figures, figure, code);
}

/* The x axes of a group, new: those that the document names, else all numbers
 * among the parameters; the number of processes always. NULL: no memory. */
static json_t *axes_of(const struct group *group)
{
    const struct pario_row *first = group->rows[0];
    const json_t *own = json_object_get(first->view, "axes"), *entry;
    json_t *axes = json_array(), *value;
    const char *name;
    size_t i;
    int processes = 0;

    json_array_foreach(own, i, entry)
    {
        name = pario_text_of(entry, "key", "");
        processes |= strcmp(name, "partition") == 0;
        if (varies(group, name) && json_array_size(axes) < MAX_TRIED)
            (void)json_array_append_new(axes, json_string(name));
    }
    if (!json_is_array(own))
        json_object_foreach(first->identity, name, value)
        {
            if (varies(group, name) && json_is_number(value) &&
                json_array_size(axes) < MAX_TRIED &&
                strcmp(name, "partition") != 0 &&
                !pario_view_lists(first->view, "details", name))
                (void)json_array_append_new(axes, json_string(name));
        }
    if (!processes && varies(group, "partition"))
        (void)json_array_append_new(axes, json_string("partition"));
    return axes;
}

/* One value over all axes of a group. */
static int draw_value(const struct group *group, const json_t *axes,
                      const struct pario_view_name *value, int *drawn_p,
                      struct pario_figure_list *figures)
{
    const json_t *axis;
    int code = 0, drawn = 0;
    size_t i;

    json_array_foreach(axes, i, axis)
    {
        const char *name = json_string_value(axis);

        if (code == 0 && drawn < MAX_AXES &&
            (value->only == NULL || strcmp(value->only, name) == 0))
            code = draw_axis(group, name, value, &drawn, figures);
    }
    *drawn_p += drawn;
    return code;
}

static const char *access_of(const struct pario_row *row)
{
    const char *access = pario_text_of(row->identity, "access", NULL);

    return access != NULL ? access : "";
}

/* The bytes of each interval as a rate; the last point ends the last step. */
static int add_course(struct pario_curve *series, const json_t *over_time,
                      unsigned flags)
{
    double interval_s =
        json_number_value(json_object_get(over_time, "interval_s"));
    const json_t *bytes = json_object_get(over_time, "bytes");
    size_t n = json_array_size(bytes);
    struct pario_point point = {.low = NAN, .high = NAN, .flags = flags};
    int code = 0;

    for (size_t i = 0; code == 0 && i <= n; i++) {
        point.x = (double)i * interval_s;
        if (i < n)
            point.y =
                json_number_value(json_array_get(bytes, i)) / interval_s / 1e6;
        code = pario_curve_add(series, point);
    }
    return code;
}

/* Bandwidth over the wall time of the measures that have it; of repetitions the
 * first. */
static int draw_course(const struct group *group,
                       struct pario_figure_list *figures)
{
    char title[3 * NAME_LEN], id[96], name[NAME_LEN];
    const struct pario_row *first = group->rows[0];
    struct pario_figure *figure = NULL;
    int code;

    if (first == NULL)
        return 0;
    snprintf(title, sizeof(title), "%s: %sbandwidth over time", first->group,
             pario_access_words(access_of(first), name));
    make_id(id, sizeof(id), title);
    code = pario_figure_create(PARIO_FIGURE_STEPS, id, title, "time, s",
                               "bandwidth, MB/s", &figure);
    if (code != 0)
        return code;
    figure->question = PARIO_ASKS_COURSE;
    for (size_t i = 0; code == 0 && i < group->count; i++) {
        const struct pario_row *row = group->rows[i];
        const json_t *over_time = json_object_get(row->measure, "over_time");
        struct pario_curve *series;

        if (!(json_number_value(json_object_get(over_time, "interval_s")) >
              0) ||
            figure->nseries >= MAX_SERIES)
            continue;
        series_name(group, row, "", name);
        series = pario_figure_curve(figure, name);
        if (series == NULL || series->count == 0)
            code = series != NULL ? add_course(series, over_time, row->flags)
                                  : -ENOMEM;
    }
    return pario_figure_list_take(figures, figure, code);
}

/* All values of a group over all axes; *drawn_p counts them. */
static int draw_group(const struct group *group, int *drawn_p,
                      struct pario_figure_list *figures)
{
    json_t *axes = group->rows[0] != NULL ? axes_of(group) : NULL;
    struct pario_view_name value;
    int code = axes != NULL ? 0 : pario_fail_errno(-ENOMEM, "report");

    for (size_t i = 0; code == 0 && value_at(group, i, &value); i++)
        if (has_value(group, &value))
            code = draw_value(group, axes, &value, drawn_p, figures);
    if (code == 0)
        code = draw_course(group, figures);
    json_decref(axes);
    return code;
}

enum state { NEW, CURVES, BARS };

/* The rows from `first` on of its group, and of its access or NULL for any,
 * that are in this state. */
static int take_group(const struct rows *rows, size_t first, const char *access,
                      const char *states, struct group *group)
{
    const struct pario_row *like = &rows->items[first];

    group->count = 0;
    group->view = like->view;
    group->taken++;
    for (size_t i = first; i < rows->count; i++) {
        const struct pario_row *row = &rows->items[i];

        if (states[i] == states[first] &&
            strcmp(row->group, like->group) == 0 &&
            (access == NULL || strcmp(access_of(row), access) == 0))
            group->rows[group->count++] = row;
    }
    return note_varying(group);
}

static void leave_group(const struct rows *rows, struct group *group,
                        char *states, enum state state)
{
    json_decref(group->varying);
    group->varying = NULL;
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

/* By question, each in the order in which they were made; the one that carries
 * the result of the first run comes first. */
static void order_figures(const struct pario_run_shown *runs, size_t count,
                          struct pario_figure_list *figures)
{
    const json_t *view =
        count > 0 ? json_object_get(runs[0].document, "view") : NULL;
    const char *lead = pario_text_of(view, "lead", "answer");
    enum pario_question asks =
        strcmp(lead, "measures") == 0 ? PARIO_ASKS_SIZE : PARIO_ASKS_ANSWER;
    size_t first = figures->count;

    for (size_t i = 0; i < figures->count; i++) {
        struct pario_figure *figure = figures->items[i];
        size_t k = i;

        for (; k > 0 && figures->items[k - 1]->question > figure->question; k--)
            figures->items[k] = figures->items[k - 1];
        figures->items[k] = figure;
    }
    for (size_t i = figures->count; i-- > 0;)
        if (figures->items[i]->question == asks)
            first = i;
    for (size_t i = first; first < figures->count && i > 0; i--) {
        struct pario_figure *figure = figures->items[i];

        figures->items[i] = figures->items[i - 1];
        figures->items[i - 1] = figure;
    }
}

int pario_measures_figures(const struct pario_run_shown *runs, size_t count,
                           struct pario_figure_list *figures)
{
    struct rows rows = {.count = 0};
    struct group group = {.count = 0};
    char *states = NULL;
    int code = pario_headline_figures(runs, count, figures);

    if (code == 0)
        code = collect(runs, count, &rows);
    if (code == 0) {
        states = calloc(rows.count + 1, 1);
        group.rows = calloc(rows.count + 1, sizeof(const struct pario_row *));
        code = states != NULL && group.rows != NULL
                   ? draw_all(&rows, &group, states, figures)
                   : pario_fail_errno(-ENOMEM, "report");
    }
    free(states);
    free(group.rows);
    free_rows(&rows);
    if (code == 0)
        order_figures(runs, count, figures);
    return code;
}
