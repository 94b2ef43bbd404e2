/* suites/shipbench/turn.c - contenders take turns within one job, so that noise
 * hits all alike; what they did is recorded. */
#include "suites/shipbench/turn.h"

#include "core/units.h"
#include "result/value.h"
#include "suites/shipbench/gains.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For the watchdog only: the slowest that a working library was seen to be. */
#define SLOWEST_BYTES_PER_S 4e6

static const char *access_name(const struct ship_job *job, int access)
{
    if (access == SHIP_READ)
        return "read";
    return job->plan.options->fresh ? "write" : "rewrite";
}

static int64_t repetitions_of(const struct ship_turn *turn)
{
    return turn->job->plan.options->repetitions;
}

static int64_t bytes_of(const struct ship_turn *turn)
{
    return ship_layout_bytes(&turn->kase.layout) *
           pario_group_size(turn->kase.group);
}

static json_t *parameters_of(const struct ship_turn *turn, size_t c)
{
    const struct ship_contender *one = &turn->contenders.one[c];
    const struct ship_layout *layout = &turn->kase.layout;
    json_int_t blocks = layout->calls * layout->per_call;
    json_t *hints = json_object();
    json_t *parameters =
        json_pack("{s:s, s:s, s:o, s:I, s:I, s:I}", "series", one->series,
                  "library", one->calls->name, "hints", hints, "block_bytes",
                  (json_int_t)layout->block_bytes, "blocks_per_task", blocks,
                  "file_bytes", (json_int_t)layout->file_bytes);

    for (size_t i = 0; i < one->nhints; i++)
        json_object_set_new(hints, one->hint[i].key,
                            json_string(one->hint[i].value));
    if (turn->tasks_per_node > 0)
        json_object_set_new(parameters, "tasks_per_node",
                            json_integer(turn->tasks_per_node));
    if (turn->sparsity > 0)
        json_object_set_new(parameters, "sparsity_percent",
                            json_integer(turn->sparsity));
    return parameters;
}

static enum pario_cache verdict(const struct ship_turn *turn, int access,
                                const struct ship_figures *figures)
{
    const struct pario_run *run = turn->kase.run;
    struct pario_cache_evidence evidence = {
        .writing = access == SHIP_WRITE,
        .synced = turn->kase.sync,
        .memory_backed = run->fs.memory_backed,
        .bytes = bytes_of(turn),
        .resident_bytes = figures->resident_bytes,
        .capacity_bytes = pario_node_cache_capacity(&run->node) *
                          pario_group_nodes(run->world),
    };

    return pario_cache_verdict(&evidence);
}

static struct pario_measure describe(const struct ship_turn *turn, size_t c,
                                     int access)
{
    return (struct pario_measure){
        .test = ship_test_names[turn->test].name,
        .access = access_name(turn->job, access),
        .partition = pario_group_size(turn->kase.group),
        .parameters = parameters_of(turn, c),
        .first_done_s = -1,
        .last_done_s = -1,
    };
}

/* What stands beside the median: all passes, and what they span. */
static json_t *extra_of(const struct ship_turn *turn, size_t c, int access,
                        double *median_p)
{
    size_t n = (size_t)turn->passes[c];
    double *sorted = calloc(n + 1, sizeof(*sorted));
    json_t *passes = json_array(), *in_force = json_object();
    json_t *numbers = json_array();
    json_t *range = json_null();
    struct pario_interval interval = {.median = 0};
    const char *kind = "";

    for (size_t i = 0; sorted != NULL && i < n; i++) {
        sorted[i] = turn->mbps[c][access][i];
        json_array_append_new(passes, json_real(sorted[i]));
        json_array_append_new(numbers, json_integer(turn->number[c][i]));
    }
    if (sorted != NULL && n > 0 &&
        pario_median_interval(sorted, n, &interval) == 0 && n > 1) {
        range = json_pack("[f, f]", interval.low, interval.high);
        kind = interval.exact ? "95 % interval" : "least..greatest";
    }
    free(sorted);
    for (size_t i = 0; i < turn->in_force[c].count; i++)
        json_object_set_new(in_force, turn->in_force[c].hint[i].key,
                            pario_json_text(turn->in_force[c].hint[i].value));
    *median_p = interval.median;
    return json_pack("{s:o, s:o, s:o, s:s, s:o}", "passes_mbps", passes,
                     "pass_turns", numbers, "interval_mbps", range, "interval",
                     kind, "hints_in_force", in_force);
}

/* Rank 0: was it measured before the run was resumed? */
static int is_recorded(const struct ship_turn *turn, size_t c, int access)
{
    struct pario_measure like = describe(turn, c, access);
    int found = turn->kase.run->result != NULL &&
                pario_result_find(turn->kase.run->result, &like) != NULL;

    json_decref(like.parameters);
    return found;
}

/* The median pass is the measure; all passes stand beside it. */
static int record(struct ship_turn *turn, size_t c, int access)
{
    struct pario_run *run = turn->kase.run;
    const struct ship_figures *figures = &turn->sum[c][access];
    struct pario_measure measure;
    double median = 0;

    if (is_recorded(turn, c, access))
        return 0;
    measure = describe(turn, c, access);
    measure.extra = extra_of(turn, c, access, &median);
    if (median > 0) {
        measure.bytes = bytes_of(turn);
        measure.seconds = (double)measure.bytes / (median * 1e6);
        measure.operations =
            turn->kase.layout.calls * pario_group_size(turn->kase.group);
    }
    measure.checked_bytes = figures->checked_bytes;
    measure.errors = figures->wrong_bytes;
    measure.verify_off = run->common.verify == PARIO_VERIFY_OFF;
    measure.cache = verdict(turn, access, figures);
    if (figures->wrong_bytes > 0)
        measure.error = figures->wrong;
    else if (turn->struck[c][0] != '\0')
        measure.error = turn->struck[c];
    return pario_run_add(run, &measure);
}

static int take_turn(struct ship_turn *turn, size_t c, int64_t repetition)
{
    const struct ship_contender *one = &turn->contenders.one[c];
    struct pario_run *run = turn->kase.run;
    struct pario_hints hints = {.count = 0};
    int code = pario_agree(turn->kase.group, ship_contender_hints(one, &hints));

    for (int access = 0; code == 0 && access < SHIP_ACCESSES; access++) {
        struct ship_figures figures, *sum = &turn->sum[c][access];
        double mbps;

        pario_run_phase(
            run, (double)bytes_of(turn) / SLOWEST_BYTES_PER_S,
            "%s %d tasks %s %s %lld", ship_test_names[turn->test].name,
            pario_group_size(turn->kase.group), one->series,
            access_name(turn->job, access), (long long)repetition + 1);
        code = ship_phase(&turn->kase, one->calls, &hints,
                          (enum ship_access)access, turn->job->data_file,
                          repetition == 0 && access == 0 ? &turn->in_force[c]
                                                         : NULL,
                          &figures);
        if (code != 0)
            break;
        mbps = pario_mbps(bytes_of(turn), figures.seconds);
        turn->mbps[c][access][repetition] = mbps;
        pario_progress_figure(&run->progress, mbps);
        sum->checked_bytes += figures.checked_bytes;
        sum->resident_bytes = figures.resident_bytes;
        if (sum->wrong_bytes == 0)
            snprintf(sum->wrong, sizeof(sum->wrong), "%s", figures.wrong);
        sum->wrong_bytes += figures.wrong_bytes;
        if (figures.wrong_bytes > 0)
            pario_run_invalidate(run, "%s, %s: wrong data: %s",
                                 ship_test_names[turn->test].name, one->series,
                                 figures.wrong);
    }
    turn->job->data_file++;
    turn->number[c][repetition] = turn->turns++;
    pario_hints_fini(&hints);
    return code;
}

/* Collective. A contender that fails is struck out, the others go on: every
 * rank has the same code. */
static int take_turn_or_strike(struct ship_turn *turn, size_t c,
                               int64_t repetition)
{
    const char *series = turn->contenders.one[c].series;
    int code;

    if (turn->struck[c][0] != '\0')
        return 0;
    code = take_turn(turn, c, repetition);
    if (code != PARIO_EMPI && code != PARIO_ESHORT && code != PARIO_EREMOTE) {
        turn->passes[c] += code == 0;
        return code;
    }
    snprintf(turn->struck[c], sizeof(turn->struck[c]), "%s",
             pario_error_message());
    pario_run_invalidate(turn->kase.run, "%s, %s: struck out: %s",
                         ship_test_names[turn->test].name, series,
                         turn->struck[c]);
    return 0;
}

/* The first one of a case finds a file just made: it is another one in each
 * case. */
int ship_turn_run(struct ship_turn *turn)
{
    size_t n = turn->contenders.count;
    int code = 0;

    for (int64_t r = 0; code == 0 && r < repetitions_of(turn); r++)
        for (size_t i = 0; code == 0 && i < n; i++)
            code = take_turn_or_strike(
                turn, ship_order(n, r + turn->job->case_number, i), r);
    for (size_t c = 0; code == 0 && c < n; c++)
        for (int access = 0; code == 0 && access < SHIP_ACCESSES; access++)
            code = record(turn, c, access);
    if (code == 0 && turn->kase.run->result != NULL)
        code = ship_gains_set(turn->kase.run->result);
    return pario_agree(turn->kase.group, code);
}

int ship_turn_init(struct ship_turn *turn)
{
    size_t n = (size_t)repetitions_of(turn);

    for (size_t c = 0; c < turn->contenders.count; c++) {
        turn->number[c] = calloc(n, sizeof(*turn->number[c]));
        if (turn->number[c] == NULL)
            return pario_fail_errno(-ENOMEM, "the measures");
        for (int access = 0; access < SHIP_ACCESSES; access++) {
            turn->mbps[c][access] = calloc(n, sizeof(double));
            if (turn->mbps[c][access] == NULL)
                return pario_fail_errno(-ENOMEM, "the measures");
        }
    }
    return 0;
}

void ship_turn_fini(struct ship_turn *turn)
{
    for (size_t c = 0; c < SHIP_MOST_CONTENDERS; c++) {
        for (int access = 0; access < SHIP_ACCESSES; access++)
            free(turn->mbps[c][access]);
        free(turn->number[c]);
        pario_hints_fini(&turn->in_force[c]);
    }
    ship_case_fini(&turn->kase);
    ship_layout_fini(&turn->kase.layout);
    free(turn);
}

/* Was all of it done before the run was resumed? */
int ship_turn_is_done(const struct ship_turn *turn)
{
    int64_t done = turn->contenders.count > 0;

    for (size_t c = 0; c < turn->contenders.count; c++)
        for (int access = 0; access < SHIP_ACCESSES; access++)
            done = done && is_recorded(turn, c, access);
    if (pario_bcast(turn->kase.group, &done, sizeof(done)) != 0)
        return 0;
    return (int)done;
}
