/* suites/beffio/translate.c - the original's command line, as its users type
 * it: b_eff_io -MB 512 -MT 4096 -N 2,4 -T 900 -p DIR -f PREFIX -noshared */
#include "core/nearest.h"
#include "suites/beffio/beffio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *old, *new; /* new NULL: the operand, or nothing */
    int values;
    const char *suffix; /* of the value */
} words[] = {
    {"-MB", "--memory", 1, "M"}, /* megabytes of one processor */
    {"-MT", NULL, 1, NULL},      /* megabytes in all: follows from -MB */
    {"-N", "--partitions", 1, ""},
    {"-T", "--time", 1, ""},
    {"-p", NULL, 1, ""},
    {"-f", "--prefix", 1, ""},
    {"-noshared", "--no-shared", 0, ""},
    {"-rewrite", "--rewrite=all", 0, ""},
    {"-i", "--hints", 1, ""},
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static int unknown(const char *word)
{
    struct pario_nearest nearest = {.word = word};

    for (size_t i = 0; i < WORDS; i++)
        pario_nearest_try(&nearest, words[i].old);
    return pario_fail(PARIO_EUSAGE, "unknown option %s%s", word,
                      pario_nearest_say(&nearest, ""));
}

/* Appends what word i with its value becomes. */
static int translate_word(size_t w, const char *value, char **out, int *count,
                          char **directory)
{
    size_t len = (value != NULL ? strlen(value) : 0) + 8;
    char *text;

    if (value != NULL && strcmp(words[w].old, "-p") == 0) {
        free(*directory);
        *directory = strdup(value);
        return *directory == NULL ? pario_fail_errno(-ENOMEM, "start") : 0;
    }
    if (words[w].new == NULL)
        return 0;
    out[(*count)++] = strdup(words[w].new);
    if (value == NULL)
        return 0;
    text = malloc(len);
    if (text == NULL)
        return pario_fail_errno(-ENOMEM, "start");
    snprintf(text, len, "%s%s", value, words[w].suffix);
    out[(*count)++] = text;
    return 0;
}

int beffio_translate(const char *link, int *argc, char ***argv)
{
    char **out = calloc((size_t)*argc * 2 + 4, sizeof(*out));
    char *directory = NULL;
    int count = 0, code = 0;

    (void)link;
    if (out == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    out[count++] = strdup("beffio");
    for (int i = 1; code == 0 && i < *argc; i++) {
        char *word = (*argv)[i];
        size_t w = 0;

        while (w < WORDS && strcmp(words[w].old, word) != 0)
            w++;
        if (w == WORDS && (word[0] != '-' || strncmp(word, "--", 2) == 0)) {
            out[count++] = strdup(word); /* pario's own are understood, too */
        } else if (w == WORDS) {
            code = unknown(word);
        } else if (words[w].values && i + 1 == *argc) {
            code = pario_fail(PARIO_EUSAGE, "%s needs a value", word);
        } else {
            code = translate_word(w, words[w].values ? (*argv)[i + 1] : NULL,
                                  out, &count, &directory);
            i += words[w].values;
        }
    }
    if (code != 0) {
        for (int i = 0; i < count; i++)
            free(out[i]);
        free(out);
        free(directory);
        return code;
    }
    if (directory != NULL)
        out[count++] = directory;
    *argc = count;
    *argv = out;
    return 0;
}
