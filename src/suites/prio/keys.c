/* suites/prio/keys.c - the keywords of a section, as one table. */
#include "suites/prio/keys.h"

#include "core/nearest.h"
#include "core/units.h"
#include "suites/prio/think.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH 4096

typedef int set_fn(struct prio_section *section, const char *text);

static int set_patterns(struct prio_section *section, const char *text)
{
    return prio_names_parse(text, "pattern", prio_pattern_names,
                            section->bench->patterns, &section->patterns);
}

static int set_methods(struct prio_section *section, const char *text)
{
    unsigned has = section->bench->methods;
    unsigned available = prio_methods_available();
    int code = prio_names_parse(text, "access method", prio_method_names, has,
                                &section->methods);

    if (code != 0)
        return code;
    if (strcasecmp(text, "all") == 0)
        section->methods &= available;
    for (int i = 0; i < PRIO_METHODS; i++)
        if (section->methods & ~available & 1u << i)
            return pario_fail(PARIO_EUSAGE,
                              "the access method %s is not compiled in, or not "
                              "allowed on this system (see `pario doctor`)",
                              prio_method_names[i]);
    return 0;
}

static int set_data(struct prio_section *section, const char *text)
{
    return prio_sizes_parse(text, &section->data);
}

static int set_request(struct prio_section *section, const char *text)
{
    return prio_sizes_parse(text, &section->request);
}

static int set_ratio(struct prio_section *section, const char *text)
{
    return prio_ratios_parse(text, &section->ratio);
}

static int set_processes(struct prio_section *section, const char *text)
{
    return prio_counts_parse(text, &section->processes);
}

#define AT(member) offsetof(struct prio_section, member)

const char *const prio_sync_names[] = {"end", "none", "dsync", NULL};
const char *const prio_buffer_names[] = {"exact", "reuse", NULL};

/* Lists have a function of their own. */
static set_fn *const lists[PRIO_KEYS] = {
    [PRIO_KEY_PATTERNS] = set_patterns, [PRIO_KEY_METHODS] = set_methods,
    [PRIO_KEY_DATA] = set_data,         [PRIO_KEY_REQUEST] = set_request,
    [PRIO_KEY_RATIO] = set_ratio,       [PRIO_KEY_PROCESSES] = set_processes,
};

const struct pario_field prio_keys[PRIO_KEYS + 1] = {
    [PRIO_KEY_PATTERNS] = {.name = "patterns", .aliases = {"pattern"}},
    [PRIO_KEY_METHODS] = {.name = "methods", .aliases = {"method"}},
    [PRIO_KEY_DATA] = {.name = "data",
                       .aliases = {"data_size", "file_size"},
                       .unless = PRIO_NO_DATA},
    [PRIO_KEY_REQUEST] = {.name = "request",
                          .aliases = {"request_size", "block_size"},
                          .unless = PRIO_NO_DATA | PRIO_WHOLE},
    [PRIO_KEY_RATIO] = {.name = "ratio",
                        .aliases = {"read_write_ratio"},
                        .unless = PRIO_NO_DATA | PRIO_WHOLE},
    [PRIO_KEY_PROCESSES] = {.name = "processes"},
    [PRIO_KEY_REPETITIONS] = {PARIO_FIELD("repetitions", INT, AT(repetitions)),
                              PARIO_RANGE(1, PRIO_MAX_REPETITIONS)},
    [PRIO_KEY_THINK] = {PARIO_FIELD("think", TIME, AT(base.think_s)),
                        .aliases = {"think_time"},
                        .unless = PRIO_NO_DATA | PRIO_WHOLE},
    [PRIO_KEY_PREFETCH] = {PARIO_FIELD("prefetch", INT, AT(base.prefetch)),
                           PARIO_RANGE(0, PRIO_MAX_PREFETCH),
                           .aliases = {"prefetch_size"},
                           .unless = PRIO_NO_DATA | PRIO_WHOLE},
    [PRIO_KEY_TIME] = {PARIO_FIELD("time", TIME, AT(base.time_s)),
                       .needs = PRIO_CAN_TIME},
    [PRIO_KEY_DIRECT] = {PARIO_FLAG("direct", AT(base.direct)),
                         .unless = PRIO_NO_DATA},
    [PRIO_KEY_SYNC] = {PARIO_FIELD("sync", CHOICE, AT(base.sync)),
                       .choices = prio_sync_names,
                       .unless = PRIO_NO_DATA | PRIO_WHOLE},
    [PRIO_KEY_DEPTH] = {PARIO_FIELD("depth", INT, AT(base.depth)),
                        PARIO_RANGE(1, MAX_DEPTH), .aliases = {"queue_depth"},
                        .unless = PRIO_NO_DATA | PRIO_WHOLE},
    [PRIO_KEY_BLOCKS] = {PARIO_FIELD("blocks", INT, AT(base.blocks)),
                         PARIO_RANGE(1, 1 << 30),
                         .aliases = {"blocks_per_stride"},
                         .needs = PRIO_STRIDES},
    [PRIO_KEY_BUFFER] = {PARIO_FIELD("buffer", CHOICE, AT(base.reuse_buffer)),
                         .choices = prio_buffer_names,
                         .unless = PRIO_NO_DATA | PRIO_WHOLE},
    [PRIO_KEY_DEVICE] = {PARIO_FIELD("device", STRING, AT(base.device)),
                         .needs = PRIO_ON_DEVICE},
    [PRIO_KEY_COMPUTATION] = {PARIO_FIELD("computation", REAL,
                                          AT(base.computation)),
                              PARIO_RANGE(1e-9, 1), .needs = PRIO_WHOLE},
    [PRIO_KEY_ALONE] = {PARIO_FLAG("alone", AT(alone))},
    [PRIO_KEY_ANSWER] = {PARIO_FIELD("answer", STRING, AT(answer)),
                         .unless = PRIO_WHOLE},
    [PRIO_KEYS] = {.name = NULL},
};

static const struct pario_option *find_own(const struct prio_bench *bench,
                                           const char *name)
{
    for (int i = 0; bench->keywords != NULL && bench->keywords[i].name != NULL;
         i++)
        if (strcmp(bench->keywords[i].name, name) == 0)
            return &bench->keywords[i];
    return NULL;
}

int prio_key_known(const char *name)
{
    struct pario_nearest nearest = {.word = name};

    if (pario_field_find(prio_keys, name) != NULL)
        return 0;
    for (int i = 0; i < PRIO_KEYS; i++)
        pario_nearest_try(&nearest, prio_keys[i].name);
    return pario_fail(PARIO_EUSAGE, "unknown keyword%s",
                      pario_nearest_say(&nearest, ""));
}

int prio_key_understood(const struct prio_section *section, const char *name)
{
    const struct pario_field *key = pario_field_find(prio_keys, name);

    return key != NULL && pario_field_applies(key, section->bench->abilities);
}

int prio_key_set(struct prio_section *section,
                 const struct pario_keyword *keyword, int global)
{
    const struct pario_option *own = find_own(section->bench, keyword->name);
    const struct pario_field *key = pario_field_find(prio_keys, keyword->name);
    size_t number = key != NULL ? (size_t)(key - prio_keys) : PRIO_KEYS;

    if (keyword->value[0] == '\0')
        return pario_fail(PARIO_EUSAGE, "a value is missing");
    if (own != NULL)
        return pario_option_set_value(own, section->own, keyword->value,
                                      "value");
    if (key == NULL)
        return prio_key_known(keyword->name);
    if (!prio_key_understood(section, keyword->name))
        return pario_fail(PARIO_EUSAGE, "means nothing to %s",
                          section->bench->test.name);
    if (!global && section->lines[number] > 0)
        return pario_fail(PARIO_EUSAGE, "given twice in this section");
    section->lines[number] = global ? -keyword->line : keyword->line;
    return lists[number] != NULL
               ? lists[number](section, keyword->value)
               : pario_field_set(key, section, keyword->value, "value");
}

int prio_keys_defaults(struct prio_section *section)
{
    const struct prio_bench *bench = section->bench;

    section->alone = -1;
    section->patterns = bench->patterns;
    section->methods = bench->methods & prio_methods_available();
    section->repetitions = 1;
    section->data =
        (struct prio_sizes){.item = {{32 << 20, 32 << 20}}, .count = 1};
    section->request =
        (struct prio_sizes){.item = {{16 << 10, 16 << 10}}, .count = 1};
    section->ratio = (struct prio_ratios){.item = {{1, 1}}, .count = 1};
    section->processes = (struct prio_counts){.item = {0}, .count = 1};
    section->base = (struct prio_case){
        .blocks = 1, .depth = 1, .computation = 0.5, .reads = 1};
    if (bench->abilities & PRIO_ON_DEVICE) {
        /* Reading destroys nothing (PRIOmark, figure 6). */
        section->ratio.item[0] = (struct prio_ratio){1, 0};
        section->base.direct = 1;
    }
    if (section->methods == 0 && bench->methods != 0)
        return pario_fail(PARIO_EUSAGE,
                          "%s needs MPI-IO, and this build has none (see "
                          "`pario --version`)",
                          bench->test.name);
    section->own = malloc(bench->own_size > 0 ? bench->own_size : 1);
    if (section->own == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the workload");
    if (bench->own_size > 0)
        memcpy(section->own, bench->own_defaults, bench->own_size);
    return 0;
}
