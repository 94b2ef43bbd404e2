/* report/table_values.c - values of a document as short text. */
#include "core/units.h"
#include "report/table_parts.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

char *pario_number_print(double value, char buf[PARIO_FIGURE_LEN])
{
    double size = fabs(value);

    if (size >= 1e15 || (size < 0.001 && size > 0))
        snprintf(buf, PARIO_FIGURE_LEN, "%.3e", value);
    else
        snprintf(buf, PARIO_FIGURE_LEN, "%.*f",
                 size >= 999.95   ? 0
                 : size >= 99.995 ? 1
                 : size >= 9.9995 ? 2
                 : size >= 0.1    ? 3
                 : size > 0       ? 2 - (int)floor(log10(size))
                                  : 3,
                 value);
    return buf;
}

static int ends_in(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);

    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

char *pario_size_round(double bytes, char buf[PARIO_UNITS_LEN])
{
    return pario_size_print_short(bytes < 9e18 ? (int64_t)bytes : INT64_MAX,
                                  buf);
}

/* One value, without the name that may carry its unit. */
static void print_value(FILE *out, const json_t *value)
{
    char figure[PARIO_FIGURE_LEN], *dump;
    void (*json_free)(void *);

    switch (json_typeof(value)) {
    case JSON_STRING:
        fputs(json_string_value(value), out);
        return;
    case JSON_INTEGER:
        fprintf(out, "%lld", (long long)json_integer_value(value));
        return;
    case JSON_REAL:
        fputs(pario_number_print(json_real_value(value), figure), out);
        return;
    case JSON_NULL:
        fputs("n/a", out);
        return;
    default:
        break;
    }
    json_get_alloc_funcs(NULL, &json_free);
    dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    fputs(dump != NULL ? dump : "?", out);
    json_free(dump);
}

/* "16 KiB", "16 kB", "16001 B": all of it, in the unit that is shortest. */
static char *exact_size(json_int_t bytes, char buf[PARIO_UNITS_LEN])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    json_int_t number = bytes;
    size_t unit = 0;

    if (bytes % 1024 == 0 || bytes % 1000 != 0)
        return pario_size_print(bytes, buf);
    while (unit < 4 && number % 1000 == 0) {
        number /= 1000;
        unit++;
    }
    snprintf(buf, PARIO_UNITS_LEN, "%lld %s", (long long)number, units[unit]);
    return buf;
}

static void print_member(FILE *out, const char *name, const json_t *value)
{
    char size[PARIO_UNITS_LEN];

    if (ends_in(name, "_bytes") && json_is_integer(value))
        fprintf(out, "%.*s=%s", (int)(strlen(name) - strlen("_bytes")), name,
                exact_size(json_integer_value(value), size));
    else {
        fprintf(out, "%s=", name);
        print_value(out, value);
    }
}

/* jansson iterates over objects that are not const only. */
static json_t *without_const(const json_t *value)
{
    return (json_t *)(uintptr_t)value;
}

char *pario_value_short(const json_t *value)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    const char *name, *gap = "";
    const json_t *member;
    int bad;

    if (out == NULL)
        return NULL;
    if (json_is_object(value)) {
        json_object_foreach(without_const(value), name, member)
        {
            fputs(gap, out);
            print_member(out, name, member);
            gap = " ";
        }
    } else if (value != NULL) {
        print_value(out, value);
    }
    bad = ferror(out);
    if (fclose(out) == 0 && !bad)
        return text;
    free(text);
    return NULL;
}
