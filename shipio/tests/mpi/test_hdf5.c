/* test_hdf5.c - a parallel HDF5 program: chunked and contiguous datasets,
 * collective and independent, written by rows and read by columns.
 */
#include <hdf5.h>

#include "check.h"

#define N 64

static int value_at(int row, int column)
{
    return 1000 * row + column;
}

static hid_t transfer(H5FD_mpio_xfer_t mode)
{
    hid_t plist = H5Pcreate(H5P_DATASET_XFER);

    H5Pset_dxpl_mpio(plist, mode);
    return plist;
}

/* This rank's rows (or columns) of a dataset of N * size squared. */
static hid_t select_part(hid_t dataset, int columns)
{
    hsize_t n = (hsize_t)(N * check_size);
    hsize_t start[2] = {0, 0};
    hsize_t count[2];
    hid_t space = H5Dget_space(dataset);

    count[0] = columns ? n : N;
    count[1] = columns ? N : n;
    start[columns] = (hsize_t)(N * check_rank);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    return space;
}

static void write_rows(hid_t file, const char *name, int chunked,
                       H5FD_mpio_xfer_t mode)
{
    int n = N * check_size;
    hsize_t dims[2] = {(hsize_t)n, (hsize_t)n};
    hsize_t chunk[2] = {24, 40};
    hsize_t mine[2] = {N, (hsize_t)n};
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t memory = H5Screate_simple(2, mine, NULL);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t plist = transfer(mode);
    hid_t dataset;
    hid_t part;
    int *data = malloc(sizeof(int) * (size_t)N * (size_t)n);

    for (int i = 0; i < N * n; i++)
        data[i] = value_at(N * check_rank + i / n, i % n);
    if (chunked)
        H5Pset_chunk(create, 2, chunk);
    dataset = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, create,
                         H5P_DEFAULT);
    CHECK_EQ(dataset >= 0, 1);
    part = select_part(dataset, 0);
    CHECK_EQ(H5Dwrite(dataset, H5T_NATIVE_INT, memory, part, plist, data) >= 0,
             1);
    H5Sclose(part);
    H5Dclose(dataset);
    H5Pclose(plist);
    H5Pclose(create);
    H5Sclose(memory);
    H5Sclose(space);
    free(data);
}

static void read_columns(hid_t file, const char *name, H5FD_mpio_xfer_t mode)
{
    int n = N * check_size;
    hsize_t mine[2] = {(hsize_t)n, N};
    hid_t memory = H5Screate_simple(2, mine, NULL);
    hid_t plist = transfer(mode);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t part = select_part(dataset, 1);
    int *data = calloc((size_t)N * (size_t)n, sizeof(int));
    int wrong = 0;

    CHECK_EQ(H5Dread(dataset, H5T_NATIVE_INT, memory, part, plist, data) >= 0,
             1);
    for (int i = 0; i < N * n; i++)
        wrong += data[i] != value_at(i / N, N * check_rank + i % N);
    CHECK_EQ(wrong, 0);
    H5Sclose(part);
    H5Dclose(dataset);
    H5Pclose(plist);
    H5Sclose(memory);
    free(data);
}

static hid_t parallel_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    return access;
}

int main(int argc, char **argv)
{
    char path[512];
    hid_t access;
    hid_t file;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "hdf5");
    access = parallel_access();
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    CHECK_EQ(file >= 0, 1);
    write_rows(file, "plain_collective", 0, H5FD_MPIO_COLLECTIVE);
    write_rows(file, "plain_independent", 0, H5FD_MPIO_INDEPENDENT);
    write_rows(file, "chunked_collective", 1, H5FD_MPIO_COLLECTIVE);
    CHECK_EQ(H5Fclose(file) >= 0, 1);
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    CHECK_EQ(file >= 0, 1);
    read_columns(file, "plain_collective", H5FD_MPIO_COLLECTIVE);
    read_columns(file, "plain_independent", H5FD_MPIO_COLLECTIVE);
    read_columns(file, "chunked_collective", H5FD_MPIO_COLLECTIVE);
    read_columns(file, "plain_collective", H5FD_MPIO_INDEPENDENT);
    CHECK_EQ(H5Fclose(file) >= 0, 1);
    H5Pclose(access);
    if (check_rank == 0)
        remove(path);
    return check_end();
}
