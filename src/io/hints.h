/* io/hints.h - MPI info keys and values as data, without MPI. */
#ifndef PARIO_IO_HINTS_H
#define PARIO_IO_HINTS_H

#include "core/error.h"
#include <stddef.h>

struct pario_hint {
    char *key, *value;
};

/* Embedded; owns its strings. Zero-initialised is empty. */
struct pario_hints {
    struct pario_hint *hint;
    size_t count;
};

/* Local. A later value for the same key replaces the earlier one. */
int pario_hints_set(struct pario_hints *hints, const char *key,
                    const char *value) PARIO_MUST_USE;
const char *pario_hints_get(const struct pario_hints *hints, const char *key);
int pario_hints_merge(struct pario_hints *into,
                      const struct pario_hints *from) PARIO_MUST_USE;
/* Local. "key=value;key=value". */
int pario_hints_parse(struct pario_hints *hints,
                      const char *text) PARIO_MUST_USE;
void pario_hints_fini(struct pario_hints *hints);

/* What OMPIO and shipio look at, by their sources, ending with NULL: with both
 * MPI_File_get_info names hints that they do not know, too. */
extern const char *const pario_hints_of_ompio[];
extern const char *const pario_hints_of_shipio[];
int pario_hints_listed(const char *const *list, const char *key);

#endif
