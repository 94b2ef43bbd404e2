/* io/hints.c - MPI info keys and values as data. */
#include "io/hints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PAIR 1024 /* bytes of one pair of a text */
#define MAX_HINTS 1000

int pario_hints_set(struct pario_hints *hints, const char *key,
                    const char *value)
{
    char *new_value = strdup(value);
    struct pario_hint *grown;
    char *new_key;

    if (new_value == NULL)
        return pario_fail_errno(-ENOMEM, "hint %s", key);
    for (size_t i = 0; i < hints->count; i++) {
        if (strcmp(hints->hint[i].key, key) == 0) {
            free(hints->hint[i].value);
            hints->hint[i].value = new_value;
            return 0;
        }
    }
    if (hints->count >= MAX_HINTS) {
        free(new_value);
        return pario_fail(PARIO_EFORMAT, "more than %d hints: %s", MAX_HINTS,
                          key);
    }
    new_key = strdup(key);
    grown = realloc(hints->hint, (hints->count + 1) * sizeof(*grown));
    if (grown != NULL)
        hints->hint = grown;
    if (new_key == NULL || grown == NULL) {
        free(new_key);
        free(new_value);
        return pario_fail_errno(-ENOMEM, "hint %s", key);
    }
    hints->hint[hints->count++] =
        (struct pario_hint){.key = new_key, .value = new_value};
    return 0;
}

const char *pario_hints_get(const struct pario_hints *hints, const char *key)
{
    for (size_t i = 0; i < hints->count; i++)
        if (strcmp(hints->hint[i].key, key) == 0)
            return hints->hint[i].value;
    return NULL;
}

int pario_hints_merge(struct pario_hints *into, const struct pario_hints *from)
{
    for (size_t i = 0; i < from->count; i++) {
        int code =
            pario_hints_set(into, from->hint[i].key, from->hint[i].value);

        if (code != 0)
            return code;
    }
    return 0;
}

int pario_hints_parse(struct pario_hints *hints, const char *text)
{
    char *copy = strdup(text), *rest = copy, *pair;
    int code = copy == NULL ? pario_fail_errno(-ENOMEM, "hints") : 0;

    while (code == 0 && (pair = strsep(&rest, ";")) != NULL) {
        char *equals = strchr(pair, '=');

        if (pair[0] == '\0')
            continue;
        if (equals == NULL || equals == pair) {
            code = pario_fail(PARIO_EUSAGE,
                              "hint '%s': expected key=value, separated by ;",
                              pair);
            break;
        }
        *equals = '\0';
        code = pario_hints_set(hints, pair, equals + 1);
    }
    free(copy);
    return code;
}

char *pario_hints_print(const struct pario_hints *hints)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < hints->count; i++)
        fprintf(out, "%s%s=%s", i > 0 ? ";" : "", hints->hint[i].key,
                hints->hint[i].value);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void pario_hints_each(const char *text,
                      void (*take)(void *argument, const char *key,
                                   const char *value),
                      void *argument)
{
    while (*text != '\0') {
        size_t len = strcspn(text, ";"), key_len = strcspn(text, "=");
        char key[MAX_PAIR], value[MAX_PAIR];

        if (key_len < len && len < MAX_PAIR) {
            snprintf(key, sizeof(key), "%.*s", (int)key_len, text);
            snprintf(value, sizeof(value), "%.*s", (int)(len - key_len - 1),
                     text + key_len + 1);
            take(argument, key, value);
        }
        text += len + (text[len] == ';');
    }
}

void pario_hints_fini(struct pario_hints *hints)
{
    for (size_t i = 0; i < hints->count; i++) {
        free(hints->hint[i].key);
        free(hints->hint[i].value);
    }
    free(hints->hint);
    *hints = (struct pario_hints){0};
}

/* On other file systems than Lustre and the like ROMIO takes striping_unit to
 * align what each process writes; what it did not take it does not report. */
static const char *const known_to_romio[] = {"cb_buffer_size",
                                             "cb_config_list",
                                             "cb_nodes",
                                             "direct_read",
                                             "direct_write",
                                             "ind_rd_buffer_size",
                                             "ind_wr_buffer_size",
                                             "start_iodevice",
                                             "striping_factor",
                                             "striping_unit",
                                             NULL};
static const char *const known_to_ompio[] = {"cb_buffer_size", "cb_nodes",
                                             "collective_buffering", NULL};
static const char *const known_to_ompio_on_lustre[] = {"striping_factor",
                                                       "striping_unit", NULL};
static const char *const known_to_shipio[] = {"cb_buffer_size",
                                              "cb_nodes",
                                              "cb_config_list",
                                              "striping_factor",
                                              "striping_unit",
                                              PARIO_HINTS_SHIPIO_OWN,
                                              NULL};

static int is_listed(const char *const *list, const char *key)
{
    while (*list != NULL && strcmp(*list, key) != 0)
        list++;
    return *list != NULL;
}

/* A run has one; hints are asked for by those who know no run. */
static int on_lustre;

void pario_hints_are_for(const char *file_system)
{
    on_lustre = strcmp(file_system, "lustre") == 0;
}

int pario_hints_acted_on(enum pario_hint_library library, const char *key)
{
    switch (library) {
    case PARIO_HINTS_ROMIO: /* its own have its name */
        return strncmp(key, "romio_", 6) == 0 || is_listed(known_to_romio, key);
    case PARIO_HINTS_OMPIO:
        return is_listed(known_to_ompio, key) ||
               (on_lustre && is_listed(known_to_ompio_on_lustre, key));
    case PARIO_HINTS_SHIPIO:
        return is_listed(known_to_shipio, key);
    case PARIO_HINTS_OTHER:
        break;
    }
    return 1;
}
