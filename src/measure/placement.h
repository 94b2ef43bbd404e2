/* measure/placement.h - are the processes where a figure can be good? */
#ifndef PARIO_MEASURE_PLACEMENT_H
#define PARIO_MEASURE_PLACEMENT_H

#include "core/error.h"

struct pario_run;

/* Collective. Warnings: nodes with more processes than others, processes that
 * are bound to the same few cores while others of the node are idle. */
int pario_placement_check(struct pario_run *run) PARIO_MUST_USE;

#endif
