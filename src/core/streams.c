/* core/streams.c - closed ones are opened, failed ones are reported. */
#include "core/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void pario_streams_start(void)
{
    /* The lowest free number is given first: in order, each gets its own. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) != fd)
            return;
}

int pario_streams_finish(int status)
{
    int before = ferror(stdout), failed;

    errno = 0;
    failed = fflush(stdout) != 0 || before;
    if (!failed || errno == EPIPE)
        return status;
    fprintf(stderr, "pario: cannot write the standard output%s%s\n",
            errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    return status != 0 ? status : 1;
}
