/* posix.c - descriptors: opening and moving data. */
#include "recorder.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_ARG(file) rec_file_arg(file)

/* Opening. */

int rec_opened(const struct rec_span *span, int fd, int64_t path, int flags,
               mode_t mode)
{
    struct rec_file *file = NULL;
    int64_t bits = rec_open_flags(flags);
    int64_t result = rec_status(fd);
    int saved = errno;

    if (fd >= 0)
        file = rec_file_new(path, bits);
    if (file != NULL)
        rec_fd_set(fd, file);
    errno = saved;
    REC_END(span, PARIO_OP_open, result, path,
            file != NULL ? FILE_ARG(file) : -1, bits,
            (flags & O_CREAT) != 0 ? (int64_t)(mode & 07777) : 0);
    return fd;
}

static int open_by(int (*call)(int, const char *, int, ...), int at,
                   const char *path, int flags, mode_t mode)
{
    struct rec_span span;
    int64_t number;

    if (!rec_is_on())
        return call(at, path, flags, mode);
    number = rec_path(at, path);
    if (number < 0 || !rec_begin(&span))
        return call(at, path, flags, mode);
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return rec_nameless(&span, call(at, path, flags, mode), at, path, flags,
                            mode);
    return rec_opened(&span, call(at, path, flags, mode), number, flags, mode);
}

static mode_t take_mode(int flags, va_list args)
{
    return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;
}

#define OPEN(name)                                                             \
    REC_PUBLIC int name(const char *path, int flags, ...)                      \
    {                                                                          \
        va_list args;                                                          \
        mode_t mode;                                                           \
                                                                               \
        va_start(args, flags);                                                 \
        mode = take_mode(flags, args);                                         \
        va_end(args);                                                          \
        return open_by(NEXT(openat), AT_FDCWD, path, flags, mode);             \
    }
#define OPENAT(name)                                                           \
    REC_PUBLIC int name(int at, const char *path, int flags, ...)              \
    {                                                                          \
        va_list args;                                                          \
        mode_t mode;                                                           \
                                                                               \
        va_start(args, flags);                                                 \
        mode = take_mode(flags, args);                                         \
        va_end(args);                                                          \
        return open_by(NEXT(openat), at, path, flags, mode);                   \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

REC_PUBLIC int creat(const char *path, mode_t mode)
{
    return open_by(NEXT(openat), AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC,
                   mode);
}

REC_PUBLIC int creat64(const char *path, mode_t mode)
{
    return creat(path, mode);
}

/* What programs call that were built with _FORTIFY_SOURCE. */
REC_PUBLIC int __open_2(const char *path, int flags);
REC_PUBLIC int __open64_2(const char *path, int flags);
REC_PUBLIC int __openat_2(int at, const char *path, int flags);
REC_PUBLIC int __openat64_2(int at, const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open_by(NEXT(openat), AT_FDCWD, path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
    return __open_2(path, flags);
}

int __openat_2(int at, const char *path, int flags)
{
    return open_by(NEXT(openat), at, path, flags, 0);
}

int __openat64_2(int at, const char *path, int flags)
{
    return __openat_2(at, path, flags);
}

/* Moving data. */

#define MOVE(name, op, fd_type, params, args, wanted, ...)                     \
    REC_PUBLIC ssize_t name params                                             \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_file(fd, &span);                     \
        ssize_t n;                                                             \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name) args;                                            \
        n = NEXT(name) args;                                                   \
        REC_END(&span, PARIO_OP_##op, rec_moved(n, (int64_t)(wanted)),         \
                FILE_ARG(file), __VA_ARGS__);                                  \
        return n;                                                              \
    }

static int64_t total(const struct iovec *iov, int count)
{
    int64_t len = 0;

    for (int i = 0; i < count; i++)
        len += (int64_t)iov[i].iov_len;
    return len;
}

#define LEN (int64_t) len
#define AT (int64_t) offset

MOVE(read, read, int, (int fd, void *buf, size_t len), (fd, buf, len), len, LEN)
MOVE(write, write, int, (int fd, const void *buf, size_t len), (fd, buf, len),
     len, LEN)
MOVE(pread, pread, int, (int fd, void *buf, size_t len, off_t offset),
     (fd, buf, len, offset), len, AT, LEN)
MOVE(pread64, pread, int, (int fd, void *buf, size_t len, off64_t offset),
     (fd, buf, len, offset), len, AT, LEN)
MOVE(pwrite, pwrite, int, (int fd, const void *buf, size_t len, off_t offset),
     (fd, buf, len, offset), len, AT, LEN)
MOVE(pwrite64, pwrite, int,
     (int fd, const void *buf, size_t len, off64_t offset),
     (fd, buf, len, offset), len, AT, LEN)

#define VECTOR (int fd, const struct iovec *iov, int count)
#define VECTOR_AT(type)                                                        \
    (int fd, const struct iovec *iov, int count, type offset)
#define VECTOR_LEN total(iov, count)

MOVE(readv, readv, int, VECTOR, (fd, iov, count), VECTOR_LEN, VECTOR_LEN, count)
MOVE(writev, writev, int, VECTOR, (fd, iov, count), VECTOR_LEN, VECTOR_LEN,
     count)
MOVE(preadv, preadv, int, VECTOR_AT(off_t), (fd, iov, count, offset),
     VECTOR_LEN, AT, VECTOR_LEN, count)
MOVE(preadv64, preadv, int, VECTOR_AT(off64_t), (fd, iov, count, offset),
     VECTOR_LEN, AT, VECTOR_LEN, count)
MOVE(pwritev, pwritev, int, VECTOR_AT(off_t), (fd, iov, count, offset),
     VECTOR_LEN, AT, VECTOR_LEN, count)
MOVE(pwritev64, pwritev, int, VECTOR_AT(off64_t), (fd, iov, count, offset),
     VECTOR_LEN, AT, VECTOR_LEN, count)

/* With flags, which are not recorded; -1 is the file's own position. */
#define VECTOR_FLAGS(name, at_op, op, type)                                    \
    REC_PUBLIC ssize_t name(int fd, const struct iovec *iov, int count,        \
                            type offset, int flags)                            \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_file(fd, &span);                     \
        int64_t result;                                                        \
        ssize_t n;                                                             \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name)(fd, iov, count, offset, flags);                  \
        n = NEXT(name)(fd, iov, count, offset, flags);                         \
        result = rec_moved(n, VECTOR_LEN);                                     \
        if (offset == -1)                                                      \
            REC_END(&span, PARIO_OP_##op, result, FILE_ARG(file), VECTOR_LEN,  \
                    count);                                                    \
        else                                                                   \
            REC_END(&span, PARIO_OP_##at_op, result, FILE_ARG(file), AT,       \
                    VECTOR_LEN, count);                                        \
        return n;                                                              \
    }

VECTOR_FLAGS(preadv2, preadv, readv, off_t)
VECTOR_FLAGS(preadv64v2, preadv, readv, off64_t)
VECTOR_FLAGS(pwritev2, pwritev, writev, off_t)
VECTOR_FLAGS(pwritev64v2, pwritev, writev, off64_t)

REC_PUBLIC ssize_t __read_chk(int fd, void *buf, size_t len, size_t room);
REC_PUBLIC ssize_t __pread_chk(int fd, void *buf, size_t len, off_t offset,
                               size_t room);
REC_PUBLIC ssize_t __pread64_chk(int fd, void *buf, size_t len, off64_t offset,
                                 size_t room);
MOVE(__read_chk, read, int, (int fd, void *buf, size_t len, size_t room),
     (fd, buf, len, room), len, LEN)
MOVE(__pread_chk, pread, int,
     (int fd, void *buf, size_t len, off_t offset, size_t room),
     (fd, buf, len, offset, room), len, AT, LEN)
MOVE(__pread64_chk, pread, int,
     (int fd, void *buf, size_t len, off64_t offset, size_t room),
     (fd, buf, len, offset, room), len, AT, LEN)

/* The rest of the calls on descriptors. */

static off64_t seek(int fd, off64_t offset, int whence)
{
    struct rec_span span;
    struct rec_file *file = rec_begin_file(fd, &span);
    off64_t at;

    if (file == NULL)
        return NEXT(lseek64)(fd, offset, whence);
    at = NEXT(lseek64)(fd, offset, whence);
    if (whence == SEEK_SET || whence == SEEK_CUR || whence == SEEK_END)
        REC_END(&span,
                whence == SEEK_SET   ? PARIO_OP_lseek_set
                : whence == SEEK_CUR ? PARIO_OP_lseek_cur
                                     : PARIO_OP_lseek_end,
                at < 0 ? -errno : 0, FILE_ARG(file), (int64_t)offset);
    else
        rec_cancel();
    return at;
}

REC_PUBLIC off_t lseek(int fd, off_t offset, int whence)
{
    return seek(fd, offset, whence);
}

REC_PUBLIC off64_t lseek64(int fd, off64_t offset, int whence)
{
    return seek(fd, offset, whence);
}

/* Calls that return 0 or -1, or an error number. */
#define CALL(name, op, status, params, args, ...)                              \
    REC_PUBLIC int name params                                                 \
    {                                                                          \
        struct rec_span span;                                                  \
        struct rec_file *file = rec_begin_file(fd, &span);                     \
        int rc;                                                                \
                                                                               \
        if (file == NULL)                                                      \
            return NEXT(name) args;                                            \
        rc = NEXT(name) args;                                                  \
        REC_END(&span, PARIO_OP_##op, status, __VA_ARGS__);                    \
        return rc;                                                             \
    }

CALL(fsync, fsync, rec_status(rc), (int fd), (fd), FILE_ARG(file))
CALL(fdatasync, fdatasync, rec_status(rc), (int fd), (fd), FILE_ARG(file))
CALL(ftruncate, ftruncate, rec_status(rc), (int fd, off_t len), (fd, len),
     FILE_ARG(file), LEN)
CALL(ftruncate64, ftruncate, rec_status(rc), (int fd, off64_t len), (fd, len),
     FILE_ARG(file), LEN)
CALL(fallocate, fallocate, rec_status(rc),
     (int fd, int mode, off_t offset, off_t len), (fd, mode, offset, len),
     FILE_ARG(file), mode, AT, LEN)
CALL(fallocate64, fallocate, rec_status(rc),
     (int fd, int mode, off64_t offset, off64_t len), (fd, mode, offset, len),
     FILE_ARG(file), mode, AT, LEN)
CALL(posix_fallocate, fallocate, -rc, (int fd, off_t offset, off_t len),
     (fd, offset, len), FILE_ARG(file), 0, AT, LEN)
CALL(posix_fallocate64, fallocate, -rc, (int fd, off64_t offset, off64_t len),
     (fd, offset, len), FILE_ARG(file), 0, AT, LEN)
CALL(fstat, fstat, rec_status(rc), (int fd, struct stat *st), (fd, st),
     FILE_ARG(file))
CALL(fstat64, fstat, rec_status(rc), (int fd, struct stat64 *st), (fd, st),
     FILE_ARG(file))

static void *map(void *address, size_t len, int protection, int flags, int fd,
                 off64_t offset)
{
    struct rec_span span;
    struct rec_file *file = rec_begin_file(fd, &span);
    void *place;

    if (file == NULL)
        return NEXT(mmap64)(address, len, protection, flags, fd, offset);
    place = NEXT(mmap64)(address, len, protection, flags, fd, offset);
    REC_END(&span, PARIO_OP_mmap, place == MAP_FAILED ? -errno : 0,
            FILE_ARG(file), AT, LEN,
            ((protection & PROT_READ) != 0 ? PARIO_TRACE_READ : 0) |
                ((protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0
                     ? PARIO_TRACE_WRITE
                     : 0));
    return place;
}

REC_PUBLIC void *mmap(void *address, size_t len, int protection, int flags,
                      int fd, off_t offset)
{
    return map(address, len, protection, flags, fd, offset);
}

REC_PUBLIC void *mmap64(void *address, size_t len, int protection, int flags,
                        int fd, off64_t offset)
{
    return map(address, len, protection, flags, fd, offset);
}
