/* ship_net.c - data shipping between nodes.
 *
 * The ranks of a node put their pieces into boxes in the node's memory, one for
 * each agent, in the order of the file; a leader sends each box as one message.
 * Where a box comes to its agent, the ranks of that node put the
 * pieces in their places in the stripes, and a thread writes these while the
 * next round is under way. Reading goes the other way.
 *
 * So between two nodes there is one message each way in a round, whatever the
 * number of ranks; receives are posted before. The ranks compute where a piece
 * belongs from the lists of the route alone, so no empty message is sent.
 * Rounds have 4 MiB for each agent, 256 KiB for each pair, but there are four
 * of them if possible; slices of a stripe where the boxes of a node (64 MiB)
 * would not do. All that a call agrees on beforehand is one reduction over the
 * leaders, and one at its end. A rank needs per call nothing that grows with
 * the ranks of the job (an open file has 4 bytes for each rank, its
 * communicator 8: who may be an agent; the ranks of a node share 4 for each
 * leader of the job); a leader, and who shares an agent's work, some 100 bytes
 * for each node and the lists.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "cover.h"
#include "iothread.h"
#include "plan.h"
#include "rawio.h"
#include "route.h"

#define STRIPES_MAX ((int64_t)1 << 20)
/* Calls without a route after one that could not be made: there may be memory
 * again, or the lists are too long for ever. */
#define REFUSALS 64
#define ROUNDS_FEW 64 /* that cost nothing worth speaking of */

static void net_close(struct shipio_file *file)
{
    struct shipio_net *net = file->ship.net;

    if (net == NULL)
        return;
    shipio_iothread_destroy(net->thread);
    for (int i = 0; i < 2; i++) {
        free(net->jobs[i].cover);
        free(net->jobs[i].wanted);
        free(net->in[i].requests);
        free(net->out[i].requests);
    }
    shipio_route_free(&net->route, net->hub);
    free(net->agents.nodes);
    free(net);
    file->ship.net = NULL;
}

/* Collective. The nodes of the agents, in order. */
static int find_agents(struct shipio_net *net, const struct shipio_file *file)
{
    const struct shipio_shipping *ship = &file->ship;
    struct shipio_hub *hub = net->hub;
    struct shipio_agent_nodes *agents = &net->agents;
    int mine = 0;

    for (int a = 0; a < ship->nagents; a++)
        if (ship->agent_ranks[a] == file->team->rank)
            mine = -1;
    shipio_shm_vote(hub->shm, &mine, 1);
    /* By all leaders, then by all ranks of a node. */
    if (hub->leader)
        PMPI_Allgather(&mine, 1, MPI_INT, agents->nodes, 1, MPI_INT, hub->lead);
    PMPI_Bcast(agents->nodes, hub->nodes, MPI_INT, 0, hub->node);
    agents->mine = -1;
    for (int i = 0; i < hub->nodes; i++) {
        if (agents->nodes[i] == 0)
            continue;
        if (i == hub->index)
            agents->mine = agents->n;
        agents->nodes[agents->n++] = i;
    }
    return agents->n > 0 ? 0 : -EIO;
}

static int leader_init(struct shipio_net *net)
{
    size_t nodes = (size_t)net->hub->nodes;

    if (!net->leads)
        return 0;
    for (int i = 0; i < 2; i++) {
        net->in[i].requests = calloc(nodes, sizeof(MPI_Request));
        net->out[i].requests = calloc(nodes, sizeof(MPI_Request));
        if (net->in[i].requests == NULL || net->out[i].requests == NULL)
            return -ENOMEM;
    }
    if (!net->hub->leader)
        return 0;
    net->thread = shipio_iothread_create(1);
    return net->thread != NULL ? 0 : -ENOMEM;
}

/* Collective. NULL on all ranks, or on none. */
static struct shipio_net *net_of(struct shipio_file *file)
{
    struct shipio_hub *hub;
    struct shipio_net *net;
    int rc = -ENOMEM;

    if (file->ship.net != NULL)
        return file->ship.net;
    hub = shipio_hub_of(file);
    if (hub == NULL)
        return NULL;
    net = calloc(1, sizeof(*net));
    if (net != NULL) {
        net->hub = hub;
        net->leaders = file->hints.leaders < hub->leaders ? file->hints.leaders
                                                          : hub->leaders;
        net->leads = hub->shm->rank < net->leaders;
        net->agents.nodes = calloc((size_t)hub->nodes, sizeof(int));
        rc = net->agents.nodes != NULL ? 0 : -ENOMEM;
        if (rc == 0)
            rc = leader_init(net);
        file->ship.net = net;
    }
    /* The thread counts what it reads and writes. */
    shipio_stats_share(&file->stats);
    rc = shipio_hub_agree(hub, rc);
    if (rc == 0 && net != NULL)
        rc = shipio_hub_agree(hub, find_agents(net, file));
    if (rc == 0 && net != NULL) {
        shipio_count(&file->stats, SHIPIO_N_LEADERS, net->leads);
        return net;
    }
    net_close(file);
    return NULL;
}

/* Local, the same on all ranks of a node. Bytes of all boxes. */
static size_t boxes_len(const struct shipio_route *route)
{
    return 2 * (size_t)(route->client_len + route->agent_len +
                        route->bound.batch * shipio_bound_len(&route->bound));
}

/* Figures of this node's ranks. */
static void sum_node(struct shipio_hub *hub, struct shipio_hub_sum *sum)
{
    *sum = (struct shipio_hub_sum){
        .least = {INT64_MAX, 0, 0, 0, 1, INT64_MAX, INT64_MAX, 1}};
    for (int r = 0; r < hub->shm->size; r++) {
        const struct shipio_desc *desc = &hub->shm->head->ranks[r].desc[0];
        int64_t least[SHIPIO_HUB_LEAST] = {
            INT64_MAX,   0,         desc->error, -desc->cost_ns,
            desc->again, INT64_MAX, INT64_MAX,   desc->refused};

        if (desc->nbytes > 0) {
            least[0] = desc->low;
            least[1] = -desc->high;
            least[5] = desc->shift;
            least[6] = -desc->shift;
        }
        for (int i = 0; i < SHIPIO_HUB_LEAST; i++)
            sum->least[i] = least[i] < sum->least[i] ? least[i] : sum->least[i];
        sum->sum[0] += desc->nbytes;
        sum->sum[1] += desc->pieces;
        sum->sum[2] += desc->high - desc->low;
    }
}

static struct shipio_span net_span(struct shipio_file *file,
                                   const struct shipio_request *req, int error)
{
    struct shipio_net *net = net_of(file);
    struct shipio_hub_sum sum;
    struct shipio_desc *mine;
    double start = shipio_stats_now(&file->stats);

    if (net == NULL)
        return (struct shipio_span){.error = -ENOMEM};
    mine = &net->hub->shm->head->ranks[net->hub->shm->rank].desc[0];
    shipio_plan_part(file, req, error, mine);
    mine->again = shipio_route_fits(&net->route, file, req, &mine->shift) &&
                  net->hub->area.len >= boxes_len(&net->route);
    mine->refused =
        net->refusals > 0 && shipio_route_key_fits(&net->refused, file, req);
    shipio_shm_barrier(net->hub->shm);
    if (net->hub->leader) {
        sum_node(net->hub, &sum);
        if (!shipio_hub_reduce(net->hub, &sum))
            sum.least[2] = -EIO;
    }
    shipio_shm_share(net->hub->shm, &sum, sizeof(sum));
    net->again = sum.least[4] != 0 && sum.least[5] == -sum.least[6];
    net->shift = sum.least[5];
    net->refuse = sum.least[7] != 0;
    shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
    return (struct shipio_span){.low = sum.least[0],
                                .high = -sum.least[1],
                                .error = (int)sum.least[2],
                                .cost_ns = -sum.least[3],
                                .nbytes = sum.sum[0],
                                .pieces = sum.sum[1],
                                .extents = sum.sum[2]};
}

/* The leader's own buffers, as the route has it. */
static int job_buffers(struct shipio_net *net)
{
    const struct shipio_binding *bound = &net->route.bound;
    int64_t len = bound->batch * shipio_bound_len(bound);

    if (!net->hub->leader || net->agents.mine < 0 ||
        (len <= net->image_len && bound->batch <= net->batch))
        return 0;
    net->image_len = 0;
    for (int i = 0; i < 2; i++) {
        struct shipio_net_job *job = &net->jobs[i];

        free(job->cover);
        free(job->wanted);
        job->cover = malloc((size_t)len / 8 + 64);
        job->wanted = calloc((size_t)bound->batch, sizeof(*job->wanted));
        if (job->cover == NULL || job->wanted == NULL)
            return -ENOMEM;
    }
    net->image_len = len;
    net->batch = bound->batch;
    return 0;
}

static void lay_boxes(struct shipio_net_call *call)
{
    const struct shipio_route *route = &call->net->route;
    char *at = call->hub->area.memory;
    int64_t image = call->bound->batch * shipio_bound_len(call->bound);

    for (int i = 0; i < 2; i++) {
        call->boxes.client[i] = at;
        at += route->client_len;
        call->boxes.agent[i] = at;
        at += route->agent_len;
        call->boxes.image[i] = at;
        at += image;
    }
}

/* Fewer pieces than rounds that go through the file: every rank for itself is
 * faster. The same on all ranks. */
static bool too_sparse(const struct shipio_net *net, int64_t stripe,
                       const struct shipio_span *span)
{
    int64_t round = stripe > SHIPIO_ROUND_LEN ? stripe : SHIPIO_ROUND_LEN;

    return (span->high - span->low) / round / net->agents.n >
           span->pieces + ROUNDS_FEW;
}

/* Collective: 0 or -errno, the same on all ranks. */
static int make_route(struct shipio_file *file,
                      const struct shipio_request *req,
                      const struct shipio_span *span)
{
    struct shipio_net *net = file->ship.net;
    int rc = shipio_route_make(&net->route, file, req, span, &net->agents);

    if (rc != 0)
        return rc;
    rc = shipio_hub_agree(net->hub, job_buffers(net));
    if (rc != 0)
        shipio_route_free(&net->route, net->hub);
    return rc;
}

static bool net_possible(struct shipio_file *file,
                         const struct shipio_request *req,
                         const struct shipio_span *span)
{
    struct shipio_net *net = file->ship.net;
    int64_t stripe = shipio_hints_stripe(&file->hints);

    if ((span->high - span->low) / stripe >= STRIPES_MAX)
        return false;
    if (net->again)
        return true;
    if (too_sparse(net, stripe, span))
        return false;
    if (net->refuse) {
        net->refusals--;
        return false;
    }
    net->shift = 0;
    net->refusals = 0;
    if (make_route(file, req, span) == 0)
        return true;
    net->refused = shipio_route_key_of(file, req);
    net->refusals = REFUSALS;
    return false;
}

static void call_begin(struct shipio_net_call *call, struct shipio_file *file,
                       const struct shipio_request *req)
{
    struct shipio_net *net = file->ship.net;

    memset(call, 0, sizeof(*call));
    call->file = file;
    call->net = net;
    call->hub = net->hub;
    call->bound = &net->route.bound;
    call->req = req;
    call->base = net->hub->sequence;
    call->end = INT64_MAX;
    net->hub->sequence += (uint64_t)call->bound->nrounds;
    lay_boxes(call);
    for (int i = 0; i < 2; i++) {
        net->jobs[i].error = 0;
        net->jobs[i].call = call;
        net->jobs[i].image = call->boxes.image[i];
    }
    if (net->hub->leader && net->hub->index == 0)
        shipio_count(&file->stats, SHIPIO_N_ROUNDS, call->bound->nrounds);
}

/* What the leaders have under way comes to its end. */
static void end_traffic(struct shipio_net_call *call)
{
    if (!call->net->leads)
        return;
    shipio_boxes_complete(call, &call->net->out[0]);
    shipio_boxes_complete(call, &call->net->out[1]);
    if (call->hub->leader)
        shipio_iothread_wait(call->net->thread);
}

static int call_end(struct shipio_net_call *call)
{
    struct shipio_net *net = call->net;
    int error = call->error;
    double start = shipio_stats_now(&call->file->stats);

    if (error == 0)
        error =
            net->jobs[0].error != 0 ? net->jobs[0].error : net->jobs[1].error;
    if (error == 0)
        error = shipio_late_take(call->file);
    error = shipio_hub_agree(call->hub, error);
    shipio_stats_since(&call->file->stats, SHIPIO_T_WAIT, start);
    return error;
}

static struct shipio_hub_rank *my_gates(const struct shipio_net_call *call)
{
    return &call->hub->gates->ranks[call->hub->shm->rank];
}

/* By a leader. */
static struct shipio_hub_leader *my_leader(const struct shipio_net_call *call)
{
    return &call->hub->gates->leaders[call->hub->shm->rank];
}

/* The progress that says: this round is done. */
static uint64_t mark(const struct shipio_net_call *call, int64_t round)
{
    return call->base + (uint64_t)round + 1;
}

/* Which bytes of its stripes an agent has, in a round. */
static void cover_round(struct shipio_net_call *call,
                        struct shipio_net_job *job)
{
    const struct shipio_binding *bound = call->bound;
    int64_t len = shipio_bound_len(bound);

    memset(job->cover, 0, (size_t)(bound->batch * len) / 8 + 8);
    for (int i = 0; i < call->hub->nodes; i++)
        for (int j = 0; j < bound->batch; j++) {
            struct shipio_range range = shipio_bound_range(
                bound, call->net->agents.mine, job->round, j);
            struct shipio_pieces_walk walk;

            shipio_pieces_walk_init(&walk, &call->net->route.from[i],
                                    range.start, range.start + range.len);
            while (shipio_pieces_walk_next(&walk))
                shipio_cover_mark(job->cover,
                                  j * len + walk.start - range.start, walk.len);
        }
}

/* Writes what is covered of a stripe. */
static void write_stripe(struct shipio_net_job *job, int j)
{
    const struct shipio_net_call *call = job->call;
    int64_t len = shipio_bound_len(call->bound);
    struct shipio_range range =
        shipio_bound_range(call->bound, call->net->agents.mine, job->round, j);
    int64_t start = j * len;
    int64_t n = 0;

    while (job->error == 0 &&
           shipio_cover_next(job->cover, (j + 1) * len, &start, &n)) {
        int64_t rc =
            shipio_raw_write(call->file, job->image + start, n,
                             range.start + call->net->shift + start - j * len);

        if (rc < 0)
            job->error = (int)rc;
        start += n;
    }
}

static void run_write(void *argument)
{
    struct shipio_net_job *job = argument;

    for (int j = 0; j < job->call->bound->batch; j++)
        write_stripe(job, j);
}

/* All ranks of a node: the messages of a round have come. */
static void await_round(struct shipio_net_call *call, int64_t round)
{
    struct shipio_net *net = call->net;

    if (net->leads) {
        shipio_boxes_complete(call, &net->in[round & 1]);
        shipio_gauge_advance(&my_leader(call)->arrived, mark(call, round));
    }
    shipio_hub_await_arrived(call->hub, net->leaders, mark(call, round));
}

/* All ranks of a node: write a round of which the boxes have come. */
static void write_round(struct shipio_net_call *call, int64_t round)
{
    struct shipio_net *net = call->net;
    struct shipio_hub *hub = call->hub;
    struct shipio_net_job *job = &net->jobs[round & 1];

    if (net->agents.mine < 0)
        return;
    if (hub->leader) {
        job->round = round;
        cover_round(call, job);
    }
    await_round(call, round);
    shipio_boxes_copy_stripes(call, round);
    shipio_gauge_advance(&my_gates(call)->taken, mark(call, round));
    if (!hub->leader)
        return;
    shipio_hub_await_taken(hub, mark(call, round));
    shipio_iothread_start(net->thread, run_write, job);
    if (!call->file->hints.double_buffer)
        shipio_iothread_wait(net->thread);
}

/* All ranks of a node: their pieces go on their way. */
static void send_round(struct shipio_net_call *call, int64_t round)
{
    struct shipio_net *net = call->net;
    struct shipio_hub *hub = call->hub;
    uint64_t before = round >= 2 ? mark(call, round - 2) : 0;

    /* The boxes were last used two rounds before. */
    if (net->leads) {
        shipio_boxes_complete(call, &net->out[round & 1]);
        if (round >= 2)
            shipio_gauge_advance(&my_leader(call)->sent, before);
        if (net->agents.mine >= 0)
            shipio_hub_await_taken(hub, before);
        shipio_boxes_post(call, false, false, round);
    }
    shipio_hub_await_sent(hub, net->leaders, before);
    shipio_boxes_copy_pieces(call, round);
    shipio_gauge_advance(&my_gates(call)->filled, mark(call, round));
    if (!net->leads)
        return;
    shipio_hub_await_filled(hub, mark(call, round));
    shipio_boxes_post(call, true, true, round);
}

static int net_write(struct shipio_file *file, const struct shipio_request *req,
                     const struct shipio_span *span)
{
    struct shipio_net_call call;

    (void)span;
    call_begin(&call, file, req);
    for (int64_t round = 0; round <= call.bound->nrounds; round++) {
        if (round < call.bound->nrounds)
            send_round(&call, round);
        if (round > 0)
            write_round(&call, round - 1);
    }
    end_traffic(&call);
    return call_end(&call);
}

/* Of each stripe of a round, from the first to the last byte wanted. */
static void want_round(struct shipio_net_call *call, struct shipio_net_job *job)
{
    const struct shipio_binding *bound = call->bound;

    for (int j = 0; j < bound->batch; j++) {
        struct shipio_range range =
            shipio_bound_range(bound, call->net->agents.mine, job->round, j);
        int64_t low = INT64_MAX;
        int64_t high = 0;

        for (int i = 0; i < call->hub->nodes; i++) {
            struct shipio_range part =
                shipio_pieces_extent(&call->net->route.from[i], range.start,
                                     range.start + range.len);

            if (part.len == 0)
                continue;
            low = part.start < low ? part.start : low;
            high = part.start + part.len > high ? part.start + part.len : high;
        }
        job->wanted[j] =
            high > low ? (struct shipio_range){.start = low, .len = high - low}
                       : (struct shipio_range){.start = range.start};
    }
}

static void run_read(void *argument)
{
    struct shipio_net_job *job = argument;
    struct shipio_net_call *call = job->call;
    char *image = job->image;

    job->end = INT64_MAX;
    for (int j = 0; j < call->bound->batch; j++) {
        struct shipio_range want = job->wanted[j];
        struct shipio_range range = shipio_bound_range(
            call->bound, call->net->agents.mine, job->round, j);
        int64_t at = want.start + call->net->shift;
        char *to = image + (want.start - range.start);
        int64_t n;

        image += shipio_bound_len(call->bound);
        if (job->error != 0 || want.len == 0)
            continue;
        n = call->prefetch ? shipio_prefetch_read(call->file, to, at, want.len)
                           : shipio_raw_read(call->file, to, want.len, at);
        if (n < 0)
            job->error = (int)n;
        else if (n < want.len && at + n < job->end)
            job->end = at + n;
    }
}

static void start_read(struct shipio_net_call *call, int64_t round)
{
    struct shipio_net_job *job = &call->net->jobs[round & 1];

    job->round = round;
    want_round(call, job);
    shipio_iothread_start(call->net->thread, run_read, job);
}

/* Announces what an agent will read. */
static bool announce(struct shipio_net_call *call)
{
    struct shipio_file *file = call->file;
    struct shipio_net_job *job = &call->net->jobs[0];
    bool good = true;

    if (!call->hub->leader || call->net->agents.mine < 0 ||
        !shipio_prefetch_claim(file, false))
        return false;
    for (int64_t r = 0; good && r < call->bound->nrounds; r++) {
        job->round = r;
        want_round(call, job);
        for (int j = 0; good && j < call->bound->batch; j++)
            if (job->wanted[j].len > 0)
                good = shipio_prefetch_add(
                    file, job->wanted[j].start + call->net->shift,
                    job->wanted[j].len);
    }
    if (good)
        shipio_prefetch_begin(file, false);
    else
        shipio_prefetch_unclaim(file);
    return good;
}

/* The ranks of an agent's node: what was read goes on its way. */
static void answer_round(struct shipio_net_call *call, int64_t round)
{
    struct shipio_net *net = call->net;
    struct shipio_hub *hub = call->hub;
    struct shipio_hub_gates *gates = hub->gates;
    bool ahead = call->file->hints.double_buffer;

    if (net->leads)
        shipio_boxes_complete(call, &net->out[round & 1]);
    if (hub->leader) {
        if (round == 0 || !ahead)
            start_read(call, round);
        shipio_iothread_wait(net->thread);
        gates->file_end[round & 1] = net->jobs[round & 1].end;
    }
    if (net->leads)
        shipio_gauge_advance(&my_leader(call)->sent, mark(call, round));
    if (hub->leader && ahead && round + 1 < call->bound->nrounds)
        start_read(call, round + 1);
    shipio_hub_await_sent(hub, net->leaders, mark(call, round));
    shipio_boxes_copy_stripes(call, round);
    shipio_gauge_advance(&my_gates(call)->filled, mark(call, round));
    if (!net->leads)
        return;
    shipio_hub_await_filled(hub, mark(call, round));
    shipio_boxes_post(call, false, true, round);
}

/* All ranks of a node: what was asked for has come. */
static void take_round(struct shipio_net_call *call, int64_t round)
{
    await_round(call, round);
    shipio_boxes_copy_pieces(call, round);
    shipio_gauge_advance(&my_gates(call)->taken, mark(call, round));
}

/* Bytes of the request that the file had. */
static int64_t bytes_read(const struct shipio_net_call *call)
{
    const struct shipio_request *req = call->req;
    int64_t below;

    if (req->nbytes == 0 || call->end == INT64_MAX)
        return req->nbytes;
    below = shipio_tiling_below_from(&call->file->view->tiling, req->pos,
                                     call->end);
    below = below > req->pos ? below - req->pos : 0;
    return below < req->nbytes ? below : req->nbytes;
}

static int net_read(struct shipio_file *file, const struct shipio_request *req,
                    const struct shipio_span *span, int64_t *done_p)
{
    struct shipio_net_call call;
    int rc;

    (void)span;
    call_begin(&call, file, req);
    call.prefetch = announce(&call);
    for (int64_t round = 0; round <= call.bound->nrounds; round++) {
        if (round < call.bound->nrounds && call.net->leads) {
            /* Nobody is still at the boxes of two rounds before. */
            if (round >= 2)
                shipio_hub_await_taken(call.hub, mark(&call, round - 2));
            shipio_boxes_post(&call, true, false, round);
        }
        if (round < call.bound->nrounds && call.net->agents.mine >= 0)
            answer_round(&call, round);
        if (round > 0)
            take_round(&call, round - 1);
    }
    end_traffic(&call);
    if (call.prefetch)
        shipio_prefetch_end(file);
    rc = call_end(&call);
    *done_p = rc == 0 ? bytes_read(&call) : 0;
    return rc;
}

const struct shipio_exchange shipio_exchange_net = {
    .name = "messages",
    .span = net_span,
    .possible = net_possible,
    .write = net_write,
    .read = net_read,
    .close = net_close,
};
