/* io/posix_file.c - opening, sizing, syncing and closing file descriptors. */
#include "io/posix_file.h"
#include "core/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int agree(const struct pario_posix_file *file, int code)
{
    return file->group != NULL ? pario_agree(file->group, code) : code;
}

static int is_first(const struct pario_posix_file *file)
{
    return file->group == NULL || pario_group_rank(file->group) == 0;
}

static int open_flags(int flags)
{
    int both = PARIO_OPEN_READ | PARIO_OPEN_WRITE;
    int oflag = (flags & both) == both     ? O_RDWR
                : flags & PARIO_OPEN_WRITE ? O_WRONLY
                                           : O_RDONLY;

    if (flags & PARIO_OPEN_DIRECT)
        oflag |= O_DIRECT;
    if (flags & PARIO_OPEN_DSYNC)
        oflag |= O_DSYNC;
    return oflag | O_CLOEXEC;
}

static int open_here(const struct pario_target *target, int oflag,
                     struct pario_posix_file *file)
{
    file->fd = pario_own_open(target->path, oflag, 0644);
    if (file->fd < 0)
        return pario_fail_errno(-errno, "cannot open %s", target->path);
    return 0;
}

int pario_posix_open(const struct pario_target *target,
                     struct pario_posix_file *file)
{
    int oflag = open_flags(target->flags);
    int create = target->flags & PARIO_OPEN_CREATE;
    int code = 0;

    file->fd = -1;
    file->position = 0;
    file->group = target->group;
    file->path = strdup(target->path);
    if (file->path == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot open %s", target->path);
    if (code == 0 && is_first(file))
        code =
            open_here(target, create ? oflag | O_CREAT | O_EXCL : oflag, file);
    code = agree(file, code);
    if (code == 0 && !is_first(file))
        code = open_here(target, oflag, file);
    code = agree(file, code);
    if (code != 0) {
        if (file->fd >= 0)
            close(file->fd);
        free(file->path);
    }
    return code;
}

int pario_posix_close(struct pario_posix_file *file)
{
    int code = 0;

    if (close(file->fd) != 0)
        code = pario_fail_errno(-errno, "cannot close %s", file->path);
    code = agree(file, code);
    free(file->path);
    return code;
}

int pario_posix_sync_mine(struct pario_posix_file *file)
{
    if (fsync(file->fd) != 0)
        return pario_fail_errno(
            -errno, "cannot sync %s (the data may not be on the disk)",
            file->path);
    return 0;
}

int pario_posix_sync(struct pario_posix_file *file)
{
    return agree(file, pario_posix_sync_mine(file));
}

int pario_posix_size(struct pario_posix_file *file, int64_t *bytes_p)
{
    struct stat st;

    if (fstat(file->fd, &st) != 0)
        return pario_fail_errno(-errno, "cannot stat %s", file->path);
    *bytes_p = st.st_size;
    return 0;
}

int pario_posix_set_size(struct pario_posix_file *file, int64_t bytes)
{
    int code = 0;

    if (is_first(file) && ftruncate(file->fd, bytes) != 0)
        code = pario_fail_errno(-errno, "cannot set the size of %s to %lld",
                                file->path, (long long)bytes);
    return agree(file, code);
}

int pario_posix_preallocate(struct pario_posix_file *file, int64_t bytes)
{
    int code = 0;

    if (is_first(file)) {
        int err = posix_fallocate(file->fd, 0, bytes);

        if (err != 0)
            code = pario_fail_errno(-err, "cannot allocate %lld bytes for %s",
                                    (long long)bytes, file->path);
    }
    return agree(file, code);
}
