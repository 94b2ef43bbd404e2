/* pointer.c - taking bytes from the shared pointer. */
#include "pointer.h"

int shipio_pointer_open(struct shipio_file *file)
{
    int64_t start =
        (file->amode & MPI_MODE_APPEND) != 0 ? file->size_at_open : 0;
    MPI_Aint len = file->rank == 0 ? (MPI_Aint)sizeof(int64_t) : 0;

    if (file->have_shm) {
        if (file->rank == 0)
            atomic_store(&file->shm.head->shared_pos, start);
        return 0;
    }
    if (PMPI_Win_allocate(len, 1, MPI_INFO_NULL, file->comm,
                          (void *)&file->pointer_mem,
                          &file->pointer_win) != MPI_SUCCESS) {
        file->pointer_win = MPI_WIN_NULL;
        file->pointer_foreign = true;
    }
    /* Not every MPI library has windows over every network. */
    if (shipio_file_agree(file, -file->pointer_foreign) != 0) {
        if (file->pointer_win != MPI_WIN_NULL)
            PMPI_Win_free(&file->pointer_win);
        file->pointer_foreign = true;
        return 0;
    }
    PMPI_Win_lock_all(MPI_MODE_NOCHECK, file->pointer_win);
    if (file->rank == 0)
        shipio_pointer_set(file, start);
    PMPI_Barrier(file->comm);
    return 0;
}

void shipio_pointer_close(struct shipio_file *file)
{
    if (file->pointer_win == MPI_WIN_NULL)
        return;
    PMPI_Win_unlock_all(file->pointer_win);
    PMPI_Win_free(&file->pointer_win);
}

static int64_t window_op(struct shipio_file *file, int64_t value, MPI_Op op)
{
    int64_t before = 0;

    PMPI_Fetch_and_op(&value, &before, MPI_INT64_T, 0, 0, op,
                      file->pointer_win);
    PMPI_Win_flush(0, file->pointer_win);
    return before;
}

int64_t shipio_pointer_take(struct shipio_file *file, int64_t nbytes)
{
    if (!file->have_shm)
        return window_op(file, nbytes, MPI_SUM);
    return atomic_fetch_add(&file->shm.head->shared_pos, nbytes);
}

int64_t shipio_pointer_get(struct shipio_file *file)
{
    return shipio_pointer_take(file, 0);
}

void shipio_pointer_set(struct shipio_file *file, int64_t pos)
{
    if (!file->have_shm)
        (void)window_op(file, pos, MPI_REPLACE);
    else
        atomic_store(&file->shm.head->shared_pos, pos);
}

void shipio_pointer_reset(struct shipio_file *file)
{
    if (file->pointer_foreign)
        return;
    shipio_file_barrier(file);
    if (file->rank == 0)
        shipio_pointer_set(file, 0);
    shipio_file_barrier(file);
}

static int64_t ordered_by_mpi(struct shipio_file *file, int64_t nbytes)
{
    int64_t base[2] = {0, 0};
    int64_t before = 0;
    int64_t sum = 0;

    PMPI_Exscan(&nbytes, &before, 1, MPI_INT64_T, MPI_SUM, file->comm);
    if (file->rank == 0)
        before = 0;
    PMPI_Allreduce(&nbytes, &sum, 1, MPI_INT64_T, MPI_SUM, file->comm);
    if (file->rank == 0)
        base[0] = window_op(file, sum, MPI_SUM);
    PMPI_Bcast(base, 1, MPI_INT64_T, 0, file->comm);
    return base[0] + before;
}

/*
 * The last rank to come takes the bytes of all. Before that no place can be
 * fixed: a rank that is still to come may take from the shared pointer first,
 * by a call of its own.
 */
static void take_for_all(struct shipio_file *file, uint64_t n)
{
    struct shipio_shm_head *head = file->shm.head;
    int64_t sum = 0;

    for (int r = 0; r < file->size; r++)
        sum += head->ranks[r].ordered_len[n & 1];
    head->ordered_base[n & 1] = atomic_fetch_add(&head->shared_pos, sum);
    atomic_store(&head->ordered_arrived, 0);
    shipio_gauge_advance(&head->ordered, n + 1);
}

int64_t shipio_pointer_take_ordered(struct shipio_file *file, int64_t nbytes)
{
    struct shipio_shm_head *head = file->shm.head;
    uint64_t n = file->ordered_calls;
    double start;
    int64_t pos;

    if (!file->have_shm)
        return ordered_by_mpi(file, nbytes);
    file->ordered_calls = n + 1;
    head->ranks[file->rank].ordered_len[n & 1] = nbytes;
    if (atomic_fetch_add(&head->ordered_arrived, 1) + 1 ==
        (uint32_t)file->size) {
        take_for_all(file, n);
    } else {
        start = shipio_stats_now(&file->stats);
        shipio_gauge_await(&file->shm, &head->ordered, n + 1);
        shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
    }
    /* Two calls on nobody can be before all have read this. */
    pos = head->ordered_base[n & 1];
    for (int r = 0; r < file->rank; r++)
        pos += head->ranks[r].ordered_len[n & 1];
    return pos;
}
