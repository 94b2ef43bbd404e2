/* report/format.c - formats by name and by ending. */
#include "report/format.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *endings[2];
} formats[] = {
    [PARIO_FORMAT_TEXT] = {"text", {".txt"}},
    [PARIO_FORMAT_CSV] = {"csv", {".csv"}},
    [PARIO_FORMAT_MD] = {"md", {".md"}},
    [PARIO_FORMAT_HTML] = {"html", {".html", ".htm"}},
    [PARIO_FORMAT_JSON] = {"json", {".json"}},
    [PARIO_FORMAT_JUNIT] = {"junit", {".xml"}},
    [PARIO_FORMAT_PROMETHEUS] = {"prometheus", {".prom"}},
};

#define NFORMATS (sizeof(formats) / sizeof(formats[0]))

/* "text, csv, md", or with endings ".txt, .csv, .md". Returns list. */
static char *list_of(unsigned set, int endings, char list[128])
{
    size_t used = 0;

    list[0] = '\0';
    for (size_t i = 0; i < NFORMATS; i++)
        if (set & PARIO_FORMAT_BIT(i))
            used += (size_t)snprintf(
                list + used, 128 - used, "%s%s", used > 0 ? ", " : "",
                endings ? formats[i].endings[0] : formats[i].name);
    return list;
}

static int has_ending(const char *ending, const char *path)
{
    size_t len = strlen(path), end = ending != NULL ? strlen(ending) : 0;

    return end > 0 && len > end && strcmp(path + len - end, ending) == 0;
}

static int by_ending(const char *output, unsigned set,
                     enum pario_format *format_p)
{
    const char *slash = strrchr(output, '/');
    const char *dot = strrchr(slash != NULL ? slash : output, '.');
    char list[128];

    for (size_t i = 0; i < NFORMATS; i++)
        if ((set & PARIO_FORMAT_BIT(i)) &&
            (has_ending(formats[i].endings[0], output) ||
             has_ending(formats[i].endings[1], output))) {
            *format_p = (enum pario_format)i;
            return 0;
        }
    if (dot == NULL || strncmp(output, "/dev/", 5) == 0) {
        *format_p = PARIO_FORMAT_TEXT;
        return 0;
    }
    return pario_fail(PARIO_EUSAGE,
                      "%s: the ending %s stands for no format (%s; or say it "
                      "with --format)",
                      output, dot, list_of(set, 1, list));
}

int pario_format_choose(const char *name, const char *output, unsigned set,
                        enum pario_format *format_p)
{
    char list[128];

    if (name == NULL || strcmp(name, "auto") == 0) {
        if (output != NULL)
            return by_ending(output, set, format_p);
        *format_p = PARIO_FORMAT_TEXT;
        return 0;
    }
    for (size_t i = 0; i < NFORMATS; i++)
        if ((set & PARIO_FORMAT_BIT(i)) && strcmp(name, formats[i].name) == 0) {
            *format_p = (enum pario_format)i;
            return 0;
        }
    return pario_fail(PARIO_EUSAGE,
                      "--format: unknown value \"%.64s\" (one of %s, auto)",
                      name, list_of(set, 0, list));
}
