/* report/figure.c - building figures, and their numbers as a table. */
#include "report/figure.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "figure");
}

int pario_figure_create(enum pario_figure_kind kind, const char *id,
                        const char *title, const char *x_label,
                        const char *y_label, struct pario_figure **figure_p)
{
    struct pario_figure *figure = calloc(1, sizeof(*figure));

    if (figure == NULL)
        return no_memory();
    figure->kind = kind;
    figure->id = strdup(id);
    figure->title = strdup(title);
    figure->x_label = strdup(x_label);
    figure->y_label = strdup(y_label);
    figure->series_index = json_object();
    figure->category_index = json_object();
    if (figure->series_index == NULL || figure->category_index == NULL ||
        figure->id == NULL || figure->title == NULL ||
        figure->x_label == NULL || figure->y_label == NULL) {
        pario_figure_destroy(figure);
        return no_memory();
    }
    *figure_p = figure;
    return 0;
}

void pario_figure_destroy(struct pario_figure *figure)
{
    if (figure == NULL)
        return;
    for (size_t i = 0; i < figure->nseries; i++) {
        free(figure->series[i].name);
        free(figure->series[i].points);
    }
    for (size_t i = 0; i < figure->ncategories; i++)
        free(figure->categories[i]);
    json_decref(figure->series_index);
    json_decref(figure->category_index);
    free(figure->series);
    free(figure->categories);
    free(figure->id);
    free(figure->title);
    free(figure->x_label);
    free(figure->y_label);
    free(figure->note);
    free(figure);
}

int pario_figure_note(struct pario_figure *figure, const char *fmt, ...)
{
    char *sentence, *all;
    va_list args;
    int n;

    va_start(args, fmt);
    n = vasprintf(&sentence, fmt, args);
    va_end(args);
    if (n < 0)
        return no_memory();
    if (figure->note == NULL) {
        figure->note = sentence;
        return 0;
    }
    n = asprintf(&all, "%s %s", figure->note, sentence);
    free(sentence);
    if (n < 0)
        return no_memory();
    free(figure->note);
    figure->note = all;
    return 0;
}

/* Doubled at powers of two. */
static int grow(void **array, size_t count, size_t element)
{
    void *more;

    if (count != 0 && (count & (count - 1)) != 0)
        return 0;
    more = realloc(*array, (count == 0 ? 1 : count * 2) * element);
    if (more == NULL)
        return no_memory();
    *array = more;
    return 0;
}

/* The number of a name, -1: it has none; any bytes may be a name. */
static int find_name(const json_t *index, const char *name)
{
    const json_t *number = json_object_get(index, name);

    return number != NULL ? (int)json_integer_value(number) : -1;
}

/* A copy of a new name, with its number in the index; NULL: no memory. */
static char *add_name(json_t *index, const char *name, size_t number)
{
    char *copy = strdup(name);

    if (copy != NULL && json_object_set_new_nocheck(
                            index, name, json_integer((json_int_t)number)) == 0)
        return copy;
    free(copy);
    (void)no_memory();
    return NULL;
}

struct pario_curve *pario_figure_curve(struct pario_figure *figure,
                                       const char *name)
{
    int number = find_name(figure->series_index, name);
    char *copy;

    if (number >= 0)
        return &figure->series[number];
    if (grow((void **)&figure->series, figure->nseries,
             sizeof(*figure->series)) != 0)
        return NULL;
    copy = add_name(figure->series_index, name, figure->nseries);
    if (copy == NULL)
        return NULL;
    figure->series[figure->nseries] = (struct pario_curve){.name = copy};
    return &figure->series[figure->nseries++];
}

int pario_curve_add(struct pario_curve *series, struct pario_point point)
{
    int code =
        grow((void **)&series->points, series->count, sizeof(*series->points));

    if (code == 0)
        series->points[series->count++] = point;
    return code;
}

int pario_figure_has_category(const struct pario_figure *figure,
                              const char *name)
{
    return find_name(figure->category_index, name) >= 0;
}

int pario_figure_category(struct pario_figure *figure, const char *name)
{
    int number = find_name(figure->category_index, name);
    char *copy;

    if (number >= 0)
        return number;
    if (grow((void **)&figure->categories, figure->ncategories,
             sizeof(*figure->categories)) != 0)
        return -ENOMEM;
    copy = add_name(figure->category_index, name, figure->ncategories);
    if (copy == NULL)
        return -ENOMEM;
    figure->categories[figure->ncategories] = copy;
    return (int)figure->ncategories++;
}

static int by_x(const void *a, const void *b)
{
    const struct pario_point *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

void pario_figure_sort(struct pario_figure *figure)
{
    for (size_t i = 0; i < figure->nseries; i++)
        if (figure->series[i].count > 1)
            qsort(figure->series[i].points, figure->series[i].count,
                  sizeof(struct pario_point), by_x);
}

static size_t count_flag(const struct pario_figure *figure, unsigned flag)
{
    size_t count = 0;

    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 0; k < figure->series[i].count; k++)
            count += flag == 0 || (figure->series[i].points[k].flags & flag);
    return count;
}

int pario_figure_note_flags(struct pario_figure *figure)
{
    size_t all = count_flag(figure, 0), used = 0;
    char text[320] = "";

    for (unsigned flag = 1; flag <= PARIO_FLAG_LAST; flag *= 2) {
        size_t n = count_flag(figure, flag);

        if (n == 0)
            continue;
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%s%s (%s%zu",
                             used > 0 ? ", " : "", pario_flag_plain(flag),
                             n == all ? "all " : "", n);
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 n == all ? ")" : " of %zu)", all);
    }
    return used == 0 ? 0
                     : pario_figure_note(
                           figure, "Marked with a ring or hatching: %s.", text);
}

const char *pario_next_line(const char *text, size_t width,
                            char line[PARIO_LINE_LEN])
{
    size_t len, end;

    text += strspn(text, " \n");
    len = strlen(text);
    if (len == 0)
        return NULL;
    width = width < PARIO_LINE_LEN - 1 ? width : PARIO_LINE_LEN - 1;
    end = len;
    if (len > width) {
        for (end = width; end > 0 && text[end] != ' '; end--)
            ;
        if (end == 0) /* one long word; not inside a character */
            for (end = width;
                 end > 1 && ((unsigned char)text[end] & 0xc0) == 0x80; end--)
                ;
    }
    memcpy(line, text, end);
    line[end] = '\0';
    return text + end;
}

static void widen(double *low, double *high, double value, int positive)
{
    if (!isfinite(value) || (positive && value <= 0))
        return;
    if (value < *low)
        *low = value;
    if (value > *high)
        *high = value;
}

int pario_figure_extent(const struct pario_figure *figure,
                        struct pario_extent *extent_p)
{
    struct pario_extent e = {.x_low = INFINITY,
                             .x_high = -INFINITY,
                             .y_low = INFINITY,
                             .y_high = -INFINITY};

    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 0; k < figure->series[i].count; k++) {
            const struct pario_point *p = &figure->series[i].points[k];

            widen(&e.x_low, &e.x_high, p->x, figure->x_log);
            widen(&e.y_low, &e.y_high, p->y, figure->y_log);
            widen(&e.y_low, &e.y_high, p->low, figure->y_log);
            widen(&e.y_low, &e.y_high, p->high, figure->y_log);
        }
    if (!(e.x_low <= e.x_high && e.y_low <= e.y_high))
        return 0;
    if (!figure->y_log && e.y_low > 0)
        e.y_low = 0;
    if (e.y_low == e.y_high)
        e.y_high = e.y_high != 0 ? e.y_high * 1.1 : 1;
    if (e.y_low > e.y_high) {
        double swap = e.y_low;

        e.y_low = e.y_high;
        e.y_high = swap;
    }
    if (figure->kind == PARIO_FIGURE_BARS) {
        e.x_low = -0.5;
        e.x_high = (double)figure->ncategories - 0.5;
    } else if (e.x_low == e.x_high) {
        e.x_low = figure->x_log ? e.x_low / 2 : e.x_low - 1;
        e.x_high = figure->x_log ? e.x_high * 2 : e.x_high + 1;
    }
    *extent_p = e;
    return 1;
}

int pario_figure_list_add(struct pario_figure_list *figures,
                          struct pario_figure *figure)
{
    if (figure == NULL)
        return 0;
    if (grow((void **)&figures->items, figures->count,
             sizeof(struct pario_figure *)) != 0) {
        pario_figure_destroy(figure);
        return -ENOMEM;
    }
    figures->items[figures->count++] = figure;
    return 0;
}

int pario_figure_list_take(struct pario_figure_list *figures,
                           struct pario_figure *figure, int code)
{
    if (code == 0)
        code = pario_figure_note_flags(figure);
    if (code == 0 && figure->nseries > 0)
        return pario_figure_list_add(figures, figure);
    pario_figure_destroy(figure);
    return code;
}

void pario_figure_list_fini(struct pario_figure_list *figures)
{
    for (size_t i = 0; i < figures->count; i++)
        pario_figure_destroy(figures->items[i]);
    free(figures->items);
    *figures = (struct pario_figure_list){.count = 0};
}

static void put_number(struct pario_table *table, double value)
{
    if (isfinite(value))
        (void)pario_table_cell(table, "%.12g", value);
    else
        (void)pario_table_cell(table, "%s", "");
}

int pario_figure_table(const struct pario_figure *figure, FILE *out,
                       enum pario_format format)
{
    const char *headers[] = {"series", figure->x_label, figure->y_label,
                             "low",    "high",          "flags"};
    struct pario_table *table;
    char flags[PARIO_FLAGS_LEN];
    int code = pario_table_create(6, headers, &table);

    if (code != 0)
        return code;
    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 0; k < figure->series[i].count; k++) {
            const struct pario_point *p = &figure->series[i].points[k];

            (void)pario_table_cell(table, "%s", figure->series[i].name);
            if (figure->kind == PARIO_FIGURE_BARS)
                (void)pario_table_cell(table, "%s",
                                       figure->categories[(size_t)p->x]);
            else
                put_number(table, p->x);
            put_number(table, p->y);
            put_number(table, p->low);
            put_number(table, p->high);
            (void)pario_table_cell(table, "%s",
                                   pario_flags_print(p->flags, flags));
        }
    code = pario_table_render(table, out, format);
    pario_table_destroy(table);
    return code;
}

const char *pario_figure_colour(size_t i)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                          "#cc79a7", "#e69f00", "#56b4e9",
                                          "#8a8f98"};

    return colours[i % (sizeof(colours) / sizeof(colours[0]))];
}

const char *const pario_heat_colours[PARIO_HEAT_COLOURS] = {
    "#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"};

char *pario_heat_colour(double share, char colour[PARIO_COLOUR_LEN])
{
    double at = fmax(0, fmin(1, share)) * (PARIO_HEAT_COLOURS - 1);
    int i = (int)at < PARIO_HEAT_COLOURS - 1 ? (int)at : PARIO_HEAT_COLOURS - 2;
    unsigned long low = strtoul(pario_heat_colours[i] + 1, NULL, 16);
    unsigned long high = strtoul(pario_heat_colours[i + 1] + 1, NULL, 16);
    unsigned long mixed = 0;

    for (int shift = 0; shift <= 16; shift += 8) {
        double a = (double)(low >> shift & 255);
        double b = (double)(high >> shift & 255);

        mixed |= (unsigned long)(a + (at - i) * (b - a) + 0.5) << shift;
    }
    snprintf(colour, PARIO_COLOUR_LEN, "#%06lx", mixed & 0xffffff);
    return colour;
}
