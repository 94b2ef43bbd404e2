/* suites/beffio/hintset.c - reading and selecting hints (Sect. 7.1). */
#include "suites/beffio/hintset.h"

#include "core/keyfile.h"
#include "core/nearest.h"
#include "core/units.h"
#include "io/hints.h"
#include "launch/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ANY (-2)

struct rule {
    int type;    /* or ANY */
    int access;  /* or ANY */
    int64_t l;   /* or ANY */
    char *where; /* the section's text, "" for all */
    char *key, *value;
};

struct beffio_hintset {
    char *name;
    struct rule *rule;
    size_t count;
    char unmet[640]; /* what the file's comments say that it needs, and is
                        not there; "" */
};

/* MPI-2's reserved keys, ROMIO's, OMPIO's, IBM's and shipio's. */
static const char *const known_hints[] = {"access_style",
                                          "collective_buffering",
                                          "cb_block_size",
                                          "cb_buffer_size",
                                          "cb_nodes",
                                          "cb_config_list",
                                          "cb_pfr",
                                          "cb_fr_alignment",
                                          "cb_fr_type",
                                          "cb_ds_threshold",
                                          "chunked",
                                          "chunked_item",
                                          "chunked_size",
                                          "filename",
                                          "file_perm",
                                          "io_node_list",
                                          "nb_proc",
                                          "num_io_nodes",
                                          "striping_factor",
                                          "striping_unit",
                                          "start_iodevice",
                                          "direct_read",
                                          "direct_write",
                                          "ind_rd_buffer_size",
                                          "ind_wr_buffer_size",
                                          "romio_cb_read",
                                          "romio_cb_write",
                                          "romio_cb_fr_alignment",
                                          "romio_cb_fr_type",
                                          "romio_cb_ds_threshold",
                                          "romio_cb_alltoall",
                                          "romio_cb_pfr",
                                          "romio_ds_read",
                                          "romio_ds_write",
                                          "romio_no_indep_rw",
                                          "romio_filesystem_type",
                                          "romio_aggregator_list",
                                          "romio_synchronized_flush",
                                          "romio_visibility_immediate",
                                          "romio_lustre_co_ratio",
                                          "romio_lustre_coll_threshold",
                                          "romio_lustre_ds_in_coll",
                                          "overwrite",
                                          "num_aggregators",
                                          "collective_buffer_size",
                                          "sharedfp",
                                          "mpi_assert_exact_length",
                                          PARIO_HINTS_SHIPIO_OWN,
                                          NULL};

static int add_rule(struct beffio_hintset *set, const struct rule *rule,
                    const struct pario_keyword *word)
{
    struct rule *grown =
        realloc(set->rule, (set->count + 1) * sizeof(*set->rule));
    struct rule copy = *rule;

    if (grown == NULL)
        return pario_fail_errno(-ENOMEM, "hints of %s", set->name);
    set->rule = grown;
    copy.where = strdup(word->section);
    copy.key = strdup(word->name);
    copy.value = strdup(word->value);
    set->rule[set->count++] = copy;
    if (copy.where == NULL || copy.key == NULL || copy.value == NULL)
        return pario_fail_errno(-ENOMEM, "hints of %s", set->name);
    return 0;
}

/* A hint for a chunk size that no pattern has would be ignored. */
static int is_chunk(int64_t l)
{
    for (int type = 0; type < BEFFIO_ALL_TYPES; type++)
        for (const struct beffio_pattern *row =
                 beffio_patterns((enum beffio_type)type);
             row->l != 0; row++)
            if (row->l == l)
                return 1;
    return 0;
}

/* "1k", "1k+8", "M_PART". */
static int parse_chunk(char *text, int64_t *l_p)
{
    char *plus = strchr(text, '+');
    int64_t l = 0, more = 0;

    if (strcasecmp(text, "M_PART") == 0 || strcasecmp(text, "mpart") == 0) {
        *l_p = BEFFIO_MPART;
        return 0;
    }
    if (plus != NULL)
        *plus = '\0';
    if (pario_size_parse(text, &l) != 0 ||
        (plus != NULL && pario_size_parse(plus + 1, &more) != 0))
        return PARIO_EUSAGE;
    *l_p = l + more;
    return is_chunk(*l_p) ? 0 : PARIO_EUSAGE;
}

static int parse_type(const char *text, int *type_p)
{
    char *end = NULL;
    long number = strtol(text, &end, 10);

    if (end != text && *end == '\0' && number >= 0 &&
        number < BEFFIO_ALL_TYPES) {
        *type_p = (int)number;
        return 0;
    }
    for (int i = 0; i < BEFFIO_ALL_TYPES; i++)
        if (strcasecmp(beffio_types[i].name, text) == 0) {
            *type_p = i;
            return 0;
        }
    return PARIO_EUSAGE;
}

static int parse_word(const char *word, char **rest, struct rule *rule)
{
    char *argument;

    for (int i = 0; i < BEFFIO_ACCESSES; i++)
        if (strcasecmp(beffio_access_names[i], word) == 0) {
            rule->access = i;
            return 0;
        }
    if (strcasecmp(word, "type") == 0) {
        argument = strsep(rest, " \t");
        return argument != NULL ? parse_type(argument, &rule->type)
                                : PARIO_EUSAGE;
    }
    if (strcasecmp(word, "chunk") == 0) {
        argument = strsep(rest, " \t");
        return argument != NULL ? parse_chunk(argument, &rule->l)
                                : PARIO_EUSAGE;
    }
    return parse_type(word, &rule->type);
}

static int parse_section(const char *path, int line, const char *section,
                         struct rule *rule)
{
    char copy[256], *rest = copy, *word;

    *rule = (struct rule){.type = ANY, .access = ANY, .l = ANY};
    snprintf(copy, sizeof(copy), "%s", section);
    while ((word = strsep(&rest, " \t")) != NULL) {
        if (word[0] == '\0')
            continue;
        if (parse_word(word, &rest, rule) != 0)
            return pario_fail(
                PARIO_EUSAGE,
                "%s:%d: section [%s]: '%s' is no type (0 to %d, scatter, "
                "shared, separate, segmented, seg-coll, random, same-data), "
                "access (write, rewrite, read) or `chunk SIZE` of Table 1 (1k, "
                "1k+8, "
                "32k, 32k+8, 1M, 1M+8, M_PART)",
                path, line, section, word, BEFFIO_ALL_TYPES - 1);
    }
    return 0;
}

static int check_key(const char *path, const struct pario_keyword *word,
                     int any_hint)
{
    struct pario_nearest nearest = pario_nearest_of(word->name, known_hints);

    if (word->value[0] == '\0')
        return pario_fail(PARIO_EUSAGE, "%s:%d: hint %s has no value", path,
                          word->line, word->name);
    for (int i = 0; known_hints[i] != NULL; i++)
        if (any_hint || strcmp(known_hints[i], word->name) == 0)
            return 0;
    return pario_fail(PARIO_EUSAGE,
                      "%s:%d: unknown hint '%s'%s (--any-hint passes hints "
                      "that pario does not know)",
                      path, word->line, word->name,
                      pario_nearest_say(&nearest, ""));
}

int beffio_hintset_empty(struct beffio_hintset **set_p)
{
    struct beffio_hintset *set = calloc(1, sizeof(*set));

    if (set != NULL)
        set->name = strdup("defaults");
    if (set == NULL || set->name == NULL) {
        free(set);
        return pario_fail_errno(-ENOMEM, "hints");
    }
    *set_p = set;
    return 0;
}

int beffio_hintset_of(const struct pario_hints *hints,
                      struct beffio_hintset **set_p)
{
    static const struct rule all = {.type = ANY, .access = ANY, .l = ANY};
    struct beffio_hintset *set = NULL;
    int code = beffio_hintset_empty(&set);

    for (size_t i = 0; code == 0 && i < hints->count; i++) {
        struct pario_keyword word = {.section = "",
                                     .name = hints->hint[i].key,
                                     .value = hints->hint[i].value};

        code = add_rule(set, &all, &word);
    }
    if (code != 0) {
        beffio_hintset_destroy(set);
        return code;
    }
    *set_p = set;
    return 0;
}

/* NAME=VALUE is in force; a library that is to be preloaded, too, wherever it
 * lies. */
static int is_set(const char *variable)
{
    const char *equals = strchr(variable, '='), *value, *slash;
    char name[64];

    if (equals == NULL || (size_t)(equals - variable) >= sizeof(name))
        return 1;
    snprintf(name, sizeof(name), "%.*s", (int)(equals - variable), variable);
    value = getenv(name);
    if (value == NULL)
        return 0;
    slash = strrchr(equals, '/');
    if (strcmp(name, "LD_PRELOAD") == 0)
        return strstr(value, slash != NULL ? slash + 1 : equals + 1) != NULL;
    return strcmp(value, equals + 1) == 0;
}

static void need(struct beffio_hintset *set, const char *what)
{
    size_t len = strlen(set->unmet);

    snprintf(set->unmet + len, sizeof(set->unmet) - len, "%s%s",
             len > 0 ? " and " : "", what);
}

/* `pario tune` writes into comments what hints cannot say. */
static void find_needs(struct beffio_hintset *set, const char *path)
{
    static const char variable[] = "# needs in the environment: ";
    static const char shipio[] = "# needs shipio";
    char line[640];
    FILE *file = fopen(path, "r");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, variable, strlen(variable)) == 0 &&
            !is_set(line + strlen(variable)))
            need(set, line + strlen(variable));
        if (strncmp(line, shipio, strlen(shipio)) == 0 &&
            !pario_shipio_loaded())
            need(set, "--mpiio=shipio");
    }
    if (file != NULL)
        fclose(file);
}

const char *beffio_hintset_unmet(const struct beffio_hintset *set)
{
    return set->unmet[0] != '\0' ? set->unmet : NULL;
}

int beffio_hintset_read(const char *path, int any_hint,
                        struct beffio_hintset **set_p)
{
    struct beffio_hintset *set = NULL;
    struct pario_keyfile *file = NULL;
    int code = pario_keyfile_read(path, NULL, &file);

    if (code != 0)
        return code;
    code = beffio_hintset_empty(&set);
    if (code == 0 && set != NULL) {
        char *name = strdup(path);

        if (name != NULL) {
            free(set->name);
            set->name = name;
        }
        find_needs(set, path);
    }
    for (size_t i = 0; code == 0 && set != NULL && i < file->count; i++) {
        const struct pario_keyword *word = &file->keywords[i];
        struct rule rule;

        code = parse_section(path, word->line, word->section, &rule);
        if (code == 0)
            code = check_key(path, word, any_hint);
        if (code == 0)
            code = add_rule(set, &rule, word);
    }
    pario_keyfile_destroy(file);
    if (code != 0) {
        beffio_hintset_destroy(set);
        return code;
    }
    *set_p = set;
    return 0;
}

void beffio_hintset_destroy(struct beffio_hintset *set)
{
    if (set == NULL)
        return;
    for (size_t i = 0; i < set->count; i++) {
        free(set->rule[i].where);
        free(set->rule[i].key);
        free(set->rule[i].value);
    }
    free(set->rule);
    free(set->name);
    free(set);
}

const char *beffio_hintset_name(const struct beffio_hintset *set)
{
    return set->name;
}

static int matches(const struct rule *rule, enum beffio_type type,
                   enum beffio_access access)
{
    return (rule->type == ANY || rule->type == (int)type) &&
           (rule->access == ANY || rule->access == (int)access);
}

int beffio_hintset_open(const struct beffio_hintset *set, enum beffio_type type,
                        enum beffio_access access, struct pario_hints *hints)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < set->count; i++)
        if (set->rule[i].l == ANY && matches(&set->rule[i], type, access))
            code = pario_hints_set(hints, set->rule[i].key, set->rule[i].value);
    return code;
}

int beffio_hintset_chunk(const struct beffio_hintset *set,
                         enum beffio_type type, enum beffio_access access,
                         int64_t l, struct pario_hints *hints, int *found_p)
{
    int code = 0, found = 0;

    for (size_t i = 0; code == 0 && i < set->count; i++)
        if (set->rule[i].l == l && matches(&set->rule[i], type, access)) {
            code = pario_hints_set(hints, set->rule[i].key, set->rule[i].value);
            found = 1;
        }
    if (code == 0)
        *found_p = found;
    return code;
}

int beffio_hintset_has_chunks(const struct beffio_hintset *set,
                              enum beffio_type type, enum beffio_access access)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->rule[i].l != ANY && matches(&set->rule[i], type, access))
            return 1;
    return 0;
}

int beffio_hintset_list(const struct beffio_hintset *set,
                        struct pario_hints *all)
{
    char name[512];
    int code = 0;

    for (size_t i = 0; code == 0 && i < set->count; i++) {
        snprintf(name, sizeof(name), "%s%s%s", set->rule[i].where,
                 set->rule[i].where[0] != '\0' ? ": " : "", set->rule[i].key);
        code = pario_hints_set(all, name, set->rule[i].value);
    }
    return code;
}
