/* suites/beffio/calls.c - the MPI calls of each pattern type. */
#include "suites/beffio/calls.h"

static int call_write(MPI_File file, int64_t offset, void *buf,
                      const struct pario_mpi_bytes *bytes, MPI_Status *status)
{
    (void)offset;
    return MPI_File_write(file, buf, bytes->count, bytes->type, status);
}

static int call_read(MPI_File file, int64_t offset, void *buf,
                     const struct pario_mpi_bytes *bytes, MPI_Status *status)
{
    (void)offset;
    return MPI_File_read(file, buf, bytes->count, bytes->type, status);
}

static int call_write_all(MPI_File file, int64_t offset, void *buf,
                          const struct pario_mpi_bytes *bytes,
                          MPI_Status *status)
{
    (void)offset;
    return MPI_File_write_all(file, buf, bytes->count, bytes->type, status);
}

static int call_read_all(MPI_File file, int64_t offset, void *buf,
                         const struct pario_mpi_bytes *bytes,
                         MPI_Status *status)
{
    (void)offset;
    return MPI_File_read_all(file, buf, bytes->count, bytes->type, status);
}

static int call_write_ordered(MPI_File file, int64_t offset, void *buf,
                              const struct pario_mpi_bytes *bytes,
                              MPI_Status *status)
{
    (void)offset;
    return MPI_File_write_ordered(file, buf, bytes->count, bytes->type, status);
}

static int call_read_ordered(MPI_File file, int64_t offset, void *buf,
                             const struct pario_mpi_bytes *bytes,
                             MPI_Status *status)
{
    (void)offset;
    return MPI_File_read_ordered(file, buf, bytes->count, bytes->type, status);
}

static int call_write_at(MPI_File file, int64_t offset, void *buf,
                         const struct pario_mpi_bytes *bytes,
                         MPI_Status *status)
{
    return MPI_File_write_at(file, offset, buf, bytes->count, bytes->type,
                             status);
}

static int call_read_at(MPI_File file, int64_t offset, void *buf,
                        const struct pario_mpi_bytes *bytes, MPI_Status *status)
{
    return MPI_File_read_at(file, offset, buf, bytes->count, bytes->type,
                            status);
}

const struct beffio_calls beffio_calls[BEFFIO_ALL_TYPES] = {
    [BEFFIO_SCATTER] = {call_write_all, call_read_all, 1, 1, 0},
    [BEFFIO_SHARED] = {call_write_ordered, call_read_ordered, 1, 1, 0},
    [BEFFIO_SEPARATE] = {call_write, call_read, 0, 0, 0},
    [BEFFIO_SEGMENTED] = {call_write, call_read, 0, 0, 1},
    [BEFFIO_SEGCOLL] = {call_write_all, call_read_all, 1, 0, 1},
    [BEFFIO_RANDOM] = {call_write_at, call_read_at, 0, 0, 1},
    [BEFFIO_SAMEDATA] = {call_write_all, call_read_all, 1, 1, 0},
};
