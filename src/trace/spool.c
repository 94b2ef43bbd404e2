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

/* The text after so many characters of the set, at least one; NULL: none. */
static const char *after(const char *text, const char *set)
{
    size_t len = text != NULL ? strspn(text, set) : 0;

    return len > 0 ? text + len : NULL;
}

/* ID-NUMBER.part, ID-NUMBER.live, SIZE-RANK.rank, SIZE-all.ranks and
 * SIZE-some.ranks (recorder/src): nothing else is a recorder's. */
static int is_ours(const char *name)
{
    static const char digits[] = "0123456789";
    const char *id = after(name, "0123456789abcdef");
    const char *size = after(name, digits);
    const char *number =
        id != NULL && *id == '-' ? after(id + 1, digits) : NULL;

    if (number != NULL && id - name == 16 &&
        (strcmp(number, ".part") == 0 || strcmp(number, ".live") == 0))
        return 1;
    if (size == NULL || *size != '-')
        return 0;
    number = after(size + 1, digits);
    return (number != NULL && strcmp(number, ".rank") == 0) ||
           strcmp(size, "-all.ranks") == 0 || strcmp(size, "-some.ranks") == 0;
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
