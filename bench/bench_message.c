/* bench_message: ns per message of 8 bytes between two processes, there and
 * back in turns. */
#include <mpi.h>
#include <stdio.h>

#define ROUNDS 200000

static void exchange(int rank)
{
    double value = 0;

    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 0)
            MPI_Send(&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    double begin = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        fprintf(stderr, "bench_message: needs 2 processes\n");
        MPI_Finalize();
        return 2;
    }
    for (int turn = 0; turn < 2; turn++) { /* the first one warms up */
        begin = MPI_Wtime();
        exchange(rank);
    }
    if (rank == 0)
        printf("%.1f\n", (MPI_Wtime() - begin) * 1e9 / (2.0 * ROUNDS));
    MPI_Finalize();
    return 0;
}
