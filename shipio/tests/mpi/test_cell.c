/* test_cell.c - the number that ranks on several nodes share, over a network
 * that loses datagrams and delivers some twice. Linked with --wrap=sendto. */
#include "../../src/cell.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

#define ADDS 40

ssize_t __real_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len);
ssize_t __wrap_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len);

static _Atomic unsigned sent; /* by the task and by its thread */
static _Atomic unsigned lost;

/* The last datagram of this process, as somebody on its way could see it. */
static struct {
    unsigned char data[256];
    size_t len;
    struct sockaddr_in to;
} seen;

/* Requests of the tasks and answers of rank 0's thread alike. */
ssize_t __wrap_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len)
{
    unsigned fate = (sent++ * 2654435761u) >> 28;

    if (len <= sizeof(seen.data) && to_len == sizeof(seen.to)) {
        memcpy(seen.data, data, len);
        memcpy(&seen.to, to, to_len);
        seen.len = len;
    }
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

static void send_as_stranger(const unsigned char *data, size_t len)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    CHECK_EQ(__real_sendto(fd, data, len, 0, (struct sockaddr *)&seen.to,
                           sizeof(seen.to)),
             (ssize_t)len);
    close(fd);
}

/* What was seen of a request is worth nothing: neither again, nor with any
 * byte changed, nor does the datagram hold the key. */
static void test_strangers_change_nothing(struct shipio_cell *cell)
{
    int64_t before = -1, after = -1;

    CHECK_EQ(shipio_cell_add(cell, 0, &before), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank != 0) {
        unsigned char request[sizeof(seen.data)];
        int64_t was;

        CHECK_EQ(shipio_cell_add(cell, 1, &was), 0);
        memcpy(request, seen.data, seen.len);
        send_as_stranger(request, seen.len);
        for (size_t i = 0; i < seen.len; i++) {
            request[i] ^= 1;
            send_as_stranger(request, seen.len);
            request[i] ^= 1;
        }
        /* Datagrams on one machine keep their order. */
        CHECK_EQ(shipio_cell_add(cell, 0, &was), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(shipio_cell_add(cell, 0, &after), 0);
    CHECK_EQ(after, before + check_size - 1);
    MPI_Barrier(MPI_COMM_WORLD);
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
        test_strangers_change_nothing(cell);
        test_set(cell);
        CHECK_EQ(check_size == 1 || sent == 0 || lost > 0, 1);
        /* It listens at the address by which the others come, there alone. */
        CHECK_EQ(reach.address != htonl(INADDR_ANY), 1);
    }
    shipio_cell_close(cell);
    return check_end();
}
