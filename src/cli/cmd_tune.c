/* cli/cmd_tune.c - pario tune [DIR]: parse, call, print. */
#include "cli/commands.h"
#include "core/cleanup.h"
#include "core/options.h"
#include "core/units.h"
#include "par/library.h"
#include "suites/beffio/patterns.h"
#include "suites/tune/tune.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct given {
    struct tune_options run;
    int mpiio, help;
};

static const char *const mpiio_choices[] = {"auto", "native", "shipio", NULL};
static const char *const access_choices[] = {"both", "write", "read", NULL};

#define AT(field) offsetof(struct given, field)

static const struct pario_option table[] = {
    {.name = "processes",
     .type = PARIO_OPT_INT,
     .offset = AT(run.processes),
     .argument = "N",
     .min = 1,
     .max = 1e6,
     .help = "processes of each job (also pario -n N tune)"},
    {.name = "time",
     .letter = 't',
     .type = PARIO_OPT_TIME,
     .offset = AT(run.time_s),
     .argument = "TIME",
     .min = 1,
     .max = 1e6,
     .help = "time of the whole search"},
    {.name = "type",
     .type = PARIO_OPT_INT,
     .offset = AT(run.type),
     .argument = "N",
     .min = 0,
     .max = 4,
     .help = "b_eff_io's pattern type"},
    {.name = "chunk",
     .type = PARIO_OPT_SIZE,
     .offset = AT(run.chunk),
     .argument = "SIZE",
     .min = 1,
     .max = 1 << 30,
     .help = "contiguous bytes on disk"},
    {.name = "memory",
     .type = PARIO_OPT_SIZE,
     .offset = AT(run.memory),
     .argument = "SIZE",
     .min = 0,
     .max = 1 << 30,
     .help = "bytes of one call (0: as b_eff_io has it)"},
    {.name = "all",
     .type = PARIO_OPT_FLAG,
     .offset = AT(run.all),
     .help = "all types of b_eff_io, each at 1 KiB, 32 KiB and 1 MiB"},
    {.name = "access",
     .type = PARIO_OPT_CHOICE,
     .offset = AT(run.access),
     .argument = "WHAT",
     .choices = access_choices,
     .help = "what counts: both, write or read"},
    {.name = "size",
     .letter = 's',
     .type = PARIO_OPT_SIZE,
     .offset = AT(run.task_bytes),
     .argument = "SIZE",
     .min = 4096,
     .max = 1 << 30,
     .help = "file of one process"},
    {.name = "pass",
     .type = PARIO_OPT_TIME,
     .offset = AT(run.pass_s),
     .argument = "TIME",
     .min = 0.001,
     .max = 10,
     .help = "time of one access of one pass"},
    {.name = "try",
     .type = PARIO_OPT_STRING,
     .offset = AT(run.extra),
     .argument = "HINTS",
     .help = "another contender: \"key=value;key=value\""},
    {.name = "mpiio",
     .type = PARIO_OPT_CHOICE,
     .offset = AT(mpiio),
     .argument = "WHOSE",
     .choices = mpiio_choices,
     .help = "native: without shipio"},
    {.name = "output",
     .letter = 'o',
     .type = PARIO_OPT_STRING,
     .offset = AT(run.output),
     .argument = "FILE",
     .help = "the hints file"},
    {.name = "force",
     .type = PARIO_OPT_FLAG,
     .offset = AT(run.force),
     .help = "overwrite an existing hints file"},
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

static const struct given defaults = {.run = {.processes = 4,
                                              .time_s = 180,
                                              .chunk = 1024,
                                              .task_bytes = 8 << 20,
                                              .pass_s = 0.1,
                                              .output = "pario-hints.txt"}};

static void print_help(void)
{
    puts("usage: pario [-n N] tune [OPTION]... [DIR]\n"
         "Finds the hints that make a pattern fast on this system: ROMIO's, "
         "OMPIO's parameters\nand shipio race against each other; what is "
         "surely slower drops out, and the winner\nis confirmed in fresh jobs "
         "against the default. Writes a hints file for\n`pario beffio "
         "--hints`, ROMIO_HINTS and your own MPI_Info.\n");
    pario_options_help(stdout, table, &defaults);
}

/* b_eff_io's Table 1: below 1 MiB types 0 moves 1 MiB a call, others l. */
static struct tune_pattern pattern_of(const struct tune_options *options,
                                      int type, int64_t chunk)
{
    struct tune_pattern pattern = {.type = type,
                                   .l = chunk,
                                   .L = options->memory,
                                   .task_bytes = options->task_bytes,
                                   .reads = options->access != 1,
                                   .writes = options->access != 2};

    if (pattern.L == 0)
        pattern.L = type == 0 && chunk < 1 << 20 ? 1 << 20 : chunk;
    pattern.L -= pattern.L % chunk;
    return pattern;
}

static int one_race(const struct tune_options *options,
                    const struct tune_pattern *pattern, double time_s,
                    const char *section, FILE *hints)
{
    struct tune_outcome outcome;
    int code = tune_run(options, pattern, time_s, &outcome);

    if (code != 0)
        return code;
    code = tune_print(stdout, &outcome);
    fflush(stdout);
    tune_write_hints(hints, section, &outcome);
    tune_race_fini(&outcome.race);
    return code;
}

static int all_races(const struct tune_options *options, FILE *hints)
{
    static const int64_t chunks[] = {1 << 10, 32 << 10, 1 << 20};
    int code = 0;

    for (int type = 0; type <= 4; type++)
        for (size_t c = 0; code == 0 && c < 3; c++) {
            struct tune_pattern pattern = pattern_of(options, type, chunks[c]);
            char section[64];

            snprintf(section, sizeof(section), "[type %d chunk %lld]", type,
                     (long long)chunks[c]);
            code = one_race(options, &pattern, options->time_s / 15, section,
                            hints);
        }
    return code;
}

static int check(struct given *given, int noperands)
{
    char path[PATH_MAX];
    int code = 0;

    given->run.native = 1;
    given->run.shipio = given->mpiio != 1;
    if (noperands > 1)
        return pario_fail(PARIO_EUSAGE, "tune takes one directory, not %d",
                          noperands);
    if (given->run.memory != 0 && given->run.memory < given->run.chunk)
        return pario_fail(PARIO_EUSAGE, "--memory is smaller than --chunk");
    if (given->run.shipio)
        code = pario_library_shipio(path, sizeof(path));
    if (code != 0 && given->mpiio == 0) {
        given->run.shipio = 0;
        code = 0;
    }
    return code;
}

static int race_and_write(const struct tune_options *options)
{
    FILE *hints = fopen(options->output, options->force ? "w" : "wx");
    struct tune_pattern pattern =
        pattern_of(options, (int)options->type, options->chunk);
    int code;

    if (hints == NULL)
        return pario_fail_errno(-errno, "cannot write %s%s", options->output,
                                errno == EEXIST ? " (--force overwrites it)"
                                                : "");
    fputs("# hints found by pario tune\n", hints);
    code = options->all
               ? all_races(options, hints)
               : one_race(options, &pattern, options->time_s, "", hints);
    if (fclose(hints) != 0 && code == 0)
        code = pario_fail_errno(-errno, "cannot write %s", options->output);
    if (code != 0)
        (void)remove(options->output);
    else
        printf("\nhints: %s\n", options->output);
    return code;
}

int pario_cmd_tune(const struct pario_group *world, int argc, char **argv)
{
    struct given given = defaults;
    const struct pario_option_set sets[] = {{table, &given}, {NULL, NULL}};
    const char *processes = getenv("PARIO_PROCESSES");
    char absolute[PATH_MAX];
    int noperands = 0, code = 0;

    (void)world;
    if (processes != NULL)
        code = pario_option_set_value(&table[0], &given, processes, "-n");
    if (code == 0)
        code = pario_options_parse(sets, argc, argv, &noperands);
    if (code == 0 && given.help) {
        print_help();
        return 0;
    }
    if (code == 0)
        code = check(&given, noperands);
    if (code == 0 && realpath(noperands == 1 ? argv[1] : ".", absolute) == NULL)
        code = pario_fail_errno(-errno, "cannot use %s",
                                noperands == 1 ? argv[1] : ".");
    if (code == 0)
        code = pario_cleanup_start();
    if (code != 0)
        return code;
    given.run.directory = absolute;
    code = race_and_write(&given.run);
    pario_cleanup_finish();
    return code;
}
