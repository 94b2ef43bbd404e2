/* analysis/lines.c - a file line by line, in bounded memory. */
#include "analysis/lines.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_LEN ((size_t)1 << 18)

int pario_lines_init(struct pario_lines *lines, int fd, int64_t offset,
                     int64_t number)
{
    char *buffer = malloc(BUFFER_LEN);

    if (buffer == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read lines");
    *lines = (struct pario_lines){
        .fd = fd, .buffer = buffer, .base = offset, .number = number - 1};
    return 0;
}

void pario_lines_fini(struct pario_lines *lines)
{
    free(lines->buffer);
    lines->buffer = NULL;
}

static int refill(struct pario_lines *lines)
{
    ssize_t n;

    memmove(lines->buffer, lines->buffer + lines->pos, lines->len - lines->pos);
    lines->base += (int64_t)lines->pos;
    lines->len -= lines->pos;
    lines->pos = 0;
    do
        n = pread(lines->fd, lines->buffer + lines->len,
                  BUFFER_LEN - lines->len, lines->base + (int64_t)lines->len);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    lines->at_end = n == 0;
    lines->len += (size_t)n;
    return 0;
}

/* The rest of a line that is too long. */
static int skip_line(struct pario_lines *lines)
{
    for (;;) {
        const char *from = lines->buffer + lines->pos;
        const char *end = memchr(from, '\n', lines->len - lines->pos);
        int code;

        if (end != NULL) {
            lines->pos += (size_t)(end - from) + 1;
            return 0;
        }
        lines->pos = lines->len;
        code = refill(lines);
        if (code != 0 || lines->at_end)
            return code;
    }
}

int pario_lines_next(struct pario_lines *lines, const char **line_p,
                     size_t *len_p)
{
    for (;;) {
        const char *from = lines->buffer + lines->pos;
        size_t rest = lines->len - lines->pos;
        const char *end = rest > 0 ? memchr(from, '\n', rest) : NULL;
        int code;

        if (end != NULL || (lines->at_end && rest > 0)) {
            *line_p = from;
            *len_p = end != NULL ? (size_t)(end - from) : rest;
            lines->pos += *len_p + (end != NULL);
            lines->number++;
            return 1;
        }
        if (lines->at_end)
            return 0;
        if (rest > PARIO_LINE_MAX) {
            static const char too_long[] = "";

            code = skip_line(lines);
            lines->number++;
            *line_p = too_long;
            *len_p = PARIO_LINE_MAX + 1;
            return code != 0 ? code : 1;
        }
        code = refill(lines);
        if (code != 0)
            return code;
    }
}

int64_t pario_lines_offset(const struct pario_lines *lines)
{
    return lines->base + (int64_t)lines->pos;
}
