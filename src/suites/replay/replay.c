/* suites/replay/replay.c - `pario replay`: a recorded program's I/O as a
 * workload (PRIOmark, Sect. 6). */
#include "launch/library.h"
#include "measure/phase.h"
#include "suites/replay/prepare.h"
#include "suites/suite.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct replay_options {
    const char *timing; /* asap, original, scaled=F */
    const char *hints;
};

#define AT(field) offsetof(struct replay_options, field)

static const struct pario_option replay_table[] = {
    {.name = "timing",
     .type = PARIO_OPT_STRING,
     .offset = AT(timing),
     .argument = "HOW",
     .help = "asap: one call after the other; original: what the program "
             "computed in between is slept; scaled=0.5: half of it"},
    {.name = "hints",
     .type = PARIO_OPT_STRING,
     .offset = AT(hints),
     .argument = "LIST",
     .help = "MPI-IO hints that replace the recorded ones: key=value,..."},
    {.name = NULL},
};

static const struct replay_options replay_defaults = {.timing = "asap"};

static const struct pario_test replay_tests[] = {
    {"replay", "the requests of a trace, in its order"},
    {NULL, NULL},
};

/* All that one run needs on this process. */
struct workload {
    struct pario_run *run;
    struct pario_trace *trace;
    struct replay_plan plan;
    struct replay replay;
    struct replay_stream *streams;
    char *folder, *hints;
    double scale;
};

static int parse_timing(const char *text, double *scale_p)
{
    char *end = NULL;

    if (strcmp(text, "asap") == 0) {
        *scale_p = 0;
        return 0;
    }
    if (strcmp(text, "original") == 0) {
        *scale_p = 1;
        return 0;
    }
    if (strncmp(text, "scaled=", 7) == 0) {
        *scale_p = strtod(text + 7, &end);
        if (end != text + 7 && *end == '\0' && *scale_p > 0 && *scale_p < 1e6)
            return 0;
    }
    return pario_fail(PARIO_EUSAGE,
                      "--timing: asap, original or scaled=0.5, not '%s'", text);
}

/* Commas become lines. */
static int parse_hints(const char *text, char **hints_p)
{
    char *lines;

    *hints_p = NULL;
    if (text == NULL)
        return 0;
    lines = strdup(text);
    if (lines == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    for (char *c = lines; *c != '\0'; c++)
        if (*c == ',')
            *c = '\n';
    *hints_p = lines;
    return 0;
}

/* Calls of MPI need the processes that made them. */
static int check_processes(const struct workload *load)
{
    size_t recorded = pario_trace_processes(load->trace);
    size_t now = (size_t)pario_group_size(load->run->world);

    if (recorded == 0)
        return pario_fail(PARIO_EFORMAT, "%s has no calls",
                          load->run->operands[0]);
    if (now == recorded)
        return 0;
    return pario_fail(PARIO_EUSAGE,
                      "%s is of %zu process%s, and this job has %zu: "
                      "`pario -n %zu replay ...`",
                      load->run->operands[0], recorded,
                      recorded == 1 ? "" : "es", now, recorded);
}

static int open_trace(struct workload *load)
{
    const struct replay_options *options = load->run->options;
    int code = parse_timing(options->timing, &load->scale);

    if (code == 0)
        code = parse_hints(options->hints, &load->hints);
    if (code == 0)
        code = pario_trace_open(load->run->operands[0], &load->trace);
    if (code == 0)
        code = check_processes(load);
    if (code == 0)
        code = pario_trace_folder(load->trace, &load->folder);
    if (code == 0)
        code = replay_plan_init(&load->plan, load->trace);
#if !PARIO_HAVE_MPIIO
    if (code == 0 && load->plan.mpi)
        code = pario_fail(PARIO_EUNAVAIL,
                          "the trace has calls of MPI: build pario with MPI");
#endif
    return code;
}

static int set_up(struct workload *load)
{
    struct pario_run *run = load->run;
    size_t rank = (size_t)pario_group_rank(run->world);

    load->replay = (struct replay){
        .trace = load->trace,
        .plan = &load->plan,
        .process = rank,
        .folder = load->folder,
        .directory = run->directory,
        .key = run->data_key,
        .scale = load->scale,
        .check = run->common.verify != PARIO_VERIFY_OFF,
        .world = run->world,
        .hints = load->hints,
        .nstreams = pario_trace_process(load->trace, rank)->nstreams,
    };
    load->streams = calloc(load->replay.nstreams + 1, sizeof(*load->streams));
    if (load->streams == NULL)
        return pario_fail_errno(-ENOMEM, "cannot start");
    for (size_t s = 0; s < load->replay.nstreams; s++)
        pario_hist_init(&load->streams[s].sums.latency);
    return replay_init(&load->replay, load->streams);
}

static int loop(void *part, struct pario_phase *phase)
{
    struct workload *load = part;
    int code;

    pario_recorder_pause(0);
    code = replay_run(&load->replay, load->streams);
    pario_recorder_pause(1);
    for (size_t s = 0; s < load->replay.nstreams; s++) {
        const struct replay_sums *sums = &load->streams[s].sums;

        phase->figures.bytes +=
            sums->bytes[PARIO_DATA_READ] + sums->bytes[PARIO_DATA_WRITE];
        phase->figures.written_bytes += sums->bytes[PARIO_DATA_WRITE];
        phase->figures.operations += sums->operations[PARIO_DATA_READ] +
                                     sums->operations[PARIO_DATA_WRITE];
        pario_hist_merge(phase->latency, &sums->latency);
    }
    return code;
}

static int check(void *part, struct pario_phase *phase)
{
    struct workload *load = part;

    for (size_t s = 0; s < load->replay.nstreams; s++) {
        const struct replay_sums *sums = &load->streams[s].sums;

        phase->figures.checked_bytes += sums->checked;
        phase->figures.wrong_bytes += sums->wrong;
        if (sums->wrong > 0 && phase->figures.wrong[0] == '\0')
            snprintf(phase->figures.wrong, sizeof(phase->figures.wrong), "%s",
                     sums->wrong_place);
    }
    return 0;
}

/* Collective. Calls that ended otherwise than recorded. */
static int say_otherwise(struct workload *load, int64_t *calls_p)
{
    struct pario_run *run = load->run;
    int64_t sums[2] = {0, 0};
    char first[200] = "";
    int code;

    for (size_t s = 0; s < load->replay.nstreams; s++) {
        sums[0] += load->streams[s].sums.otherwise;
        sums[1] += load->streams[s].sums.calls;
        if (first[0] == '\0')
            snprintf(first, sizeof(first), "%s",
                     load->streams[s].sums.first_otherwise);
    }
    code = pario_reduce_i64(run->world, PARIO_SUM, sums, 2);
    *calls_p = sums[1];
    if (code == 0 && sums[0] > 0)
        pario_run_invalidate(run,
                             "%lld of %lld calls ended otherwise than recorded "
                             "(on rank 0: %s)",
                             (long long)sums[0], (long long)sums[1],
                             first[0] != '\0' ? first : "none");
    return code;
}

static int record(struct workload *load, struct pario_phase *phase)
{
    const struct replay_options *options = load->run->options;
    int64_t calls = 0;
    int code = say_otherwise(load, &calls);
    struct pario_measure measure = {
        .test = "replay",
        .access = load->plan.reads == 0    ? "write"
                  : load->plan.writes == 0 ? "read"
                                           : "mixed",
        .partition = pario_group_size(load->run->world),
        .parameters = json_pack("{s:s, s:s}", "trace", load->run->operands[0],
                                "timing", options->timing),
        .extra = json_pack("{s:I, s:f}", "calls", (json_int_t)calls,
                           "recorded_s", (double)load->plan.seconds_ns * 1e-9),
    };

    if (code != 0) {
        json_decref(measure.parameters);
        json_decref(measure.extra);
        return code;
    }
    return pario_phase_record(phase, &measure);
}

static void summarise(struct workload *load, const struct pario_phase *phase)
{
    double seconds = phase->figures.seconds;

    if (load->run->result == NULL)
        return;
    (void)pario_result_set(load->run->result, "summary", "replay_s",
                           json_real(seconds));
    (void)pario_result_set(
        load->run->result, "summary", "replay_mbps",
        json_real(seconds > 0 ? (double)phase->figures.bytes / seconds * 1e-6
                              : 0));
    (void)pario_result_set(load->run->result, "summary", "recorded_s",
                           json_real((double)load->plan.seconds_ns * 1e-9));
}

static int measure(struct workload *load)
{
    static const struct pario_phase_calls calls = {.loop = loop,
                                                   .check = check};
    struct pario_run *run = load->run;
    struct pario_hist latency;
    char path[2 * PATH_MAX];
    double scheduled_s = (double)load->plan.seconds_ns * 1e-9;
    struct pario_phase phase = {
        .run = run,
        .group = run->world,
        .path = load->plan.largest != NULL && load->plan.largest[0] != '\0'
                    ? replay_path(&load->replay, load->plan.largest, path,
                                  sizeof(path))
                    : run->directory,
        .shared = 1,
        .writing = load->plan.writes > 0,
        .reading = load->plan.reads > 0,
        .latency = &latency,
    };
    int code;

    pario_hist_init(&latency);
    if (load->scale > 1)
        scheduled_s *= load->scale;
    pario_run_phase(run, scheduled_s + 10, "replay of %s", run->operands[0]);
    phase.figures.data_bytes =
        load->plan.data_bytes / pario_group_size(run->world);
    code = pario_phase_run(&phase, &calls, load);
    if (code == 0)
        code = record(load, &phase);
    if (code == 0)
        summarise(load, &phase);
    return code;
}

static void tear_down(struct workload *load)
{
    if (load->streams != NULL)
        replay_fini(&load->replay, load->streams);
    free(load->streams);
    free(load->folder);
    free(load->hints);
    replay_plan_fini(&load->plan);
    pario_trace_close(load->trace);
}

static void print_plan(const struct workload *load)
{
    if (pario_group_rank(load->run->world) != 0)
        return;
    printf("replay: %zu processes, %lld reads, %lld writes, recorded in %.3g "
           "s\n",
           pario_trace_processes(load->trace), (long long)load->plan.reads,
           (long long)load->plan.writes, (double)load->plan.seconds_ns * 1e-9);
    for (size_t i = 0; i < load->plan.count; i++)
        printf("  %s%s\n", load->plan.targets[i].path,
               load->plan.targets[i].needed ? " (prepared)" : "");
}

static int replay_main(struct pario_run *run)
{
    struct workload load = {.run = run};
    int code = 0;

    if (run->noperands < 1 || run->noperands > 2)
        code = pario_fail(PARIO_EUSAGE, "replay needs a trace and a directory");
    if (code == 0)
        code = open_trace(&load);
    code = pario_agree(run->world, code);
    if (code == 0 && run->common.dry_run) {
        print_plan(&load);
        tear_down(&load);
        return 0;
    }
    if (code == 0)
        code = pario_run_directory(run,
                                   run->noperands > 1 ? run->operands[1] : NULL,
                                   load.plan.need_bytes);
    if (code == 0) {
        code = set_up(&load);
        if (code == 0 && pario_group_rank(run->world) == 0)
            code = replay_prepare(&load.plan, &load.replay);
        code = pario_agree(run->world, code);
    }
    if (code == 0 && pario_trace_notes(load.trace)[0] != '\0')
        pario_run_warn(run, "the trace: %s", pario_trace_notes(load.trace));
    if (code == 0)
        code = measure(&load);
    tear_down(&load);
    return code;
}

static const struct pario_view_line replay_lines[] = {
    {"replay", {{"", "replay_mbps"}, {"time", "replay_s"}}, NULL},
    {"the program", {{"time", "recorded_s"}}, "as it was recorded"},
    {.label = NULL},
};

static const struct pario_view replay_view = {
    .title = "the I/O of a program once more",
    .question = "How long does this storage take for the program's I/O?",
    .lines = replay_lines,
};

const struct pario_suite pario_suite_replay = {
    .name = "replay",
    .operands = "TRACE [DIR]",
    .summary = "the I/O of a program that `pario record` ran, once more",
    .help = "Makes the same requests, by as many processes, in the same order, "
            "with data of\nits own in files of its own. What the program "
            "computed is left out or slept;\ncollective calls of MPI hold the "
            "processes together as they did.",
    .options = replay_table,
    .options_size = sizeof(struct replay_options),
    .defaults = &replay_defaults,
    .tests = replay_tests,
    .no_resume = "a replay is one measure",
    .pauses_recorder = 1,
    .view = &replay_view,
    .run = replay_main,
};
