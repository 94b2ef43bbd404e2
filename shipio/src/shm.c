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

#include "stats.h"

/* Longest time that a rank sleeps before it looks after MPI again; the first
 * times are shorter. */
#define NAP_MAX_NS 500000
#define NAP_MIN_NS 100000
/* What is due soon is looked for so long, with a look at the clock after so
 * many looks. */
#define SOON_S 250e-6
#define LOOKS 64

static _Thread_local bool without_mpi;

void shipio_shm_without_mpi(void)
{
    without_mpi = true;
}

/*
 * MPI's progress rule: while this rank waits for another one, that one may
 * wait for a message of this rank's to go through, and only a call of the MPI
 * library moves it. Nobody sends to this communicator, so the probe never
 * finds anything and always looks after everything else.
 */
static void let_mpi_progress(const struct shipio_shm *shm)
{
    int found;

    if (!without_mpi)
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

static int reserve(int fd, off_t offset, size_t len)
{
    int rc;

    do
        rc = posix_fallocate(fd, offset, (off_t)len);
    while (rc == EINTR);
    return -rc;
}

static size_t whole_pages(size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (len + page - 1) / page * page;
}

/* A new segment of len bytes; its descriptor or -errno. */
static int segment_create(char *name, size_t len)
{
    static _Atomic unsigned counter;
    struct timespec now;
    int fd;
    int rc;

    clock_gettime(CLOCK_REALTIME, &now);
    do {
        snprintf(name, SHIPIO_SHM_NAME, "/shipio-%ld-%lx-%u", (long)getpid(),
                 (unsigned long)now.tv_nsec, counter++);
        fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0)
        return -errno;
    /* Reserved now: touching a page later must not end in SIGBUS. */
    rc = reserve(fd, 0, len);
    if (rc != 0) {
        shm_unlink(name);
        close(fd);
        return rc;
    }
    return fd;
}

/* Maps a segment; the descriptor is not needed any longer. */
static int segment_map(int fd, size_t len, void **memory_p)
{
    void *memory;
    int rc = 0;

    if (fd < 0)
        return fd;
    memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        rc = -errno;
    else
        *memory_p = memory;
    close(fd);
    return rc;
}

static int segment_find(const char *name)
{
    int fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);

    return fd >= 0 ? fd : -errno;
}

/* Memory that only this process has. */
static int own_memory(size_t len, void **memory_p)
{
    void *memory = aligned_alloc((size_t)sysconf(_SC_PAGESIZE), len);

    if (memory == NULL)
        return -ENOMEM;
    memset(memory, 0, len);
    *memory_p = memory;
    return 0;
}

void shipio_shm_init(struct shipio_shm *shm, MPI_Comm comm, bool room)
{
    memset(shm, 0, sizeof(*shm));
    shm->comm = comm;
    PMPI_Comm_rank(comm, &shm->rank);
    PMPI_Comm_size(comm, &shm->size);
    shm->spin = room ? 2000 : 0;
    shm->yields = room ? 20 : 40;
    shm->head_len =
        whole_pages(sizeof(struct shipio_shm_head) +
                    sizeof(struct shipio_shm_rank) * (size_t)shm->size);
}

int shipio_shm_create(struct shipio_shm *shm, char *name)
{
    void *memory = NULL;
    int rc;

    name[0] = '\0';
    if (shm->size == 1)
        rc = own_memory(shm->head_len, &memory);
    else
        rc = segment_map(segment_create(name, shm->head_len), shm->head_len,
                         &memory);
    shm->head = memory;
    return rc;
}

int shipio_shm_attach(struct shipio_shm *shm, const char *name)
{
    void *memory = NULL;
    int rc = segment_map(segment_find(name), shm->head_len, &memory);

    shm->head = memory;
    return rc;
}

void shipio_shm_unname(const char *name)
{
    if (name[0] != '\0')
        shm_unlink(name);
}

static void release(const struct shipio_shm *shm, void *memory, size_t len)
{
    if (memory == NULL)
        return;
    if (shm->size == 1)
        free(memory);
    else
        munmap(memory, len);
}

void shipio_shm_area_free(const struct shipio_shm *shm,
                          struct shipio_shm_area *area)
{
    release(shm, area->memory, area->len);
    *area = (struct shipio_shm_area){.len = 0};
}

void shipio_shm_trim(struct shipio_shm *shm, size_t most)
{
    if (shm->window.len > most)
        shipio_shm_area_free(shm, &shm->window);
}

void shipio_shm_close(struct shipio_shm *shm)
{
    shipio_shm_area_free(shm, &shm->window);
    release(shm, shm->head, shm->head_len);
    shm->head = NULL;
}

void shipio_shm_reset(struct shipio_shm *shm)
{
    memset(&shm->head->ranks[shm->rank], 0, sizeof(shm->head->ranks[0]));
}

/* Ranks may still be on their way out of the last barrier. */
void shipio_shm_reset_common(struct shipio_shm *shm)
{
    struct shipio_shm_head *head = shm->head;

    atomic_store(&head->users, (uint32_t)shm->size);
    atomic_store(&head->shared_pos, 0);
    atomic_store(&head->ordered_arrived, 0);
    memset(&head->ordered, 0, sizeof(head->ordered));
    atomic_store(&head->updates, 0);
    atomic_store(&head->no_update, 0);
    atomic_store(&head->trouble, 0);
}

/* The name is for all to read: on the board. */
static int area_create(struct shipio_shm *shm, size_t len, void **memory_p)
{
    char *name = shm->head->board;

    name[0] = '\0';
    if (shm->size == 1)
        return own_memory(len, memory_p);
    return segment_map(segment_create(name, len), len, memory_p);
}

int shipio_shm_area(struct shipio_shm *shm, struct shipio_shm_area *area,
                    size_t len)
{
    int rc = 0;

    if (area->memory != NULL && area->len >= len)
        return 0;
    len = whole_pages(len);
    shipio_shm_area_free(shm, area);
    if (shm->rank == 0)
        rc = area_create(shm, len, &area->memory);
    rc = shipio_shm_agree(shm, rc);
    if (rc == 0) {
        if (shm->rank != 0)
            rc =
                segment_map(segment_find(shm->head->board), len, &area->memory);
        rc = shipio_shm_agree(shm, rc);
    }
    if (shm->rank == 0)
        shipio_shm_unname(shm->head->board);
    area->len = area->memory != NULL ? len : 0;
    /* All ranks have it, or none. */
    if (rc != 0)
        shipio_shm_area_free(shm, area);
    return rc;
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

void shipio_shm_vote(struct shipio_shm *shm, int *values, int n)
{
    uint32_t parity = atomic_load(&shm->head->generation) & 1;

    for (int i = 0; i < n; i++)
        shm->head->ranks[shm->rank].votes[parity][i] = values[i];
    shipio_shm_barrier(shm);
    for (int r = 0; r < shm->size; r++)
        for (int i = 0; i < n; i++)
            if (shm->head->ranks[r].votes[parity][i] < values[i])
                values[i] = shm->head->ranks[r].votes[parity][i];
}

void shipio_shm_share(struct shipio_shm *shm, void *data, size_t len)
{
    if (shm->rank == 0)
        memcpy(shm->head->board, data, len);
    shipio_shm_barrier(shm);
    memcpy(data, shm->head->board, len);
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

static bool has_come(const struct shipio_gauge *gauge, uint64_t progress)
{
    return atomic_load_explicit(&gauge->progress, memory_order_acquire) >=
           progress;
}

void shipio_gauge_await(const struct shipio_shm *shm,
                        struct shipio_gauge *gauge, uint64_t progress)
{
    int round = 0;

    while (!has_come(gauge, progress)) {
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

void shipio_gauge_await_soon(const struct shipio_shm *shm,
                             struct shipio_gauge *gauge, uint64_t progress)
{
    double end = 0;
    int looks = 0;

    /* A thread would take the core from the program. */
    if (shm->spin == 0 || without_mpi) {
        shipio_gauge_await(shm, gauge, progress);
        return;
    }
    while (!has_come(gauge, progress)) {
        cpu_relax();
        if (++looks % LOOKS != 0)
            continue;
        if (end == 0)
            end = shipio_clock() + SOON_S;
        else if (shipio_clock() > end)
            break;
    }
    shipio_gauge_await(shm, gauge, progress);
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
