/* analysis/lines.h - a file line by line, in bounded memory. Private to
 * src/analysis. Local. */
#ifndef PARIO_ANALYSIS_LINES_H
#define PARIO_ANALYSIS_LINES_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

#define PARIO_LINE_MAX ((size_t)1 << 16)

struct pario_lines {
    int fd;
    char *buffer;
    size_t pos, len;
    int64_t base;   /* file offset of buffer[0] */
    int64_t number; /* of the line last given, from 1 */
    int at_end;
};

/* Begins at offset, whose line is `number`. fd stays the caller's. */
int pario_lines_init(struct pario_lines *lines, int fd, int64_t offset,
                     int64_t number) PARIO_MUST_USE;
void pario_lines_fini(struct pario_lines *lines);

/* 1 and a line without its end, valid until the next call; 0 at the end of
 * the file; negative after an error, without message. Of a line longer than
 * the buffer nothing is given, and *len_p > PARIO_LINE_MAX says so. */
int pario_lines_next(struct pario_lines *lines, const char **line_p,
                     size_t *len_p) PARIO_MUST_USE;

/* Offset of the line after the one last given. */
int64_t pario_lines_offset(const struct pario_lines *lines);

#endif
