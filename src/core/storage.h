/* core/storage.h - descriptors and names: whole lengths, durability, space. */
#ifndef PARIO_CORE_STORAGE_H
#define PARIO_CORE_STORAGE_H

#include "core/error.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Local. All of len or an error, without a message: -EIO where nothing more can
 * be written, PARIO_ESHORT at the end of the file. Retries are part of the
 * call: an application would pay for them. In the timed loops: inline. */
static inline int pario_pwrite_all(int fd, const void *buf, size_t len,
                                   int64_t offset)
{
    const char *pos = buf;

    while (len > 0) {
        ssize_t n = pwrite(fd, pos, len, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        pos += n;
        len -= (size_t)n;
        offset += n;
    }
    return 0;
}

static inline int pario_pread_all(int fd, void *buf, size_t len, int64_t offset)
{
    char *pos = buf;

    while (len > 0) {
        ssize_t n = pread(fd, pos, len, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : PARIO_ESHORT;
        pos += n;
        len -= (size_t)n;
        offset += n;
    }
    return 0;
}

/* Local, the same. What the file has of it; behind its end zeros. */
int pario_pread_there(int fd, void *buf, size_t len,
                      int64_t offset) PARIO_MUST_USE;
int pario_write_all(int fd, const void *buf, size_t len) PARIO_MUST_USE;

/* Local. fsync of a file or directory by name. */
int pario_sync_path(const char *path) PARIO_MUST_USE;

/* Local, after a failure with this code. If the disk of dir has less than
 * need_bytes left, that is said in the message and -ENOSPC returned: libraries
 * and servers often keep it to themselves. Else the code. */
int pario_blame_space(const char *dir, int64_t need_bytes, int code);

/* Local. Closes this descriptor and all above. */
void pario_close_from(unsigned first);

#endif
