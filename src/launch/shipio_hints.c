/* launch/shipio_hints.c - the hints that have a variable: shipio/README.md. */
#include "launch/shipio_hints.h"
#include "core/nearest.h"

#include <string.h>

static const struct {
    const char *key, *variable;
} hints[] = {
    {"shipio_mode", "SHIPIO_MODE"},
    {"IBM_io_buffer_size", "SHIPIO_STRIPE"},
    {"cb_nodes", "SHIPIO_AGENTS"},
    {"IBM_sparse_access", "SHIPIO_SPARSE"},
    {"shipio_double_buffer", "SHIPIO_DOUBLE_BUFFER"},
    {"shipio_noncollective", "SHIPIO_NONCOLLECTIVE"},
    {"shipio_max_acc", "SHIPIO_MAX_ACC"},
    {"shipio_map", "SHIPIO_MAP"},
    {"shipio_storage", "SHIPIO_STORAGE"},
    {"shipio_sieve", "SHIPIO_SIEVE"},
    {"shipio_write_behind", "SHIPIO_WRITE_BEHIND"},
    {"shipio_agree", "SHIPIO_AGREE"},
};
#define NHINTS (sizeof(hints) / sizeof(hints[0]))

/* IBM_largeblock_io has no variable of its own, but says the same. */
static int find_mode(const char *value, const char **value_p)
{
    static const char *const values[] = {"auto", "false", "true"};
    static const char *const modes[] = {"auto", "ship", "direct"};

    for (int i = 0; i < 3; i++)
        if (strcmp(value, values[i]) == 0) {
            *value_p = modes[i];
            return 0;
        }
    return pario_fail(PARIO_EUSAGE,
                      "--hint: IBM_largeblock_io=%s: auto, false or true "
                      "(switchable is for the program's own MPI_Info)",
                      value);
}

static int unknown_hint(const char *key)
{
    struct pario_nearest nearest = {.word = key};

    for (size_t i = 0; i < NHINTS; i++)
        pario_nearest_try(&nearest, hints[i].key);
    pario_nearest_try(&nearest, "IBM_largeblock_io");
    return pario_fail(PARIO_EUSAGE, "--hint: shipio has no default for '%s'%s",
                      key, pario_nearest_say(&nearest, ""));
}

int pario_shipio_variable(const char *key, const char *value,
                          const char **variable_p, const char **value_p)
{
    *value_p = value;
    *variable_p = key;
    if (strcmp(key, "IBM_largeblock_io") == 0) {
        *variable_p = "SHIPIO_MODE";
        return find_mode(value, value_p);
    }
    if (strncmp(key, "SHIPIO_", 7) == 0)
        return 0;
    for (size_t i = 0; i < NHINTS; i++)
        if (strcmp(key, hints[i].key) == 0) {
            *variable_p = hints[i].variable;
            return 0;
        }
    return unknown_hint(key);
}
