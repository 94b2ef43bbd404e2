/*
 * Dumps by plain system calls: `posix` (one shared file), `epio` (a file per
 * process), `thread` (posix from a thread beside the computation).
 */
#include "core/cleanup.h"
#include "core/storage.h"
#include "suites/nht/app_io.h"

#include "par/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct posix_state {
    int fd;
    char path[4352];
    /* thread only */
    int running, stop;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const double *buf; /* handed over; NULL: nothing to do */
    int dump;
    int code; /* first error of the thread */
    char message[512];
};

/* The own part of one dump; epio writes it in one piece. */
static int write_dump(struct nht_io *io, struct posix_state *ps, int dump,
                      const double *buf)
{
    int64_t start = nht_io_place(io, dump, ps->path, sizeof(ps->path));
    const struct nht_extent *extent = io->layout.extents;
    const char *pos = (const char *)buf;
    int64_t operations = 0;
    int code = 0;

    if (io->mode->split) {
        code = pario_pwrite_all(ps->fd, pos, io->layout.bytes, start);
        operations = 1;
    }
    for (size_t i = 0; !io->mode->split && i < io->layout.count && code == 0;
         i++) {
        pario_position_at(start + extent[i].offset);
        code = pario_pwrite_all(ps->fd, pos, extent[i].len,
                                start + extent[i].offset);
        pos += extent[i].len;
        operations++;
    }
    io->operations += operations;
    if (code != 0)
        return pario_fail_errno(code, "cannot write dump %d to %s", dump + 1,
                                ps->path);
    return 0;
}

static int sync_fd(const struct nht_io *io, const struct posix_state *ps)
{
    if (io->sync && fsync(ps->fd) != 0)
        return pario_fail_errno(-errno, "cannot make %s durable", ps->path);
    return 0;
}

static int close_fd(struct posix_state *ps)
{
    int fd = ps->fd;

    ps->fd = -1;
    if (fd >= 0 && close(fd) != 0)
        return pario_fail_errno(-errno, "cannot close %s", ps->path);
    return 0;
}

/* Collective. Rank 0 makes a shared file, which must be new; then all open
 * it. code: of what this rank did before. */
static int open_fd(struct nht_io *io, struct posix_state *ps, int dump,
                   int code)
{
    int rank = pario_group_rank(io->world);

    nht_io_place(io, dump, ps->path, sizeof(ps->path));
    if (code == 0 && (io->mode->split || rank == 0)) {
        ps->fd = pario_own_open(ps->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                                0666);
        if (ps->fd < 0)
            code = pario_fail_errno(-errno, "cannot create %s", ps->path);
    }
    code = pario_agree(io->world, code);
    if (code == 0 && ps->fd < 0) {
        ps->fd = pario_own_open(ps->path, O_RDWR | O_CLOEXEC, 0);
        if (ps->fd < 0)
            code = pario_fail_errno(-errno, "cannot open %s", ps->path);
    }
    return code;
}

static int posix_open(struct nht_io *io)
{
    struct posix_state *ps = calloc(1, sizeof(*ps));
    int code = ps == NULL ? pario_fail_errno(-ENOMEM, "cannot start") : 0;

    if (ps != NULL)
        ps->fd = -1;
    io->state = ps;
    code = pario_agree(io->world, code);
    if (code == 0 && ps != NULL && !io->many)
        code = open_fd(io, ps, 0, 0);
    return code;
}

static int posix_write(struct nht_io *io, int dump, const double *buf)
{
    struct posix_state *ps = io->state;
    int code = 0, close_code;

    if (!io->many)
        return write_dump(io, ps, dump, buf);
    code = open_fd(io, ps, dump, 0);
    if (code == 0)
        code = write_dump(io, ps, dump, buf);
    if (code == 0)
        code = sync_fd(io, ps);
    close_code = close_fd(ps);
    return code != 0 ? code : close_code;
}

static int posix_finish(struct nht_io *io)
{
    struct posix_state *ps = io->state;
    int code = ps->fd < 0 ? 0 : sync_fd(io, ps), close_code = close_fd(ps);

    return code != 0 ? code : close_code;
}

static int posix_close(struct nht_io *io)
{
    struct posix_state *ps = io->state;
    int code = 0;

    if (ps != NULL)
        code = close_fd(ps);
    free(ps);
    io->state = NULL;
    return code;
}

const struct nht_mode nht_mode_posix = {
    .name = "posix",
    .summary = "pwrite to one shared file",
    .open = posix_open,
    .write = posix_write,
    .finish = posix_finish,
    .close = posix_close,
};

const struct nht_mode nht_mode_epio = {
    .name = "epio",
    .summary = "a file per process (BTIO's; breaks NHT-1's file rule)",
    .split = 1,
    .open = posix_open,
    .write = posix_write,
    .finish = posix_finish,
    .close = posix_close,
};

/* The writer beside the computation: takes one buffer at a time. */
static void *writer(void *arg)
{
    struct nht_io *io = arg;
    struct posix_state *ps = io->state;

    pthread_mutex_lock(&ps->lock);
    for (;;) {
        int code;

        while (ps->buf == NULL && !ps->stop)
            pthread_cond_wait(&ps->changed, &ps->lock);
        if (ps->buf == NULL)
            break;
        pthread_mutex_unlock(&ps->lock);
        code = write_dump(io, ps, ps->dump, ps->buf);
        pthread_mutex_lock(&ps->lock);
        if (code != 0 && ps->code == 0) {
            ps->code = code;
            snprintf(ps->message, sizeof(ps->message), "%s",
                     pario_error_message());
        }
        ps->buf = NULL;
        pthread_cond_broadcast(&ps->changed);
    }
    pthread_mutex_unlock(&ps->lock);
    return NULL;
}

static int thread_open(struct nht_io *io)
{
    int code = posix_open(io);
    struct posix_state *ps = io->state;

    if (code != 0)
        return code;
    pthread_mutex_init(&ps->lock, NULL);
    pthread_cond_init(&ps->changed, NULL);
    code = pthread_create(&ps->thread, NULL, writer, io);
    if (code != 0)
        return pario_fail_errno(-code, "cannot start the writing thread");
    ps->running = 1;
    return 0;
}

static int thread_ready(struct nht_io *io)
{
    struct posix_state *ps = io->state;
    int code;

    pthread_mutex_lock(&ps->lock);
    while (ps->buf != NULL)
        pthread_cond_wait(&ps->changed, &ps->lock);
    code = ps->code;
    pthread_mutex_unlock(&ps->lock);
    if (code != 0)
        return pario_fail(code, "%s", ps->message);
    return 0;
}

static int thread_write(struct nht_io *io, int dump, const double *buf)
{
    struct posix_state *ps = io->state;
    int code = 0;

    /* The writer is idle: ready was called before buf was filled. */
    if (io->many) {
        if (ps->fd >= 0)
            code = sync_fd(io, ps);
        if (close_fd(ps) != 0 && code == 0)
            code = -EIO;
        code = open_fd(io, ps, dump, code);
        if (code != 0)
            return code;
    }
    pthread_mutex_lock(&ps->lock);
    ps->buf = buf;
    ps->dump = dump;
    pthread_cond_broadcast(&ps->changed);
    pthread_mutex_unlock(&ps->lock);
    return 0;
}

static int thread_finish(struct nht_io *io)
{
    int code = thread_ready(io);

    return code != 0 ? code : posix_finish(io);
}

static int thread_close(struct nht_io *io)
{
    struct posix_state *ps = io->state;

    if (ps != NULL && ps->running) {
        pthread_mutex_lock(&ps->lock);
        ps->stop = 1;
        pthread_cond_broadcast(&ps->changed);
        pthread_mutex_unlock(&ps->lock);
        pthread_join(ps->thread, NULL);
    }
    return posix_close(io);
}

const struct nht_mode nht_mode_thread = {
    .name = "thread",
    .summary = "as posix, from a thread beside the computation",
    .overlap = 1,
    .open = thread_open,
    .ready = thread_ready,
    .write = thread_write,
    .finish = thread_finish,
    .close = thread_close,
};
