/* sys/proctext.h - the text files of /proc and /sys. Local. The parsers take
 * text, so that they can be fed with what other systems say. */
#ifndef PARIO_SYS_PROCTEXT_H
#define PARIO_SYS_PROCTEXT_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

/* The whole of root/path as a string owned by the caller, NULL if it cannot
 * be read. root "" is this system. */
char *pario_proctext_read(const char *root, const char *path);

/* First line of root/path, trimmed, in buf; fallback where there is none. */
void pario_proctext_line(const char *root, const char *path,
                         const char *fallback, char *buf, size_t len);

/* A file that holds one number; -1 where it does not ("max"). */
int64_t pario_proctext_number(const char *root, const char *path);

/* The number after `key` at the beginning of a line, in bytes if the line
 * says kB: "MemTotal:  12 kB", "inactive_file 4096". -1: no such line. */
int64_t pario_proctext_value(const char *text, const char *key);

/* The text after "key<blanks>:" of the first such line; 0, -ENOENT. */
int pario_proctext_field(const char *text, const char *key, char *buf,
                         size_t len) PARIO_MUST_USE;

#endif
