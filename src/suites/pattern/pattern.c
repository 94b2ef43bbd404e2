/* suites/pattern/pattern.c - `pario pattern`: your own sizes, in IOR's words.
 */
#include "core/clock.h"
#include "core/units.h"
#include "result/parameters.h"
#include "result/value.h"
#include "result/workload.h"
#include "suites/pattern/files.h"
#include "suites/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of a case, beside what its options say. */
struct place {
    const char *label;
    int64_t repetition; /* from 0 */
};

enum { HAS_REPETITIONS = 1 };

static const struct pario_field place_fields[] = {
    {PARIO_FIELD("case", STRING, offsetof(struct place, label)),
     .rules = PARIO_FIELD_IF_SET},
    {PARIO_FIELD("repetition", INT, offsetof(struct place, repetition)),
     .rules = PARIO_FIELD_FREE, .needs = HAS_REPETITIONS},
    {.name = NULL},
};

static json_t *parameters(const struct pattern_options *options, int repetition)
{
    const struct place place = {.label = options->label,
                                .repetition = repetition};
    unsigned abilities =
        (options->read_share >= 0 ? PATTERN_MIXES : 0) |
        (options->order == PATTERN_ZIPF ? PATTERN_HAS_EXPONENT : 0) |
        (options->order == PATTERN_HOTSPOT ? PATTERN_HAS_HOTSPOT : 0);
    json_t *object = pario_parameters(pattern_fields, abilities, options);

    (void)pario_parameters_set(object, place_fields,
                               options->repetitions > 1 ? HAS_REPETITIONS : 0,
                               &place);
    return object;
}

static json_t *extra(const struct pattern_part *part)
{
    json_t *object = json_object(), *bytes;
    int64_t intervals = PATTERN_INTERVALS;

    if (part->options->stonewall_s > 0)
        json_object_set_new(object, "stonewall",
                            pario_stonewall_json(&part->stonewall));
    if (part->interval_bytes == NULL)
        return object;
    bytes = json_array();
    while (intervals > 0 && part->interval_bytes[intervals - 1] == 0)
        intervals--;
    for (int64_t i = 0; i < intervals; i++)
        json_array_append_new(bytes, json_integer(part->interval_bytes[i]));
    json_object_set_new(object, "over_time",
                        json_pack("{s:f, s:o}", "interval_s",
                                  part->options->interval_s, "bytes", bytes));
    return object;
}

/* Collective. One phase from beginning to record. */
static int measure(struct pattern_part *part, enum pattern_access access,
                   int repetition)
{
    struct pario_measure measure = {
        .test = part->options->file_per_process ? "file_per_process"
                                                : "shared_file",
        .access = pattern_access_names[access],
        .partition = pario_group_size(part->run->world),
    };
    struct pario_phase phase;
    int code = pattern_phase(part, access, &phase);

    if (code == 0)
        code = pattern_part_samples(part, access, "pattern", measure.test);
    if (code != 0)
        return code;
    measure.parameters = parameters(part->options, repetition);
    measure.extra = extra(part);
    return pario_phase_record(&phase, &measure);
}

/* Collective. Nobody measures it: the data that is read or rewritten. */
static int prepare(struct pattern_part *part)
{
    struct pario_phase phase;

    return pattern_phase(part, PATTERN_PREPARE, &phase);
}

static void wait_for(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};

    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* Collective. Writes, reads, mixes: what was asked for, once. */
static int repeat(struct pattern_part *part, int repetition)
{
    const struct pattern_options *options = part->options;
    int draws = pattern_draws(options);
    int prepares = !part->existing && (draws || !options->write);
    int code = 0;

    if (repetition > 0 && options->delay_s > 0)
        wait_for(options->delay_s);
    part->generation = ((uint64_t)repetition * 2 + 1) % (1 << 18);
    if (prepares)
        code = prepare(part);
    /* What is written over it is other data: a lost write must be seen. */
    part->generation += draws && (options->write || options->read_share >= 0);
    if (code == 0 && options->read_share >= 0)
        return measure(part, PATTERN_MIX, repetition);
    if (code == 0 && options->write)
        code = measure(part, PATTERN_WRITE, repetition);
    if (code == 0 && options->read)
        code = measure(part, PATTERN_READ, repetition);
    return code;
}

/* Collective. */
static int run_case(struct pario_run *run,
                    const struct pattern_options *options)
{
    struct pattern_part part = {.run = run, .options = options};
    int code = pattern_part_begin(&part);

    for (int r = 0; code == 0 && r < options->repetitions; r++) {
        int last = r == options->repetitions - 1;

        code = repeat(&part, r);
        if (code == 0)
            code = pattern_files_end(&part, last);
    }
    pattern_part_free(&part);
    return code;
}

/* Collective. What would fail in the middle fails here. */
static int check_cases(struct pario_run *run, struct pattern_cases *cases)
{
    int processes = pario_group_size(run->world);
    char dir[4200];
    int code = 0;

    for (size_t i = 0; code == 0 && i < cases->count; i++) {
        struct pattern_options *options = &cases->list[i];
        const struct pario_backend *backend = NULL;

        code = pattern_check(options, processes);
        if (code == 0)
            code = pario_backend_find(pario_interface_names[options->interface],
                                      &backend);
        if (code == 0)
            code = pattern_files_directory(run, options, dir, sizeof(dir));
        if (code == 0 && options->direct)
            code = pario_backend_check(backend, dir, PARIO_OPEN_DIRECT,
                                       options->transfer_bytes);
        if (code == 0 && backend->probe != NULL)
            code = backend->probe();
    }
    code = pario_agree(run->world, code);
    return code != 0 ? code : pattern_files_check(run, cases);
}

static int run_cases(struct pario_run *run, struct pattern_cases *cases)
{
    char dir[4200];
    int code = check_cases(run, cases);

    if (code != 0)
        return code;
    code = pattern_files_directory(run, &cases->list[0], dir, sizeof(dir));
    if (code == 0 && run->common.dry_run) {
        if (pario_group_rank(run->world) == 0)
            pattern_print_plan(cases, pario_group_size(run->world), dir);
        return 0;
    }
    if (cases->cold && !run->common.cold && run->result != NULL)
        pario_result_set(run->result, "options", "cold", json_string("yes"));
    run->common.cold |= cases->cold;
    for (size_t i = 0; i < cases->count; i++)
        run->common.keep |=
            cases->list[i].keep_file && cases->list[i].file == NULL;
    if (code == 0)
        code = pario_run_directory(
            run, dir, pattern_files_bytes(cases, pario_group_size(run->world)));
    run->progress.start_s = pario_clock_s();
    for (size_t i = 0; code == 0 && i < cases->count; i++)
        code = run_case(run, &cases->list[i]);
    if (code == 0 && run->result != NULL)
        code = pattern_answer(run->result);
    return pario_agree(run->world, code);
}

/* Rank 0. What a file of cases says is part of what was measured. */
static int note_cases(const struct pario_run *run)
{
    const struct pattern_options *options = run->options;
    const char *path = options->fio != NULL ? options->fio : options->script;

    return run->result == NULL || path == NULL
               ? 0
               : pario_result_workload_file(run->result, "case_file", path);
}

static int pattern_run(struct pario_run *run)
{
    struct pattern_cases cases = {.count = 0};
    int code =
        pattern_cases_load(run->options, pario_group_size(run->world), &cases);

    if (code == 0)
        code = note_cases(run);
    code = pario_agree(run->world, code);
    if (code == 0 && cases.list != NULL)
        code = run_cases(run, &cases);
    pattern_cases_free(&cases);
    return code;
}

static const struct pario_test pattern_tests[] = {
    {"shared_file", "one file of all processes: segments of a block of each"},
    {"file_per_process", "one file for each process (-F)"},
    {NULL, NULL},
};

static const struct pario_view_name pattern_axes[] = {
    {.key = "request_bytes", .name = "transfer size"},
    {.key = "block_bytes", .name = "block size"},
    {.key = "queue_depth", .name = "queue depth"},
    {.key = NULL},
};

static const struct pario_view_name pattern_values[] = {
    {.key = "bandwidth_mbps", .name = "bandwidth"},
    {.key = "operations_per_s", .name = "transfers"},
    {.key = "latency_ns.p99", .name = "time of a transfer, 99 % of them"},
    {.key = NULL},
};

static const struct pario_view_test pattern_test_names[] = {
    {.test = "shared_file", .name = "one shared file"},
    {.test = "file_per_process", .name = "a file per process"},
    {.test = NULL},
};

static const struct pario_view pattern_view = {
    .title = "a pattern of your own",
    .question = "How fast is this pattern here?",
    .lead = "measures",
    .axes = pattern_axes,
    .values = pattern_values,
    .tests = pattern_test_names,
    .fields = place_fields,
    .next = "pario report {file} -o pattern.html",
};

const struct pario_suite pario_suite_pattern = {
    .name = "pattern",
    .operands = "[DIR]",
    .summary = "any pattern, in IOR's words: block, transfer, segments, order",
    .help = "Writes and reads a pattern of your own. IOR's command lines and "
            "scripts (-f) work as they are or are refused with the reason, "
            "and so do job files of fio (--fio). The data is checked; every "
            "figure says whether it came from a cache.",
    .fields = pattern_fields,
    .options_size = sizeof(struct pattern_options),
    .defaults = &pattern_defaults,
    .tests = pattern_tests,
    .no_resume = "give the cases that are left on a new command line",
    .rewrite = pattern_ior_rewrite,
    .run = pattern_run,
    .view = &pattern_view,
};
