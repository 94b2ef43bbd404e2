/* measure/kernels.c - which processes share a kernel. */
#include "measure/kernels.h"

#include "sys/proctext.h"

#include <stdlib.h>
#include <sys/stat.h>

#define MAX_COLOUR 0x3fffffff

/* The kernel that this process runs on; 0: not known. */
static int64_t kernel_number(void)
{
    char *text = pario_proctext_read("", "/proc/sys/kernel/random/boot_id");
    int64_t number = text != NULL ? strtoll(text, NULL, 16) : 0;

    free(text);
    return number;
}

/* A container may have set the clock apart; 0: this kernel cannot do that. */
static int64_t clock_number(void)
{
    struct stat st;

    return stat("/proc/self/ns/time", &st) == 0 ? (int64_t)st.st_ino : 0;
}

/* Collective. Has any kernel processes of several nodes? */
static int find_shared(const struct pario_group *world,
                       struct pario_kernels *kernels)
{
    struct pario_group *here = NULL;
    int64_t shared;
    int code = pario_group_split(world, kernels->colour, &here);

    code = pario_agree(world, code);
    if (code != 0)
        return code;
    shared = pario_group_nodes(here) > 1;
    pario_group_destroy(here);
    code = pario_reduce_i64(world, PARIO_MAX, &shared, 1);
    kernels->shared = shared != 0;
    return code;
}

int pario_kernels_find(const struct pario_group *world,
                       struct pario_kernels *kernels_p)
{
    int64_t kernel = kernel_number(), clock = clock_number();
    int64_t ends[4] = {kernel, -kernel, clock, -clock};
    int code = pario_reduce_i64(world, PARIO_MAX, ends, 4);

    *kernels_p = (struct pario_kernels){
        /* One that cannot be told is nobody else's. */
        .colour = kernel != 0 ? (int)(kernel % MAX_COLOUR)
                              : MAX_COLOUR + pario_group_node(world),
        .one_clock = kernel != 0 && ends[0] == -ends[1] && ends[2] == -ends[3],
    };
    if (code != 0 || pario_group_nodes(world) == 1)
        return code;
    return find_shared(world, kernels_p);
}

int pario_kernels_sum(const struct pario_kernels *kernels,
                      const struct pario_group *group, int64_t *values,
                      size_t count)
{
    struct pario_group *here = NULL;
    int code;

    if (!kernels->shared) /* one process of each speaks */
        return pario_reduce_i64(group, PARIO_SUM, values, count);
    code = pario_group_split(group, kernels->colour, &here);
    code = pario_agree(group, code);
    if (code != 0)
        return code;
    code = pario_reduce_i64(here, PARIO_MAX, values, count);
    for (size_t i = 0; pario_group_rank(here) > 0 && i < count; i++)
        values[i] = 0;
    pario_group_destroy(here);
    if (code == 0)
        code = pario_reduce_i64(group, PARIO_SUM, values, count);
    return code;
}
