/* core/storage.c - whole lengths, durability by name, full disks. */
#include "core/storage.h"

#include "core/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

int pario_pread_there(int fd, void *buf, size_t len, int64_t offset)
{
    int code;

    memset(buf, 0, len);
    code = pario_pread_all(fd, buf, len, offset);
    return code == PARIO_ESHORT ? 0 : code;
}

int pario_write_all(int fd, const void *buf, size_t len)
{
    const char *pos = buf;

    while (len > 0) {
        ssize_t n = write(fd, pos, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        pos += n;
        len -= (size_t)n;
    }
    return 0;
}

int pario_sync_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), code = 0;

    if (fd < 0 || fsync(fd) != 0)
        code = pario_fail_errno(-errno, "cannot make %s durable", path);
    if (fd >= 0)
        close(fd);
    return code;
}

int pario_blame_space(const char *dir, int64_t need_bytes, int code)
{
    char message[768], have[PARIO_UNITS_LEN], need[PARIO_UNITS_LEN];
    struct statvfs vfs;
    int64_t left;

    if (code == 0 || strstr(pario_error_message(), strerror(ENOSPC)) != NULL ||
        statvfs(dir, &vfs) != 0)
        return code;
    left = (int64_t)vfs.f_bavail * (int64_t)vfs.f_frsize;
    if (left >= need_bytes)
        return code;
    snprintf(message, sizeof(message), "%s", pario_error_message());
    return pario_fail(-ENOSPC, "%s: %s (%s free in %s, %s needed)", message,
                      strerror(ENOSPC), pario_size_print_short(left, have), dir,
                      pario_size_print_short(need_bytes, need));
}

void pario_close_from(unsigned first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0U) == 0)
        return;
#endif
    /* Before Linux 5.9. */
    for (long fd = first, end = sysconf(_SC_OPEN_MAX); fd < end; fd++)
        close((int)fd);
}
