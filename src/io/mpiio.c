/* io/mpiio.c - MPI-IO, all the forms of access that the seeds use. */
#include "core/cleanup.h"
#include "io/backend.h"
#include "io/mpiio_calls.h"
#include "io/mpiio_hints.h"
#include "io/mpiio_wait.h"
#include "par/mpi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pario_file {
    const struct pario_mpiio_calls *mpi;
    MPI_File handle;
    char *path;
};

static int open_mode(int flags)
{
    int both = PARIO_OPEN_READ | PARIO_OPEN_WRITE;
    int mode = (flags & both) == both     ? MPI_MODE_RDWR
               : flags & PARIO_OPEN_WRITE ? MPI_MODE_WRONLY
                                          : MPI_MODE_RDONLY;

    if (flags & PARIO_OPEN_CREATE)
        mode |= MPI_MODE_CREATE | MPI_MODE_EXCL;
    return mode;
}

static int agree(const struct pario_target *target, int code)
{
    return target->group != NULL ? pario_agree(target->group, code) : code;
}

static int open_by(const struct pario_mpiio_calls *mpi,
                   const struct pario_target *target,
                   struct pario_file **file_p)
{
    MPI_Comm comm =
        target->group != NULL ? pario_group_comm(target->group) : MPI_COMM_SELF;
    struct pario_file *file = calloc(1, sizeof(*file));
    MPI_Info info = MPI_INFO_NULL;
    char what[512];
    int code;

    if (file != NULL) {
        file->mpi = mpi;
        file->path = strdup(target->path);
    }
    code = file == NULL || file->path == NULL
               ? pario_fail_errno(-ENOMEM, "cannot open %s", target->path)
               : pario_hints_to_info(target->hints, &info);
    code = agree(target, code);
    if (code == 0 && file != NULL) {
        snprintf(what, sizeof(what), "cannot open %s", target->path);
        code = pario_mpi_check(mpi->open(comm, target->path,
                                         open_mode(target->flags), info,
                                         &file->handle),
                               what);
        code = agree(target, code);
        if (code == 0) { /* open on all ranks: closed on all, or on none */
            code = agree(target, pario_own_check(target->path));
            if (code != 0)
                (void)mpi->close(&file->handle);
        }
    }
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (code != 0 || file == NULL) {
        if (file != NULL)
            free(file->path);
        free(file);
        return code;
    }
    if (mpi == &pario_mpiio_native)
        PMPI_File_set_errhandler(file->handle, MPI_ERRORS_RETURN);
    else
        MPI_File_set_errhandler(file->handle, MPI_ERRORS_RETURN);
    *file_p = file;
    return 0;
}

static int mpiio_open(const struct pario_target *target,
                      struct pario_file **file_p)
{
    return open_by(&pario_mpiio_shipio, target, file_p);
}

static int native_open(const struct pario_target *target,
                       struct pario_file **file_p)
{
    return open_by(&pario_mpiio_native, target, file_p);
}

static int mpiio_close(struct pario_file *file)
{
    char what[512];
    int code;

    snprintf(what, sizeof(what), "cannot close %s", file->path);
    code = pario_mpi_check(file->mpi->close(&file->handle), what);
    free(file->path);
    free(file);
    return code;
}

/* A full count is a success; OMPIO reports short independent writes only
 * here (docs/measuring.md). */
static int finish(int err, const MPI_Status *status,
                  const struct pario_mpi_bytes *extent,
                  enum pario_direction direction)
{
    int count = 0;

    if (err != MPI_SUCCESS)
        return pario_mpi_check(err, direction == PARIO_WRITE ? "MPI write"
                                                             : "MPI read");
    MPI_Get_count(status, extent->type, &count);
    if (count != extent->count)
        return direction == PARIO_WRITE ? -EIO : PARIO_ESHORT;
    return 0;
}

/* The twelve blocking calls differ in name and offset only. */
#define WITH_OFFSET(name, call, direction)                                     \
    static int name(struct pario_file *file, void *buf, size_t len,            \
                    int64_t offset)                                            \
    {                                                                          \
        struct pario_mpi_bytes extent;                                         \
        MPI_Status status;                                                     \
        int code = pario_mpi_bytes_init(&extent, len);                         \
                                                                               \
        if (code == 0)                                                         \
            code = finish(call(file->handle, (MPI_Offset)offset, buf,          \
                               extent.count, extent.type, &status),            \
                          &status, &extent, direction);                        \
        pario_mpi_bytes_fini(&extent);                                         \
        return code;                                                           \
    }
#define WITH_POINTER(name, call, direction)                                    \
    static int name(struct pario_file *file, void *buf, size_t len,            \
                    int64_t offset)                                            \
    {                                                                          \
        struct pario_mpi_bytes extent;                                         \
        MPI_Status status;                                                     \
        int code = pario_mpi_bytes_init(&extent, len);                         \
                                                                               \
        (void)offset;                                                          \
        if (code == 0)                                                         \
            code = finish(                                                     \
                call(file->handle, buf, extent.count, extent.type, &status),   \
                &status, &extent, direction);                                  \
        pario_mpi_bytes_fini(&extent);                                         \
        return code;                                                           \
    }

WITH_OFFSET(mpiio_write_at, MPI_File_write_at, PARIO_WRITE)
WITH_OFFSET(mpiio_write_at_all, MPI_File_write_at_all, PARIO_WRITE)
WITH_POINTER(mpiio_write, MPI_File_write, PARIO_WRITE)
WITH_POINTER(mpiio_write_all, MPI_File_write_all, PARIO_WRITE)
WITH_POINTER(mpiio_write_shared, MPI_File_write_shared, PARIO_WRITE)
WITH_POINTER(mpiio_write_ordered, MPI_File_write_ordered, PARIO_WRITE)
WITH_OFFSET(native_write_at_all, file->mpi->write_at_all, PARIO_WRITE)
WITH_OFFSET(native_read_at_all, file->mpi->read_at_all, PARIO_READ)
WITH_OFFSET(mpiio_read_at, MPI_File_read_at, PARIO_READ)
WITH_OFFSET(mpiio_read_at_all, MPI_File_read_at_all, PARIO_READ)
WITH_POINTER(mpiio_read, MPI_File_read, PARIO_READ)
WITH_POINTER(mpiio_read_all, MPI_File_read_all, PARIO_READ)
WITH_POINTER(mpiio_read_shared, MPI_File_read_shared, PARIO_READ)
WITH_POINTER(mpiio_read_ordered, MPI_File_read_ordered, PARIO_READ)

static int mpiio_sync(struct pario_file *file)
{
    char what[512];

    snprintf(what, sizeof(what),
             "cannot sync %s (the data may not be on the disk)", file->path);
    return pario_mpi_check(file->mpi->sync(file->handle), what);
}

static int mpiio_size(struct pario_file *file, int64_t *bytes_p)
{
    MPI_Offset bytes = 0;
    int code =
        pario_mpi_check(file->mpi->get_size(file->handle, &bytes), file->path);

    if (code == 0)
        *bytes_p = bytes;
    return code;
}

static int mpiio_set_size(struct pario_file *file, int64_t bytes)
{
    return pario_mpi_check(MPI_File_set_size(file->handle, bytes), file->path);
}

static int mpiio_preallocate(struct pario_file *file, int64_t bytes)
{
    return pario_mpi_check(MPI_File_preallocate(file->handle, bytes),
                           file->path);
}

static int mpiio_seek(struct pario_file *file, int64_t offset)
{
    return pario_mpi_check(MPI_File_seek(file->handle, offset, MPI_SEEK_SET),
                           file->path);
}

static int mpiio_seek_shared(struct pario_file *file, int64_t offset)
{
    return pario_mpi_check(
        MPI_File_seek_shared(file->handle, offset, MPI_SEEK_SET), file->path);
}

static int mpiio_set_view(struct pario_file *file, int64_t displacement,
                          int64_t blocklen, int64_t stride)
{
    MPI_Datatype type = MPI_BYTE;
    int code = 0;

    if (blocklen > 0)
        code = pario_mpi_strided_type(blocklen, stride, &type);
    if (code != 0)
        return code;
    code = pario_mpi_check(file->mpi->set_view(file->handle, displacement,
                                               MPI_BYTE, type, "native",
                                               MPI_INFO_NULL),
                           "MPI_File_set_view");
    if (blocklen > 0)
        MPI_Type_free(&type);
    return code;
}

/* handle[0] keeps the MPI_Request, whatever its type. */
_Static_assert(sizeof(MPI_Request) <= sizeof(uint64_t), "request storage");

static int started(int err, MPI_Request handle, size_t len,
                   struct pario_request *request)
{
    *request = (struct pario_request){.len = len};
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a handle may be a pointer
    memcpy(&request->handle[0], &handle, sizeof(handle));
    return pario_mpi_check(err, "starting a nonblocking MPI access");
}

static int mpiio_start(struct pario_file *file, enum pario_direction direction,
                       void *buf, size_t len, int64_t offset,
                       struct pario_request *request)
{
    MPI_Request handle = MPI_REQUEST_NULL;
    struct pario_mpi_bytes extent;
    int err, code = pario_mpi_bytes_init(&extent, len);

    if (code != 0)
        return code;
    err = direction == PARIO_WRITE
              ? MPI_File_iwrite_at(file->handle, offset, buf, extent.count,
                                   extent.type, &handle)
              : MPI_File_iread_at(file->handle, offset, buf, extent.count,
                                  extent.type, &handle);
    pario_mpi_bytes_fini(&extent);
    return started(err, handle, len, request);
}

static int mpiio_start_pointer(struct pario_file *file,
                               enum pario_direction direction, void *buf,
                               size_t len, struct pario_request *request)
{
    MPI_Request handle = MPI_REQUEST_NULL;
    struct pario_mpi_bytes extent;
    int err, code = pario_mpi_bytes_init(&extent, len);

    if (code != 0)
        return code;
    err = direction == PARIO_WRITE
              ? MPI_File_iwrite(file->handle, buf, extent.count, extent.type,
                                &handle)
              : MPI_File_iread(file->handle, buf, extent.count, extent.type,
                               &handle);
    pario_mpi_bytes_fini(&extent);
    return started(err, handle, len, request);
}

static int mpiio_wait(struct pario_file *file, struct pario_request *request)
{
    MPI_Request handle;
    MPI_Status status;
    MPI_Count bytes = 0;
    int err;

    (void)file;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a handle may be a pointer
    memcpy(&handle, &request->handle[0], sizeof(handle));
    err = pario_mpiio_wait(&handle, (int64_t)request->len, &status);
    request->done = 1;
    if (err != MPI_SUCCESS)
        return pario_mpi_check(err, "waiting for a nonblocking MPI access");
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    return (size_t)bytes == request->len ? 0 : PARIO_ESHORT;
}

static int mpiio_hints_in_force(struct pario_file *file,
                                struct pario_hints *hints)
{
    return pario_hints_of_file(file->handle, hints);
}

const struct pario_backend pario_backend_mpiio = {
    .abi = PARIO_BACKEND_ABI,
    .name = "mpiio",
    .summary = "MPI-IO: explicit, individual and shared pointers, collective",
    .open_flags = PARIO_OPEN_READ | PARIO_OPEN_WRITE | PARIO_OPEN_CREATE,
    .open = mpiio_open,
    .close = mpiio_close,
    .io[PARIO_WRITE] = {[PARIO_FORM_AT] = mpiio_write_at,
                        [PARIO_FORM_POINTER] = mpiio_write,
                        [PARIO_FORM_SHARED] = mpiio_write_shared,
                        [PARIO_FORM_AT_ALL] = mpiio_write_at_all,
                        [PARIO_FORM_POINTER_ALL] = mpiio_write_all,
                        [PARIO_FORM_ORDERED] = mpiio_write_ordered},
    .io[PARIO_READ] = {[PARIO_FORM_AT] = mpiio_read_at,
                       [PARIO_FORM_POINTER] = mpiio_read,
                       [PARIO_FORM_SHARED] = mpiio_read_shared,
                       [PARIO_FORM_AT_ALL] = mpiio_read_at_all,
                       [PARIO_FORM_POINTER_ALL] = mpiio_read_all,
                       [PARIO_FORM_ORDERED] = mpiio_read_ordered},
    .sync = mpiio_sync,
    .size = mpiio_size,
    .set_size = mpiio_set_size,
    .preallocate = mpiio_preallocate,
    .seek = mpiio_seek,
    .seek_shared = mpiio_seek_shared,
    .set_view = mpiio_set_view,
    .start = mpiio_start,
    .wait = mpiio_wait,
    .start_pointer = mpiio_start_pointer,
    .hints_in_force = mpiio_hints_in_force,
};

/* Whatever is preloaded: what a suite needs to measure the MPI library's own
 * MPI-IO beside shipio's. */
const struct pario_backend pario_backend_mpiio_native = {
    .abi = PARIO_BACKEND_ABI,
    .name = "mpiio",
    .summary = "MPI-IO of the MPI library",
    .open_flags = PARIO_OPEN_READ | PARIO_OPEN_WRITE | PARIO_OPEN_CREATE,
    .open = native_open,
    .close = mpiio_close,
    .io[PARIO_WRITE] = {[PARIO_FORM_AT_ALL] = native_write_at_all},
    .io[PARIO_READ] = {[PARIO_FORM_AT_ALL] = native_read_at_all},
    .sync = mpiio_sync,
    .size = mpiio_size,
    .set_view = mpiio_set_view,
};
