/* cli/cmd_shipio_run.c - `pario shipio-run`: an MPI program as it is, with
 * shipio as its MPI-IO. */
#include "cli/commands.h"
#include "cli/program.h"
#include "core/options.h"
#include "launch/job.h"
#include "launch/launcher.h"
#include "launch/library.h"
#include "launch/preload.h"
#include "launch/shipio_hints.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct given {
    const char *stats, *json, *hint, *library;
    int print, compare, help;
};

#define AT(field) offsetof(struct given, field)

static const struct pario_option table[] = {
    {PARIO_OPTION("stats", STRING, AT(stats), "FILE"),
     .help = "what shipio did to each file, at its close: --stats prints it, "
             "--stats=FILE appends it to FILE"},
    {PARIO_OPTION("json", STRING, AT(json), "FILE"),
     .help = "append the same to FILE, one JSON object for each file closed"},
    {PARIO_OPTION("hint", STRING, AT(hint), "KEY=VALUE"),
     .help = "default of a hint, e.g. cb_nodes=4, or of a variable SHIPIO_…; "
             "as often as wanted"},
    {PARIO_OPTION("library", STRING, AT(library), "PATH"),
     .help = "another libshipio.so than the one beside this program"},
    {PARIO_FLAG("compare", AT(compare)),
     .help = "run it some times with and without shipio, and say how much "
             "faster its I/O is: `pario advise --no-settings`"},
    {PARIO_CLI_PRINT(AT(print))},
    {PARIO_CLI_HELP(AT(help))},
    {.name = NULL},
};

static void print_help(void)
{
    const struct given defaults = {0};

    puts("usage: pario shipio-run [OPTION]... [--] mpirun ... PROGRAM ...\n"
         "       pario -n N shipio-run [OPTION]... [--] PROGRAM ...\n\n"
         "Runs an MPI program, unchanged, with shipio as its MPI-IO: the "
         "processes that\nmpirun, mpiexec or srun starts have libshipio.so "
         "preloaded. The exit status is\nthe command's; 127: it was not "
         "found, 126: it could not be started.\n\noptions:");
    pario_options_help(stdout, table, &defaults);
}

static int set_hint(const char *text)
{
    const char *equals = strchr(text, '='), *variable, *value;
    char key[64];
    int code;

    if (equals == NULL || equals == text ||
        (size_t)(equals - text) >= sizeof(key))
        return pario_fail(PARIO_EUSAGE, "--hint: KEY=VALUE, not '%s'", text);
    snprintf(key, sizeof(key), "%.*s", (int)(equals - text), text);
    code = pario_shipio_variable(key, equals + 1, &variable, &value);
    return code == 0 ? setenv(variable, value, 1) : code;
}

/* --hint may come again. */
static int take_hint(void *values)
{
    struct given *given = values;
    int code = given->hint != NULL ? set_hint(given->hint) : 0;

    given->hint = NULL;
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
    const struct pario_program_line line = {
        .table = table, .values = &given, .each = take_hint, .bare = "stats"};
    int first = 1;
    int code = pario_program_options(&line, argv, &first);

    (void)world;
    if (code == 0 && given.help) {
        print_help();
        return 0;
    }
    if (code == 0 && first >= argc)
        code = pario_fail(PARIO_EUSAGE, "shipio-run needs a command, as in "
                                        "`pario shipio-run -- mpirun -n 4 "
                                        "program`");
    if (code == 0 && given.compare)
        return pario_advise(argv + first, 0);
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
