/* core/units.c - sizes, times and rates as people write them. */
#include "core/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct size_unit {
    const char *name;
    int64_t bytes;
};

#define KIB ((int64_t)1 << 10)
#define MIB ((int64_t)1 << 20)
#define GIB ((int64_t)1 << 30)
#define TIB ((int64_t)1 << 40)

/* Upper and lower case mean the same: nobody measures in bits here. */
static const struct size_unit size_units[] = {
    {"", 1},         {"B", 1},           {"k", KIB},
    {"Ki", KIB},     {"KiB", KIB},       {"M", MIB},
    {"Mi", MIB},     {"MiB", MIB},       {"G", GIB},
    {"Gi", GIB},     {"GiB", GIB},       {"T", TIB},
    {"Ti", TIB},     {"TiB", TIB},       {"kB", 1000},
    {"MB", 1000000}, {"GB", 1000000000}, {"TB", 1000000000000},
    {NULL, 0},
};

struct time_unit {
    const char *name;
    double factor, divisor; /* division keeps 1 ms the nearest double */
};

static const struct time_unit time_units[] = {
    {"", 1, 1},     {"s", 1, 1},     {"ms", 1, 1e3}, {"us", 1, 1e6},
    {"µs", 1, 1e6}, {"ns", 1, 1e9},  {"min", 60, 1}, {"m", 60, 1},
    {"h", 3600, 1}, {"d", 86400, 1}, {NULL, 0, 0},
};

/* The length of the digits, with one point among them, at the start of text;
 * 0 if there is no digit. */
static size_t number_length(const char *text, size_t *point_p)
{
    size_t digits = strspn(text, "0123456789");
    size_t fraction = 0;

    *point_p = digits;
    if (text[digits] != '.')
        return digits;
    fraction = strspn(text + digits + 1, "0123456789");
    return digits + fraction == 0 ? 0 : digits + 1 + fraction;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static int bad_size(const char *text, const char *why)
{
    return pario_fail(PARIO_EUSAGE,
                      "\"%.64s\" is no size: %s (write bytes, or a number "
                      "with k, M, G, T or KiB ... for powers of 1024, kB, MB, "
                      "GB, TB for powers of 1000)",
                      text, why);
}

/* Digits after the point, from the last to the first: when the whole is a
 * whole number of bytes, then so is each step. -1 if it is not. */
static int64_t fraction_bytes(const char *digits, size_t count, int64_t unit)
{
    int64_t bytes = 0;

    while (count-- > 0) {
        bytes += (digits[count] - '0') * unit;
        if (bytes % 10 != 0)
            return -1;
        bytes /= 10;
    }
    return bytes;
}

int pario_size_parse(const char *text, int64_t *bytes_p)
{
    const struct size_unit *unit = size_units;
    int64_t bytes = 0, fraction = 0;
    size_t point;
    size_t len = number_length(text, &point);
    const char *name = skip_blanks(text + len);

    if (len == 0)
        return bad_size(text,
                        text[0] == '-' ? "it is negative" : "it has no number");
    while (unit->name != NULL && strcasecmp(unit->name, name) != 0)
        unit++;
    if (unit->name == NULL)
        return bad_size(text, "unknown unit");
    for (size_t i = 0; i < point; i++) {
        if (__builtin_mul_overflow(bytes, 10, &bytes) ||
            __builtin_add_overflow(bytes, text[i] - '0', &bytes))
            return bad_size(text, "too large");
    }
    if (point < len)
        fraction =
            fraction_bytes(text + point + 1, len - point - 1, unit->bytes);
    if (fraction < 0)
        return bad_size(text, "not a whole number of bytes");
    if (__builtin_mul_overflow(bytes, unit->bytes, &bytes) ||
        __builtin_add_overflow(bytes, fraction, &bytes))
        return bad_size(text, "too large");
    *bytes_p = bytes;
    return 0;
}

static int bad_time(const char *text, const char *why)
{
    return pario_fail(PARIO_EUSAGE,
                      "\"%.64s\" is no time: %s (write seconds, or a number "
                      "with ns, us, ms, s, min, h or d)",
                      text, why);
}

int pario_time_parse(const char *text, double *seconds_p)
{
    const struct time_unit *unit = time_units;
    size_t point;
    size_t len = number_length(text, &point);
    const char *name;
    char *end;
    double number, seconds;

    if (len == 0)
        return bad_time(text,
                        text[0] == '-' ? "it is negative" : "it has no number");
    if (strncasecmp(text, "0x", 2) == 0)
        return bad_time(text, "unknown unit");
    number = strtod(text, &end);
    name = skip_blanks(end);
    while (unit->name != NULL && strcmp(unit->name, name) != 0)
        unit++;
    if (unit->name == NULL)
        return bad_time(text, "unknown unit");
    seconds = number * unit->factor / unit->divisor;
    if (!isfinite(seconds))
        return bad_time(text, "too large");
    *seconds_p = seconds;
    return 0;
}

static const char *const binary_names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
#define LAST_BINARY 4

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

char *pario_size_print(int64_t bytes, char buf[PARIO_UNITS_LEN])
{
    uint64_t number = magnitude(bytes);
    unsigned unit = 0;

    while (unit < LAST_BINARY && number != 0 && number % 1024 == 0) {
        number /= 1024;
        unit++;
    }
    snprintf(buf, PARIO_UNITS_LEN, "%s%llu %s", bytes < 0 ? "-" : "",
             (unsigned long long)number, binary_names[unit]);
    return buf;
}

/* Three figures, as rounding leaves them: 9.996 is 10.0, not 10.00. */
static void print_figures(double number, const char *sign, const char *unit,
                          char buf[PARIO_UNITS_LEN])
{
    int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;

    snprintf(buf, PARIO_UNITS_LEN, "%s%.*f %s", sign, decimals, number, unit);
}

char *pario_size_print_short(int64_t bytes, char buf[PARIO_UNITS_LEN])
{
    uint64_t whole = magnitude(bytes);
    double number = (double)whole;
    unsigned unit = 0;

    while (unit < LAST_BINARY && number >= 1023.5) {
        number /= 1024;
        unit++;
    }
    if (whole % ((uint64_t)1 << (10 * unit)) == 0)
        return pario_size_print(bytes, buf);
    print_figures(number, bytes < 0 ? "-" : "", binary_names[unit], buf);
    return buf;
}

char *pario_time_print(double seconds, char buf[PARIO_UNITS_LEN])
{
    const char *sign = seconds < 0 ? "-" : "";
    double s = fabs(seconds);
    long long rounded;

    if (!isfinite(seconds) || s >= 1e15)
        snprintf(buf, PARIO_UNITS_LEN, "%g s", seconds);
    else if (s == 0)
        snprintf(buf, PARIO_UNITS_LEN, "0 s");
    else if (s < 999.5e-9)
        print_figures(s * 1e9, sign, "ns", buf);
    else if (s < 999.5e-6)
        print_figures(s * 1e6, sign, "µs", buf);
    else if (s < 999.5e-3)
        print_figures(s * 1e3, sign, "ms", buf);
    else if (s < 59.95)
        print_figures(s, sign, "s", buf);
    else if (rounded = llround(s), rounded < 3600)
        snprintf(buf, PARIO_UNITS_LEN, "%s%lld min %02lld s", sign,
                 rounded / 60, rounded % 60);
    else
        snprintf(buf, PARIO_UNITS_LEN, "%s%lld h %02lld min", sign,
                 llround(s / 60) / 60, llround(s / 60) % 60);
    return buf;
}

char *pario_rate_print(double mbps, char buf[PARIO_UNITS_LEN])
{
    const char *sign = mbps < 0 ? "-" : "";
    double rate = fabs(mbps);

    if (!isfinite(mbps) || rate >= 1e15)
        snprintf(buf, PARIO_UNITS_LEN, "%g MB/s", mbps);
    else if (rate >= 999.5)
        print_figures(rate / 1e3, sign, "GB/s", buf);
    else if (rate > 0 && rate < 0.1)
        snprintf(buf, PARIO_UNITS_LEN, "%s%.3g MB/s", sign, rate);
    else
        print_figures(rate, sign, "MB/s", buf);
    return buf;
}

char *pario_count_print(double count, char buf[PARIO_UNITS_LEN])
{
    const char *sign = count < 0 ? "-" : "";
    double n = fabs(count);

    if (!isfinite(count) || n >= 1e15)
        snprintf(buf, PARIO_UNITS_LEN, "%g", count);
    else if (n >= 999.5e6)
        print_figures(n / 1e9, sign, "G", buf);
    else if (n >= 999.5e3)
        print_figures(n / 1e6, sign, "M", buf);
    else if (n >= 999.5)
        print_figures(n / 1e3, sign, "k", buf);
    else
        snprintf(buf, PARIO_UNITS_LEN, "%.*f",
                 n >= 99.95 || n == floor(n) ? 0 : 1, count);
    return buf;
}

double pario_mbps(int64_t bytes, double seconds)
{
    return seconds > 0 ? (double)bytes / seconds * 1e-6 : 0.0;
}
