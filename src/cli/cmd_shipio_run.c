/* cli/cmd_shipio_run.c - `pario shipio-run`: an MPI program as it is, with
 * shipio as its MPI-IO. */
#include "cli/commands.h"
#include "cli/program.h"
#include "core/keyfile.h"
#include "core/options.h"
#include "launch/job.h"
#include "launch/library.h"
#include "launch/preload.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct given {
    const char *stats, *json, *hint, *library;
    int print, help;
};

#define AT(field) offsetof(struct given, field)

static const struct pario_option table[] = {
    {.name = "stats",
     .type = PARIO_OPT_STRING,
     .offset = AT(stats),
     .argument = "FILE",
     .help = "what shipio did to each file, at its close: --stats prints it, "
             "--stats=FILE appends it to FILE"},
    {.name = "json",
     .type = PARIO_OPT_STRING,
     .offset = AT(json),
     .argument = "FILE",
     .help = "append the same to FILE, one JSON object for each file closed"},
    {.name = "hint",
     .type = PARIO_OPT_STRING,
     .offset = AT(hint),
     .argument = "KEY=VALUE",
     .help = "default of a hint, e.g. cb_nodes=4, or of a variable SHIPIO_…; "
             "as often as wanted"},
    {.name = "library",
     .type = PARIO_OPT_STRING,
     .offset = AT(library),
     .argument = "PATH",
     .help = "another libshipio.so than the one beside this program"},
    {.name = "print",
     .type = PARIO_OPT_FLAG,
     .offset = AT(print),
     .help = "print the command and do not run it"},
    {.name = "help",
     .letter = 'h',
     .type = PARIO_OPT_FLAG,
     .offset = AT(help),
     .help = "print this text"},
    {.name = NULL},
};

/* The hints that have a variable: shipio/README.md. */
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
    {"shipio_agree", "SHIPIO_AGREE"},
};
#define NHINTS (sizeof(hints) / sizeof(hints[0]))

static void print_help(void)
{
    const struct given defaults = {0};

    puts("usage: pario shipio-run [OPTION]... [--] mpirun ... PROGRAM ...\n"
         "       pario -n N shipio-run [OPTION]... [--] PROGRAM ...\n"
         "Runs an MPI program, unchanged, with shipio as its MPI-IO: the "
         "processes that mpirun,\nmpiexec or srun starts have libshipio.so "
         "preloaded. The exit status is the command's;\n127: it was not "
         "found, 126: it could not be started.\n");
    pario_options_help(stdout, table, &defaults);
}

/* IBM_largeblock_io has no variable of its own, but says the same. */
static int set_largeblock(const char *value)
{
    static const char *const values[] = {"auto", "false", "true"};
    static const char *const modes[] = {"auto", "ship", "direct"};

    for (int i = 0; i < 3; i++)
        if (strcmp(value, values[i]) == 0)
            return setenv("SHIPIO_MODE", modes[i], 1);
    return pario_fail(PARIO_EUSAGE,
                      "--hint: IBM_largeblock_io=%s: auto, false or true "
                      "(switchable is for the program's own MPI_Info)",
                      value);
}

static int unknown_hint(const char *key)
{
    const char *keys[NHINTS + 2];
    const char *nearest;

    for (size_t i = 0; i < NHINTS; i++)
        keys[i] = hints[i].key;
    keys[NHINTS] = "IBM_largeblock_io";
    keys[NHINTS + 1] = NULL;
    nearest = pario_nearest(key, keys);
    return pario_fail(
        PARIO_EUSAGE, "--hint: shipio has no default for '%s'%s%s%s", key,
        nearest != NULL ? "; did you mean " : "",
        nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
}

static int set_hint(const char *text)
{
    const char *equals = strchr(text, '=');
    char key[64];

    if (equals == NULL || equals == text ||
        (size_t)(equals - text) >= sizeof(key))
        return pario_fail(PARIO_EUSAGE, "--hint: KEY=VALUE, not '%s'", text);
    snprintf(key, sizeof(key), "%.*s", (int)(equals - text), text);
    if (strcmp(key, "IBM_largeblock_io") == 0)
        return set_largeblock(equals + 1);
    if (strncmp(key, "SHIPIO_", 7) == 0)
        return setenv(key, equals + 1, 1);
    for (size_t i = 0; i < NHINTS; i++)
        if (strcmp(key, hints[i].key) == 0)
            return setenv(hints[i].variable, equals + 1, 1);
    return unknown_hint(key);
}

/* Takes the options before the command, which begins at *first_p. The value
 * of --stats stands behind = or not at all; --hint may come again. */
static int take_options(struct given *given, char **argv, int *first_p)
{
    struct pario_option_set sets[] = {{table, given}, {NULL, NULL}};
    int i = 1, code = 0;

    while (code == 0 && argv[i] != NULL && argv[i][0] == '-' &&
           strcmp(argv[i], "--") != 0) {
        char *words[] = {argv[0], argv[i], NULL, NULL};
        char *value = argv[i + 1];
        int nwords = 2, noperands = 0;

        if (strcmp(argv[i], "--stats") == 0) {
            given->stats = "1";
            i++;
            continue;
        }
        if (value != NULL &&
            (strcmp(argv[i], "--hint") == 0 || strcmp(argv[i], "--json") == 0 ||
             strcmp(argv[i], "--library") == 0))
            words[nwords++] = value;
        given->hint = NULL;
        code = pario_options_parse(sets, nwords, words, &noperands);
        if (code == 0 && given->hint != NULL)
            code = set_hint(given->hint);
        i += nwords - 1;
    }
    *first_p = argv[i] != NULL && strcmp(argv[i], "--") == 0 ? i + 1 : i;
    return code;
}

static void set_stats(const struct given *given)
{
    if (given->stats != NULL && strcmp(given->stats, "1") == 0)
        setenv("SHIPIO_STATS", "1", 1);
    else if (given->stats != NULL)
        (void)pario_program_set_file("SHIPIO_STATS", given->stats);
    if (given->json != NULL)
        (void)pario_program_set_file("SHIPIO_STATS_JSON", given->json);
}

int pario_cmd_shipio_run(const struct pario_group *world, int argc, char **argv)
{
    static struct pario_words words;
    struct given given = {0};
    struct pario_preload preload;
    char path[PATH_MAX], **command;
    int first = 1;
    int code = take_options(&given, argv, &first);

    (void)world;
    if (code == 0 && given.help) {
        print_help();
        return 0;
    }
    if (code == 0 && first >= argc)
        code = pario_fail(PARIO_EUSAGE, "shipio-run needs a command, as in "
                                        "`pario shipio-run -- mpirun -n 4 "
                                        "program`");
    if (code == 0 && given.library != NULL &&
        realpath(given.library, path) == NULL)
        code = pario_fail_errno(-errno, "cannot read %s", given.library);
    else if (code == 0 && given.library == NULL)
        code = pario_library_shipio(path, sizeof(path));
    if (code == 0) {
        set_stats(&given);
        code = pario_program_words(&words, argv + first, &command);
    }
    if (code == 0)
        code = pario_preload_init(&preload, path, command);
    if (code != 0)
        return code;
    if (given.print)
        pario_program_print(&preload);
    else
        pario_program_exec(&preload);
    pario_preload_fini(&preload);
    return code;
}
