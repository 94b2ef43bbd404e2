/* suites/prio/async_posix.c - POSIX AIO, and io_uring with one request. */
#include "core/cleanup.h"
#include "pario_config.h"
#include "suites/prio/async.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if PARIO_HAVE_URING
#include <liburing.h>
#endif

struct prio_async {
    int fd;
    struct aiocb block;
#if PARIO_HAVE_URING
    struct io_uring ring;
    int write;
    char *buf;
    size_t left;
    uint64_t offset;
#endif
};

static int open_file(const char *path, const struct prio_case *what,
                     struct prio_async **file_p)
{
    int flags = (what->writes > 0 ? O_RDWR : O_RDONLY) | O_CLOEXEC |
                (what->direct ? O_DIRECT : 0);
    struct prio_async *file = calloc(1, sizeof(*file));

    if (file == NULL)
        return pario_fail_errno(-ENOMEM, "cannot open %s", path);
    file->fd = pario_own_open(path, flags, 0);
    if (file->fd < 0) {
        int code = pario_fail_errno(-errno, "cannot open %s", path);

        free(file);
        return code;
    }
    *file_p = file;
    return 0;
}

static int close_file(struct prio_async *file)
{
    int code = 0;

    if (close(file->fd) != 0)
        code = pario_fail_errno(-errno, "cannot close a file");
    free(file);
    return code;
}

static int aio_open(const char *path, const struct prio_case *what,
                    const struct pario_group *group, struct prio_async **file_p)
{
    (void)group;
    return open_file(path, what, file_p);
}

static int aio_start(struct prio_async *file, int write, void *buf, size_t len,
                     int64_t offset)
{
    file->block = (struct aiocb){.aio_fildes = file->fd,
                                 .aio_buf = buf,
                                 .aio_nbytes = len,
                                 .aio_offset = offset};
    if ((write ? aio_write(&file->block) : aio_read(&file->block)) != 0)
        return -errno;
    return 0;
}

static int aio_wait(struct prio_async *file)
{
    const struct aiocb *list[1] = {&file->block};
    ssize_t n;
    int err;

    while ((err = aio_error(&file->block)) == EINPROGRESS)
        if (aio_suspend(list, 1, NULL) != 0 && errno != EINTR)
            return -errno;
    n = aio_return(&file->block);
    if (err != 0)
        return -err;
    return (size_t)n == file->block.aio_nbytes ? 0 : PARIO_ESHORT;
}

const struct prio_async_way prio_async_aio = {
    .open = aio_open,
    .start = aio_start,
    .wait = aio_wait,
    .close = close_file,
};

#if PARIO_HAVE_URING
static int uring_open(const char *path, const struct prio_case *what,
                      const struct pario_group *group,
                      struct prio_async **file_p)
{
    struct prio_async *file = NULL;
    int code = open_file(path, what, &file);

    (void)group;
    if (code != 0 || file == NULL)
        return code;
    code = io_uring_queue_init(1, &file->ring, 0);
    if (code != 0) {
        close(file->fd);
        free(file);
        return pario_fail_errno(code, "cannot set up io_uring (is it allowed "
                                      "on this system?)");
    }
    *file_p = file;
    return 0;
}

static int uring_submit(struct prio_async *file)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&file->ring);
    int n;

    if (sqe == NULL)
        return -EBUSY;
    if (file->write)
        io_uring_prep_write(sqe, file->fd, file->buf, (unsigned)file->left,
                            file->offset);
    else
        io_uring_prep_read(sqe, file->fd, file->buf, (unsigned)file->left,
                           file->offset);
    n = io_uring_submit(&file->ring);
    return n < 0 ? n : 0;
}

static int uring_start(struct prio_async *file, int write, void *buf,
                       size_t len, int64_t offset)
{
    file->write = write;
    file->buf = buf;
    file->left = len;
    file->offset = (uint64_t)offset;
    return uring_submit(file);
}

static int uring_wait(struct prio_async *file)
{
    while (file->left > 0) {
        struct io_uring_cqe *cqe = NULL;
        int result, code = io_uring_wait_cqe(&file->ring, &cqe);

        if (code == -EINTR)
            continue;
        if (code != 0)
            return code;
        result = cqe->res;
        io_uring_cqe_seen(&file->ring, cqe);
        if (result < 0 && result != -EINTR && result != -EAGAIN)
            return result;
        if (result == 0)
            return file->write ? -EIO : PARIO_ESHORT;
        if (result > 0) {
            file->buf += result;
            file->offset += (uint64_t)result;
            file->left -= (size_t)result;
        }
        code = file->left > 0 ? uring_submit(file) : 0;
        if (code != 0)
            return code;
    }
    return 0;
}

static int uring_close(struct prio_async *file)
{
    io_uring_queue_exit(&file->ring);
    return close_file(file);
}

const struct prio_async_way prio_async_uring = {
    .open = uring_open,
    .start = uring_start,
    .wait = uring_wait,
    .close = uring_close,
};
#endif
