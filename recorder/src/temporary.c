/* temporary.c - files and folders whose names are made up. */
#include "recorder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The template has the name by now. One that is none is no matter of files. */
static int made(const struct rec_span *span, int fd, const char *path,
                int64_t number, int flags)
{
    if (fd < 0 && errno == EINVAL) {
        rec_cancel();
        return fd;
    }
    return rec_opened(span, fd, fd >= 0 ? rec_path(AT_FDCWD, path) : number,
                      O_RDWR | O_CREAT | O_EXCL | flags, 0600);
}

/* Lists of parameters cannot be put in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define MKSTEMP(name, params, args, more)                                      \
    REC_PUBLIC int name params                                                 \
    {                                                                          \
        int64_t number = rec_is_on() ? rec_path(AT_FDCWD, path) : -1;          \
        struct rec_span span;                                                  \
                                                                               \
        if (number < 0 || !rec_begin(&span))                                   \
            return NEXT(name) args;                                            \
        return made(&span, NEXT(name) args, path, number, more);               \
    }

MKSTEMP(mkstemp, (char *path), (path), 0)
MKSTEMP(mkstemp64, (char *path), (path), 0)
MKSTEMP(mkostemp, (char *path, int flags), (path, flags), flags)
MKSTEMP(mkostemp64, (char *path, int flags), (path, flags), flags)
MKSTEMP(mkstemps, (char *path, int end), (path, end), 0)
MKSTEMP(mkstemps64, (char *path, int end), (path, end), 0)
MKSTEMP(mkostemps, (char *path, int end, int flags), (path, end, flags), flags)
MKSTEMP(mkostemps64, (char *path, int end, int flags), (path, end, flags),
        flags)
/* NOLINTEND(bugprone-macro-parentheses) */

REC_PUBLIC char *mkdtemp(char *path)
{
    int64_t number = rec_is_on() ? rec_path(AT_FDCWD, path) : -1;
    struct rec_span span;
    char *made;

    if (number < 0 || !rec_begin(&span))
        return NEXT(mkdtemp)(path);
    made = NEXT(mkdtemp)(path);
    if (made == NULL && errno == EINVAL) {
        rec_cancel();
        return NULL;
    }
    if (made != NULL)
        number = rec_path(AT_FDCWD, path);
    REC_END(&span, PARIO_OP_mkdir, made != NULL ? 0 : -errno, number, 0700);
    return made;
}

/* A name for what has none, for nobody else in the folder. */
static int64_t name_below(int at, const char *folder)
{
    static unsigned count;
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/nameless-%016llx-%u", folder,
                     (unsigned long long)rec_id(),
                     __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));

    return n < PATH_MAX ? rec_path(at, path) : -1;
}

static void end_name(int64_t number)
{
    struct rec_span span;

    if (rec_begin(&span))
        REC_END(&span, PARIO_OP_unlink, 0, number);
}

/* One that failed is tried in another way by its caller. */
int rec_nameless(const struct rec_span *span, int fd, int at,
                 const char *folder, int flags, mode_t mode)
{
    int64_t number = fd >= 0 ? name_below(at, folder) : -1;

    if (number < 0) {
        rec_cancel();
        return fd;
    }
    rec_opened(span, fd, number, (flags & ~O_TMPFILE) | O_CREAT | O_EXCL, mode);
    end_name(number);
    return fd;
}

#define TMPFILE(name)                                                          \
    REC_PUBLIC FILE *name(void)                                                \
    {                                                                          \
        const int64_t flags = PARIO_TRACE_READ | PARIO_TRACE_WRITE |           \
                              PARIO_TRACE_CREATE | PARIO_TRACE_TRUNC;          \
        int64_t number = rec_is_on() ? name_below(AT_FDCWD, P_tmpdir) : -1;    \
        struct rec_file *file = NULL;                                          \
        struct rec_span span;                                                  \
        FILE *stream;                                                          \
                                                                               \
        if (number < 0 || !rec_begin(&span))                                   \
            return NEXT(name)();                                               \
        stream = NEXT(name)();                                                 \
        if (stream != NULL && (file = rec_file_new(number, flags)) != NULL)    \
            rec_fd_set(fileno(stream), file);                                  \
        REC_END(&span, PARIO_OP_fopen, stream != NULL ? 0 : -errno, number,    \
                file != NULL ? rec_file_arg(file) : -1, flags);                \
        if (stream != NULL)                                                    \
            end_name(number);                                                  \
        return stream;                                                         \
    }

TMPFILE(tmpfile)
TMPFILE(tmpfile64)
