/* suites/pattern/plan.c - where each transfer of a process goes. */
#include "suites/pattern/pattern.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_LISTED ((int64_t)1 << 22)
#define LEAST_PERIOD ((int64_t)64 << 10)
#define PERIODS ((int64_t)1 << 20) /* of all requests under way together */

static int64_t power_of_two_up(int64_t n)
{
    int64_t p = 1;

    while (p < n)
        p *= 2;
    return p;
}

static int64_t round_up(int64_t n, int64_t unit)
{
    return unit > 0 ? (n + unit - 1) / unit * unit : n;
}

/* The file is prepared in transfers of -t, whatever comes after. */
static void find_lengths(const struct pattern_options *options,
                         int64_t *shortest_p, int64_t *longest_p)
{
    struct pattern_sizes sizes;

    *shortest_p = *longest_p = options->transfer_bytes;
    if (options->sizes == NULL ||
        pattern_sizes_parse(options->sizes, &sizes) != 0)
        return; /* it was checked before */
    for (int i = 0; i < sizes.count; i++) {
        if (sizes.bytes[i] < *shortest_p)
            *shortest_p = sizes.bytes[i];
        if (sizes.bytes[i] > *longest_p)
            *longest_p = sizes.bytes[i];
    }
}

static void lay_out(struct pattern_plan *plan)
{
    const struct pattern_options *options = plan->options;
    int members = options->file_per_process ? 1 : plan->size;
    int64_t grid = 8, shortest = 0, longest = 0;

    plan->transfer = options->transfer_bytes;
    plan->per_block = options->block_bytes / options->transfer_bytes;
    plan->places = plan->count = plan->per_block * options->segments;
    plan->region_bytes = options->block_bytes * options->segments;
    plan->block_stride =
        round_up(options->block_bytes, options->alignment_bytes);
    plan->segment_stride = plan->block_stride * members;
    plan->base =
        options->file_per_process ? 0 : plan->rank * plan->block_stride;
    plan->file_bytes = plan->segment_stride * options->segments;
    find_lengths(options, &shortest, &longest);
    plan->longest = (uint32_t)longest;
    while (grid * 2 <= shortest && grid < PARIO_DATA_STAMP)
        grid *= 2;
    plan->grid = grid;
    plan->period = PERIODS / power_of_two_up(options->queue_depth);
    if (plan->period < LEAST_PERIOD)
        plan->period = LEAST_PERIOD;
    if (plan->period < plan->longest)
        plan->period = power_of_two_up(plan->longest);
}

/* A shared file is dealt out among all processes, as IOR does it. */
static struct pattern_op shuffled(const struct pattern_plan *plan, int64_t i)
{
    const struct pattern_options *options = plan->options;
    int64_t in_segment = plan->per_block * plan->size;
    int64_t place;

    if (options->file_per_process)
        return pattern_op_in_order(
            plan, (int64_t)pario_perm_at(&plan->shuffle, (uint64_t)i));
    place = (int64_t)pario_perm_at(&plan->shuffle,
                                   (uint64_t)(i * plan->size + plan->rank));
    return (struct pattern_op){
        .offset = place / in_segment * plan->segment_stride +
                  place % in_segment / plan->per_block * plan->block_stride +
                  place % plan->per_block * options->transfer_bytes,
        .len = (uint32_t)options->transfer_bytes,
    };
}

struct pattern_op pattern_op_computed(const struct pattern_plan *plan,
                                      int64_t i)
{
    return plan->options->order == PATTERN_SHUFFLED
               ? shuffled(plan, i)
               : pattern_op_in_order(plan, i);
}

/* What takes long to find is found before the time. */
static int make_list(struct pattern_plan *plan)
{
    struct pattern_op *list;

    if (plan->count > MAX_LISTED)
        return 0;
    list = malloc((size_t)plan->count * sizeof(*list));
    if (list == NULL)
        return pario_fail_errno(-ENOMEM, "cannot list the transfers");
    for (int64_t i = 0; i < plan->count; i++)
        list[i] = pattern_op_computed(plan, i);
    plan->list = list;
    plan->listed = plan->count;
    return 0;
}

void pattern_plan_layout(const struct pattern_options *options, int size,
                         int rank, struct pattern_plan *plan_p)
{
    *plan_p =
        (struct pattern_plan){.options = options, .size = size, .rank = rank};
    lay_out(plan_p);
}

int pattern_plan_make(const struct pattern_options *options, int size, int rank,
                      uint64_t seed, struct pattern_plan *plan_p)
{
    int members = options->file_per_process ? 1 : size;

    pattern_plan_layout(options, size, rank, plan_p);
    if (options->order == PATTERN_SEQUENTIAL && !pattern_draws(options))
        return 0;
    /* Each file of its own has an order of its own. */
    pario_perm_init(&plan_p->shuffle, (uint64_t)(plan_p->count * members),
                    seed + (uint64_t)(options->file_per_process ? rank : 0));
    return pattern_draws(options) ? pattern_draw(plan_p, seed)
                                  : make_list(plan_p);
}

void pattern_plan_free(struct pattern_plan *plan)
{
    free(plan->list);
    plan->list = NULL;
}
