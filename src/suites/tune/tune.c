/* suites/tune/tune.c - the suite tune: one race or all of b_eff_io's types,
 * and what is written about them. */
#include "suites/tune/tune.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/output.h"
#include "core/units.h"
#include "io/hints.h"
#include "suites/jobs.h"
#include "suites/suite.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST_PATTERN_S 120 /* of --all: a pattern needs so much */
#define RACES_SHARE 0.6     /* ... of its time */

/* What one invocation writes. */
struct written {
    struct pario_run *run;
    const struct tune_options *options;
    struct pario_result *result;
    FILE *out;            /* tables; shown with --verbose alone */
    char plain[PATH_MAX]; /* the file beside the hints file, of --all */
    struct tune_paths paths;
    int warned; /* of where the processes of the jobs are */
};

static const char *const access_choices[] = {"both", "write", "read", NULL};

#define AT(field) offsetof(struct tune_options, field)

static const struct pario_option table[] = {
    {PARIO_OPTION("processes", INT, AT(processes), "N"), PARIO_RANGE(1, 1e6),
     .help = "processes of each job (also pario -n N tune)"},
    {PARIO_OPTION("time", TIME, AT(time_s), "TIME"), PARIO_RANGE(1, 1e6),
     .letter = 't', .help = "time of the whole search"},
    {PARIO_OPTION("type", INT, AT(type), "N"), PARIO_RANGE(0, 4),
     .help = "b_eff_io's pattern type"},
    {PARIO_OPTION("chunk", SIZE, AT(chunk), "SIZE"), PARIO_RANGE(1, 1 << 30),
     .help = "contiguous bytes on disk"},
    {PARIO_OPTION("memory", SIZE, AT(memory), "SIZE"), PARIO_RANGE(0, 1 << 30),
     .help = "bytes of one call (0: as b_eff_io has it)"},
    {PARIO_FLAG("all", AT(all)),
     .help = "all types of b_eff_io, each at 1 KiB, 32 KiB and 1 MiB"},
    {PARIO_OPTION("access", CHOICE, AT(access), "WHAT"),
     .choices = access_choices, .help = "what counts: both, write or read"},
    {PARIO_OPTION("size", SIZE, AT(task_bytes), "SIZE"),
     PARIO_RANGE(4096, 1 << 30), .letter = 's', .help = "file of one process"},
    {PARIO_OPTION("pass", TIME, AT(pass_s), "TIME"), PARIO_RANGE(0.001, 10),
     .help = "time of one access of one pass"},
    {PARIO_OPTION("try", STRINGS, AT(tries), "HINTS"),
     .help = "another contender: \"key=value;key=value\"; may be repeated"},
    {PARIO_OPTION("rounds", INT, AT(rounds), "N"),
     PARIO_RANGE(0, TUNE_MAX_ROUNDS),
     .help = "only measure: every contender in N jobs, without a time, "
             "elimination or hints"},
    {PARIO_OPTION("timeout", TIME, AT(hang_s), "TIME"), PARIO_RANGE(0, 1e5),
     .help = "a pass that takes longer hangs (0: by the slowest so far)"},
    {PARIO_OPTION("hints-file", STRING, AT(hints_file), "FILE"),
     .help = "the hints file that is written"},
    {.name = NULL},
};

static const struct tune_options defaults = {.processes = 4,
                                             .time_s = 180,
                                             .chunk = 1024,
                                             .task_bytes = 8 << 20,
                                             .pass_s = 0.1,
                                             .hints_file = "pario-hints.txt"};

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
                                 written->run->common.force, text, len);
    free(text);
    return code;
}

/* The commands that use the winner, a line each. */
static int say_use(const struct written *written,
                   const struct tune_outcome *outcome,
                   const struct tune_all *all)
{
    char *text = NULL, *rest, *line;
    size_t len = 0;
    FILE *stream = open_memstream(&text, &len);

    if (stream == NULL)
        return pario_fail_errno(-errno, "the commands");
    if (outcome != NULL)
        tune_print_use(stream, "", outcome, &written->paths);
    else
        tune_all_print_use(stream, "", all, &written->paths);
    if (fclose(stream) != 0) {
        free(text);
        return pario_fail_errno(-ENOMEM, "the commands");
    }
    rest = text;
    while ((line = strsep(&rest, "\n")) != NULL)
        if (line[0] != '\0')
            pario_view_use(written->result, "%s", line);
    pario_view_use(written->result, "hints file: %s%s%s", written->paths.hints,
                   all != NULL ? ", without sections: " : "",
                   all != NULL ? written->paths.plain : "");
    free(text);
    return 0;
}

/* The same of every race: once. */
static void warn_of_placement(struct written *written,
                              const struct pario_placement *placement)
{
    if (written->warned)
        return;
    written->warned = 1;
    if (placement->uneven[0] != '\0')
        pario_run_warn(written->run, "%s", placement->uneven);
    if (placement->bound[0] != '\0')
        pario_run_warn(written->run, "%s", placement->bound);
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
    warn_of_placement(written, &outcome.placement);
    code = tune_print(written->out, &outcome);
    recorded = tune_record(written->result, &outcome);
    tune_answer(written->result, &outcome);
    if (code == 0 && options->rounds == 0)
        code = write_hints(written, &outcome, NULL, 0);
    if (code == 0 && options->rounds == 0)
        code = say_use(written, &outcome, NULL);
    tune_race_fini(&outcome.race);
    return code != 0 ? code : recorded;
}

static int race_of_all(struct written *written, int type, int chunk,
                       struct tune_outcome *outcome)
{
    const struct tune_options *options = written->options;
    struct tune_pattern pattern = pattern_of(options, type, tune_chunks[chunk]);
    int code;

    if (!options->quiet && options->progress == NULL)
        fprintf(stderr, "type %d, %lld bytes\n", type, (long long)pattern.l);
    code = tune_run(options, &pattern, options->time_s * RACES_SHARE / TUNE_ALL,
                    TUNE_RACE_ONLY, outcome);
    if (code != 0) {
        outcome->race.one = NULL;
        return code;
    }
    warn_of_placement(written, &outcome->placement);
    code = tune_print(written->out, outcome);
    fflush(written->out);
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
        code = tune_all_print(written->out, all);
    if (code != 0)
        return code;
    tune_all_answer(written->result, all);
    code = write_hints(written, NULL, all, 0);
    if (code == 0)
        code = write_hints(written, NULL, all, 1);
    return code == 0 ? say_use(written, NULL, all) : code;
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

static int check_tries(const struct tune_options *options)
{
    for (int i = 0; options->tries.item[i] != NULL; i++) {
        const char *text = options->tries.item[i];
        struct pario_hints hints = {.count = 0};
        int code = pario_hints_parse(&hints, text);

        if (code == 0 && (hints.count == 0 || strlen(text) > 500))
            code = pario_fail(PARIO_EUSAGE,
                              "--try needs \"key=value;key=value\", not '%s'",
                              text);
        pario_hints_fini(&hints);
        if (code != 0)
            return code;
    }
    return 0;
}

static int check(struct pario_run *run, const struct tune_options *options,
                 const struct tune_paths *paths)
{
    if (options->memory != 0 && options->memory < options->chunk)
        return pario_fail(PARIO_EUSAGE, "--memory is smaller than --chunk");
    for (int i = 0; i <= options->all; i++) {
        const char *path = i == 0 ? paths->hints : paths->plain;

        if (options->rounds == 0 && !run->common.force &&
            access(path, F_OK) == 0)
            return pario_fail_errno(
                -EEXIST, "cannot write %s (--force overwrites it)", path);
    }
    if (options->all && options->rounds == 0 &&
        options->time_s / TUNE_ALL < LEAST_PATTERN_S)
        pario_run_warn(run,
                       "%.0f s for each of %d patterns is little: --time 30min "
                       "or more finds better hints",
                       options->time_s / TUNE_ALL, TUNE_ALL);
    return check_tries(options);
}

static int print_plan(const struct tune_options *options)
{
    struct tune_race race;
    struct tune_field field = {
        .mpi = pario_par_library(),
        .processes = (int)options->processes,
        .native = options->native,
        .shipio = options->shipio,
        .extra = options->tries.item,
    };
    char size[PARIO_UNITS_LEN];
    int code = tune_race_init(&race, &field);

    if (code != 0)
        return code;
    printf(
        "tune: %d pattern%s, %d contenders, jobs of %lld processes, %s on "
        "disk, %g s:\n",
        options->all ? TUNE_ALL : 1, options->all ? "s" : "", race.count,
        (long long)options->processes,
        pario_size_print_short(options->task_bytes * options->processes, size),
        options->time_s);
    for (int i = 0; i < race.count; i++)
        printf("  %-32s %s %s\n", race.one[i].name, race.one[i].hints,
               race.one[i].variable);
    tune_race_fini(&race);
    return 0;
}

static int race(struct written *written)
{
    const struct tune_options *options = written->options;
    struct tune_pattern pattern =
        pattern_of(options, (int)options->type, options->chunk);

    return options->all ? tune_all_types(written) : one_race(written, &pattern);
}

/* The tables, and where they go. */
static int race_and_print(struct written *written)
{
    const struct pario_common *common = &written->run->common;
    char *text = NULL;
    size_t len = 0;
    int code;

    written->out = common->verbose && !common->quiet
                       ? stdout
                       : open_memstream(&text, &len);
    if (written->out == NULL)
        return pario_fail_errno(-errno, "cannot start");
    code = race(written);
    if (written->out != stdout)
        fclose(written->out);
    free(text);
    return code;
}

static int run_tune(struct pario_run *run)
{
    struct tune_options *options = run->options;
    struct written written = {
        .run = run, .options = options, .result = run->result};
    int code = pario_jobs_check(run, &options->native, &options->shipio);

    snprintf(written.plain, sizeof(written.plain), "%s.plain",
             options->hints_file);
    written.paths.hints = options->hints_file;
    written.paths.plain = options->all ? written.plain : options->hints_file;
    options->quiet = run->common.quiet;
    if (code == 0)
        code = check(run, options, &written.paths);
    if (code != 0)
        return code;
    if (run->common.dry_run)
        return print_plan(options);
    code =
        pario_run_directory(run, run->noperands == 1 ? run->operands[0] : NULL,
                            options->task_bytes * options->processes);
    if (code != 0)
        return code;
    options->directory = run->directory;
    if (run->progress.columns > 0)
        options->progress = &run->progress;
    run->progress.start_s = pario_clock_s();
    run->progress.total_s = options->rounds > 0 ? 0 : options->time_s;
    return race_and_print(&written);
}

/* The tables were printed race by race. */
static int tune_printed(const struct pario_run *run, FILE *out)
{
    (void)run;
    (void)out;
    return 0;
}

static int64_t processes_of(const void *options)
{
    return ((const struct tune_options *)options)->processes;
}

extern const struct pario_suite pario_suite_tune;
static const struct pario_view_line tune_lines[] = {
    {"best", {{"", "best"}}, NULL},
    {"type 0", {{"", "type0_setting"}, {"gain", "type0_gain"}}, NULL},
    {"type 1", {{"", "type1_setting"}, {"gain", "type1_gain"}}, NULL},
    {"type 2", {{"", "type2_setting"}, {"gain", "type2_gain"}}, NULL},
    {"type 3", {{"", "type3_setting"}, {"gain", "type3_gain"}}, NULL},
    {"type 4", {{"", "type4_setting"}, {"gain", "type4_gain"}}, NULL},
    {.label = NULL},
};

/* What the race compares: writes and reads as b_eff_io weighs them. */
static const struct pario_view_name tune_values[] = {
    {.key = "median_mbps", .name = "bandwidth, median of the jobs"},
    {.key = NULL},
};

static const struct pario_view tune_view = {
    .title = "the hints that make a pattern fast",
    .question = "Which setting is fastest, and surely better than the default?",
    .lines = tune_lines,
    .values = tune_values,
    .details = "library environment hints type l_bytes L_bytes",
    .next = "pario report {file} -o tune.html",
};

const struct pario_suite pario_suite_tune = {
    .name = "tune",
    .operands = "[DIR]",
    .summary = "find the hints that make a pattern fast",
    .help = "Finds the hints that make a pattern fast on this system: ROMIO's, "
            "OMPIO's parameters and shipio race against each other; what is "
            "surely slower drops out, and the winner is confirmed in fresh "
            "jobs against the default. Writes a hints file for `pario beffio "
            "--hints`, ROMIO_HINTS (with --all: FILE.plain) and your own "
            "MPI_Info. --mpiio says whose settings race against the native "
            "default.",
    .options = table,
    .options_size = sizeof(struct tune_options),
    .defaults = &defaults,
    .no_resume = "a race compares what ran side by side; run it again",
    .without = pario_jobs_without,
    .processes = processes_of,
    .view = &tune_view,
    .print = tune_printed,
    .run = run_tune,
};
