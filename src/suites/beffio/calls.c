/* suites/beffio/calls.c - the MPI calls of each pattern type. */
#include "suites/beffio/calls.h"

/* A call by pointer, individual or shared: the offset is not used. */
#define BY_POINTER(name)                                                       \
    static int call_##name(                                                    \
        const struct pario_mpiio_calls *mpi, MPI_File file, int64_t offset,    \
        void *buf, const struct pario_mpi_bytes *bytes, MPI_Status *status)    \
    {                                                                          \
        (void)offset;                                                          \
        return mpi->name(file, buf, bytes->count, bytes->type, status);        \
    }

BY_POINTER(write)
BY_POINTER(read)
BY_POINTER(write_all)
BY_POINTER(read_all)
BY_POINTER(write_ordered)
BY_POINTER(read_ordered)

static int call_write_at(const struct pario_mpiio_calls *mpi, MPI_File file,
                         int64_t offset, void *buf,
                         const struct pario_mpi_bytes *bytes,
                         MPI_Status *status)
{
    return mpi->write_at(file, offset, buf, bytes->count, bytes->type, status);
}

static int call_read_at(const struct pario_mpiio_calls *mpi, MPI_File file,
                        int64_t offset, void *buf,
                        const struct pario_mpi_bytes *bytes, MPI_Status *status)
{
    return mpi->read_at(file, offset, buf, bytes->count, bytes->type, status);
}

const struct beffio_calls beffio_calls[BEFFIO_ALL_TYPES] = {
    [BEFFIO_SCATTER] = {call_write_all, call_read_all},
    [BEFFIO_SHARED] = {call_write_ordered, call_read_ordered},
    [BEFFIO_SEPARATE] = {call_write, call_read},
    [BEFFIO_SEGMENTED] = {call_write, call_read},
    [BEFFIO_SEGCOLL] = {call_write_all, call_read_all},
    [BEFFIO_RANDOM] = {call_write_at, call_read_at},
    [BEFFIO_SAMEDATA] = {call_write_all, call_read_all},
};
