/* io/posix.c - pwrite(2) and pread(2). */
#include "core/storage.h"
#include "io/backend.h"
#include "io/posix_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct pario_file {
    struct pario_posix_file base;
};

static int posix_open(const struct pario_target *target,
                      struct pario_file **file_p)
{
    struct pario_file *file = malloc(sizeof(*file));
    int code;

    if (file == NULL)
        return pario_fail_errno(-ENOMEM, "cannot open %s", target->path);
    code = pario_posix_open(target, &file->base);
    if (code != 0) {
        free(file);
        return code;
    }
    *file_p = file;
    return 0;
}

static int posix_close(struct pario_file *file)
{
    int code = pario_posix_close(&file->base);

    free(file);
    return code;
}

static int posix_write_at(struct pario_file *file, void *buf, size_t len,
                          int64_t offset)
{
    return pario_pwrite_all(file->base.fd, buf, len, offset);
}

static int posix_read_at(struct pario_file *file, void *buf, size_t len,
                         int64_t offset)
{
    return pario_pread_all(file->base.fd, buf, len, offset);
}

static int posix_write(struct pario_file *file, void *buf, size_t len,
                       int64_t offset)
{
    int code = posix_write_at(file, buf, len, file->base.position);

    (void)offset;
    if (code == 0)
        file->base.position += (int64_t)len;
    return code;
}

static int posix_read(struct pario_file *file, void *buf, size_t len,
                      int64_t offset)
{
    int code = posix_read_at(file, buf, len, file->base.position);

    (void)offset;
    if (code == 0)
        file->base.position += (int64_t)len;
    return code;
}

static int posix_sync(struct pario_file *file)
{
    return pario_posix_sync(&file->base);
}

static int posix_sync_mine(struct pario_file *file)
{
    return pario_posix_sync_mine(&file->base);
}

static int posix_size(struct pario_file *file, int64_t *bytes_p)
{
    return pario_posix_size(&file->base, bytes_p);
}

static int posix_set_size(struct pario_file *file, int64_t bytes)
{
    return pario_posix_set_size(&file->base, bytes);
}

static int posix_preallocate(struct pario_file *file, int64_t bytes)
{
    return pario_posix_preallocate(&file->base, bytes);
}

static int posix_seek(struct pario_file *file, int64_t offset)
{
    file->base.position = offset;
    return 0;
}

const struct pario_backend pario_backend_posix = {
    .abi = PARIO_BACKEND_ABI,
    .name = "posix",
    .summary = "POSIX pwrite/pread: buffered, O_DIRECT, O_DSYNC",
    .open_flags = PARIO_OPEN_READ | PARIO_OPEN_WRITE | PARIO_OPEN_CREATE |
                  PARIO_OPEN_DIRECT | PARIO_OPEN_DSYNC,
    .open = posix_open,
    .close = posix_close,
    .io[PARIO_WRITE] =
        {[PARIO_FORM_AT] = posix_write_at, [PARIO_FORM_POINTER] = posix_write},
    .io[PARIO_READ] =
        {[PARIO_FORM_AT] = posix_read_at, [PARIO_FORM_POINTER] = posix_read},
    .sync = posix_sync,
    .sync_mine = posix_sync_mine,
    .size = posix_size,
    .set_size = posix_set_size,
    .preallocate = posix_preallocate,
    .seek = posix_seek,
};
