/* inherited.c - descriptors that a program has from the one that executed it:
 * what a shell opened for it (`prog >file`). */
#include "recorder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_FDS 256 /* looked at: one call of the system for each */

/* PARIO_RECORD_OUTSIDE: "device:inode device:inode ...", files that `pario
 * record` itself has as its standard input and outputs. */
static bool is_outside(const struct stat *st)
{
    const char *list = getenv("PARIO_RECORD_OUTSIDE");
    char name[64];
    const char *found;

    snprintf(name, sizeof(name), "%llu:%llu ", (unsigned long long)st->st_dev,
             (unsigned long long)st->st_ino);
    found = list != NULL ? strstr(list, name) : NULL;
    return found != NULL && (found == list || found[-1] == ' ');
}

/* By descriptor: not files of the recorder yet, for most are never used. */
static struct {
    char *path; /* NULL: none, or one that is a file by now */
    int flags;
} late[MAX_FDS];
static int nlate;

static void take(int fd, int flags)
{
    char link[40], path[PATH_MAX + 1];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    if (n <= 0 || path[0] != '/')
        return;
    path[n] = '\0';
    if (!rec_is_wanted(path) ||
        (late[fd].path = rec_map((size_t)n + 1)) == NULL)
        return;
    memcpy(late[fd].path, path, (size_t)n + 1);
    late[fd].flags = flags;
    nlate++;
}

void rec_take_inherited(void)
{
    int first = getenv("PARIO_RECORD_OUTSIDE") != NULL ? 0 : 3;
    int saved = errno;

    for (int fd = first; fd < MAX_FDS; fd++) {
        long flags = syscall(SYS_fcntl, fd, F_GETFL);
        struct stat st;

        if (flags >= 0 && (flags & O_PATH) == 0 &&
            syscall(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode) &&
            st.st_nlink > 0 && !is_outside(&st))
            take(fd, (int)flags);
    }
    errno = saved;
}

bool rec_is_late(int fd)
{
    return nlate > 0 && fd >= 0 && fd < MAX_FDS && late[fd].path != NULL;
}

void rec_late_forget(int fd)
{
    if (!rec_is_late(fd))
        return;
    late[fd].path = NULL; /* the memory stays: another thread may read it */
    __atomic_sub_fetch(&nlate, 1, __ATOMIC_RELAXED);
}

struct rec_file *rec_fd_any(int fd)
{
    struct rec_file *file = rec_fd(fd);
    char *path;

    if (file != NULL || !rec_is_late(fd) || !rec_is_on())
        return file;
    path = __atomic_exchange_n(&late[fd].path, NULL, __ATOMIC_ACQ_REL);
    if (path == NULL) /* another thread was first */
        return rec_fd(fd);
    __atomic_sub_fetch(&nlate, 1, __ATOMIC_RELAXED);
    file = rec_file_new(rec_path_to(AT_FDCWD, path),
                        rec_open_flags(late[fd].flags) | REC_NOT_NOTED);
    if (file == NULL)
        return NULL;
    file->executed_fd = fd;
    rec_fd_set(fd, file);
    return file;
}
