/* ranks.c - do all ranks of a job have a recorder?
 *
 * Those that have one leave a mark in the folder of the recording before they
 * start MPI. All ranks are in MPI_Init before any leaves it: what rank 0 finds
 * then is all there is, and it writes down the answer. A collective call would
 * wait for ever for a rank without a recorder, and a message could meet a
 * receive of the program. */
#include "recorder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATH_LEN (PATH_MAX + 64)
#define MAX_WAITS 60000 /* of 10 ms: rank 0 is still in MPI_Init */

static char mark[PATH_LEN];    /* of this rank; "": none */
static char verdict[PATH_LEN]; /* of this process, which is rank 0 */

static bool make_empty(const char *folder, const char *path)
{
    int fd = rec_open_in(folder, path, O_WRONLY | O_CREAT);

    if (fd >= 0)
        syscall(SYS_close, fd);
    return fd >= 0;
}

static bool exists(const char *path)
{
    return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

static bool is_there(const char *folder, int size, int rank)
{
    char path[PATH_LEN];

    snprintf(path, sizeof(path), "%s/%d-%d.rank", folder, size, rank);
    return exists(path);
}

/* all: every rank has a recorder; some: not every one has. */
static bool is_judged(const char *folder, int size, const char *answer)
{
    char path[PATH_LEN];

    snprintf(path, sizeof(path), "%s/%d-%s.ranks", folder, size, answer);
    return exists(path);
}

void rec_mark_rank(void)
{
    int rank, size;
    const char *folder = rec_folder(&rank, &size);

    if (folder == NULL || rank < 0 || size < 2)
        return;
    snprintf(mark, sizeof(mark), "%s/%d-%d.rank", folder, size, rank);
    if (!make_empty(folder, mark))
        mark[0] = '\0';
}

void rec_unmark_rank(void)
{
    if (mark[0] != '\0')
        syscall(SYS_unlinkat, AT_FDCWD, mark, 0);
    if (verdict[0] != '\0')
        syscall(SYS_unlinkat, AT_FDCWD, verdict, 0);
    mark[0] = verdict[0] = '\0';
}

void rec_ranks_after_fork(void)
{
    mark[0] = verdict[0] = '\0'; /* they are the parent's */
}

void rec_judge_ranks(void)
{
    int rank, size, present = 0;
    const char *folder = rec_folder(&rank, &size);

    if (folder == NULL || mark[0] == '\0' || rank != 0)
        return;
    while (present < size && is_there(folder, size, present))
        present++;
    snprintf(verdict, sizeof(verdict), "%s/%d-%s.ranks", folder, size,
             present == size ? "all" : "some");
    if (!make_empty(folder, verdict))
        verdict[0] = '\0';
}

bool rec_all_ranks(void)
{
    const struct timespec pause = {0, 10000000};
    int rank, size;
    const char *folder = rec_folder(&rank, &size);

    if (folder == NULL || size < 2)
        return folder != NULL;
    for (int i = 0; i < MAX_WAITS && mark[0] != '\0'; i++) {
        if (is_judged(folder, size, "all"))
            return true;
        /* Without the mark of rank 0 no answer will come. */
        if (is_judged(folder, size, "some") || rank == 0 ||
            !is_there(folder, size, 0))
            return false;
        nanosleep(&pause, NULL);
    }
    return false;
}
