/* sys/proctext.c - reading and taking apart /proc and /sys. */
#include "sys/proctext.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in /proc are not known before reading: grow as it comes. */
static char *read_all(FILE *file)
{
    size_t room = 4096, len = 0;
    char *text = malloc(room);

    while (text != NULL) {
        size_t n = fread(text + len, 1, room - len - 1, file);
        char *more;

        len += n;
        text[len] = '\0';
        if (n == 0)
            break;
        if (len < room - 1)
            continue;
        room *= 2;
        more = realloc(text, room);
        if (more == NULL)
            free(text);
        text = more;
    }
    if (text != NULL && ferror(file)) {
        free(text);
        text = NULL;
    }
    return text;
}

char *pario_proctext_read(const char *root, const char *path)
{
    char full[PATH_MAX];
    FILE *file;
    char *text;
    int n = snprintf(full, sizeof full, "%s%s", root, path);

    if (n < 0 || (size_t)n >= sizeof full)
        return NULL;
    file = fopen(full, "re");
    if (file == NULL)
        return NULL;
    text = read_all(file);
    fclose(file);
    return text;
}

/* text up to the end of its line, without blanks around it. */
static void copy_trimmed(const char *text, char *buf, size_t len)
{
    size_t n;

    text += strspn(text, " \t");
    n = strcspn(text, "\n");
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        n--;
    if (n >= len)
        n = len - 1;
    memcpy(buf, text, n);
    buf[n] = '\0';
}

void pario_proctext_line(const char *root, const char *path,
                         const char *fallback, char *buf, size_t len)
{
    char *text = pario_proctext_read(root, path);

    copy_trimmed(text != NULL ? text : "", buf, len);
    if (buf[0] == '\0')
        snprintf(buf, len, "%s", fallback);
    free(text);
}

int64_t pario_proctext_number(const char *root, const char *path)
{
    char line[64], *end;
    intmax_t number;

    pario_proctext_line(root, path, "", line, sizeof line);
    errno = 0;
    number = strtoimax(line, &end, 10);
    if (end == line || *end != '\0' || errno != 0 || number < 0)
        return -1;
    return (int64_t)number;
}

int64_t pario_proctext_value(const char *text, const char *key)
{
    size_t keylen = strlen(key);

    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *next = strchr(line, '\n');

        if (strncmp(line, key, keylen) == 0) {
            char *end;
            intmax_t number;

            errno = 0;
            number = strtoimax(line + keylen, &end, 10);
            if (end == line + keylen || errno != 0)
                return -1;
            if (strncmp(end, " kB", 3) == 0)
                number *= 1024;
            return (int64_t)number;
        }
        line = next != NULL ? next + 1 : NULL;
    }
    return -1;
}

int pario_proctext_field(const char *text, const char *key, char *buf,
                         size_t len)
{
    size_t keylen = strlen(key);

    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *next = strchr(line, '\n');

        if (strncmp(line, key, keylen) == 0) {
            const char *colon = line + keylen + strspn(line + keylen, " \t");

            if (*colon == ':') {
                copy_trimmed(colon + 1, buf, len);
                return 0;
            }
        }
        line = next != NULL ? next + 1 : NULL;
    }
    return -ENOENT;
}
