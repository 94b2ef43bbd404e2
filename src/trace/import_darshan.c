/* trace/import_darshan.c - Darshan's logs, through its own parser: the format
 * of a log is its library's affair, and changes with it. */
#include "trace/import_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARSER "darshan-dxt-parser"

extern char **environ;

/* The parser's standard output is `to`. */
static int start(const char *path, int to, pid_t *pid_p)
{
    char *words[] = {strdup(PARSER), strdup(path), NULL};
    posix_spawn_file_actions_t actions;
    int rc = ENOMEM;

    if (words[0] != NULL && words[1] != NULL &&
        (rc = posix_spawn_file_actions_init(&actions)) == 0) {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, to, 1);
        rc = posix_spawnp(pid_p, PARSER, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(words[0]);
    free(words[1]);
    return rc;
}

int pario_import_darshan_open(const char *path, FILE **in_p, pid_t *pid_p)
{
    FILE *in;
    int ends[2], rc;

    if (access(path, R_OK) != 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    in = fdopen(ends[0], "r");
    rc = in != NULL ? start(path, ends[1], pid_p) : errno;
    close(ends[1]);
    if (rc == 0) {
        *in_p = in;
        return 0;
    }
    if (in != NULL)
        fclose(in);
    else
        close(ends[0]);
    if (rc == ENOENT)
        return pario_fail(PARIO_EUNAVAIL,
                          "a Darshan log needs " PARSER " of darshan-util in "
                          "the PATH; or let it print the text where it is, and "
                          "give that: --from darshan-dxt-text");
    return pario_fail_errno(-rc, "cannot start " PARSER);
}

int pario_import_darshan_close(FILE *in, pid_t pid)
{
    int status = 0;

    fclose(in);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return pario_fail_errno(-errno, "cannot wait for " PARSER);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return pario_fail(
        PARIO_EFORMAT, PARSER " could not read the log (status %d)",
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
