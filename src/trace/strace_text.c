/* trace/strace_text.c - the words of a line of strace. */
#include "trace/strace_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* "3</a, (b)>" of -y: strace writes other angle brackets of a name as numbers,
 * but those of connections, "1->2", as they are. */
static char *end_of_name(char *text)
{
    char *end = text;

    do
        end = strchr(end + 1, '>');
    while (end != NULL && end[-1] == '-');
    return end != NULL ? end : text;
}

/* Splits at commas outside of quotes, names and brackets; the end of the list.
 */
static char *split_args(char *text, struct pario_strace_call *call)
{
    int depth = 0, quoted = 0;

    call->args[0] = text;
    call->nargs = 1;
    for (; *text != '\0'; text++) {
        if (quoted) {
            if (*text == '\\' && text[1] != '\0')
                text++;
            else if (*text == '"')
                quoted = 0;
        } else if (*text == '"') {
            quoted = 1;
        } else if (*text == '<' && text > call->args[0]) {
            text = end_of_name(text);
        } else if (strchr("([{", *text) != NULL) {
            depth++;
        } else if (strchr("])}", *text) != NULL) {
            if (depth-- == 0) {
                *text = '\0';
                return text + 1;
            }
        } else if (*text == ',' && depth == 0 &&
                   call->nargs < PARIO_STRACE_ARGS) {
            *text = '\0';
            call->args[call->nargs++] = text + 1 + (text[1] == ' ');
        }
    }
    return NULL;
}

/* "1700000000.000001" exactly, which a double cannot; 0: no time. */
uint64_t pario_strace_ns(const char *text, char **end_p)
{
    uint64_t ns = strtoull(text, end_p, 10), unit = 1000000000;

    if (*end_p == text || text[0] == '-' || ns > 10000000000u)
        return 0;
    ns *= unit;
    if (**end_p == '.')
        for (++*end_p; **end_p >= '0' && **end_p <= '9'; ++*end_p) {
            unit /= 10;
            ns += unit * (uint64_t)(**end_p - '0');
        }
    return ns;
}

static int64_t error_of(char *name)
{
    name[strcspn(name, " ")] = '\0';
    for (int error = 1; error < 134; error++)
        if (strerrorname_np(error) != NULL &&
            strcmp(strerrorname_np(error), name) == 0)
            return -error;
    return -EIO;
}

int pario_strace_parse(char *line, struct pario_strace_call *call)
{
    char *open = strchr(line, '('), *rest, *equals, *took, *end;

    if (open == NULL)
        return 0;
    *open = '\0';
    call->name = line;
    rest = split_args(open + 1, call);
    equals = rest != NULL ? strchr(rest, '=') : NULL;
    took = rest != NULL ? strrchr(rest, '<') : NULL;
    /* "= ?": it did not end, or will be made again. */
    if (equals == NULL || equals[1 + strspn(equals + 1, " ")] == '?')
        return 0;
    call->result = strtoll(equals + 1, NULL, 0);
    call->took_ns = took != NULL ? pario_strace_ns(took + 1, &end) : 0;
    if (call->result == -1) /* " = -1 ENOENT (No such ...)" */
        call->result = error_of(equals + 1 + strspn(equals + 1, " -1"));
    return call->took_ns < UINT64_C(1000000000000000);
}

/* Text between quotes, without its escapes; what is cut off ("...") stays so.
 */
char *pario_strace_unquote(char *text)
{
    char *from, *to = text;

    if (*text != '"')
        return text;
    for (from = text + 1; *from != '\0' && *from != '"'; from++) {
        unsigned value = 0;
        int digits = 0;

        if (*from != '\\' || from[1] == '\0') {
            *to++ = *from;
            continue;
        }
        from++;
        while (digits < 3 && from[digits] >= '0' && from[digits] <= '7')
            value = 8 * value + (unsigned)(from[digits++] - '0');
        if (digits > 0)
            from += digits - 1;
        *to++ = digits > 0     ? (char)(value != 0 ? value : '?')
                : *from == 'n' ? '\n'
                : *from == 't' ? '\t'
                               : *from;
    }
    *to = '\0';
    return text;
}

/* "3", "3</path>", "AT_FDCWD", "AT_FDCWD</path>". */
long pario_strace_descriptor(const char *text)
{
    char *end;
    long fd = strtol(text, &end, 10);

    if (strncmp(text, "AT_FDCWD", 8) == 0)
        return AT_FDCWD;
    return end != text && fd >= 0 ? fd : -1;
}
