/* test_pnetcdf.c - a PnetCDF program: record and fixed variables, collective,
 * independent and nonblocking.
 */
#include <pnetcdf.h>

#include "check.h"

#define N 50
#define STEPS 4

static float value_at(int step, MPI_Offset x)
{
    return (float)step * 1000.0f + (float)x;
}

static void define(int file, int *fixed_p, int *record_p)
{
    int dims[2];

    CHECK_EQ(ncmpi_def_dim(file, "time", NC_UNLIMITED, &dims[0]), NC_NOERR);
    CHECK_EQ(ncmpi_def_dim(file, "x", (MPI_Offset)N * check_size, &dims[1]),
             NC_NOERR);
    CHECK_EQ(ncmpi_def_var(file, "fixed", NC_INT, 1, &dims[1], fixed_p),
             NC_NOERR);
    CHECK_EQ(ncmpi_def_var(file, "record", NC_FLOAT, 2, dims, record_p),
             NC_NOERR);
    CHECK_EQ(ncmpi_enddef(file), NC_NOERR);
}

static void write_all(int file, int fixed, int record)
{
    MPI_Offset stride[2] = {1, check_size};
    MPI_Offset start[2] = {0, check_rank};
    MPI_Offset count[2] = {1, N};
    int ints[N];
    float floats[STEPS][N];
    int requests[STEPS];
    int states[STEPS];

    for (int i = 0; i < N; i++)
        ints[i] = 7 * (i * check_size + check_rank);
    CHECK_EQ(ncmpi_put_vars_int_all(file, fixed, &start[1], &count[1],
                                    &stride[1], ints),
             NC_NOERR);
    for (int step = 0; step < STEPS; step++) {
        start[0] = step;
        for (int i = 0; i < N; i++)
            floats[step][i] =
                value_at(step, (MPI_Offset)i * check_size + check_rank);
        CHECK_EQ(ncmpi_iput_vars_float(file, record, start, count, stride,
                                       floats[step], &requests[step]),
                 NC_NOERR);
    }
    CHECK_EQ(ncmpi_wait_all(file, STEPS, requests, states), NC_NOERR);
}

static void read_all(int file, int fixed, int record)
{
    MPI_Offset start[2] = {0, (MPI_Offset)N * check_rank};
    MPI_Offset count[2] = {STEPS, N};
    int ints[N] = {0};
    float floats[STEPS][N];
    int wrong = 0;

    CHECK_EQ(ncmpi_get_vara_int_all(file, fixed, &start[1], &count[1], ints),
             NC_NOERR);
    for (int i = 0; i < N; i++)
        wrong += ints[i] != 7 * (N * check_rank + i);
    CHECK_EQ(wrong, 0);
    CHECK_EQ(ncmpi_begin_indep_data(file), NC_NOERR);
    CHECK_EQ(ncmpi_get_vara_float(file, record, start, count, &floats[0][0]),
             NC_NOERR);
    CHECK_EQ(ncmpi_end_indep_data(file), NC_NOERR);
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < N; i++)
            wrong += floats[step][i] !=
                     value_at(step, (MPI_Offset)N * check_rank + i);
    CHECK_EQ(wrong, 0);
}

int main(int argc, char **argv)
{
    char path[512];
    int file = -1;
    int fixed = -1;
    int record = -1;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "pnetcdf");
    CHECK_EQ(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA,
                          MPI_INFO_NULL, &file),
             NC_NOERR);
    define(file, &fixed, &record);
    write_all(file, fixed, record);
    CHECK_EQ(ncmpi_close(file), NC_NOERR);
    CHECK_EQ(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file),
             NC_NOERR);
    read_all(file, fixed, record);
    CHECK_EQ(ncmpi_close(file), NC_NOERR);
    if (check_rank == 0)
        remove(path);
    return check_end();
}
