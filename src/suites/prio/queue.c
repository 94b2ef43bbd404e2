/* suites/prio/queue.c - the timed loop with several requests under way. */
#include "suites/prio/loop.h"

#include "core/clock.h"
#include "par/watchdog.h"

#include <errno.h>
#include <stdlib.h>

/* A request under way. */
struct slot {
    struct pario_request io; /* first: the back-end gives it back */
    const struct prio_request *request;
    int64_t begun_ns;
};

struct prio_queue {
    struct prio_loop *loop;
    const struct pario_backend *backend;
    struct pario_file *file;
    unsigned depth, nfree;
    struct slot *slot;
    unsigned *free_slots; /* the first nfree are free */
    /* Where in the requests the loop is. */
    const struct prio_request *next, *end;
    char *buffer;
};

static void fail(struct prio_loop *loop, int code,
                 const struct prio_request *request)
{
    if (loop->code != 0)
        return;
    loop->code = code;
    loop->failed_at = loop->base + request->at;
    loop->failed_write = (int)request->write;
}

static void complete(struct prio_queue *queue, struct pario_request *io,
                     int64_t now_ns)
{
    struct slot *slot = (struct slot *)(void *)io;

    if (io->result == 0)
        prio_loop_account(queue->loop, slot->request, slot->begun_ns, now_ns);
    else
        fail(queue->loop, io->result, slot->request);
    queue->free_slots[queue->nfree++] = (unsigned)(slot - queue->slot);
}

static void begin_pass(struct prio_queue *queue)
{
    queue->next = queue->loop->request;
    queue->buffer = queue->loop->buffer;
}

/* Is all of a pass done before the next begins? */
static int drains(const struct prio_loop *loop)
{
    return loop->sync_passes || loop->stamps;
}

/* All of a pass is done: what the next one overwrites must be durable first,
 * within the time. Returns the clock. */
static int64_t end_pass(struct prio_queue *queue)
{
    struct prio_loop *loop = queue->loop;
    int code = loop->sync_passes ? queue->backend->sync_mine(queue->file) : 0;

    if (code != 0 && loop->code == 0) {
        loop->code = code;
        loop->failed_sync = 1;
    }
    begin_pass(queue);
    return prio_loop_next_pass(loop);
}

/* Each request is handed in by itself: several at once reach the device in
 * bunches, which cost 10 to 20 % of the speed of random reads. */
static void fill_slots(struct prio_queue *queue)
{
    struct prio_loop *loop = queue->loop;

    while (queue->nfree > 0 && queue->next != queue->end) {
        const struct prio_request *request = queue->next;
        unsigned i = queue->free_slots[--queue->nfree];
        struct slot *slot = &queue->slot[i];
        int code;

        slot->request = request;
        slot->begun_ns = pario_clock_ns();
        pario_position_at(loop->base + request->at);
        code = queue->backend->start(
            queue->file, request->write ? PARIO_WRITE : PARIO_READ,
            loop->reuse ? loop->buffer + (size_t)i * loop->longest
                        : queue->buffer,
            request->len, loop->base + request->at, &slot->io);
        if (code != 0) {
            queue->free_slots[queue->nfree++] = i;
            fail(loop, code, request);
            return;
        }
        queue->buffer += request->len;
        queue->next++;
        if (queue->next == queue->end && loop->stop_ns != INT64_MAX &&
            !drains(loop))
            begin_pass(queue);
    }
}

/* Waits for at least one completion and takes all there are. Returns the
 * clock; *code_p: the queue itself failed. */
static int64_t take_completions(struct prio_queue *queue, int *code_p)
{
    struct pario_request *io = NULL;
    int64_t now_ns;

    *code_p = queue->backend->next(queue->file, 1, &io);
    now_ns = pario_clock_ns();
    while (*code_p == 0 && io != NULL) {
        complete(queue, io, now_ns);
        *code_p = queue->backend->next(queue->file, 0, &io);
    }
    return now_ns;
}

void prio_loop_queued(struct prio_loop *loop, struct prio_queue *queue)
{
    int64_t now_ns = pario_clock_ns();
    int code;

    queue->loop = loop;
    queue->end = loop->request + loop->count;
    begin_pass(queue);
    for (;;) {
        if (drains(loop) && queue->next == queue->end &&
            queue->nfree == queue->depth && loop->code == 0 &&
            now_ns < loop->stop_ns)
            now_ns = end_pass(queue);
        if (loop->code == 0 && now_ns < loop->stop_ns)
            fill_slots(queue);
        if (queue->nfree == queue->depth)
            return;
        now_ns = take_completions(queue, &code);
        if (code != 0) {
            fail(loop, code, loop->request);
            return;
        }
        if (loop->think.think_ns > 0)
            now_ns = prio_think_after(&loop->think, now_ns);
    }
}

int prio_queue_create(const struct pario_backend *backend,
                      struct pario_file *file, unsigned depth,
                      struct prio_queue **queue_p)
{
    struct prio_queue *queue = calloc(1, sizeof(*queue));

    if (queue == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a queue");
    queue->backend = backend;
    queue->file = file;
    queue->depth = queue->nfree = depth;
    queue->slot = calloc(depth, sizeof(*queue->slot));
    queue->free_slots = calloc(depth, sizeof(*queue->free_slots));
    if (queue->slot == NULL || queue->free_slots == NULL) {
        prio_queue_destroy(queue);
        return pario_fail_errno(-ENOMEM, "cannot make a queue");
    }
    for (unsigned i = 0; i < depth; i++)
        queue->free_slots[i] = i;
    *queue_p = queue;
    return 0;
}

void prio_queue_destroy(struct prio_queue *queue)
{
    if (queue == NULL)
        return;
    free(queue->slot);
    free(queue->free_slots);
    free(queue);
}
