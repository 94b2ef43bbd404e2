/* suites/prio/queue.c - the timed loop over io_uring. */
#include "core/cleanup.h"
#include "pario_config.h"
#include "suites/prio/loop.h"

#include "core/clock.h"
#include "par/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if PARIO_HAVE_URING
#include <liburing.h>

enum { SPIN_NS = 10000 };

/* A request under way. */
struct slot {
    const struct prio_request *request;
    char *buffer;
    uint32_t moved; /* so far: a short transfer goes on */
    int64_t begun_ns;
};

struct prio_queue {
    int fd;
    int known; /* to the kernel as file 0 of the ring: no look-up a request */
    char *path;
    struct io_uring ring;
    unsigned depth, nfree;
    struct slot *slot;
    unsigned *free_slots; /* the first nfree are free */
};

/* Completions are only looked for by the waiting process itself; an older
 * kernel does without. */
enum { MODERN = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN };

static int set_up_ring(unsigned depth, struct io_uring *ring)
{
    if (io_uring_queue_init(depth, ring, MODERN) == 0)
        return 0;
    return io_uring_queue_init(depth, ring, 0);
}

static void free_queue(struct prio_queue *queue)
{
    free(queue->path);
    free(queue->slot);
    free(queue->free_slots);
    free(queue);
}

int prio_queue_open(const char *path, int flags, unsigned depth,
                    struct prio_queue **queue_p)
{
    struct prio_queue *queue = calloc(1, sizeof(*queue));
    int code = -ENOMEM;

    if (queue == NULL)
        return pario_fail_errno(-ENOMEM, "cannot open %s", path);
    queue->path = strdup(path);
    queue->slot = calloc(depth, sizeof(*queue->slot));
    queue->free_slots = calloc(depth, sizeof(*queue->free_slots));
    queue->depth = queue->nfree = depth;
    if (queue->path == NULL || queue->slot == NULL ||
        queue->free_slots == NULL) {
        code = pario_fail_errno(-ENOMEM, "cannot open %s", path);
        goto err_free;
    }
    for (unsigned i = 0; i < depth; i++)
        queue->free_slots[i] = i;
    queue->fd = pario_own_open(path, flags | O_CLOEXEC, 0644);
    if (queue->fd < 0) {
        code = pario_fail_errno(-errno, "cannot open %s", path);
        goto err_free;
    }
    code = set_up_ring(depth, &queue->ring);
    if (code != 0) {
        code = pario_fail_errno(code, "cannot set up io_uring (is it allowed "
                                      "on this system?)");
        close(queue->fd);
        goto err_free;
    }
    /* Where letting go of it again takes no time. */
    queue->known = (queue->ring.flags & MODERN) != 0 &&
                   io_uring_register_files(&queue->ring, &queue->fd, 1) == 0;
    *queue_p = queue;
    return 0;
err_free:
    free_queue(queue);
    return code;
}

int prio_queue_sync(struct prio_queue *queue)
{
    if (fsync(queue->fd) != 0)
        return pario_fail_errno(
            -errno, "cannot sync %s (the data may not be on the disk)",
            queue->path);
    return 0;
}

int prio_queue_close(struct prio_queue *queue)
{
    int code = 0;

    /* The ring ends some time later; the file must not wait for it. */
    if (queue->known)
        (void)io_uring_unregister_files(&queue->ring);
    io_uring_queue_exit(&queue->ring);
    if (close(queue->fd) != 0)
        code = pario_fail_errno(-errno, "cannot close %s", queue->path);
    free_queue(queue);
    return code;
}

/* The ring has as many entries as there are slots: there is always one. */
static void prepare(struct prio_queue *queue, unsigned i, int64_t base)
{
    struct slot *slot = &queue->slot[i];
    struct io_uring_sqe *sqe = io_uring_get_sqe(&queue->ring);
    uint64_t offset = (uint64_t)(base + slot->request->at) + slot->moved;
    unsigned left = slot->request->len - slot->moved;
    int fd = queue->known ? 0 : queue->fd;

    if (slot->request->write)
        io_uring_prep_write(sqe, fd, slot->buffer + slot->moved, left, offset);
    else
        io_uring_prep_read(sqe, fd, slot->buffer + slot->moved, left, offset);
    if (queue->known)
        sqe->flags |= IOSQE_FIXED_FILE;
    sqe->user_data = i;
}

static void fail(struct prio_loop *loop, int code,
                 const struct prio_request *request)
{
    if (loop->code != 0)
        return;
    loop->code = code;
    loop->failed_at = loop->base + request->at;
    loop->failed_write = (int)request->write;
}

/* Done, failed, or the rest goes in again. */
static void complete(struct prio_loop *loop, struct prio_queue *queue,
                     const struct io_uring_cqe *cqe, int64_t now_ns)
{
    unsigned i = (unsigned)cqe->user_data;
    struct slot *slot = &queue->slot[i];

    if (cqe->res == -EINTR || cqe->res == -EAGAIN) {
        prepare(queue, i, loop->base);
        return;
    }
    if (cqe->res > 0) {
        slot->moved += (uint32_t)cqe->res;
        if (slot->moved < slot->request->len) {
            prepare(queue, i, loop->base);
            return;
        }
        prio_loop_account(loop, slot->request, slot->begun_ns, now_ns);
    } else {
        fail(loop,
             cqe->res < 0           ? cqe->res
             : slot->request->write ? -EIO
                                    : PARIO_ESHORT,
             slot->request);
    }
    queue->free_slots[queue->nfree++] = i;
}

/* Where in the requests the loop is. */
struct cursor {
    const struct prio_request *next, *end;
    char *buffer;
};

static void begin_pass(const struct prio_loop *loop, struct cursor *cursor)
{
    cursor->next = loop->request;
    cursor->buffer = loop->buffer;
}

/* All of a pass is done: what the next one overwrites must be durable first,
 * within the time. Returns the clock. */
static int64_t end_pass(struct prio_loop *loop, struct prio_queue *queue,
                        struct cursor *cursor)
{
    int code = prio_queue_sync(queue);

    if (code != 0 && loop->code == 0) {
        loop->code = code;
        loop->failed_sync = 1;
    }
    begin_pass(loop, cursor);
    return pario_clock_ns();
}

static int is_passing(int code)
{
    return code >= 0 || code == -EINTR || code == -EAGAIN || code == -EBUSY;
}

/* Each request is handed in by itself: several at once reach the device in
 * bunches, which cost 10 to 20 % of the speed of random reads. */
static void fill_slots(struct prio_loop *loop, struct prio_queue *queue,
                       struct cursor *cursor)
{
    while (queue->nfree > 0 && cursor->next != cursor->end) {
        unsigned i = queue->free_slots[--queue->nfree];
        int code;

        queue->slot[i] = (struct slot){
            .request = cursor->next,
            .buffer = loop->reuse ? loop->buffer + (size_t)i * loop->longest
                                  : cursor->buffer,
            .begun_ns = pario_clock_ns(),
        };
        pario_position_at(loop->base + cursor->next->at);
        prepare(queue, i, loop->base);
        code = io_uring_submit_and_get_events(&queue->ring);
        if (!is_passing(code)) {
            fail(loop, code, cursor->next);
            return;
        }
        cursor->buffer += cursor->next->len;
        cursor->next++;
        if (cursor->next == cursor->end && loop->stop_ns != INT64_MAX &&
            !loop->sync_passes)
            begin_pass(loop, cursor);
    }
}

/* Waits for at least one completion. One that is near is looked for before
 * the process goes to sleep: waking up takes longer than a request in
 * memory. */
static int await_completion(struct io_uring *ring)
{
    int64_t until = pario_clock_ns() + SPIN_NS;
    int code = 0;

    while (is_passing(code) && io_uring_cq_ready(ring) == 0) {
        if (pario_clock_ns() > until)
            return io_uring_submit_and_wait(ring, 1);
        code = io_uring_submit_and_get_events(ring);
    }
    return code;
}

void prio_loop_queued(struct prio_loop *loop, struct prio_queue *queue)
{
    struct cursor cursor = {loop->request, loop->request + loop->count,
                            loop->buffer};
    int64_t now_ns = pario_clock_ns();

    for (;;) {
        struct io_uring_cqe *cqe;
        unsigned head, seen = 0;
        int code;

        if (loop->sync_passes && cursor.next == cursor.end &&
            queue->nfree == queue->depth && loop->code == 0 &&
            now_ns < loop->stop_ns)
            now_ns = end_pass(loop, queue, &cursor);
        if (loop->code == 0 && now_ns < loop->stop_ns)
            fill_slots(loop, queue, &cursor);
        if (queue->nfree == queue->depth)
            return;
        code = await_completion(&queue->ring);
        if (!is_passing(code)) {
            fail(loop, code, loop->request);
            return;
        }
        now_ns = pario_clock_ns();
        io_uring_for_each_cqe(&queue->ring, head, cqe)
        {
            complete(loop, queue, cqe, now_ns);
            seen++;
        }
        io_uring_cq_advance(&queue->ring, seen);
        if (loop->think_ns > 0 && seen > 0)
            now_ns = prio_loop_think(loop, now_ns);
    }
}

#else

int prio_queue_open(const char *path, int flags, unsigned depth,
                    struct prio_queue **queue_p)
{
    (void)flags;
    (void)depth;
    (void)queue_p;
    return pario_fail(PARIO_EUNAVAIL,
                      "cannot open %s: io_uring is not "
                      "compiled in",
                      path);
}

void prio_loop_queued(struct prio_loop *loop, struct prio_queue *queue)
{
    (void)loop;
    (void)queue;
}

int prio_queue_sync(struct prio_queue *queue)
{
    (void)queue;
    return 0;
}

int prio_queue_close(struct prio_queue *queue)
{
    (void)queue;
    return 0;
}
#endif
