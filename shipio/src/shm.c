/* shm.c - POSIX shared memory and futexes. */
#include "shm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Longest time that a rank sleeps before it looks after MPI again; the first
 * times are shorter. */
#define NAP_MAX_NS 500000
#define NAP_MIN_NS 100000

/*
 * MPI's progress rule: while this rank waits for another one, that one may
 * wait for a message of this rank's to go through, and only a call of the MPI
 * library moves it. Nobody sends to this communicator, so the probe never
 * finds anything and always looks after everything else.
 */
static void let_mpi_progress(const struct shipio_shm *shm)
{
    int found;

    if (shm->comm != MPI_COMM_NULL)
        PMPI_Iprobe(shm->rank, 0, shm->comm, &found, MPI_STATUS_IGNORE);
}

/* Sleeps while *word is value, but not for long; round as patience left it. */
static void nap(const struct shipio_shm *shm, _Atomic uint32_t *word,
                uint32_t value, int round)
{
    int naps = round - shm->spin - shm->yields - 1;
    long ns = naps < 3 ? (long)NAP_MIN_NS << naps : NAP_MAX_NS;
    struct timespec limit = {.tv_nsec = ns < NAP_MAX_NS ? ns : NAP_MAX_NS};

    if (syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0) != 0 &&
        errno == ETIMEDOUT)
        let_mpi_progress(shm);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* Busy waiting, then giving way; true when it is time to sleep. */
static bool patience(const struct shipio_shm *shm, int *round_p)
{
    int round = *round_p;

    if (round < INT_MAX)
        *round_p = round + 1;
    if (round < shm->spin) {
        cpu_relax();
        return false;
    }
    if (round < shm->spin + shm->yields) {
        sched_yield();
        return false;
    }
    return true;
}

/* Processors that this process may use. */
static int processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static int reserve(int fd, off_t offset, size_t len)
{
    int rc;

    do
        rc = posix_fallocate(fd, offset, (off_t)len);
    while (rc == EINTR);
    return -rc;
}

static int shm_create(char *name, size_t name_len, size_t len)
{
    struct timespec now;
    int fd = -1;
    int rc;

    clock_gettime(CLOCK_REALTIME, &now);
    for (int attempt = 0; attempt < 100 && fd < 0; attempt++) {
        snprintf(name, name_len, "/shipio-%ld-%lx-%d", (long)getpid(),
                 (unsigned long)now.tv_nsec, attempt);
        fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            return -errno;
    }
    if (fd < 0)
        return -EEXIST;
    /* Reserved now: touching a page later must not end in SIGBUS. */
    rc = reserve(fd, 0, len);
    if (rc != 0) {
        shm_unlink(name);
        close(fd);
        return rc;
    }
    return fd;
}

static int shm_map_head(struct shipio_shm *shm)
{
    void *mem = mmap(NULL, shm->head_len, PROT_READ | PROT_WRITE, MAP_SHARED,
                     shm->fd, 0);

    if (mem == MAP_FAILED)
        return -errno;
    shm->head = mem;
    return 0;
}

static int shm_attach(struct shipio_shm *shm, const char *name)
{
    shm->fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);
    if (shm->fd < 0)
        return -errno;
    return shm_map_head(shm);
}

static int agree_by_mpi(MPI_Comm comm, int error)
{
    int lowest = error;

    if (PMPI_Allreduce(&error, &lowest, 1, MPI_INT, MPI_MIN, comm) !=
        MPI_SUCCESS)
        return -EIO;
    return lowest;
}

static void shm_tune(struct shipio_shm *shm)
{
    bool room = shm->size <= processors();

    shm->spin = room ? 2000 : 0;
    shm->yields = room ? 20 : 40;
}

static int shm_open_shared(struct shipio_shm *shm, MPI_Comm node)
{
    char name[64] = "";
    int rc = 0;

    if (shm->rank == 0) {
        shm->fd = shm_create(name, sizeof(name), shm->head_len);
        rc = shm->fd < 0 ? shm->fd : shm_map_head(shm);
    }
    if (PMPI_Bcast(name, sizeof(name), MPI_CHAR, 0, node) != MPI_SUCCESS)
        rc = -EIO;
    if (rc == 0 && shm->rank != 0)
        rc = name[0] != '\0' ? shm_attach(shm, name) : -ENOSPC;
    rc = agree_by_mpi(node, rc);
    if (shm->rank == 0 && name[0] != '\0')
        shm_unlink(name);
    return rc;
}

int shipio_shm_open(struct shipio_shm *shm, MPI_Comm node)
{
    int rc;

    memset(shm, 0, sizeof(*shm));
    shm->fd = -1;
    shm->comm = MPI_COMM_NULL;
    PMPI_Comm_rank(node, &shm->rank);
    PMPI_Comm_size(node, &shm->size);
    shm->head_len = sizeof(struct shipio_shm_head) +
                    sizeof(struct shipio_shm_rank) * (size_t)shm->size;
    shm->head_len = (shm->head_len + 65535) & ~(size_t)65535;
    shm_tune(shm);
    if (shm->size == 1) {
        shm->head = aligned_alloc(64, shm->head_len);
        if (shm->head == NULL)
            return -ENOMEM;
        memset(shm->head, 0, shm->head_len);
        return 0;
    }
    rc = shm_open_shared(shm, node);
    if (rc != 0)
        shipio_shm_close(shm);
    return rc;
}

void shipio_shm_drop_window(struct shipio_shm *shm)
{
    if (shm->fd < 0)
        free(shm->window);
    else if (shm->window != NULL)
        munmap(shm->window, shm->window_len);
    shm->window = NULL;
}

void shipio_shm_close(struct shipio_shm *shm)
{
    if (shm->fd < 0 && shm->size <= 1) {
        free(shm->head);
        shipio_shm_drop_window(shm);
    } else {
        if (shm->head != NULL)
            munmap(shm->head, shm->head_len);
        shipio_shm_drop_window(shm);
        if (shm->fd >= 0)
            close(shm->fd);
    }
    memset(shm, 0, sizeof(*shm));
    shm->fd = -1;
}

/* The window's place in the segment: not right behind the head, for valgrind
 * 3.19 joins mappings that continue each other and then loses count. */
static off_t window_offset(const struct shipio_shm *shm)
{
    return (off_t)shm->head_len + 65536;
}

static int window_map(struct shipio_shm *shm, size_t len)
{
    void *mem;

    if (shm->fd < 0) {
        mem = aligned_alloc(4096, len);
        if (mem == NULL)
            return -ENOMEM;
        memset(mem, 0, len);
    } else {
        mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, shm->fd,
                   window_offset(shm));
        if (mem == MAP_FAILED)
            return -errno;
    }
    shm->window = mem;
    shm->window_len = len;
    return 0;
}

int shipio_shm_window(struct shipio_shm *shm, size_t len)
{
    int rc = 0;

    len = (len + 65535) & ~(size_t)65535;
    if (shm->fd >= 0 && shm->rank == 0)
        rc = reserve(shm->fd, window_offset(shm), len);
    rc = shipio_shm_agree(shm, rc);
    if (rc != 0)
        return rc;
    return shipio_shm_agree(shm, window_map(shm, len));
}

void shipio_shm_barrier(struct shipio_shm *shm)
{
    struct shipio_shm_head *head = shm->head;
    uint32_t generation;
    int round = 0;

    if (shm->size == 1)
        return;
    generation = atomic_load(&head->generation);
    if (atomic_fetch_add(&head->arrived, 1) + 1 == (uint32_t)shm->size) {
        atomic_store(&head->arrived, 0);
        atomic_fetch_add(&head->generation, 1);
        if (atomic_load(&head->sleepers) > 0)
            futex_wake(&head->generation);
        return;
    }
    while (atomic_load(&head->generation) == generation) {
        if (!patience(shm, &round))
            continue;
        atomic_fetch_add(&head->sleepers, 1);
        nap(shm, &head->generation, generation, round);
        atomic_fetch_sub(&head->sleepers, 1);
    }
}

int shipio_shm_agree(struct shipio_shm *shm, int error)
{
    uint32_t parity = atomic_load(&shm->head->generation) & 1;

    /* Generation is even or odd for all alike until the barrier is passed,
     * and nobody can pass the next one before this rank has read. */
    shm->head->ranks[shm->rank].error[parity] = error;
    shipio_shm_barrier(shm);
    for (int r = 0; r < shm->size; r++)
        if (shm->head->ranks[r].error[parity] != 0)
            return shm->head->ranks[r].error[parity];
    return 0;
}

void shipio_gauge_advance(struct shipio_gauge *gauge, uint64_t progress)
{
    atomic_store(&gauge->progress, progress);
    if (atomic_load(&gauge->sleepers) == 0 ||
        atomic_load(&gauge->wanted) > progress)
        return;
    atomic_store(&gauge->wanted, UINT64_MAX);
    atomic_fetch_add(&gauge->bell, 1);
    futex_wake(&gauge->bell);
}

static void gauge_want(struct shipio_gauge *gauge, uint64_t progress)
{
    uint64_t wanted = atomic_load(&gauge->wanted);

    while (progress < wanted &&
           !atomic_compare_exchange_weak(&gauge->wanted, &wanted, progress))
        continue;
}

void shipio_gauge_await(const struct shipio_shm *shm,
                        struct shipio_gauge *gauge, uint64_t progress)
{
    int round = 0;

    while (atomic_load_explicit(&gauge->progress, memory_order_acquire) <
           progress) {
        uint32_t bell;

        if (!patience(shm, &round))
            continue;
        bell = atomic_load(&gauge->bell);
        atomic_fetch_add(&gauge->sleepers, 1);
        gauge_want(gauge, progress);
        if (atomic_load(&gauge->progress) < progress)
            nap(shm, &gauge->bell, bell, round);
        atomic_fetch_sub(&gauge->sleepers, 1);
    }
}

void shipio_shm_finish(struct shipio_shm_slot *slot, uint64_t sequence)
{
    atomic_store(&slot->done, sequence);
    if (atomic_load(&slot->sleepers) == 0)
        return;
    atomic_fetch_add(&slot->bell, 1);
    futex_wake(&slot->bell);
}

void shipio_shm_await_slot(const struct shipio_shm *shm,
                           struct shipio_shm_slot *slot, uint64_t sequence)
{
    int round = 0;

    while (atomic_load_explicit(&slot->done, memory_order_acquire) < sequence) {
        uint32_t bell;

        if (!patience(shm, &round))
            continue;
        bell = atomic_load(&slot->bell);
        atomic_fetch_add(&slot->sleepers, 1);
        if (atomic_load(&slot->done) < sequence)
            nap(shm, &slot->bell, bell, round);
        atomic_fetch_sub(&slot->sleepers, 1);
    }
}
