/* trace/spool.c - the folder that a recording is made in. */
#include "trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".spool"
#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* The text after so many characters of the set, at least one; NULL: none. */
static const char *after(const char *text, const char *set)
{
    size_t len = text != NULL ? strspn(text, set) : 0;

    return len > 0 ? text + len : NULL;
}

/* ID-NUMBER.part, ID-NUMBER.live, ID-joined.part, ID-joined.part.partial. */
static int is_recorded(const char *name)
{
    const char *id = after(name, "0123456789abcdef");
    const char *number =
        id != NULL && *id == '-' ? after(id + 1, DIGITS) : NULL;

    if (id == NULL || id - name != 16)
        return 0;
    if (number != NULL)
        return strcmp(number, ".part") == 0 || strcmp(number, ".live") == 0;
    return strcmp(id, "-joined.part") == 0 ||
           strcmp(id, "-joined.part.partial") == 0;
}

/* LETTERS.spool, SIZE-RANK.rank, SIZE-all.ranks and SIZE-some.ranks. */
static int is_mark(const char *name)
{
    const char *letters = after(name, DIGITS LETTERS);
    const char *size = after(name, DIGITS), *rank;

    if (letters != NULL && letters - name == 6 && strcmp(letters, ENDING) == 0)
        return 1;
    if (size == NULL || *size != '-')
        return 0;
    rank = after(size + 1, DIGITS);
    return (rank != NULL && strcmp(rank, ".rank") == 0) ||
           strcmp(size, "-all.ranks") == 0 || strcmp(size, "-some.ranks") == 0;
}

/* What recorder/src and `pario record` make; nothing else is theirs. */
static int is_ours(const char *name)
{
    return is_recorded(name) || is_mark(name);
}

/* This user's, or his who has the trace: servers may give new files to another
 * user than the one who makes them. */
static int has_owner(int folder, const char *path)
{
    size_t len = strlen(path) - strlen(ENDING);
    char trace[PATH_MAX];
    struct stat st, beside;

    if (fstat(folder, &st) != 0)
        return 0;
    snprintf(trace, sizeof(trace), "%.*s", (int)len, path);
    return st.st_uid == geteuid() ||
           (lstat(trace, &beside) == 0 && beside.st_uid == st.st_uid);
}

static int empty(int fd)
{
    DIR *folder = fdopendir(fd);
    const struct dirent *entry;

    if (folder == NULL) {
        close(fd);
        return -ENOMEM;
    }
    while ((entry = readdir(folder)) != NULL)
        if (is_ours(entry->d_name))
            (void)!unlinkat(fd, entry->d_name, 0);
    closedir(folder);
    return 0;
}

int pario_trace_remove_spool(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), code;

    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return pario_fail(-errno,
                          "cannot remove %s: it is no folder of a recording, "
                          "and stays",
                          path);
    if (!has_owner(fd, path)) {
        close(fd);
        return pario_fail(-EPERM,
                          "cannot remove %s: it belongs to another user, and "
                          "stays",
                          path);
    }
    code = empty(fd);
    if (code == 0 && rmdir(path) != 0 && errno != ENOENT)
        code = -errno;
    return code == -ENOTEMPTY
               ? pario_fail(code,
                            "cannot remove %s: it holds files that are no "
                            "recorder's, which stay",
                            path)
           : code != 0 ? pario_fail_errno(code, "cannot remove %s", path)
                       : 0;
}
