/* suites/iot/semaphore.c - stale semaphores of OMPIO. */
#include "suites/iot/semaphore.h"

#include "core/path.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int maps(const char *pid, const char *name)
{
    char path[64], *line = NULL;
    size_t room = 0;
    int found = 0;
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
    in = fopen(path, "re");
    while (in != NULL && !found && getline(&line, &room, in) > 0) {
        const char *at = strstr(line, name);

        found =
            at != NULL && (at[strlen(name)] == '\n' || at[strlen(name)] == ' ');
    }
    if (in != NULL)
        fclose(in);
    free(line);
    return found;
}

/* A process that has it open; 0: none that can be seen. */
static long user_of(const char *name)
{
    DIR *stream = opendir("/proc");
    const struct dirent *entry;
    long pid = 0;

    while (stream != NULL && pid == 0 && (entry = readdir(stream)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]) &&
            maps(entry->d_name, name))
            pid = strtol(entry->d_name, NULL, 10);
    if (stream != NULL)
        closedir(stream);
    return pid;
}

int iot_semaphore_clear(const char *path)
{
    const char *base = pario_base_name(path);
    char name[NAME_MAX + 64];
    long pid;

    snprintf(name, sizeof(name), "/dev/shm/sem.OMPIO_%s", base);
    if (access(name, F_OK) != 0)
        return 0;
    pid = user_of(name);
    if (pid != 0)
        return pario_fail(-EBUSY,
                          "process %ld uses a file named %s, and Open MPI "
                          "would mix up their shared pointers (%s): give the "
                          "test file another name",
                          pid, base, name);
    if (unlink(name) != 0 && errno != ENOENT)
        return pario_fail_errno(-errno,
                                "cannot remove %s, which a killed program has "
                                "left and Open MPI would wait for",
                                name);
    return 0;
}
