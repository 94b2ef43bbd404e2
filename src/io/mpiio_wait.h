/* io/mpiio_wait.h - the end of nonblocking MPI-IO, also of one that failed.
 *
 * Open MPI 4.1 crashes when MPI_Test or MPI_Wait ends a request of OMPIO's
 * that failed. MPI_Request_get_status does not, but hides the error; only the
 * count tells. So there MPI_Test sees a request only when it has ended well;
 * one that failed is left alone, which costs its memory. Local.
 */
#ifndef PARIO_IO_MPIIO_WAIT_H
#define PARIO_IO_MPIIO_WAIT_H

#include "par/mpi.h"
#include <stdint.h>

#if PARIO_HAVE_MPIIO
/* As MPI_Test and MPI_Wait, for a request that moves so many bytes. After an
 * error, and after an end with fewer bytes, the request is gone. Where nothing
 * was moved OMPIO does not say whether that is an error: MPI_ERR_IO. */
int pario_mpiio_test(MPI_Request *request, int64_t bytes, int *done_p,
                     MPI_Status *status_p) PARIO_MUST_USE;
int pario_mpiio_wait(MPI_Request *request, int64_t bytes,
                     MPI_Status *status_p) PARIO_MUST_USE;
#endif

#endif
