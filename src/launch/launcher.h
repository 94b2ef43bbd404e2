/* launch/launcher.h - mpirun, srun and their relatives: the words that start
 * this program many times. */
#ifndef PARIO_LAUNCH_LAUNCHER_H
#define PARIO_LAUNCH_LAUNCHER_H

#include "core/error.h"
#include <stddef.h>

#define PARIO_MAX_WORDS 1024

/* The words of a command; the strings are borrowed, or stand in text. */
struct pario_words {
    char *word[PARIO_MAX_WORDS];
    int count;
    int program; /* the first that is not the launcher's */
    size_t used;
    char text[4096];
};

void pario_words_add(struct pario_words *words, const char *word);

/* Local. The launcher with what it needs here, for so many processes, and
 * this program. PARIO_MPIRUN names another launcher than the MPI library's, and
 * may have options after its name. Fails where it could not run. */
int pario_launcher_words(struct pario_words *words,
                         const char *processes) PARIO_MUST_USE;

#endif
