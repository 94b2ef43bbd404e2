/* launch/launcher.c - what each launcher wants to hear. That of the MPI library
 * was asked at configure time (cmake/Dependencies.cmake); the others are known
 * by their names. */
#include "launch/launcher.h"
#include "core/path.h"
#include "core/self.h"
#include "par/group.h"
#include "pario_config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct launcher {
    const char *name;    /* of the program, without folders */
    const char *command; /* its word for starting, where it has one */
    const char *crowded; /* more processes than cores are allowed */
    const char *as_root;
    const char *quiet; /* no words of its own about a process that failed */
    const char *ends;  /* one that is killed ends all: else they wait for it */
};

/* All of them understand -n. srun and flux give the processes the environment
 * as it is, which tune, honesty and advise need. */
static const struct launcher launchers[] = {
    /* A step inside a step waits for ever unless they may overlap. */
    {.name = "srun",
     .crowded = "--overcommit --overlap",
     .quiet = "--quiet",
     .ends = "--kill-on-bad-exit=1"},
    {.name = "flux", .command = "run", .crowded = "-o cpu-affinity=off"},
    {.name = "aprun", .quiet = "-q"},
    {.name = "prun", .crowded = "--map-by :OVERSUBSCRIBE"},
    {.name = "prterun",
     .crowded = "--map-by :OVERSUBSCRIBE",
     .as_root = "--allow-run-as-root"},
};

static const struct launcher library_launcher = {
    .crowded = PARIO_MPI_SLOT_FLAGS,
    .as_root = PARIO_MPI_ROOT_FLAGS,
    .quiet = PARIO_MPI_QUIET_FLAGS,
};

/* The program's name ends with the word; folders before it do not count. */
static const struct launcher *find_launcher(const char *program)
{
    const char *name = pario_base_name(program);

    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
        if (strcmp(launchers[i].name, name) == 0)
            return &launchers[i];
    return &library_launcher;
}

void pario_words_add(struct pario_words *words, const char *word)
{
    /* exec takes char *const [] and leaves the words alone. */
    union {
        const char *in;
        char *out;
    } cast = {.in = word};

    if (words->count < PARIO_MAX_WORDS - 1) {
        words->word[words->count++] = cast.out;
        words->word[words->count] = NULL;
    }
}

/* Words separated by blanks; NULL: none. */
static void add_flags(struct pario_words *words, const char *flags)
{
    size_t len = sizeof(words->text) - words->used;
    char *copy = words->text + words->used, *rest = copy, *word;

    words->used +=
        (size_t)snprintf(copy, len, "%s", flags != NULL ? flags : "") + 1;
    if (words->used > sizeof(words->text)) { /* cut: mpirun will complain */
        words->used = sizeof(words->text);
        return;
    }
    while ((word = strsep(&rest, " ")) != NULL)
        if (word[0] != '\0')
            pario_words_add(words, word);
}

int pario_launcher_words(struct pario_words *words, const char *processes)
{
    static char self[PATH_MAX];
    const char *given = getenv("PARIO_MPIRUN");
    const struct launcher *launcher = &library_launcher;

    pario_self_path(self, sizeof(self));
    if (given == NULL || given[0] == '\0')
        given = PARIO_MPIRUN;
    words->count = 0;
    words->used = 0;
    add_flags(words, given);
    if (words->count > 0)
        launcher = find_launcher(words->word[0]);
    /* "flux" alone, or already "flux run --some-option". */
    if (words->count == 1)
        add_flags(words, launcher->command);
    pario_words_add(words, "-n");
    pario_words_add(words, processes);
    add_flags(words, launcher->crowded);
    if (geteuid() == 0)
        add_flags(words, launcher->as_root);
    add_flags(words, launcher->quiet);
    add_flags(words, launcher->ends);
    words->program = words->count;
    pario_words_add(words, self[0] != '\0' ? self : "pario");
    return given[0] != '\0' ? pario_par_check_limits() : 0;
}
