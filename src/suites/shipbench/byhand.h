/* suites/shipbench/byhand.h - what a program does that does not trust MPI-IO:
 * one MPI_Alltoallv gives every task an equal contiguous share of the file,
 * which it writes with pwrite(2); the reverse for a read. Nobody sends lists:
 * every task computes whose the runs of its share are. */
#ifndef PARIO_SHIPBENCH_BYHAND_H
#define PARIO_SHIPBENCH_BYHAND_H

#include "io/mpiio_calls.h"
#include "suites/shipbench/phase.h"

/* Stands for MPI-IO's calls in a contender; only its name is ever used. */
extern const struct pario_mpiio_calls ship_by_hand;

struct ship_hand {
    const struct ship_case *kase;
    int fd;
    char *packed, *share; /* of ship_layout_bytes each */
    /* Bytes and places of what goes to and comes from each task, as
     * MPI_Alltoallv wants them; next is scratch. */
    int *packed_bytes, *packed_at, *share_bytes, *share_at, *next;
};

/* Collective over the case's group. Opens the file, makes the buffers; _fini
 * after any outcome. */
int ship_hand_init(struct ship_hand *hand, const struct ship_case *kase,
                   enum ship_access access) PARIO_MUST_USE;
int ship_hand_fini(struct ship_hand *hand) PARIO_MUST_USE;

/* Collective. All of the case's data, from its buffer or into it. A task whose
 * file fails still takes part. */
int ship_hand_move(struct ship_hand *hand,
                   enum ship_access access) PARIO_MUST_USE;
/* Local. */
int ship_hand_sync(struct ship_hand *hand) PARIO_MUST_USE;

#endif
