/* cli/cmd_list.c - `pario list`. */
#include "cli/commands.h"
#include "core/options.h"
#include "io/backend.h"
#include "pario_config.h"
#include "suites/suite.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct list_options {
    int commands;
};

static const struct pario_option list_table[] = {
    {PARIO_FLAG("commands", offsetof(struct list_options, commands)),
     .help = "only the names of suites and commands, for completion"},
    {.name = NULL},
};

static const struct {
    const char *name;
    int present;
    const char *use;
} parts[] = {
    {"MPI", PARIO_HAVE_MPI, "more than one process"},
    {"MPI-IO", PARIO_HAVE_MPIIO, "b_eff_io, the test suite, shipbench"},
    {"io_uring", PARIO_HAVE_URING, "queues of requests, raw devices"},
    {"hwloc", PARIO_HAVE_HWLOC, "memory and topology facts"},
    {"libcurl", PARIO_HAVE_CURL, "NHT-1's network transfer"},
    {"LAPACKE", PARIO_HAVE_LAPACKE, "the out-of-core kernel"},
    {"SQLite", PARIO_HAVE_SQLITE, "the history of runs"},
    {"OTF2", PARIO_HAVE_OTF2, "export of traces as OTF2"},
};

static void list_names(void)
{
    for (int i = 0; pario_suites[i] != NULL; i++)
        puts(pario_suites[i]->name);
    for (int i = 0; pario_commands[i].name != NULL; i++)
        puts(pario_commands[i].name);
}

static void list_suites(void)
{
    puts("suites:");
    for (int i = 0; pario_suites[i] != NULL; i++) {
        const struct pario_suite *suite = pario_suites[i];
        const struct pario_test *test;

        printf("  %-12s %s\n", suite->name, suite->summary);
        for (size_t t = 0; (test = pario_suite_test(suite, t)) != NULL; t++)
            printf("    %-16s %s\n", test->name, test->summary);
        for (int l = 0; suite->links != NULL && suite->links[l] != NULL; l++)
            printf("    also called %s\n", suite->links[l]);
    }
}

static void print_help(void)
{
    puts("usage: pario list [options]\n\n"
         "Suites with their tests, commands, I/O interfaces, and what is "
         "compiled in.\n\noptions:");
    pario_options_help(stdout, list_table, NULL);
}

int pario_cmd_list(const struct pario_group *world, int argc, char **argv)
{
    struct list_options options = {0};
    struct pario_option_set sets[] = {{list_table, &options}, {NULL, NULL}};
    int noperands = 0, code;

    (void)world;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        print_help();
        return 0;
    }
    code = pario_options_parse(sets, argc, argv, &noperands);
    if (code == 0 && noperands > 0)
        code = pario_fail(PARIO_EUSAGE, "list takes no operand: %s", argv[1]);
    if (code != 0)
        return code;
    if (options.commands) {
        list_names();
        return 0;
    }
    list_suites();
    puts("\ncommands:");
    for (int i = 0; pario_commands[i].name != NULL; i++)
        printf("  %-12s %s\n", pario_commands[i].name,
               pario_commands[i].summary);
    puts("\nI/O interfaces:");
    for (int i = 0; pario_backends[i] != NULL; i++)
        printf("  %-12s %s\n", pario_backends[i]->name,
               pario_backends[i]->summary);
    puts("\ncompiled in:");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        printf("  %-12s %-4s %s\n", parts[i].name,
               parts[i].present ? "yes" : "no", parts[i].use);
    return 0;
}
