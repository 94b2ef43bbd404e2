/* report/quantity.c - a figure of a document as a person would write it. */
#include "report/quantity.h"

#include "core/units.h"

#include <math.h>
#include <stdio.h>
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

static void print_ratio(double value, char *buf)
{
    snprintf(buf, PARIO_QUANTITY_LEN, "%.*f x",
             fabs(value) < 9.995   ? 2
             : fabs(value) < 99.95 ? 1
                                   : 0,
             value);
}

/* The longest ending stands first. */
static const struct {
    const char *ending;
    void (*print)(double value, char *buf);
} quantities[] = {
    {"_bytes_per_s", print_bytes_per_s},
    {"_mbps", print_mbps},
    {"_iops", print_iops},
    {"_per_s", print_per_s},
    {"_ns", print_ns},
    {"_s", print_s},
    {"_bytes", print_bytes},
    {"_share", print_share},
    {"_ratio", print_ratio},
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
    else
        snprintf(buf, PARIO_QUANTITY_LEN, "%.3g", json_number_value(value));
    return buf;
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
