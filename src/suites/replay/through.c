/* suites/replay/through.c - the recorded accesses through another interface:
 * what was MPI-IO by posix or io_uring, what were calls of the C library by
 * MPI-IO. Each piece of a view is one request. What moves no data and has no
 * counterpart is left out; names are made and removed as recorded. */
#include "core/cleanup.h"
#include "suites/replay/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static int is_mpi_call(enum pario_trace_op op)
{
    return strncmp(pario_trace_op_table[op].name, "File_", 5) == 0;
}

static int64_t result_of(int code)
{
    return code == PARIO_ESHORT ? 1 : code;
}

/* Makes the file as the recorded call of MPI-IO did, by the first of its
 * group alone; the others wait for that. */
static int make_file(struct replay_stream *stream,
                     const struct pario_event *event, const char *path,
                     struct replay_file *file, int64_t *result_p)
{
    int64_t flags = pario_trace_value(event, PARIO_ARG_FLAGS, 0);
    int rank = 0, fd, code;

    file->group = pario_trace_value(event, PARIO_ARG_GROUP, 0);
    code = replay_group_rank(stream->replay, file->group, &rank);
    if (code == 0 && rank == 0 && (flags & PARIO_TRACE_CREATE) != 0) {
        fd = pario_own_open(path,
                            O_RDWR | O_CREAT | O_CLOEXEC |
                                ((flags & PARIO_TRACE_EXCL) != 0 ? O_EXCL : 0),
                            0644);
        if (fd < 0)
            *result_p = -errno;
        else
            close(fd);
    }
    return code == 0 ? replay_group_meet(stream->replay, file->group) : code;
}

static int open_file(struct replay_stream *stream,
                     const struct pario_event *event,
                     const struct pario_place *place, struct replay_file *file,
                     int64_t *result_p)
{
    int64_t flags = pario_trace_value(event, PARIO_ARG_FLAGS, 0);
    struct replay *replay = stream->replay;
    char path[2 * PATH_MAX];
    struct pario_target target = {
        .path = replay_path(replay, place->path, path, sizeof(path)),
        .hints = &replay->through_hints,
        .flags = ((flags & PARIO_TRACE_READ) != 0 ? PARIO_OPEN_READ : 0) |
                 ((flags & PARIO_TRACE_WRITE) != 0 ? PARIO_OPEN_WRITE : 0) |
                 ((flags & PARIO_TRACE_DIRECT) != 0 ? PARIO_OPEN_DIRECT : 0) |
                 ((flags & (PARIO_TRACE_SYNC | PARIO_TRACE_DSYNC)) != 0
                      ? PARIO_OPEN_DSYNC
                      : 0),
    };
    int code = 0;

    *result_p = event->result;
    if (is_mpi_call(event->op)) {
        replay_file_describe(replay, place->path, file);
        code = make_file(stream, event, target.path, file, result_p);
    } else {
        code = replay_posix(stream, event, place, file, result_p);
    }
    target.flags &= replay->through->open_flags;
    if (code != 0 || *result_p != 0 ||
        replay_plan_is_folder(replay->plan, place->path))
        return code;
    *result_p = replay->through->open(&target, &file->through);
    return 0;
}

/* All pieces of one access, one after the other. What was short when it was
 * recorded is asked for that far. */
static int64_t move_data(struct replay_stream *stream,
                         const struct pario_event *event,
                         const struct pario_place *place,
                         struct replay_file *file)
{
    int read = pario_trace_op_table[event->op].data == PARIO_DATA_READ;
    pario_io_fn *io = stream->replay->through
                          ->io[read ? PARIO_READ : PARIO_WRITE][PARIO_FORM_AT];
    int64_t wanted = event->result > 0 ? event->result - 1 : place->bytes;
    int64_t done = 0, offset, len;

    if ((size_t)wanted > stream->room)
        return -ENOMEM;
    while (done < wanted) {
        int code = pario_place_piece(place, done, &offset, &len);

        if (code == 0 && len > wanted - done)
            len = wanted - done;
        if (code == 0)
            code =
                io(file->through, stream->buffer + done, (size_t)len, offset);
        if (code != 0)
            return result_of(code);
        done += len;
    }
    return event->result > 0 ? event->result : 0;
}

static int close_file(struct replay_stream *stream,
                      const struct pario_event *event,
                      const struct pario_place *place, struct replay_file *file,
                      int64_t *result_p)
{
    int closed = stream->replay->through->close(file->through), code = 0;

    file->through = NULL;
    if (is_mpi_call(event->op))
        code = replay_group_meet(stream->replay, file->group);
    else
        code = replay_posix(stream, event, place, file, result_p);
    if (*result_p == 0)
        *result_p = closed;
    return code;
}

/* Sizes and syncs; everything else moves a pointer or a view, which the places
 * have followed. */
static int64_t other_call(struct replay_stream *stream,
                          const struct pario_event *event,
                          struct replay_file *file)
{
    const struct pario_backend *through = stream->replay->through;
    int64_t size = pario_trace_value(event, PARIO_ARG_SIZE, 0);

    switch (event->op) {
    case PARIO_OP_fsync:
    case PARIO_OP_fdatasync:
    case PARIO_OP_File_sync:
        return through->sync(file->through);
    case PARIO_OP_ftruncate:
    case PARIO_OP_File_set_size:
        return through->set_size(file->through, size);
    case PARIO_OP_fallocate:
        size = pario_trace_sum(pario_trace_value(event, PARIO_ARG_OFFSET, 0),
                               pario_trace_value(event, PARIO_ARG_LENGTH, 0));
        return through->preallocate != NULL
                   ? through->preallocate(file->through, size)
                   : 0;
    case PARIO_OP_File_preallocate:
        return through->preallocate != NULL
                   ? through->preallocate(file->through, size)
                   : 0;
    default:
        return event->result;
    }
}

static int is_open_call(enum pario_trace_op op)
{
    return pario_trace_arg_find(op, PARIO_ARG_PATH) >= 0 &&
           pario_trace_arg_find(op, PARIO_ARG_FILE) >= 0;
}

/* Do all processes of the group come out of the call together? */
static int holds_together(enum pario_trace_op op)
{
    return is_mpi_call(op) &&
           (pario_trace_is_collective(op) || op == PARIO_OP_File_sync ||
            op == PARIO_OP_File_set_size || op == PARIO_OP_File_set_view ||
            op == PARIO_OP_File_preallocate);
}

int replay_through_has(const struct replay *replay,
                       const struct pario_event *event,
                       const struct replay_file *file)
{
    int mpi = is_mpi_call(event->op) || event->op == PARIO_OP_Wait;

    if (replay->through == NULL || (mpi && replay->through_is_mpi) ||
        (!mpi && replay->through == &pario_backend_posix))
        return 0; /* as recorded is what was asked for */
    if (event->op == PARIO_OP_Wait)
        return 1;
    if (file == NULL || event->op == PARIO_OP_mmap ||
        event->op == PARIO_OP_fstat)
        return 0;
    return is_open_call(event->op) || file->through != NULL ||
           is_mpi_call(event->op);
}

int replay_through(struct replay_stream *stream,
                   const struct pario_event *event,
                   const struct pario_place *place, struct replay_file *file,
                   int64_t *result_p)
{
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[event->op];

    *result_p = event->result;
    if (event->op == PARIO_OP_Wait) /* it was over with the access itself */
        return 0;
    if (is_open_call(event->op))
        return open_file(stream, event, place, file, result_p);
    if (file->through == NULL) { /* it could not be opened */
        *result_p = -EBADF;
        return holds_together(event->op) || event->op == PARIO_OP_File_close
                   ? replay_group_meet(stream->replay, file->group)
                   : 0;
    }
    if (event->op == PARIO_OP_close || event->op == PARIO_OP_fclose ||
        event->op == PARIO_OP_File_close) {
        *result_p = 0;
        return close_file(stream, event, place, file, result_p);
    }
    if (facts->data == PARIO_DATA_NONE)
        *result_p = other_call(stream, event, file);
    else if (event->result >= 0)
        *result_p = move_data(stream, event, place, file);
    return holds_together(event->op)
               ? replay_group_meet(stream->replay, file->group)
               : 0;
}
