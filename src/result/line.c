/* result/line.c - on which line of a JSON text a value stands.
 *
 * jansson keeps no positions, so the text is walked once more when there is
 * something to complain of. It has been parsed before: it is known to be well
 * formed, and the only care taken is never to run over its end.
 */
#include "result/line.h"
#include <stdlib.h>
#include <string.h>

struct cursor {
    const char *pos, *end;
};

static void skip_space(struct cursor *at)
{
    while (at->pos < at->end && strchr(" \t\r\n", *at->pos) != NULL)
        at->pos++;
}

static void skip_string(struct cursor *at)
{
    at->pos++;
    while (at->pos < at->end && *at->pos != '"')
        at->pos += *at->pos == '\\' ? 2 : 1;
    if (at->pos < at->end)
        at->pos++;
    else
        at->pos = at->end;
}

static void skip_value(struct cursor *at)
{
    int depth = 0;

    do {
        skip_space(at);
        if (at->pos >= at->end)
            return;
        if (*at->pos == '"') {
            skip_string(at);
        } else if (strchr("{[", *at->pos) != NULL) {
            depth++;
            at->pos++;
        } else if (strchr("}]", *at->pos) != NULL) {
            depth--;
            at->pos++;
        } else if (strchr(",:", *at->pos) != NULL) {
            at->pos++;
        } else {
            at->pos += strcspn(at->pos, ",:{}[]\" \t\r\n");
        }
    } while (depth > 0 && at->pos < at->end);
}

/* From an opening bracket to the element with that index; 0: not there. */
static int enter_array(struct cursor *at, long index)
{
    if (*at->pos != '[')
        return 0;
    at->pos++;
    skip_space(at);
    for (long i = 0; at->pos < at->end && *at->pos != ']'; i++) {
        if (i == index)
            return 1;
        skip_value(at);
        skip_space(at);
        if (at->pos < at->end && *at->pos == ',')
            at->pos++;
        skip_space(at);
    }
    return 0;
}

/* From an opening brace to the value of that name; 0: not there. Names with
 * escapes do not match: none of ours has one. */
static int enter_object(struct cursor *at, const char *name, size_t len)
{
    if (*at->pos != '{')
        return 0;
    at->pos++;
    skip_space(at);
    while (at->pos < at->end && *at->pos == '"') {
        const char *key = at->pos + 1;
        int found;

        skip_string(at);
        found =
            (size_t)(at->pos - key) == len + 1 && strncmp(key, name, len) == 0;
        skip_space(at);
        if (at->pos < at->end)
            at->pos++; /* the colon */
        skip_space(at);
        if (found)
            return at->pos < at->end;
        skip_value(at);
        skip_space(at);
        if (at->pos < at->end && *at->pos == ',')
            at->pos++;
        skip_space(at);
    }
    return 0;
}

int pario_json_line(const char *text, size_t len, const char *path)
{
    struct cursor at = {.pos = text, .end = text + len};
    const char *found;
    int line = 1;

    skip_space(&at);
    found = at.pos;
    while (*path != '\0' && at.pos < at.end) {
        struct cursor next = at;
        int inside;

        if (*path == '[') {
            char *end;

            inside = enter_array(&next, strtol(path + 1, &end, 10));
            path = *end == ']' ? end + 1 : end;
        } else {
            size_t name_len = strcspn(path, ".[");

            inside = enter_object(&next, path, name_len);
            path += name_len;
        }
        if (*path == '.')
            path++;
        if (!inside)
            break;
        at = next;
        found = at.pos;
    }
    for (const char *p = text; p < found; p++)
        line += *p == '\n';
    return line;
}
