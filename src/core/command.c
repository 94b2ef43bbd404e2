/* core/command.c - the command as the user typed it. */
#include "core/command.h"
#include "core/path.h"

#include <stdlib.h>
#include <string.h>

static struct {
    int argc;
    char **argv;
} kept;

void pario_command_keep(int argc, char *const *argv)
{
    free(kept.argv);
    kept.argv = calloc((size_t)argc + 1, sizeof(*kept.argv));
    kept.argc = kept.argv != NULL ? argc : 0;
    for (int i = 0; i < kept.argc; i++)
        kept.argv[i] = argv[i];
}

char *const *pario_command_typed(void)
{
    return kept.argv;
}

/* The N of `pario -n N`, where it started so many processes. */
static const char *started(int processes)
{
    const char *number = getenv(PARIO_STARTED_VARIABLE);

    return number != NULL && strtol(number, NULL, 10) == processes ? number
                                                                   : NULL;
}

const char **pario_command_words(int processes, int *count_p)
{
    const char *number = started(processes);
    const char **words = calloc((size_t)kept.argc + 3, sizeof(*words));
    int count = 0;

    if (kept.argc == 0 || words == NULL) {
        free(words);
        return NULL;
    }
    words[count++] = pario_base_name(kept.argv[0]);
    if (number != NULL) {
        words[count++] = "-n";
        words[count++] = number;
    }
    for (int i = 1; i < kept.argc; i++)
        words[count++] = kept.argv[i];
    *count_p = count;
    return words;
}
