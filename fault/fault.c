/*
 * fault.c - libpariofault.so: stands before the C library's file calls and
 * lets the calls that PARIO_FAULT names fail. See README.md.
 *
 * The real work is done by raw system calls rather than by the next library's
 * functions: nothing has to be looked up, so the calls work before the
 * constructor has run and in any thread, and nothing allocates. Only POSIX
 * AIO, which is no system call, goes on to the C library.
 */
#include "rules.h"

#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(long) == 8, "offsets are passed in one register");

static struct fault_rules rules;

static int rank_from_environment(void)
{
    static const char *const names[] = {"PARIO_RANK", "PMI_RANK",
                                        "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *text = getenv(names[i]);

        if (text && *text)
            return (int)strtol(text, NULL, 10);
    }
    return -1;
}

__attribute__((constructor)) static void fault_start(void)
{
    const char *spec = getenv("PARIO_FAULT");
    const char *log = getenv("PARIO_FAULT_LOG");
    int rank = rank_from_environment();
    char message[256];

    if (!spec)
        return;
    if (fault_rules_parse(&rules, spec, rank, message, sizeof(message))) {
        fprintf(stderr, "PARIO_FAULT: %s in \"%s\"\n", message, spec);
        _exit(2);
    }
    if (log && rules.count > 0) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, log,
                              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

        if (fd < 0) {
            fprintf(stderr, "PARIO_FAULT_LOG: cannot open %s: %s\n", log,
                    strerror(errno));
            _exit(2);
        }
        fault_rules_log_to(fd, rank);
    }
}

/* The name behind fd, when it is a regular file. Keeps errno. */
static bool regular_name(int fd, char *name, size_t len)
{
    char link[64];
    struct stat st;
    int saved = errno;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

    if (ok) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, name, len - 1);
        name[n > 0 ? n : 0] = '\0';
    }
    errno = saved;
    return ok;
}

/* offset -1: at the file's pointer. */
static struct fault_verdict meet(enum fault_op op, int fd, int64_t *offset_p,
                                 size_t len)
{
    struct fault_verdict none = {.flip_at = -1};
    char name[PATH_MAX];

    if (!rules.has_op[op] || !regular_name(fd, name, sizeof(name)))
        return none;
    if (*offset_p < 0 && rules.has_at[op])
        *offset_p = syscall(SYS_lseek, fd, 0L, SEEK_CUR);
    return fault_rules_meet(&rules, op, name, *offset_p, len);
}

/* Meets a call without data; true when it must fail (errno is set). */
static bool fails(enum fault_op op, int fd)
{
    int64_t offset = 0;
    struct fault_verdict verdict = meet(op, fd, &offset, 0);

    if (verdict.error)
        errno = verdict.error;
    return verdict.error != 0;
}

static void flip_bit(const struct fault_verdict *verdict, int64_t offset,
                     const struct iovec *iov, int count, int64_t moved)
{
    int64_t skip = verdict->flip_at < 0 ? 0 : verdict->flip_at - offset;

    if (!verdict->flip || skip >= moved)
        return;
    for (int i = 0; i < count; i++) {
        if (skip < (int64_t)iov[i].iov_len) {
            ((unsigned char *)iov[i].iov_base)[skip] ^= 1;
            return;
        }
        skip -= (int64_t)iov[i].iov_len;
    }
}

struct transfer {
    enum fault_op op;
    int fd;
    int64_t offset; /* -1: the file's pointer */
    int flags;      /* of preadv2 and pwritev2 */
};

static ssize_t move(const struct transfer *t, const struct iovec *iov,
                    int count)
{
    bool reads = t->op == FAULT_READ;

    if (t->flags)
        return syscall(reads ? SYS_preadv2 : SYS_pwritev2, t->fd, iov, count,
                       t->offset, 0L, t->flags);
    if (t->offset < 0 && count == 1)
        return syscall(reads ? SYS_read : SYS_write, t->fd, iov->iov_base,
                       iov->iov_len);
    if (t->offset < 0)
        return syscall(reads ? SYS_readv : SYS_writev, t->fd, iov, count);
    if (count == 1)
        return syscall(reads ? SYS_pread64 : SYS_pwrite64, t->fd, iov->iov_base,
                       iov->iov_len, t->offset);
    return syscall(reads ? SYS_preadv : SYS_pwritev, t->fd, iov, count,
                   t->offset, 0L);
}

/* Copies as many of the vectors as hold `len` bytes; returns their number. */
static int shorten(const struct iovec *iov, int count, size_t len,
                   struct iovec *out)
{
    int n = 0;

    for (; n < count && len > 0; n++) {
        out[n] = iov[n];
        if (out[n].iov_len > len)
            out[n].iov_len = len;
        len -= out[n].iov_len;
    }
    return n;
}

/* A write that never happens; the file's pointer moves all the same. */
static ssize_t dropped(const struct transfer *t, size_t len)
{
    if (t->offset < 0)
        (void)syscall(SYS_lseek, t->fd, (long)len, SEEK_CUR);
    return (ssize_t)len;
}

static ssize_t transfer(const struct transfer *t, const struct iovec *iov,
                        int count)
{
    struct iovec part[IOV_MAX];
    size_t len = 0;
    int64_t offset = t->offset;

    if (!rules.has_op[t->op] || count < 0 || count > IOV_MAX)
        return move(t, iov, count);
    for (int i = 0; i < count; i++)
        len += iov[i].iov_len;
    struct fault_verdict verdict = meet(t->op, t->fd, &offset, len);
    if (verdict.error) {
        errno = verdict.error;
        return -1;
    }
    if (verdict.drop)
        return dropped(t, len);
    if (verdict.shorten && len > 1) {
        count = shorten(iov, count, len / 2, part);
        iov = part;
    }
    ssize_t moved = move(t, iov, count);
    if (moved > 0)
        flip_bit(&verdict, offset, iov, count, moved);
    return moved;
}

/*
 * A negative offset in a call that takes one is the caller's mistake; give it
 * to the kernel, which says EINVAL.
 */
static ssize_t transfer_at(const struct transfer *t, const struct iovec *iov,
                           int count)
{
    if (t->offset < 0) {
        errno = EINVAL;
        return -1;
    }
    return transfer(t, iov, count);
}

/* Reads. */

ssize_t read(int fd, void *buf, size_t len)
{
    struct transfer t = {.op = FAULT_READ, .fd = fd, .offset = -1};
    struct iovec iov = {.iov_base = buf, .iov_len = len};

    return transfer(&t, &iov, 1);
}

ssize_t readv(int fd, const struct iovec *iov, int count)
{
    struct transfer t = {.op = FAULT_READ, .fd = fd, .offset = -1};

    return transfer(&t, iov, count);
}

ssize_t pread(int fd, void *buf, size_t len, off_t offset)
{
    struct transfer t = {.op = FAULT_READ, .fd = fd, .offset = offset};
    struct iovec iov = {.iov_base = buf, .iov_len = len};

    return transfer_at(&t, &iov, 1);
}

ssize_t preadv(int fd, const struct iovec *iov, int count, off_t offset)
{
    struct transfer t = {.op = FAULT_READ, .fd = fd, .offset = offset};

    return transfer_at(&t, iov, count);
}

ssize_t preadv2(int fd, const struct iovec *iov, int count, off_t offset,
                int flags)
{
    struct transfer t = {
        .op = FAULT_READ, .fd = fd, .offset = offset, .flags = flags};

    return offset == -1 ? transfer(&t, iov, count)
                        : transfer_at(&t, iov, count);
}

/* Writes. The kernel only reads from these buffers. */

static struct iovec source(const void *buf, size_t len)
{
    struct iovec iov = {.iov_len = len};

    memcpy(&iov.iov_base, &buf, sizeof(buf));
    return iov;
}

ssize_t write(int fd, const void *buf, size_t len)
{
    struct transfer t = {.op = FAULT_WRITE, .fd = fd, .offset = -1};
    struct iovec iov = source(buf, len);

    return transfer(&t, &iov, 1);
}

ssize_t writev(int fd, const struct iovec *iov, int count)
{
    struct transfer t = {.op = FAULT_WRITE, .fd = fd, .offset = -1};

    return transfer(&t, iov, count);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t offset)
{
    struct transfer t = {.op = FAULT_WRITE, .fd = fd, .offset = offset};
    struct iovec iov = source(buf, len);

    return transfer_at(&t, &iov, 1);
}

ssize_t pwritev(int fd, const struct iovec *iov, int count, off_t offset)
{
    struct transfer t = {.op = FAULT_WRITE, .fd = fd, .offset = offset};

    return transfer_at(&t, iov, count);
}

ssize_t pwritev2(int fd, const struct iovec *iov, int count, off_t offset,
                 int flags)
{
    struct transfer t = {
        .op = FAULT_WRITE, .fd = fd, .offset = offset, .flags = flags};

    return offset == -1 ? transfer(&t, iov, count)
                        : transfer_at(&t, iov, count);
}

/* POSIX AIO. The C library's own threads move the data, so a request meets
 * its fault when it is handed in. */

typedef int aio_fn(struct aiocb *block);

/* POSIX gives the address of a function as that of an object. */
static aio_fn *next_function(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    aio_fn *fn;

    memcpy(&fn, &found, sizeof(fn));
    return fn;
}

static int hand_in(enum fault_op op, struct aiocb *block, const char *name)
{
    int64_t offset = block->aio_offset;
    struct fault_verdict verdict =
        meet(op, block->aio_fildes, &offset, block->aio_nbytes);
    aio_fn *fn = next_function(name);

    if (verdict.error || !fn) {
        errno = verdict.error ? verdict.error : ENOSYS;
        return -1;
    }
    if (verdict.drop) {
        block->__error_code = 0;
        block->__return_value = (ssize_t)block->aio_nbytes;
        return 0;
    }
    return fn(block);
}

int aio_read(struct aiocb *block)
{
    return hand_in(FAULT_READ, block, "aio_read");
}

int aio_write(struct aiocb *block)
{
    return hand_in(FAULT_WRITE, block, "aio_write");
}

/* Names of the same calls in programs built for large files or fortified. */

ssize_t pread64(int fd, void *buf, size_t len, off64_t offset)
{
    return pread(fd, buf, len, offset);
}

ssize_t preadv64(int fd, const struct iovec *iov, int count, off64_t offset)
{
    return preadv(fd, iov, count, offset);
}

ssize_t preadv64v2(int fd, const struct iovec *iov, int count, off64_t offset,
                   int flags)
{
    return preadv2(fd, iov, count, offset, flags);
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t offset)
{
    return pwrite(fd, buf, len, offset);
}

ssize_t pwritev64(int fd, const struct iovec *iov, int count, off64_t offset)
{
    return pwritev(fd, iov, count, offset);
}

ssize_t pwritev64v2(int fd, const struct iovec *iov, int count, off64_t offset,
                    int flags)
{
    return pwritev2(fd, iov, count, offset, flags);
}

ssize_t __read_chk(int fd, void *buf, size_t len, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t len, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t len, off64_t offset,
                      size_t room);

ssize_t __read_chk(int fd, void *buf, size_t len, size_t room)
{
    if (len > room)
        abort();
    return read(fd, buf, len);
}

ssize_t __pread_chk(int fd, void *buf, size_t len, off_t offset, size_t room)
{
    if (len > room)
        abort();
    return pread(fd, buf, len, offset);
}

ssize_t __pread64_chk(int fd, void *buf, size_t len, off64_t offset,
                      size_t room)
{
    return __pread_chk(fd, buf, len, offset, room);
}

/* Open and close. */

/* The absolute name that an open would use; false when it is cut off. */
static bool absolute_name(int dirfd, const char *path, char *name, size_t len)
{
    size_t used = 0;

    if (path[0] != '/') {
        char link[64] = "/proc/self/cwd";

        if (dirfd != AT_FDCWD)
            snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
        ssize_t n = readlink(link, name, len - 1);
        if (n < 0)
            return false;
        name[n] = '/';
        used = (size_t)n + 1;
    }
    return (size_t)snprintf(name + used, len - used, "%s", path) < len - used;
}

static int open_at(int dirfd, const char *path, int flags, mode_t mode)
{
    char name[PATH_MAX];
    struct stat st;

    if (rules.has_op[FAULT_OPEN]) {
        int saved = errno;
        bool absent = fstatat(dirfd, path, &st, 0) != 0;
        bool counts = (absent || S_ISREG(st.st_mode)) &&
                      absolute_name(dirfd, path, name, sizeof(name));

        errno = saved;
        if (counts) {
            struct fault_verdict verdict =
                fault_rules_meet(&rules, FAULT_OPEN, name, 0, 0);

            if (verdict.error) {
                errno = verdict.error;
                return -1;
            }
        }
    }
    return (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

static bool takes_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;

    if (takes_mode(flags)) {
        va_list args;

        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int dirfd, const char *path, int flags, ...)
{
    mode_t mode = 0;

    if (takes_mode(flags)) {
        va_list args;

        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    return open_at(dirfd, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    mode_t mode = 0;

    if (takes_mode(flags)) {
        va_list args;

        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat64(int dirfd, const char *path, int flags, ...)
{
    mode_t mode = 0;

    if (takes_mode(flags)) {
        va_list args;

        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    return open_at(dirfd, path, flags, mode);
}

int creat(const char *path, mode_t mode)
{
    return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int creat64(const char *path, mode_t mode)
{
    return creat(path, mode);
}

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);

int __open_2(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0);
}

int __openat_2(int dirfd, const char *path, int flags)
{
    return open_at(dirfd, path, flags, 0);
}

int __openat64_2(int dirfd, const char *path, int flags)
{
    return open_at(dirfd, path, flags, 0);
}

/* As in the kernel, a close that reports an error has closed the file. */
int close(int fd)
{
    int64_t offset = 0;
    struct fault_verdict verdict = meet(FAULT_CLOSE, fd, &offset, 0);
    int closed = (int)syscall(SYS_close, fd);

    if (closed == 0 && verdict.error) {
        errno = verdict.error;
        return -1;
    }
    return closed;
}

/* Sync, size, space. */

/* True when the call is not to be made: *result_p is then what it returns. */
static bool sync_is_met(int fd, int *result_p)
{
    int64_t offset = 0;
    struct fault_verdict verdict = meet(FAULT_FSYNC, fd, &offset, 0);

    if (verdict.error)
        errno = verdict.error;
    *result_p = verdict.error ? -1 : 0;
    return verdict.error || verdict.drop;
}

int fsync(int fd)
{
    int result;

    return sync_is_met(fd, &result) ? result : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    int result;

    return sync_is_met(fd, &result) ? result : (int)syscall(SYS_fdatasync, fd);
}

int syncfs(int fd)
{
    int result;

    return sync_is_met(fd, &result) ? result : (int)syscall(SYS_syncfs, fd);
}

int sync_file_range(int fd, off64_t offset, off64_t len, unsigned int flags)
{
    int result;

    return sync_is_met(fd, &result)
               ? result
               : (int)syscall(SYS_sync_file_range, fd, offset, len, flags);
}

/*
 * The line of /proc/self/maps that holds addr, read with a small buffer;
 * its path, or an empty name for memory without a file.
 */
static void mapped_name(const void *addr, char *name, size_t len)
{
    char line[PATH_MAX + 128];
    size_t used = 0;
    char c = 0;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps",
                          O_RDONLY | O_CLOEXEC, 0);

    name[0] = '\0';
    while (fd >= 0 && syscall(SYS_read, fd, &c, 1UL) == 1) {
        if (c != '\n' && used < sizeof(line) - 1) {
            line[used++] = c;
            continue;
        }
        line[used] = '\0';
        used = 0;
        char *end = NULL;
        uintptr_t low = strtoul(line, &end, 16);
        uintptr_t high = *end == '-' ? strtoul(end + 1, NULL, 16) : 0;
        if ((uintptr_t)addr < low || (uintptr_t)addr >= high)
            continue;
        const char *path = strchr(line, '/');
        snprintf(name, len, "%s", path ? path : "");
        break;
    }
    if (fd >= 0)
        (void)syscall(SYS_close, fd);
}

int msync(void *addr, size_t len, int flags)
{
    char name[PATH_MAX];

    if (rules.has_op[FAULT_FSYNC]) {
        mapped_name(addr, name, sizeof(name));
        struct fault_verdict verdict = {.flip_at = -1};
        if (name[0])
            verdict = fault_rules_meet(&rules, FAULT_FSYNC, name, 0, 0);
        if (verdict.error) {
            errno = verdict.error;
            return -1;
        }
        if (verdict.drop)
            return 0;
    }
    return (int)syscall(SYS_msync, addr, len, flags);
}

int ftruncate(int fd, off_t len)
{
    return fails(FAULT_FTRUNCATE, fd) ? -1
                                      : (int)syscall(SYS_ftruncate, fd, len);
}

int ftruncate64(int fd, off64_t len)
{
    return ftruncate(fd, len);
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    return fails(FAULT_FALLOCATE, fd)
               ? -1
               : (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t len)
{
    return fallocate(fd, mode, offset, len);
}

/*
 * Returns its error. The C library's fallback for file systems without
 * fallocate (writing a byte to each block) is not here: EOPNOTSUPP instead.
 */
int posix_fallocate(int fd, off_t offset, off_t len)
{
    int saved = errno;
    int error = fallocate(fd, 0, offset, len) ? errno : 0;

    errno = saved;
    return error;
}

int posix_fallocate64(int fd, off64_t offset, off64_t len)
{
    return posix_fallocate(fd, offset, len);
}

/* Mappings. */

/* As the file, but touching it raises SIGBUS, as a page does that the device
 * cannot deliver: a file without any bytes. */
static void *map_nothing(void *addr, size_t len, int prot, int flags)
{
    int fd = (int)syscall(SYS_memfd_create, "pariofault", 0UL);
    void *mem;
    int saved;

    if (fd < 0)
        return MAP_FAILED;
    mem = (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, 0L);
    saved = errno;
    (void)syscall(SYS_close, fd);
    errno = saved;
    return mem;
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
    int64_t from = offset;
    struct fault_verdict verdict = {.flip_at = -1};

    if (fd >= 0 && (flags & MAP_ANONYMOUS) == 0)
        verdict = meet(FAULT_MMAP, fd, &from, len);
    if (verdict.error) {
        errno = verdict.error;
        return MAP_FAILED;
    }
    if (verdict.bus)
        return map_nothing(addr, len, prot, flags);
    return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd,
             off64_t offset)
{
    return mmap(addr, len, prot, flags, fd, offset);
}
