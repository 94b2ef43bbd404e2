/* suites/replay/replay.c - `pario replay`: a recorded program's I/O as a
 * workload (PRIOmark, Sect. 6). */
#include "core/text.h"
#include "core/units.h"
#include "result/parameters.h"
#include "result/workload.h"
#include "suites/replay/phase.h"
#include "suites/suite.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>

struct replay_options {
    const char *timing; /* asap, original, scaled=F */
    const char *hints;
    int interface; /* of replay_interfaces */
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
    {PARIO_FIELD("interface", CHOICE, AT(interface)),
     .choices = replay_interfaces,
     .help = "all data through this interface: what a view has in pieces is a "
             "request for each (mpiio with --mpiio shipio: through shipio)"},
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
    struct replay_part part;
};

/* Collective. Calls that ended otherwise than recorded. */
static int say_otherwise(struct workload *load, int64_t *calls_p)
{
    struct replay_outcome outcome;
    int code = replay_part_outcome(&load->part, &outcome);

    if (code != 0)
        return code;
    *calls_p = outcome.calls;
    if (outcome.otherwise > 0)
        pario_run_invalidate(load->run,
                             "%lld of %lld calls ended otherwise than recorded "
                             "(on rank 0: %s)",
                             (long long)outcome.otherwise,
                             (long long)outcome.calls, outcome.first);
    return 0;
}

/* Who played whom, in words. */
static const char *describe_mapping(const struct workload *load, char *text,
                                    size_t len)
{
    int64_t recorded = (int64_t)pario_trace_processes(load->part.work.trace);
    int64_t size = pario_group_size(load->run->world);

    if (size == recorded * load->part.work.copies)
        return "a process for each recorded one";
    snprintf(text, len,
             "process p of copy c of %lld is played by rank (%lld c + p) mod "
             "%lld, in threads",
             (long long)load->part.work.copies, (long long)recorded,
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
        .access = load->part.work.plan.reads == 0    ? "write"
                  : load->part.work.plan.writes == 0 ? "read"
                                                     : "mixed",
        .partition = pario_group_size(load->run->world),
        .parameters = pario_parameters(source_fields, 0, &source),
        .extra =
            json_pack("{s:I, s:f}", "calls", (json_int_t)calls, "recorded_s",
                      (double)load->part.work.plan.seconds_ns * 1e-9),
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
        json_real((double)load->part.work.plan.seconds_ns * 1e-9));
}

static int measure(struct workload *load)
{
    struct pario_run *run = load->run;
    struct pario_hist latency;
    struct pario_phase phase = {
        .run = run, .group = run->world, .latency = &latency};
    int code;

    pario_hist_init(&latency);
    replay_part_describe(&load->part, &phase);
    pario_run_phase(run, replay_workload_schedule_s(&load->part.work),
                    "replay of %s", run->operands[0]);
    code = pario_phase_run(&phase, &replay_part_calls, &load->part);
    if (code == 0)
        code = record(load, &phase);
    if (code == 0)
        summarise(load, &phase);
    return code;
}

static void print_plan(const struct workload *load)
{
    const struct replay_plan *plan = &load->part.work.plan;
    char mapping[160];

    if (pario_group_rank(load->run->world) == 0) {
        printf("replay: %zu recorded processes, %lld reads, %lld writes, "
               "recorded in %.3g s\n  %s\n",
               pario_trace_processes(load->part.work.trace),
               (long long)plan->reads, (long long)plan->writes,
               (double)plan->seconds_ns * 1e-9,
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
    code = replay_workload_open(
        &load->part.work,
        &(struct replay_wishes){.path = run->operands[0],
                                .timing = options->timing,
                                .hints = options->hints,
                                .interface = options->interface,
                                .copies = options->amplify,
                                .max_calls = options->max_calls});
    return code == 0 ? replay_workload_check(&load->part.work,
                                             pario_group_size(run->world))
                     : code;
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
    struct workload load = {.run = run, .part.verify = run->common.verify};
    int code = pario_agree(run->world, open_workload(&load));

    if (code == 0 && run->common.dry_run) {
        print_plan(&load);
        replay_workload_fini(&load.part.work);
        return 0;
    }
    if (code == 0)
        code = pario_agree(run->world, note_trace(run));
    if (code == 0)
        code = pario_run_directory(
            run, run->noperands > 1 ? run->operands[1] : NULL,
            pario_trace_times(load.part.work.plan.need_bytes,
                              load.part.work.copies));
    if (code == 0)
        code = replay_workload_prepare(
            &load.part.work,
            &(struct replay_site){.group = run->world,
                                  .directory = run->directory,
                                  .key = run->data_key,
                                  .check =
                                      run->common.verify != PARIO_VERIFY_OFF,
                                  .pauses_recorder = 1});
    if (code == 0 && pario_trace_notes(load.part.work.trace)[0] != '\0')
        pario_run_warn(run, "the trace: %s",
                       pario_trace_notes(load.part.work.trace));
    if (code == 0)
        code = measure(&load);
    replay_workload_fini(&load.part.work);
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
        "where none calls MPI), in the same order, with data of its own in "
        "files of its own. What the program "
        "computed is left out or slept; collective calls of MPI hold the "
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
