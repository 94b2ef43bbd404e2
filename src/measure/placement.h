/* measure/placement.h - are the processes where a figure can be good? */
#ifndef PARIO_MEASURE_PLACEMENT_H
#define PARIO_MEASURE_PLACEMENT_H

#include "core/error.h"

struct pario_group;
struct pario_run;

/* What speaks against it, with its remedy; "" for nothing, and on all ranks but
 * the first. */
struct pario_placement {
    char uneven[96]; /* nodes with more processes than others */
    char bound[192]; /* to the same few cores while others are idle */
};

/* Collective. */
int pario_placement_look(const struct pario_group *world,
                         struct pario_placement *placement) PARIO_MUST_USE;

/* Collective. The same as warnings. */
int pario_placement_check(struct pario_run *run) PARIO_MUST_USE;

#endif
