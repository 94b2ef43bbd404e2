/* core/keyfile.c - reads `keyword value` files in one pass over their text. */
#include "core/keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BYTES ((size_t)64 << 20) /* so that /dev/zero ends too */
#define BLANKS " \t\r\v\f"

void pario_keyfile_destroy(struct pario_keyfile *file)
{
    if (file == NULL)
        return;
    free(file->keywords);
    free(file->sections);
    free(file->section_lines);
    free(file->text);
    free(file->path);
    free(file);
}

static void trim_end(char *text)
{
    size_t len = strlen(text);

    while (len > 0 && strchr(BLANKS, text[len - 1]) != NULL)
        len--;
    text[len] = '\0';
}

/* Cuts the comment off and says how many quotes stand before it. */
static size_t cut_comment(char *line, const char *comment)
{
    size_t quotes = 0;

    for (char *c = line; *c != '\0'; c++) {
        if (*c == '"') {
            quotes++;
        } else if (quotes % 2 == 0 && strchr(comment, *c) != NULL) {
            *c = '\0';
            break;
        }
    }
    return quotes;
}

static void remove_quotes(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '"')
            *to++ = *from;
    }
    *to = '\0';
}

static int parse_section(struct pario_keyfile *file, int number, char *line,
                         const char **section_p)
{
    const char *path = file->path;
    char *end = strchr(line, ']');
    char *name = line + 1 + strspn(line + 1, BLANKS);

    if (end == NULL || end[1] != '\0')
        return pario_fail(PARIO_EFORMAT,
                          "%s:%d: a section is written [name], alone on its "
                          "line",
                          path, number);
    *end = '\0';
    trim_end(name);
    if (name[0] == '\0')
        return pario_fail(PARIO_EFORMAT, "%s:%d: section without a name", path,
                          number);
    *section_p = name;
    file->section_lines[file->nsections] = number;
    file->sections[file->nsections++] = name;
    return 0;
}

/* line is trimmed, without comment, and not empty. */
static int parse_keyword(const char *path, char *line,
                         struct pario_keyword *keyword)
{
    char *end = line + strcspn(line, BLANKS "=\"");
    char *value = end + strspn(end, BLANKS);

    if (end == line)
        return pario_fail(PARIO_EFORMAT,
                          "%s:%d: a keyword must stand before "
                          "the value: keyword value",
                          path, keyword->line);
    if (*value == '=')
        value += 1 + strspn(value + 1, BLANKS);
    else if (value == end && *value != '\0')
        return pario_fail(PARIO_EFORMAT,
                          "%s:%d: a blank must stand between keyword and "
                          "value",
                          path, keyword->line);
    *end = '\0';
    remove_quotes(value);
    keyword->name = line;
    keyword->value = value;
    return 0;
}

static int parse_line(struct pario_keyfile *file, char *line, int number,
                      const char *comment, const char **section_p)
{
    struct pario_keyword *keyword = &file->keywords[file->count];
    int err;

    if (cut_comment(line, comment) % 2 != 0)
        return pario_fail(PARIO_EFORMAT, "%s:%d: a quote is not closed",
                          file->path, number);
    line += strspn(line, BLANKS);
    trim_end(line);
    if (line[0] == '\0')
        return 0;
    if (line[0] == '[')
        return parse_section(file, number, line, section_p);
    keyword->section = *section_p;
    keyword->line = number;
    err = parse_keyword(file->path, line, keyword);
    if (err == 0)
        file->count++;
    return err;
}

static size_t count_of(const char *text, char c)
{
    size_t count = 0;

    for (; (text = strchr(text, c)) != NULL; text++)
        count++;
    return count;
}

static int parse_text(struct pario_keyfile *file, const char *comment)
{
    const char *section = "";
    char *line = file->text;
    int err = 0;

    if (strncmp(line, "\xef\xbb\xbf", 3) == 0) /* some editors' first bytes */
        line += 3;
    for (int number = 1; line != NULL && err == 0; number++) {
        char *end = strchr(line, '\n');

        if (end != NULL)
            *end++ = '\0';
        err = parse_line(file, line, number, comment, &section);
        line = end;
    }
    return err;
}

/* Takes text over, also when it fails. */
static int keyfile_create(const char *name, char *text, const char *comment,
                          struct pario_keyfile **file_p)
{
    struct pario_keyfile *file = calloc(1, sizeof(*file));
    int err;

    if (file == NULL) {
        free(text);
        return pario_fail_errno(-ENOMEM, "cannot read %s", name);
    }
    file->text = text;
    file->path = strdup(name);
    file->keywords = calloc(count_of(text, '\n') + 1, sizeof(*file->keywords));
    file->sections = calloc(count_of(text, '[') + 1, sizeof(*file->sections));
    file->section_lines =
        calloc(count_of(text, '[') + 1, sizeof(*file->section_lines));
    if (file->path == NULL || file->keywords == NULL ||
        file->sections == NULL || file->section_lines == NULL)
        err = pario_fail_errno(-ENOMEM, "cannot read %s", name);
    else
        err = parse_text(file, comment != NULL ? comment : "#");
    if (err != 0) {
        pario_keyfile_destroy(file);
        return err;
    }
    *file_p = file;
    return 0;
}

int pario_keyfile_parse(const char *name, const char *text, const char *comment,
                        struct pario_keyfile **file_p)
{
    char *copy = strdup(text);

    if (copy == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", name);
    return keyfile_create(name, copy, comment, file_p);
}

static int check_no_nul(const char *path, const char *text, size_t len)
{
    const char *nul = memchr(text, '\0', len);
    int line = 1;

    if (nul == NULL)
        return 0;
    for (const char *c = text; c < nul; c++)
        line += *c == '\n';
    return pario_fail(PARIO_EFORMAT, "%s:%d: a zero byte: this is no text file",
                      path, line);
}

/* Reads to the end of fd: it may be a pipe, whose size is not known. */
static int read_all(int fd, const char *path, char **text_p)
{
    size_t len = 0, room = 0;
    char *text = NULL;
    int err;

    for (;;) {
        ssize_t n;

        if (room - len < 2) {
            char *larger = realloc(text, room = room * 2 + 4096);

            if (larger == NULL) {
                err = pario_fail_errno(-ENOMEM, "cannot read %s", path);
                goto err_free_text;
            }
            text = larger;
        }
        n = read(fd, text + len, room - len - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            err = pario_fail_errno(-errno, "cannot read %s", path);
            goto err_free_text;
        }
        if (n == 0)
            break;
        len += (size_t)n;
        if (len > MAX_BYTES) {
            err =
                pario_fail(-EFBIG, "%s is too large for a keyword file", path);
            goto err_free_text;
        }
    }
    text[len] = '\0';
    err = check_no_nul(path, text, len);
    if (err != 0)
        goto err_free_text;
    *text_p = text;
    return 0;

err_free_text:
    free(text);
    return err;
}

int pario_keyfile_read(const char *path, const char *comment,
                       struct pario_keyfile **file_p)
{
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int err;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot open %s", path);
    err = read_all(fd, path, &text);
    close(fd);
    if (text == NULL)
        return err;
    return keyfile_create(path, text, comment, file_p);
}
