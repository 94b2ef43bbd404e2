/* suites/replay/replay.c - `pario replay`: a recorded program's I/O as a
 * workload (PRIOmark, Sect. 6). */
#include "core/text.h"
#include "core/units.h"
#include "measure/phase.h"
#include "result/parameters.h"
#include "result/workload.h"
#include "suites/replay/workload.h"
#include "suites/suite.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>

struct replay_options {
    const char *timing; /* asap, original, scaled=F */
    const char *hints;
    int64_t amplify, max_calls;
};

#define AT(field) offsetof(struct replay_options, field)

static const struct pario_field replay_fields[] = {
    {PARIO_OPTION("timing", STRING, AT(timing), "HOW"),
     .help = "asap: one call after the other; original: what the program "
             "computed in between is slept; scaled=0.5: half of it"},
    {PARIO_OPTION("hints", STRING, AT(hints), "LIST"),
     .rules = PARIO_FIELD_SAID,
     .help = "MPI-IO hints that replace the recorded ones: key=value,..."},
    {PARIO_OPTION("amplify", INT, AT(amplify), "N"), PARIO_RANGE(1, 100000),
     .help = "so many copies at the same time, each in files of its own; with "
             "calls of MPI they need so many times the processes"},
    {PARIO_OPTION("max-calls", INT, AT(max_calls), "N"), PARIO_RANGE(0, 1e15),
     .rules = PARIO_FIELD_SAID,
     .help = "take a trace of up to N calls (default: 100 million, and more "
             "for a large file)"},
    {.name = NULL},
};

/* What else tells its measure from another. */
struct replay_source {
    const char *trace, *mapping;
};

static const struct pario_field source_fields[] = {
    {PARIO_FIELD("trace", STRING, offsetof(struct replay_source, trace))},
    {PARIO_FIELD("mapping", STRING, offsetof(struct replay_source, mapping))},
    {.name = NULL},
};

static const struct replay_options replay_defaults = {.timing = "asap",
                                                      .amplify = 1};

static const struct pario_test replay_tests[] = {
    {"replay", "the requests of a trace, in its order"},
    {NULL, NULL},
};

/* All that one run needs on this process. */
struct workload {
    struct pario_run *run;
    struct replay_workload work;
    struct replay_sums sums;
};

static int loop(void *part, struct pario_phase *phase)
{
    struct workload *load = part;
    struct pario_figures *figures = &phase->figures;
    int code = replay_workload_run(&load->work, load->run);

    replay_workload_sums(&load->work, &load->sums);
    figures->written_bytes = load->sums.bytes[PARIO_DATA_WRITE];
    figures->bytes = figures->written_bytes + load->sums.bytes[PARIO_DATA_READ];
    /* What is read again was not in the page cache again. */
    figures->data_bytes =
        pario_trace_times(load->work.plan.data_bytes, load->work.copies) /
        pario_group_size(load->run->world);
    figures->operations = load->sums.operations[PARIO_DATA_READ] +
                          load->sums.operations[PARIO_DATA_WRITE];
    figures->written_data_bytes =
        pario_trace_times(load->work.plan.once_bytes, load->work.copies) /
        pario_group_size(load->run->world);
    phase->repeats_data = load->sums.unstamped > 0 ||
                          load->work.plan.count > (size_t)REPLAY_FILES;
    pario_hist_merge(phase->latency, &load->sums.latency);
    return code;
}

static int check(void *part, struct pario_phase *phase)
{
    struct workload *load = part;
    const struct pario_common *common = &load->run->common;
    int64_t reads[2] = {load->sums.jumps,
                        load->sums.operations[PARIO_DATA_READ]};
    int code = pario_reduce_i64(phase->group, PARIO_SUM, reads, 2);

    phase->scattered = 2 * reads[0] > reads[1];
    if (code == 0 && common->verify != PARIO_VERIFY_OFF)
        code = replay_workload_verify(
            &load->work, common->verify == PARIO_VERIFY_FULL, &load->sums);
    phase->unread = load->sums.unread > 0;
    phase->figures.checked_bytes = load->sums.checked;
    phase->figures.wrong_bytes = load->sums.wrong;
    snprintf(phase->figures.wrong, sizeof(phase->figures.wrong), "%s",
             load->sums.wrong_place);
    return code;
}

/* Collective. Calls that ended otherwise than recorded. */
static int say_otherwise(struct workload *load, int64_t *calls_p)
{
    struct pario_run *run = load->run;
    int64_t sums[2] = {load->sums.otherwise, load->sums.calls};
    int code = pario_reduce_i64(run->world, PARIO_SUM, sums, 2);

    *calls_p = sums[1];
    if (code == 0 && sums[0] > 0)
        pario_run_invalidate(run,
                             "%lld of %lld calls ended otherwise than recorded "
                             "(on rank 0: %s)",
                             (long long)sums[0], (long long)sums[1],
                             load->sums.first_otherwise[0] != '\0'
                                 ? load->sums.first_otherwise
                                 : "none");
    return code;
}

/* Who played whom, in words. */
static const char *describe_mapping(const struct workload *load, char *text,
                                    size_t len)
{
    int64_t recorded = (int64_t)pario_trace_processes(load->work.trace);
    int64_t size = pario_group_size(load->run->world);

    if (size == recorded * load->work.copies)
        return "a process for each recorded one";
    snprintf(text, len,
             "process p of copy c of %lld is played by rank (%lld c + p) mod "
             "%lld, in threads",
             (long long)load->work.copies, (long long)recorded,
             (long long)size);
    return text;
}

static int record(struct workload *load, struct pario_phase *phase)
{
    char mapping[160];
    const struct replay_source source = {
        .trace = load->run->operands[0],
        .mapping = describe_mapping(load, mapping, sizeof(mapping)),
    };
    int64_t calls = 0;
    int code = say_otherwise(load, &calls);
    struct pario_measure measure = {
        .test = "replay",
        .access = load->work.plan.reads == 0    ? "write"
                  : load->work.plan.writes == 0 ? "read"
                                                : "mixed",
        .partition = pario_group_size(load->run->world),
        .parameters = pario_parameters(source_fields, 0, &source),
        .extra =
            json_pack("{s:I, s:f}", "calls", (json_int_t)calls, "recorded_s",
                      (double)load->work.plan.seconds_ns * 1e-9),
    };

    if (code == 0 && pario_parameters_set(measure.parameters, replay_fields, 0,
                                          load->run->options) != 0)
        code = pario_fail_errno(-ENOMEM, "cannot record a measure");
    if (code != 0) {
        json_decref(measure.parameters);
        json_decref(measure.extra);
        return code;
    }
    return pario_phase_record(phase, &measure);
}

static void summarise(struct workload *load, const struct pario_phase *phase)
{
    const struct pario_figures *figures = &phase->figures;

    if (load->run->result == NULL)
        return;
    (void)pario_result_summary(load->run->result, "replay_s",
                               json_real(figures->seconds), figures->flags);
    (void)pario_result_summary(
        load->run->result, "replay_mbps",
        json_real(pario_mbps(figures->bytes, figures->seconds)),
        figures->flags);
    (void)pario_result_set(
        load->run->result, "summary", "recorded_s",
        json_real((double)load->work.plan.seconds_ns * 1e-9));
}

/* Is the file that the engine asks about the only one that is written? */
static int asks_what_it_writes(const struct replay_plan *plan)
{
    size_t number = replay_plan_number(plan, plan->largest);

    return plan->nwritten == 1 && number < plan->count &&
           plan->targets[number].written_bytes > 0 &&
           !plan->targets[number].gone;
}

static int measure(struct workload *load)
{
    static const struct pario_phase_calls calls = {.loop = loop,
                                                   .check = check};
    struct pario_run *run = load->run;
    const struct replay_plan *plan = &load->work.plan;
    struct pario_hist latency;
    char path[2 * PATH_MAX];
    double scheduled_s = (double)plan->seconds_ns * 1e-9;
    struct pario_phase phase = {
        .run = run,
        .group = run->world,
        .path = plan->largest[0] != '\0' && load->work.nunits > 0
                    ? replay_path(&load->work.units[0].replay, plan->largest,
                                  path, sizeof(path))
                    : run->directory,
        .shared = 1,
        .writing = plan->writes > 0,
        .reading = plan->reads > 0,
        .many = load->work.copies > 1 || !asks_what_it_writes(plan),
        .unsynced = plan->unsynced,
        .latency = &latency,
    };
    int code;

    pario_hist_init(&latency);
    if (load->work.scale > 1)
        scheduled_s *= load->work.scale;
    pario_run_phase(run, scheduled_s + 10, "replay of %s", run->operands[0]);
    code = pario_phase_run(&phase, &calls, load);
    if (code == 0)
        code = record(load, &phase);
    if (code == 0)
        summarise(load, &phase);
    return code;
}

static void print_plan(const struct workload *load)
{
    const struct replay_plan *plan = &load->work.plan;
    char mapping[160];

    if (pario_group_rank(load->run->world) == 0) {
        printf("replay: %zu recorded processes, %lld reads, %lld writes, "
               "recorded in %.3g s\n  %s\n",
               pario_trace_processes(load->work.trace), (long long)plan->reads,
               (long long)plan->writes, (double)plan->seconds_ns * 1e-9,
               describe_mapping(load, mapping, sizeof(mapping)));
        for (size_t i = 0; i < plan->count; i++) {
            fputs("  ", stdout);
            pario_text_put(stdout, plan->targets[i].path);
            puts(plan->targets[i].needed ? " (prepared)" : "");
        }
    }
}

static int open_workload(struct workload *load)
{
    const struct pario_run *run = load->run;
    const struct replay_options *options = run->options;
    int code;

    if (run->noperands < 1 || run->noperands > 2)
        return pario_fail(PARIO_EUSAGE, "replay needs a trace and a directory");
    code = replay_workload_open(&load->work, run->operands[0], options->timing,
                                options->hints, options->amplify,
                                options->max_calls);
    return code == 0 ? replay_workload_check(&load->work, run->world) : code;
}

/* Rank 0. Two runs of different traces did different work. */
static int note_trace(const struct pario_run *run)
{
    return run->result == NULL
               ? 0
               : pario_result_workload_file(run->result, "trace_file",
                                            run->operands[0]);
}

static int replay_main(struct pario_run *run)
{
    struct workload load = {.run = run};
    int code = pario_agree(run->world, open_workload(&load));

    if (code == 0 && run->common.dry_run) {
        print_plan(&load);
        replay_workload_fini(&load.work);
        return 0;
    }
    if (code == 0)
        code = pario_agree(run->world, note_trace(run));
    if (code == 0)
        code = pario_run_directory(
            run, run->noperands > 1 ? run->operands[1] : NULL,
            pario_trace_times(load.work.plan.need_bytes, load.work.copies));
    if (code == 0)
        code = replay_workload_prepare(&load.work, run);
    if (code == 0 && pario_trace_notes(load.work.trace)[0] != '\0')
        pario_run_warn(run, "the trace: %s",
                       pario_trace_notes(load.work.trace));
    if (code == 0)
        code = measure(&load);
    replay_workload_fini(&load.work);
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
    .next = "pario report {file} -o replay.html",
};

const struct pario_suite pario_suite_replay = {
    .name = "replay",
    .operands = "TRACE [DIR]",
    .summary = "the I/O of a program that `pario record` ran, once more",
    .help =
        "Makes the same requests, by as many processes (or fewer, in threads, "
        "where none\ncalls MPI), in the same order, with data of its own in "
        "files of its own. What the program "
        "computed is left out or slept;\ncollective calls of MPI hold the "
        "processes together as they did.",
    .fields = replay_fields,
    .options_size = sizeof(struct replay_options),
    .defaults = &replay_defaults,
    .tests = replay_tests,
    .no_resume = "a replay is one measure",
    .pauses_recorder = 1,
    .mpi_threads = replay_has_threads,
    .view = &replay_view,
    .run = replay_main,
};
