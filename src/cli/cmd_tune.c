/* cli/cmd_tune.c - pario tune [DIR]: parse, call, print. */
#include "cli/commands.h"
#include "cli/jobs.h"
#include "core/cleanup.h"
#include "core/output.h"
#include "core/units.h"
#include "io/hints.h"
#include "result/result.h"
#include "result/value.h"
#include "suites/tune/tune.h"
#include "sys/fs.h"
#include "sys/node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TRIES 8
#define LEAST_PATTERN_S 120 /* of --all: a pattern needs so much */
#define RACES_SHARE 0.6     /* ... of its time */

struct given {
    struct tune_options run;
    const char *try; /* the last of them; all are in tries */
    const char *tries[MAX_TRIES + 1];
    int mpiio, help;
};

/* What one invocation writes. */
struct written {
    const struct tune_options *options;
    struct pario_result *result;
    char plain[PATH_MAX]; /* the file beside the hints file, of --all */
    struct tune_paths paths;
};

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
     .offset = AT(try),
     .argument = "HINTS",
     .help = "another contender: \"key=value;key=value\"; may be repeated"},
    {.name = "rounds",
     .type = PARIO_OPT_INT,
     .offset = AT(run.rounds),
     .argument = "N",
     .min = 0,
     .max = TUNE_MAX_ROUNDS,
     .help = "only measure: every contender in N jobs, without a time, "
             "elimination or hints"},
    {.name = "timeout",
     .type = PARIO_OPT_TIME,
     .offset = AT(run.hang_s),
     .argument = "TIME",
     .min = 0,
     .max = 1e5,
     .help = "a pass that takes longer hangs (0: by the slowest so far)"},
    {.name = "mpiio",
     .type = PARIO_OPT_CHOICE,
     .offset = AT(mpiio),
     .argument = "WHOSE",
     .choices = pario_jobs_mpiio_names,
     .help = "whose settings race against the native default"},
    {.name = "output",
     .letter = 'o',
     .type = PARIO_OPT_STRING,
     .offset = AT(run.output),
     .argument = "FILE",
     .help = "the hints file"},
    {.name = "result",
     .type = PARIO_OPT_STRING,
     .offset = AT(run.result),
     .argument = "FILE",
     .help = "result document (default: pario-tune-TIME.json)"},
    {.name = "force",
     .type = PARIO_OPT_FLAG,
     .offset = AT(run.force),
     .help = "overwrite an existing hints file or result"},
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
         "--hints`, ROMIO_HINTS (with --all: FILE.plain) and your own "
         "MPI_Info.\n");
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

/* One race, or all; plain: the file without sections. */
static int write_hints(const struct written *written,
                       const struct tune_outcome *outcome,
                       const struct tune_all *all, int plain)
{
    char *text = NULL;
    size_t len = 0;
    FILE *stream = open_memstream(&text, &len);
    int code = 0;

    if (stream == NULL)
        return pario_fail_errno(-errno, "the hints");
    if (outcome != NULL)
        tune_write_hints(stream, outcome, &written->paths);
    else if (plain)
        tune_all_write_plain(stream, all, &written->paths);
    else
        tune_all_write_hints(stream, all, &written->paths);
    if (fclose(stream) != 0)
        code = pario_fail_errno(-errno, "the hints");
    if (code == 0)
        code = pario_output_file(plain ? written->paths.plain
                                       : written->paths.hints,
                                 written->options->force, text, len);
    free(text);
    return code;
}

static int one_race(struct written *written, const struct tune_pattern *pattern)
{
    const struct tune_options *options = written->options;
    struct tune_outcome outcome;
    int code =
        tune_run(options, pattern, options->time_s, TUNE_CONFIRMED, &outcome);
    int recorded;

    if (code != 0)
        return code;
    code = tune_print(stdout, &outcome);
    recorded = tune_record(written->result, &outcome);
    if (code == 0 && options->rounds == 0) {
        if (outcome.winner >= 0)
            puts("To use it:");
        tune_print_use(stdout, "  ", &outcome, &written->paths);
        code = write_hints(written, &outcome, NULL, 0);
    }
    tune_race_fini(&outcome.race);
    return code != 0 ? code : recorded;
}

static int race_of_all(struct written *written, int type, int chunk,
                       struct tune_outcome *outcome)
{
    const struct tune_options *options = written->options;
    struct tune_pattern pattern = pattern_of(options, type, tune_chunks[chunk]);
    int code;

    if (!options->quiet)
        fprintf(stderr, "type %d, %lld bytes\n", type, (long long)pattern.l);
    code = tune_run(options, &pattern, options->time_s * RACES_SHARE / TUNE_ALL,
                    TUNE_RACE_ONLY, outcome);
    if (code != 0) {
        outcome->race.one = NULL;
        return code;
    }
    code = tune_print(stdout, outcome);
    fflush(stdout);
    if (code == 0)
        code = tune_record(written->result, outcome);
    if (code != 0)
        tune_race_fini(&outcome->race);
    return code;
}

/* One pattern that fails does not take the others with it. */
static int all_races(struct written *written, struct tune_all *all)
{
    char first[512] = "";
    int failed = 0;

    for (int p = 0; p < TUNE_ALL && !pario_cleanup_interrupted(); p++) {
        int type = p / TUNE_CHUNKS, chunk = p % TUNE_CHUNKS;

        if (race_of_all(written, type, chunk, &all->race[p]) == 0)
            continue;
        fprintf(stderr, "pario: type %d, %lld bytes: %s\n", type,
                (long long)tune_chunks[chunk], pario_error_message());
        if (failed++ == 0)
            snprintf(first, sizeof(first), "%s", pario_error_message());
    }
    return failed == 0 ? 0
                       : pario_fail(PARIO_EVERIFY,
                                    "%d of %d patterns failed; the first: %s",
                                    failed, TUNE_ALL, first);
}

static int finish_all(struct written *written, struct tune_all *all)
{
    const struct tune_options *options = written->options;
    int code =
        tune_all_confirm(options, all, options->time_s * (1 - RACES_SHARE));

    if (code == 0)
        code = tune_all_record(written->result, all);
    if (code == 0)
        code = tune_all_print(stdout, all);
    if (code != 0)
        return code;
    if (all->won)
        puts("To use it:");
    tune_all_print_use(stdout, "  ", all, &written->paths);
    code = write_hints(written, NULL, all, 0);
    return code == 0 ? write_hints(written, NULL, all, 1) : code;
}

static int tune_all_types(struct written *written)
{
    struct tune_all *all = calloc(1, sizeof(*all));
    char first[512];
    int code;

    if (all == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    code = all_races(written, all);
    snprintf(first, sizeof(first), "%s",
             code != 0 ? pario_error_message() : "");
    if (written->options->rounds == 0 && tune_all_contenders(all) != NULL) {
        int finished = finish_all(written, all);

        if (code != 0 && finished == 0)
            code = pario_fail(code, "%s", first);
        else if (finished != 0)
            code = finished;
    }
    for (int p = 0; p < TUNE_ALL; p++)
        tune_race_fini(&all->race[p].race);
    free(all);
    return code;
}

/* The parser keeps the last --try; all are contenders. */
static int gather_tries(struct given *given, int argc, char **argv)
{
    int n = 0;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *text = NULL;
        struct pario_hints hints = {.count = 0};
        int code;

        if (strncmp(argv[i], "--try=", 6) == 0)
            text = argv[i] + 6;
        else if (strcmp(argv[i], "--try") == 0 && i + 1 < argc)
            text = argv[++i];
        if (text == NULL)
            continue;
        code = pario_hints_parse(&hints, text);
        if (code == 0 && (hints.count == 0 || strlen(text) > 500))
            code = pario_fail(PARIO_EUSAGE,
                              "--try needs \"key=value;key=value\", not '%s'",
                              text);
        pario_hints_fini(&hints);
        if (code == 0 && n == MAX_TRIES)
            code = pario_fail(PARIO_EUSAGE, "--try: at most %d", MAX_TRIES);
        if (code != 0)
            return code;
        given->tries[n++] = text;
    }
    given->run.extra = given->tries;
    return 0;
}

static int check(const struct given *given, const struct tune_paths *paths)
{
    const struct tune_options *run = &given->run;

    if (run->memory != 0 && run->memory < run->chunk)
        return pario_fail(PARIO_EUSAGE, "--memory is smaller than --chunk");
    for (int i = 0; i <= run->all; i++) {
        const char *path = i == 0 ? paths->hints : paths->plain;

        if (run->rounds == 0 && !run->force && access(path, F_OK) == 0)
            return pario_fail_errno(
                -EEXIST, "cannot write %s (--force overwrites it)", path);
    }
    if (run->all && run->rounds == 0 &&
        run->time_s / TUNE_ALL < LEAST_PATTERN_S)
        fprintf(stderr,
                "pario: warning: %.0f s for each of %d patterns is little: "
                "--time 30min or more finds better hints\n",
                run->time_s / TUNE_ALL, TUNE_ALL);
    return 0;
}

static void record_system(struct pario_result *result,
                          const struct tune_options *options)
{
    struct pario_node_facts node;
    struct pario_fs_facts fs;

    pario_result_set(result, "system", "processes",
                     json_integer(options->processes));
    pario_result_set(result, "system", "mpi",
                     pario_json_text(pario_par_library()));
    if (pario_node_facts_get(&node) == 0) {
        pario_result_set(result, "system", "host", pario_json_text(node.host));
        pario_result_set(result, "system", "kernel",
                         pario_json_text(node.kernel));
        pario_result_set(result, "system", "cpu", pario_json_text(node.cpu));
        pario_result_set(result, "system", "cores", json_integer(node.cores));
        pario_result_set(result, "system", "memory_per_node_bytes",
                         json_integer(node.memory_bytes));
    }
    if (pario_fs_facts_get(options->directory, &fs) == 0)
        pario_result_set(result, "system", "filesystem",
                         pario_json_text(fs.type));
}

static int race_and_write(struct written *written, const struct given *given)
{
    const struct tune_options *options = written->options;
    struct tune_pattern pattern =
        pattern_of(options, (int)options->type, options->chunk);
    char text[1024];
    int code, finished;

    for (int i = 0; table[i].name != NULL; i++) {
        pario_option_print(&table[i], given, text, sizeof(text));
        pario_result_set(written->result, "options", table[i].name,
                         pario_json_text(text));
    }
    record_system(written->result, options);
    code = options->all ? tune_all_types(written) : one_race(written, &pattern);
    if (code != 0)
        pario_result_invalidate(written->result, "%s", pario_error_message());
    finished = pario_result_finish(written->result);
    if (code == 0 && options->rounds == 0)
        printf("\nhints: %s%s%s", options->output,
               options->all ? ", without sections: " : "",
               options->all ? written->plain : "");
    printf("\nresult: %s\n", pario_result_path(written->result));
    return code != 0 ? code : finished;
}

int pario_cmd_tune(const struct pario_group *world, int argc, char **argv)
{
    struct given given = defaults;
    struct pario_jobs jobs = {.command = "tune",
                              .table = table,
                              .values = &given,
                              .help = &given.help,
                              .mpiio = &given.mpiio};
    struct written written = {.options = &given.run};
    static char program[] = "pario";
    char **typed = calloc((size_t)argc + 2, sizeof(*typed));
    int code = typed == NULL ? pario_fail_errno(-ENOMEM, "cannot start") : 0;

    (void)world;
    if (typed != NULL) { /* argv is permuted by the parser */
        typed[0] = program;
        memcpy(typed + 1, argv, (size_t)argc * sizeof(*typed));
    }
    if (code == 0)
        code = gather_tries(&given, argc, argv);
    if (code == 0)
        code = pario_jobs_parse(&jobs, argc, argv);
    if (code == 0 && given.help) {
        print_help();
        free(typed);
        return 0;
    }
    given.run.native = jobs.native;
    given.run.shipio = jobs.shipio;
    given.run.directory = jobs.directory;
    snprintf(written.plain, sizeof(written.plain), "%s.plain",
             given.run.output);
    written.paths.hints = given.run.output;
    written.paths.plain = given.run.all ? written.plain : given.run.output;
    if (code == 0)
        code = check(&given, &written.paths);
    if (code == 0)
        code = pario_result_create("tune", argc + 1, typed, given.run.result,
                                   given.run.force, &written.result);
    if (code == 0)
        code = race_and_write(&written, &given);
    pario_result_destroy(written.result);
    pario_cleanup_finish();
    free(typed);
    return code;
}
