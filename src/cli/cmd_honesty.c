/* cli/cmd_honesty.c - pario honesty [DIR]: parse, call, print. */
#include "cli/commands.h"
#include "core/cleanup.h"
#include "core/options.h"
#include "par/library.h"
#include "suites/honesty/honesty.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct given {
    struct honesty_options run;
    int mpiio, json, help;
};

static const char *const mpiio_choices[] = {"auto", "native", "shipio", NULL};

#define AT(field) offsetof(struct given, field)

static const struct pario_option table[] = {
    {.name = "processes",
     .type = PARIO_OPT_INT,
     .offset = AT(run.processes),
     .argument = "N",
     .min = 2,
     .max = HONESTY_MOST_RANKS,
     .help = "processes of each job (also pario -n N honesty)"},
    {.name = "timeout",
     .type = PARIO_OPT_TIME,
     .offset = AT(run.timeout_s),
     .argument = "TIME",
     .min = 1,
     .max = 3600,
     .help = "a case that takes longer hangs"},
    {.name = "cases",
     .type = PARIO_OPT_STRING,
     .offset = AT(run.cases),
     .argument = "LIST",
     .help = "names of cases, separated by commas (default: all)"},
    {.name = "mpiio",
     .type = PARIO_OPT_CHOICE,
     .offset = AT(mpiio),
     .argument = "WHOSE",
     .choices = mpiio_choices,
     .help = "native, shipio, or both where shipio is there (auto)"},
    {.name = "json",
     .type = PARIO_OPT_FLAG,
     .offset = AT(json),
     .help = "print one JSON object (pario-honesty/1)"},
    {.name = "quiet",
     .letter = 'q',
     .type = PARIO_OPT_FLAG,
     .offset = AT(run.quiet),
     .help = "no progress"},
    {.name = "help",
     .letter = 'h',
     .type = PARIO_OPT_FLAG,
     .offset = AT(help),
     .help = "print this text"},
    {.name = NULL},
};

static const struct given defaults = {.run = {.processes = 4, .timeout_s = 15}};

static void print_help(void)
{
    puts("usage: pario [-n N] honesty [OPTION]... [DIR]\n"
         "Tells whether the MPI-IO library and the file system of DIR can be "
         "believed when\nstorage fails: small collective and independent "
         "accesses meet injected faults,\neach in a job of its own with a "
         "time-out. Exit status 0: every case was reported\nas it should be, "
         "1: not so, 2: usage.\n\ncases:");
    for (int i = 0; honesty_cases[i].name != NULL; i++)
        printf("  %-22s %s\n", honesty_cases[i].name, honesty_cases[i].title);
    puts("");
    pario_options_help(stdout, table, &defaults);
}

static int choose(struct given *given)
{
    char path[PATH_MAX];
    int code = 0;

    given->run.native = given->mpiio != 2;
    given->run.shipio = given->mpiio != 1;
    if (given->run.shipio)
        code = pario_library_shipio(path, sizeof(path));
    if (code != 0 && given->mpiio == 0) {
        given->run.shipio = 0;
        code = 0;
    }
    return code;
}

static int outcome(const struct honesty_results *results)
{
    size_t bad = 0, first = 0;

    for (size_t i = results->count; i-- > 0;)
        if (!honesty_is_clean(results->one[i].verdict)) {
            bad++;
            first = i;
        }
    if (bad == 0)
        return 0;
    return pario_fail(PARIO_EVERIFY,
                      "%zu of %zu cases cannot be believed; the first: %s, %s: "
                      "%s",
                      bad, results->count, results->one[first].library,
                      results->one[first].kase->title,
                      honesty_verdict_names[results->one[first].verdict]);
}

static int print(const struct given *given,
                 const struct honesty_results *results)
{
    json_t *object;
    int code = 0;

    if (!given->json)
        return honesty_print(stdout, results);
    object = honesty_json(results);
    if (object == NULL ||
        json_dumpf(object, stdout, JSON_INDENT(1) | JSON_SORT_KEYS) != 0)
        code = pario_fail_errno(-EIO, "cannot print the result");
    puts("");
    json_decref(object);
    return code;
}

int pario_cmd_honesty(const struct pario_group *world, int argc, char **argv)
{
    struct given given = defaults;
    const struct pario_option_set sets[] = {{table, &given}, {NULL, NULL}};
    const char *processes = getenv("PARIO_PROCESSES");
    struct honesty_results results;
    char absolute[PATH_MAX];
    int noperands = 0, code;

    (void)world;
    if (processes != NULL) {
        code = pario_option_set_value(&table[0], &given, processes, "-n");
        if (code != 0)
            return code;
    }
    code = pario_options_parse(sets, argc, argv, &noperands);
    if (code == 0 && noperands > 1)
        code = pario_fail(PARIO_EUSAGE, "honesty takes one directory, not %d",
                          noperands);
    if (code == 0 && given.help) {
        print_help();
        return 0;
    }
    if (code == 0)
        code = choose(&given);
    if (code == 0 && realpath(noperands == 1 ? argv[1] : ".", absolute) == NULL)
        code = pario_fail_errno(-errno, "cannot use %s",
                                noperands == 1 ? argv[1] : ".");
    if (code == 0)
        code = pario_cleanup_start();
    if (code != 0)
        return code;
    given.run.directory = absolute;
    code = honesty_run(&given.run, &results);
    if (code == 0) {
        code = print(&given, &results);
        if (code == 0)
            code = outcome(&results);
        free(results.one);
    }
    pario_cleanup_finish();
    return code;
}
