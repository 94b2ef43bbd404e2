/* par/mpi_bytes.c - lengths beyond 2 GiB as MPI datatypes. */
#include "par/mpi.h"

#include <limits.h>

#define PIECE ((size_t)1 << 20)

/* Whole pieces and the rest as one structure. */
static int build(struct pario_mpi_bytes *bytes, size_t len)
{
    int lengths[2] = {(int)(len / PIECE), (int)(len % PIECE)};
    MPI_Aint places[2] = {0, (MPI_Aint)(len / PIECE * PIECE)};
    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    int err = MPI_Type_contiguous((int)PIECE, MPI_BYTE, &types[0]);

    if (err == MPI_SUCCESS)
        err = MPI_Type_create_struct(2, lengths, places, types, &bytes->type);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&bytes->type);
    if (types[0] != MPI_DATATYPE_NULL)
        MPI_Type_free(&types[0]);
    bytes->count = 1;
    bytes->owned = err == MPI_SUCCESS;
    return pario_mpi_check(err, "building a large MPI datatype");
}

int pario_mpi_bytes_init(struct pario_mpi_bytes *bytes, size_t len)
{
    *bytes = (struct pario_mpi_bytes){.type = MPI_BYTE, .count = (int)len};
    return len <= INT_MAX ? 0 : build(bytes, len);
}

void pario_mpi_bytes_fini(struct pario_mpi_bytes *bytes)
{
    if (bytes->owned)
        MPI_Type_free(&bytes->type);
}

int pario_mpi_strided_type(int64_t len, int64_t stride, MPI_Datatype *type_p)
{
    struct pario_mpi_bytes block;
    MPI_Datatype bytes = MPI_DATATYPE_NULL;
    int err, code = pario_mpi_bytes_init(&block, (size_t)len);

    if (code != 0)
        return code;
    err = MPI_Type_contiguous(block.count, block.type, &bytes);
    if (err == MPI_SUCCESS)
        err = MPI_Type_create_resized(bytes, 0, (MPI_Aint)stride, type_p);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(type_p);
    if (bytes != MPI_DATATYPE_NULL)
        MPI_Type_free(&bytes);
    pario_mpi_bytes_fini(&block);
    return pario_mpi_check(err, "building a file type");
}
