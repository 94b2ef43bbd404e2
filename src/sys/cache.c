/* sys/cache.c - the page cache. */
#include "sys/cache.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef __NR_cachestat
#define __NR_cachestat 451 /* Linux 6.5, the same on all machines */
#endif

/* mincore is asked for this many pages at a time. */
#define WINDOW_PAGES 16384

const char *const pario_cache_names[] = {
    [PARIO_CACHE_UNKNOWN] = "unknown",
    [PARIO_CACHE_DISK] = "disk",
    [PARIO_CACHE_MIXED] = "mixed",
    [PARIO_CACHE_CACHE] = "cache",
};

/* As cachestat counts them. */
struct pages {
    uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

static int count_pages(int fd, int64_t offset, int64_t len,
                       struct pages *pages_p)
{
    struct {
        uint64_t offset, len; /* 0: to the end */
    } range = {(uint64_t)offset, (uint64_t)len};

    return syscall(__NR_cachestat, fd, &range, pages_p, 0) == 0 ? 0 : -errno;
}

int pario_cache_resident_cachestat(int fd, int64_t offset, int64_t len,
                                   int64_t *bytes_p)
{
    struct pages pages = {0};
    int code = count_pages(fd, offset, len, &pages);
    int64_t bytes;

    if (code != 0)
        return code;
    bytes = (int64_t)pages.cache * sysconf(_SC_PAGESIZE);
    *bytes_p = bytes < len ? bytes : len;
    return 0;
}

/* Pages of [first, first + count) that are resident. */
static int count_window(int fd, int64_t first, size_t count, int64_t *pages_p)
{
    static _Thread_local unsigned char seen[WINDOW_PAGES];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int64_t pages = 0;
    int code = 0;
    void *map = mmap(NULL, count * page, PROT_READ, MAP_SHARED, fd,
                     (off_t)first * (off_t)page);

    if (map == MAP_FAILED)
        return -errno;
    if (mincore(map, count * page, seen) != 0)
        code = -errno;
    munmap(map, count * page);
    if (code != 0)
        return code;
    for (size_t i = 0; i < count; i++)
        pages += seen[i] & 1;
    *pages_p += pages;
    return 0;
}

int pario_cache_resident_mincore(int fd, int64_t offset, int64_t len,
                                 int64_t *bytes_p)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t first = offset / page;
    int64_t end = (offset + len + page - 1) / page;
    int64_t pages = 0;

    while (first < end) {
        int64_t count = end - first < WINDOW_PAGES ? end - first : WINDOW_PAGES;
        int code = count_window(fd, first, (size_t)count, &pages);

        if (code != 0)
            return code;
        first += count;
    }
    *bytes_p = pages * page < len ? pages * page : len;
    return 0;
}

/* A file of an overlay is mapped by way of the file below it, which has the
 * pages; cachestat looks at its own, which has none. */
static int is_overlay(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

int pario_cache_unwritten(const char *path, int64_t *bytes_p)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct pages pages = {0};
    struct stat st;
    int code;

    if (fd < 0)
        return -errno;
    /* The pages of what is in a directory are not its own. */
    if (fstat(fd, &st) != 0)
        code = -errno;
    else if (S_ISDIR(st.st_mode) || is_overlay(fd))
        code = -EOPNOTSUPP;
    else
        code = count_pages(fd, 0, 0, &pages);
    close(fd);
    if (code == 0)
        *bytes_p =
            (int64_t)(pages.dirty + pages.writeback) * sysconf(_SC_PAGESIZE);
    else if (code == -ENOSYS || code == -EPERM)
        code = -EOPNOTSUPP;
    return code;
}

static int resident(int fd, int64_t offset, int64_t len, int64_t *bytes_p)
{
    struct stat st;
    int code = -EOPNOTSUPP;

    if (fstat(fd, &st) != 0)
        return -errno;
    if (len == 0 || len > st.st_size - offset)
        len = st.st_size - offset;
    if (len <= 0) {
        *bytes_p = 0;
        return 0;
    }
    if (!is_overlay(fd))
        code = pario_cache_resident_cachestat(fd, offset, len, bytes_p);
    if (code == -ENOSYS || code == -EOPNOTSUPP || code == -EPERM)
        code = pario_cache_resident_mincore(fd, offset, len, bytes_p);
    return code;
}

int pario_cache_resident(const char *path, int64_t offset, int64_t len,
                         int64_t *bytes_p)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int code;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot open %s", path);
    code = resident(fd, offset, len, bytes_p);
    close(fd);
    if (code != 0)
        return pario_fail_errno(
            code, "cannot ask how much of %s is in the page cache", path);
    return 0;
}

static int in_memory(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 &&
           (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/* For all files of the node, and only for root: 1 pages, 2 names and inodes. */
static int drop_caches(const char *what)
{
    int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    int code = 0;

    if (fd < 0)
        return -errno;
    if (write(fd, what, 1) < 0)
        code = -errno;
    close(fd);
    return code;
}

int pario_cache_forget_all(void)
{
    return drop_caches("3");
}

static int evict(int fd, int64_t *left_p)
{
    int64_t left = 0;
    int code;

    if (fsync(fd) != 0)
        return -errno;
    /* Pages still in a CPU's batch survive the first call. */
    for (int attempt = 0; attempt < 3; attempt++) {
        code = -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (code == 0)
            code = resident(fd, 0, 0, &left);
        if (code != 0 || left == 0)
            break;
    }
    if (code == 0 && left > 0 && !in_memory(fd)) {
        (void)!drop_caches("1"); /* the last resort; what is left is reported */
        code = resident(fd, 0, 0, &left);
    }
    if (code == 0)
        *left_p = left;
    return code;
}

int pario_cache_evict(const char *path, int64_t *left_p)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int code;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot open %s", path);
    code = evict(fd, left_p);
    close(fd);
    if (code != 0)
        return pario_fail_errno(code, "cannot remove %s from the page cache",
                                path);
    return 0;
}
