/* names.c - calls on paths: what a metadata server sees. */
#include "recorder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path's number, and the call begun; -1: leave it alone. */
static int64_t begin(int at, const char *path, struct rec_span *span)
{
    int64_t number = rec_is_on() ? rec_path(at, path) : -1;

    return number >= 0 && rec_begin(span) ? number : -1;
}

#define CALL(name, op, at, params, args, ...)                                  \
    REC_PUBLIC int name params                                                 \
    {                                                                          \
        struct rec_span span;                                                  \
        int64_t number = begin(at, path, &span);                               \
        int rc;                                                                \
                                                                               \
        if (number < 0)                                                        \
            return NEXT(name) args;                                            \
        rc = NEXT(name) args;                                                  \
        REC_END(&span, PARIO_OP_##op, rec_status(rc), __VA_ARGS__);            \
        return rc;                                                             \
    }

CALL(stat, stat, AT_FDCWD, (const char *path, struct stat *st), (path, st),
     number)
CALL(stat64, stat, AT_FDCWD, (const char *path, struct stat64 *st), (path, st),
     number)
CALL(lstat, stat, AT_FDCWD, (const char *path, struct stat *st), (path, st),
     number)
CALL(lstat64, stat, AT_FDCWD, (const char *path, struct stat64 *st), (path, st),
     number)
CALL(fstatat, stat, dir,
     (int dir, const char *path, struct stat *st, int flags),
     (dir, path, st, flags), number)
CALL(fstatat64, stat, dir,
     (int dir, const char *path, struct stat64 *st, int flags),
     (dir, path, st, flags), number)
CALL(statx, stat, dir,
     (int dir, const char *path, int flags, unsigned int mask,
      struct statx *st),
     (dir, path, flags, mask, st), number)
CALL(access, stat, AT_FDCWD, (const char *path, int mode), (path, mode), number)
CALL(faccessat, stat, dir, (int dir, const char *path, int mode, int flags),
     (dir, path, mode, flags), number)
CALL(mkdir, mkdir, AT_FDCWD, (const char *path, mode_t mode), (path, mode),
     number, (int64_t)mode)
CALL(mkdirat, mkdir, dir, (int dir, const char *path, mode_t mode),
     (dir, path, mode), number, (int64_t)mode)
CALL(rmdir, rmdir, AT_FDCWD, (const char *path), (path), number)
CALL(unlink, unlink, AT_FDCWD, (const char *path), (path), number)
CALL(remove, unlink, AT_FDCWD, (const char *path), (path), number)
CALL(truncate, truncate, AT_FDCWD, (const char *path, off_t len), (path, len),
     number, (int64_t)len)
CALL(truncate64, truncate, AT_FDCWD, (const char *path, off64_t len),
     (path, len), number, (int64_t)len)
CALL(rename, rename, AT_FDCWD, (const char *path, const char *to), (path, to),
     number, rec_path(AT_FDCWD, to))
CALL(renameat, rename, dir,
     (int dir, const char *path, int to_dir, const char *to),
     (dir, path, to_dir, to), number, rec_path(to_dir, to))

/* An exchange of two names is not recorded. */
REC_PUBLIC int renameat2(int dir, const char *path, int to_dir, const char *to,
                         unsigned flags)
{
    struct rec_span span;
    int64_t number =
        (flags & RENAME_EXCHANGE) == 0 ? begin(dir, path, &span) : -1;
    int rc;

    if (number < 0)
        return NEXT(renameat2)(dir, path, to_dir, to, flags);
    rc = NEXT(renameat2)(dir, path, to_dir, to, flags);
    REC_END(&span, PARIO_OP_rename, rec_status(rc), number,
            rec_path(to_dir, to));
    return rc;
}

/* What programs call that were built before glibc 2.33; the structures are the
 * same. */
#if defined(__x86_64__) && defined(__LP64__)
#define OLD_STAT(name, params, call)                                           \
    REC_PUBLIC int name params;                                                \
    int name params                                                            \
    {                                                                          \
        (void)version;                                                         \
        return call;                                                           \
    }

OLD_STAT(__xstat, (int version, const char *path, struct stat *st),
         stat(path, st))
OLD_STAT(__xstat64, (int version, const char *path, struct stat64 *st),
         stat64(path, st))
OLD_STAT(__lxstat, (int version, const char *path, struct stat *st),
         lstat(path, st))
OLD_STAT(__lxstat64, (int version, const char *path, struct stat64 *st),
         lstat64(path, st))
OLD_STAT(__fxstat, (int version, int fd, struct stat *st), fstat(fd, st))
OLD_STAT(__fxstat64, (int version, int fd, struct stat64 *st), fstat64(fd, st))
OLD_STAT(__fxstatat,
         (int version, int dir, const char *path, struct stat *st, int flags),
         fstatat(dir, path, st, flags))
OLD_STAT(__fxstatat64,
         (int version, int dir, const char *path, struct stat64 *st, int flags),
         fstatat64(dir, path, st, flags))
#endif

REC_PUBLIC int unlinkat(int dir, const char *path, int flags)
{
    struct rec_span span;
    int64_t number = begin(dir, path, &span);
    int rc;

    if (number < 0)
        return NEXT(unlinkat)(dir, path, flags);
    rc = NEXT(unlinkat)(dir, path, flags);
    REC_END(&span,
            (flags & AT_REMOVEDIR) != 0 ? PARIO_OP_rmdir : PARIO_OP_unlink,
            rec_status(rc), number);
    return rc;
}

/* A folder that is read is one call, from opening to closing; what is in
 * between is counted. Few are open at a time. */
#define MAX_FOLDERS 64

static struct {
    DIR *dir;
    int64_t path, entries;
} folders[MAX_FOLDERS];

static int find_folder(const DIR *dir)
{
    for (int i = 0; i < MAX_FOLDERS; i++)
        if (__atomic_load_n(&folders[i].dir, __ATOMIC_ACQUIRE) == dir)
            return i;
    return -1;
}

REC_PUBLIC DIR *opendir(const char *path)
{
    int64_t number = rec_is_on() ? rec_path(AT_FDCWD, path) : -1;
    DIR *dir = NEXT(opendir)(path);
    DIR *none = NULL;

    for (int i = 0; dir != NULL && number >= 0 && i < MAX_FOLDERS;
         i++, none = NULL)
        if (__atomic_compare_exchange_n(&folders[i].dir, &none, dir, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            folders[i].path = number;
            folders[i].entries = 0;
            break;
        }
    return dir;
}

REC_PUBLIC struct dirent *readdir(DIR *dir)
{
    struct dirent *entry = NEXT(readdir)(dir);
    int i = entry != NULL ? find_folder(dir) : -1;

    if (i >= 0)
        folders[i].entries++;
    return entry;
}

REC_PUBLIC struct dirent64 *readdir64(DIR *dir)
{
    struct dirent64 *entry = NEXT(readdir64)(dir);
    int i = entry != NULL ? find_folder(dir) : -1;

    if (i >= 0)
        folders[i].entries++;
    return entry;
}

/* A folder that was opened as a file (fdopendir): its number goes, too, and may
 * be that of another file at once. */
static int close_opened(DIR *dir)
{
    int fd = dirfd(dir);
    struct rec_span span;
    struct rec_file *last;
    int rc;

    if (rec_fd(fd) == NULL || !rec_begin(&span))
        return NEXT(closedir)(dir);
    last = rec_fd_clear(fd);
    rc = NEXT(closedir)(dir);
    rec_end_close(&span, PARIO_OP_close, rc, last);
    return rc;
}

REC_PUBLIC int closedir(DIR *dir)
{
    DIR *volatile given = dir; /* NULL has EINVAL, whatever is declared */
    struct rec_span span;
    int64_t path, entries;
    int i, rc;

    if (given == NULL)
        return NEXT(closedir)(given);
    i = find_folder(dir);
    if (i < 0)
        return close_opened(dir);
    if (!rec_begin(&span))
        return NEXT(closedir)(dir);
    path = folders[i].path;
    entries = folders[i].entries;
    __atomic_store_n(&folders[i].dir, NULL, __ATOMIC_RELEASE);
    rc = NEXT(closedir)(dir);
    REC_END(&span, PARIO_OP_readdir, rec_status(rc), path, entries);
    return rc;
}
