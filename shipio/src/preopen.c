/* preopen.c - rank 0 creates, then all open, then all agree. */
#include "preopen.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lustre.h"

enum { FOREIGN = 1 };

const char *shipio_preopen_path(const char *filename)
{
    static const char *const prefixes[] = {
        "ufs:", "nfs:", "xfs:", "lustre:", "gpfs:", "panfs:"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(filename, prefixes[i], strlen(prefixes[i])) == 0)
            return filename + strlen(prefixes[i]);
    return filename;
}

/* "pvfs2:/x" is for ROMIO only; "a:b" in a folder is a name like others. */
static bool has_unknown_prefix(const char *path)
{
    size_t n = 0;

    while (isalnum((unsigned char)path[n]))
        n++;
    return n > 1 && path[n] == ':' && path[n + 1] == '/';
}

/* Modes that MPI forbids get their error from the MPI library. */
static bool mode_is_strange(int amode)
{
    int ways = ((amode & MPI_MODE_RDONLY) != 0) +
               ((amode & MPI_MODE_WRONLY) != 0) +
               ((amode & MPI_MODE_RDWR) != 0);

    return ways != 1 || (amode & MPI_MODE_SEQUENTIAL) != 0 ||
           ((amode & MPI_MODE_RDONLY) != 0 &&
            (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0);
}

static int open_flags(int amode)
{
    if ((amode & MPI_MODE_RDWR) != 0)
        return O_RDWR | O_CLOEXEC;
    return O_CLOEXEC | ((amode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDONLY);
}

static int open_retry(const char *path, int flags, int *fd_p)
{
    do
        *fd_p = open(path, flags, 0666);
    while (*fd_p < 0 && errno == EINTR);
    return *fd_p >= 0 ? 0 : -errno;
}

static bool disabled(void)
{
    const char *text = getenv("SHIPIO_DISABLE");

    return text != NULL && strcmp(text, "0") != 0 && text[0] != '\0';
}

/* Rank 0; its environment counts for all. */
static int open_first(const char *path, const struct shipio_opening *opening,
                      int *fd_p)
{
    int flags = open_flags(opening->amode);
    struct stat st;
    bool there = stat(path, &st) == 0;

    if (disabled() || (there && !S_ISREG(st.st_mode)))
        return FOREIGN;
    if ((opening->amode & MPI_MODE_CREATE) != 0)
        flags |= O_CREAT;
    if ((opening->amode & MPI_MODE_EXCL) != 0)
        flags |= O_EXCL;
    /* The MPI library, which knows such hints, would find the file there. */
    if (!there && (flags & O_CREAT) != 0) {
        *fd_p = shipio_lustre_create(path, flags, opening->info);
        if (*fd_p >= 0)
            return 0;
    }
    return open_retry(path, flags, fd_p);
}

int shipio_preopen(MPI_Comm comm, const struct shipio_opening *opening,
                   int *fd_p)
{
    const char *path = shipio_preopen_path(opening->filename);
    int amode = opening->amode;
    int rank = 0;
    int rc = 0;
    int worst = 0;

    *fd_p = -1;
    if (has_unknown_prefix(path) || mode_is_strange(amode))
        return FOREIGN;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0)
        rc = open_first(path, opening, fd_p);
    if (PMPI_Bcast(&rc, 1, MPI_INT, 0, comm) != MPI_SUCCESS)
        rc = -EIO;
    if (rc != 0)
        return rc;
    if (rank != 0)
        rc = open_retry(path, open_flags(amode), fd_p);
    worst = rc;
    if (PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
        worst = -EIO;
    if (worst != 0 && *fd_p >= 0) {
        close(*fd_p);
        *fd_p = -1;
    }
    return worst;
}
