/* suites/shipbench/plan.c - from options to what is to be done. */
#include "core/units.h"
#include "launch/library.h"
#include "suites/shared_fields.h"
#include "suites/shipbench/shipbench.h"
#include "suites/suite.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_STRIPE (256 << 10)
#define MAX_AMOUNT 1e18 /* of anything: what is added to it still fits */

static int choose_tests(struct ship_plan *plan)
{
    const char *names[SHIP_TESTS + 1] = {NULL};
    const struct pario_option test = {
        .name = "tests", .type = PARIO_OPT_CHOICE, .choices = names};
    struct pario_list list = {.count = 0};
    int code = 0;

    for (int t = 0; t < SHIP_TESTS; t++) {
        plan->wanted[t] = plan->options->tests == NULL;
        names[t] = ship_test_names[t].name;
    }
    if (plan->options->tests != NULL)
        code = pario_list_parse(&test, plan->options->tests, &list);
    for (size_t i = 0; i < list.count; i++)
        plan->wanted[list.value[i]] = 1;
    return code;
}

/* 2, 4, 8 ... as in Sect. 4.2, and all tasks. */
static void default_partitions(struct ship_plan *plan, int size)
{
    struct pario_list *list = &plan->partitions;

    for (int64_t n = 2; n < size; n *= 2)
        list->value[list->count++] = n;
    list->value[list->count++] = size;
}

static int read_lists(struct ship_plan *plan)
{
    const struct ship_options *o = plan->options;
    const struct {
        struct pario_option element;
        const char *text;
        struct pario_list *list;
    } lists[] = {
        {{.name = "max-acc", .type = PARIO_OPT_INT, .max = 1e6},
         o->max_acc,
         &plan->max_acc},
        {{.name = "sparsity", .type = PARIO_OPT_INT, .min = 1, .max = 100},
         o->sparsity,
         &plan->sparsity},
        {{.name = "tasks-per-node",
          .type = PARIO_OPT_INT,
          .min = 1,
          .max = 1e6},
         o->tasks_per_node,
         &plan->tasks_per_node},
        {{.name = "oneshot-sizes",
          .type = PARIO_OPT_SIZE,
          .min = 1,
          .max = MAX_AMOUNT},
         o->shot_sizes,
         &plan->shots},
    };
    int code = 0;

    if (o->partitions != NULL)
        code = pario_shared_partitions(plan->run->world, o->partitions,
                                       &plan->partitions);
    else
        default_partitions(plan, pario_group_size(plan->run->world));
    for (size_t i = 0; code == 0 && i < sizeof(lists) / sizeof(lists[0]); i++)
        code =
            pario_list_parse(&lists[i].element, lists[i].text, lists[i].list);
    if (code == 0 && plan->max_acc.count > SHIP_MAX_CONTENDERS - 2)
        code = pario_fail(PARIO_EUSAGE, "--max-acc: at most %d values",
                          SHIP_MAX_CONTENDERS - 2);
    return code;
}

static int64_t scaled(const struct ship_plan *plan, int64_t amount)
{
    double value = (double)amount * plan->options->scale;

    if (value > MAX_AMOUNT)
        return (int64_t)MAX_AMOUNT;
    return value < 1 ? 1 : (int64_t)value;
}

/* Sites of a task; scaling cuts t. */
static int set_lattice(struct ship_plan *plan)
{
    const struct ship_options *o = plan->options;
    const struct pario_option sites = {
        .name = "lattice", .type = PARIO_OPT_INT, .min = 1, .max = 1 << 20};
    struct ship_lattice *lattice = &plan->amounts.lattice;
    struct pario_list list = {.count = 0};
    int code = pario_list_parse(&sites, o->lattice, &list);

    if (code != 0)
        return code;
    if (list.count != SHIP_DIMS)
        return pario_fail(PARIO_EUSAGE,
                          "--lattice: x, y, z and t are wanted, not %zu "
                          "numbers",
                          list.count);
    for (int d = 0; d < SHIP_DIMS; d++)
        lattice->local[d] = list.value[d];
    lattice->local[SHIP_DIMS - 1] = scaled(plan, list.value[SHIP_DIMS - 1]);
    lattice->ghost = o->ghost;
    lattice->site_bytes = o->site_bytes;
    return 0;
}

/* Whole blocks; of sizes that scaling makes equal one remains. */
static void set_shots(struct ship_plan *plan)
{
    struct pario_list *shots = &plan->shots;
    int64_t block = plan->options->block_bytes;
    size_t n = 0;

    for (size_t i = 0; i < shots->count; i++) {
        int64_t bytes = scaled(plan, shots->value[i]) / block * block;
        size_t same = 0;

        bytes = bytes > block ? bytes : block;
        while (same < n && shots->value[same] != bytes)
            same++;
        if (same == n)
            shots->value[n++] = bytes;
    }
    shots->count = n;
}

static int set_amounts(struct ship_plan *plan)
{
    const struct ship_options *o = plan->options;
    struct ship_amounts *a = &plan->amounts;

    *a = (struct ship_amounts){
        .file_bytes = scaled(plan, o->file_bytes),
        .region_bytes = scaled(plan, o->region_bytes),
        .block_bytes = o->block_bytes,
        .ship_blocks = scaled(plan, o->ship_blocks),
        .ship_bytes = o->ship_bytes,
        .ship_per_call = o->ship_per_call,
        .ship_file_bytes =
            o->ship_file_bytes > 0 ? scaled(plan, o->ship_file_bytes) : 0,
        .range_blocks = scaled(plan, o->range_blocks),
        .range_subblocks = o->range_subblocks,
        .subblock_bytes = o->subblock_bytes,
        .file_block_bytes = o->file_block_bytes,
        .sparse_stripes = scaled(plan, o->sparse_stripes),
        .sparse_bytes = o->sparse_bytes,
        .sparsity = 100,
        .seed = (uint64_t)plan->run->common.seed,
    };
    set_shots(plan);
    if (a->region_bytes > a->file_bytes) /* a smaller file is one region */
        a->region_bytes = a->file_bytes;
    if (a->subblock_bytes > a->file_block_bytes / a->range_subblocks)
        return pario_fail(PARIO_EUSAGE,
                          "%lld subblocks of %lld bytes do not fit in a file "
                          "block of %lld",
                          (long long)a->range_subblocks,
                          (long long)a->subblock_bytes,
                          (long long)a->file_block_bytes);
    return 0;
}

struct ship_amounts ship_plan_amounts(const struct ship_plan *plan, int tasks,
                                      const struct ship_kind *kind)
{
    struct ship_amounts amounts = plan->amounts;
    int64_t least = tasks * amounts.sparse_bytes;

    amounts.sparsity = kind != NULL ? kind->sparsity : 100;
    amounts.shot_bytes = kind != NULL ? kind->shot_bytes : 0;
    for (size_t i = 0; kind == NULL && i < plan->shots.count; i++)
        if (plan->shots.value[i] > amounts.shot_bytes)
            amounts.shot_bytes = plan->shots.value[i];
    amounts.stripe_bytes = plan->options->stripe_bytes;
    if (amounts.stripe_bytes == 0)
        amounts.stripe_bytes = least > LEAST_STRIPE ? least : LEAST_STRIPE;
    return amounts;
}

int64_t ship_plan_tasks(const struct ship_plan *plan, enum ship_test test,
                        size_t i)
{
    const struct pario_list *k = &plan->tasks_per_node;
    size_t nodes = (size_t)pario_group_nodes(plan->run->world), seen = 0;
    int64_t size = pario_group_size(plan->run->world);

    if (test != SHIP_TASKS_PER_NODE)
        return i < plan->partitions.count ? plan->partitions.value[i] : 0;
    for (size_t at = 0; at < k->count * nodes; at++) {
        int64_t tasks = k->value[at / nodes] * (int64_t)(at % nodes + 1);

        if (tasks >= 2 && tasks <= size && seen++ == i)
            return tasks;
    }
    return 0;
}

void ship_plan_need(const struct ship_plan *plan, int64_t *memory_p,
                    int64_t *disk_p)
{
    *memory_p = *disk_p = 0;
    for (int t = 0; t < SHIP_TESTS; t++)
        for (size_t i = 0; plan->wanted[t]; i++) {
            int64_t tasks = ship_plan_tasks(plan, (enum ship_test)t, i);
            struct ship_amounts amounts =
                ship_plan_amounts(plan, (int)tasks, NULL);
            int64_t task_bytes, file_bytes;

            if (tasks == 0)
                break;
            ship_layout_need((enum ship_test)t, &amounts, (int)tasks,
                             &task_bytes, &file_bytes);
            *memory_p = task_bytes > *memory_p ? task_bytes : *memory_p;
            *disk_p = file_bytes > *disk_p ? file_bytes : *disk_p;
        }
}

/* One call is one MPI count. */
static int check_extent(const struct ship_plan *plan, enum ship_test test,
                        int64_t tasks)
{
    struct ship_amounts amounts = ship_plan_amounts(plan, (int)tasks, NULL);
    double call_bytes, file_bytes;

    ship_layout_extent(test, &amounts, (int)tasks, &call_bytes, &file_bytes);
    if (call_bytes > INT_MAX)
        return pario_fail(PARIO_EUSAGE,
                          "%s with %lld tasks: %.0f bytes of a task in one "
                          "call, MPI takes %d at most (use --scale, --region "
                          "or smaller numbers)",
                          ship_test_names[test].name, (long long)tasks,
                          call_bytes, INT_MAX);
    if (file_bytes > MAX_AMOUNT)
        return pario_fail(
            PARIO_EUSAGE, "%s with %lld tasks: the file would have %.2g bytes",
            ship_test_names[test].name, (long long)tasks, file_bytes);
    return 0;
}

/* What was given must hold as it is. */
static int check_room(const struct ship_plan *plan, enum ship_test test,
                      int64_t tasks)
{
    struct ship_amounts a = ship_plan_amounts(plan, (int)tasks, NULL);
    int64_t row = tasks * a.sparse_bytes; /* a block of everyone */

    if (test == SHIP_SPARSE && a.stripe_bytes < row)
        return pario_fail(PARIO_EUSAGE,
                          "--stripe: %lld bytes have no room for a block of "
                          "each of %lld tasks, which are %lld",
                          (long long)a.stripe_bytes, (long long)tasks,
                          (long long)row);
    if (test == SHIP_SHIPPING && a.ship_per_call > a.ship_blocks)
        return pario_fail(PARIO_EUSAGE,
                          "--shipping-iteration: a task has %lld blocks in "
                          "all, %lld were to be in one call",
                          (long long)a.ship_blocks, (long long)a.ship_per_call);
    if (test == SHIP_SHIPPING && a.ship_file_bytes > 0 &&
        a.ship_file_bytes / a.ship_bytes / tasks < a.ship_blocks)
        return pario_fail(PARIO_EUSAGE,
                          "--shipping-file: %lld bytes have no room for %lld "
                          "blocks of each of %lld tasks",
                          (long long)a.ship_file_bytes,
                          (long long)a.ship_blocks, (long long)tasks);
    return 0;
}

/* Every number of tasks that a test may have. */
static int check_extents(const struct ship_plan *plan)
{
    int code = 0;

    for (int t = 0; t < SHIP_TESTS; t++)
        for (size_t i = 0; code == 0 && plan->wanted[t]; i++) {
            int64_t tasks = ship_plan_tasks(plan, (enum ship_test)t, i);

            if (tasks == 0)
                break;
            code = check_extent(plan, (enum ship_test)t, tasks);
            if (code == 0)
                code = check_room(plan, (enum ship_test)t, tasks);
        }
    return code;
}

static int check_need(const struct ship_plan *plan)
{
    int64_t memory, disk, free_bytes = plan->run->node.memory_free_bytes;
    char text[PARIO_UNITS_LEN];
    int code = check_extents(plan);

    if (code != 0)
        return code;
    ship_plan_need(plan, &memory, &disk);
    if (free_bytes > 0 &&
        memory > free_bytes / 2 / pario_group_node_size(plan->run->world))
        return pario_fail(PARIO_EUSAGE,
                          "%s for each task is too much for this node's "
                          "memory: use --scale or --file-size",
                          pario_size_print_short(memory, text));
    return 0;
}

int ship_plan_init(struct ship_plan *plan, struct pario_run *run)
{
    int code;

    *plan = (struct ship_plan){.run = run, .options = run->options};
    code = choose_tests(plan);
    if (code == 0)
        code = read_lists(plan);
    if (code == 0)
        code = ship_without_check(plan->options->without);
    if (code == 0 && plan->options->native_hints != NULL)
        code =
            pario_hints_parse(&plan->native_hints, plan->options->native_hints);
    if (code == 0 && plan->options->shipio_hints != NULL)
        code =
            pario_hints_parse(&plan->shipio_hints, plan->options->shipio_hints);
    if (code == 0 && plan->options->tuned_hints != NULL)
        code =
            pario_hints_parse(&plan->tuned_hints, plan->options->tuned_hints);
    if (code == 0)
        code = set_amounts(plan);
    if (code == 0)
        code = set_lattice(plan);
    if (code == 0)
        code = check_need(plan);
    plan->native = run->common.mpiio != PARIO_MPIIO_SHIPIO;
    plan->shipio =
        run->common.mpiio != PARIO_MPIIO_NATIVE && pario_shipio_loaded();
    if (code != 0)
        ship_plan_fini(plan);
    return code;
}

void ship_plan_fini(struct ship_plan *plan)
{
    pario_hints_fini(&plan->native_hints);
    pario_hints_fini(&plan->shipio_hints);
    pario_hints_fini(&plan->tuned_hints);
}

void ship_plan_print(const struct ship_plan *plan, FILE *out)
{
    char text[PARIO_UNITS_LEN];
    int64_t memory, disk;

    ship_plan_need(plan, &memory, &disk);
    fprintf(out, "shipbench: tasks");
    for (size_t p = 0; p < plan->partitions.count; p++)
        fprintf(out, " %lld", (long long)plan->partitions.value[p]);
    fprintf(out, "; contenders:%s%s; %lld passes each, interleaved\n",
            plan->native ? " native" : "", plan->shipio ? " shipio" : "",
            (long long)plan->options->repetitions);
    for (int t = 0; t < SHIP_TESTS; t++)
        if (plan->wanted[t])
            fprintf(out, "  %-16s %s\n", ship_test_names[t].name,
                    ship_test_names[t].summary);
    if (plan->wanted[SHIP_ONESHOT]) {
        fprintf(out, "  oneshot, for each task:");
        for (size_t i = 0; i < plan->shots.count; i++)
            fprintf(out, "%s %s", i > 0 ? "," : "",
                    pario_size_print_short(plan->shots.value[i], text));
        fprintf(out, "\n");
    }
    fprintf(out, "  memory: at most %s a task\n",
            pario_size_print_short(memory, text));
    fprintf(out, "  disk space: at most %s\n",
            pario_size_print_short(disk, text));
}
