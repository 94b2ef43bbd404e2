/* trace/names.h - numbers for names, in the order in which they are met.
 *
 * A name is a text of a trace, which is borrowed, with a tag. The same text
 * comes again and again, from the same place: it is looked at once. Local.
 */
#ifndef PARIO_TRACE_NAMES_H
#define PARIO_TRACE_NAMES_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

#define PARIO_NAMES_RECENT 1024

struct pario_name {
    const char *text;
    int tag;
};

/* Zeroed before its first use. */
struct pario_names {
    struct pario_name *names;
    size_t count, room;
    size_t *slots; /* by hash: one more than the number; 0: free */
    size_t nslots;
    struct {
        struct pario_name name;
        size_t number;
    } recent[PARIO_NAMES_RECENT]; /* by the place of the text */
};

/* The number of a name; that of a new one is what count was before. */
int pario_names_find(struct pario_names *names, const char *text, int tag,
                     size_t *number_p) PARIO_MUST_USE;
void pario_names_fini(struct pario_names *names);

#endif
