/* io/uring_names.c - calls on names through io_uring. */
#include "io/uring_names.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/stat.h>

struct pario_name_queue {
    struct io_uring ring;
};

int pario_name_queue_open(unsigned depth, struct pario_name_queue **queue_p)
{
    struct pario_name_queue *queue = malloc(sizeof(*queue));
    int code =
        queue == NULL ? -ENOMEM : io_uring_queue_init(depth, &queue->ring, 0);

    if (code != 0) {
        free(queue);
        return pario_fail_errno(code, "cannot set up io_uring");
    }
    *queue_p = queue;
    return 0;
}

void pario_name_queue_close(struct pario_name_queue *queue)
{
    if (queue != NULL)
        io_uring_queue_exit(&queue->ring);
    free(queue);
}

void pario_name_queue_put(struct pario_name_queue *queue,
                          const struct pario_name_call *call)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&queue->ring);
    int dir = call->dir;

    switch (call->op) {
    case PARIO_NAME_OPEN:
        io_uring_prep_openat(sqe, dir, call->name, call->flags, 0666);
        break;
    case PARIO_NAME_WRITE:
        io_uring_prep_write(sqe, call->fd, call->buf, call->len, 0);
        break;
    case PARIO_NAME_READ:
        io_uring_prep_read(sqe, call->fd, call->buf, call->len, 0);
        break;
    case PARIO_NAME_CLOSE:
        io_uring_prep_close(sqe, call->fd);
        break;
    case PARIO_NAME_STAT:
        io_uring_prep_statx(sqe, dir, call->name, AT_SYMLINK_NOFOLLOW,
                            STATX_BASIC_STATS, call->buf);
        break;
    case PARIO_NAME_RENAME:
        io_uring_prep_renameat(sqe, dir, call->name, dir, call->other, 0);
        break;
    case PARIO_NAME_LINK:
        io_uring_prep_linkat(sqe, dir, call->name, dir, call->other, 0);
        break;
    case PARIO_NAME_SYMLINK:
        io_uring_prep_symlinkat(sqe, call->name, dir, call->other);
        break;
    case PARIO_NAME_UNLINK:
        io_uring_prep_unlinkat(sqe, dir, call->name, 0);
        break;
    case PARIO_NAME_MKDIR:
        io_uring_prep_mkdirat(sqe, dir, call->name, 0777);
        break;
    case PARIO_NAME_RMDIR:
        io_uring_prep_unlinkat(sqe, dir, call->name, AT_REMOVEDIR);
        break;
    }
    io_uring_sqe_set_data(sqe, call->tag);
}

int pario_name_queue_wait(struct pario_name_queue *queue)
{
    int n = io_uring_submit_and_wait(&queue->ring, 1);

    return n < 0 && n != -EINTR && n != -EAGAIN ? n : 0;
}

int pario_name_queue_take(struct pario_name_queue *queue, void **tag_p,
                          int *result_p)
{
    struct io_uring_cqe *cqe = NULL;

    if (io_uring_peek_cqe(&queue->ring, &cqe) != 0)
        return 0;
    *tag_p = io_uring_cqe_get_data(cqe);
    *result_p = cqe->res;
    io_uring_cqe_seen(&queue->ring, cqe);
    return 1;
}
