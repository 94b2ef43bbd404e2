/* team.h - the processes that use files together.
 *
 * A team belongs to a communicator of the program and serves all files that
 * are opened on it: the communicator has it as an attribute. What it takes to
 * connect processes is paid once, not for each file.
 * It goes with its communicator or with its last file, whichever is later.
 *
 * On a node a file leases one piece of the team's shared memory, with its
 * stripe buffers; rank 0 says which, and hands it out again when all ranks have
 * given it back. Between nodes the files share the communicator, except with
 * MPI_THREAD_MULTIPLE, where two threads could mix their messages.
 * SHIPIO_NODES divides the ranks of a node into pretended nodes.
 */
#ifndef SHIPIO_TEAM_H
#define SHIPIO_TEAM_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cell.h"
#include "shm.h"

struct shipio_hub; /* hub.h */

struct shipio_team {
    MPI_Comm comm; /* of the same processes, without messages of others */
    int rank;
    int size;
    int nodes;
    int *turns;    /* for each rank: how many of its node are before it */
    int *limits;   /* for each rank: agents that its node may have, scratch */
    bool room;     /* each rank has a processor to itself */
    bool apart;    /* ranks of a node share no memory: SHIPIO_MESSAGES */
    int pretended; /* nodes as SHIPIO_NODES has it; 0: as they are */
    bool multiple; /* some rank's threads may call MPI at the same time */
    struct shipio_shm *gate;    /* on one node: for opening; NULL: messages */
    struct shipio_shm **leases; /* on one node: memory of files */
    int nleases;
    struct shipio_shm *offered; /* rank 0: new, and not yet accepted */
    struct shipio_hub *hub;     /* between nodes: its own node, if used */
    struct shipio_reach reach;  /* between nodes: can rank 0 be asked? */
    _Atomic int owners;         /* the attribute, and files */
    struct shipio_team *next;
};

/* Collective over comm. The team of comm, for one more file; NULL on all ranks
 * where they cannot be connected. */
struct shipio_team *shipio_team_join(MPI_Comm comm);
/* Collective for the last owner, else local. */
void shipio_team_leave(struct shipio_team *team);

/* Local. The leaders that each node can have: the smallest one's ranks, at most
 * SHIPIO_LEADERS_MAX. */
int shipio_team_leaders(const struct shipio_team *team);
/* Collective over comm, whose ranks are the team's. The ranks of this node, in
 * their order; MPI's code. */
int shipio_team_split(const struct shipio_team *team, MPI_Comm comm,
                      MPI_Comm *node_p);

/* Collective. */
void shipio_team_barrier(struct shipio_team *team);
/* Collective: what rank 0 has, at most SHIPIO_BOARD_LEN bytes. */
void shipio_team_share(struct shipio_team *team, void *data, size_t len);
/* Collective: the least of each of n values, at most SHIPIO_VOTES; false when
 * MPI fails. */
bool shipio_team_vote(struct shipio_team *team, int *values, int n);

/* Which memory a file gets. */
struct shipio_lease {
    int index;                  /* -1: none, it uses messages */
    char name[SHIPIO_SHM_NAME]; /* not empty: it is new */
};

/* Local, by rank 0. */
void shipio_team_offer(struct shipio_team *team, struct shipio_lease *lease);
/* Local, by each rank with what rank 0 offered; 0 or -errno. All ranks call
 * before one of them uses it. NULL at shm_p for messages. */
int shipio_team_accept(struct shipio_team *team,
                       const struct shipio_lease *lease,
                       struct shipio_shm **shm_p)
    __attribute__((warn_unused_result));
/* Local, by rank 0 when all have accepted or failed. */
void shipio_team_accepted(const struct shipio_lease *lease);
/* Local, by each rank, instead of giving it back: one could not accept it. */
void shipio_team_discard(struct shipio_team *team,
                         const struct shipio_lease *lease);
/* Local, by each rank that has accepted; shm may be NULL. */
void shipio_team_give_back(const struct shipio_team *team,
                           struct shipio_shm *shm);

#endif
