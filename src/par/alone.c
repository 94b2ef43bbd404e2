/* par/alone.c - the process group without MPI: one process, or those that
 * `pario -n N` started on this machine, over memory that they share. */
#include "core/cleanup.h"
#include "core/clock.h"
#include "par/alone_shared.h"
#include "par/group.h"
#include "par/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct pario_group {
    struct pario_alone_comm *comm; /* NULL: this process alone */
    int rank, size;
};

/* The memory of the world; NULL: a group of one. */
static struct pario_alone_shared *shared;

static char *area(const struct pario_group *group, int rank)
{
    return group->comm->area + (size_t)rank * PARIO_ALONE_AREA;
}

static void meet(const struct pario_group *group)
{
    if (group->comm != NULL)
        pthread_barrier_wait(&group->comm->barrier);
}

static int make_group(struct pario_alone_comm *comm, int rank, int size,
                      struct pario_group **group_p)
{
    struct pario_group *group = calloc(1, sizeof(*group));

    if (group == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a process group");
    *group = (struct pario_group){.comm = comm, .rank = rank, .size = size};
    *group_p = group;
    return 0;
}

void pario_par_want_threads(void)
{
}

int pario_par_start(int *argc, char ***argv, struct pario_group **world_p)
{
    const char *fd_text = getenv(PARIO_ALONE_FD),
               *rank_text = getenv(PARIO_ALONE_RANK);
    struct stat st;
    int fd, rank;

    (void)argc;
    (void)argv;
    if (fd_text == NULL || rank_text == NULL) {
        int code = pario_par_check_alone();

        return code == 0 ? pario_group_self(world_p) : code;
    }
    fd = (int)strtol(fd_text, NULL, 10);
    rank = (int)strtol(rank_text, NULL, 10);
    if (fstat(fd, &st) != 0)
        return pario_fail_errno(-errno, "cannot find the shared memory");
    shared = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                  fd, 0);
    close(fd);
    if (shared == MAP_FAILED) {
        shared = NULL;
        return pario_fail_errno(-errno, "cannot map the shared memory");
    }
    if (rank == 0)
        pario_cleanup_speaks_at(&shared->speaks);
    return make_group(alone_comm_at(shared, 0), rank, shared->size, world_p);
}

int pario_par_start_alone(struct pario_group **world_p)
{
    return pario_group_self(world_p);
}

void pario_par_finish(struct pario_group *world)
{
    pario_group_destroy(world);
}

const char *pario_par_library(void)
{
    return "none";
}

const char *pario_par_thread_level(void)
{
    return "none";
}

double pario_par_tick_s(void)
{
    return (double)pario_clock_resolution_ns() * 1e-9;
}

double pario_par_time_s(void)
{
    return -1;
}

int pario_group_rank(const struct pario_group *group)
{
    return group->rank;
}

int pario_group_size(const struct pario_group *group)
{
    return group->size;
}

int pario_group_node(const struct pario_group *group)
{
    (void)group;
    return 0;
}

int pario_group_nodes(const struct pario_group *group)
{
    (void)group;
    return 1;
}

int pario_group_node_rank(const struct pario_group *group)
{
    return group->rank;
}

int pario_group_node_size(const struct pario_group *group)
{
    return group->size;
}

/* A free group for size members; NULL: all are in use. */
static int claim_comm(int size)
{
    for (int i = 1; i < PARIO_ALONE_COMMS; i++) {
        struct pario_alone_comm *comm = alone_comm_at(shared, i);
        int none = 0;

        if (!atomic_compare_exchange_strong(&comm->users, &none, size))
            continue;
        if (alone_comm_init(comm, size) == 0)
            return i;
        atomic_store(&comm->users, 0);
    }
    return -1;
}

/* What each member tells the others when a group is split. */
struct wish {
    int colour; /* < 0: no group wanted */
    int comm;   /* of the lowest of the colour */
};

static struct wish *wish_of(const struct pario_group *parent, int rank)
{
    return (struct wish *)(void *)area(parent, rank);
}

/* Collective over parent, which has several members. */
static int split(const struct pario_group *parent, int colour,
                 struct pario_group **group_p)
{
    int leader = -1, rank = 0, size = 0, chosen;

    wish_of(parent, parent->rank)->colour = colour;
    meet(parent);
    for (int i = 0; i < parent->size; i++) {
        if (wish_of(parent, i)->colour != colour)
            continue;
        leader = leader < 0 ? i : leader;
        rank += i < parent->rank;
        size++;
    }
    if (colour >= 0 && leader == parent->rank)
        wish_of(parent, leader)->comm = size > 1 ? claim_comm(size) : 0;
    meet(parent);
    chosen = colour >= 0 ? wish_of(parent, leader)->comm : 0;
    meet(parent);
    if (colour < 0) {
        *group_p = NULL;
        return 0;
    }
    if (chosen < 0)
        return pario_fail(-ENOSPC, "more than %d process groups at one time",
                          PARIO_ALONE_COMMS);
    return make_group(size > 1 ? alone_comm_at(shared, chosen) : NULL, rank,
                      size, group_p);
}

int pario_group_first(const struct pario_group *parent, int members,
                      struct pario_group **group_p)
{
    if (members > parent->size)
        return pario_fail(-EINVAL,
                          "a partition of %d processes, where %d are there",
                          members, parent->size);
    if (parent->comm == NULL)
        return pario_group_self(group_p);
    return split(parent, parent->rank < members ? 0 : -1, group_p);
}

int pario_group_split(const struct pario_group *parent, int colour,
                      struct pario_group **group_p)
{
    if (parent->comm == NULL)
        return pario_group_self(group_p);
    return split(parent, colour, group_p);
}

int pario_group_self(struct pario_group **group_p)
{
    return make_group(NULL, 0, 1, group_p);
}

void pario_group_destroy(struct pario_group *group)
{
    if (group == NULL)
        return;
    /* After the last one left nobody waits in the barrier any more, and it
     * can be made anew. */
    if (group->comm != NULL)
        atomic_fetch_sub(&group->comm->users, 1);
    free(group);
}

int pario_barrier(const struct pario_group *group)
{
    meet(group);
    return 0;
}

int pario_barrier_idle(const struct pario_group *group)
{
    meet(group); /* sleeps anyway */
    return 0;
}

static size_t piece_of(size_t left)
{
    return left < PARIO_ALONE_AREA ? left : PARIO_ALONE_AREA;
}

int pario_bcast(const struct pario_group *group, void *buf, size_t len)
{
    char *at = buf;

    for (size_t n; group->comm != NULL && len > 0; at += n, len -= n) {
        n = piece_of(len);
        if (group->rank == 0)
            memcpy(area(group, 0), at, n);
        meet(group);
        if (group->rank != 0)
            memcpy(at, area(group, 0), n);
        meet(group);
    }
    return 0;
}

/* Puts n bytes of everyone side by side; to be followed by meet. */
static void show(const struct pario_group *group, const void *mine, size_t n)
{
    memcpy(area(group, group->rank), mine, n);
    meet(group);
}

int pario_reduce_i64(const struct pario_group *group, enum pario_op op,
                     int64_t *values, size_t count)
{
    size_t most = PARIO_ALONE_AREA / sizeof(*values);

    for (size_t n; group->comm != NULL && count > 0; values += n, count -= n) {
        n = count < most ? count : most;
        show(group, values, n * sizeof(*values));
        for (int r = 0; r < group->size; r++) {
            const int64_t *other = (const int64_t *)(void *)area(group, r);

            for (size_t i = 0; i < n; i++)
                values[i] = r == 0            ? other[i]
                            : op == PARIO_SUM ? values[i] + other[i]
                            : (op == PARIO_MIN) == (other[i] < values[i])
                                ? other[i]
                                : values[i];
        }
        meet(group);
    }
    return 0;
}

int pario_reduce_f64(const struct pario_group *group, enum pario_op op,
                     double *values, size_t count)
{
    size_t most = PARIO_ALONE_AREA / sizeof(*values);

    for (size_t n; group->comm != NULL && count > 0; values += n, count -= n) {
        n = count < most ? count : most;
        show(group, values, n * sizeof(*values));
        for (int r = 0; r < group->size; r++) {
            const double *other = (const double *)(void *)area(group, r);

            for (size_t i = 0; i < n; i++)
                values[i] = r == 0            ? other[i]
                            : op == PARIO_SUM ? values[i] + other[i]
                            : (op == PARIO_MIN) == (other[i] < values[i])
                                ? other[i]
                                : values[i];
        }
        meet(group);
    }
    return 0;
}

int pario_merge_hist(const struct pario_group *group, struct pario_hist *hist)
{
    (void)pario_reduce_i64(group, PARIO_SUM, &hist->count, 1);
    (void)pario_reduce_i64(group, PARIO_SUM, &hist->sum, 1);
    (void)pario_reduce_i64(group, PARIO_MIN, &hist->min, 1);
    (void)pario_reduce_i64(group, PARIO_MAX, &hist->max, 1);
    return pario_reduce_i64(group, PARIO_SUM, hist->bucket, PARIO_HIST_BUCKETS);
}

int pario_gather(const struct pario_group *group, const void *mine, size_t len,
                 void *all)
{
    const char *from = mine;
    char *to = all;

    if (group->comm == NULL) {
        memcpy(all, mine, len);
        return 0;
    }
    for (size_t n, at = 0; at < len; at += n) {
        n = piece_of(len - at);
        show(group, from + at, n);
        for (int r = 0; group->rank == 0 && r < group->size; r++)
            memcpy(to + (size_t)r * len + at, area(group, r), n);
        meet(group);
    }
    return 0;
}

struct verdict {
    int code;
    char message[1024];
};

int pario_agree(const struct pario_group *group, int code)
{
    struct verdict verdict = {.code = code};
    int first = INT_MAX;

    if (group->comm == NULL)
        return code;
    /* A message that was agreed on before names its rank already. */
    if (code != 0 && strncmp(pario_error_message(), "rank ", 5) != 0)
        snprintf(verdict.message, sizeof(verdict.message), "rank %d: %.990s",
                 group->rank, pario_error_message());
    else if (code != 0)
        snprintf(verdict.message, sizeof(verdict.message), "%s",
                 pario_error_message());
    if (code != 0)
        pario_watchdog_waiting(1);
    show(group, &verdict, sizeof(verdict));
    pario_watchdog_waiting(0);
    for (int r = group->size - 1; r >= 0; r--)
        if (((const struct verdict *)(void *)area(group, r))->code != 0)
            first = r;
    if (first != INT_MAX)
        memcpy(&verdict, area(group, first), sizeof(verdict));
    meet(group);
    if (first == INT_MAX)
        return 0;
    pario_error_replace(verdict.message);
    return verdict.code;
}

int pario_node_slots_create(const struct pario_group *world, size_t len,
                            struct pario_node_slots *slots_p)
{
    struct pario_node_slots slots = {.len = len, .visible = 1};

    if (world->comm != NULL && len <= PARIO_ALONE_SLOT) {
        slots = (struct pario_node_slots){.base = shared->rest,
                                          .len = PARIO_ALONE_SLOT,
                                          .visible = world->size,
                                          .mine = world->rank};
        memset(slots.base + (size_t)slots.mine * slots.len, 0, len);
        meet(world);
    } else {
        slots.base = calloc(1, len);
    }
    if (slots.base == NULL)
        return pario_fail_errno(-ENOMEM, "cannot allocate %zu bytes", len);
    *slots_p = slots;
    return 0;
}

void pario_node_slots_destroy(struct pario_node_slots *slots)
{
    if (shared == NULL || slots->base != shared->rest)
        free(slots->base);
    slots->base = NULL;
}
