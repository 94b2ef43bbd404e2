/* io/uring.c - io_uring: several requests under way on one file. It is set up
 * here and nowhere else. */
#include "core/clock.h"
#include "io/backend.h"
#include "io/posix_file.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

/* Completions are only looked for by the waiting process itself; an older
 * kernel does without. */
enum { POLLED = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN };
enum { SPIN_NS = 10000 };
#define MAX_PIECE ((uint64_t)1 << 30) /* of one submission */

struct pario_file {
    struct pario_posix_file base;
    struct io_uring ring;
    int polled; /* the ring was asked for, and got, POLLED */
    int known; /* to the kernel as file 0 of the ring: no look-up per request */
};

/* What a request needs to go on after a short transfer. */
enum { H_BUFFER, H_OFFSET, H_LEFT, H_DIRECTION };

static int uring_probe(void)
{
    struct io_uring ring;
    int code = io_uring_queue_init(1, &ring, 0);

    if (code != 0)
        return pario_fail_errno(code, "cannot set up io_uring");
    io_uring_queue_exit(&ring);
    return 0;
}

static int set_up_ring(const struct pario_target *target,
                       struct pario_file *file)
{
    unsigned depth =
        target->queue_depth > 0 ? (unsigned)target->queue_depth : 1;
    int code;

    file->polled = target->flags & PARIO_OPEN_POLLED &&
                   io_uring_queue_init(depth, &file->ring, POLLED) == 0;
    if (file->polled)
        return 0;
    code = io_uring_queue_init(depth, &file->ring, 0);
    if (code != 0)
        return pario_fail_errno(code, "cannot set up io_uring (is it allowed "
                                      "on this system?)");
    return 0;
}

static int uring_open(const struct pario_target *target,
                      struct pario_file **file_p)
{
    struct pario_file *file = calloc(1, sizeof(*file));
    int code = file == NULL
                   ? pario_fail_errno(-ENOMEM, "cannot open %s", target->path)
                   : set_up_ring(target, file);

    if (target->group != NULL)
        code = pario_agree(target->group, code);
    if (code != 0 || file == NULL) {
        free(file);
        return code;
    }
    code = pario_posix_open(target, &file->base);
    if (code != 0) {
        io_uring_queue_exit(&file->ring);
        free(file);
        return code;
    }
    /* Only where letting go of it again takes no time. */
    file->known = file->polled &&
                  io_uring_register_files(&file->ring, &file->base.fd, 1) == 0;
    *file_p = file;
    return 0;
}

static int uring_close(struct pario_file *file)
{
    int code;

    /* The ring ends some time later; the file must not wait for it. */
    if (file->known)
        (void)io_uring_unregister_files(&file->ring);
    io_uring_queue_exit(&file->ring);
    code = pario_posix_close(&file->base);
    free(file);
    return code;
}

/* -EBUSY and -EAGAIN: the kernel takes it with the next call. */
static int is_passing(int code)
{
    return code >= 0 || code == -EINTR || code == -EAGAIN || code == -EBUSY;
}

static int submit(struct pario_file *file, struct pario_request *request)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&file->ring);
    void *buf = (void *)(uintptr_t)request->handle[H_BUFFER]; // NOLINT
    uint64_t left = request->handle[H_LEFT];
    int fd = file->known ? 0 : file->base.fd;
    int code;

    if (sqe == NULL)
        return -EBUSY; /* more under way than queue_depth */
    if (left > MAX_PIECE)
        left = MAX_PIECE;
    if (request->handle[H_DIRECTION] == PARIO_WRITE)
        io_uring_prep_write(sqe, fd, buf, (unsigned)left,
                            request->handle[H_OFFSET]);
    else
        io_uring_prep_read(sqe, fd, buf, (unsigned)left,
                           request->handle[H_OFFSET]);
    if (file->known)
        sqe->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data(sqe, request);
    code = file->polled ? io_uring_submit_and_get_events(&file->ring)
                        : io_uring_submit(&file->ring);
    return is_passing(code) ? 0 : code;
}

static int uring_start(struct pario_file *file, enum pario_direction direction,
                       void *buf, size_t len, int64_t offset,
                       struct pario_request *request)
{
    *request = (struct pario_request){
        .handle = {[H_BUFFER] = (uintptr_t)buf,
                   [H_OFFSET] = (uint64_t)offset,
                   [H_LEFT] = len,
                   [H_DIRECTION] = direction},
        .len = len,
    };
    return submit(file, request);
}

/* One completion: done, failed, or the rest is submitted again. */
static int complete(struct pario_file *file, struct pario_request *request,
                    int result)
{
    if (result == -EINTR || result == -EAGAIN)
        return submit(file, request);
    if (result <= 0) {
        request->done = 1;
        request->result = result < 0 ? result
                          : request->handle[H_DIRECTION] == PARIO_WRITE
                              ? -EIO
                              : PARIO_ESHORT;
        return 0;
    }
    request->handle[H_BUFFER] += (uint64_t)result;
    request->handle[H_OFFSET] += (uint64_t)result;
    request->handle[H_LEFT] -= (uint64_t)result;
    if (request->handle[H_LEFT] > 0)
        return submit(file, request);
    request->done = 1;
    request->result = 0;
    return 0;
}

/* One that is near is looked for before the process goes to sleep: waking up
 * takes longer than a request in memory. */
static int await_completion(struct pario_file *file)
{
    int64_t until = file->polled ? pario_clock_ns() + SPIN_NS : 0;
    int code = 0;

    while (is_passing(code) && io_uring_cq_ready(&file->ring) == 0) {
        if (pario_clock_ns() > until)
            code = io_uring_submit_and_wait(&file->ring, 1);
        else
            code = io_uring_submit_and_get_events(&file->ring);
    }
    return is_passing(code) ? 0 : code;
}

static int uring_next(struct pario_file *file, int wait,
                      struct pario_request **request_p)
{
    for (;;) {
        struct pario_request *request;
        struct io_uring_cqe *cqe;
        int result, code = 0;

        if (wait)
            code = await_completion(file);
        if (code != 0)
            return code;
        *request_p = NULL;
        if (io_uring_cq_ready(&file->ring) == 0 ||
            io_uring_peek_cqe(&file->ring, &cqe) != 0)
            return 0;
        request = io_uring_cqe_get_data(cqe);
        result = cqe->res;
        io_uring_cqe_seen(&file->ring, cqe);
        code = complete(file, request, result);
        if (code != 0)
            return code;
        if (request->done) {
            *request_p = request;
            return 0;
        }
    }
}

static int uring_wait(struct pario_file *file, struct pario_request *request)
{
    while (!request->done) {
        struct pario_request *other;
        int code = uring_next(file, 1, &other);

        if (code != 0)
            return code;
    }
    return request->result;
}

static int move(struct pario_file *file, enum pario_direction direction,
                void *buf, size_t len, int64_t offset)
{
    struct pario_request request;
    int code = uring_start(file, direction, buf, len, offset, &request);

    return code != 0 ? code : uring_wait(file, &request);
}

static int uring_write_at(struct pario_file *file, void *buf, size_t len,
                          int64_t offset)
{
    return move(file, PARIO_WRITE, buf, len, offset);
}

static int uring_read_at(struct pario_file *file, void *buf, size_t len,
                         int64_t offset)
{
    return move(file, PARIO_READ, buf, len, offset);
}

static int uring_sync(struct pario_file *file)
{
    return pario_posix_sync(&file->base);
}

static int uring_sync_mine(struct pario_file *file)
{
    return pario_posix_sync_mine(&file->base);
}

static int uring_size(struct pario_file *file, int64_t *bytes_p)
{
    return pario_posix_size(&file->base, bytes_p);
}

static int uring_set_size(struct pario_file *file, int64_t bytes)
{
    return pario_posix_set_size(&file->base, bytes);
}

static int uring_preallocate(struct pario_file *file, int64_t bytes)
{
    return pario_posix_preallocate(&file->base, bytes);
}

const struct pario_backend pario_backend_uring = {
    .abi = PARIO_BACKEND_ABI,
    .name = "uring",
    .summary = "Linux io_uring: a queue of requests, buffered or O_DIRECT",
    .open_flags = PARIO_OPEN_READ | PARIO_OPEN_WRITE | PARIO_OPEN_CREATE |
                  PARIO_OPEN_DIRECT | PARIO_OPEN_DSYNC | PARIO_OPEN_POLLED,
    .probe = uring_probe,
    .open = uring_open,
    .close = uring_close,
    .io[PARIO_WRITE] = {[PARIO_FORM_AT] = uring_write_at},
    .io[PARIO_READ] = {[PARIO_FORM_AT] = uring_read_at},
    .sync = uring_sync,
    .sync_mine = uring_sync_mine,
    .size = uring_size,
    .set_size = uring_set_size,
    .preallocate = uring_preallocate,
    .start = uring_start,
    .wait = uring_wait,
    .next = uring_next,
};
