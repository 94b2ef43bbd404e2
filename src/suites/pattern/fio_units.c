/* suites/pattern/fio_units.c - sizes and times as fio writes them: with fio k,
 * kb and kB are 1024, and Ki is 1000 (its kb_base=1024). */
#include "suites/pattern/fio_units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int pattern_fio_size(const char *text, int64_t *bytes_p)
{
    static const char letters[] = "kmgtp";
    char *end = NULL;
    unsigned long long number = strtoull(text, &end, 10);
    const char *letter = *end != '\0' ? strchr(letters, tolower(*end)) : NULL;
    int64_t bytes = (int64_t)number, base = 1024;
    long power = letter != NULL ? letter - letters + 1 : 0;

    if (!isdigit((unsigned char)text[0]) || number > INT64_MAX)
        return PARIO_EUSAGE;
    end += letter != NULL;
    if (letter != NULL && tolower(*end) == 'i') {
        base = 1000;
        end++;
    }
    end += tolower(*end) == 'b';
    for (; power > 0 && bytes <= INT64_MAX / base; power--)
        bytes *= base;
    if (*end != '\0' || power > 0)
        return PARIO_EUSAGE;
    *bytes_p = bytes;
    return 0;
}

int pattern_fio_time(const char *text, double bare_s, double *seconds_p)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {
        {"us", 1e-6}, {"usec", 1e-6}, {"ms", 1e-3}, {"msec", 1e-3}, {"s", 1},
        {"sec", 1},   {"m", 60},      {"h", 3600},  {"d", 86400},
    };
    char *end = NULL;
    unsigned long long number = strtoull(text, &end, 10);

    if (!isdigit((unsigned char)text[0]))
        return PARIO_EUSAGE;
    if (*end == '\0') {
        *seconds_p = (double)number * bare_s;
        return 0;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcasecmp(units[i].name, end) != 0)
            continue;
        *seconds_p = (double)number * units[i].seconds;
        return 0;
    }
    return PARIO_EUSAGE;
}
