/* result/flags.c - what speaks against a number. */
#include "result/flags.h"
#include "result/value.h"
#include <stdio.h>
#include <string.h>

static const struct {
    unsigned flag;
    const char *word;  /* in documents */
    const char *plain; /* for people; NULL: the same */
} flag_words[] = {
    {PARIO_FLAG_CACHE, "cache", NULL},
    {PARIO_FLAG_MIXED, "cache-mixed", "partly cache"},
    {PARIO_FLAG_UNVERIFIED, "unverified", NULL},
    {PARIO_FLAG_FAILED, "failed", NULL},
    {PARIO_FLAG_INVALID, "run-invalid", "run not valid"},
    {PARIO_FLAG_SHORT, "short", NULL},
    {PARIO_FLAG_UNKNOWN, "cache-unknown", "cache?"},
    {PARIO_FLAG_PRELIMINARY, "preliminary", NULL},
    {PARIO_FLAG_PAUSED, "paused", NULL},
    {PARIO_FLAG_REPEATED, "repeated-data", "repeated data"},
};

#define NFLAGS (sizeof(flag_words) / sizeof(flag_words[0]))

const char *pario_flag_plain(unsigned flag)
{
    for (size_t i = 0; i < NFLAGS; i++)
        if (flag_words[i].flag == flag)
            return flag_words[i].plain != NULL ? flag_words[i].plain
                                               : flag_words[i].word;
    return "";
}

char *pario_flags_print(unsigned flags, char text[PARIO_FLAGS_LEN])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < NFLAGS; i++)
        if (flags & flag_words[i].flag)
            used +=
                (size_t)snprintf(text + used, PARIO_FLAGS_LEN - used, "%s%s",
                                 used > 0 ? " " : "", flag_words[i].word);
    return text;
}

char *pario_flags_words(unsigned flags, char text[PARIO_FLAGS_LEN])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < NFLAGS; i++)
        if (flags & flag_words[i].flag)
            used += (size_t)snprintf(text + used, PARIO_FLAGS_LEN - used,
                                     "%s%s", used > 0 ? ", " : "",
                                     pario_flag_plain(flag_words[i].flag));
    return text;
}

char *pario_flags_beside(unsigned flags, char text[PARIO_FLAGS_LEN])
{
    char words[PARIO_FLAGS_LEN];

    text[0] = '\0';
    if (pario_flags_words(flags, words)[0] != '\0')
        snprintf(text, PARIO_FLAGS_LEN, " (%.*s)", PARIO_FLAGS_LEN - 4, words);
    return text;
}

json_t *pario_flags_json(unsigned flags)
{
    json_t *words = json_array();

    for (size_t i = 0; i < NFLAGS; i++)
        if ((flags & flag_words[i].flag) &&
            json_array_append_new(words, json_string(flag_words[i].word))) {
            json_decref(words);
            return NULL;
        }
    return words;
}

unsigned pario_flags_from_json(const json_t *words)
{
    unsigned flags = 0;
    const json_t *word;
    size_t i;

    json_array_foreach(words, i, word)
    {
        for (size_t f = 0; json_is_string(word) && f < NFLAGS; f++)
            if (strcmp(json_string_value(word), flag_words[f].word) == 0)
                flags |= flag_words[f].flag;
    }
    return flags;
}

int pario_measure_is_sum(const json_t *measure)
{
    const char *test = pario_text_of(measure, "test", NULL);
    size_t len = test != NULL ? strlen(test) : 0;

    return len > 6 && strcmp(test + len - 6, "_total") == 0 &&
           pario_integer_of(measure, "operations") == 0;
}

/* Such as a computation: there is nothing that could be in a cache. */
static int moves_nothing(const json_t *measure)
{
    return pario_integer_of(measure, "bytes") == 0 &&
           pario_integer_of(measure, "operations") == 0;
}

static unsigned cache_flags(const json_t *measure)
{
    const char *cache = pario_text_of(measure, "cache", NULL);

    if (cache == NULL || moves_nothing(measure))
        return 0;
    return strcmp(cache, "cache") == 0     ? PARIO_FLAG_CACHE
           : strcmp(cache, "mixed") == 0   ? PARIO_FLAG_MIXED
           : strcmp(cache, "unknown") == 0 ? PARIO_FLAG_UNKNOWN
                                           : 0;
}

static unsigned verify_flags(const json_t *measure)
{
    const json_t *verify = json_object_get(measure, "verify");
    const char *access = pario_text_of(measure, "access", NULL);
    int checked = pario_integer_of(verify, "checked_bytes") > 0;
    unsigned flags = 0;

    if (json_is_true(json_object_get(verify, "off")) ||
        (!checked && access != NULL && strcmp(access, "read") == 0 &&
         !pario_measure_is_sum(measure)))
        flags |= PARIO_FLAG_UNVERIFIED;
    if (json_is_string(json_object_get(measure, "error")) ||
        pario_integer_of(verify, "errors") > 0)
        flags |= PARIO_FLAG_FAILED;
    return flags;
}

unsigned pario_flags_of_measure(const json_t *measure)
{
    return pario_flags_from_json(json_object_get(measure, "flags")) |
           cache_flags(measure) | verify_flags(measure) |
           (json_is_true(json_object_get(measure, "short")) ? PARIO_FLAG_SHORT
                                                            : 0);
}

/* 0: it lasted; 1: less than a headline should; 2: short */
static int brevity(const json_t *measure)
{
    return (pario_flags_of_measure(measure) & PARIO_FLAG_SHORT) != 0 ? 2
           : json_number_value(json_object_get(measure, "seconds")) <
                   PARIO_HEADLINE_S
               ? 1
               : 0;
}

int pario_headline_better(const json_t *measure, const json_t *best)
{
    if (best == NULL || brevity(measure) != brevity(best))
        return best == NULL || brevity(measure) < brevity(best);
    return json_number_value(json_object_get(measure, "bandwidth_mbps")) >
           json_number_value(json_object_get(best, "bandwidth_mbps"));
}

void pario_flag_sum_add(struct pario_flag_sum *sum, unsigned flags)
{
    sum->all = sum->count == 0 ? flags : sum->all & flags;
    sum->any |= flags;
    sum->count++;
}

unsigned pario_flag_sum_get(const struct pario_flag_sum *sum)
{
    const unsigned cached = PARIO_FLAG_CACHE | PARIO_FLAG_MIXED;

    if (!(sum->any & cached) || (sum->all & PARIO_FLAG_CACHE))
        return sum->any;
    return (sum->any & ~(unsigned)PARIO_FLAG_CACHE) | PARIO_FLAG_MIXED;
}
