/* suites/prio/keys.c - the keywords of a section, as one table. */
#include "suites/prio/keys.h"

#include "core/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_REPETITIONS 1000
#define MAX_DEPTH 4096

typedef int set_fn(struct prio_section *section, const char *text);

static int parse_int(const char *text, int64_t low, int64_t high,
                     int64_t *value_p)
{
    char *end = NULL;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return pario_fail(PARIO_EUSAGE, "'%s' is no number", text);
    if (value < low || value > high)
        return pario_fail(PARIO_EUSAGE, "%lld is not within %lld .. %lld",
                          value, (long long)low, (long long)high);
    *value_p = value;
    return 0;
}

int prio_repetitions_parse(const char *text, int *count_p)
{
    int64_t value = 0;
    int code = parse_int(text, 1, MAX_REPETITIONS, &value);

    if (code == 0)
        *count_p = (int)value;
    return code;
}

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

static int set_repetitions(struct prio_section *section, const char *text)
{
    return prio_repetitions_parse(text, &section->repetitions);
}

static int set_think(struct prio_section *section, const char *text)
{
    return pario_time_parse(text, &section->base.think_s);
}

static int set_time(struct prio_section *section, const char *text)
{
    return pario_time_parse(text, &section->base.time_s);
}

static int set_direct(struct prio_section *section, const char *text)
{
    return prio_flag_parse(text, &section->base.direct);
}

static int set_choice(const char *text, const char *const *choices, int *value)
{
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcasecmp(choices[i], text) == 0) {
            *value = i;
            return 0;
        }
    }
    return pario_fail(PARIO_EUSAGE, "'%s' is none of %s, %s%s%s", text,
                      choices[0], choices[1], choices[2] != NULL ? ", " : "",
                      choices[2] != NULL ? choices[2] : "");
}

static int set_sync(struct prio_section *section, const char *text)
{
    static const char *const choices[] = {"end", "none", "dsync", NULL};

    return set_choice(text, choices, &section->base.sync);
}

static int set_buffer(struct prio_section *section, const char *text)
{
    static const char *const choices[] = {"exact", "reuse", NULL};

    return set_choice(text, choices, &section->base.reuse_buffer);
}

static int set_depth(struct prio_section *section, const char *text)
{
    return parse_int(text, 1, MAX_DEPTH, &section->base.depth);
}

static int set_blocks(struct prio_section *section, const char *text)
{
    return parse_int(text, 1, 1 << 30, &section->base.blocks);
}

static int set_device(struct prio_section *section, const char *text)
{
    section->base.device = text;
    return 0;
}

static int set_computation(struct prio_section *section, const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value > 0 && value <= 1))
        return pario_fail(PARIO_EUSAGE,
                          "'%s' is no share of the I/O's time in 0 .. 1", text);
    section->base.computation = value;
    return 0;
}

static int set_alone(struct prio_section *section, const char *text)
{
    return prio_flag_parse(text, &section->alone);
}

/* needs: abilities it is for; unless: abilities it means nothing to. */
static const struct key {
    const char *name;
    const char *aliases[2];
    unsigned needs, unless;
    set_fn *set;
} keys[PRIO_KEYS] = {
    [PRIO_KEY_PATTERNS] = {"patterns", {"pattern"}, 0, 0, set_patterns},
    [PRIO_KEY_METHODS] = {"methods", {"method"}, 0, 0, set_methods},
    [PRIO_KEY_DATA] =
        {"data", {"data_size", "file_size"}, 0, PRIO_NO_DATA, set_data},
    [PRIO_KEY_REQUEST] = {"request",
                          {"request_size", "block_size"},
                          0,
                          PRIO_NO_DATA | PRIO_WHOLE,
                          set_request},
    [PRIO_KEY_RATIO] = {"ratio",
                        {"read_write_ratio"},
                        0,
                        PRIO_NO_DATA | PRIO_WHOLE,
                        set_ratio},
    [PRIO_KEY_PROCESSES] = {"processes", {NULL}, 0, 0, set_processes},
    [PRIO_KEY_REPETITIONS] = {"repetitions", {NULL}, 0, 0, set_repetitions},
    [PRIO_KEY_THINK] =
        {"think", {"think_time"}, 0, PRIO_NO_DATA | PRIO_WHOLE, set_think},
    [PRIO_KEY_TIME] = {"time", {NULL}, PRIO_CAN_TIME, 0, set_time},
    [PRIO_KEY_DIRECT] = {"direct", {NULL}, 0, PRIO_NO_DATA, set_direct},
    [PRIO_KEY_SYNC] = {"sync", {NULL}, 0, PRIO_NO_DATA | PRIO_WHOLE, set_sync},
    [PRIO_KEY_DEPTH] =
        {"depth", {"queue_depth"}, 0, PRIO_NO_DATA | PRIO_WHOLE, set_depth},
    [PRIO_KEY_BLOCKS] =
        {"blocks", {"blocks_per_stride"}, PRIO_STRIDES, 0, set_blocks},
    [PRIO_KEY_BUFFER] =
        {"buffer", {NULL}, 0, PRIO_NO_DATA | PRIO_WHOLE, set_buffer},
    [PRIO_KEY_DEVICE] = {"device", {NULL}, PRIO_ON_DEVICE, 0, set_device},
    [PRIO_KEY_COMPUTATION] =
        {"computation", {NULL}, PRIO_WHOLE, 0, set_computation},
    [PRIO_KEY_ALONE] = {"alone", {NULL}, 0, 0, set_alone},
};

const char *const prio_key_names[] = {
    "patterns",    "methods", "data",   "request",     "ratio", "processes",
    "repetitions", "think",   "time",   "direct",      "sync",  "depth",
    "blocks",      "buffer",  "device", "computation", "alone", NULL,
};

static int find_key(const char *name)
{
    for (int i = 0; i < PRIO_KEYS; i++) {
        if (strcmp(keys[i].name, name) == 0)
            return i;
        for (int a = 0; a < 2 && keys[i].aliases[a] != NULL; a++)
            if (strcmp(keys[i].aliases[a], name) == 0)
                return i;
    }
    return -1;
}

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
    const char *nearest;

    if (find_key(name) >= 0)
        return 0;
    nearest = pario_nearest(name, prio_key_names);
    return pario_fail(PARIO_EUSAGE, "unknown keyword%s%s%s",
                      nearest != NULL ? "; did you mean " : "",
                      nearest != NULL ? nearest : "",
                      nearest != NULL ? "?" : "");
}

int prio_key_understood(const struct prio_section *section, const char *name)
{
    unsigned abilities = section->bench->abilities;
    int key = find_key(name);

    return key >= 0 && (abilities & keys[key].needs) == keys[key].needs &&
           !(abilities & keys[key].unless);
}

int prio_key_set(struct prio_section *section,
                 const struct pario_keyword *keyword, int global)
{
    const struct pario_option *own = find_own(section->bench, keyword->name);
    int key = find_key(keyword->name);

    if (keyword->value[0] == '\0')
        return pario_fail(PARIO_EUSAGE, "a value is missing");
    if (own != NULL)
        return pario_option_set_value(own, section->own, keyword->value,
                                      "value");
    if (key < 0)
        return prio_key_known(keyword->name);
    if (!prio_key_understood(section, keyword->name))
        return pario_fail(PARIO_EUSAGE, "means nothing to %s",
                          section->bench->name);
    if (!global && section->lines[key] > 0)
        return pario_fail(PARIO_EUSAGE, "given twice in this section");
    section->lines[key] = global ? -keyword->line : keyword->line;
    return keys[key].set(section, keyword->value);
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
                          bench->name);
    section->own = malloc(bench->own_size > 0 ? bench->own_size : 1);
    if (section->own == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the workload");
    if (bench->own_size > 0)
        memcpy(section->own, bench->own_defaults, bench->own_size);
    return 0;
}
