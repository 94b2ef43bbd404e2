/* suites/iot/exchange.c - one MPI_Alltoallv each way. */
#include "suites/iot/exchange.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static int64_t begin_of(int64_t total, int part, int parts)
{
    return total * part / parts;
}

/* Numbers ascend, so those of one share stand together. */
static void count_mine(struct iot_exchange *exchange, const int32_t *numbers,
                       int64_t total, int size)
{
    int64_t at = 0;

    for (int p = 0; p < size; p++) {
        int64_t end = begin_of(total, p + 1, size);

        exchange->mine_place[p] = (int)at;
        while (at < exchange->count && numbers[at] < end)
            at++;
        exchange->mine_count[p] = (int)at - exchange->mine_place[p];
    }
}

static int allocate(struct iot_exchange *exchange, int size)
{
    size_t n = (size_t)size;

    exchange->mine_count = calloc(n, sizeof(int));
    exchange->mine_place = calloc(n, sizeof(int));
    exchange->share_count = calloc(n, sizeof(int));
    exchange->share_place = calloc(n, sizeof(int));
    if (exchange->mine_count == NULL || exchange->mine_place == NULL ||
        exchange->share_count == NULL || exchange->share_place == NULL)
        return pario_fail_errno(-ENOMEM, "no memory to redistribute");
    return 0;
}

static int share_indices(struct iot_exchange *exchange, const int32_t *numbers,
                         int size)
{
    int64_t coming = 0;
    int err = MPI_Alltoall(exchange->mine_count, 1, MPI_INT,
                           exchange->share_count, 1, MPI_INT, exchange->comm);

    for (int p = 0; err == MPI_SUCCESS && p < size; p++) {
        exchange->share_place[p] = (int)coming;
        coming += exchange->share_count[p];
    }
    exchange->index = malloc((size_t)(coming + 1) * sizeof(int32_t));
    exchange->staging = malloc((size_t)(coming + 1) * sizeof(double));
    if (exchange->index == NULL || exchange->staging == NULL)
        return pario_fail_errno(-ENOMEM, "no memory to redistribute");
    if (err == MPI_SUCCESS)
        err = MPI_Alltoallv(numbers, exchange->mine_count, exchange->mine_place,
                            MPI_INT32_T, exchange->index, exchange->share_count,
                            exchange->share_place, MPI_INT32_T, exchange->comm);
    for (int64_t i = 0; err == MPI_SUCCESS && i < coming; i++)
        exchange->index[i] -= (int32_t)exchange->first;
    return pario_mpi_check(err, "exchanging the numbers of nodes or elements");
}

int iot_exchange_init(struct iot_exchange *exchange, MPI_Comm comm,
                      const int32_t *numbers, int64_t count, int64_t total)
{
    int rank = 0, size = 1, code;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *exchange = (struct iot_exchange){
        .comm = comm,
        .first = begin_of(total, rank, size),
        .share = begin_of(total, rank + 1, size) - begin_of(total, rank, size),
        .count = count,
    };
    code = allocate(exchange, size);
    if (code != 0)
        return code;
    count_mine(exchange, numbers, total, size);
    return share_indices(exchange, numbers, size);
}

void iot_exchange_fini(struct iot_exchange *exchange)
{
    free(exchange->mine_count);
    free(exchange->mine_place);
    free(exchange->share_count);
    free(exchange->share_place);
    free(exchange->index);
    free(exchange->staging);
    *exchange = (struct iot_exchange){0};
}

static int64_t coming(const struct iot_exchange *exchange)
{
    int size = 1;

    MPI_Comm_size(exchange->comm, &size);
    return (int64_t)exchange->share_place[size - 1] +
           exchange->share_count[size - 1];
}

int iot_exchange_to_shares(struct iot_exchange *exchange, const double *values,
                           double *share)
{
    int64_t n = coming(exchange);
    int err =
        MPI_Alltoallv(values, exchange->mine_count, exchange->mine_place,
                      MPI_DOUBLE, exchange->staging, exchange->share_count,
                      exchange->share_place, MPI_DOUBLE, exchange->comm);

    for (int64_t i = 0; i < n; i++)
        share[exchange->index[i]] = exchange->staging[i];
    return pario_mpi_check(err, "MPI_Alltoallv");
}

int iot_exchange_from_shares(struct iot_exchange *exchange, const double *share,
                             double *values)
{
    int64_t n = coming(exchange);
    int err;

    for (int64_t i = 0; i < n; i++)
        exchange->staging[i] = share[exchange->index[i]];
    err = MPI_Alltoallv(exchange->staging, exchange->share_count,
                        exchange->share_place, MPI_DOUBLE, values,
                        exchange->mine_count, exchange->mine_place, MPI_DOUBLE,
                        exchange->comm);
    return pario_mpi_check(err, "MPI_Alltoallv");
}
