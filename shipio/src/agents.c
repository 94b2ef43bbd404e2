/* agents.c - requests to agents and the threads that serve them. */
#include "agents.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "iothread.h"
#include "mapped.h"
#include "parts.h"
#include "rawio.h"
#include "walk.h"

/* An idle agent gives way this often before it begins to sleep. */
#define IDLE_YIELDS 200
#define IDLE_SLEEP_NS 50000

/* Pieces are read together when they are at least this part of the whole. */
#define SPREAD_MAX 4

enum tag { TAG_REQUEST = 1, TAG_REPLY = 2 };
enum operation { OP_READ, OP_WRITE };

/* A request: this, the parts, and the data when writing. */
struct request {
    int64_t operation;
    int64_t begin; /* of the stripe in the file */
    int64_t parts_len;
    struct shipio_parts parts; /* more of it behind, parts_len in all */
};

#define REQUEST_HEAD ((int64_t)offsetof(struct request, parts))

/* A reply: this, and the data when reading. */
struct reply {
    int64_t error;
    int64_t nbytes;
};

struct shipio_agents {
    MPI_Comm comm;
    int64_t stripe;
    pthread_t thread;
    _Atomic bool ending;   /* the thread is to end */
    bool serving;          /* this rank is an agent: it needs the thread */
    bool started;          /* it runs */
    uint64_t *scratch;     /* of the task */
    struct request *out;   /* the task's request being made, ... */
    char *in;              /* ... and the reply to it */
    struct request *inbox; /* of the thread */
    char *outbox;
    struct shipio_map map; /* the thread's own: tasks wait with theirs locked */
};

static int64_t request_room(int64_t stripe)
{
    return REQUEST_HEAD + shipio_parts_room(stripe) + stripe;
}

static void idle(int *rounds_p)
{
    struct timespec pause = {.tv_nsec = IDLE_SLEEP_NS};

    if ((*rounds_p)++ < IDLE_YIELDS)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}

/* Waits for a request without keeping a processor busy. */
static int await_request(struct shipio_agents *agents, MPI_Status *status)
{
    MPI_Message message;
    int found = 0;
    int rounds = 0;
    int len = 0;

    for (;;) {
        if (PMPI_Improbe(MPI_ANY_SOURCE, TAG_REQUEST, agents->comm, &found,
                         &message, status) != MPI_SUCCESS)
            return -EIO;
        if (found)
            break;
        if (atomic_load(&agents->ending))
            return -ECANCELED;
        idle(&rounds);
    }
    PMPI_Get_count(status, MPI_BYTE, &len);
    if (PMPI_Mrecv(agents->inbox, len, MPI_BYTE, &message, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS)
        return -EIO;
    return 0;
}

/* From the first piece of a stripe to the last one. */
static struct shipio_extent extent_of(const struct shipio_parts *parts,
                                      int64_t stripe)
{
    struct shipio_extent extent = {.low = INT64_MAX, .high = 0};
    struct shipio_parts_walk walk;

    shipio_parts_walk_init(&walk, parts, stripe);
    while (shipio_parts_walk_next(&walk)) {
        extent.low = walk.start < extent.low ? walk.start : extent.low;
        extent.high = walk.start + walk.len;
    }
    return extent;
}

/* Reads all pieces by one request, with what lies between them; false when
 * that is too much, or there is no memory for it. */
static bool read_at_once(struct shipio_file *file,
                         const struct request *request, char *data,
                         struct reply *reply)
{
    int64_t stripe = file->ship.agents->stripe;
    struct shipio_extent extent = extent_of(&request->parts, stripe);
    int64_t len = extent.high - extent.low;
    struct shipio_parts_walk walk;
    char *image;
    int64_t n;

    if (request->parts.nbytes == 0 || len > SPREAD_MAX * request->parts.nbytes)
        return false;
    image = malloc((size_t)len);
    if (image == NULL)
        return false;
    n = shipio_raw_read(file, image, len, request->begin + extent.low);
    reply->error = n < 0 ? n : 0;
    shipio_parts_walk_init(&walk, &request->parts, stripe);
    while (shipio_parts_walk_next(&walk) && walk.start - extent.low < n) {
        int64_t there = extent.low + n - walk.start;

        there = there < walk.len ? there : walk.len;
        memcpy(data, image + (walk.start - extent.low), (size_t)there);
        data += there;
        reply->nbytes += there;
    }
    free(image);
    return true;
}

struct patch {
    const struct request *request;
    const char *data; /* the pieces, packed */
    int64_t low;      /* of the image in the stripe */
    int64_t stripe;
};

static int64_t lay_over(void *argument, char *image)
{
    const struct patch *patch = argument;
    struct shipio_parts_walk walk;
    const char *data = patch->data;
    int64_t end = 0;

    shipio_parts_walk_init(&walk, &patch->request->parts, patch->stripe);
    while (shipio_parts_walk_next(&walk)) {
        memcpy(image + (walk.start - patch->low), data, (size_t)walk.len);
        data += walk.len;
        end = walk.start - patch->low + walk.len;
    }
    return end;
}

/* Writes all pieces by one request, where what lies between them may be read
 * and written back; false: nothing done. */
static bool write_at_once(struct shipio_file *file,
                          const struct request *request, const char *data,
                          struct reply *reply)
{
    int64_t stripe = file->ship.agents->stripe;
    struct shipio_extent extent = extent_of(&request->parts, stripe);
    struct patch patch = {
        .request = request, .data = data, .low = extent.low, .stripe = stripe};
    struct shipio_update update = {.offset = request->begin + extent.low,
                                   .len = extent.high - extent.low,
                                   .change = lay_over,
                                   .argument = &patch};
    int rc = -ENOLCK;

    if (request->parts.nbytes == 0 || update.len == request->parts.nbytes ||
        update.len > SPREAD_MAX * request->parts.nbytes ||
        !shipio_raw_may_update(file))
        return false;
    update.image = malloc((size_t)update.len);
    if (update.image != NULL)
        rc = shipio_raw_update(file, &update);
    free(update.image);
    reply->error = rc;
    reply->nbytes = rc == 0 ? request->parts.nbytes : 0;
    return rc != -ENOLCK;
}

/* Stores pieces with gaps between them to a mapping; false: system calls must
 * do it. */
static bool store_at_once(struct shipio_file *file, struct shipio_map *map,
                          const struct request *request, const char *data,
                          struct reply *reply)
{
    struct shipio_packed packed = {.begin = request->begin,
                                   .stripe = file->ship.agents->stripe,
                                   .parts = &request->parts,
                                   .data = data};

    if (!shipio_mapped_parts(file, map, &packed))
        return false;
    shipio_count(&file->stats, SHIPIO_N_FILE_BYTES, request->parts.nbytes - 1);
    reply->nbytes = request->parts.nbytes;
    return true;
}

/* Writes or reads the pieces of a request, packed one behind the other. */
static struct reply serve(struct shipio_file *file, struct shipio_map *map,
                          const struct request *request, char *data)
{
    struct shipio_parts_walk walk;
    struct reply reply = {.error = 0};
    int64_t stripe = file->ship.agents->stripe;

    if (request->operation == OP_READ
            ? read_at_once(file, request, data, &reply)
            : write_at_once(file, request, data, &reply) ||
                  store_at_once(file, map, request, data, &reply))
        return reply;
    reply = (struct reply){.error = 0};
    shipio_parts_walk_init(&walk, &request->parts, stripe);
    while (shipio_parts_walk_next(&walk)) {
        int64_t at = request->begin + walk.start;
        int64_t n = request->operation == OP_WRITE
                        ? shipio_raw_write(file, data, walk.len, at)
                        : shipio_raw_read(file, data, walk.len, at);

        if (n < 0) {
            reply.error = n;
            break;
        }
        data += n;
        reply.nbytes += n;
        if (n < walk.len)
            break;
    }
    return reply;
}

static void *agent_main(void *argument)
{
    struct shipio_file *file = argument;
    struct shipio_agents *agents = file->ship.agents;
    MPI_Status status;

    shipio_map_admit_signal();
    while (await_request(agents, &status) == 0) {
        const struct request *request = agents->inbox;
        bool write = request->operation == OP_WRITE;
        char *data = (char *)agents->inbox + REQUEST_HEAD + request->parts_len;
        struct reply reply;
        int64_t len = (int64_t)sizeof(reply);

        reply = serve(file, &agents->map, request,
                      write ? data : agents->outbox + sizeof(reply));
        memcpy(agents->outbox, &reply, sizeof(reply));
        if (!write && reply.error == 0)
            len += reply.nbytes;
        PMPI_Send(agents->outbox, (int)len, MPI_BYTE, status.MPI_SOURCE,
                  TAG_REPLY, agents->comm);
        shipio_count(&file->stats, SHIPIO_N_MESSAGES, 1);
    }
    return NULL;
}

static void agents_free(struct shipio_agents *agents)
{
    if (agents == NULL)
        return;
    if (agents->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&agents->comm);
    shipio_map_close(&agents->map);
    free(agents->scratch);
    free(agents->out);
    free(agents->in);
    free(agents->inbox);
    free(agents->outbox);
    free(agents);
}

static struct shipio_agents *agents_new(const struct shipio_file *file)
{
    struct shipio_agents *a = calloc(1, sizeof(*a));
    size_t room;

    if (a == NULL)
        return NULL;
    a->comm = MPI_COMM_NULL;
    a->stripe = shipio_hints_stripe(&file->hints);
    for (int i = 0; i < file->ship.nagents; i++)
        a->serving =
            a->serving || file->ship.agent_ranks[i] == file->team->rank;
    room = (size_t)request_room(a->stripe);
    a->scratch = malloc((size_t)a->stripe / 8 + 64);
    a->out = malloc(room);
    a->in = malloc(room);
    a->inbox = malloc(room);
    a->outbox = malloc(room);
    if (!a->scratch || !a->out || !a->in || !a->inbox || !a->outbox) {
        agents_free(a);
        return NULL;
    }
    return a;
}

static int start_thread(struct shipio_file *file)
{
    int rc;

    if (!file->ship.agents->serving)
        return 0;
    rc = shipio_thread_create(&file->ship.agents->thread, agent_main, file);
    file->ship.agents->started = rc == 0;
    return rc;
}

static void stop_thread(struct shipio_agents *agents)
{
    if (!agents->started)
        return;
    atomic_store(&agents->ending, true);
    pthread_join(agents->thread, NULL);
    agents->started = false;
}

void shipio_agents_await(struct shipio_file *file, MPI_Request *request_p)
{
    *request_p = MPI_REQUEST_NULL;
    if (file->ship.agents != NULL)
        (void)PMPI_Ibarrier(file->ship.agents->comm, request_p);
}

void shipio_agents_end(struct shipio_file *file)
{
    if (file->ship.agents != NULL)
        stop_thread(file->ship.agents);
}

void shipio_agents_open(struct shipio_file *file)
{
    int level = MPI_THREAD_SINGLE;
    int rc = 0;

    if (!shipio_hints_noncollective(&file->hints) || file->team->size == 1 ||
        file->ship.agents != NULL || file->ship.agents_missing != NULL)
        return;
    PMPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        rc = -EPERM;
    if (shipio_file_agree(file, rc) != 0) {
        file->ship.agents_missing = "collective only: no MPI_THREAD_MULTIPLE";
        return;
    }
    file->ship.agents = agents_new(file);
    rc = shipio_file_agree(file, file->ship.agents == NULL ? -ENOMEM : 0);
    if (rc == 0 &&
        PMPI_Comm_dup(file->comm, &file->ship.agents->comm) != MPI_SUCCESS)
        rc = -EIO;
    if (rc == 0)
        rc = start_thread(file);
    if (shipio_file_agree(file, rc) == 0)
        return;
    file->ship.agents_missing = "collective only: threads could not be started";
    if (file->ship.agents != NULL)
        stop_thread(file->ship.agents);
    agents_free(file->ship.agents);
    file->ship.agents = NULL;
}

void shipio_agents_close(struct shipio_file *file)
{
    if (file->ship.agents == NULL)
        return;
    shipio_file_barrier(file);
    stop_thread(file->ship.agents);
    shipio_file_barrier(file);
    agents_free(file->ship.agents);
    file->ship.agents = NULL;
    file->ship.agents_missing = "threads";
}

/* One access as a series of requests, stripe by stripe. */
struct series {
    struct shipio_file *file;
    struct shipio_walk walk;
};

/* Sends the request that has been made and waits for the reply. */
static int64_t ask(struct series *s, int agent)
{
    struct shipio_agents *agents = s->file->ship.agents;
    struct request *out = agents->out;
    int64_t nbytes = out->parts.nbytes;
    int64_t len = REQUEST_HEAD + out->parts_len;
    struct reply reply;
    double start = shipio_stats_now(&s->file->stats);

    if (s->walk.req->write) {
        shipio_walk_copy(&s->walk, (char *)out + len, nbytes);
        len += nbytes;
    }
    if (PMPI_Send(out, (int)len, MPI_BYTE, agent, TAG_REQUEST, agents->comm) !=
            MPI_SUCCESS ||
        PMPI_Recv(agents->in, (int)request_room(agents->stripe), MPI_BYTE,
                  agent, TAG_REPLY, agents->comm,
                  MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return -EIO;
    memcpy(&reply, agents->in, sizeof(reply));
    if (reply.error == 0 && !s->walk.req->write)
        shipio_walk_copy(&s->walk, agents->in + sizeof(reply), reply.nbytes);
    shipio_count(&s->file->stats, SHIPIO_N_MESSAGES, 1);
    shipio_count(&s->file->stats, SHIPIO_N_BYTES_SHIPPED, nbytes);
    shipio_stats_since(&s->file->stats, SHIPIO_T_EXCHANGE, start);
    return reply.error != 0 ? reply.error : reply.nbytes;
}

/* The agent is this task itself: no message. */
static int64_t ask_self(struct series *s)
{
    struct shipio_agents *agents = s->file->ship.agents;
    char *data = agents->in;
    struct reply reply;

    if (s->walk.req->write)
        shipio_walk_copy(&s->walk, data, agents->out->parts.nbytes);
    reply = serve(s->file, &s->file->alone.map, agents->out, data);
    if (reply.error == 0 && !s->walk.req->write)
        shipio_walk_copy(&s->walk, data, reply.nbytes);
    return reply.error != 0 ? reply.error : reply.nbytes;
}

static int run_series(struct series *s, int64_t *done_p)
{
    struct shipio_file *file = s->file;
    struct shipio_agents *agents = file->ship.agents;
    struct shipio_notes notes = {.parts = &agents->out->parts,
                                 .stripe = agents->stripe,
                                 .scratch = agents->scratch};

    while (shipio_walk_piece(&s->walk, INT64_MAX) > 0) {
        struct request *out = agents->out;
        int64_t stripe = s->walk.where.off / agents->stripe;
        int64_t n;
        int agent;

        agent = file->ship.agent_ranks[stripe % file->ship.nagents];
        out->operation = s->walk.req->write ? OP_WRITE : OP_READ;
        out->begin = stripe * agents->stripe;
        shipio_walk_note(&s->walk, out->begin, &notes);
        out->parts_len = shipio_parts_len(&out->parts, agents->stripe);
        n = agent == file->team->rank ? ask_self(s) : ask(s, agent);
        if (n < 0)
            return (int)n;
        *done_p += n;
        if (n < out->parts.nbytes)
            return 0;
    }
    return 0;
}

int shipio_agents_access(struct shipio_file *file,
                         const struct shipio_request *req, int64_t *done_p)
{
    struct series s = {.file = file};
    int rc;

    if (req->nbytes == 0)
        return 0;
    /* Requests list their pieces in file order. */
    if (!shipio_tiling_ordered(&file->view->tiling, req->pos, req->nbytes))
        return shipio_direct(file, req, done_p);
    shipio_walk_init(&s.walk, file, req);
    pthread_mutex_lock(&file->alone.lock);
    shipio_count(&file->stats, SHIPIO_N_MODE_AGENT, 1);
    rc = run_series(&s, done_p);
    pthread_mutex_unlock(&file->alone.lock);
    return rc;
}
