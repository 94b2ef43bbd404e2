/* suites/meta/queue.c - the operations through io_uring: several names under
 * way, each going through its steps. */
#include "pario_config.h"
#include "suites/meta/ops.h"

#include <errno.h>

#if PARIO_HAVE_URING
#include "core/clock.h"
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>

/* One name under way. */
struct flight {
    struct meta_item item;
    struct meta_names names;
    struct statx stat;
    int64_t begun_ns;
};

struct meta_queue {
    struct io_uring ring;
    int64_t depth;
    struct flight *flights, **idle;
    int64_t nidle;
};

int meta_queue_open(struct meta_worker *worker)
{
    int64_t depth = worker->what->queue_depth;
    struct meta_queue *queue = calloc(1, sizeof(*queue));
    int code = -ENOMEM;

    if (queue != NULL) {
        queue->depth = depth;
        queue->flights = calloc((size_t)depth, sizeof(*queue->flights));
        queue->idle = calloc((size_t)depth, sizeof(struct flight *));
    }
    if (queue != NULL && queue->flights != NULL && queue->idle != NULL)
        code = io_uring_queue_init((unsigned)depth, &queue->ring, 0);
    if (code != 0) {
        if (queue != NULL) {
            free(queue->flights);
            free(queue->idle);
        }
        free(queue);
        return pario_fail_errno(code, "cannot set up io_uring");
    }
    for (int64_t i = 0; i < depth; i++)
        queue->idle[queue->nidle++] = &queue->flights[i];
    worker->queue = queue;
    return 0;
}

void meta_queue_close(struct meta_worker *worker)
{
    struct meta_queue *queue = worker->queue;

    if (queue == NULL)
        return;
    io_uring_queue_exit(&queue->ring);
    free(queue->flights);
    free(queue->idle);
    free(queue);
    worker->queue = NULL;
}

static void prepare_name(struct meta_worker *worker, struct flight *flight,
                         struct io_uring_sqe *sqe)
{
    const struct meta_item *item = &flight->item;
    int dir = worker->dir;

    switch (*item->step) {
    case META_RENAME:
        io_uring_prep_renameat(sqe, dir, item->name, dir, item->other, 0);
        break;
    case META_HARDLINK:
        io_uring_prep_linkat(sqe, dir, item->name, dir, item->other, 0);
        break;
    case META_SOFTLINK:
        io_uring_prep_symlinkat(sqe, meta_base(item->name), dir, item->other);
        break;
    case META_UNLINK:
        io_uring_prep_unlinkat(sqe, dir, item->name, 0);
        break;
    case META_MKDIR:
        io_uring_prep_mkdirat(sqe, dir, item->name, 0777);
        break;
    case META_RMDIR:
        io_uring_prep_unlinkat(sqe, dir, item->name, AT_REMOVEDIR);
        break;
    default: /* META_STAT */
        io_uring_prep_statx(sqe, dir, item->name, AT_SYMLINK_NOFOLLOW,
                            STATX_BASIC_STATS, &flight->stat);
        break;
    }
}

/* The next step of a name; 0: it has none. */
static int prepare(struct meta_worker *worker, struct flight *flight)
{
    const struct meta_item *item = &flight->item;
    unsigned size = (unsigned)worker->what->size_bytes;
    struct io_uring_sqe *sqe;

    while ((*item->step == META_WRITE || *item->step == META_READ) && size == 0)
        flight->item.step++;
    if (*item->step == META_END)
        return 0;
    sqe = io_uring_get_sqe(&worker->queue->ring); /* one for each flight */
    switch (*item->step) {
    case META_MAKE:
        io_uring_prep_openat(sqe, worker->dir, item->name,
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        break;
    case META_OPEN_READ:
        io_uring_prep_openat(sqe, worker->dir, item->name,
                             O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
        break;
    case META_OPEN_WRITE:
        io_uring_prep_openat(sqe, worker->dir, item->name,
                             O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0);
        break;
    case META_WRITE:
        io_uring_prep_write(sqe, item->fd, meta_slot(worker, item->i), size, 0);
        break;
    case META_READ:
        io_uring_prep_read(sqe, item->fd, meta_slot(worker, item->i), size, 0);
        break;
    case META_CLOSE:
        io_uring_prep_close(sqe, item->fd);
        break;
    default:
        prepare_name(worker, flight, sqe);
        break;
    }
    io_uring_sqe_set_data(sqe, flight);
    return 1;
}

/* A step is over. */
static int take(struct meta_worker *worker, struct flight *flight, int result)
{
    struct meta_item *item = &flight->item;
    int64_t size = worker->what->size_bytes;

    if (result < 0)
        return result;
    switch (*item->step) {
    case META_MAKE:
    case META_OPEN_READ:
    case META_OPEN_WRITE:
        item->fd = result;
        break;
    case META_WRITE:
        return result == size ? 0 : -ENOSPC;
    case META_READ:
        return result == size ? 0 : PARIO_ESHORT;
    case META_CLOSE:
        item->fd = -1;
        break;
    case META_STAT:
        worker->seen_bytes += (int64_t)flight->stat.stx_size;
        break;
    default:
        break;
    }
    return 0;
}

static void start(struct meta_worker *worker, int64_t i)
{
    struct meta_queue *queue = worker->queue;
    struct flight *flight = queue->idle[--queue->nidle];

    flight->names = worker->names;
    flight->item = meta_item(worker, &flight->names, i);
    flight->item.fd = -1;
    flight->begun_ns = pario_clock_ns();
    (void)prepare(worker, flight);
}

static void finish(struct meta_worker *worker, struct flight *flight)
{
    struct meta_queue *queue = worker->queue;

    pario_samples_take(&worker->samples, &worker->latency,
                       pario_clock_ns() - flight->begun_ns);
    if (flight->item.fd >= 0)
        close(flight->item.fd); /* after an error */
    queue->idle[queue->nidle++] = flight;
    worker->done++;
}

/* Waits for one completion and takes all that are there. */
static int collect(struct meta_worker *worker)
{
    struct io_uring *ring = &worker->queue->ring;
    struct io_uring_cqe *cqe;
    int code = io_uring_submit_and_wait(ring, 1);

    if (code < 0)
        return code == -EINTR || code == -EAGAIN ? 0 : code;
    while (io_uring_peek_cqe(ring, &cqe) == 0) {
        struct flight *flight = io_uring_cqe_get_data(cqe);
        int step_code = take(worker, flight, cqe->res);

        io_uring_cqe_seen(ring, cqe);
        flight->item.step++;
        if (step_code != 0)
            meta_failed(worker, step_code, flight->item.name);
        if (step_code != 0 || !prepare(worker, flight))
            finish(worker, flight);
    }
    return 0;
}

void meta_queue_round(struct meta_worker *worker, int64_t first, int64_t n)
{
    struct meta_queue *queue = worker->queue;
    int64_t next = first, end = first + n;

    while (next < end || queue->nidle < queue->depth) {
        int code;

        while (worker->code == 0 && next < end && queue->nidle > 0)
            start(worker, next++);
        if (worker->code != 0)
            next = end; /* what is under way comes home */
        if (queue->nidle == queue->depth)
            continue;
        code = collect(worker);
        if (code != 0) {
            meta_failed(worker, code, "(io_uring)");
            return;
        }
    }
}
#else
int meta_queue_open(struct meta_worker *worker)
{
    (void)worker;
    return pario_fail(PARIO_EUNAVAIL, "this build has no io_uring");
}

void meta_queue_close(struct meta_worker *worker)
{
    (void)worker;
}

void meta_queue_round(struct meta_worker *worker, int64_t first, int64_t n)
{
    (void)first, (void)n;
    meta_failed(worker, -ENOSYS, "(io_uring)");
}
#endif
