/* descriptors.c - what becomes of the numbers of files: closing, copies, and
 * what a child has from its parent. */
#include "recorder.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The child of a fork, at its first call on a file of its parent. */
void rec_note_inherited(struct rec_file *file, const struct rec_span *span)
{
    const int64_t pending = (int64_t)1 << 62;
    struct rec_span now;

    if ((file->flags & pending) == 0)
        return;
    file->flags &= ~pending;
    now.begin = span->begin;
    file->thread = rec_thread();
    /* The number of the string is the parent's: it is written again. */
    REC_END(&now, PARIO_OP_inherit, 0, rec_string_again(file->path),
            rec_file_arg(file), file->flags);
    (void)rec_begin(&now);
}

struct rec_file *rec_begin_file(int fd, struct rec_span *span)
{
    struct rec_file *file = rec_fd(fd);

    if (file == NULL || !rec_begin(span))
        return NULL;
    rec_note_inherited(file, span);
    return file;
}

/* The recorder's own descriptor is not there, for the program. */
static int not_there(void)
{
    errno = EBADF;
    return -1;
}

void rec_end_close(const struct rec_span *span, enum pario_trace_op op, int rc,
                   struct rec_file *last)
{
    if (last == NULL) {
        rec_cancel();
        return;
    }
    REC_END(span, op, rec_status(rc), rec_file_arg(last));
    rec_file_free(last, true);
}

REC_PUBLIC int close(int fd)
{
    struct rec_span span;
    struct rec_file *file, *last;
    int rc;

    if (rec_own_is(fd))
        return not_there();
    file = rec_begin_file(fd, &span);
    if (file == NULL)
        return NEXT(close)(fd);
    last = rec_fd_clear(fd); /* before another thread has the number */
    rc = NEXT(close)(fd);
    rec_end_close(&span, PARIO_OP_close, rc, last);
    return rc;
}

/* Without the recorder's own descriptor. */
static int close_others(unsigned first, unsigned last, int flags)
{
    int own = rec_own();
    int rc = 0;

    if (own < 0 || (unsigned)own < first || (unsigned)own > last)
        return NEXT(close_range)(first, last, flags);
    if (first < (unsigned)own)
        rc = NEXT(close_range)(first, (unsigned)own - 1, flags);
    if (rc == 0 && (unsigned)own < last)
        rc = NEXT(close_range)((unsigned)own + 1, last, flags);
    return rc;
}

/* Those that are recorded are closed one by one; with flags the range is not
 * closed now, or not for all threads. */
REC_PUBLIC int close_range(unsigned first, unsigned last, int flags)
{
    for (unsigned fd = first;
         flags == 0 && first <= last && fd <= last && fd < REC_MAX_FDS; fd++)
        if (rec_fd((int)fd) != NULL)
            (void)close((int)fd);
    return close_others(first, last, flags);
}

REC_PUBLIC void closefrom(int first)
{
    int own;

    if (first < 0)
        first = 0;
    for (int fd = first; fd < REC_MAX_FDS; fd++)
        if (rec_fd(fd) != NULL)
            (void)close(fd);
    own = rec_own();
    for (int fd = first; fd < own; fd++)
        (void)NEXT(close)(fd);
    NEXT(closefrom)(own >= first ? own + 1 : first);
}

/* The child of vfork would work in this process's memory, and its closes would
 * be taken for this process's. */
REC_PUBLIC pid_t vfork(void)
{
    return fork();
}

/* Something else has the number now: that was the end of the file if it was its
 * last one. */
static void displaced(int fd)
{
    struct rec_span span;
    bool noted = rec_begin(&span);
    struct rec_file *last = rec_fd_clear(fd);

    if (last != NULL && noted) {
        rec_note_inherited(last, &span);
        REC_END(&span, PARIO_OP_close, 0, rec_file_arg(last));
    } else if (noted) {
        rec_cancel();
    }
    if (last != NULL)
        rec_file_free(last, noted);
}

/* Another number for the same. */
static int duplicated(int fd, int copy)
{
    struct rec_file *file = rec_fd(fd);

    if (copy < 0 || copy == fd)
        return copy;
    if (rec_fd(copy) != NULL)
        displaced(copy);
    if (file != NULL)
        rec_fd_set(copy, file);
    return copy;
}

/* Where there is something to put there. */
static void make_way(int fd, int copy)
{
    if (rec_own_is(copy) && syscall(SYS_fcntl, fd, F_GETFD) >= 0)
        rec_make_way(copy);
}

REC_PUBLIC int dup(int fd)
{
    return rec_own_is(fd) ? not_there() : duplicated(fd, NEXT(dup)(fd));
}

REC_PUBLIC int dup2(int fd, int copy)
{
    if (rec_own_is(fd))
        return not_there();
    make_way(fd, copy);
    return duplicated(fd, NEXT(dup2)(fd, copy));
}

REC_PUBLIC int dup3(int fd, int copy, int flags)
{
    if (rec_own_is(fd))
        return not_there();
    make_way(fd, copy);
    return duplicated(fd, NEXT(dup3)(fd, copy, flags));
}

#define FCNTL(name)                                                            \
    REC_PUBLIC int name(int fd, int command, ...)                              \
    {                                                                          \
        va_list args;                                                          \
        void *argument;                                                        \
        int rc;                                                                \
                                                                               \
        va_start(args, command);                                               \
        argument = va_arg(args, void *);                                       \
        va_end(args);                                                          \
        if (rec_own_is(fd))                                                    \
            return not_there();                                                \
        rc = NEXT(name)(fd, command, argument);                                \
        return command == F_DUPFD || command == F_DUPFD_CLOEXEC                \
                   ? duplicated(fd, rc)                                        \
                   : rc;                                                       \
    }

FCNTL(fcntl)
FCNTL(fcntl64)
