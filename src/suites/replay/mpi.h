/* suites/replay/mpi.h - what the parts that make calls of MPI share. */
#ifndef PARIO_SUITES_REPLAY_MPI_H
#define PARIO_SUITES_REPLAY_MPI_H

#include "suites/replay/play.h"

#if PARIO_HAVE_MPIIO

/* A datatype; count of them touch the bytes from low to high of the first, and
 * so on, each extent after the one before. */
struct replay_type {
    MPI_Datatype type;
    int64_t size, extent, low, high;
    int made;
};

struct replay_comm {
    struct replay_comm *next; /* of the same number */
    MPI_Comm comm;
    int made;
};

/* Local. The datatype of a string, made when it is first asked for. */
int replay_type_find(struct replay *replay, int64_t number,
                     const struct replay_type **type_p) PARIO_MUST_USE;
void replay_types_fini(struct replay *replay);

/* Collective over the group of the string when it is first asked for. */
int replay_comm_find(struct replay *replay, int64_t number,
                     MPI_Comm *comm_p) PARIO_MUST_USE;
void replay_comms_fini(struct replay *replay);

#endif
#endif
