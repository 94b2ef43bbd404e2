/* map.c - file mappings and the SIGBUS guard. */
#include "map.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

/* Address space that one file may take. */
#define MAP_MAX ((int64_t)1 << 38)
#define MAP_STEP ((int64_t)16 << 20)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static _Thread_local sigjmp_buf *guard;
static struct sigaction former;
static atomic_bool installed;
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_sigbus(int number, siginfo_t *info, void *context)
{
    if (guard != NULL)
        siglongjmp(*guard, 1);
    if ((former.sa_flags & SA_SIGINFO) != 0) {
        former.sa_sigaction(number, info, context);
        return;
    }
    if (former.sa_handler == SIG_IGN)
        return;
    if (former.sa_handler != SIG_DFL) {
        former.sa_handler(number);
        return;
    }
    /* Back to the default: the access repeats and ends the process. */
    sigaction(SIGBUS, &former, NULL);
}

static bool guard_in_place(void)
{
    struct sigaction now;
    sigset_t blocked;

    /* A fault while it is blocked ends the process, handler or not. */
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 ||
        sigismember(&blocked, SIGBUS) != 0)
        return false;
    if (atomic_load_explicit(&installed, memory_order_acquire))
        return sigaction(SIGBUS, NULL, &now) == 0 &&
               (now.sa_flags & SA_SIGINFO) != 0 &&
               now.sa_sigaction == on_sigbus;
    pthread_mutex_lock(&install_lock);
    if (!atomic_load(&installed)) {
        struct sigaction ours;

        memset(&ours, 0, sizeof(ours));
        ours.sa_sigaction = on_sigbus;
        /* Threads with small stacks have another one for signals. */
        ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        atomic_store(&installed, sigaction(SIGBUS, &ours, &former) == 0);
    }
    pthread_mutex_unlock(&install_lock);
    return atomic_load(&installed);
}

/* A file that grows is not mapped anew each time. */
static int64_t mapping_len(int64_t end)
{
    int64_t len = end + end / 2;

    len = (len + MAP_STEP - 1) / MAP_STEP * MAP_STEP;
    return len < MAP_MAX ? len : MAP_MAX;
}

/* Stores need a descriptor that can read as well. */
static int open_writable(const struct shipio_file *file)
{
    char path[64];

    if ((file->amode & MPI_MODE_RDONLY) != 0)
        return -1;
    if ((file->amode & MPI_MODE_RDWR) != 0)
        return file->fd;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static void *map_writable(const struct shipio_file *file,
                          struct shipio_map *map, int64_t len)
{
    void *mem = MAP_FAILED;
    int fd = map->never_writable ? -1 : open_writable(file);

    if (fd >= 0)
        mem =
            mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0 && fd != file->fd)
        close(fd);
    map->writable = mem != MAP_FAILED;
    map->never_writable = mem == MAP_FAILED;
    return mem;
}

int shipio_map_prepare(struct shipio_file *file, struct shipio_map *map,
                       int64_t end, bool write)
{
    void *mem = MAP_FAILED;
    struct stat st;

    if (!guard_in_place() || (write && map->never_writable))
        return -EOPNOTSUPP;
    if (fstat(file->fd, &st) != 0)
        return -errno;
    if (st.st_size < end)
        return -ENODATA;
    if (st.st_size > MAP_MAX)
        return -EFBIG;
    if (map->mem != NULL && map->len >= end && (map->writable || !write))
        return 0;
    shipio_map_close(map);
    mem = map_writable(file, map, mapping_len(st.st_size));
    if (mem == MAP_FAILED && !write)
        mem =
            mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, file->fd, 0);
    if (mem == MAP_FAILED)
        return -ENODEV;
    map->mem = mem;
    map->len = map->writable ? mapping_len(st.st_size) : st.st_size;
    return 0;
}

void shipio_map_populate(struct shipio_map *map, int64_t low, int64_t high)
{
    int64_t page = sysconf(_SC_PAGESIZE);

    if (low >= map->ready_low && high <= map->ready_high)
        return;
    if (low < map->ready_low || low > map->ready_high)
        map->ready_low = low;
    else
        low = map->ready_high;
    map->ready_high = high;
    low = low / page * page;
    high = (high + page - 1) / page * page;
    /* Older systems do not know it, and pages come one by one then. */
    (void)madvise(map->mem + low, (size_t)(high - low), MADV_POPULATE_WRITE);
}

void shipio_map_stamp(struct shipio_file *file)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                {.tv_nsec = UTIME_NOW}};

    if (file->alone.map.written)
        (void)futimens(file->fd, times);
    file->alone.map.written = false;
}

void shipio_map_admit_signal(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool shipio_map_guarded(void (*copy)(void *), void *argument)
{
    sigjmp_buf here;

    if (sigsetjmp(here, 0) != 0) {
        guard = NULL;
        return false;
    }
    guard = &here;
    copy(argument);
    guard = NULL;
    return true;
}

void shipio_map_close(struct shipio_map *map)
{
    if (map->mem != NULL)
        munmap(map->mem, (size_t)map->len);
    map->mem = NULL;
    map->len = 0;
    map->ready_low = 0;
    map->ready_high = 0;
}
