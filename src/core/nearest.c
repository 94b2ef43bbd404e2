/* core/nearest.c - the nearest word by edit distance. */
#include "core/nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_WORD 63 /* the longest word that is compared */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and swaps of neighbours, in any case. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][MAX_WORD + 2];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    size_t alen = strlen(a), blen = strlen(b);

    for (size_t j = 0; j <= blen; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= alen; i++) {
        size_t *oldest = before;

        row[0] = i;
        for (size_t j = 1; j <= blen; j++) {
            int same = strncasecmp(&a[i - 1], &b[j - 1], 1) == 0;

            row[j] = least(least(row[j - 1], last[j]) + 1,
                           last[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && strncasecmp(&a[i - 1], &b[j - 2], 1) == 0 &&
                strncasecmp(&a[i - 2], &b[j - 1], 1) == 0)
                row[j] = least(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
        row = oldest;
    }
    return last[blen];
}

void pario_nearest_try(struct pario_nearest *nearest, const char *name)
{
    size_t len = strlen(nearest->word), name_len = strlen(name);
    size_t best = nearest->name != NULL ? nearest->distance : 2 + len / 3;
    size_t distance;

    if (len > MAX_WORD || name_len > MAX_WORD)
        return;
    distance = edit_distance(nearest->word, name);
    /* A distance of the whole word is another word. */
    if (distance >= name_len || distance >= best)
        return;
    nearest->name = name;
    nearest->distance = distance;
}

struct pario_nearest pario_nearest_of(const char *word,
                                      const char *const *names)
{
    struct pario_nearest nearest = {.word = word};

    for (; *names != NULL; names++)
        pario_nearest_try(&nearest, *names);
    return nearest;
}

const char *pario_nearest_say(struct pario_nearest *nearest, const char *prefix)
{
    nearest->text[0] = '\0';
    if (nearest->name != NULL)
        snprintf(nearest->text, sizeof(nearest->text), "; did you mean %s%s?",
                 prefix, nearest->name);
    return nearest->text;
}
