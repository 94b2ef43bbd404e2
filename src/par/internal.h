/* par/internal.h - between the files of par only. */
#ifndef PARIO_PAR_INTERNAL_H
#define PARIO_PAR_INTERNAL_H

#include "par/group.h"

/* Collective over world. len bytes for each rank, zeroed, readable by the
 * other ranks of the node; *mine_p is this rank's, *slot_of_p(i) of node rank
 * i. Falls back to private memory (then only one's own slot is visible). */
struct pario_node_slots {
    char *base;  /* first slot of the node */
    size_t len;  /* of one slot */
    int visible; /* how many slots can be read from base on */
    int mine;    /* index of this rank's */
};
int pario_node_slots_create(const struct pario_group *world, size_t len,
                            struct pario_node_slots *slots_p) PARIO_MUST_USE;
void pario_node_slots_destroy(struct pario_node_slots *slots);

/* Local. Set while this rank waits in pario_agree with an error in hand. */
void pario_watchdog_waiting(int failed);

#endif
