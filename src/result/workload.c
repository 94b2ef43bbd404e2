/* result/workload.c - what a run was asked to do. */
#include "result/workload.h"
#include "result/value.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const free_options[] = {
    "output",   "resume",     "force", "quiet",    "verbose", "no-watchdog",
    "watchdog", "samples",    "keep",  "deadline", "config",  "dry-run",
    "without",  "hints-file", "json",  "script",   "fio", /* what is in them
                                                             counts, not where
                                                             they are */
};

/* A document may spell "dry_run". */
static int same_name(const char *a, const char *b)
{
    while (*a != '\0' && (*a == *b || (*a == '_' && *b == '-')))
        a++, b++;
    return *a == '\0' && *b == '\0';
}

int pario_option_is_free(const char *name)
{
    for (size_t i = 0; i < sizeof(free_options) / sizeof(free_options[0]); i++)
        if (same_name(name, free_options[i]))
            return 1;
    return 0;
}

#define HASH_BEGIN UINT64_C(14695981039346656037)

/* FNV-1a: the same on every machine. */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t hash_more(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text));
}

static int set_mark(struct pario_result *result, const char *name,
                    uint64_t hash)
{
    char mark[48];

    snprintf(mark, sizeof(mark), "text with the hash %016" PRIx64, hash);
    return pario_result_set(result, "options", name, json_string(mark));
}

int pario_result_workload_text(struct pario_result *result, const char *name,
                               const char *text)
{
    return set_mark(result, name, hash_more(HASH_BEGIN, text));
}

int pario_result_workload_file(struct pario_result *result, const char *name,
                               const char *path)
{
    FILE *file = fopen(path, "r");
    uint64_t hash = HASH_BEGIN;
    char part[4096];
    size_t n;
    int failed;

    if (file == NULL)
        return pario_fail_errno(-errno, "cannot read %s", path);
    while ((n = fread(part, 1, sizeof(part), file)) > 0)
        hash = hash_bytes(hash, part, n);
    failed = ferror(file);
    fclose(file);
    if (failed)
        return pario_fail_errno(-EIO, "cannot read %s", path);
    return set_mark(result, name, hash);
}

/* The sum does not depend on the order of the options. */
json_t *pario_workload_value(const json_t *document)
{
    const char *suite = pario_text_of(document, "suite", NULL);
    uint64_t sum = hash_more(HASH_BEGIN, suite != NULL ? suite : "");
    const json_t *value;
    const char *name;
    char text[24];

    json_object_foreach(json_object_get(document, "options"), name, value)
    {
        if (!pario_option_is_free(name) && json_is_string(value))
            sum += hash_more(hash_more(hash_more(HASH_BEGIN, name), "="),
                             json_string_value(value));
    }
    snprintf(text, sizeof(text), "%016" PRIx64, sum);
    return json_string(text);
}
