/* means_node.c - ranks of one node: shared memory. */
#include "means.h"

static int node_agree(struct shipio_file *file, int error)
{
    return shipio_shm_agree(file->shm, error);
}

static void node_barrier(struct shipio_file *file)
{
    shipio_shm_barrier(file->shm);
}

static void node_vote(struct shipio_file *file, int *values, int n)
{
    shipio_shm_vote(file->shm, values, n);
}

static void node_share(struct shipio_file *file, void *data, size_t len)
{
    shipio_shm_share(file->shm, data, len);
    shipio_shm_barrier(file->shm);
}

/* All ranks are in the same call. In the page cache their parts take the same
 * time; where a request takes longer the storage may need the core. */
static void await_all(struct shipio_file *file, uint64_t call)
{
    struct shipio_shm *shm = file->shm;

    for (int r = 0; r < shm->size; r++) {
        struct shipio_gauge *calls = &shm->head->ranks[r].calls;

        if (file->storage.remote)
            shipio_gauge_await(shm, calls, call);
        else
            shipio_gauge_await_soon(shm, calls, call);
    }
}

/* Errors are reported to the others, which are waited for if need be. */
static int node_settle(struct shipio_file *file, bool wait, int error)
{
    struct shipio_shm *shm = file->shm;
    uint64_t call = ++file->late.calls;
    double start;
    int common = 0;

    if (error != 0)
        shipio_late_post(file, call, error, true);
    shipio_gauge_advance(&shm->head->ranks[shm->rank].calls, call);
    /* Who has an error does not run ahead: it may be one of many. */
    if (wait || error != 0) {
        start = shipio_stats_now(&file->stats);
        await_all(file, call);
        shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
        common = shipio_late_common(file);
    }
    shipio_late_left(file, call);
    /* One error for all who wait, that of the lowest rank; own ones included,
     * because who has one waits. */
    return common != 0 ? common : shipio_late_take(file);
}

static void node_pointer_set(struct shipio_file *file, int64_t pos)
{
    atomic_store(&file->shm->head->shared_pos, pos);
}

static void node_pointer_open(struct shipio_file *file, int64_t start)
{
    if (file->team->rank == 0)
        node_pointer_set(file, start);
}

static int node_pointer_take(struct shipio_file *file, int64_t nbytes,
                             int64_t *pos_p)
{
    *pos_p = atomic_fetch_add(&file->shm->head->shared_pos, nbytes);
    return 0;
}

/*
 * The last rank to come takes the bytes of all. Before that no place can be
 * fixed: a rank that is still to come may take from the shared pointer first,
 * by a call of its own.
 */
static void take_for_all(struct shipio_file *file, uint64_t n)
{
    struct shipio_shm_head *head = file->shm->head;
    int64_t sum = 0;

    for (int r = 0; r < file->team->size; r++)
        sum += head->ranks[r].ordered_len[n & 1];
    head->ordered_base[n & 1] = atomic_fetch_add(&head->shared_pos, sum);
    atomic_store(&head->ordered_arrived, 0);
    shipio_gauge_advance(&head->ordered, n + 1);
}

static int node_pointer_take_ordered(struct shipio_file *file, int64_t nbytes,
                                     int64_t *pos_p)
{
    struct shipio_shm_head *head = file->shm->head;
    uint64_t n = file->pointer.ordered++;
    double start;
    int64_t pos;

    head->ranks[file->team->rank].ordered_len[n & 1] = nbytes;
    if (atomic_fetch_add(&head->ordered_arrived, 1) + 1 ==
        (uint32_t)file->team->size) {
        take_for_all(file, n);
    } else {
        start = shipio_stats_now(&file->stats);
        shipio_gauge_await(file->shm, &head->ordered, n + 1);
        shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
    }
    /* No rank can be two calls on before all have read this. */
    pos = head->ordered_base[n & 1];
    for (int r = 0; r < file->team->rank; r++)
        pos += head->ranks[r].ordered_len[n & 1];
    *pos_p = pos;
    return 0;
}

const struct shipio_means shipio_means_node = {
    .exchange = &shipio_exchange_node,
    .deferring = true,
    .agree = node_agree,
    .barrier = node_barrier,
    .vote = node_vote,
    .share = node_share,
    .settle = node_settle,
    .pointer_open = node_pointer_open,
    .pointer_take = node_pointer_take,
    .pointer_take_ordered = node_pointer_take_ordered,
    .pointer_set = node_pointer_set,
};
