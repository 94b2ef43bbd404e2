/* boxes.c - pieces into boxes, boxes into messages, and back. */
#include "boxes.h"

#include <errno.h>
#include <string.h>

#include "walk.h"

#define HEAD ((int64_t)sizeof(struct shipio_box_head))

enum { TAG_BOX = 2 };

/* Bytes that this node and an agent have for each other; 0: no message. */
static int64_t client_bytes(const struct shipio_net_call *call, int agent,
                            int64_t round)
{
    return shipio_bound_count(call->bound, &call->net->route.own, agent, round);
}

static int64_t agent_bytes(const struct shipio_net_call *call, int node,
                           int64_t round)
{
    return shipio_bound_count(call->bound, &call->net->route.from[node],
                              call->net->agents.mine, round);
}

/* One end of the messages of a round: the boxes of a node's ranks, one for each
 * agent, or those of an agent, one for each node. */
struct side {
    bool client;
    int n;
    char *boxes;
};

static struct side side_of(const struct shipio_net_call *call, bool client,
                           int64_t round)
{
    return (struct side){.client = client,
                         .n = client ? call->net->agents.n : call->hub->nodes,
                         .boxes = client ? call->boxes.client[round & 1]
                                         : call->boxes.agent[round & 1]};
}

/* A box of one side, in which others are before it. */
static char *box_at(const struct shipio_net_call *call, bool client,
                    int64_t round, int index)
{
    char *box = side_of(call, client, round).boxes;

    for (int i = 0; i < index; i++)
        box += HEAD + (client ? client_bytes(call, i, round)
                              : agent_bytes(call, i, round));
    return box;
}

/* Is a message with another node this leader's? */
static bool carries(const struct shipio_net_call *call, int node, bool send)
{
    const struct shipio_hub *hub = call->hub;
    int from = send ? hub->index : node;
    int to = send ? node : hub->index;

    return node != hub->index &&
           shipio_hub_carrier(from, to, call->net->leaders) == hub->shm->rank;
}

static int post(struct shipio_net_call *call, bool send, char *box, int64_t len,
                int node, MPI_Request *request)
{
    int rank = shipio_hub_peer(call->hub, node);

    if (!send)
        return PMPI_Irecv(box, (int)len, MPI_BYTE, rank, TAG_BOX,
                          call->file->comm, request);
    shipio_count(&call->file->stats, SHIPIO_N_MESSAGES, 1);
    shipio_count(&call->file->stats, SHIPIO_N_BYTES_SENT, len);
    return PMPI_Isend(box, (int)len, MPI_BYTE, rank, TAG_BOX, call->file->comm,
                      request);
}

void shipio_boxes_post(struct shipio_net_call *call, bool client, bool send,
                       int64_t round)
{
    struct side side = side_of(call, client, round);
    struct shipio_traffic *traffic =
        send ? &call->net->out[round & 1] : &call->net->in[round & 1];
    char *box = side.boxes;

    if (!client && call->net->agents.mine < 0)
        return;
    for (int i = 0; i < side.n; i++) {
        int64_t n =
            client ? client_bytes(call, i, round) : agent_bytes(call, i, round);
        int node = client ? call->net->agents.nodes[i] : i;

        if (n > 0 && carries(call, node, send)) {
            if (post(call, send, box, HEAD + n, node,
                     &traffic->requests[traffic->n]) == MPI_SUCCESS)
                traffic->n++;
            else
                call->error = -EIO;
        }
        box += HEAD + n;
    }
}

void shipio_boxes_complete(struct shipio_net_call *call,
                           struct shipio_traffic *traffic)
{
    double start = shipio_stats_now(&call->file->stats);

    for (int i = 0; i < traffic->n; i++)
        if (PMPI_Wait(&traffic->requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS)
            call->error = -EIO;
    traffic->n = 0;
    shipio_stats_since(&call->file->stats, SHIPIO_T_EXCHANGE, start);
}

/* A rank's data bytes of a range of the file: a walk over them. */
static bool walk_range(const struct shipio_net_call *call,
                       struct shipio_range range, struct shipio_walk *walk)
{
    const struct shipio_request *req = call->req;
    const struct shipio_tiling *view = &call->file->view->tiling;
    int64_t from;
    int64_t to;

    if (req->nbytes == 0 || range.len == 0)
        return false;
    from = shipio_tiling_below_from(view, req->pos,
                                    range.start + call->net->shift);
    to = shipio_tiling_below_from(view, req->pos,
                                  range.start + range.len + call->net->shift);
    from = from > req->pos ? from : req->pos;
    to = to < req->pos + req->nbytes ? to : req->pos + req->nbytes;
    if (from >= to)
        return false;
    walk->req = req;
    walk->left = to - from;
    shipio_cursor_init(&walk->where, view, from);
    shipio_cursor_init(&walk->memory, &req->memory, from - req->pos);
    return true;
}

/* Copies a rank's pieces of a range to or from a box, in which the node's
 * pieces of the range begin at data. Bytes; reading, only those before end. */
static int64_t copy_range(const struct shipio_net_call *call,
                          struct shipio_range range, char *data, int64_t end)
{
    int64_t shift = call->net->shift;
    struct shipio_pieces_walk node;
    struct shipio_walk walk;
    int64_t done = 0;
    int64_t n;

    if (!walk_range(call, range, &walk))
        return 0;
    shipio_pieces_walk_init(&node, &call->net->route.own, range.start,
                            range.start + range.len);
    if (!shipio_pieces_walk_next(&node))
        return 0;
    while ((n = shipio_walk_piece(&walk, end)) > 0) {
        int64_t start = walk.where.off - shift;

        while (start >= node.start + node.len) {
            data += node.len;
            if (!shipio_pieces_walk_next(&node))
                return done;
        }
        shipio_walk_copy(&walk, data + (start - node.start), n);
        shipio_walk_pass(&walk, n);
        done += n;
    }
    return done;
}

/* A rank's pieces of a round, to or from the boxes of all agents. */
void shipio_boxes_copy_pieces(struct shipio_net_call *call, int64_t round)
{
    const struct shipio_net *net = call->net;
    struct side side = side_of(call, true, round);
    char *box = side.boxes;
    double start = shipio_stats_now(&call->file->stats);
    int64_t done = 0;

    for (int a = 0; a < side.n; a++) {
        int64_t n = client_bytes(call, a, round);
        struct shipio_box_head head = {.end = INT64_MAX};
        char *data = box + HEAD;

        box += HEAD + n;
        if (n == 0)
            continue;
        if (!call->req->write) {
            if (a == net->agents.mine)
                data = box_at(call, false, round, call->hub->index) + HEAD;
            memcpy(&head, data - HEAD, sizeof(head));
            if (head.end < call->end)
                call->end = head.end;
        }
        for (int j = 0; j < call->bound->batch; j++) {
            struct shipio_range range =
                shipio_bound_range(call->bound, a, round, j);

            done += copy_range(call, range, data, head.end);
            data += shipio_pieces_count(&net->route.own, range.start,
                                        range.start + range.len);
        }
    }
    shipio_count(&call->file->stats, SHIPIO_N_BYTES_SHIPPED, done);
    shipio_count(&call->file->stats, SHIPIO_N_BYTES_COPIED, done);
    shipio_stats_since(&call->file->stats, SHIPIO_T_EXCHANGE, start);
}

/* The pieces of one node: from its box to the stripes, or back. */
static int64_t copy_box(const struct shipio_net_call *call, int node,
                        int64_t round, char *data)
{
    const struct shipio_binding *bound = call->bound;
    char *image = call->boxes.image[round & 1];
    int64_t done = 0;

    for (int j = 0; j < bound->batch; j++) {
        struct shipio_range range =
            shipio_bound_range(bound, call->net->agents.mine, round, j);
        struct shipio_pieces_walk walk;

        shipio_pieces_walk_init(&walk, &call->net->route.from[node],
                                range.start, range.start + range.len);
        while (shipio_pieces_walk_next(&walk)) {
            char *place = image + (walk.start - range.start);

            memcpy(call->req->write ? place : data + done,
                   call->req->write ? data + done : place, (size_t)walk.len);
            done += walk.len;
        }
        image += shipio_bound_len(bound);
    }
    return done;
}

/* The ranks of an agent's node share its work: one takes the boxes of some
 * nodes. */
void shipio_boxes_copy_stripes(struct shipio_net_call *call, int64_t round)
{
    const struct shipio_shm *shm = call->hub->shm;
    char *box = call->boxes.agent[round & 1];
    struct shipio_box_head head = {.end =
                                       call->hub->gates->file_end[round & 1]};
    double start = shipio_stats_now(&call->file->stats);
    int64_t done = 0;

    for (int i = 0; i < call->hub->nodes; i++) {
        int64_t n = agent_bytes(call, i, round);
        char *data = box + HEAD;

        if (i % shm->size == shm->rank && n > 0) {
            if (call->req->write && i == call->hub->index)
                data = box_at(call, true, round, call->net->agents.mine) + HEAD;
            if (!call->req->write)
                memcpy(box, &head, sizeof(head));
            done += copy_box(call, i, round, data);
        }
        box += HEAD + n;
    }
    shipio_count(&call->file->stats, SHIPIO_N_BYTES_COPIED, done);
    shipio_stats_since(&call->file->stats, SHIPIO_T_EXCHANGE, start);
}
