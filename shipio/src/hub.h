/* hub.h - the node of this rank as a part of several: its memory, and its
 * leaders, who alone talk to the leaders of the other nodes.
 *
 * A team has one for all its files, made when the first call is shipped; with
 * several threads each file has its own.
 */
#ifndef SHIPIO_HUB_H
#define SHIPIO_HUB_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hints.h"
#include "shm.h"

struct shipio_file;

/* How far the ranks of a node are; in shared memory. */
struct shipio_hub_rank {
    struct shipio_gauge filled; /* rounds whose boxes it has filled */
    struct shipio_gauge taken;  /* and taken from */
    int64_t nseries;            /* length of its list of pieces */
};

/* What a leader alone sets: rounds. */
struct shipio_hub_leader {
    struct shipio_gauge sent;    /* its messages have left the boxes */
    struct shipio_gauge arrived; /* and have come */
};

struct shipio_hub_gates {
    struct shipio_hub_leader leaders[SHIPIO_LEADERS_MAX];
    int64_t file_end[2]; /* reading: see struct shipio_box_head */
    struct shipio_hub_rank ranks[];
};

/* Two of each: one on the wire, one at work. */
struct shipio_hub_boxes {
    char *client[2]; /* what this node's ranks write or read, by agent */
    char *agent[2];  /* what this node's agent gets or gives, by node */
    char *image[2];  /* the agent's stripes */
};

struct shipio_hub {
    MPI_Comm node; /* ranks of this node; no messages */
    MPI_Comm lead; /* the first leaders; MPI_COMM_NULL on others */
    MPI_Op sum;    /* of figures, by leaders */
    MPI_Datatype figures;
    int nodes;
    int index;   /* of this node, as the leader's rank in lead */
    bool leader; /* the first: agrees, exchanges lists, reads and writes */
    int leaders; /* that each node can have; the first ranks of the node */
    int *ranks;  /* in the node's memory: the leaders of all nodes in the file's
                    communicator, leaders of them for each node */
    struct shipio_shm *shm; /* of the node, rank 0 is the leader */
    struct shipio_hub_gates *gates;
    struct shipio_shm_area gates_area;
    struct shipio_shm_area lists; /* of all ranks, while they are merged */
    struct shipio_shm_area area;  /* of the boxes */
    uint64_t sequence;            /* rounds so far */
};

/* Figures of all ranks: the least of some, the sums of others. */
#define SHIPIO_HUB_LEAST 8
#define SHIPIO_HUB_SUMS 3
struct shipio_hub_sum {
    int64_t least[SHIPIO_HUB_LEAST];
    int64_t sum[SHIPIO_HUB_SUMS];
};

/* Collective over the file. Its hub; NULL on all ranks without memory. */
struct shipio_hub *shipio_hub_of(struct shipio_file *file);
/* Collective with its communicators, else local (they go with MPI). */
void shipio_hub_free(struct shipio_hub *hub, bool comms);

/* Collective: by the leaders alone. False when MPI fails. */
bool shipio_hub_reduce(struct shipio_hub *hub, struct shipio_hub_sum *sum);
/* Collective over all nodes: the lowest error, or 0. */
int shipio_hub_agree(struct shipio_hub *hub, int error);

/* Local. Which of `leaders` leaders sends, and receives, what one node has for
 * another. Each two nodes have one stream each way, of different leaders where
 * there are two: the answers for which data must wait (long messages are
 * announced first) then do not queue behind data that goes their way. */
static inline int shipio_hub_carrier(int from, int to, int leaders)
{
    return (from + to + (from < to)) % leaders;
}
/* Local, by a leader: the rank of the same leader of another node. */
static inline int shipio_hub_peer(const struct shipio_hub *hub, int node)
{
    return hub->ranks[node * hub->leaders + hub->shm->rank];
}

/* Local: all leaders of the node have come so far. */
void shipio_hub_await_sent(struct shipio_hub *hub, int leaders,
                           uint64_t progress);
void shipio_hub_await_arrived(struct shipio_hub *hub, int leaders,
                              uint64_t progress);
/* Local: all ranks of the node have come so far. */
void shipio_hub_await_filled(struct shipio_hub *hub, uint64_t progress);
void shipio_hub_await_taken(struct shipio_hub *hub, uint64_t progress);

#endif
