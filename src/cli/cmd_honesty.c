/* cli/cmd_honesty.c - pario honesty [DIR]: parse, call, print. */
#include "cli/commands.h"
#include "cli/jobs.h"
#include "core/cleanup.h"
#include "suites/honesty/honesty.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct given {
    struct honesty_options run;
    int mpiio, json, help;
};

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
     .choices = pario_jobs_mpiio_names,
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
         "time-out. Exit status 0: every fault happened and\nevery case "
         "reported "
         "as it should be, 1: not so, 2: usage.\n\ncases:");
    for (int i = 0; honesty_cases[i].name != NULL; i++)
        printf("  %-22s %s\n", honesty_cases[i].name, honesty_cases[i].title);
    puts("");
    pario_options_help(stdout, table, &defaults);
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
    struct pario_jobs jobs = {.command = "honesty",
                              .table = table,
                              .values = &given,
                              .help = &given.help,
                              .mpiio = &given.mpiio};
    struct honesty_results results;
    int code = pario_jobs_parse(&jobs, argc, argv);

    (void)world;
    if (code == 0 && given.help) {
        print_help();
        return 0;
    }
    if (code != 0)
        return code;
    given.run.native = jobs.native;
    given.run.shipio = jobs.shipio;
    given.run.directory = jobs.directory;
    code = honesty_run(&given.run, &results);
    if (code == 0) {
        code = print(&given, &results);
        if (code == 0)
            code = honesty_outcome(&results);
        free(results.one);
    }
    pario_cleanup_finish();
    return code;
}
