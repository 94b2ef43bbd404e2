/* test_cell.c - the number that ranks on several nodes share, over a network
 * that loses datagrams and delivers some twice. Linked with --wrap=sendto. */
#include "../../src/cell.h"

#include <sys/socket.h>

#include "check.h"

#define ADDS 40

ssize_t __real_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len);
ssize_t __wrap_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len);

static _Atomic unsigned sent; /* by the task and by its thread */
static _Atomic unsigned lost;

/* Requests of the tasks and answers of rank 0's thread alike. */
ssize_t __wrap_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len)
{
    unsigned fate = (sent++ * 2654435761u) >> 28;

    if (fate < 3) {
        lost++;
        return (ssize_t)len;
    }
    if (fate < 6)
        (void)__real_sendto(fd, data, len, flags, to, to_len);
    return __real_sendto(fd, data, len, flags, to, to_len);
}

/* Every rank adds 1 so often: each value is met once. */
static void test_each_once(struct shipio_cell *cell)
{
    int total = ADDS * check_size;
    int *met = calloc((size_t)total, sizeof(*met));
    int64_t before = -1;

    for (int i = 0; i < ADDS; i++) {
        CHECK_EQ(shipio_cell_add(cell, 1, &before), 0);
        CHECK_EQ(before >= 0 && before < total, 1);
        if (before >= 0 && before < total)
            met[before]++;
    }
    MPI_Allreduce(MPI_IN_PLACE, met, total, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < total; i++)
        CHECK_EQ(met[i], 1);
    CHECK_EQ(shipio_cell_add(cell, 0, &before), 0);
    CHECK_EQ(before, total);
    free(met);
}

static void test_set(struct shipio_cell *cell)
{
    int64_t before = -1;

    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        shipio_cell_set(cell, (int64_t)1 << 40);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(shipio_cell_add(cell, 0, &before), 0);
    CHECK_EQ(before, (int64_t)1 << 40);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct shipio_reach reach = {.known = false};
    struct shipio_cell *cell;

    check_begin(&argc, &argv);
    cell = shipio_cell_open(MPI_COMM_WORLD, &reach, 0);
    CHECK_EQ(cell != NULL, 1);
    if (cell != NULL) {
        test_each_once(cell);
        test_set(cell);
        CHECK_EQ(check_size == 1 || sent == 0 || lost > 0, 1);
    }
    shipio_cell_close(cell);
    return check_end();
}
