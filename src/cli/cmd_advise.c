/* cli/cmd_advise.c - `pario advise`: what would make this program's MPI-IO
 * faster, in one sentence. */
#include "cli/commands.h"
#include "cli/program.h"
#include "core/cleanup.h"
#include "core/units.h"
#include "launch/library.h"
#include "launch/shipio_hints.h"
#include "suites/advise/advise.h"
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE_PIECE (256 << 10) /* storage has no trouble with these */
#define SMALL_SHARE 0.05        /* of the run time */

struct wishes {
    const char *before;
    double time_s;
    int64_t max_calls; /* of a trace; 0: as many as are likely */
    int settings, quiet, help;
};

static const struct wishes defaults = {.time_s = 180, .settings = 1};

#define AT(field) offsetof(struct wishes, field)

static const struct pario_option table[] = {
    {PARIO_OPTION("time", TIME, AT(time_s), "TIME"), PARIO_RANGE(1, 1e6),
     .letter = 't',
     .help = "time of all runs; each is run five times at least"},
    {PARIO_FLAG("settings", AT(settings)),
     .help = "also the settings of the MPI library and of shipio that `pario "
             "tune` knows; --no-settings: native or shipio, as they come"},
    {PARIO_OPTION("before", STRING, AT(before), "COMMAND"),
     .help = "for the shell before each run: what the program does not like to "
             "find is removed, or caches are"},
    {PARIO_OPTION("max-calls", INT, AT(max_calls), "N"), PARIO_RANGE(0, 1e15),
     .help = "replay a TRACE of up to N calls (default: 100 million, and more "
             "for a large file)"},
    {PARIO_FLAG("quiet", AT(quiet)), .letter = 'q',
     .help = "do not say how each run went"},
    {PARIO_CLI_HELP(AT(help))},
    {.name = NULL},
};

static void print_help(void)
{
    puts("usage: pario advise [OPTION]... -- mpirun ... PROGRAM ...\n"
         "       pario -n N advise [OPTION]... -- PROGRAM ...\n"
         "       pario advise [OPTION]... TRACE [DIR]\n\n"
         "Runs the program, or the replay of what `pario record` wrote, with "
         "the native\nMPI-IO, with shipio and with other settings, taking "
         "turns, and says in one\nsentence what makes its I/O faster and which "
         "line of the job script does it; or\nthat nothing does, and why. What "
         "is compared is the time in I/O of the slowest\nprocess.\n\noptions:");
    pario_options_help(stdout, table, &defaults);
}

static void print_ratio(const char *what, const struct tune_ratio *ratio)
{
    printf("%s%.3g x faster (%.3g .. %.3g)", what, ratio->ratio, ratio->low,
           ratio->high);
}

static double median_s(const struct tune_values *values)
{
    double rate = tune_median(values);

    return rate > 0 ? 1 / rate : 0;
}

/* shipio's hints have variables of their own. */
static void set_variable(void *argument, const char *key, const char *value)
{
    const char *variable, *meaning;

    (void)argument;
    if (pario_shipio_variable(key, value, &variable, &meaning) == 0)
        setenv(variable, meaning, 1);
}

/* What has to stand in the job script. */
static int print_line(const struct advise_contender *best, char **command)
{
    struct pario_preload preload;
    char library[PATH_MAX];
    int code;

    if (!best->shipio) {
        if (best->variable[0] != '\0')
            printf("  export %s\n", best->variable);
        if (best->hints[0] != '\0') {
            puts("  export ROMIO_HINTS=$PWD/romio-hints   # with these lines:");
            advise_print_hints(best, stdout);
        }
        return 0;
    }
    pario_hints_each(best->hints, set_variable, NULL);
    unsetenv("PARIO_RECORD_BELOW");
    code = pario_library_shipio(library, sizeof(library));
    if (code == 0)
        code = pario_preload_init(&preload, library, command);
    if (code != 0)
        return code;
    fputs("  ", stdout);
    pario_program_print(&preload);
    pario_preload_fini(&preload);
    return 0;
}

static int print_best(const struct advise_outcome *outcome, char **command)
{
    const struct advise_contender *native = &outcome->contender[ADVISE_NATIVE];
    const struct advise_contender *best = &outcome->contender[outcome->best];

    print_ratio("I/O ", &best->faster);
    printf(" with %s\n  %.3g s instead of %.3g s", best->name,
           median_s(&best->io), median_s(&native->io));
    if (best->writes_faster > 0)
        printf(", writes %.3g x", best->writes_faster);
    if (best->reads_faster > 0)
        printf(", reads %.3g x", best->reads_faster);
    printf("\n  the program %.3g x (%.3g .. %.3g); %d runs each, 95 %%\n"
           "In the job script:\n",
           best->whole_faster.ratio, best->whole_faster.low,
           best->whole_faster.high, outcome->rounds);
    return print_line(best, command);
}

static void print_why(const struct advise_outcome *outcome)
{
    const struct advise_facts *facts = &outcome->facts;
    double share = facts->whole_s > 0 ? facts->io_s / facts->whole_s : 0;
    char piece[PARIO_UNITS_LEN];

    if (facts->mpi_calls == 0 && facts->posix_calls > 0)
        puts("nothing helps: its I/O is made of calls of the C library, and\n"
             "no MPI-IO library sees these.");
    else if (facts->mpi_calls == 0)
        puts("nothing helps: the program does no I/O that is recorded.");
    else if (share < SMALL_SHARE)
        printf("nothing helps: I/O is only %.2g %% of the run time.\n",
               100 * share);
    else if (facts->piece >= LARGE_PIECE)
        printf(
            "nothing helps: its requests are large already\n(%s in one piece "
            "on average).\n",
            pario_size_print_short((int64_t)facts->piece, piece));
    else
        puts("nothing is surely faster than what it has.");
}

/* All that were compared, and those that failed. */
static void print_others(const struct advise_outcome *outcome)
{
    for (int i = 1; i < outcome->count; i++) {
        const struct advise_contender *one = &outcome->contender[i];

        if (one->reason[0] != '\0')
            printf("  %s: %s\n", one->name, one->reason);
        else if (!one->out && i != outcome->best && one->faster.jobs > 0)
            printf("  %s: %.3g x (%.3g .. %.3g)\n", one->name,
                   one->faster.ratio, one->faster.low, one->faster.high);
    }
}

/* With what to go on: the calls one by one. */
static void print_next(const char *trace)
{
    if (trace != NULL)
        printf("\nnext: pario trace %s\n", trace);
    else
        puts("\nnext: pario record -o io.trace -- PROGRAM ...");
}

static int run(const struct wishes *wishes, char **command, const char *folder)
{
    struct advise_outcome *outcome = calloc(1, sizeof(*outcome));
    struct advise_options options = {.command = command,
                                     .folder = folder,
                                     .before = wishes->before,
                                     .mpi = pario_par_library(),
                                     .time_s = wishes->time_s,
                                     .gain = 1.05,
                                     .settings = wishes->settings,
                                     .quiet = wishes->quiet};
    int code;

    if (outcome == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    code = advise_run(&options, outcome);
    if (code == 0 && outcome->best >= 0)
        code = print_best(outcome, command);
    else if (code == 0)
        print_why(outcome);
    if (code == 0)
        print_others(outcome);
    free(outcome);
    return code;
}

static int make_folder(char folder[PATH_MAX])
{
    char here[PATH_MAX];
    int code = pario_cleanup_start();

    if (code == 0 && getcwd(here, sizeof(here)) == NULL)
        code = pario_fail_errno(-errno, "cannot use this directory");
    return code == 0 ? pario_cleanup_make_tree(here, "pario-advise", 0, folder,
                                               PATH_MAX)
                     : code;
}

/* `mpirun -n N pario replay TRACE DIR`. */
static int replay_command(struct pario_words *words,
                          const struct wishes *wishes, char **operands,
                          const char *folder)
{
    static char output[PATH_MAX + 16], processes[32], directory[PATH_MAX];
    static char max_calls[32];
    const char *where = operands[1] != NULL ? operands[1] : ".";
    struct pario_trace *trace = NULL;
    int code = pario_trace_open(operands[0], &trace);

    if (code != 0)
        return code;
    if (realpath(where, directory) == NULL) {
        pario_trace_close(trace);
        return pario_fail_errno(-errno, "cannot use %s", where);
    }
    setenv("PARIO_RECORD_BELOW", directory, 1);
    snprintf(processes, sizeof(processes), "%zu", pario_trace_processes(trace));
    pario_trace_close(trace);
    snprintf(output, sizeof(output), "%s/replay.json", folder);
    snprintf(max_calls, sizeof(max_calls), "%" PRId64, wishes->max_calls);
    code = pario_launcher_words(words, processes);
    if (code != 0)
        return code;
    for (const char *const *word =
             (const char *const[]){"replay", "-q", "--force", "--max-calls",
                                   max_calls, "--output", output, operands[0],
                                   operands[1] != NULL ? operands[1] : ".",
                                   NULL};
         *word != NULL; word++)
        pario_words_add(words, *word);
    return 0;
}

static int advise(const struct wishes *wishes, char **operands, int is_command)
{
    static struct pario_words words;
    char folder[PATH_MAX];
    char **command = words.word;
    int code = make_folder(folder);

    if (code == 0 && is_command)
        code = pario_program_words(&words, operands, &command);
    else if (code == 0)
        code = replay_command(&words, wishes, operands, folder);
    if (code == 0)
        code = run(wishes, command, folder);
    if (code == 0)
        print_next(is_command ? NULL : operands[0]);
    pario_cleanup_finish();
    return code;
}

int pario_advise(char **command, int settings)
{
    struct wishes wishes = defaults;

    wishes.settings = settings;
    return advise(&wishes, command, 1);
}

int pario_cmd_advise(const struct pario_group *world, int argc, char **argv)
{
    struct wishes wishes = defaults;
    const struct pario_program_line line = {.table = table, .values = &wishes};
    int first = 1, is_command;
    int code = pario_program_options(&line, argv, &first);

    (void)world;
    if (code == 0 && wishes.help) {
        print_help();
        return 0;
    }
    is_command = strcmp(argv[first - 1], "--") == 0;
    if (code == 0 && (first >= argc || (!is_command && argc - first > 2)))
        code = pario_fail(PARIO_EUSAGE,
                          "advise needs a trace, or a command after --: `pario "
                          "advise -- mpirun -n 4 program`");
    return code == 0 ? advise(&wishes, argv + first, is_command) : code;
}
