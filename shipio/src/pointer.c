/* pointer.c - taking bytes from the shared pointer. */
#include "pointer.h"

#include "cell.h"

void shipio_pointer_open(struct shipio_file *file)
{
    int64_t start =
        (file->amode & MPI_MODE_APPEND) != 0 ? file->size_at_open : 0;

    if (file->shm != NULL) {
        if (file->team->rank == 0)
            shipio_pointer_set(file, start);
        return;
    }
    file->cell = shipio_cell_open(file->comm, &file->team->reach, start);
    file->pointer_foreign = file->cell == NULL;
}

void shipio_pointer_close(struct shipio_file *file)
{
    shipio_cell_close(file->cell);
    file->cell = NULL;
}

int shipio_pointer_take(struct shipio_file *file, int64_t nbytes,
                        int64_t *pos_p)
{
    if (file->shm == NULL)
        return shipio_cell_add(file->cell, nbytes, pos_p);
    *pos_p = atomic_fetch_add(&file->shm->head->shared_pos, nbytes);
    return 0;
}

int shipio_pointer_get(struct shipio_file *file, int64_t *pos_p)
{
    return shipio_pointer_take(file, 0, pos_p);
}

void shipio_pointer_set(struct shipio_file *file, int64_t pos)
{
    if (file->shm == NULL)
        shipio_cell_set(file->cell, pos);
    else
        atomic_store(&file->shm->head->shared_pos, pos);
}

void shipio_pointer_reset(struct shipio_file *file)
{
    if (file->pointer_foreign)
        return;
    shipio_file_barrier(file);
    if (file->team->rank == 0)
        shipio_pointer_set(file, 0);
    shipio_file_barrier(file);
}

/* Rank 0, where the number is, takes for all. */
static int ordered_by_mpi(struct shipio_file *file, int64_t nbytes,
                          int64_t *pos_p)
{
    int64_t base = 0;
    int64_t before = 0;
    int64_t sum = 0;
    int rc = 0;

    PMPI_Exscan(&nbytes, &before, 1, MPI_INT64_T, MPI_SUM, file->comm);
    if (file->team->rank == 0)
        before = 0;
    PMPI_Reduce(&nbytes, &sum, 1, MPI_INT64_T, MPI_SUM, 0, file->comm);
    if (file->team->rank == 0)
        rc = shipio_cell_add(file->cell, sum, &base);
    PMPI_Bcast(&base, 1, MPI_INT64_T, 0, file->comm);
    *pos_p = base + before;
    return rc;
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

int shipio_pointer_take_ordered(struct shipio_file *file, int64_t nbytes,
                                int64_t *pos_p)
{
    struct shipio_shm_head *head;
    uint64_t n = file->ordered_calls;
    double start;
    int64_t pos;

    if (file->shm == NULL)
        return ordered_by_mpi(file, nbytes, pos_p);
    head = file->shm->head;
    file->ordered_calls = n + 1;
    head->ranks[file->team->rank].ordered_len[n & 1] = nbytes;
    if (atomic_fetch_add(&head->ordered_arrived, 1) + 1 ==
        (uint32_t)file->team->size) {
        take_for_all(file, n);
    } else {
        start = shipio_stats_now(&file->stats);
        shipio_gauge_await(file->shm, &head->ordered, n + 1);
        shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
    }
    /* Two calls on nobody can be before all have read this. */
    pos = head->ordered_base[n & 1];
    for (int r = 0; r < file->team->rank; r++)
        pos += head->ranks[r].ordered_len[n & 1];
    *pos_p = pos;
    return 0;
}
