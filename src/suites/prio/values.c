/* suites/prio/values.c - the values of a workload file. */
#include "suites/prio/values.h"

#include "core/nearest.h"
#include "core/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORD_LEN 64
#define LARGEST_STEP 4096

/* The next word of a list; 1 if there is one, 0 at the end, or an error. */
static int next_word(const char **text, char word[WORD_LEN])
{
    size_t len;

    *text += strspn(*text, " \t,");
    len = strcspn(*text, " \t,");
    if (len == 0)
        return 0;
    if (len >= WORD_LEN)
        return pario_fail(PARIO_EUSAGE, "'%.*s...' is too long", 20, *text);
    memcpy(word, *text, len);
    word[len] = '\0';
    *text += len;
    return 1;
}

static int too_many(void)
{
    return pario_fail(PARIO_EUSAGE, "more than %d values", PRIO_MAX_VALUES);
}

static int empty(void)
{
    return pario_fail(PARIO_EUSAGE, "a value is missing");
}

/* "a-b" or "a"; the word is cut at the dash. */
static int parse_range(char *word, struct prio_size *size)
{
    char *dash = strchr(word, '-');
    int code;

    if (dash != NULL)
        *dash = '\0';
    code = pario_size_parse(word, &size->low);
    if (code != 0)
        return PARIO_EUSAGE;
    size->high = size->low;
    if (dash != NULL && pario_size_parse(dash + 1, &size->high) != 0)
        return PARIO_EUSAGE;
    if (size->low <= 0)
        return pario_fail(PARIO_EUSAGE, "a size of %lld bytes",
                          (long long)size->low);
    if (size->high < size->low)
        return pario_fail(PARIO_EUSAGE, "the range %s-%s runs backwards", word,
                          dash + 1);
    return 0;
}

static int add_sizes(struct prio_sizes *sizes, const struct prio_size *range,
                     int random)
{
    for (int64_t size = range->low; size <= range->high; size *= 2) {
        if (sizes->count == PRIO_MAX_VALUES)
            return too_many();
        sizes->item[sizes->count++] =
            random ? *range : (struct prio_size){size, size};
        if (random || size > INT64_MAX / 2)
            break;
    }
    return 0;
}

int prio_sizes_parse(const char *text, struct prio_sizes *sizes)
{
    char word[WORD_LEN] = "";
    int random = 0, more, code = 0;

    sizes->count = 0;
    while (code == 0 && (more = next_word(&text, word)) != 0) {
        struct prio_size range = {0, 0};

        if (more < 0)
            return more;
        if (strcasecmp(word, "random") == 0 && !random) {
            random = 1;
            continue;
        }
        if (random && strchr(word, '-') == NULL)
            return pario_fail(PARIO_EUSAGE,
                              "random needs a range such as 1k-8k, not '%s'",
                              word);
        code = parse_range(word, &range);
        if (code == 0)
            code = add_sizes(sizes, &range, random);
        random = 0;
    }
    if (code == 0 && (sizes->count == 0 || random))
        return empty();
    return code;
}

/* A number without sign; *end_p is what follows. */
static int parse_number(const char *text, int64_t *value_p, char **end_p)
{
    long long value;

    if (text[0] < '0' || text[0] > '9')
        return -EINVAL;
    errno = 0;
    value = strtoll(text, end_p, 10);
    if (errno != 0)
        return -ERANGE;
    *value_p = value;
    return 0;
}

int prio_ratios_parse(const char *text, struct prio_ratios *ratios)
{
    char word[WORD_LEN] = "", *end = NULL;
    int more;

    ratios->count = 0;
    while ((more = next_word(&text, word)) != 0) {
        struct prio_ratio ratio = {0, 0};

        if (more < 0)
            return more;
        if (parse_number(word, &ratio.reads, &end) != 0 ||
            (*end != ':' && *end != '/') ||
            parse_number(end + 1, &ratio.writes, &end) != 0 || *end != '\0' ||
            ratio.reads > 1000000 || ratio.writes > 1000000)
            return pario_fail(PARIO_EUSAGE,
                              "'%s' is no ratio of reads to writes such as "
                              "1:2",
                              word);
        if (ratio.reads == 0 && ratio.writes == 0)
            return pario_fail(PARIO_EUSAGE,
                              "the ratio %s neither reads nor writes", word);
        if (ratios->count == PRIO_MAX_VALUES)
            return too_many();
        ratios->item[ratios->count++] = ratio;
    }
    return ratios->count == 0 ? empty() : 0;
}

int prio_counts_parse(const char *text, struct prio_counts *counts)
{
    char word[WORD_LEN] = "", *end = NULL;
    int more;

    counts->count = 0;
    while ((more = next_word(&text, word)) != 0) {
        int64_t low = 0, high = 0;

        if (more < 0)
            return more;
        if (strcasecmp(word, "all") != 0 &&
            (parse_number(word, &low, &end) != 0 || low == 0 ||
             low > PRIO_MAX_PROCESSES))
            return pario_fail(PARIO_EUSAGE, "'%s' is no number of processes",
                              word);
        high = low;
        if (low > 0 && strcasecmp(end, "-all") == 0) {
            low = -low;
            end += strlen(end);
        }
        if (low > 0 && *end == '-' &&
            (parse_number(end + 1, &high, &end) != 0 || high < low ||
             high > PRIO_MAX_PROCESSES))
            return pario_fail(PARIO_EUSAGE, "'%s' is no range such as 1-8",
                              word);
        if (low > 0 && *end != '\0')
            return pario_fail(PARIO_EUSAGE, "'%s' is no number of processes",
                              word);
        do {
            if (counts->count == PRIO_MAX_VALUES)
                return too_many();
            counts->item[counts->count++] = low;
            low *= 2;
        } while (low > 0 && low <= high);
    }
    return counts->count == 0 ? empty() : 0;
}

int prio_share_parse(const char *text, struct prio_share *share)
{
    char *end = NULL;

    *share = (struct prio_share){.percent = -1};
    if (strcasecmp(text, "rest") == 0) {
        share->rest = 1;
        return 0;
    }
    if (text[0] >= '0' && text[0] <= '9') {
        double value = strtod(text, &end);

        if (strcmp(end, "%") == 0 && value > 0 && value <= 100) {
            share->percent = value;
            return 0;
        }
        if (*end == '\0' && value >= 1 && value <= PRIO_MAX_PROCESSES &&
            value == (double)(int64_t)value) {
            share->processes = (int64_t)value;
            return 0;
        }
    }
    return pario_fail(PARIO_EUSAGE,
                      "'%s' is no share of the processes: a number of them, "
                      "25%% or rest",
                      text);
}

int prio_names_parse(const char *text, const char *what,
                     const char *const *names, unsigned allowed,
                     unsigned *bits_p)
{
    char word[WORD_LEN] = "";
    unsigned bits = 0;
    int more;

    while ((more = next_word(&text, word)) != 0) {
        int i = 0;

        if (more < 0)
            return more;
        if (strcasecmp(word, "all") == 0) {
            bits |= allowed;
            continue;
        }
        while (names[i] != NULL && strcasecmp(names[i], word) != 0)
            i++;
        if (names[i] == NULL) {
            struct pario_nearest nearest = pario_nearest_of(word, names);

            return pario_fail(PARIO_EUSAGE, "unknown %s '%s'%s", what, word,
                              pario_nearest_say(&nearest, ""));
        }
        if (!(allowed & 1u << i))
            return pario_fail(PARIO_EUSAGE, "this sub-benchmark has no %s '%s'",
                              what, names[i]);
        bits |= 1u << i;
    }
    if (bits == 0)
        return empty();
    *bits_p = bits;
    return 0;
}

int64_t prio_size_step(const struct prio_size *size)
{
    int64_t both = size->low | size->high;
    int64_t step = both & -both;

    return step > LARGEST_STEP ? LARGEST_STEP : step;
}
