/* core/nearest.h - what a word that is none of the known ones was meant to be.
 *
 *   struct pario_nearest nearest = {.word = word};
 *
 *   for (int i = 0; tests[i].name != NULL; i++)
 *       pario_nearest_try(&nearest, tests[i].name);
 *   return pario_fail(PARIO_EUSAGE, "unknown test '%s'%s", word,
 *                     pario_nearest_say(&nearest, ""));
 *
 * All functions are local.
 */
#ifndef PARIO_CORE_NEAREST_H
#define PARIO_CORE_NEAREST_H

#include <stddef.h>

struct pario_nearest {
    const char *word;
    const char *name; /* the nearest so far; NULL: none is near */
    size_t distance;  /* of that one: letters to change */
    char text[128];
};

void pario_nearest_try(struct pario_nearest *nearest, const char *name);
/* Of a list that a NULL ends. */
struct pario_nearest pario_nearest_of(const char *word,
                                      const char *const *names);
/* For the end of a message: "; did you mean --time?" with the prefix "--", or
 * nothing. It lives as long as nearest. */
const char *pario_nearest_say(struct pario_nearest *nearest,
                              const char *prefix);

#endif
