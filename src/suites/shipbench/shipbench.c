/* suites/shipbench/shipbench.c - the benchmarks of MPI-IO/GPFS: what each
 * optimisation is worth. */
#include "suites/suite.h"

#include "core/cleanup.h"
#include "core/units.h"
#include "par/watchdog.h"
#include "result/value.h"
#include "suites/shipbench/gains.h"
#include "suites/shipbench/turn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For the watchdog only: so many bytes of a new file a second. */
#define SLOWEST_FILE_BYTES_PER_S 10e6

/* Those that --without names are not there, except for one in whose turn the
 * job before ended: that one is excluded, for the document to tell. */
static void choose_contenders(struct ship_turn *turn, const char *prefix,
                              int64_t stripe_bytes)
{
    const struct ship_job *job = turn->job;
    struct ship_contenders *all = &turn->contenders;
    size_t n = 0;

    ship_contenders_of(&job->plan, turn->test,
                       pario_group_size(turn->kase.group), prefix, stripe_bytes,
                       all);
    for (size_t c = 0; c < all->count; c++) {
        const struct ship_contender *one = &all->one[c];
        int broke =
            strcmp(job->before.series, one->series) == 0 &&
            strcmp(job->before.test, ship_test_names[turn->test].name) == 0 &&
            job->before.tasks == pario_group_size(turn->kase.group);

        if (one->left_out && !broke)
            continue;
        if (one->left_out)
            snprintf(turn->struck[n], sizeof(turn->struck[n]),
                     "left out: the job before ended in its pass %lld",
                     (long long)job->before.pass);
        all->one[n++] = *one;
    }
    all->count = n;
}

/* Whole regions of whole blocks of every task (Sect. 3.1). */
static void warn_rest(const struct ship_turn *turn, int64_t asked_bytes)
{
    int64_t bytes = turn->kase.layout.file_bytes;
    char asked[PARIO_UNITS_LEN], is[PARIO_UNITS_LEN];

    if (turn->test != SHIP_DISCONTIGUOUS && turn->test != SHIP_TASKS_PER_NODE)
        return;
    if ((double)bytes < 0.99 * (double)asked_bytes ||
        (double)bytes > 1.01 * (double)asked_bytes)
        pario_run_warn(turn->kase.run,
                       "%s, %d tasks: the file has %s, not %s: whole regions "
                       "and blocks of every task only",
                       ship_test_names[turn->test].name,
                       pario_group_size(turn->kase.group),
                       pario_size_print_short(bytes, is),
                       pario_size_print_short(asked_bytes, asked));
}

/* Collective over group. Makes the file, takes turns. */
static int measure_case(struct ship_turn *turn)
{
    const struct pario_group *group = turn->kase.group;
    int code;

    pario_run_phase(turn->kase.run,
                    60 + (double)turn->kase.layout.file_bytes /
                             SLOWEST_FILE_BYTES_PER_S,
                    "%s %d tasks: making the file",
                    ship_test_names[turn->test].name, pario_group_size(group));
    code = ship_case_init(&turn->kase);
    if (code == 0)
        code = ship_turn_run(turn);
    if (pario_group_rank(group) == 0)
        (void)pario_own_unlink(turn->kase.path); /* the directory goes anyway */
    return code;
}

/* Collective over group. One test on these tasks. */
static int run_case(struct ship_job *job, const struct pario_group *group,
                    enum ship_test test, const struct ship_kind *kind)
{
    const struct ship_plan *plan = &job->plan;
    int tasks = pario_group_size(group);
    struct ship_amounts amounts = ship_plan_amounts(plan, tasks, kind);
    struct ship_turn *turn = calloc(1, sizeof(*turn));
    char prefix[32] = "", name[64];
    int code = turn == NULL ? pario_fail_errno(-ENOMEM, "a case") : 0;

    code = pario_agree(group, code);
    if (code != 0 || turn == NULL) {
        free(turn);
        return code;
    }
    ship_prefix(kind, prefix, sizeof(prefix));
    *turn = (struct ship_turn){
        .job = job,
        .test = test,
        .kind = *kind,
        .kase = {.run = plan->run,
                 .group = group,
                 .memory = MPI_DATATYPE_NULL,
                 .oneshot = test == SHIP_ONESHOT,
                 .sync = plan->options->sync,
                 .fresh = plan->options->fresh},
    };
    choose_contenders(turn, prefix, amounts.stripe_bytes);
    snprintf(name, sizeof(name), "ship-%lld", (long long)job->case_number);
    pario_run_path(plan->run, name, turn->kase.path, sizeof(turn->kase.path));
    code = ship_layout_init(test, &amounts, pario_group_rank(group), tasks,
                            &turn->kase.layout);
    if (code == 0)
        code = ship_turn_init(turn);
    code = pario_agree(group, code);
    if (code == 0 && !ship_turn_load(turn)) {
        warn_rest(turn, amounts.file_bytes);
        code = measure_case(turn);
    }
    ship_turn_fini(turn);
    return code;
}

/* Collective over the world: those who are not in the group wait asleep. */
static int join(struct ship_job *job, int code)
{
    struct pario_run *run = job->plan.run;
    int idle = pario_barrier_idle(run->world);

    job->case_number++;
    return pario_agree(run->world, code != 0 ? code : idle);
}

static int run_partition(struct ship_job *job, enum ship_test test,
                         int64_t tasks)
{
    const struct pario_list *sparsity = &job->plan.sparsity;
    const struct pario_list *shots = &job->plan.shots;
    struct pario_group *group = NULL;
    size_t cases = test == SHIP_SPARSE    ? sparsity->count
                   : test == SHIP_ONESHOT ? shots->count
                                          : 1;
    int code = pario_group_first(job->plan.run->world, (int)tasks, &group);

    for (size_t i = 0; code == 0 && i < cases; i++) {
        struct ship_kind kind = {
            .sparsity = test == SHIP_SPARSE ? sparsity->value[i] : 0,
            .shot_bytes = test == SHIP_ONESHOT ? shots->value[i] : 0,
        };

        pario_watchdog_phase(0, 60, "waiting for a smaller partition");
        if (group != NULL)
            code = run_case(job, group, test, &kind);
        code = join(job, code);
    }
    pario_group_destroy(group);
    return code;
}

/* k tasks on each of the first m nodes (Sect. 4.3.5). */
static int run_nodes(struct ship_job *job, int64_t k, int m, int *ran_p)
{
    const struct pario_group *world = job->plan.run->world;
    int member =
        pario_group_node(world) < m && pario_group_node_rank(world) < k;
    struct ship_kind kind = {.tasks_per_node = k};
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
        code = run_case(job, group, SHIP_TASKS_PER_NODE, &kind);
    code = join(job, code);
    pario_group_destroy(group);
    return code;
}

static int run_tasks_per_node(struct ship_job *job)
{
    const struct pario_list *list = &job->plan.tasks_per_node;
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

static int run_tests(struct ship_job *job)
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

/* Collective. In whose turn did the job of a resumed document end? */
static int ask_before(struct ship_job *job, struct pario_run *run)
{
    json_t *document =
        run->result != NULL ? pario_result_document(run->result) : NULL;
    const json_t *turn = json_object_get(document, "under_way");

    if (turn != NULL) {
        snprintf(job->before.test, sizeof(job->before.test), "%s",
                 ship_text_of(turn, "test"));
        snprintf(job->before.series, sizeof(job->before.series), "%s",
                 ship_text_of(turn, "series"));
        job->before.tasks = pario_integer_of(turn, "partition");
        job->before.pass = pario_integer_of(turn, "pass");
        pario_run_warn(run,
                       "the job before ended while %s, %lld tasks, %s was "
                       "under way (pass %lld); if it hangs or crashes, "
                       "--without '%s/%s' leaves it out",
                       job->before.test, (long long)job->before.tasks,
                       job->before.series, (long long)job->before.pass,
                       job->before.test, job->before.series);
        (void)json_object_del(document, "under_way");
    }
    return pario_bcast(run->world, &job->before, sizeof(job->before));
}

static int ship_run(struct pario_run *run)
{
    const char *dir = run->noperands > 0 ? run->operands[0] : ".";
    const struct ship_options *options = run->options;
    struct ship_job job = {.data_file = 1};
    int64_t memory, disk;
    int code = pario_agree(run->world, ship_plan_init(&job.plan, run));

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
    if (options->without != NULL)
        pario_run_warn(run, "left out: %s", options->without);
    ship_plan_need(&job.plan, &memory, &disk);
    code = ask_before(&job, run);
    if (code == 0)
        code = pario_run_directory(run, dir, disk);
    if (code == 0)
        code = run_tests(&job);
    if (run->result != NULL) /* it ended in order */
        (void)json_object_del(pario_result_document(run->result), "under_way");
    ship_plan_fini(&job.plan);
    return code;
}

const struct pario_suite pario_suite_shipbench = {
    .name = "shipbench",
    .operands = "[DIR]",
    .summary = "what data shipping and shipio's other optimisations are worth",
    .help = "The benchmarks of MPI-IO/GPFS with the paper's parameters: the "
            "MPI library's own MPI-IO and shipio's, with and without each "
            "optimisation, take turns in one job. --scale 0.05 makes it a "
            "matter of seconds. The data is checked.",
    .options = ship_option_table,
    .options_size = sizeof(struct ship_options),
    .defaults = &ship_defaults,
    .tests = ship_test_names,
    .shipio = 1,
    .run = ship_run,
    .view = &ship_view,
    .print = ship_figures_print,
};
