/* suites/shipbench/suite.c - the benchmarks of MPI-IO/GPFS: what each
 * optimisation is worth. Contenders take turns within one job, so that noise
 * hits all alike. */
#include "suites/suite.h"

#include "core/units.h"
#include "par/watchdog.h"
#include "result/value.h"
#include "suites/shipbench/shipbench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For the watchdog only: the slowest that a working library was seen to be. */
#define SLOWEST_BYTES_PER_S 4e6

struct job {
    struct ship_plan plan;
    uint64_t data_file; /* number of the next pass's data */
    int64_t case_number;
};

/* One case under way: a test on so many tasks, with its contenders. */
struct turn {
    struct job *job;
    enum ship_test test;
    int64_t tasks_per_node, sparsity; /* 0: not this test's */
    struct ship_case kase;
    struct ship_contenders contenders;
    double *mbps[SHIP_MOST_CONTENDERS][SHIP_ACCESSES]; /* per repetition */
    struct ship_figures sum[SHIP_MOST_CONTENDERS][SHIP_ACCESSES];
    struct pario_hints in_force[SHIP_MOST_CONTENDERS];
    char struck[SHIP_MOST_CONTENDERS][256]; /* why it takes part no more */
    int64_t passes[SHIP_MOST_CONTENDERS];   /* done */
};

static const char *access_name(const struct job *job, int access)
{
    if (access == SHIP_READ)
        return "read";
    return job->plan.options->fresh ? "write" : "rewrite";
}

static int64_t repetitions_of(const struct turn *turn)
{
    return turn->job->plan.options->repetitions;
}

static int64_t bytes_of(const struct turn *turn)
{
    return ship_layout_bytes(&turn->kase.layout) *
           pario_group_size(turn->kase.group);
}

static json_t *parameters_of(const struct turn *turn, size_t c)
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

static enum pario_cache verdict(const struct turn *turn, int access,
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

static struct pario_measure describe(const struct turn *turn, size_t c,
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
static json_t *extra_of(const struct turn *turn, size_t c, int access,
                        double *median_p)
{
    size_t n = (size_t)turn->passes[c];
    double *sorted = calloc(n + 1, sizeof(*sorted));
    json_t *passes = json_array(), *in_force = json_object();
    json_t *range = json_null();
    struct pario_interval interval = {.median = 0};
    const char *kind = "";

    for (size_t i = 0; sorted != NULL && i < n; i++) {
        sorted[i] = turn->mbps[c][access][i];
        json_array_append_new(passes, json_real(sorted[i]));
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
    return json_pack("{s:o, s:o, s:s, s:o}", "passes_mbps", passes,
                     "interval_mbps", range, "interval", kind, "hints_in_force",
                     in_force);
}

/* Rank 0: was it measured before the run was resumed? */
static int is_recorded(const struct turn *turn, size_t c, int access)
{
    struct pario_measure like = describe(turn, c, access);
    int found = turn->kase.run->result != NULL &&
                pario_result_find(turn->kase.run->result, &like) != NULL;

    json_decref(like.parameters);
    return found;
}

/* The median pass is the measure; all passes stand beside it. */
static int record(struct turn *turn, size_t c, int access)
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

static int take_turn(struct turn *turn, size_t c, int64_t repetition)
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
    pario_hints_fini(&hints);
    return code;
}

/* Collective. A contender that fails is struck out, the others go on: every
 * rank has the same code. */
static int take_turn_or_strike(struct turn *turn, size_t c, int64_t repetition)
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

/* Every repetition begins with another contender. */
static int take_turns(struct turn *turn)
{
    size_t n = turn->contenders.count;
    int code = 0;

    for (int64_t r = 0; code == 0 && r < repetitions_of(turn); r++)
        for (size_t i = 0; code == 0 && i < n; i++)
            code = take_turn_or_strike(turn, (i + (size_t)r) % n, r);
    for (size_t c = 0; code == 0 && c < n; c++)
        for (int access = 0; code == 0 && access < SHIP_ACCESSES; access++)
            code = record(turn, c, access);
    return pario_agree(turn->kase.group, code);
}

static int alloc_turn(struct turn *turn)
{
    for (size_t c = 0; c < turn->contenders.count; c++)
        for (int access = 0; access < SHIP_ACCESSES; access++) {
            turn->mbps[c][access] =
                calloc((size_t)repetitions_of(turn), sizeof(double));
            if (turn->mbps[c][access] == NULL)
                return pario_fail_errno(-ENOMEM, "the measures");
        }
    return 0;
}

static void free_turn(struct turn *turn)
{
    for (size_t c = 0; c < SHIP_MOST_CONTENDERS; c++) {
        for (int access = 0; access < SHIP_ACCESSES; access++)
            free(turn->mbps[c][access]);
        pario_hints_fini(&turn->in_force[c]);
    }
    ship_case_fini(&turn->kase);
    ship_layout_fini(&turn->kase.layout);
    free(turn);
}

/* Was all of it done before the run was resumed? */
static int is_done(const struct turn *turn)
{
    int64_t done = turn->contenders.count > 0;

    for (size_t c = 0; c < turn->contenders.count; c++)
        for (int access = 0; access < SHIP_ACCESSES; access++)
            done = done && is_recorded(turn, c, access);
    if (pario_bcast(turn->kase.group, &done, sizeof(done)) != 0)
        return 0;
    return (int)done;
}

/* Collective over group. One test on these tasks. */
static int run_case(struct job *job, const struct pario_group *group,
                    enum ship_test test, int64_t tasks_per_node,
                    int64_t sparsity)
{
    const struct ship_plan *plan = &job->plan;
    int tasks = pario_group_size(group);
    struct ship_amounts amounts = ship_plan_amounts(plan, tasks, sparsity);
    struct turn *turn = calloc(1, sizeof(*turn));
    char prefix[32] = "", name[64];
    int code = turn == NULL ? pario_fail_errno(-ENOMEM, "a case") : 0;

    code = pario_agree(group, code);
    if (code != 0 || turn == NULL) {
        free(turn);
        return code;
    }
    if (tasks_per_node > 0)
        snprintf(prefix, sizeof(prefix), "%lld per node, ",
                 (long long)tasks_per_node);
    if (sparsity > 0)
        snprintf(prefix, sizeof(prefix), "%lld %%, ", (long long)sparsity);
    *turn = (struct turn){
        .job = job,
        .test = test,
        .tasks_per_node = tasks_per_node,
        .sparsity = sparsity,
        .kase = {.run = plan->run,
                 .group = group,
                 .sync = plan->options->sync,
                 .fresh = plan->options->fresh},
    };
    ship_contenders_of(plan, test, prefix, amounts.stripe_bytes,
                       &turn->contenders);
    snprintf(name, sizeof(name), "ship-%lld", (long long)job->case_number);
    pario_run_path(plan->run, name, turn->kase.path, sizeof(turn->kase.path));
    pario_run_phase(plan->run, 60, "%s %d tasks: making the file",
                    ship_test_names[test].name, tasks);
    code = ship_layout_init(test, &amounts, pario_group_rank(group), tasks,
                            &turn->kase.layout);
    if (code == 0)
        code = alloc_turn(turn);
    code = pario_agree(group, code);
    if (code == 0 && !is_done(turn)) {
        code = ship_case_init(&turn->kase);
        if (code == 0)
            code = take_turns(turn);
        if (pario_group_rank(group) == 0)
            (void)unlink(turn->kase.path); /* the directory goes anyway */
    }
    free_turn(turn);
    return code;
}

/* Collective over the world: those who are not in the group wait asleep. */
static int join(struct job *job, int code)
{
    struct pario_run *run = job->plan.run;
    int idle = pario_barrier_idle(run->world);

    job->case_number++;
    return pario_agree(run->world, code != 0 ? code : idle);
}

static int run_partition(struct job *job, enum ship_test test, int64_t tasks)
{
    const struct ship_list *sparsity = &job->plan.sparsity;
    struct pario_group *group = NULL;
    size_t cases = test == SHIP_SPARSE ? sparsity->count : 1;
    int code = pario_group_first(job->plan.run->world, (int)tasks, &group);

    for (size_t i = 0; code == 0 && i < cases; i++) {
        pario_watchdog_phase(0, 60, "waiting for a smaller partition");
        if (group != NULL)
            code = run_case(job, group, test, 0,
                            test == SHIP_SPARSE ? sparsity->value[i] : 0);
        code = join(job, code);
    }
    pario_group_destroy(group);
    return code;
}

/* k tasks on each of the first m nodes (Sect. 4.3.5). */
static int run_nodes(struct job *job, int64_t k, int m, int *ran_p)
{
    const struct pario_group *world = job->plan.run->world;
    int member =
        pario_group_node(world) < m && pario_group_node_rank(world) < k;
    int64_t members = member;
    struct pario_group *group = NULL;
    int code = pario_reduce_i64(world, PARIO_SUM, &members, 1);

    if (code != 0 || members != k * m || members < 2)
        return code;
    *ran_p = 1;
    code = pario_group_split(world, member, &group);
    if (code != 0)
        return code;
    pario_watchdog_phase(0, 60, "waiting for a smaller partition");
    if (member)
        code = run_case(job, group, SHIP_TASKS_PER_NODE, k, 0);
    code = join(job, code);
    pario_group_destroy(group);
    return code;
}

static int run_tasks_per_node(struct job *job)
{
    const struct ship_list *list = &job->plan.tasks_per_node;
    int nodes = pario_group_nodes(job->plan.run->world), code = 0;
    char missing[256] = "";

    for (size_t i = 0; i < list->count; i++) {
        size_t len = strlen(missing);
        int ran = 0;

        for (int m = 1; code == 0 && m <= nodes;
             m = 2 * m > nodes && m < nodes ? nodes : 2 * m)
            code = run_nodes(job, list->value[i], m, &ran);
        if (!ran)
            snprintf(missing + len, sizeof(missing) - len, " %lld",
                     (long long)list->value[i]);
    }
    if (code == 0 && missing[0] != '\0')
        pario_run_warn(job->plan.run,
                       "tasks-per-node: not measured with%s on a node: %d "
                       "node%s with %d tasks %s",
                       missing, nodes, nodes == 1 ? "" : "s",
                       pario_group_node_size(job->plan.run->world),
                       nodes == 1 ? "is all there is" : "each at most");
    return code;
}

static int run_tests(struct job *job)
{
    const struct ship_plan *plan = &job->plan;
    int code = 0;

    for (int t = 0; code == 0 && t < SHIP_TESTS; t++) {
        if (!plan->wanted[t])
            continue;
        if (t == SHIP_TASKS_PER_NODE) {
            code = run_tasks_per_node(job);
            continue;
        }
        for (size_t p = 0; code == 0 && p < plan->partitions.count; p++)
            code = run_partition(job, (enum ship_test)t,
                                 plan->partitions.value[p]);
    }
    return code;
}

static int ship_run(struct pario_run *run)
{
    const char *dir = run->noperands > 0 ? run->operands[0] : ".";
    struct job job = {.data_file = 1};
    int64_t memory, disk;
    int code = 0;

    if (run->noperands > 1)
        code = pario_fail(PARIO_EUSAGE, "shipbench takes one directory, not %d",
                          run->noperands);
    if (code == 0)
        code = ship_plan_init(&job.plan, run);
    code = pario_agree(run->world, code);
    if (code != 0)
        return code;
    if (run->common.dry_run) {
        if (pario_group_rank(run->world) == 0)
            ship_plan_print(&job.plan, stdout);
        ship_plan_fini(&job.plan);
        return 0;
    }
    if (!job.plan.shipio && run->common.mpiio == PARIO_MPIIO_AUTO)
        pario_run_warn(run, "libshipio.so is not there: only the MPI library's "
                            "own MPI-IO is measured");
    ship_plan_need(&job.plan, &memory, &disk);
    code = pario_run_directory(run, dir, disk);
    if (code == 0)
        code = run_tests(&job);
    ship_plan_fini(&job.plan);
    return code;
}

const struct pario_suite pario_suite_shipbench = {
    .name = "shipbench",
    .operands = "[DIR]",
    .summary = "what data shipping, prefetching, sparse access and double "
               "buffering are worth",
    .help = "The benchmarks of MPI-IO/GPFS with the paper's parameters: the "
            "MPI library's own MPI-IO\nand shipio's, with and without each "
            "optimisation, take turns in one job. --scale 0.05\nmakes it a "
            "matter of seconds. The data is checked.",
    .options = ship_option_table,
    .options_size = sizeof(struct ship_options),
    .defaults = &ship_defaults,
    .tests = ship_test_names,
    .shipio = 1,
    .run = ship_run,
    .print = ship_figures_print,
};
