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
/* Local. The same the other way round; the caller frees it. NULL: no memory. */
char *pario_hints_print(const struct pario_hints *hints) PARIO_MUST_USE;
/* Local. Calls take for each pair of such a text; others are passed over. */
void pario_hints_each(const char *text,
                      void (*take)(void *argument, const char *key,
                                   const char *value),
                      void *argument);
void pario_hints_fini(struct pario_hints *hints);

/* Whose code serves a file, and so which hints can have an effect. */
enum pario_hint_library {
    PARIO_HINTS_OTHER, /* nothing is known about it: it is believed */
    PARIO_HINTS_ROMIO,
    PARIO_HINTS_OMPIO,
    PARIO_HINTS_SHIPIO,
};

/* Local. Does the library act on the hint, by its source? MPI_File_get_info is
 * no answer: with Open MPI it names every hint that was asked for. OMPIO sets
 * stripes on Lustre alone: pario_hints_are_for says what the files lie on. */
int pario_hints_acted_on(enum pario_hint_library library, const char *key);

/* Local, before files are opened. The type of their file system (sys/fs.h). */
void pario_hints_are_for(const char *file_system);

/* Of the keys that shipio reads those with its own or IBM's names. */
#define PARIO_HINTS_SHIPIO_OWN                                                 \
    "IBM_io_buffer_size", "IBM_largeblock_io", "IBM_sparse_access",            \
        "shipio_mode", "shipio_double_buffer", "shipio_max_acc",               \
        "shipio_noncollective", "shipio_agree", "shipio_map", "shipio_lock",   \
        "shipio_group_lock", "shipio_storage", "shipio_sieve",                 \
        "shipio_write_behind", "shipio_leaders"

/* In place of the value of a hint that the library does not act on. */
#define PARIO_HINT_NOT_KNOWN "not known to this library"

#endif
