/* report/quantity.c - a figure of a document as a person would write it. */
#include "report/quantity.h"

#include "core/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_mbps(double value, char *buf)
{
    (void)pario_rate_print(value, buf);
}

static void print_bytes_per_s(double value, char *buf)
{
    (void)pario_rate_print(value * 1e-6, buf);
}

static void print_iops(double value, char *buf)
{
    char count[PARIO_UNITS_LEN];

    snprintf(buf, PARIO_QUANTITY_LEN, "%s IOPS",
             pario_count_print(value, count));
}

static void print_per_s(double value, char *buf)
{
    char count[PARIO_UNITS_LEN];

    (void)pario_count_print(value, count);
    snprintf(buf, PARIO_QUANTITY_LEN, "%s%s/s", count,
             strchr(count, ' ') != NULL ? "" : " ");
}

static void print_ns(double value, char *buf)
{
    (void)pario_time_print(value * 1e-9, buf);
}

static void print_s(double value, char *buf)
{
    (void)pario_time_print(value, buf);
}

static void print_bytes(double value, char *buf)
{
    if (fabs(value) < 9e18)
        (void)pario_size_print_short((int64_t)value, buf);
    else
        snprintf(buf, PARIO_QUANTITY_LEN, "%g B", value);
}

static void print_share(double value, char *buf)
{
    snprintf(buf, PARIO_QUANTITY_LEN, "%.*f %%", fabs(value) < 0.0995 ? 1 : 0,
             100 * value);
}

static void print_percent(double value, char *buf)
{
    snprintf(buf, PARIO_QUANTITY_LEN, "%.3g %%", value);
}

static void print_three(double value, const char *unit, char *buf)
{
    double size = fabs(value);

    if (size >= 1 && size < 1e15)
        snprintf(buf, PARIO_QUANTITY_LEN, "%.*f %s",
                 size < 9.995   ? 2
                 : size < 99.95 ? 1
                                : 0,
                 value, unit);
    else
        snprintf(buf, PARIO_QUANTITY_LEN, "%.3g %s", value, unit);
}

/* "2.11", "15.3", "0.0043", "<0.001": never a ratio of nothing. */
char *pario_quantity_ratio(double value, char buf[PARIO_QUANTITY_LEN])
{
    double size = fabs(value);

    if (value > 0 && size < 0.001)
        snprintf(buf, PARIO_QUANTITY_LEN, "<0.001");
    else if (size > 0 && size < 0.0995)
        snprintf(buf, PARIO_QUANTITY_LEN, "%.2g", value);
    else
        snprintf(buf, PARIO_QUANTITY_LEN, "%.*f",
                 size < 9.995   ? 2
                 : size < 99.95 ? 1
                                : 0,
                 value);
    return buf;
}

static void print_ratio(double value, char *buf)
{
    char number[PARIO_QUANTITY_LEN];

    snprintf(buf, PARIO_QUANTITY_LEN, "%.60s x",
             pario_quantity_ratio(value, number));
}

/* In the units of IO500's list. */
static void print_gibps(double value, char *buf)
{
    print_three(value, "GiB/s", buf);
}

static void print_kiops(double value, char *buf)
{
    print_three(value, "kIOPS", buf);
}

/* The longest ending stands first. */
static const struct {
    const char *ending, *unit;
    void (*print)(double value, char *buf);
} quantities[] = {
    {"_bytes_per_s", "B/s", print_bytes_per_s},
    {"_mbps", "MB/s", print_mbps},
    {"_gibps", "GiB/s", print_gibps},
    {"_kiops", "kIOPS", print_kiops},
    {"_iops", "IOPS", print_iops},
    {"_per_s", "per second", print_per_s},
    {"_ns", "ns", print_ns},
    {"_s", "s", print_s},
    {"_bytes", "bytes", print_bytes},
    {"_share", "share", print_share},
    {"_ratio", "ratio", print_ratio},
    {"_percent", "%", print_percent},
};

#define NQUANTITIES (sizeof(quantities) / sizeof(quantities[0]))

/* The index of its ending; NQUANTITIES: none. */
static size_t find(const char *name)
{
    size_t len = strlen(name), i;

    for (i = 0; i < NQUANTITIES; i++) {
        size_t ending = strlen(quantities[i].ending);

        if (len > ending &&
            strcmp(name + len - ending, quantities[i].ending) == 0)
            break;
    }
    return i;
}

char *pario_quantity_print(const char *name, const json_t *value,
                           char buf[PARIO_QUANTITY_LEN])
{
    size_t i = find(name);

    if (json_is_string(value))
        snprintf(buf, PARIO_QUANTITY_LEN, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(buf, PARIO_QUANTITY_LEN, "%s",
                 json_is_true(value) ? "yes" : "no");
    else if (!json_is_number(value))
        snprintf(buf, PARIO_QUANTITY_LEN, "not measured");
    else if (i < NQUANTITIES)
        quantities[i].print(json_number_value(value), buf);
    else if (fabs(json_number_value(value)) >= 999.5)
        (void)pario_count_print(json_number_value(value), buf);
    else
        snprintf(buf, PARIO_QUANTITY_LEN, "%.3g", json_number_value(value));
    return buf;
}

double pario_quantity_bound(const json_t *summary, const char *name,
                            const char *ending)
{
    const char *end = strrchr(name, '_');
    const json_t *value;
    char bound[256];

    if (end == NULL)
        return NAN;
    snprintf(bound, sizeof(bound), "%.*s%s", (int)(end - name), name, ending);
    value = json_object_get(summary, bound);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *pario_quantity_unit(const char *name)
{
    size_t i = find(name);

    return i < NQUANTITIES ? quantities[i].unit : "";
}

char *pario_quantity_name(const char *name, char *buf, size_t len)
{
    size_t i = find(name);
    size_t used =
        strlen(name) - (i < NQUANTITIES ? strlen(quantities[i].ending) : 0);

    snprintf(buf, len, "%.*s", (int)used, name);
    for (char *c = buf; *c != '\0'; c++)
        if (*c == '_')
            *c = ' ';
    return buf;
}

/* The cell of a line of the answer that shows this figure; NULL: none. */
static const json_t *find_cell(const json_t *line, const char *figure)
{
    const json_t *cell;
    size_t i;

    json_array_foreach(json_object_get(line, "figures"), i, cell)
    {
        const char *shown = json_string_value(json_object_get(cell, "figure"));

        if (shown != NULL && strcmp(shown, figure) == 0)
            return cell;
    }
    return NULL;
}

static int has_text(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/* A time beside a rate is the rate's: "write, p99". */
static const char *name_before(const json_t *line, const json_t *cell,
                               const char *figure)
{
    const json_t *first = json_array_get(json_object_get(line, "figures"), 0);
    size_t len = strlen(figure);

    if (first == cell || len < 3 || strcmp(figure + len - 3, "_ns") != 0)
        return NULL;
    return json_string_value(json_object_get(first, "name"));
}

/* "LABEL, NAME, NOTE" of those that are there. */
static char *join(const char *const parts[4])
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    const char *gap = "";

    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < 4; i++)
        if (has_text(parts[i])) {
            fprintf(out, "%s%s", gap, parts[i]);
            gap = ", ";
        }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

char *pario_headline_name(const json_t *document, const char *figure)
{
    const json_t *lines =
        json_object_get(json_object_get(document, "view"), "answer");
    const char *label = NULL; /* a line without one belongs to the one above */
    const json_t *line;
    char name[160];
    size_t i;

    json_array_foreach(lines, i, line)
    {
        const json_t *cell = find_cell(line, figure);
        const char *own = json_string_value(json_object_get(line, "label"));

        label = has_text(own) ? own : label;
        if (cell != NULL) {
            const char *const parts[4] = {
                label, name_before(line, cell, figure),
                json_string_value(json_object_get(cell, "name")),
                json_string_value(json_object_get(line, "note"))};

            return join(parts);
        }
    }
    return strdup(pario_quantity_name(figure, name, sizeof(name)));
}
