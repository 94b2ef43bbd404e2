/* io/mpiio_wait.c - asks before it ends a request of OMPIO's. */
#include "io/mpiio_wait.h"

#include "launch/library.h"

#ifdef OPEN_MPI

static int test_ompio(MPI_Request *request, int64_t bytes, int *done_p,
                      MPI_Status *status_p)
{
    MPI_Count moved = 0;
    int err = MPI_Request_get_status(*request, done_p, status_p);

    if (err == MPI_SUCCESS && !*done_p)
        return MPI_SUCCESS;
    if (err == MPI_SUCCESS)
        MPI_Get_elements_x(status_p, MPI_BYTE, &moved);
    if (err == MPI_SUCCESS && moved == bytes)
        return MPI_Test(request, done_p, status_p);
    *done_p = 1;
    *request = MPI_REQUEST_NULL;
    return err == MPI_SUCCESS && moved > 0 && moved < bytes ? MPI_SUCCESS
                                                            : MPI_ERR_IO;
}

int pario_mpiio_test(MPI_Request *request, int64_t bytes, int *done_p,
                     MPI_Status *status_p)
{
    /* shipio's own requests end as the standard says. */
    return pario_shipio_loaded() || *request == MPI_REQUEST_NULL
               ? MPI_Test(request, done_p, status_p)
               : test_ompio(request, bytes, done_p, status_p);
}

int pario_mpiio_wait(MPI_Request *request, int64_t bytes, MPI_Status *status_p)
{
    int done = 0, err = MPI_SUCCESS;

    if (pario_shipio_loaded())
        return MPI_Wait(request, status_p);
    while (!done && err == MPI_SUCCESS)
        err = pario_mpiio_test(request, bytes, &done, status_p);
    return err;
}

#else

int pario_mpiio_test(MPI_Request *request, int64_t bytes, int *done_p,
                     MPI_Status *status_p)
{
    (void)bytes;
    return MPI_Test(request, done_p, status_p);
}

int pario_mpiio_wait(MPI_Request *request, int64_t bytes, MPI_Status *status_p)
{
    (void)bytes;
    return MPI_Wait(request, status_p);
}

#endif
