/* suites/meta/queue.c - the operations through io_uring: several names under
 * way, each going through its steps. */
#include "pario_config.h"
#include "suites/meta/ops.h"

#include <errno.h>

#if PARIO_HAVE_URING
#include "core/clock.h"
#include "core/path.h"
#include "io/uring_names.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One name under way. */
struct flight {
    struct meta_item item;
    struct meta_names names;
    struct statx stat;
    int64_t begun_ns;
};

struct meta_queue {
    struct pario_name_queue *calls;
    int64_t depth, nidle;
    struct flight *flights, **idle;
};

static const struct {
    enum pario_name_op op;
    int flags;
} call_of[] = {
    [META_MAKE] = {PARIO_NAME_OPEN, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC},
    [META_OPEN_READ] = {PARIO_NAME_OPEN, O_RDONLY | O_NOFOLLOW | O_CLOEXEC},
    [META_OPEN_WRITE] = {PARIO_NAME_OPEN, O_WRONLY | O_NOFOLLOW | O_CLOEXEC},
    [META_WRITE] = {PARIO_NAME_WRITE, 0},
    [META_READ] = {PARIO_NAME_READ, 0},
    [META_CLOSE] = {PARIO_NAME_CLOSE, 0},
    [META_STAT] = {PARIO_NAME_STAT, 0},
    [META_RENAME] = {PARIO_NAME_RENAME, 0},
    [META_HARDLINK] = {PARIO_NAME_LINK, 0},
    [META_SOFTLINK] = {PARIO_NAME_SYMLINK, 0},
    [META_UNLINK] = {PARIO_NAME_UNLINK, 0},
    [META_MKDIR] = {PARIO_NAME_MKDIR, 0},
    [META_RMDIR] = {PARIO_NAME_RMDIR, 0},
};

int meta_queue_open(struct meta_worker *worker)
{
    size_t depth = (size_t)worker->what->queue_depth;
    struct meta_queue *queue = calloc(1, sizeof(*queue));

    worker->queue = queue;
    if (queue == NULL)
        return pario_fail_errno(-ENOMEM, "cannot set up io_uring");
    queue->depth = (int64_t)depth;
    queue->flights = calloc(depth, sizeof(*queue->flights));
    queue->idle = calloc(depth, sizeof(struct flight *));
    if (queue->flights == NULL || queue->idle == NULL)
        return pario_fail_errno(-ENOMEM, "cannot set up io_uring");
    for (size_t i = 0; i < depth; i++)
        queue->idle[queue->nidle++] = &queue->flights[i];
    return pario_name_queue_open((unsigned)depth, &queue->calls);
}

void meta_queue_close(struct meta_worker *worker)
{
    struct meta_queue *queue = worker->queue;

    if (queue == NULL)
        return;
    pario_name_queue_close(queue->calls);
    free(queue->flights);
    free(queue->idle);
    free(queue);
    worker->queue = NULL;
}

/* Sends the next step of a name; 0: it has none. */
static int send_step(struct meta_worker *worker, struct flight *flight)
{
    struct meta_item *item = &flight->item;
    int64_t size = worker->what->size_bytes;
    struct pario_name_call call;

    while ((*item->step == META_WRITE || *item->step == META_READ) && size == 0)
        item->step++;
    if (*item->step == META_END)
        return 0;
    call = (struct pario_name_call){
        .op = call_of[*item->step].op,
        .flags = call_of[*item->step].flags,
        .dir = worker->dir,
        .fd = item->fd,
        .name = *item->step == META_SOFTLINK ? pario_base_name(item->name)
                                             : item->name,
        .other = item->other,
        .buf = *item->step == META_STAT ? (void *)&flight->stat
                                        : meta_slot(worker, item->i),
        .len = (unsigned)size,
        .tag = flight,
    };
    pario_name_queue_put(worker->queue->calls, &call);
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

/* now_ns: when it is begun. */
static void start(struct meta_worker *worker, int64_t i, int64_t now_ns)
{
    struct meta_queue *queue = worker->queue;
    struct flight *flight = queue->idle[--queue->nidle];

    flight->names = worker->names;
    flight->item = meta_item_of(worker, &flight->names, i);
    flight->item.fd = -1;
    flight->begun_ns = now_ns;
    (void)send_step(worker, flight);
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

/* Waits for one call and takes all that have ended. */
static int collect(struct meta_worker *worker)
{
    struct pario_name_queue *calls = worker->queue->calls;
    int code = pario_name_queue_wait(calls), result;
    void *tag;

    while (code == 0 && pario_name_queue_take(calls, &tag, &result)) {
        struct flight *flight = tag;
        int step_code = take(worker, flight, result);

        flight->item.step++;
        if (step_code != 0)
            meta_failed(worker, step_code, flight->item.name);
        if (step_code != 0 || !send_step(worker, flight))
            finish(worker, flight);
    }
    return code;
}

void meta_queue_round(struct meta_worker *worker, int64_t first, int64_t n)
{
    struct meta_queue *queue = worker->queue;
    int64_t next = first, end = first + n;
    int code = 0;

    while (code == 0 && (next < end || queue->nidle < queue->depth)) {
        int64_t now_ns = 0;

        while (worker->code == 0 && next < end && queue->nidle > 0 &&
               (now_ns = pario_clock_ns()) < worker->stop_ns)
            start(worker, next++, now_ns);
        if (worker->code != 0 || now_ns >= worker->stop_ns)
            next = end; /* what is under way comes home */
        if (queue->nidle < queue->depth)
            code = collect(worker);
    }
    if (code != 0)
        meta_failed(worker, code, "(io_uring)");
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
