/* Messages of the BT solver. */
#include "apps/bt/comm.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void pario_bt_comm_init_alone(struct pario_bt_comm *bc)
{
    memset(bc, 0, sizeof(*bc));
    bc->size = 1;
#if PARIO_HAVE_MPI
    bc->comm = MPI_COMM_NULL;
#endif
}

#if PARIO_HAVE_MPI

static int status_of(int mpi_code)
{
    return mpi_code == MPI_SUCCESS ? 0 : -EIO;
}

int pario_bt_comm_init(struct pario_bt_comm *bc, MPI_Comm comm)
{
    pario_bt_comm_init_alone(bc);
    if (MPI_Comm_dup(comm, &bc->comm) != MPI_SUCCESS)
        return -EIO;
    MPI_Comm_rank(bc->comm, &bc->rank);
    MPI_Comm_size(bc->comm, &bc->size);
    return 0;
}

void pario_bt_comm_fini(struct pario_bt_comm *bc)
{
    free(bc->pending);
    bc->pending = NULL;
    if (bc->comm != MPI_COMM_NULL)
        MPI_Comm_free(&bc->comm);
}

/* A place for one more request; the array only ever grows. */
static MPI_Request *next_request(struct pario_bt_comm *bc)
{
    if (bc->npending == bc->capacity) {
        int capacity = bc->capacity == 0 ? 64 : 2 * bc->capacity;
        MPI_Request *more =
            realloc(bc->pending, (size_t)capacity * sizeof(MPI_Request));

        if (more == NULL)
            return NULL;
        bc->pending = more;
        bc->capacity = capacity;
    }
    return &bc->pending[bc->npending];
}

int pario_bt_comm_send(struct pario_bt_comm *bc, const double *buf,
                       size_t count, int peer, int tag)
{
    MPI_Request *req = next_request(bc);
    int code;

    if (req == NULL)
        return -ENOMEM;
    if (count > INT_MAX)
        return -EOVERFLOW;
    code = MPI_Isend(buf, (int)count, MPI_DOUBLE, peer, tag, bc->comm, req);
    if (code == MPI_SUCCESS)
        bc->npending++;
    return status_of(code);
}

int pario_bt_comm_recv_start(struct pario_bt_comm *bc, double *buf,
                             size_t count, int peer, int tag)
{
    MPI_Request *req = next_request(bc);
    int code;

    if (req == NULL)
        return -ENOMEM;
    if (count > INT_MAX)
        return -EOVERFLOW;
    code = MPI_Irecv(buf, (int)count, MPI_DOUBLE, peer, tag, bc->comm, req);
    if (code == MPI_SUCCESS)
        bc->npending++;
    return status_of(code);
}

int pario_bt_comm_recv(struct pario_bt_comm *bc, double *buf, size_t count,
                       int peer, int tag)
{
    if (count > INT_MAX)
        return -EOVERFLOW;
    return status_of(MPI_Recv(buf, (int)count, MPI_DOUBLE, peer, tag, bc->comm,
                              MPI_STATUS_IGNORE));
}

int pario_bt_comm_wait(struct pario_bt_comm *bc)
{
    int err = 0;

    for (int i = 0; i < bc->npending; i++) {
        int one = status_of(MPI_Wait(&bc->pending[i], MPI_STATUS_IGNORE));

        err = err ? err : one;
    }
    bc->npending = 0;
    return err;
}

int pario_bt_comm_sum(struct pario_bt_comm *bc, double *values, int count)
{
    if (bc->comm == MPI_COMM_NULL)
        return 0;
    return status_of(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE,
                                   MPI_SUM, bc->comm));
}

int pario_bt_comm_min(struct pario_bt_comm *bc, int *value)
{
    if (bc->comm == MPI_COMM_NULL)
        return 0;
    return status_of(
        MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_MIN, bc->comm));
}

#else /* one process: nothing to send */

void pario_bt_comm_fini(struct pario_bt_comm *bc)
{
    (void)bc;
}

int pario_bt_comm_send(struct pario_bt_comm *bc, const double *buf,
                       size_t count, int peer, int tag)
{
    (void)bc, (void)buf, (void)count, (void)peer, (void)tag;
    return -ENOSYS;
}

int pario_bt_comm_recv_start(struct pario_bt_comm *bc, double *buf,
                             size_t count, int peer, int tag)
{
    (void)bc, (void)buf, (void)count, (void)peer, (void)tag;
    return -ENOSYS;
}

int pario_bt_comm_recv(struct pario_bt_comm *bc, double *buf, size_t count,
                       int peer, int tag)
{
    (void)bc, (void)buf, (void)count, (void)peer, (void)tag;
    return -ENOSYS;
}

int pario_bt_comm_wait(struct pario_bt_comm *bc)
{
    (void)bc;
    return 0;
}

int pario_bt_comm_sum(struct pario_bt_comm *bc, double *values, int count)
{
    (void)bc, (void)values, (void)count;
    return 0;
}

int pario_bt_comm_min(struct pario_bt_comm *bc, int *value)
{
    (void)bc, (void)value;
    return 0;
}

#endif
