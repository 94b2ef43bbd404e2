/* suites/prio/async_mpiio.c - the nonblocking calls of MPI-IO. */
#include "core/cleanup.h"
#include "io/mpiio_wait.h"
#include "par/mpi.h"
#include "suites/prio/async.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct prio_async {
    MPI_File handle;
    MPI_Request request;
    size_t len;
};

static int mpiio_open(const char *path, const struct prio_case *what,
                      const struct pario_group *group,
                      struct prio_async **file_p)
{
    struct prio_async *file = calloc(1, sizeof(*file));
    char text[512];
    int code = 0;

    if (file == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot open %s", path);
    code = pario_agree(group, code);
    if (code == 0 && file != NULL) {
        snprintf(text, sizeof(text), "cannot open %s", path);
        code = pario_mpi_check(
            MPI_File_open(pario_group_comm(group), path,
                          what->writes > 0 ? MPI_MODE_RDWR : MPI_MODE_RDONLY,
                          MPI_INFO_NULL, &file->handle),
            text);
        if (code == 0)
            code = pario_own_check(path);
        code = pario_agree(group, code);
    }
    if (code != 0 || file == NULL) {
        free(file);
        return code;
    }
    MPI_File_set_errhandler(file->handle, MPI_ERRORS_RETURN);
    *file_p = file;
    return 0;
}

static int mpiio_close(struct prio_async *file)
{
    int code = pario_mpi_check(MPI_File_close(&file->handle), "MPI_File_close");

    free(file);
    return code;
}

static int explicit_start(struct prio_async *file, int write, void *buf,
                          size_t len, int64_t offset)
{
    file->len = len;
    return pario_mpi_check(
        write ? MPI_File_iwrite_at(file->handle, offset, buf, (int)len,
                                   MPI_BYTE, &file->request)
              : MPI_File_iread_at(file->handle, offset, buf, (int)len, MPI_BYTE,
                                  &file->request),
        "starting a nonblocking MPI access");
}

/* The pointer is moved before: that is local and moves no data. */
static int individual_start(struct prio_async *file, int write, void *buf,
                            size_t len, int64_t offset)
{
    int err = MPI_File_seek(file->handle, offset, MPI_SEEK_SET);

    file->len = len;
    if (err == MPI_SUCCESS)
        err = write ? MPI_File_iwrite(file->handle, buf, (int)len, MPI_BYTE,
                                      &file->request)
                    : MPI_File_iread(file->handle, buf, (int)len, MPI_BYTE,
                                     &file->request);
    return pario_mpi_check(err, "starting a nonblocking MPI access");
}

static int mpiio_wait(struct prio_async *file)
{
    MPI_Status status;
    MPI_Count bytes = 0;
    int err = pario_mpiio_wait(&file->request, (int64_t)file->len, &status);

    if (err != MPI_SUCCESS)
        return pario_mpi_check(err, "waiting for a nonblocking MPI access");
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    return (size_t)bytes == file->len ? 0 : PARIO_ESHORT;
}

const struct prio_async_way prio_async_individual = {
    .open = mpiio_open,
    .start = individual_start,
    .wait = mpiio_wait,
    .close = mpiio_close,
};

const struct prio_async_way prio_async_explicit = {
    .open = mpiio_open,
    .start = explicit_start,
    .wait = mpiio_wait,
    .close = mpiio_close,
};
