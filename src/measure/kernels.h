/* measure/kernels.h - what processes on one kernel share: its clock, and the
 * counters of its devices. Containers and namespaces of one machine are nodes
 * of their own to MPI. */
#ifndef PARIO_MEASURE_KERNELS_H
#define PARIO_MEASURE_KERNELS_H

#include "par/group.h"

struct pario_kernels {
    int colour;    /* of its kernel: the rank of the first process there */
    int shared;    /* some kernels have processes of several nodes */
    int one_clock; /* CLOCK_MONOTONIC is the same for all processes */
};

/* Collective, once at the beginning of a run. */
int pario_kernels_find(const struct pario_group *world,
                       struct pario_kernels *kernels_p) PARIO_MUST_USE;

/* Collective over group. What the processes of each kernel say in agreement
 * (the largest counts; who does not speak for a node says 0), summed over the
 * kernels. */
int pario_kernels_sum(const struct pario_kernels *kernels,
                      const struct pario_group *group, int64_t *values,
                      size_t count) PARIO_MUST_USE;

#endif
