/* report/measure_identity.c - what a measure is, and what speaks against it. */
#include "report/measures.h"
#include "report/table_parts.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Parameters that tell repetitions apart, not kinds of measures. */
static const char *const numbering[] = {"repetition", "repeat", "run", "set",
                                        "line"};

static int is_numbering(const char *name)
{
    for (size_t i = 0; i < sizeof(numbering) / sizeof(numbering[0]); i++)
        if (strcmp(numbering[i], name) == 0)
            return 1;
    return 0;
}

unsigned pario_run_flags(const json_t *document)
{
    const char *status = pario_document_status(document);

    if (strcmp(status, "INVALID") == 0 || strcmp(status, "UNFINISHED") == 0)
        return PARIO_POINT_INVALID;
    return strcmp(status, "PRELIMINARY") == 0 ? PARIO_POINT_PRELIMINARY : 0;
}

int pario_measure_is_sum(const json_t *measure)
{
    const char *test = json_string_value(json_object_get(measure, "test"));
    size_t len = test != NULL ? strlen(test) : 0;

    return len > 6 && strcmp(test + len - 6, "_total") == 0 &&
           json_integer_value(json_object_get(measure, "operations")) == 0;
}

unsigned pario_measure_flags(const json_t *document, const json_t *measure)
{
    const json_t *verify = json_object_get(measure, "verify");
    const char *cache = json_string_value(json_object_get(measure, "cache"));
    const char *access = json_string_value(json_object_get(measure, "access"));
    json_int_t checked =
        json_integer_value(json_object_get(verify, "checked_bytes"));
    unsigned flags = pario_run_flags(document);

    if (cache != NULL && strcmp(cache, "cache") == 0)
        flags |= PARIO_POINT_CACHE;
    if (cache != NULL && strcmp(cache, "mixed") == 0)
        flags |= PARIO_POINT_MIXED;
    if (cache != NULL && strcmp(cache, "unknown") == 0)
        flags |= PARIO_POINT_UNKNOWN;
    if (json_is_true(json_object_get(verify, "off")) ||
        (checked == 0 && access != NULL && strcmp(access, "read") == 0 &&
         !pario_measure_is_sum(measure)))
        flags |= PARIO_POINT_UNVERIFIED;
    if (json_is_string(json_object_get(measure, "error")) ||
        json_integer_value(json_object_get(verify, "errors")) > 0)
        flags |= PARIO_POINT_FAILED;
    if (json_is_true(json_object_get(measure, "short")))
        flags |= PARIO_POINT_SHORT;
    return flags;
}

unsigned pario_summary_flags(const json_t *document)
{
    const unsigned cached = PARIO_POINT_CACHE | PARIO_POINT_MIXED;
    unsigned all = ~0U, any = 0;
    const json_t *measure;
    size_t i;

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        unsigned flags = pario_measure_flags(document, measure);

        if (json_integer_value(json_object_get(measure, "bytes")) == 0 ||
            (flags & PARIO_POINT_FAILED))
            continue;
        all &= flags;
        any |= flags;
    }
    all = any != 0 ? all : 0;
    return pario_run_flags(document) |
           (all & (PARIO_POINT_CACHE | PARIO_POINT_SHORT)) |
           (any & PARIO_POINT_UNVERIFIED) |
           (!(all & PARIO_POINT_CACHE) && (any & cached) ? PARIO_POINT_MIXED
                                                         : 0);
}

static int copy_members(json_t *into, const json_t *from)
{
    void *iter = json_object_iter((json_t *)(uintptr_t)from);

    for (; iter != NULL;
         iter = json_object_iter_next((json_t *)(uintptr_t)from, iter))
        if (!is_numbering(json_object_iter_key(iter)) &&
            json_object_set(into, json_object_iter_key(iter),
                            json_object_iter_value(iter)) != 0)
            return -1;
    return 0;
}

/* xproc, yproc, zproc -> grid "2x3x1". */
static int join_grid(json_t *identity)
{
    static const char *const names[] = {"xproc", "yproc", "zproc"};
    char text[80] = "";
    size_t used = 0;

    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_object_get(identity, names[i]);

        if (!json_is_integer(value))
            break;
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "%s%" JSON_INTEGER_FORMAT, i > 0 ? "x" : "",
                                 json_integer_value(value));
    }
    if (used == 0)
        return 0;
    for (size_t i = 0; i < 3; i++)
        (void)json_object_del(identity, names[i]);
    return json_object_set_new(identity, "grid", json_string(text));
}

json_t *pario_measure_identity(const json_t *measure)
{
    static const char *const names[] = {"test", "access", "partition"};
    json_t *identity = json_object();
    int bad = identity == NULL;

    for (size_t i = 0; !bad && i < sizeof(names) / sizeof(names[0]); i++) {
        json_t *value = json_object_get(measure, names[i]);

        bad = value != NULL && json_object_set(identity, names[i], value) != 0;
    }
    if (bad || copy_members(identity, json_object_get(measure, "pattern")) ||
        copy_members(identity, json_object_get(measure, "parameters")) ||
        join_grid(identity)) {
        json_decref(identity);
        return NULL;
    }
    return identity;
}
