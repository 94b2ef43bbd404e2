/* cli/main.c - chooses suite or command, starts and ends the process group. */
#include "cli/commands.h"
#include "core/cleanup.h"
#include "core/command.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/path.h"
#include "core/recorder.h"
#include "core/streams.h"
#include "launch/library.h"
#include "par/group.h"
#include "pario_config.h"
#include "result/lost.h"
#include "suites/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(FILE *out)
{
    fputs("usage: pario [-n N] COMMAND [options] [operands]\n\n"
          "A laboratory for parallel I/O: how fast storage really is, why a "
          "pattern is\nslow, and which hints make it fast.\n\nsuites:\n",
          out);
    for (int i = 0; pario_suites[i] != NULL; i++)
        fprintf(out, "  %-12s %s\n", pario_suites[i]->name,
                pario_suites[i]->summary);
    fputs("\ncommands:\n", out);
    for (int i = 0; pario_commands[i].name != NULL; i++)
        fprintf(out, "  %-12s %s\n", pario_commands[i].name,
                pario_commands[i].summary);
    fputs("\noptions:\n"
          "  -n N         start N processes with mpirun\n"
          "  --version    version, commit, MPI library, what is compiled in\n"
          "  --help       this text; `pario COMMAND --help` for a command\n",
          out);
}

static void print_version(void)
{
    printf("pario %s (%s)\n", PARIO_VERSION, PARIO_COMMIT);
#if PARIO_HAVE_MPI
    printf("MPI: %s, MPI-IO: %s, launcher: %s\n", pario_par_library(),
           PARIO_HAVE_MPIIO ? "yes" : "no", PARIO_MPIRUN);
#else
    puts("MPI: none");
#endif
    printf("io_uring: %s, hwloc: %s, libcurl: %s, LAPACKE: %s, "
           "SQLite: %s\n",
           PARIO_HAVE_URING ? "yes" : "no", PARIO_HAVE_HWLOC ? "yes" : "no",
           PARIO_HAVE_CURL ? "yes" : "no", PARIO_HAVE_LAPACKE ? "yes" : "no",
           PARIO_HAVE_SQLITE ? "yes" : "no");
}

static const struct pario_suite *find_suite(const char *name)
{
    for (int i = 0; pario_suites[i] != NULL; i++)
        if (strcmp(pario_suites[i]->name, name) == 0)
            return pario_suites[i];
    return NULL;
}

static const struct pario_suite *find_link(const char *name)
{
    for (int i = 0; pario_suites[i] != NULL; i++)
        for (int l = 0; pario_suites[i]->links != NULL &&
                        pario_suites[i]->links[l] != NULL;
             l++)
            if (strcmp(pario_suites[i]->links[l], name) == 0)
                return pario_suites[i];
    return NULL;
}

static const struct pario_command *find_command(const char *name)
{
    for (int i = 0; pario_commands[i].name != NULL; i++)
        if (strcmp(pario_commands[i].name, name) == 0)
            return &pario_commands[i];
    for (int i = 0; pario_workers[i].name != NULL; i++)
        if (strcmp(pario_workers[i].name, name) == 0)
            return &pario_workers[i];
    return NULL;
}

/* What a build can lack, which commands need it, and the remedy. */
static const struct part {
    int present;
    const char *name, *remedy;
    const char *needed_by[8];
} parts[] = {
    {PARIO_HAVE_MPIIO,
     "MPI-IO",
     "build pario with an MPI library (`make build-openmpi` or `make "
     "build-mpich`)",
     {"beffio", "iot", "shipbench", "honesty", "tune", "shipio-run", "advise"}},
    {PARIO_HAVE_SQLITE,
     "SQLite",
     "build pario where libsqlite3 is installed",
     {"history"}},
};

/* The part that this build lacks for a command; NULL: none. */
static const struct part *lacking_for(const char *command)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        for (int k = 0; !parts[i].present && parts[i].needed_by[k] != NULL; k++)
            if (strcmp(command, parts[i].needed_by[k]) == 0)
                return &parts[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const struct part *lacking = lacking_for(name);
    struct pario_nearest nearest = {.word = name};

    for (int i = 0; pario_suites[i] != NULL; i++)
        pario_nearest_try(&nearest, pario_suites[i]->name);
    for (int i = 0; pario_commands[i].name != NULL; i++)
        pario_nearest_try(&nearest, pario_commands[i].name);
    if (pario_par_launched_rank() == 0 && lacking != NULL) {
        fprintf(stderr,
                "pario: this build has no %s, which %s needs: %s; `pario list` "
                "shows what is compiled in\n",
                lacking->name, name, lacking->remedy);
    } else if (pario_par_launched_rank() == 0) {
        fprintf(stderr,
                "pario: unknown command '%s'%s (`pario --help` lists them)\n",
                name, pario_nearest_say(&nearest, ""));
    }
    return 2;
}

static int wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0)
            return 1;
    return 0;
}

/* -n inside a job: harmless if it says what is so, else an error. */
static int check_size(const char *processes, const struct pario_group *world)
{
    int size = pario_group_size(world);

    if (processes == NULL || strtol(processes, NULL, 10) == size)
        return 0;
    return pario_fail(PARIO_EUSAGE,
                      "-n %s inside a job of %d process%s: this process was "
                      "started by mpirun or srun already (in an interactive "
                      "srun shell, unset PMI_RANK and PMIX_RANK first)",
                      processes, size, size == 1 ? "" : "es");
}

/* Starts the group, runs, and reports one message for all ranks. */
static int run_parallel(const char *processes, const struct pario_suite *suite,
                        const struct pario_command *command, int argc,
                        char **argv)
{
    struct pario_group *world = NULL;
    int code;

    pario_lost_start();
    code = pario_cleanup_start();
    if (suite != NULL && suite->pauses_recorder)
        pario_recorder_pause(1);
    if (suite != NULL && suite->mpi_threads != NULL &&
        suite->mpi_threads(argc, argv))
        pario_par_want_threads();
    if (code == 0)
        code = suite != NULL && suite->processes != NULL
                   ? pario_par_start_alone(&world)
                   : pario_par_start(&argc, &argv, &world);
    if (code != 0) {
        /* Each process fails by itself: one of them speaks for all. */
        if (pario_par_launched_rank() == 0 || pario_par_launched_size() == 0)
            pario_error_print();
        return pario_exit_status(code);
    }
    code = check_size(processes, world);
    if (code == 0)
        code = suite != NULL ? pario_suite_main(suite, world, argc, argv)
                             : command->run(world, argc, argv);
    if (code != 0 && pario_group_rank(world) == 0)
        pario_error_print();
    pario_par_finish(world);
    pario_cleanup_ended();
    pario_cleanup_finish();
    return pario_exit_status(code);
}

static int run_local(const struct pario_command *command, int argc, char **argv)
{
    int code;

    if (command->kind == PARIO_LOCAL && pario_par_launched_rank() != 0)
        return 0;
    /* What is half written goes, whatever ends this process. */
    if (command->kind == PARIO_LOCAL)
        (void)!pario_cleanup_start(); /* it can do without */
    signal(SIGPIPE, SIG_DFL);
    code = command->run(NULL, argc, argv);
    if (code != 0)
        pario_error_print();
    pario_cleanup_ended();
    pario_cleanup_finish();
    return pario_exit_status(code);
}

/* --mpiio shipio starts the program anew with the library preloaded. */
static int choose_mpiio(const struct pario_suite *suite, int argc, char **argv)
{
    const char *whose = NULL;
    int wanted, code;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--mpiio=", 8) == 0)
            whose = argv[i] + 8;
        else if (strcmp(argv[i], "--mpiio") == 0 && i + 1 < argc)
            whose = argv[i + 1];
    }
    if (whose == NULL || strcmp(whose, "auto") == 0)
        wanted = suite != NULL &&
                 (suite->shipio || (suite->wants_shipio != NULL &&
                                    suite->wants_shipio(argc, argv)));
    else
        wanted = strcmp(whose, "shipio") == 0;
    if (!wanted)
        return 0;
    code = pario_shipio_preload(suite != NULL && suite->shipio);
    /* A suite that only likes to have it goes on and says so. */
    return whose != NULL ? code : 0;
}

/* A suite that starts jobs itself: -n N is its option --processes. */
static int run_driver(const struct pario_suite *suite, const char *processes,
                      int argc, char **argv)
{
    static char option[] = "--processes";
    char number[32], **words = calloc((size_t)argc + 3, sizeof(*words));
    int count = 0, code;

    if (pario_par_launched()) {
        if (pario_par_launched_rank() == 0)
            fprintf(stderr,
                    "pario: %s starts its jobs itself: start it as pario -n N "
                    "%s, without mpirun or srun\n",
                    suite->name, suite->name);
        free(words);
        return 2;
    }
    if (words == NULL) {
        fprintf(stderr, "pario: cannot start: %s\n", strerror(ENOMEM));
        return 1;
    }
    words[count++] = argv[0];
    if (processes != NULL) {
        snprintf(number, sizeof(number), "%s", processes);
        words[count++] = option;
        words[count++] = number;
    }
    memcpy(words + count, argv + 1, (size_t)(argc - 1) * sizeof(*words));
    code = run_parallel(NULL, suite, NULL, count + argc - 1, words);
    free(words);
    return code;
}

static int run_command(const char *processes, const struct pario_suite *suite,
                       const struct pario_command *command, int argc,
                       char **argv)
{
    if (suite != NULL && wants_help(argc, argv)) {
        if (pario_par_launched_rank() == 0)
            pario_suite_help(suite, stdout);
        return 0;
    }
    if (suite == NULL && command->kind != PARIO_PARALLEL) {
        if (processes != NULL) /* for commands that start jobs themselves */
            setenv("PARIO_PROCESSES", processes, 1);
        return run_local(command, argc, argv);
    }
    if (suite != NULL && suite->processes != NULL)
        return run_driver(suite, processes, argc, argv);
    if (processes != NULL && !pario_par_launched() && !wants_help(argc, argv)) {
        return pario_launch(processes, argc, argv);
    }
    if (choose_mpiio(suite, argc, argv) != 0) {
        if (pario_par_launched_rank() == 0)
            pario_error_print();
        return 1;
    }
    return run_parallel(processes, suite, command, argc, argv);
}

/* `pario -n N` with a bad N must not reach mpirun. */
static int check_processes(const char *text)
{
    char *end = NULL;
    long n = text != NULL ? strtol(text, &end, 10) : 0;

    if (text != NULL && end != text && *end == '\0' && n >= 1 && n <= 1000000)
        return 0;
    fprintf(stderr, "pario: -n needs a number of processes, not '%s'\n",
            text != NULL ? text : "");
    return 2;
}

/* --help and --version of a link. 1: that was all. */
static int inform_link(const struct pario_suite *suite, const char *name,
                       int argc, char **argv)
{
    int version = argc > 1 && strcmp(argv[1], "--version") == 0;

    if (!version && !wants_help(argc, argv))
        return 0;
    if (pario_par_launched_rank() != 0)
        return 1;
    if (version) {
        print_version();
    } else {
        printf("usage: %s [-n N] [options] %s\n\n%s stands for `pario %s`:\n\n",
               name, suite->operands, name, suite->name);
        pario_suite_help(suite, stdout);
    }
    return 1;
}

/* The suite's name and some words after it, ended by NULL. The caller frees
 * the array; NULL: no memory. */
static char **words_of(const struct pario_suite *suite, int count, char **after)
{
    static char name[64];
    char **words = calloc((size_t)count + 2, sizeof(*words));

    if (words == NULL)
        return NULL;
    snprintf(name, sizeof(name), "%s", suite->name);
    words[0] = name;
    memcpy(words + 1, after, (size_t)count * sizeof(*words));
    return words;
}

/* The words of a link, as the suite's own. */
static int run_translated(const struct pario_suite *suite, const char *name,
                          const char *processes, int argc, char **argv)
{
    int code =
        suite->translate != NULL ? suite->translate(name, &argc, &argv) : 0;

    if (code == 0)
        return run_command(processes, suite, NULL, argc, argv);
    if (pario_par_launched_rank() == 0)
        fprintf(stderr, "%s: %s\n", name, pario_error_message());
    return pario_exit_status(code);
}

static int run_link(const struct pario_suite *suite, const char *name, int argc,
                    char **argv)
{
    const char *processes = NULL;
    char **words;
    int first = 1, status = 0;

    if (argc > 1 && strcmp(argv[1], "-n") == 0) {
        processes = argc > 2 ? argv[2] : NULL;
        if (check_processes(processes) != 0)
            return 2;
        first = 3;
    }
    argc -= first;
    words = words_of(suite, argc, argv + first);
    if (words == NULL) {
        fprintf(stderr, "%s: cannot start: %s\n", name, strerror(ENOMEM));
        return 1;
    }
    if (!inform_link(suite, name, argc + 1, words))
        status = run_translated(suite, name, processes, argc + 1, words);
    free(words);
    return status;
}

/* `pario help quick` is `pario quick --help`. */
static int run_help(char *name)
{
    static char option[] = "--help";
    char *words[] = {name, option, NULL};
    const struct pario_suite *suite = find_suite(name);
    const struct pario_command *command = find_command(name);

    return suite == NULL && command == NULL
               ? unknown_command(name)
               : run_command(NULL, suite, command, 2, words);
}

static int run_words(int argc, char **argv)
{
    const char *name = pario_base_name(argv[0]);
    const struct pario_suite *suite = find_link(name);
    const struct pario_command *command;
    const char *processes = NULL;
    int first = 1;

    pario_command_keep(argc, argv);
    if (suite != NULL)
        return run_link(suite, name, argc, argv);
    if (argc > 1 && strcmp(argv[1], "-n") == 0) {
        processes = argc > 2 ? argv[2] : NULL;
        if (check_processes(processes) != 0)
            return 2;
        first = 3;
    }
    if (argc <= first) {
        print_help(stderr);
        return 2;
    }
    if (strcmp(argv[first], "help") == 0 && argc > first + 1)
        return run_help(argv[first + 1]);
    if (strcmp(argv[first], "--help") == 0 ||
        strcmp(argv[first], "help") == 0) {
        if (pario_par_launched_rank() == 0)
            print_help(stdout);
        return 0;
    }
    if (strcmp(argv[first], "--version") == 0) {
        if (pario_par_launched_rank() == 0)
            print_version();
        return 0;
    }
    suite = find_suite(argv[first]);
    command = find_command(argv[first]);
    if (suite == NULL && command == NULL)
        return unknown_command(argv[first]);
    /* The words from the command on; what stood before it is done with. */
    return run_command(processes, suite, command, argc - first, argv + first);
}

int main(int argc, char **argv)
{
    pario_streams_start();
    return pario_streams_finish(run_words(argc, argv));
}
