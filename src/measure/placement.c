/* measure/placement.c - are the processes where a figure can be good? */
#include "measure/placement.h"

#include "measure/run.h"

#include <errno.h>
#include <sched.h>
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

static struct bound bound_of(const struct pario_run *run)
{
    struct bound bound;
    cpu_set_t set;

    memset(&bound, 0, sizeof(bound)); /* it is sent as bytes */
    bound.node = pario_group_node(run->world);
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
static void warn_bound(struct pario_run *run, struct bound *all, size_t count)
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
        pario_run_warn(run,
                       "%zu processes of a node are bound to %d of its %d "
                       "cores: let the launcher use all (mpirun --bind-to "
                       "none, srun --cpu-bind=none)",
                       most, (int)worst->cores, (int)worst->node_cores);
}

static int check_bound(struct pario_run *run)
{
    size_t count = (size_t)pario_group_size(run->world);
    struct bound mine = bound_of(run), *all = NULL;
    int code = 0;

    if (pario_group_rank(run->world) == 0) {
        all = calloc(count, sizeof(*all));
        if (all == NULL)
            code = pario_fail_errno(-ENOMEM, "cannot look at %zu processes",
                                    count);
    }
    code = pario_agree(run->world, code);
    if (code == 0)
        code = pario_gather(run->world, &mine, sizeof(mine), all);
    if (code == 0 && all != NULL)
        warn_bound(run, all, count);
    free(all);
    return code;
}

/* The fullest node sets the pace of all. */
static int check_nodes(struct pario_run *run)
{
    int64_t size = pario_group_node_size(run->world);
    int64_t ends[2] = {size, -size};
    int code = pario_reduce_i64(run->world, PARIO_MAX, ends, 2);

    if (code == 0 && ends[0] != -ends[1] && pario_group_rank(run->world) == 0)
        pario_run_warn(run,
                       "the nodes have from %lld to %lld processes: the "
                       "fullest sets the pace",
                       (long long)-ends[1], (long long)ends[0]);
    return code;
}

int pario_placement_check(struct pario_run *run)
{
    int code = check_nodes(run);

    return code != 0 ? code : check_bound(run);
}
