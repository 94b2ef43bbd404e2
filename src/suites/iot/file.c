/* suites/iot/file.c - the test file and the times around its use. */
#include "suites/iot/file.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/storage.h"
#include "io/mpiio_hints.h"
#include "suites/iot/semaphore.h"
#include "sys/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int check(const struct iot_file *file, int mpi_code, const char *verb)
{
    char what[IOT_TEXT];

    snprintf(what, sizeof(what), "cannot %s %s", verb, file->path);
    return pario_mpi_check(mpi_code, what);
}

static int is_open(const struct iot_file *file)
{
    return file->handle != MPI_FILE_NULL || file->fd >= 0;
}

int iot_io_check(const struct iot_file *file, int mpi_code,
                 const MPI_Status *status, MPI_Datatype type, int count,
                 const char *verb)
{
    int moved = 0;

    if (mpi_code != MPI_SUCCESS)
        return check(file, mpi_code, verb);
    if (count < 0)
        return 0;
    /* OMPIO reports a short independent write only here. */
    MPI_Get_count(status, type, &moved);
    if (moved != count)
        return pario_fail(PARIO_ESHORT,
                          "cannot %s %s: %d of %d elements were moved (is the "
                          "file system full, or the file truncated?)",
                          verb, file->path, moved, count);
    return 0;
}

/* Rank 0 of comm, before the file is made. */
static int make_way(const struct iot_context *context, const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return 0;
    if (!context->run->common.force || !S_ISREG(st.st_mode))
        return pario_fail(-EEXIST,
                          "%s exists, perhaps from another run, and is kept: "
                          "remove it, name another file, or say --force",
                          path);
    if (pario_own_unlink(path) != 0)
        return pario_fail_errno(-errno, "cannot remove %s", path);
    return 0;
}

/* The janitor learns of the file before it is made: a library that fails or
 * hangs in the open may have made it. */
static int agree_on_way(const struct iot_context *context, MPI_Comm comm,
                        const char *path)
{
    int mine = 0, worst = 0, rank = 0;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        mine = make_way(context, path);
    if (MPI_Bcast(&mine, 1, MPI_INT, 0, comm) != MPI_SUCCESS)
        return pario_fail(PARIO_EMPI, "MPI_Bcast failed");
    if (mine != 0)
        return rank == 0 ? mine : pario_fail(mine, "%s is in the way", path);
    mine = pario_cleanup_add_file(path);
    if (mine == 0 && (pario_group_node_rank(context->run->world) == 0 ||
                      context->set->separate))
        mine = iot_semaphore_clear(path);
    if (MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
        return pario_fail(PARIO_EMPI, "MPI_Allreduce failed");
    if (worst != 0)
        pario_cleanup_forget(path);
    if (worst != 0 && mine == 0)
        return pario_fail(worst, "another process cannot note %s", path);
    return mine;
}

/* After an open that failed: is there a file, and is it none of others that
 * came in between? */
static int made_by_us(const char *path, int code, time_t since_when)
{
    struct stat st;

    return code != -EEXIST && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == 0 && st.st_mtime >= since_when;
}

static int note_hints(struct iot_context *context, struct iot_file *file)
{
    if (context->hints_known)
        return 0;
    context->hints_known = 1;
    return pario_hints_of_file(file->handle, &context->in_force);
}

int iot_file_view(struct iot_file *file, int64_t displacement,
                  MPI_Datatype filetype)
{
    static char native[] = "native";

    return check(file,
                 MPI_File_set_view(file->handle, displacement, MPI_DOUBLE,
                                   filetype, native, MPI_INFO_NULL),
                 "set a view of");
}

static int open_mpi(struct iot_context *context, struct iot_file *file,
                    int mode)
{
    MPI_Info info = MPI_INFO_NULL;
    int code = pario_hints_to_info(&context->test->hints, &info);

    if (code == 0)
        code = check(
            file,
            MPI_File_open(file->comm, file->path, mode, info, &file->handle),
            mode & MPI_MODE_CREATE ? "create" : "open");
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (code != 0) {
        file->handle = MPI_FILE_NULL;
        return code;
    }
    MPI_File_set_errhandler(file->handle, MPI_ERRORS_RETURN);
    return iot_file_view(file, 0, MPI_DOUBLE);
}

/* The first makes it, the others open it when it is there. */
static int open_unix(struct iot_file *file)
{
    int rank = 0, code = 0;

    MPI_Comm_rank(file->comm, &rank);
    if (rank == 0)
        file->fd = pario_own_open(file->path,
                                  O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (rank == 0 && file->fd < 0)
        code = pario_fail_errno(-errno, "cannot create %s", file->path);
    if (MPI_Bcast(&code, 1, MPI_INT, 0, file->comm) != MPI_SUCCESS)
        return pario_fail(PARIO_EMPI, "MPI_Bcast failed");
    if (code != 0)
        return rank == 0 ? code
                         : pario_fail(code, "%s was not created", file->path);
    if (rank != 0)
        file->fd = pario_own_open(file->path, O_RDWR | O_CLOEXEC, 0);
    if (rank != 0 && file->fd < 0)
        code = pario_fail_errno(-errno, "cannot open %s", file->path);
    return code;
}

int iot_file_create(struct iot_context *context, MPI_Comm comm,
                    enum iot_interface interface, struct iot_file *file)
{
    time_t now = time(NULL);
    int64_t begin;
    int code;

    *file = (struct iot_file){.handle = MPI_FILE_NULL,
                              .fd = -1,
                              .path = context->path,
                              .comm = comm,
                              .interface = interface};
    code = agree_on_way(context, comm, file->path);
    if (code != 0)
        return code;
    begin = pario_clock_ns();
    if (interface == IOT_MPI)
        code = open_mpi(context, file,
                        MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL);
    else
        code = open_unix(file);
    file->pre_s = pario_clock_since_s(begin);
    if (!is_open(file)) {
        context->created = made_by_us(file->path, code, now);
        if (!context->created)
            pario_cleanup_forget(file->path);
        return code;
    }
    context->created = 1;
    if (interface == IOT_MPI && code == 0)
        code = note_hints(context, file);
    /* From now on it is this file, not any of that name: another node may have
     * known the one before. */
    if (code == 0)
        code = pario_cleanup_add_file(file->path);
    return code != 0 ? code : pario_own_check(file->path);
}

int iot_file_reopen(struct iot_context *context, MPI_Comm comm,
                    struct iot_file *file)
{
    int code;

    *file = (struct iot_file){
        .handle = MPI_FILE_NULL, .fd = -1, .path = context->path, .comm = comm};
    code = open_mpi(context, file, MPI_MODE_RDONLY);
    return code != 0 ? code : pario_own_check(file->path);
}

int iot_file_open_again(struct iot_context *context, struct iot_file *file)
{
    if (is_open(file))
        return 0;
    if (file->interface == IOT_MPI) {
        int code = open_mpi(context, file, MPI_MODE_RDWR);

        return code != 0 ? code : pario_own_check(file->path);
    }
    file->fd = pario_own_open(file->path, O_RDWR | O_CLOEXEC, 0);
    return file->fd >= 0
               ? 0
               : pario_fail_errno(-errno, "cannot open %s again", file->path);
}

/* As MPI libraries do it: "the same effect as writing undefined data" (4.1).
 * Only to reserve the space would leave the loop of sinunix work that single
 * has behind it. */
static int write_zeros(const struct iot_file *file, int64_t bytes)
{
    static const char zeros[1 << 20];
    int64_t piece = (int64_t)sizeof(zeros);
    int code = 0;

    for (int64_t at = 0; code == 0 && at < bytes; at += piece) {
        int64_t len = bytes - at < piece ? bytes - at : piece;

        code = pario_pwrite_all(file->fd, zeros, (size_t)len, at);
    }
    return code != 0
               ? pario_fail_errno(code, "cannot preallocate %s", file->path)
               : 0;
}

/* What was written is in the page cache, what was reserved is not. */
static void note_preallocated(struct iot_file *file, int64_t bytes)
{
    int64_t resident = 0;

    if (pario_cache_resident(file->path, 0, 0, &resident) == 0)
        file->preallocated = resident > bytes / 2 ? "written" : "reserved";
}

int iot_file_preallocate(struct iot_context *context, struct iot_file *file)
{
    int64_t begin = pario_clock_ns(), bytes = context->set->file_bytes;
    int code = 0, rank = 0;

    if (!context->set->preallocate)
        return 0;
    MPI_Comm_rank(file->comm, &rank);
    if (file->interface == IOT_MPI)
        code = check(file, MPI_File_preallocate(file->handle, bytes),
                     "preallocate");
    else if (rank == 0)
        code = write_zeros(file, bytes);
    file->palloc_s = pario_clock_since_s(begin);
    if (code == 0 && rank == 0)
        note_preallocated(file, bytes);
    return code;
}

json_t *iot_extra_preallocated(const struct iot_file *file, json_t *extra)
{
    if (file->preallocated != NULL)
        json_object_set_new(extra, "preallocated",
                            json_string(file->preallocated));
    return extra;
}

int iot_file_sync(struct iot_file *file)
{
    int64_t begin = pario_clock_ns();
    int code;

    if (file->interface == IOT_MPI)
        code = check(file, MPI_File_sync(file->handle), "sync");
    else
        code = fsync(file->fd) == 0
                   ? 0
                   : pario_fail_errno(-errno, "cannot sync %s", file->path);
    file->sync_s = pario_clock_since_s(begin);
    return code;
}

int iot_file_sync_rest(struct iot_file *file)
{
    int64_t begin = pario_clock_ns();
    int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    int code = fd >= 0 && fsync(fd) == 0
                   ? 0
                   : pario_fail_errno(-errno, "cannot sync %s", file->path);

    if (fd >= 0)
        close(fd);
    file->sync_s += pario_clock_since_s(begin);
    return code;
}

int iot_file_close(struct iot_file *file)
{
    int64_t begin = pario_clock_ns();
    int code = 0;

    if (!is_open(file))
        return 0;
    if (file->handle != MPI_FILE_NULL)
        code = check(file, MPI_File_close(&file->handle), "close");
    if (file->fd >= 0 && close(file->fd) != 0)
        code = pario_fail_errno(-errno, "cannot close %s", file->path);
    file->handle = MPI_FILE_NULL;
    file->fd = -1;
    file->post_s = pario_clock_since_s(begin);
    return code;
}

int iot_file_check_size(struct iot_context *context, int64_t bytes)
{
    const char *path = context->path;
    struct stat st;
    int code = 0;

    if (context->rank > 0 && !context->set->separate)
        return pario_agree(context->run->world, 0);
    if (stat(path, &st) != 0)
        code = pario_fail_errno(-errno, "cannot look at %s", path);
    else if (st.st_size < bytes)
        code = pario_fail(PARIO_EVERIFY,
                          "%s has %lld bytes after %lld were written: data "
                          "was lost, or the file was truncated",
                          path, (long long)st.st_size, (long long)bytes);
    return pario_agree(context->run->world, code);
}

/* pre_time, palloc_time and post_time of those that had it open. */
static int append_times(struct iot_context *context,
                        const struct iot_file *file, int active)
{
    int code = iot_timings_time(context, "pre_time", active ? file->pre_s : -1);

    if (code == 0 && context->set->preallocate)
        code = iot_timings_time(context, "palloc_time",
                                active ? file->palloc_s : -1);
    if (code == 0)
        code =
            iot_timings_time(context, "post_time", active ? file->post_s : -1);
    return code;
}

/* Collective. Those who only wait leave the others the processors. */
static int agree_asleep(const struct iot_context *context, int code)
{
    int idle_code = context->partition < context->size
                        ? pario_barrier_idle(context->run->world)
                        : 0;

    return pario_agree(context->run->world, code != 0 ? code : idle_code);
}

int iot_file_begin(struct iot_context *context, MPI_Comm comm, int active,
                   enum iot_interface interface, struct iot_file *file)
{
    int code = 0;

    iot_phase(context, context->set->file_bytes, 0, "open");
    *file = (struct iot_file){
        .handle = MPI_FILE_NULL, .fd = -1, .interface = interface};
    if (active)
        code = iot_file_create(context, comm, interface, file);
    code = agree_asleep(context, code);
    if (code == 0 && active)
        code = iot_file_preallocate(context, file);
    return agree_asleep(context, code);
}

int iot_file_end(struct iot_context *context, struct iot_file *file, int active,
                 int code)
{
    char message[1024];
    int close_code = 0;

    snprintf(message, sizeof(message), "%s", pario_error_message());
    if (active)
        close_code = iot_file_close(file);
    if (code != 0) {
        pario_error_replace(message);
        return code;
    }
    code = pario_agree(context->run->world, close_code);
    if (code == 0)
        code = append_times(context, file, active);
    return code;
}
