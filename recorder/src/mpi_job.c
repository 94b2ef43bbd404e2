/* mpi_job.c - the beginning and the end of a job: its processes write one
 * file together. */
#include "mpi_recorder.h"
#include "trace/chunk.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 20)

void rec_mpi_started(void)
{
    int rank = -1, size = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    rec_set_rank(rank, size);
    rec_judge_ranks();
}

/* What the library reads and maps to get going is not the program's. */
REC_PUBLIC int MPI_Init(int *argc, char ***argv)
{
    struct rec_span span;
    bool on = rec_begin(&span);
    int rc;

    rec_mark_rank();
    rc = NEXT(MPI_Init)(argc, argv);
    if (rc == MPI_SUCCESS)
        rec_mpi_started();
    if (on)
        rec_cancel();
    return rc;
}

REC_PUBLIC int MPI_Init_thread(int *argc, char ***argv, int required,
                               int *provided)
{
    struct rec_span span;
    bool on = rec_begin(&span);
    int rc;

    rec_mark_rank();
    rc = NEXT(MPI_Init_thread)(argc, argv, required, provided);
    if (rc == MPI_SUCCESS)
        rec_mpi_started();
    if (on)
        rec_cancel();
    return rc;
}

static bool agree(bool good)
{
    int mine = good, all = 0;

    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) ==
               MPI_SUCCESS &&
           all;
}

static int open_file(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644);
}

static bool write_at(int fd, const char *bytes, size_t len, int64_t offset)
{
    while (len > 0) {
        long n = syscall(SYS_pwrite64, fd, bytes, len, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
        offset += n;
    }
    return true;
}

/* The chunks of this process to offset of the trace. */
static bool copy(int from, int to, int64_t len, int64_t offset)
{
    char *piece = malloc(PIECE);
    int64_t done = 0;
    bool good = piece != NULL;

    while (good && done < len) {
        size_t want =
            len - done < (int64_t)PIECE ? (size_t)(len - done) : PIECE;
        long n =
            syscall(SYS_pread64, from, piece, want, PARIO_TRACE_HEAD + done);

        good = n > 0 && write_at(to, piece, (size_t)n, offset + done);
        done += n;
    }
    free(piece);
    return good;
}

static int64_t part_size(int *fd_p)
{
    struct stat st;

    *fd_p = rec_part_path() != NULL ? open_file(rec_part_path(), O_RDONLY) : -1;
    if (*fd_p < 0 || fstat(*fd_p, &st) != 0)
        return 0;
    return st.st_size - PARIO_TRACE_HEAD;
}

/* In the folder of the recording, or beside it. */
static int open_joined(const char *path, int flags)
{
    int rank, size;
    const char *folder = rec_folder(&rank, &size);
    size_t len = folder != NULL ? strlen(folder) : 0;

    if (len > 0 && strncmp(path, folder, len) == 0 && path[len] == '/')
        return rec_open_in(folder, path, flags);
    return open_file(path, flags | O_NOFOLLOW);
}

/* The file that rank 0 has just made has one name and is no link. */
static int open_made(const char *path)
{
    int fd = open_joined(path, O_WRONLY | O_NONBLOCK);
    struct stat st;

    if (fd >= 0 &&
        (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1)) {
        syscall(SYS_close, fd);
        fd = -1;
    }
    return fd;
}

/* Rank 0 makes the file that the others open; nothing is overwritten. */
static int open_trace(const char *path, int rank)
{
    uint8_t head[PARIO_TRACE_HEAD];
    int fd = -1;

    pario_trace_put_head(head);
    if (rank == 0) {
        fd = open_joined(path, O_WRONLY | O_CREAT | O_EXCL);
        if (fd >= 0 && !write_at(fd, (const char *)head, sizeof(head), 0)) {
            syscall(SYS_close, fd);
            fd = -1;
        }
    }
    if (!agree(rank != 0 || fd >= 0))
        return -1;
    return rank == 0 ? fd : open_made(path);
}

static void write_together(int rank)
{
    char joined[PATH_MAX + 64], partial[PATH_MAX + 80];
    unsigned long long id = rec_id();
    long long offset = 0, size;
    int from = -1, to;
    bool good;

    PMPI_Bcast(&id, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    rec_joined_path(id, joined, sizeof(joined));
    snprintf(partial, sizeof(partial), "%s.partial", joined);
    size = part_size(&from);
    to = open_trace(partial, rank);
    PMPI_Exscan(&size, &offset, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        offset = 0;
    good = to >= 0 &&
           (size == 0 || copy(from, to, size, offset + PARIO_TRACE_HEAD));
    good = agree(good);
    if (rank == 0)
        good = good && syscall(SYS_renameat2, AT_FDCWD, partial, AT_FDCWD,
                               joined, 1 /* no replacing */) == 0;
    if (rank == 0 && !good && to >= 0)
        syscall(SYS_unlinkat, AT_FDCWD, partial, 0);
    if (agree(good)) /* else the parts stay, for `pario record` to join */
        rec_forget_part();
    if (from >= 0)
        syscall(SYS_close, from);
    if (to >= 0)
        syscall(SYS_close, to);
}

void rec_merge(void)
{
    struct rec_span span;
    int rank = 0, on, all = 0;

    if (!rec_all_ranks()) /* the parts stay, for `pario record` to join */
        return;
    on = rec_begin(&span);
    if (PMPI_Allreduce(&on, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) !=
        MPI_SUCCESS)
        all = 0;
    if (all) {
        rec_flush(true);
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        write_together(rank);
    }
    if (on)
        rec_cancel();
}

static bool merged;

REC_PUBLIC int MPI_Finalize(void)
{
    struct rec_span span;
    bool on;
    int rc;

    if (!merged)
        rec_merge();
    merged = true;
    on = rec_begin(&span);
    rc = NEXT(MPI_Finalize)();
    if (on)
        rec_cancel();
    return rc;
}
