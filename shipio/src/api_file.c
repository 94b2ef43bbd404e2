/* api_file.c - opening, closing, views, positions, sizes and the rest. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "behind.h"
#include "errors.h"
#include "file.h"
#include "job.h"
#include "map.h"
#include "native.h"
#include "opening.h"
#include "pointer.h"

/* Calls on any other would meet the communicator's handler, not the file's. */
static bool is_usable(MPI_Comm comm)
{
    int between = 0;

    return comm != MPI_COMM_NULL &&
           PMPI_Comm_test_inter(comm, &between) == MPI_SUCCESS && !between;
}

int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info,
                  MPI_File *fh)
{
    struct shipio_opening opening = {
        .filename = filename, .amode = amode, .info = info};
    struct shipio_file *file;
    int class = MPI_SUCCESS;
    int agreed;
    int rc;

    *fh = MPI_FILE_NULL;
    if (!is_usable(comm))
        return shipio_raise_open(filename, SHIPIO_ECLASS(MPI_ERR_COMM));
    rc = shipio_open(comm, &opening, &file);
    if (rc < 0)
        return shipio_raise_open(filename, rc);
    if (rc > 0) {
        shipio_stats_print_foreign(comm, filename,
                                   "mode, kind of file, or SHIPIO_DISABLE");
        return PMPI_File_open(comm, filename, amode, info, fh);
    }
    if (shipio_native_put_off(file, info, fh)) {
        shipio_file_adopt(file, *fh, MPI_FILE_NULL);
        return MPI_SUCCESS;
    }
    /* The file is there now, exclusively ours if that was asked for; a library
     * that need not create it saves an open and a broadcast. */
    rc = PMPI_File_open(comm, filename,
                        amode & ~(MPI_MODE_CREATE | MPI_MODE_EXCL), info, fh);
    if (rc != MPI_SUCCESS)
        PMPI_Error_class(rc, &class);
    agreed =
        shipio_file_agree(file, rc != MPI_SUCCESS ? SHIPIO_ECLASS(class) : 0);
    if (agreed == 0) {
        shipio_file_adopt(file, *fh, *fh);
        return MPI_SUCCESS;
    }
    shipio_open_undo(file);
    /* Closing is collective: the others' handles cannot be closed. */
    *fh = MPI_FILE_NULL;
    return rc != MPI_SUCCESS ? rc : shipio_raise_open(filename, agreed);
}

int MPI_File_create_errhandler(MPI_File_errhandler_function *function,
                               MPI_Errhandler *handler)
{
    int rc = PMPI_File_create_errhandler(function, handler);

    if (rc == MPI_SUCCESS)
        shipio_errors_remember(*handler, function);
    return rc;
}

int MPI_File_get_amode(MPI_File fh, int *amode)
{
    struct shipio_file *file = shipio_file_find_any(fh);

    if (file == NULL)
        return PMPI_File_get_amode(shipio_native_of(fh), amode);
    *amode = file->amode;
    return MPI_SUCCESS;
}

static int close_by_library(MPI_File *fh)
{
    MPI_File valid = shipio_native_valid(*fh);

    return PMPI_File_close(valid == *fh ? fh : &valid);
}

int MPI_File_close(MPI_File *fh)
{
    struct shipio_file *file = shipio_file_find_any(*fh);
    int rc;
    int native;

    if (file == NULL)
        return close_by_library(fh);
    rc = shipio_raise(*fh, shipio_file_release(file));
    native = shipio_native_close(file, fh);
    shipio_file_forget(file);
    return rc != MPI_SUCCESS ? rc : native;
}

/* Collective. What the MPI library said to this rank, or MPI_SUCCESS and the
 * error of another rank: then on all ranks, by the handler of each, which the
 * library has called if the handle is the program's. */
static int agree_on_code(struct shipio_file *file, int code)
{
    int class = MPI_SUCCESS;
    int rc;

    if (code != MPI_SUCCESS)
        PMPI_Error_class(code, &class);
    rc = shipio_file_agree(file,
                           class != MPI_SUCCESS ? SHIPIO_ECLASS(class) : 0);
    if (code != MPI_SUCCESS && file->handle.native == file->handle.fh)
        return code;
    return shipio_raise(file->handle.fh,
                        code != MPI_SUCCESS ? SHIPIO_ECLASS(class) : rc);
}

/*
 * From now on the file passes through, in atomic mode if it is in that; or
 * all stays as it was and the MPI library's error is returned.
 */
static int pass_on(struct shipio_file *file, MPI_Offset disp,
                   MPI_Datatype etype, MPI_Datatype filetype,
                   const char *datarep, MPI_Info info)
{
    MPI_File fh;
    int atomic = 0;
    int rc;

    /* The accesses before this call are shipio's. */
    shipio_behind_flush(file);
    shipio_file_barrier(file);
    rc = shipio_native_demand(file);
    if (rc != MPI_SUCCESS)
        return rc;
    fh = file->handle.native;
    /* Its own handle may still have the mode from a view that was refused. */
    if (PMPI_File_get_atomicity(fh, &atomic) != MPI_SUCCESS)
        atomic = 0;
    if ((atomic != 0) != file->atomic_mode)
        rc =
            agree_on_code(file, PMPI_File_set_atomicity(fh, file->atomic_mode));
    if (rc == MPI_SUCCESS)
        rc = agree_on_code(
            file, PMPI_File_set_view(fh, disp, etype, filetype, datarep, info));
    if (rc != MPI_SUCCESS)
        return rc;
    shipio_native_pass(file);
    shipio_file_disown(file);
    return MPI_SUCCESS;
}

int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                      MPI_Datatype filetype, const char *datarep, MPI_Info info)
{
    struct shipio_file *file = shipio_file_find(fh);
    bool internal;
    bool known;
    int rc;

    if (file == NULL)
        return PMPI_File_set_view(shipio_native_of(fh), disp, etype, filetype,
                                  datarep, info);
    shipio_jobs_drain(file);
    internal = strcmp(datarep, "internal") == 0;
    known = internal || strcmp(datarep, "native") == 0;
    rc = known ? shipio_file_set_view(file, disp, etype, filetype, info)
               : -ENOSYS;
    if (rc == 0)
        file->view->internal = internal;
    if (rc != -ENOSYS)
        return shipio_raise(fh, rc);
    rc = pass_on(file, disp, etype, filetype, datarep, info);
    if (rc == MPI_SUCCESS)
        file->handle.reason = known ? "view of a type that is not known here"
                                    : "data representation of a view";
    return rc;
}

static int give_type(MPI_Datatype datatype, bool owned, MPI_Datatype *given_p)
{
    if (owned)
        return PMPI_Type_dup(datatype, given_p);
    *given_p = datatype;
    return MPI_SUCCESS;
}

int MPI_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype,
                      MPI_Datatype *filetype, char *datarep)
{
    struct shipio_file *file = shipio_file_find(fh);
    const char *name;
    int rc;

    if (file == NULL)
        return PMPI_File_get_view(shipio_native_of(fh), disp, etype, filetype,
                                  datarep);
    *disp = file->view->disp;
    name = file->view->internal ? "internal" : "native";
    memcpy(datarep, name, strlen(name) + 1);
    rc = give_type(file->view->etype, file->view->owns_etype, etype);
    if (rc == MPI_SUCCESS)
        rc = give_type(file->view->filetype, file->view->owns_filetype,
                       filetype);
    return rc;
}

int MPI_File_get_info(MPI_File fh, MPI_Info *info)
{
    struct shipio_file *file = shipio_file_find(fh);
    int rc;

    if (file != NULL && file->handle.info != MPI_INFO_NULL)
        rc = PMPI_Info_dup(file->handle.info, info);
    else
        rc = PMPI_File_get_info(shipio_native_of(fh), info);
    if (file == NULL)
        return rc;
    if ((rc != MPI_SUCCESS || *info == MPI_INFO_NULL) &&
        PMPI_Info_create(info) != MPI_SUCCESS)
        return shipio_raise(fh, -ENOMEM);
    /* What was asked for in vain is not in force. */
    shipio_hints_report(&file->hints,
                        file->ship.agents != NULL && !file->atomic_mode, *info);
    return MPI_SUCCESS;
}

#ifdef OPEN_MPI
/* What a token does not know. */

int MPI_File_get_group(MPI_File fh, MPI_Group *group)
{
    struct shipio_file *file = shipio_file_find_any(fh);

    return file != NULL ? PMPI_Comm_group(file->comm, group)
                        : PMPI_File_get_group(shipio_native_of(fh), group);
}

int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype,
                             MPI_Aint *extent)
{
    return PMPI_File_get_type_extent(shipio_native_of(fh), datatype, extent);
}

/* The handler of MPI_FILE_NULL is that of all files to come: who names a closed
 * file does not mean it. */
static bool is_closed(MPI_File fh)
{
    return shipio_native_valid(fh) != fh;
}

int MPI_File_set_errhandler(MPI_File fh, MPI_Errhandler handler)
{
    MPI_File native = shipio_native_of(fh);
    int rc;

    if (is_closed(fh))
        return shipio_raise(MPI_FILE_NULL, SHIPIO_ECLASS(MPI_ERR_FILE));
    rc = PMPI_File_set_errhandler(fh, handler);
    if (rc == MPI_SUCCESS && native != fh)
        rc = PMPI_File_set_errhandler(native, handler);
    return rc;
}

int MPI_File_get_errhandler(MPI_File fh, MPI_Errhandler *handler)
{
    return is_closed(fh)
               ? shipio_raise(MPI_FILE_NULL, SHIPIO_ECLASS(MPI_ERR_FILE))
               : PMPI_File_get_errhandler(fh, handler);
}

int MPI_File_call_errhandler(MPI_File fh, int code)
{
    return is_closed(fh)
               ? shipio_raise(MPI_FILE_NULL, SHIPIO_ECLASS(MPI_ERR_FILE))
               : PMPI_File_call_errhandler(fh, code);
}

MPI_Fint MPI_File_c2f(MPI_File fh)
{
    return PMPI_File_c2f(shipio_native_valid(fh));
}
#endif

int MPI_File_set_info(MPI_File fh, MPI_Info info)
{
    struct shipio_file *file = shipio_file_find(fh);

    if (file != NULL) {
        shipio_jobs_drain(file);
        shipio_file_switch(file, info);
    }
    return PMPI_File_set_info(shipio_native_of(fh), info);
}

int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence)
{
    struct shipio_file *file = shipio_file_find(fh);
    int64_t pos;
    int rc;

    if (file == NULL)
        return PMPI_File_seek(shipio_native_of(fh), offset, whence);
    rc =
        shipio_file_target(file, atomic_load(&file->pos), offset, whence, &pos);
    if (rc == 0)
        atomic_store(&file->pos, pos);
    return shipio_raise(fh, rc);
}

int MPI_File_get_position(MPI_File fh, MPI_Offset *offset)
{
    struct shipio_file *file = shipio_file_find(fh);

    if (file == NULL)
        return PMPI_File_get_position(shipio_native_of(fh), offset);
    *offset = atomic_load(&file->pos) / file->view->etype_size;
    return MPI_SUCCESS;
}

int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence)
{
    struct shipio_file *file = shipio_file_find_pointer(fh);
    int64_t pos = 0;
    int rc = 0;

    if (file == NULL)
        return PMPI_File_seek_shared(shipio_native_of(fh), offset, whence);
    shipio_jobs_drain(file);
    shipio_file_barrier(file);
    if (file->team->rank == 0) {
        rc = shipio_pointer_get(file, &pos);
        if (rc == 0)
            rc = shipio_file_target(file, pos, offset, whence, &pos);
        if (rc == 0)
            shipio_pointer_set(file, pos);
    }
    return shipio_raise(fh, shipio_file_agree(file, rc));
}

int MPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset)
{
    struct shipio_file *file = shipio_file_find_pointer(fh);
    int64_t pos = 0;
    int rc;

    if (file == NULL)
        return PMPI_File_get_position_shared(shipio_native_of(fh), offset);
    rc = shipio_pointer_get(file, &pos);
    if (rc == 0)
        *offset = pos / file->view->etype_size;
    return shipio_raise(fh, rc);
}

int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp)
{
    struct shipio_file *file = shipio_file_find(fh);
    int64_t pos;

    if (file == NULL)
        return PMPI_File_get_byte_offset(shipio_native_of(fh), offset, disp);
    if (offset < 0 ||
        __builtin_mul_overflow((int64_t)offset, file->view->etype_size, &pos))
        return shipio_raise(fh, SHIPIO_ECLASS(MPI_ERR_ARG));
    *disp = shipio_tiling_offset(&file->view->tiling, pos);
    return MPI_SUCCESS;
}

int MPI_File_get_size(MPI_File fh, MPI_Offset *size)
{
    struct shipio_file *file = shipio_file_find(fh);
    struct stat st;

    if (file == NULL)
        return PMPI_File_get_size(shipio_native_of(fh), size);
    shipio_behind_flush(file);
    if (fstat(file->fd, &st) != 0)
        return shipio_raise(fh, -errno);
    *size = st.st_size;
    return MPI_SUCCESS;
}

static int may_change_size(const struct shipio_file *file, MPI_Offset size)
{
    if (size < 0)
        return SHIPIO_ECLASS(MPI_ERR_ARG);
    return (file->amode & MPI_MODE_RDONLY) != 0
               ? SHIPIO_ECLASS(MPI_ERR_READ_ONLY)
               : 0;
}

static int set_length(const struct shipio_file *file, MPI_Offset size)
{
    int rc;

    do
        rc = ftruncate(file->fd, size);
    while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : -errno;
}

int MPI_File_set_size(MPI_File fh, MPI_Offset size)
{
    struct shipio_file *file = shipio_file_find(fh);
    int rc;

    if (file == NULL)
        return PMPI_File_set_size(shipio_native_of(fh), size);
    shipio_jobs_drain(file);
    shipio_behind_flush(file);
    rc = shipio_file_agree(file, may_change_size(file, size));
    if (rc != 0)
        return shipio_raise(fh, rc);
    if (file->team->rank == 0)
        rc = set_length(file, size);
    rc = shipio_file_agree(file, rc);
    /* Another thread may be reading through the mapping. */
    pthread_mutex_lock(&file->alone.lock);
    shipio_map_close(&file->alone.map);
    pthread_mutex_unlock(&file->alone.lock);
    file->storage.allocated = (struct shipio_extent){.low = 0};
    return shipio_raise(fh, rc);
}

static int allocate(int fd, MPI_Offset size)
{
    int rc;

    do
        rc = posix_fallocate(fd, 0, size);
    while (rc == EINTR);
    return -rc;
}

/* Where a file system cannot allocate, the C library writes to each block, and
 * reads it before. */
static int allocate_readable(const struct shipio_file *file, MPI_Offset size)
{
    char name[64];
    int fd;
    int rc;

    snprintf(name, sizeof(name), "/proc/self/fd/%d", file->fd);
    fd = open(name, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -EOPNOTSUPP;
    rc = allocate(fd, size);
    if (close(fd) != 0 && rc == 0 && errno != EINTR)
        rc = -errno;
    return rc;
}

int MPI_File_preallocate(MPI_File fh, MPI_Offset size)
{
    struct shipio_file *file = shipio_file_find(fh);
    int rc;

    if (file == NULL)
        return PMPI_File_preallocate(shipio_native_of(fh), size);
    shipio_jobs_drain(file);
    shipio_behind_flush(file);
    rc = shipio_file_agree(file, may_change_size(file, size));
    if (rc != 0)
        return shipio_raise(fh, rc);
    if (file->team->rank == 0 && size > 0)
        rc = allocate(file->fd, size);
    if (rc == -EBADF && (file->amode & MPI_MODE_WRONLY) != 0)
        rc = allocate_readable(file, size);
    return shipio_raise(fh, shipio_file_agree(file, rc));
}

static int flush(const struct shipio_file *file)
{
    int rc;

    do
        rc = fsync(file->fd);
    while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : -errno;
}

int MPI_File_sync(MPI_File fh)
{
    struct shipio_file *file = shipio_file_find(fh);
    int flushed = 0;
    int rc;

    if (file == NULL)
        return PMPI_File_sync(shipio_native_of(fh));
    shipio_jobs_drain(file);
    shipio_behind_flush_all(file);
    rc = shipio_file_agree(file, shipio_late_take(file));
    /* What came up until then is in it, whichever rank met it. */
    (void)shipio_behind_take(file);
    shipio_map_stamp(file);
    /* One descriptor tells of all write errors of a local file. */
    if (file->team->rank == 0 || file->storage.remote)
        flushed = flush(file);
    rc = rc != 0 ? rc : flushed;
    return shipio_raise(fh, shipio_file_agree(file, rc));
}

int MPI_File_set_atomicity(MPI_File fh, int flag)
{
    struct shipio_file *file = shipio_file_find(fh);
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    int rc = 0;

    if (file == NULL)
        return PMPI_File_set_atomicity(shipio_native_of(fh), flag);
    shipio_jobs_drain(file);
    shipio_behind_flush(file);
    if (flag && fcntl(file->fd, F_OFD_GETLK, &lock) != 0)
        rc = SHIPIO_ECLASS(MPI_ERR_UNSUPPORTED_OPERATION);
    rc = shipio_file_agree(file, rc);
    if (rc != 0)
        return shipio_raise(fh, rc);
    /* Accesses by a pointer that the MPI library keeps are its own. */
    if (file->pointer.foreign)
        rc = agree_on_code(file, PMPI_File_set_atomicity(fh, flag));
    if (rc == MPI_SUCCESS)
        file->atomic_mode = flag != 0;
    return rc;
}

int MPI_File_get_atomicity(MPI_File fh, int *flag)
{
    struct shipio_file *file = shipio_file_find(fh);

    if (file == NULL)
        return PMPI_File_get_atomicity(shipio_native_of(fh), flag);
    *flag = file->atomic_mode;
    return MPI_SUCCESS;
}
