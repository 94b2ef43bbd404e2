/* suites/prio/workload.c - reading a workload file. */
#include "suites/prio/workload.h"

#include "core/nearest.h"
#include "core/units.h"
#include "pario_config.h"
#include "suites/prio/keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BENCH "replay" /* whose sections name a file */

const char *const prio_pattern_names[] = {
    [PRIO_WRITE] = "write",
    [PRIO_READ_WRITE] = "read_write",
    [PRIO_RANDOM] = "random_read_write",
    [PRIO_BACKWARD] = "backward_read",
    [PRIO_READ] = "read",
    NULL,
};

const char *const prio_method_names[] = {
    [PRIO_POSIX] = "posix",
    [PRIO_URING] = "io_uring",
    [PRIO_AIO] = "posix_aio",
    [PRIO_INDIVIDUAL] = "individual",
    [PRIO_EXPLICIT] = "explicit",
    [PRIO_INDIVIDUAL_ALL] = "individual_collective",
    [PRIO_EXPLICIT_ALL] = "explicit_collective",
    NULL,
};

/* Found out once, before any workload is read. */
static unsigned forbidden;

unsigned prio_methods_available(void)
{
    unsigned all = (1u << PRIO_METHODS) - 1;

#if !PARIO_HAVE_URING
    all &= ~(1u << PRIO_URING);
#endif
#if !PARIO_HAVE_MPIIO
    all &= (1u << PRIO_POSIX) | (1u << PRIO_URING) | (1u << PRIO_AIO);
#endif
    return all & ~forbidden;
}

void prio_methods_forbid(enum prio_method method)
{
    forbidden |= 1u << method;
}

int prio_method_is_collective(enum prio_method method)
{
    return method == PRIO_INDIVIDUAL_ALL || method == PRIO_EXPLICIT_ALL;
}

int prio_method_is_mpiio(enum prio_method method)
{
    return method >= PRIO_INDIVIDUAL;
}

int prio_workload_fail(const struct prio_workload *workload, int line,
                       const char *keyword)
{
    char message[512];

    snprintf(message, sizeof(message), "%s", pario_error_message());
    return pario_fail(PARIO_EUSAGE, "%s:%d: %s%s%s", workload->file->path, line,
                      keyword, keyword[0] != '\0' ? ": " : "", message);
}

/* "single_file readers" -> bench name and label. What is named by a file has
 * the last part of its path as label. */
static int split_header(const char *header, char name[PRIO_LABEL_LEN],
                        char label[PRIO_LABEL_LEN])
{
    size_t len = strcspn(header, " \t");
    const char *rest = header + len + strspn(header + len, " \t");
    const char *slash = strrchr(rest, '/');

    if (slash != NULL && len == strlen(FILE_BENCH) &&
        strncmp(header, FILE_BENCH, len) == 0)
        rest = slash + 1;
    if (len >= PRIO_LABEL_LEN || strlen(rest) >= PRIO_LABEL_LEN ||
        strcspn(rest, " \t/") != strlen(rest) || strcmp(rest, ".") == 0 ||
        strcmp(rest, "..") == 0)
        return pario_fail(PARIO_EUSAGE,
                          "a section is [NAME] or [NAME LABEL], a label one "
                          "word that can be the name of a file");
    memcpy(name, header, len);
    name[len] = '\0';
    snprintf(label, PRIO_LABEL_LEN, "%s", rest[0] != '\0' ? rest : name);
    return 0;
}

static const struct prio_bench *
find_bench(const struct prio_bench *const *benches, const char *name)
{
    for (int i = 0; benches[i] != NULL; i++)
        if (strcmp(benches[i]->test.name, name) == 0)
            return benches[i];
    return NULL;
}

static int unknown_bench(const struct prio_bench *const *benches,
                         const char *name)
{
    struct pario_nearest nearest = {.word = name};

    pario_nearest_try(&nearest, "mix");
    for (int i = 0; benches[i] != NULL; i++)
        pario_nearest_try(&nearest, benches[i]->test.name);
    return pario_fail(PARIO_EUSAGE, "unknown sub-benchmark [%s]%s", name,
                      pario_nearest_say(&nearest, ""));
}

static int label_taken(const struct prio_workload *workload, const char *label)
{
    for (int i = 0; i < workload->nsections; i++)
        if (strcmp(workload->section[i].label, label) == 0)
            return 1;
    for (int i = 0; i < workload->nmixes; i++)
        if (strcmp(workload->mix[i].label, label) == 0)
            return 1;
    return 0;
}

static int begin_section(struct prio_workload *workload,
                         const struct prio_bench *const *benches,
                         const char *header, int line)
{
    char name[PRIO_LABEL_LEN], label[PRIO_LABEL_LEN];
    struct prio_section *section;
    int code = split_header(header, name, label);

    if (code != 0)
        return code;
    if (label_taken(workload, label))
        return pario_fail(PARIO_EUSAGE,
                          "section '%s' appears twice; a label makes them "
                          "two: [%s LABEL]",
                          label, name);
    if (workload->nsections == PRIO_MAX_SECTIONS ||
        workload->nmixes == PRIO_MAX_SECTIONS)
        return pario_fail(PARIO_EUSAGE, "more than %d sections",
                          PRIO_MAX_SECTIONS);
    if (strcmp(name, "mix") == 0) {
        struct prio_mix *mix = &workload->mix[workload->nmixes++];

        *mix = (struct prio_mix){.line = line, .time_s = 10, .repetitions = 1};
        memcpy(mix->label, label, sizeof(label));
        return 0;
    }
    section = &workload->section[workload->nsections];
    *section = (struct prio_section){.bench = find_bench(benches, name),
                                     .number = workload->nsections,
                                     .line = line};
    memcpy(section->label, label, sizeof(label));
    if (section->bench == NULL)
        return unknown_bench(benches, name);
    workload->nsections++;
    code = prio_keys_defaults(section);
    if (code == 0 && section->bench->name != NULL &&
        header[strlen(name)] != '\0')
        section->bench->name(section->own,
                             header + strlen(name) +
                                 strspn(header + strlen(name), " \t"));
    return code;
}

/* Also those without keywords. */
static int read_headers(struct prio_workload *workload,
                        const struct prio_bench *const *benches)
{
    const struct pario_keyfile *file = workload->file;
    int code = 0;

    for (size_t i = 0; i < file->nsections && code == 0; i++) {
        code = begin_section(workload, benches, file->sections[i],
                             file->section_lines[i]);
        if (code != 0)
            code = prio_workload_fail(workload, file->section_lines[i], "");
    }
    return code;
}

static int same_header(const char *header, const char *label, const char *bench)
{
    char name[PRIO_LABEL_LEN], found[PRIO_LABEL_LEN];

    return split_header(header, name, found) == 0 && strcmp(name, bench) == 0 &&
           strcmp(found, label) == 0;
}

static struct prio_section *find_label(struct prio_workload *workload,
                                       const char *label)
{
    for (int i = 0; i < workload->nsections; i++)
        if (strcmp(workload->section[i].label, label) == 0)
            return &workload->section[i];
    return NULL;
}

static int set_part(struct prio_workload *workload, struct prio_mix *mix,
                    const struct pario_keyword *keyword)
{
    struct prio_section *section = find_label(workload, keyword->name);
    struct prio_part *part;
    int code;

    if (section == NULL)
        return pario_fail(PARIO_EUSAGE,
                          "no section has this name; a mix names sections "
                          "and their shares, time and repetitions");
    if (mix->nparts == PRIO_MAX_PARTS)
        return pario_fail(PARIO_EUSAGE, "more than %d parts", PRIO_MAX_PARTS);
    for (int i = 0; i < mix->nparts; i++)
        if (mix->part[i].section == section)
            return pario_fail(PARIO_EUSAGE, "named twice in this mix");
    part = &mix->part[mix->nparts];
    part->section = section;
    part->line = keyword->line;
    code = prio_share_parse(keyword->value, &part->share);
    if (code == 0) {
        mix->nparts++;
        part->section->in_mix = 1;
    }
    return code;
}

static int set_mix(struct prio_workload *workload, struct prio_mix *mix,
                   const struct pario_keyword *keyword)
{
    static const struct pario_field fields[] = {
        {PARIO_FIELD("time", TIME, offsetof(struct prio_mix, time_s)),
         PARIO_RANGE(1e-6, 1e9)},
        {PARIO_FIELD("repetitions", INT,
                     offsetof(struct prio_mix, repetitions)),
         PARIO_RANGE(1, PRIO_MAX_REPETITIONS)},
        {.name = NULL},
    };
    const struct pario_field *field = pario_field_find(fields, keyword->name);

    return field != NULL ? pario_field_set(field, mix, keyword->value, "value")
                         : set_part(workload, mix, keyword);
}

/* Before the first section: about the file, or a default for all sections. */
static int set_global(struct prio_workload *workload,
                      const struct pario_keyword *keyword)
{
    static const struct pario_field fields[] = {
        {PARIO_FIELD("name", STRING, offsetof(struct prio_workload, name))},
        {PARIO_FIELD("memory", SIZE,
                     offsetof(struct prio_workload, memory_bytes))},
        {PARIO_FIELD("seed", INT, offsetof(struct prio_workload, seed))},
        {.name = NULL},
    };
    const struct pario_field *field = pario_field_find(fields, keyword->name);

    return field != NULL
               ? pario_field_set(field, workload, keyword->value, "value")
               : prio_key_known(keyword->name);
}

/* Defaults of all sections first, so that a section's own words win. */
static int apply(struct prio_workload *workload, int globals)
{
    const struct pario_keyfile *file = workload->file;
    int code = 0;

    for (size_t k = 0; code == 0 && k < file->count; k++) {
        const struct pario_keyword *keyword = &file->keywords[k];
        int global = keyword->section[0] == '\0';

        if (global != globals)
            continue;
        if (global)
            code = set_global(workload, keyword);
        for (int i = 0; code == 0 && i < workload->nsections; i++) {
            struct prio_section *section = &workload->section[i];

            if (global ? prio_key_understood(section, keyword->name)
                       : same_header(keyword->section, section->label,
                                     section->bench->test.name))
                code = prio_key_set(section, keyword, global);
        }
        for (int i = 0; code == 0 && !global && i < workload->nmixes; i++)
            if (same_header(keyword->section, workload->mix[i].label, "mix"))
                code = set_mix(workload, &workload->mix[i], keyword);
        if (code != 0)
            code = prio_workload_fail(workload, keyword->line, keyword->name);
    }
    return code;
}

static void settle(struct prio_workload *workload, const char *device)
{
    for (int i = 0; i < workload->nsections; i++) {
        struct prio_section *section = &workload->section[i];

        if (section->alone < 0)
            section->alone = !section->in_mix;
        if (section->base.device == NULL)
            section->base.device = device;
        section->base.own = section->own;
        section->base.label = section->label;
    }
}

int prio_workload_read(const char *path,
                       const struct prio_bench *const *benches, uint64_t seed,
                       const char *device, struct prio_workload **workload_p)
{
    struct prio_workload *workload = calloc(1, sizeof(*workload));
    int code;

    if (workload == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", path);
    workload->seed = seed;
    workload->name = path;
    code = pario_keyfile_read(path, NULL, &workload->file);
    if (code == 0)
        code = read_headers(workload, benches);
    if (code == 0)
        code = apply(workload, 1);
    if (code == 0)
        code = apply(workload, 0);
    if (code == 0 && workload->nsections == 0)
        code = pario_fail(PARIO_EUSAGE,
                          "%s has no section such as [single_file]: nothing "
                          "to do",
                          path);
    if (code != 0) {
        prio_workload_destroy(workload);
        return code;
    }
    settle(workload, device);
    *workload_p = workload;
    return 0;
}

void prio_workload_destroy(struct prio_workload *workload)
{
    if (workload == NULL)
        return;
    for (int i = 0; i < workload->nsections; i++)
        free(workload->section[i].own);
    pario_keyfile_destroy(workload->file);
    free(workload);
}
