/* measure/placement.c - are the processes where a figure can be good? */
#include "measure/placement.h"

#include "measure/run.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a process may run. */
struct bound {
    int32_t node;
    int32_t cores, node_cores; /* that it may use; that its node has */
    uint64_t set;              /* a hash of them */
};

static uint64_t hash_of(const cpu_set_t *set)
{
    const unsigned char *byte = (const void *)set;
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

    for (size_t i = 0; i < sizeof(*set); i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

static struct bound bound_of(const struct pario_group *world)
{
    struct bound bound;
    cpu_set_t set;

    memset(&bound, 0, sizeof(bound)); /* it is sent as bytes */
    bound.node = pario_group_node(world);
    bound.cores = bound.node_cores = pario_node_cpus();
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return bound; /* more than fit into a set: nobody is bound to few */
    bound.cores = CPU_COUNT(&set);
    bound.set = hash_of(&set);
    return bound;
}

static int compare(const void *a, const void *b)
{
    const struct bound *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->set > y->set) - (x->set < y->set);
}

/* The most processes on the fewest cores, of one node, while it has more. */
static void describe_bound(struct bound *all, size_t count, char *text,
                           size_t len)
{
    const struct bound *worst = NULL;
    size_t most = 0;

    qsort(all, count, sizeof(*all), compare);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare(&all[i], &all[end]) == 0;)
            end++;
        if (all[i].cores < all[i].node_cores &&
            end - i > (size_t)all[i].cores && end - i > most) {
            most = end - i;
            worst = &all[i];
        }
    }
    if (worst != NULL)
        snprintf(text, len,
                 "%zu processes of a node are bound to %d of its %d "
                 "cores: let the launcher use all (mpirun --bind-to "
                 "none, srun --cpu-bind=none)",
                 most, (int)worst->cores, (int)worst->node_cores);
}

static int look_at_bound(const struct pario_group *world, char *text,
                         size_t len)
{
    size_t count = (size_t)pario_group_size(world);
    struct bound mine = bound_of(world), *all = NULL;
    int code = 0;

    if (pario_group_rank(world) == 0) {
        all = calloc(count, sizeof(*all));
        if (all == NULL)
            code = pario_fail_errno(-ENOMEM, "cannot look at %zu processes",
                                    count);
    }
    code = pario_agree(world, code);
    if (code == 0)
        code = pario_gather(world, &mine, sizeof(mine), all);
    if (code == 0 && all != NULL)
        describe_bound(all, count, text, len);
    free(all);
    return code;
}

/* The fullest node sets the pace of all. */
static int look_at_nodes(const struct pario_group *world, char *text,
                         size_t len)
{
    int64_t size = pario_group_node_size(world);
    int64_t ends[2] = {size, -size};
    int code = pario_reduce_i64(world, PARIO_MAX, ends, 2);

    if (code == 0 && ends[0] != -ends[1] && pario_group_rank(world) == 0)
        snprintf(text, len,
                 "the nodes have from %lld to %lld processes: the "
                 "fullest sets the pace",
                 (long long)-ends[1], (long long)ends[0]);
    return code;
}

int pario_placement_look(const struct pario_group *world,
                         struct pario_placement *placement)
{
    int code;

    *placement = (struct pario_placement){.uneven = ""};
    code = look_at_nodes(world, placement->uneven, sizeof(placement->uneven));
    if (code == 0)
        code = look_at_bound(world, placement->bound, sizeof(placement->bound));
    return code;
}

int pario_placement_check(struct pario_run *run)
{
    struct pario_placement placement;
    int code = pario_placement_look(run->world, &placement);

    if (code == 0 && placement.uneven[0] != '\0')
        pario_run_warn(run, "%s", placement.uneven);
    if (code == 0 && placement.bound[0] != '\0')
        pario_run_warn(run, "%s", placement.bound);
    return code;
}
