/* boxes.h - a collective call between nodes on its way: the boxes in a node's
 * memory, the messages that they become, and who copies what.
 */
#ifndef SHIPIO_BOXES_H
#define SHIPIO_BOXES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "iothread.h"
#include "route.h"

/* File access of one round, done by the leader's thread. */
struct shipio_net_job {
    struct shipio_net_call *call;
    int64_t round;
    char *image;
    uint64_t *cover;             /* writing: what to write */
    struct shipio_range *wanted; /* reading: of each stripe; in the file */
    int64_t end;                 /* reading: the file ends here */
    int error;
};

/* Messages of one round under way. */
struct shipio_traffic {
    MPI_Request *requests;
    int n;
};

/* What a file keeps from call to call. */
struct shipio_net {
    struct shipio_hub *hub;
    struct shipio_agent_nodes agents;
    struct shipio_route route;
    bool again; /* the route fits the call */
    int64_t shift;
    struct shipio_route_key refused; /* no route could be made for this */
    int refusals; /* calls until one is tried again; 0: none was refused */
    bool refuse;  /* agreed: it is such a call */
    int leaders;  /* of each node */
    bool leads;   /* this rank is one of them */
    /* The first leader's. */
    struct shipio_net_job jobs[2];
    int64_t image_len;
    int batch;
    struct shipio_iothread *thread;
    /* Each leader's. */
    struct shipio_traffic in[2];
    struct shipio_traffic out[2];
};

struct shipio_net_call {
    struct shipio_file *file;
    struct shipio_net *net;
    struct shipio_hub *hub;
    const struct shipio_binding *bound;
    const struct shipio_request *req;
    struct shipio_hub_boxes boxes;
    uint64_t base; /* rounds before this call */
    int64_t end;   /* reading: the file has no bytes from here on */
    bool prefetch;
    int error;
};

/* Local, by a leader. Posts what a side sends or receives in a round: the ranks
 * of a node as clients, or its agent. Nothing goes to the node itself. */
void shipio_boxes_post(struct shipio_net_call *call, bool client, bool send,
                       int64_t round);
void shipio_boxes_complete(struct shipio_net_call *call,
                           struct shipio_traffic *traffic);
/* Local, by each rank: its own pieces of a round, to or from the boxes. */
void shipio_boxes_copy_pieces(struct shipio_net_call *call, int64_t round);
/* Local, by each rank of an agent's node: its share of the boxes, to or from
 * the stripes. */
void shipio_boxes_copy_stripes(struct shipio_net_call *call, int64_t round);

#endif
