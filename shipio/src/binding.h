/* binding.h - which stripes of a collective call between nodes are whose: of
 * which agent, in which round. Knows no MPI. All calls are local.
 *
 * Stripes are bound to the agents round robin when somebody says how long they
 * are, or the file system does; else each agent has one region of the file:
 * that of its node, where nodes have their own, or an equal share, where its
 * node has most of its bytes, in whatever order the nodes are. In a round each
 * agent has up to `batch` stripes, or a slice of one.
 *
 * Why not always round robin: the agents would go through the file side by
 * side, and where nodes have their pieces one after the other, as in subarrays
 * with the slowest dimension divided, only some of the links would be busy at a
 * time. Where nodes have regions of their own hardly anything goes over the
 * wire. Agents are at most one on each node: one on each by default.
 */
#ifndef SHIPIO_BINDING_H
#define SHIPIO_BINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "driver.h"
#include "pieces.h"

/* What an agent has in a round where stripes are shorter, at the most. */
#define SHIPIO_ROUND_LEN ((int64_t)4 * 1024 * 1024)
/* The shortest slice of a stripe. */
#define SHIPIO_SLICE_MIN ((int64_t)4096)

/* Stripes [first, end) of the file. */
struct shipio_region {
    int64_t first;
    int64_t end;
};

/* How stripes come to agents and rounds; the same on all ranks. */
struct shipio_binding {
    int nagents;
    int batch;      /* stripes of an agent in a round */
    int64_t slices; /* rounds for one stripe, when batch is 1 */
    int64_t stripe; /* its length */
    int64_t first;  /* number of agent 0's first stripe */
    int64_t nrounds;
    const struct shipio_region *regions; /* of each agent; NULL: round robin */
};

/* Who the agents are, at most one on each node. */
struct shipio_agent_nodes {
    int n;
    int mine;   /* the agent of this node; -1: none */
    int *nodes; /* of each agent */
};

/* What a node has of a call. */
struct shipio_node_bytes {
    int64_t low;
    int64_t high;
    int64_t nbytes;  /* 0: none */
    int64_t middle;  /* of these bytes, on the average */
    int64_t striped; /* the file system's own stripes lie on its targets */
};
#define SHIPIO_NODE_WORDS 5

/* Where in the file the bytes of an agent's node are. */
struct shipio_place {
    int64_t middle; /* INT64_MAX: it has none */
    int agent;
};

/* A call whose stripes are to be bound. */
struct shipio_binding_case {
    const struct shipio_agent_nodes *agents;
    const struct shipio_node_bytes *bytes; /* of each node */
    int nodes;
    int64_t low; /* of all nodes */
    int64_t high;
    int64_t nbytes;
    bool fixed; /* the length of a stripe was asked for */
};

/* What pieces say of their node; striped is left as it is. */
void shipio_node_bytes_of(struct shipio_node_bytes *bytes,
                          const struct shipio_pieces *pieces);
/* Regions of all agents, which the binding then points to, or none: round
 * robin. places is scratch, as long. */
void shipio_bind_agents(struct shipio_binding *bound,
                        const struct shipio_binding_case *call,
                        struct shipio_region *regions,
                        struct shipio_place *places);
/* Rounds as long as they should be, if memory allows. */
void shipio_bind_rounds(struct shipio_binding *bound,
                        const struct shipio_binding_case *call);
/* Shorter rounds; false when they cannot be. */
bool shipio_bind_shorter(struct shipio_binding *bound);

/* The bytes that an agent has in a round, as its j-th range of batch; length 0:
 * none. */
struct shipio_range shipio_bound_range(const struct shipio_binding *bound,
                                       int agent, int64_t round, int j);
/* The length of each range in memory. */
static inline int64_t shipio_bound_len(const struct shipio_binding *bound)
{
    return bound->stripe / bound->slices;
}
/* Bytes of pieces that an agent has in a round. */
int64_t shipio_bound_count(const struct shipio_binding *bound,
                           const struct shipio_pieces *pieces, int agent,
                           int64_t round);
/* Has the agent any of these stripes? */
bool shipio_bound_has(const struct shipio_binding *bound, int agent,
                      int64_t first, int64_t last);

#endif
