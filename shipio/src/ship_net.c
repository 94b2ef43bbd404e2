/* ship_net.c - data shipping between nodes, by MPI messages.
 *
 * Works in rounds: in each, every agent looks after one stripe. Ranks send
 * their pieces of a stripe to its agent in one message; a thread of the agent
 * writes the stripe of round n while the messages of round n + 1 come in
 * (double buffering). Reading goes the other way.
 *
 * Dense access: in each round every rank has a message for every agent, be it
 * empty. Sparse access: a first pass tells the agents who will send to them in
 * which round, and empty messages are left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cover.h"
#include "iothread.h"
#include "parts.h"
#include "plan.h"
#include "rawio.h"

#define ROUNDS_MAX ((int64_t)1 << 20)
/* Rounds that one pass over the requests tells about. */
#define GRAPH_ROUNDS 64

enum tag { TAG_PIECES = 1, TAG_REPLY = 2 };

/* File access of one stripe, done by the thread. */
struct job {
    struct shipio_file *file;
    bool write;
    char *buffer;
    uint64_t *cover; /* writing: what to write */
    int64_t stripe;  /* its length */
    int64_t begin;   /* its place in the file */
    int64_t from;    /* reading: the part of it to read */
    int64_t to;
    int64_t valid; /* reading: bytes of the buffer with data */
    bool prefetch; /* reading: a series of own stripes is under way */
    int error;
};

/* Messages under way. */
struct outbox {
    int count;
    int room;
    MPI_Request *requests;
    void **buffers;
};

struct shipio_net {
    int64_t stripe;
    int my_agent; /* index among the agents, -1: none */
    struct job jobs[2];
    struct shipio_iothread *thread;
    struct shipio_parts *parts; /* of the message being made */
    uint64_t *scratch;
    struct outbox out[2];
    uint64_t *send_graph; /* for each rank: rounds with a message, as bits */
    uint64_t *recv_graph;
    void *inbox;
    int inbox_len;
};

struct call {
    struct shipio_file *file;
    struct shipio_net *net;
    struct shipio_walk walk;
    struct shipio_plan plan; /* of nagents stripes a round */
    int64_t nrounds;
    bool prefetch;
    int error; /* of this rank, apart from file access */
};

static struct shipio_span net_span(struct shipio_file *file,
                                   const struct shipio_request *req, int error)
{
    struct shipio_span span = {.low = 0};
    struct shipio_desc part;
    int64_t bounds[4];
    int64_t sums[3];
    double start = shipio_stats_now(&file->stats);

    shipio_plan_part(file, req, error, &part);
    bounds[0] = part.nbytes > 0 ? part.low : INT64_MAX;
    bounds[1] = -part.high;
    bounds[2] = part.error;
    bounds[3] = -part.cost_ns;
    sums[0] = part.nbytes;
    sums[1] = part.pieces;
    sums[2] = part.high - part.low;
    if (PMPI_Allreduce(MPI_IN_PLACE, bounds, 4, MPI_INT64_T, MPI_MIN,
                       file->comm) != MPI_SUCCESS ||
        PMPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM,
                       file->comm) != MPI_SUCCESS)
        bounds[2] = -EIO;
    span.low = bounds[0];
    span.high = -bounds[1];
    span.error = (int)bounds[2];
    span.nbytes = sums[0];
    span.pieces = sums[1];
    span.extents = sums[2];
    span.cost_ns = -bounds[3];
    shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
    return span;
}

static void net_free(struct shipio_net *net)
{
    if (net == NULL)
        return;
    shipio_iothread_destroy(net->thread);
    for (int i = 0; i < 2; i++) {
        free(net->jobs[i].buffer);
        free(net->jobs[i].cover);
        free(net->out[i].requests);
        free(net->out[i].buffers);
    }
    free(net->parts);
    free(net->scratch);
    free(net->send_graph);
    free(net->recv_graph);
    free(net->inbox);
    free(net);
}

static struct shipio_net *net_new(struct shipio_file *file, int64_t stripe)
{
    struct shipio_net *net = calloc(1, sizeof(*net));
    size_t bits = (size_t)stripe / 8 + 64;
    bool good;

    if (net == NULL)
        return NULL;
    net->stripe = stripe;
    net->my_agent = -1;
    for (int a = 0; a < file->ship.nagents; a++)
        if (file->ship.agent_ranks[a] == file->team->rank)
            net->my_agent = a;
    net->parts = malloc((size_t)shipio_parts_room(stripe));
    net->scratch = malloc(bits);
    net->send_graph = calloc((size_t)file->team->size, sizeof(uint64_t));
    net->recv_graph = calloc((size_t)file->team->size, sizeof(uint64_t));
    good = net->parts && net->scratch && net->send_graph && net->recv_graph;
    for (int i = 0; i < 2; i++) {
        struct outbox *out = &net->out[i];

        out->room = file->team->size + file->ship.nagents;
        out->requests = calloc((size_t)out->room, sizeof(MPI_Request));
        out->buffers = calloc((size_t)out->room, sizeof(void *));
        good = good && out->requests && out->buffers;
        if (net->my_agent < 0)
            continue;
        net->jobs[i].buffer = malloc((size_t)stripe);
        net->jobs[i].cover = malloc(bits);
        good = good && net->jobs[i].buffer && net->jobs[i].cover;
    }
    /* The thread counts what it reads and writes. */
    shipio_stats_share(&file->stats);
    net->thread = shipio_iothread_create(1);
    if (!good || net->thread == NULL) {
        net_free(net);
        return NULL;
    }
    return net;
}

static void net_close(struct shipio_file *file)
{
    net_free(file->ship.net);
    file->ship.net = NULL;
}

static bool net_possible(struct shipio_file *file,
                         const struct shipio_span *span)
{
    int64_t stripe = shipio_hints_stripe(&file->hints);

    if ((span->high - span->low) / stripe / file->ship.nagents >= ROUNDS_MAX)
        return false;
    if (file->ship.net != NULL && file->ship.net->stripe != stripe)
        net_close(file);
    if (file->ship.net == NULL)
        file->ship.net = net_new(file, stripe);
    if (shipio_file_agree(file, file->ship.net == NULL ? -ENOMEM : 0) == 0)
        return true;
    net_close(file);
    return false;
}

static void outbox_wait(struct call *call, struct outbox *out)
{
    double start = shipio_stats_now(&call->file->stats);

    for (int i = 0; i < out->count; i++) {
        if (PMPI_Wait(&out->requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS)
            call->error = -EIO;
        free(out->buffers[i]);
    }
    out->count = 0;
    shipio_stats_since(&call->file->stats, SHIPIO_T_EXCHANGE, start);
}

/* Takes buffer over. An allocation that failed becomes an empty message, so
 * that nobody waits in vain. */
static void post(struct call *call, struct outbox *out, void *buffer,
                 int64_t len, int rank, enum tag tag)
{
    if (buffer == NULL && len > 0) {
        call->error = -ENOMEM;
        len = 0;
    }
    out->buffers[out->count] = buffer;
    if (PMPI_Isend(buffer, (int)len, MPI_BYTE, rank, (int)tag, call->file->comm,
                   &out->requests[out->count]) != MPI_SUCCESS) {
        call->error = -EIO;
        out->requests[out->count] = MPI_REQUEST_NULL;
    }
    out->count++;
    shipio_count(&call->file->stats, SHIPIO_N_MESSAGES, 1);
    shipio_count(&call->file->stats, SHIPIO_N_BYTES_SHIPPED, len);
}

/* Receives a message of any length from rank into the inbox; its length. */
static int64_t receive(struct call *call, int rank, enum tag tag)
{
    struct shipio_net *net = call->net;
    MPI_Status status;
    int len = 0;

    if (PMPI_Probe(rank, (int)tag, call->file->comm, &status) != MPI_SUCCESS ||
        PMPI_Get_count(&status, MPI_BYTE, &len) != MPI_SUCCESS) {
        call->error = -EIO;
        return 0;
    }
    if (len > net->inbox_len) {
        void *bigger = realloc(net->inbox, (size_t)len);

        if (bigger == NULL)
            call->error = -ENOMEM;
        else {
            net->inbox = bigger;
            net->inbox_len = len;
        }
    }
    if (PMPI_Recv(net->inbox, len < net->inbox_len ? len : net->inbox_len,
                  MPI_BYTE, rank, (int)tag, call->file->comm,
                  MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        call->error = -EIO;
        return 0;
    }
    return len;
}

static void call_begin(struct call *call, struct shipio_file *file,
                       const struct shipio_request *req,
                       const struct shipio_span *span)
{
    int64_t nagents = file->ship.nagents;

    memset(call, 0, sizeof(*call));
    call->file = file;
    call->net = file->ship.net;
    shipio_walk_init(&call->walk, file, req);
    shipio_plan_init(&call->plan, file, call->net->stripe, span, nagents);
    call->nrounds = call->plan.nstripes / nagents;
}

static int64_t stripe_begin(const struct call *call, int64_t round, int agent)
{
    return shipio_plan_begin(&call->plan,
                             round * call->file->ship.nagents + agent);
}

/* Notes the pieces of this rank in the stripe at begin, and passes them. */
static void note_parts(struct call *call, int64_t begin)
{
    struct shipio_net *net = call->net;
    struct shipio_notes notes = {
        .parts = net->parts, .stripe = net->stripe, .scratch = net->scratch};

    shipio_walk_note(&call->walk, begin, &notes);
}

/* Rounds from round on in which this rank has data for each agent. */
static void plan_graph(struct call *call, int64_t round)
{
    struct shipio_net *net = call->net;
    struct shipio_file *file = call->file;
    struct shipio_walk ahead = call->walk;
    int64_t end = stripe_begin(call, round + GRAPH_ROUNDS, 0);
    int64_t stripe;

    memset(net->send_graph, 0, (size_t)file->team->size * sizeof(uint64_t));
    while ((stripe = shipio_plan_visit(&call->plan, &ahead, end)) >= 0)
        net->send_graph[shipio_plan_agent(&call->plan, stripe)] |=
            UINT64_C(1) << (stripe / file->ship.nagents - round);
}

/* Sparse access, first pass: who talks to whom in the next rounds. */
static void make_graph(struct call *call, int64_t round)
{
    struct shipio_net *net = call->net;
    struct shipio_file *file = call->file;

    if (!file->hints.sparse || round % GRAPH_ROUNDS != 0)
        return;
    plan_graph(call, round);
    if (PMPI_Alltoall(net->send_graph, 1, MPI_UINT64_T, net->recv_graph, 1,
                      MPI_UINT64_T, file->comm) != MPI_SUCCESS)
        call->error = -EIO;
}

static bool talks(const struct call *call, const uint64_t *graph, int rank,
                  int64_t round)
{
    return !call->file->hints.sparse ||
           (graph[rank] >> (round % GRAPH_ROUNDS) & 1) != 0;
}

/* Sends this rank's pieces of a round to the agents. */
static void send_round(struct call *call, int64_t round)
{
    struct shipio_net *net = call->net;
    struct shipio_file *file = call->file;
    struct outbox *out = &net->out[round & 1];
    double start = shipio_stats_now(&file->stats);

    for (int a = 0; a < file->ship.nagents; a++) {
        int64_t head;
        char *message;

        if (!talks(call, net->send_graph, file->ship.agent_ranks[a], round))
            continue;
        note_parts(call, stripe_begin(call, round, a));
        head = shipio_parts_len(net->parts, net->stripe);
        message = malloc((size_t)(head + net->parts->nbytes));
        if (message != NULL)
            memcpy(message, net->parts, (size_t)head);
        shipio_walk_copy(&call->walk, message != NULL ? message + head : NULL,
                         net->parts->nbytes);
        post(call, out, message, head + net->parts->nbytes,
             file->ship.agent_ranks[a], TAG_PIECES);
    }
    shipio_stats_since(&file->stats, SHIPIO_T_EXCHANGE, start);
}

static void run_write(void *argument)
{
    struct job *job = argument;
    int64_t start = 0;
    int64_t len = 0;

    while (job->error == 0 &&
           shipio_cover_next(job->cover, job->stripe, &start, &len)) {
        int64_t n = shipio_raw_write(job->file, job->buffer + start, len,
                                     job->begin + start);

        if (n < 0)
            job->error = (int)n;
        start += len;
    }
}

/* An agent puts the pieces that came for its stripe in their places. */
static void collect_round(struct call *call, int64_t round, struct job *job)
{
    struct shipio_net *net = call->net;
    struct shipio_file *file = call->file;
    double start = shipio_stats_now(&file->stats);

    memset(job->cover, 0, (size_t)net->stripe / 8 + 8);
    for (int r = 0; r < file->team->size; r++) {
        const struct shipio_parts *parts;
        struct shipio_parts_walk walk;
        const char *data;

        if (!talks(call, net->recv_graph, r, round) ||
            receive(call, r, TAG_PIECES) == 0)
            continue;
        parts = net->inbox;
        data = (const char *)net->inbox + shipio_parts_len(parts, net->stripe);
        shipio_parts_cover(parts, net->stripe, job->cover);
        shipio_parts_walk_init(&walk, parts, net->stripe);
        while (shipio_parts_walk_next(&walk)) {
            memcpy(job->buffer + walk.start, data, (size_t)walk.len);
            data += walk.len;
        }
    }
    shipio_stats_since(&file->stats, SHIPIO_T_EXCHANGE, start);
}

static void prepare_job(struct call *call, int64_t round, bool write)
{
    struct shipio_net *net = call->net;
    struct job *job = &net->jobs[round & 1];
    int64_t stripe = round * call->file->ship.nagents + net->my_agent;
    struct shipio_range range = shipio_plan_range(&call->plan, stripe);

    job->file = call->file;
    job->write = write;
    job->stripe = net->stripe;
    job->begin = shipio_plan_begin(&call->plan, stripe);
    job->from = range.start;
    job->to = range.start + range.len;
    job->valid = 0;
    job->prefetch = call->prefetch;
}

static int finish(struct call *call)
{
    struct shipio_net *net = call->net;
    int error;

    shipio_iothread_wait(net->thread);
    outbox_wait(call, &net->out[0]);
    outbox_wait(call, &net->out[1]);
    error = net->jobs[0].error != 0 ? net->jobs[0].error : net->jobs[1].error;
    net->jobs[0].error = 0;
    net->jobs[1].error = 0;
    if (error == 0)
        error = call->error;
    if (error == 0)
        error = shipio_late_take(call->file);
    return shipio_file_agree(call->file, error);
}

static int net_write(struct shipio_file *file, const struct shipio_request *req,
                     const struct shipio_span *span)
{
    struct call call;
    struct shipio_net *net = file->ship.net;

    call_begin(&call, file, req, span);
    for (int64_t round = 0; round < call.nrounds; round++) {
        struct job *job = &net->jobs[round & 1];

        make_graph(&call, round);
        send_round(&call, round);
        if (net->my_agent >= 0) {
            prepare_job(&call, round, true);
            collect_round(&call, round, job);
            shipio_iothread_start(net->thread, run_write, job);
            if (!file->hints.double_buffer)
                shipio_iothread_wait(net->thread);
        }
        outbox_wait(&call, &net->out[~round & 1]);
    }
    return finish(&call);
}

static void run_read(void *argument)
{
    struct job *job = argument;
    char *to = job->buffer + (job->from - job->begin);
    int64_t len = job->to - job->from;
    int64_t n;

    if (job->error != 0 || len <= 0)
        return;
    n = job->prefetch ? shipio_prefetch_read(job->file, to, job->from, len)
                      : shipio_raw_read(job->file, to, len, job->from);
    if (n < 0)
        job->error = (int)n;
    else if (n > 0)
        job->valid = job->from - job->begin + n;
}

/* Bytes of the pieces that lie before valid. */
static int64_t pieces_within(const struct shipio_parts *parts, int64_t stripe,
                             int64_t valid)
{
    struct shipio_parts_walk walk;
    int64_t sum = 0;

    shipio_parts_walk_init(&walk, parts, stripe);
    while (shipio_parts_walk_next(&walk) && walk.start < valid)
        sum += walk.start + walk.len <= valid ? walk.len : valid - walk.start;
    return sum;
}

static void reply(struct call *call, const struct job *job, int rank,
                  struct outbox *out)
{
    const struct shipio_parts *parts = call->net->inbox;
    int64_t len = pieces_within(parts, job->stripe, job->valid);
    char *message = malloc((size_t)len + 1);
    struct shipio_parts_walk walk;
    int64_t done = 0;

    shipio_parts_walk_init(&walk, parts, job->stripe);
    while (message != NULL && done < len && shipio_parts_walk_next(&walk)) {
        int64_t n = walk.len < len - done ? walk.len : len - done;

        memcpy(message + done, job->buffer + walk.start, (size_t)n);
        done += n;
    }
    post(call, out, message, len, rank, TAG_REPLY);
}

static bool wanted(const struct call *call, int64_t round)
{
    const struct shipio_net *net = call->net;

    for (int r = 0; r < call->file->team->size; r++)
        if (talks(call, net->recv_graph, r, round))
            return true;
    return false;
}

/* An agent answers the requests of a round; meanwhile the next stripe comes. */
static void serve_round(struct call *call, int64_t round)
{
    struct shipio_net *net = call->net;
    struct shipio_file *file = call->file;
    struct job *job = &net->jobs[round & 1];
    bool graph_ends = file->hints.sparse && (round + 1) % GRAPH_ROUNDS == 0;

    if (!call->file->hints.double_buffer || round == 0 ||
        (file->hints.sparse && round % GRAPH_ROUNDS == 0)) {
        prepare_job(call, round, false);
        if (wanted(call, round))
            shipio_iothread_start(net->thread, run_read, job);
    }
    shipio_iothread_wait(net->thread);
    if (file->hints.double_buffer && round + 1 < call->nrounds && !graph_ends) {
        prepare_job(call, round + 1, false);
        if (wanted(call, round + 1))
            shipio_iothread_start(net->thread, run_read,
                                  &net->jobs[~round & 1]);
    }
    for (int r = 0; r < file->team->size; r++) {
        if (!talks(call, net->recv_graph, r, round))
            continue;
        if (receive(call, r, TAG_PIECES) == 0)
            post(call, &net->out[round & 1], NULL, 0, r, TAG_REPLY);
        else
            reply(call, job, r, &net->out[round & 1]);
    }
}

/* Sends the lists of pieces that this rank wants; the bytes asked of each
 * agent go to asked. */
static void ask_round(struct call *call, int64_t round, int64_t *asked)
{
    struct shipio_net *net = call->net;
    struct shipio_file *file = call->file;

    for (int a = 0; a < file->ship.nagents; a++) {
        int64_t len;
        void *message;

        asked[a] = -1;
        if (!talks(call, net->send_graph, file->ship.agent_ranks[a], round))
            continue;
        note_parts(call, stripe_begin(call, round, a));
        asked[a] = net->parts->nbytes;
        len = shipio_parts_len(net->parts, net->stripe);
        message = malloc((size_t)len);
        if (message != NULL)
            memcpy(message, net->parts, (size_t)len);
        else
            asked[a] = 0;
        post(call, &net->out[round & 1], message, len,
             file->ship.agent_ranks[a], TAG_PIECES);
    }
}

/* Takes the answers; false when the file ended before all was read. */
static bool take_round(struct call *call, const int64_t *asked, int64_t *done_p)
{
    struct shipio_file *file = call->file;
    bool whole = true;

    for (int a = 0; a < file->ship.nagents; a++) {
        int64_t len;

        if (asked[a] < 0)
            continue;
        len = receive(call, file->ship.agent_ranks[a], TAG_REPLY);
        if (whole) {
            shipio_walk_copy(&call->walk, call->net->inbox, len);
            *done_p += len;
        }
        if (len < asked[a])
            whole = false;
    }
    return whole;
}

static int net_read(struct shipio_file *file, const struct shipio_request *req,
                    const struct shipio_span *span, int64_t *done_p)
{
    struct call call;
    struct shipio_net *net = file->ship.net;
    int64_t *asked = calloc((size_t)file->ship.nagents, sizeof(*asked));
    int rc = shipio_file_agree(file, asked == NULL ? -ENOMEM : 0);

    *done_p = 0;
    if (rc != 0 || asked == NULL) {
        free(asked);
        return rc;
    }
    call_begin(&call, file, req, span);
    /* A graph is still to say which stripes are wanted. */
    call.prefetch = net->my_agent >= 0 && !file->hints.sparse &&
                    shipio_plan_prefetch(&call.plan, NULL);
    for (int64_t round = 0; round < call.nrounds; round++) {
        make_graph(&call, round);
        ask_round(&call, round, asked);
        if (net->my_agent >= 0)
            serve_round(&call, round);
        if (!take_round(&call, asked, done_p))
            call.walk.left = 0;
        outbox_wait(&call, &net->out[round & 1]);
    }
    free(asked);
    shipio_iothread_wait(net->thread);
    if (call.prefetch)
        shipio_prefetch_end(file);
    rc = finish(&call);
    if (rc != 0)
        *done_p = 0;
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
