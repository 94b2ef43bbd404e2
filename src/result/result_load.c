/* result/result_load.c - reading a document back, and saying what is wrong
 * with one that is not as docs/result-format.md says. */
#include "result/document.h"
#include "result/io500.h"
#include "result/line.h"
#include "result/result.h"
#include "result/value.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SUMMARY 1000 /* figures: each is set beside all measures */
#define MAX_MEMBERS 200  /* of a measure: those of one are looked for in all */
#define PATH_TEXT_LEN 128
#define MAX_DOCUMENT ((size_t)1 << 30) /* 10^6 measures are half of it */

/* What a member may be; the bits add up. */
enum kind {
    STRING = 1,
    NATURAL = 2, /* an integer >= 0 */
    NUMBER = 4,
    BOOLEAN = 8,
    NUL = 16,
    OBJECT = 32,
    ARRAY = 64,
    OPTIONAL = 128,
};

struct member {
    const char *name;
    int kinds;
};

static const struct member top_members[] = {
    {"suite", STRING},
    {"valid", BOOLEAN},
    {"warnings", ARRAY},
    {"invalid_reasons", ARRAY | OPTIONAL},
    {"command", ARRAY},
    {"started_utc", STRING},
    {"finished_utc", STRING | NUL},
    {"tool", OBJECT | OPTIONAL},
    {"options", OBJECT | OPTIONAL},
    {"hints_requested", OBJECT | OPTIONAL},
    {"hints_in_force", OBJECT | OPTIONAL},
    {"resumed", ARRAY | OPTIONAL},
    {"system", OBJECT},
    {"summary", OBJECT},
    {"measures", ARRAY},
    {NULL, 0},
};

static const struct member system_members[] = {
    {"nodes", NATURAL | OPTIONAL},
    {"processes", NATURAL | OPTIONAL},
    {"mpi", STRING | NUL | OPTIONAL},
    {"filesystem", STRING | NUL | OPTIONAL},
    {"memory_per_node_bytes", NUMBER | NUL | OPTIONAL},
    {NULL, 0},
};

static const struct member measure_members[] = {
    {"test", STRING},
    {"pattern", OBJECT | OPTIONAL},
    {"parameters", OBJECT | OPTIONAL},
    {"access", STRING | NUL},
    {"partition", NATURAL},
    {"bytes", NATURAL},
    {"seconds", NUMBER | NUL},
    {"bandwidth_mbps", NUMBER | NUL},
    {"operations", NATURAL},
    {"latency_ns", OBJECT | NUL | OPTIONAL},
    {"verify", OBJECT},
    {"cache", STRING},
    {"error", STRING | NUL},
    {NULL, 0},
};

static const struct member latency_members[] = {
    {"p50", NATURAL},  {"p90", NATURAL}, {"p99", NATURAL},
    {"p999", NATURAL}, {"max", NATURAL}, {NULL, 0},
};

static const struct member verify_members[] = {
    {"checked_bytes", NATURAL},
    {"errors", NATURAL},
    {"off", BOOLEAN | OPTIONAL},
    {NULL, 0},
};

/* The text being checked; the first complaint is kept. */
struct check {
    const char *path, *text;
    size_t len;
};

static int complain(const struct check *check, const char *where,
                    const char *what)
{
    return pario_fail(
        PARIO_EFORMAT, "%s:%d: %s %s (docs/result-format.md)", check->path,
        pario_json_line(check->text, check->len, where), where, what);
}

static int has_kind(const json_t *value, int kinds)
{
    return ((kinds & STRING) && json_is_string(value)) ||
           ((kinds & NATURAL) && json_is_integer(value) &&
            json_integer_value(value) >= 0) ||
           ((kinds & NUMBER) && json_is_number(value)) ||
           ((kinds & BOOLEAN) && json_is_boolean(value)) ||
           ((kinds & NUL) && json_is_null(value)) ||
           ((kinds & OBJECT) && json_is_object(value)) ||
           ((kinds & ARRAY) && json_is_array(value));
}

static const char *expectation(int kinds)
{
    switch (kinds & ~OPTIONAL) {
    case STRING:
        return "must be a string";
    case STRING | NUL:
        return "must be a string or null";
    case NATURAL:
        return "must be a whole number, not negative";
    case NUMBER | NUL:
        return "must be a number or null";
    case BOOLEAN:
        return "must be true or false";
    case OBJECT:
        return "must be an object";
    case OBJECT | NUL:
        return "must be an object or null";
    default:
        return "must be an array";
    }
}

static int check_members(const struct check *check, const json_t *object,
                         const char *where, const struct member *members)
{
    char path[PATH_TEXT_LEN];

    for (; members->name != NULL; members++) {
        const json_t *value = json_object_get(object, members->name);

        snprintf(path, sizeof(path), "%s%s%s", where,
                 where[0] != '\0' ? "." : "", members->name);
        if (value == NULL && !(members->kinds & OPTIONAL))
            return complain(check, path, "is missing");
        if (value != NULL && !has_kind(value, members->kinds))
            return complain(check, path, expectation(members->kinds));
    }
    return 0;
}

static int check_strings(const struct check *check, const json_t *document,
                         const char *name)
{
    const json_t *value;
    char path[PATH_TEXT_LEN];
    size_t i;

    json_array_foreach(json_object_get(document, name), i, value)
    {
        snprintf(path, sizeof(path), "%s[%zu]", name, i);
        if (!json_is_string(value))
            return complain(check, path, "must be a string");
    }
    return 0;
}

static int check_summary(const struct check *check, json_t *summary)
{
    const char *name;
    const json_t *value;
    char path[PATH_TEXT_LEN];

    if (json_object_size(summary) > MAX_SUMMARY)
        return complain(check, "summary", "has more than 1000 figures");
    json_object_foreach(summary, name, value)
    {
        snprintf(path, sizeof(path), "summary.%s", name);
        if (json_is_object(value) || json_is_array(value))
            return complain(check, path, "must be one value");
    }
    return 0;
}

/* Each name of a view is looked for among the names of the document. */
static int check_view(const struct check *check, json_t *view)
{
    const char *name;
    const json_t *value;

    json_object_foreach(view, name, value)
    {
        if (strcmp(name, "pictures") != 0 &&
            json_array_size(value) > MAX_SUMMARY)
            return complain(check, "view", "has more than 1000 entries");
    }
    return 0;
}

static int known_cache(const char *name)
{
    return strcmp(name, "unknown") == 0 || strcmp(name, "disk") == 0 ||
           strcmp(name, "mixed") == 0 || strcmp(name, "cache") == 0;
}

static int check_width(const struct check *check, const json_t *measure,
                       const char *where)
{
    static const char *const names[] = {"pattern", "parameters"};
    int wide = json_object_size(measure) > MAX_MEMBERS;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        wide |=
            json_object_size(json_object_get(measure, names[i])) > MAX_MEMBERS;
    return wide ? complain(check, where, "has more than 200 members") : 0;
}

static int check_measure(const struct check *check, const json_t *measure,
                         size_t index)
{
    char where[PATH_TEXT_LEN / 2], path[PATH_TEXT_LEN];
    const json_t *latency = json_object_get(measure, "latency_ns");
    int code;

    snprintf(where, sizeof(where), "measures[%zu]", index);
    if (!json_is_object(measure))
        return complain(check, where, "must be an object");
    code = check_members(check, measure, where, measure_members);
    if (code == 0)
        code = check_width(check, measure, where);
    if (code != 0)
        return code;
    snprintf(path, sizeof(path), "%s.cache", where);
    if (!known_cache(pario_text_of(measure, "cache", NULL)))
        return complain(check, path,
                        "must be \"disk\", \"mixed\", \"cache\" or "
                        "\"unknown\"");
    if (json_is_object(latency)) {
        snprintf(path, sizeof(path), "%s.latency_ns", where);
        code = check_members(check, latency, path, latency_members);
        if (code != 0)
            return code;
    }
    snprintf(path, sizeof(path), "%s.verify", where);
    return check_members(check, json_object_get(measure, "verify"), path,
                         verify_members);
}

static int check_schema(const struct check *check, const json_t *document)
{
    static const char family[] = "pario-result/";
    const json_t *value = json_object_get(document, "schema");
    const char *schema = json_string_value(value);
    int line = pario_json_line(check->text, check->len, "schema");

    if (!json_is_object(document))
        return pario_fail(PARIO_EFORMAT, "%s:%d: not a pario result: %s",
                          check->path, line, "the document is no object");
    if (schema == NULL)
        return pario_fail(PARIO_EFORMAT,
                          "%s:%d: not a pario result: it has no \"schema\"",
                          check->path, line);
    if (strcmp(schema, PARIO_SCHEMA) == 0)
        return 0;
    if (strncmp(schema, family, strlen(family)) == 0)
        return pario_fail(PARIO_EFORMAT,
                          "%s:%d: schema is %s, and this pario reads %s: use "
                          "the version of pario that wrote it, or a newer one",
                          check->path, line, schema, PARIO_SCHEMA);
    return pario_fail(PARIO_EFORMAT,
                      "%s:%d: not a pario result: schema is \"%s\", not "
                      "\"%s\"",
                      check->path, line, schema, PARIO_SCHEMA);
}

static int check_document(const struct check *check, const json_t *document)
{
    const json_t *measure;
    size_t i;
    int code = check_schema(check, document);

    if (code == 0)
        code = check_members(check, document, "", top_members);
    if (code == 0)
        code = check_strings(check, document, "warnings");
    if (code == 0)
        code = check_strings(check, document, "invalid_reasons");
    if (code == 0)
        code = check_strings(check, document, "command");
    if (code == 0)
        code = check_members(check, json_object_get(document, "system"),
                             "system", system_members);
    if (code == 0)
        code = check_summary(check, json_object_get(document, "summary"));
    if (code == 0)
        code = check_view(check, json_object_get(document, "view"));
    if (code != 0)
        return code;
    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        code = check_measure(check, measure, i);
        if (code != 0)
            return code;
    }
    return 0;
}

/* The whole of a stream; the caller frees *text_p. */
static int read_stream(FILE *in, const char *path, char **text_p, size_t *len_p)
{
    size_t len = 0, capacity = 65536;
    char *text = malloc(capacity), *more;

    while (text != NULL) {
        len += fread(text + len, 1, capacity - 1 - len, in);
        if (len < capacity - 1)
            break;
        if (capacity > MAX_DOCUMENT) {
            free(text);
            return pario_fail(-EFBIG, "%s: too large for a pario result", path);
        }
        capacity *= 2;
        more = realloc(text, capacity);
        if (more == NULL)
            free(text);
        text = more;
    }
    if (text == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", path);
    if (ferror(in)) {
        free(text);
        return pario_fail_errno(errno != 0 ? -errno : -EIO, "cannot read %s",
                                path);
    }
    text[len] = '\0';
    *text_p = text;
    *len_p = len;
    return 0;
}

static int read_file(const char *path, char **text_p, size_t *len_p)
{
    FILE *in = fopen(path, "re");
    int code;

    if (in == NULL)
        return pario_fail_errno(-errno, "cannot read %s", path);
    errno = 0;
    code = read_stream(in, path, text_p, len_p);
    fclose(in);
    return code;
}

static int parse(const struct check *check, json_t **document_p)
{
    json_error_t error;
    json_t *document;
    int code;

    if (check->len == 0)
        return pario_fail(PARIO_EFORMAT,
                          "%s:1: the file is empty: nothing was measured",
                          check->path);
    if (pario_io500_looks_so(check->text, check->len))
        return pario_io500_read(check->path, check->text, check->len,
                                document_p);
    document =
        json_loadb(check->text, check->len, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL && error.text[0] == '\0') /* jansson says no more */
        return pario_fail_errno(-ENOMEM, "cannot read %s", check->path);
    if (document == NULL)
        return pario_fail(PARIO_EFORMAT, "%s:%d: not valid JSON: %s",
                          check->path, error.line > 0 ? error.line : 1,
                          error.text);
    code = check_document(check, document);
    if (code != 0) {
        json_decref(document);
        return code;
    }
    *document_p = document;
    return 0;
}

int pario_result_parse(const char *name, const char *text, size_t len,
                       json_t **document_p)
{
    const struct check check = {.path = name, .text = text, .len = len};

    return parse(&check, document_p);
}

int pario_result_load(const char *path, json_t **document_p)
{
    struct check check = {.path = path};
    char *text = NULL;
    int code = read_file(path, &text, &check.len);

    if (code != 0)
        return code;
    check.text = text;
    code = parse(&check, document_p);
    free(text);
    return code;
}
