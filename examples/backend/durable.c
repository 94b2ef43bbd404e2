/* A back-end of one's own: each write is durable when it returns
 * (pwritev2 with RWF_DSYNC), as databases and journals ask for.
 *
 * A back-end is one const table. Put the file into src/io, name the table in
 * src/io/backend.h and in the list of src/io/backends.c: every suite that takes
 * an interface then takes this one.
 */
#include "core/storage.h"
#include "io/backend.h"
#include "io/posix_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

struct pario_file {
    struct pario_posix_file base;
};

static int durable_open(const struct pario_target *target,
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

static int durable_close(struct pario_file *file)
{
    int code = pario_posix_close(&file->base);

    free(file);
    return code;
}

/* All of len or an error: bare codes, the caller knows what it was doing. */
static int durable_write(struct pario_file *file, void *buf, size_t len,
                         int64_t offset)
{
    while (len > 0) {
        struct iovec piece = {buf, len};
        ssize_t n = pwritev2(file->base.fd, &piece, 1, offset, RWF_DSYNC);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : PARIO_ESHORT;
        buf = (char *)buf + n;
        len -= (size_t)n;
        offset += n;
    }
    return 0;
}

static int durable_read(struct pario_file *file, void *buf, size_t len,
                        int64_t offset)
{
    return pario_pread_all(file->base.fd, buf, len, offset);
}

static int durable_sync(struct pario_file *file)
{
    return pario_posix_sync(&file->base);
}

static int durable_size(struct pario_file *file, int64_t *bytes_p)
{
    return pario_posix_size(&file->base, bytes_p);
}

extern const struct pario_backend pario_backend_durable;
const struct pario_backend pario_backend_durable = {
    .abi = PARIO_BACKEND_ABI,
    .name = "durable",
    .summary = "pwritev2(2), each write durable when it returns",
    .open_flags = PARIO_OPEN_READ | PARIO_OPEN_WRITE | PARIO_OPEN_CREATE,
    .open = durable_open,
    .close = durable_close,
    .io = {[PARIO_WRITE][PARIO_FORM_AT] = durable_write,
           [PARIO_READ][PARIO_FORM_AT] = durable_read},
    .sync = durable_sync,
    .size = durable_size,
};
