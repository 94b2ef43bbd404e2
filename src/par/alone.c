/* par/alone.c - the process group without MPI: one process. */
#include "core/clock.h"
#include "par/group.h"
#include "par/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pario_group {
    int references;
};

int pario_par_start(int *argc, char ***argv, struct pario_group **world_p)
{
    (void)argc;
    (void)argv;
    return pario_group_self(world_p);
}

void pario_par_finish(struct pario_group *world)
{
    pario_group_destroy(world);
}

const char *pario_par_library(void)
{
    return "none";
}

const char *pario_par_thread_level(void)
{
    return "none";
}

double pario_par_tick_s(void)
{
    return (double)pario_clock_resolution_ns() * 1e-9;
}

int pario_group_rank(const struct pario_group *group)
{
    (void)group;
    return 0;
}

int pario_group_size(const struct pario_group *group)
{
    (void)group;
    return 1;
}

int pario_group_node(const struct pario_group *group)
{
    (void)group;
    return 0;
}

int pario_group_nodes(const struct pario_group *group)
{
    (void)group;
    return 1;
}

int pario_group_node_rank(const struct pario_group *group)
{
    (void)group;
    return 0;
}

int pario_group_node_size(const struct pario_group *group)
{
    (void)group;
    return 1;
}

int pario_group_first(const struct pario_group *parent, int members,
                      struct pario_group **group_p)
{
    (void)parent;
    if (members != 1)
        return pario_fail(-EINVAL, "a partition of %d processes needs MPI",
                          members);
    return pario_group_self(group_p);
}

int pario_group_split(const struct pario_group *parent, int colour,
                      struct pario_group **group_p)
{
    (void)parent;
    (void)colour;
    return pario_group_self(group_p);
}

int pario_group_self(struct pario_group **group_p)
{
    struct pario_group *group = calloc(1, sizeof(*group));

    if (group == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a process group");
    *group_p = group;
    return 0;
}

void pario_group_destroy(struct pario_group *group)
{
    free(group);
}

int pario_barrier(const struct pario_group *group)
{
    (void)group;
    return 0;
}

int pario_barrier_idle(const struct pario_group *group)
{
    (void)group;
    return 0;
}

int pario_bcast(const struct pario_group *group, void *buf, size_t len)
{
    (void)group;
    (void)buf;
    (void)len;
    return 0;
}

int pario_reduce_i64(const struct pario_group *group, enum pario_op op,
                     int64_t *values, size_t count)
{
    (void)group;
    (void)op;
    (void)values;
    (void)count;
    return 0;
}

int pario_reduce_f64(const struct pario_group *group, enum pario_op op,
                     double *values, size_t count)
{
    (void)group;
    (void)op;
    (void)values;
    (void)count;
    return 0;
}

int pario_merge_hist(const struct pario_group *group, struct pario_hist *hist)
{
    (void)group;
    (void)hist;
    return 0;
}

int pario_gather(const struct pario_group *group, const void *mine, size_t len,
                 void *all)
{
    (void)group;
    memcpy(all, mine, len);
    return 0;
}

int pario_agree(const struct pario_group *group, int code)
{
    (void)group;
    return code;
}

int pario_node_slots_create(const struct pario_group *world, size_t len,
                            struct pario_node_slots *slots_p)
{
    char *base = calloc(1, len);

    (void)world;
    if (base == NULL)
        return pario_fail_errno(-ENOMEM, "cannot allocate %zu bytes", len);
    *slots_p =
        (struct pario_node_slots){.base = base, .len = len, .visible = 1};
    return 0;
}

void pario_node_slots_destroy(struct pario_node_slots *slots)
{
    free(slots->base);
    slots->base = NULL;
}
