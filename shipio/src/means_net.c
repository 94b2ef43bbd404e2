/* means_net.c - ranks of several nodes, or without shared memory: messages. */
#include <errno.h>

#include "cell.h"
#include "means.h"

static int net_agree(struct shipio_file *file, int error)
{
    int lowest = error;

    if (file->team->size > 1 &&
        PMPI_Allreduce(&error, &lowest, 1, MPI_INT, MPI_MIN, file->comm) !=
            MPI_SUCCESS)
        return -EIO;
    return lowest;
}

static void net_barrier(struct shipio_file *file)
{
    if (file->team->size > 1)
        PMPI_Barrier(file->comm);
}

static void net_vote(struct shipio_file *file, int *values, int n)
{
    if (PMPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INT, MPI_MIN, file->comm) !=
        MPI_SUCCESS)
        values[0] = -EIO;
}

static void net_share(struct shipio_file *file, void *data, size_t len)
{
    PMPI_Bcast(data, (int)len, MPI_BYTE, 0, file->comm);
}

/* All wait for all. */
static int net_settle(struct shipio_file *file, bool wait, int error)
{
    (void)wait;
    return net_agree(file, error != 0 ? error : shipio_late_take(file));
}

static void net_pointer_open(struct shipio_file *file, int64_t start)
{
    file->pointer.cell =
        shipio_cell_open(file->comm, &file->team->reach, start);
    file->pointer.foreign = file->pointer.cell == NULL;
}

static int net_pointer_take(struct shipio_file *file, int64_t nbytes,
                            int64_t *pos_p)
{
    return shipio_cell_add(file->pointer.cell, nbytes, pos_p);
}

/* Rank 0, where the number is, takes for all. */
static int net_pointer_take_ordered(struct shipio_file *file, int64_t nbytes,
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
        rc = shipio_cell_add(file->pointer.cell, sum, &base);
    PMPI_Bcast(&base, 1, MPI_INT64_T, 0, file->comm);
    *pos_p = base + before;
    return rc;
}

static void net_pointer_set(struct shipio_file *file, int64_t pos)
{
    shipio_cell_set(file->pointer.cell, pos);
}

const struct shipio_means shipio_means_net = {
    .exchange = &shipio_exchange_net,
    .agree = net_agree,
    .barrier = net_barrier,
    .vote = net_vote,
    .share = net_share,
    .settle = net_settle,
    .pointer_open = net_pointer_open,
    .pointer_take = net_pointer_take,
    .pointer_take_ordered = net_pointer_take_ordered,
    .pointer_set = net_pointer_set,
};
