/* team.h - the processes that use a file together. */
#ifndef SHIPIO_TEAM_H
#define SHIPIO_TEAM_H

#include <mpi.h>
#include <stdbool.h>

#include "shm.h"

struct shipio_team {
    MPI_Comm comm; /* a duplicate of the communicator of open */
    int rank;
    int size;
    int nodes;
    int *turns;    /* for each rank: how many of its node are before it */
    bool messages; /* no shared memory: several nodes, or asked for */
    struct shipio_shm shm;
};

/* Collective over comm. NULL on all ranks where they cannot be connected, or
 * one of them is not ready. */
struct shipio_team *shipio_team_join(MPI_Comm comm, bool ready);
/* Collective. NULL is allowed. */
void shipio_team_leave(struct shipio_team *team);

#endif
