/* A program that shipio makes faster without a change: each process owns every
 * n-th row of a matrix in one file, writes its rows collectively and reads them
 * back.
 *
 *   mpicc -o planes planes.c $(pkg-config --libs shipio)
 *   mpirun -n 4 ./planes matrix
 *
 * or, without linking: mpicc -o planes planes.c, and then
 *   pario shipio-run --stats -- mpirun -n 4 ./planes matrix
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 256, ROW = 128 }; /* of each process; doubles in a row */

static void check(int error, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int len;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &len);
    fprintf(stderr, "%s: %s\n", what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    static double mine[ROWS][ROW], back[ROWS][ROW];
    MPI_Datatype rows;
    MPI_File file;
    int rank, size, wrong = 0, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 2) {
        fprintf(stderr, "usage: planes FILE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROW; j++)
            mine[i][j] = (i * size + rank) * 1000.0 + j;

    MPI_Type_vector(ROWS, ROW, size * ROW, MPI_DOUBLE, &rows);
    MPI_Type_commit(&rows);
    check(MPI_File_open(MPI_COMM_WORLD, argv[1],
                        MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                        MPI_INFO_NULL, &file),
          "open");
    check(MPI_File_set_view(file, (MPI_Offset)rank * ROW * 8, MPI_DOUBLE, rows,
                            "native", MPI_INFO_NULL),
          "view");
    check(MPI_File_write_at_all(file, 0, mine, ROWS * ROW, MPI_DOUBLE,
                                MPI_STATUS_IGNORE),
          "write");
    check(MPI_File_read_at_all(file, 0, back, ROWS * ROW, MPI_DOUBLE,
                               MPI_STATUS_IGNORE),
          "read");
    check(MPI_File_close(&file), "close");
    MPI_Type_free(&rows);

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROW; j++)
            wrong += back[i][j] != mine[i][j];
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d rows of %d processes, %d wrong numbers\n", ROWS * size, size,
               all);
    MPI_Finalize();
    return all != 0;
}
