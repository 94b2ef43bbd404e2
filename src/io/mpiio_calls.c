/* io/mpiio_calls.c - the two tables. */
#include "io/mpiio_calls.h"

/* The writing calls take a const buffer; one type serves both directions. */
static int native_write(MPI_File file, void *buf, int count, MPI_Datatype type,
                        MPI_Status *status)
{
    return PMPI_File_write(file, buf, count, type, status);
}

static int native_write_all(MPI_File file, void *buf, int count,
                            MPI_Datatype type, MPI_Status *status)
{
    return PMPI_File_write_all(file, buf, count, type, status);
}

static int native_write_at(MPI_File file, MPI_Offset offset, void *buf,
                           int count, MPI_Datatype type, MPI_Status *status)
{
    return PMPI_File_write_at(file, offset, buf, count, type, status);
}

static int shipio_write(MPI_File file, void *buf, int count, MPI_Datatype type,
                        MPI_Status *status)
{
    return MPI_File_write(file, buf, count, type, status);
}

static int shipio_write_all(MPI_File file, void *buf, int count,
                            MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_all(file, buf, count, type, status);
}

static int shipio_write_at(MPI_File file, MPI_Offset offset, void *buf,
                           int count, MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_at(file, offset, buf, count, type, status);
}

static int native_write_at_all(MPI_File file, MPI_Offset offset, void *buf,
                               int count, MPI_Datatype type, MPI_Status *status)
{
    return PMPI_File_write_at_all(file, offset, buf, count, type, status);
}

static int native_write_ordered(MPI_File file, void *buf, int count,
                                MPI_Datatype type, MPI_Status *status)
{
    return PMPI_File_write_ordered(file, buf, count, type, status);
}

static int shipio_write_at_all(MPI_File file, MPI_Offset offset, void *buf,
                               int count, MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_at_all(file, offset, buf, count, type, status);
}

static int shipio_write_ordered(MPI_File file, void *buf, int count,
                                MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_ordered(file, buf, count, type, status);
}

const struct pario_mpiio_calls pario_mpiio_native = {
    .name = "native",
    .open = PMPI_File_open,
    .close = PMPI_File_close,
    .set_view = PMPI_File_set_view,
    .sync = PMPI_File_sync,
    .get_info = PMPI_File_get_info,
    .get_size = PMPI_File_get_size,
    .seek = PMPI_File_seek,
    .write = native_write,
    .read = PMPI_File_read,
    .write_all = native_write_all,
    .read_all = PMPI_File_read_all,
    .write_at = native_write_at,
    .read_at = PMPI_File_read_at,
    .write_at_all = native_write_at_all,
    .read_at_all = PMPI_File_read_at_all,
    .write_ordered = native_write_ordered,
    .read_ordered = PMPI_File_read_ordered,
};

const struct pario_mpiio_calls pario_mpiio_shipio = {
    .name = "shipio",
    .open = MPI_File_open,
    .close = MPI_File_close,
    .set_view = MPI_File_set_view,
    .sync = MPI_File_sync,
    .get_info = MPI_File_get_info,
    .get_size = MPI_File_get_size,
    .seek = MPI_File_seek,
    .write = shipio_write,
    .read = MPI_File_read,
    .write_all = shipio_write_all,
    .read_all = MPI_File_read_all,
    .write_at = shipio_write_at,
    .read_at = MPI_File_read_at,
    .write_at_all = shipio_write_at_all,
    .read_at_all = MPI_File_read_at_all,
    .write_ordered = shipio_write_ordered,
    .read_ordered = MPI_File_read_ordered,
};
