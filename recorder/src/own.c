/* own.c - the one descriptor that the recorder keeps among the program's. It
 * has a number that programs hardly use, and is looked at before each use: a
 * program may have closed it behind the wrappers and have the number itself. */
#include "recorder.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGHEST 1024 /* higher ones make each fork dear */
#define ABOVE 8      /* numbers from there on to choose from */

static struct {
    int fd; /* -1: none */
    dev_t dev;
    ino_t ino;
} own = {.fd = -1};

static bool is_same(int fd)
{
    int saved = errno;
    struct stat st;
    bool same = syscall(SYS_fstat, fd, &st) == 0 && st.st_dev == own.dev &&
                st.st_ino == own.ino;

    errno = saved;
    return same;
}

bool rec_own_is(int fd)
{
    return fd >= 0 && fd == __atomic_load_n(&own.fd, __ATOMIC_RELAXED) &&
           is_same(fd);
}

int rec_own(void)
{
    int fd = __atomic_load_n(&own.fd, __ATOMIC_RELAXED);

    if (fd >= 0 && !is_same(fd)) {
        __atomic_store_n(&own.fd, -1, __ATOMIC_RELAXED);
        return -1;
    }
    return fd;
}

bool rec_own_keep(int fd, bool again)
{
    struct stat st;

    if (syscall(SYS_fstat, fd, &st) != 0 ||
        (again && (st.st_dev != own.dev || st.st_ino != own.ino))) {
        syscall(SYS_close, fd);
        return false;
    }
    own.dev = st.st_dev;
    own.ino = st.st_ino;
    __atomic_store_n(&own.fd, fd, __ATOMIC_RELAXED);
    return true;
}

void rec_own_close(void)
{
    int fd = rec_own();

    __atomic_store_n(&own.fd, -1, __ATOMIC_RELAXED);
    if (fd >= 0)
        syscall(SYS_close, fd);
}

/* Another number for the same, out of the program's way; -1: there is none. */
static int high_copy(int fd)
{
    struct rlimit limit = {HIGHEST, HIGHEST};
    long top, copy;

    (void)getrlimit(RLIMIT_NOFILE, &limit);
    top = limit.rlim_cur < HIGHEST ? (long)limit.rlim_cur : HIGHEST;
    copy = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, top - ABOVE);
    if (copy < 0)
        copy = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, top / 2);
    if (copy < 0) /* not those that a program may count on */
        copy = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3L);
    return (int)copy;
}

int rec_own_move(int fd)
{
    int copy = high_copy(fd);

    if (copy < 0)
        return fd;
    syscall(SYS_close, fd);
    return copy;
}

void rec_own_yield(void)
{
    int fd = rec_own();

    if (fd >= 0)
        __atomic_store_n(&own.fd, high_copy(fd), __ATOMIC_RELAXED);
}
