/* io/mpiio_names.c - files as names, by MPI-IO. */
#include "io/mpiio_names.h"
#include "par/mpi.h"

#include <errno.h>

static int open_alone(const char *path, int mode, MPI_File *file_p)
{
    int code = pario_mpi_check(
        MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, file_p),
        "MPI_File_open");

    if (code == 0)
        MPI_File_set_errhandler(*file_p, MPI_ERRORS_RETURN);
    return code;
}

int pario_mpiio_name_make(const char *path, const void *data, size_t len)
{
    MPI_File file;
    MPI_Status status;
    int close_code, count = 0;
    int code = open_alone(
        path, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, &file);

    if (code != 0)
        return code;
    if (len > 0) {
        code = pario_mpi_check(
            MPI_File_write_at(file, 0, data, (int)len, MPI_BYTE, &status),
            "MPI_File_write_at");
        if (code == 0)
            MPI_Get_count(&status, MPI_BYTE, &count);
        if (code == 0 && count != (int)len)
            code = -ENOSPC;
    }
    close_code = pario_mpi_check(MPI_File_close(&file), "MPI_File_close");
    return code != 0 ? code : close_code;
}

int pario_mpiio_name_open(const char *path)
{
    MPI_File file;
    int code = open_alone(path, MPI_MODE_RDONLY, &file);

    return code != 0 ? code
                     : pario_mpi_check(MPI_File_close(&file), "MPI_File_close");
}

int pario_mpiio_name_delete(const char *path)
{
    return pario_mpi_check(MPI_File_delete(path, MPI_INFO_NULL),
                           "MPI_File_delete");
}
