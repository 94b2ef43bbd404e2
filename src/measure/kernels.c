/* measure/kernels.c - which processes share a kernel. */
#include "measure/kernels.h"

#include "sys/proctext.h"

#include <stdlib.h>
#include <sys/stat.h>

#define HALF_BITS 31
#define HALF ((int64_t)1 << HALF_BITS)

/* The kernel that this process runs on, in 62 bits; 0: not known. Its text is a
 * number of 128 random bits in hexadecimal. */
static int64_t kernel_number(void)
{
    char *text = pario_proctext_read("", "/proc/sys/kernel/random/boot_id");
    uint64_t hash = 0;

    for (const char *pos = text; pos != NULL && *pos != '\0'; pos++)
        hash = (hash ^ (unsigned char)*pos) * UINT64_C(0x9e3779b97f4a7c15) ^
               hash >> 32;
    free(text);
    return (int64_t)(hash >> 2);
}

/* A container may have set the clock apart; 0: this kernel cannot do that. */
static int64_t clock_number(void)
{
    struct stat st;

    return stat("/proc/self/ns/time", &st) == 0 ? (int64_t)st.st_ino : 0;
}

/* Collective. Those of group that have the same number; a colour of MPI's has
 * half of its bits. */
static int find_same(const struct pario_group *group, int64_t number,
                     struct pario_group **same_p)
{
    struct pario_group *alike = NULL;
    int code = pario_group_split(group, (int)(number % HALF), &alike);

    code = pario_agree(group, code);
    if (code == 0)
        code = pario_group_split(alike, (int)(number / HALF), same_p);
    pario_group_destroy(alike);
    return pario_agree(group, code);
}

/* Collective. Gives each kernel the rank of its first process; has any of them
 * processes of several nodes? */
static int find_shared(const struct pario_group *world, int64_t number,
                       struct pario_kernels *kernels)
{
    struct pario_group *here = NULL;
    int64_t shared = 0;
    int first = pario_group_rank(world);
    int code = find_same(world, number, &here);

    if (code == 0) {
        shared = pario_group_nodes(here) > 1;
        code = pario_bcast(here, &first, sizeof(first));
    }
    pario_group_destroy(here);
    code = pario_agree(world, code);
    if (code == 0)
        code = pario_reduce_i64(world, PARIO_MAX, &shared, 1);
    kernels->colour = first;
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
        .one_clock = kernel != 0 && ends[0] == -ends[1] && ends[2] == -ends[3],
    };
    if (code != 0 || pario_group_nodes(world) == 1)
        return code;
    /* One that cannot be told is nobody else's. */
    if (kernel == 0)
        kernel = pario_group_node(world) + 1;
    return find_shared(world, kernel, kernels_p);
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
    if (code != 0) {
        pario_group_destroy(here);
        return code;
    }
    code = pario_reduce_i64(here, PARIO_MAX, values, count);
    for (size_t i = 0; pario_group_rank(here) > 0 && i < count; i++)
        values[i] = 0;
    pario_group_destroy(here);
    if (code == 0)
        code = pario_reduce_i64(group, PARIO_SUM, values, count);
    return code;
}
