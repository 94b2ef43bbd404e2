/* measure/stonewall.h - a phase that stops by the clock of each process, and
 * the wear-out after it: all go on until they have done what the fastest had
 * done when its time was over. */
#ifndef PARIO_MEASURE_STONEWALL_H
#define PARIO_MEASURE_STONEWALL_H

#include "par/group.h"

#include <jansson.h>

/* Operations that were done when the time was over. */
struct pario_stonewall {
    int64_t fewest, most; /* of one process */
    int64_t all;
};

/* Collective, within the time: what the fastest has done by now, and all go on
 * to. */
int pario_stonewall_most(const struct pario_group *group, int64_t done,
                         int64_t *most_p) PARIO_MUST_USE;

/* Collective, after it. done: of this process when its time was over. */
int pario_stonewall_count(const struct pario_group *group, int64_t done,
                          struct pario_stonewall *count_p) PARIO_MUST_USE;

/* Local. The member `stonewall` of a measure; a new reference. */
json_t *pario_stonewall_json(const struct pario_stonewall *count);

#endif
