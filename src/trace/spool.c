/* trace/spool.c - the folder that a recording is made in. */
#include "trace/trace.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int is_ours(const char *name)
{
    static const char *const ends[] = {".part", ".live", ".rank", ".ranks",
                                       NULL};
    const char *dot = strrchr(name, '.');

    for (int i = 0; dot != NULL && ends[i] != NULL; i++)
        if (strcmp(dot, ends[i]) == 0)
            return 1;
    return 0;
}

void pario_trace_remove_spool(const char *path)
{
    /* A link in its place leads to files of somebody else. */
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (is_ours(entry->d_name))
            (void)!unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    rmdir(path);
}
