/* io/aio.c - POSIX AIO: one request beside what the process computes. */
#include "io/backend.h"
#include "io/posix_file.h"

#include <aio.h>
#include <errno.h>
#include <stdlib.h>

struct pario_file {
    struct pario_posix_file base;
    struct aiocb block; /* of the request under way */
};

static int aio_open(const struct pario_target *target,
                    struct pario_file **file_p)
{
    struct pario_file *file = calloc(1, sizeof(*file));
    int code = file == NULL
                   ? pario_fail_errno(-ENOMEM, "cannot open %s", target->path)
                   : 0;

    if (target->group != NULL)
        code = pario_agree(target->group, code);
    if (code == 0 && file != NULL)
        code = pario_posix_open(target, &file->base);
    if (code != 0 || file == NULL) {
        free(file);
        return code;
    }
    *file_p = file;
    return 0;
}

static int aio_close(struct pario_file *file)
{
    int code = pario_posix_close(&file->base);

    free(file);
    return code;
}

static int aio_start(struct pario_file *file, enum pario_direction direction,
                     void *buf, size_t len, int64_t offset,
                     struct pario_request *request)
{
    *request = (struct pario_request){.len = len};
    file->block = (struct aiocb){.aio_fildes = file->base.fd,
                                 .aio_buf = buf,
                                 .aio_nbytes = len,
                                 .aio_offset = offset};
    if ((direction == PARIO_WRITE ? aio_write(&file->block)
                                  : aio_read(&file->block)) != 0)
        return -errno;
    return 0;
}

static int aio_wait(struct pario_file *file, struct pario_request *request)
{
    const struct aiocb *list[1] = {&file->block};
    ssize_t n;
    int err;

    while ((err = aio_error(&file->block)) == EINPROGRESS)
        if (aio_suspend(list, 1, NULL) != 0 && errno != EINTR)
            return -errno;
    n = aio_return(&file->block);
    request->done = 1;
    if (err != 0)
        return -err;
    return (size_t)n == request->len ? 0 : PARIO_ESHORT;
}

static int aio_sync(struct pario_file *file)
{
    return pario_posix_sync(&file->base);
}

const struct pario_backend pario_backend_aio = {
    .abi = PARIO_BACKEND_ABI,
    .name = "aio",
    .summary = "POSIX AIO: one nonblocking request",
    .open_flags = PARIO_OPEN_READ | PARIO_OPEN_WRITE | PARIO_OPEN_CREATE |
                  PARIO_OPEN_DIRECT | PARIO_OPEN_DSYNC,
    .open = aio_open,
    .close = aio_close,
    .sync = aio_sync,
    .start = aio_start,
    .wait = aio_wait,
};
