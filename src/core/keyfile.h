/* core/keyfile.h - `keyword value` files, the format of the seeds.
 *
 * Lines are `keyword value`, `keyword = value`, `[section]`, blank, or a
 * comment after # (a # inside "quotes" is text). A value reaches to the end
 * of the line, trimmed, quotes removed.
 */
#ifndef PARIO_CORE_KEYFILE_H
#define PARIO_CORE_KEYFILE_H

#include "core/error.h"
#include <stddef.h>

struct pario_keyword {
    const char *section; /* "" before the first section */
    const char *name;
    const char *value; /* "" where none was given */
    int line;
};

struct pario_keyfile {
    char *path;
    char *text; /* owns all strings */
    struct pario_keyword *keywords;
    size_t count;
    const char **sections; /* all, also those without keywords */
    int *section_lines;
    size_t nsections;
};

/* Local. comment: the characters that begin a comment, NULL for "#".
 * The caller owns *file_p. Errors name file and line. */
int pario_keyfile_read(const char *path, const char *comment,
                       struct pario_keyfile **file_p) PARIO_MUST_USE;
/* Local. The same from memory; name stands for the path in messages. */
int pario_keyfile_parse(const char *name, const char *text, const char *comment,
                        struct pario_keyfile **file_p) PARIO_MUST_USE;
void pario_keyfile_destroy(struct pario_keyfile *file);

#endif
