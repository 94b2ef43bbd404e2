/* suites/replay/mpi.c - the calls of MPI-IO, made again: this suite is defined
 * in MPI calls, whichever the program made. */
#include "suites/replay/mpi.h"
#include "core/cleanup.h"
#include "core/recorder.h"
#include "io/mpiio_wait.h"
#include "suites/replay/prepare.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if !PARIO_HAVE_MPIIO
int replay_mpi(struct replay_stream *stream, const struct pario_event *event,
               const struct pario_place *place, struct replay_file *file,
               int64_t *result_p)
{
    (void)stream;
    (void)event;
    (void)place;
    (void)file;
    (void)result_p;
    return pario_fail(PARIO_EUNAVAIL, "the trace has calls of MPI, which this "
                                      "build does not: build pario with MPI");
}

int replay_group_rank(struct replay *replay, int64_t group, int *rank_p)
{
    (void)replay;
    (void)group;
    *rank_p = 0;
    return 0;
}

int replay_group_meet(struct replay *replay, int64_t group)
{
    (void)replay;
    (void)group;
    return 0;
}

int replay_mpi_init(struct replay *replay)
{
    (void)replay;
    return 0;
}

int replay_mpi_start(struct replay *replay, const struct replay_stream *streams,
                     const struct pario_group *world)
{
    (void)replay;
    (void)streams;
    (void)world;
    return 0;
}

int replay_mpi_memory(struct replay *replay, const struct pario_event *event,
                      struct replay_memory *memory_p)
{
    (void)replay;
    (void)event;
    *memory_p = (struct replay_memory){0, 0};
    return 0;
}

void replay_mpi_fini(struct replay *replay)
{
    (void)replay;
}

int replay_mpi_is_busy(const struct replay *replay)
{
    (void)replay;
    return 0;
}
#else

#define REQUESTS 4096
#define LEAST_TAG_UB 32767 /* of any MPI library */

/* A nonblocking access under way. */
struct replay_request {
    MPI_Request handle;
    int64_t bytes;
};

static int check(int rc, const char *call)
{
    return pario_mpi_check(rc, call);
}

/* Lines of key=value; those on the command line come last and win. */
static void add_hints(MPI_Info info, const char *lines)
{
    while (lines != NULL && *lines != '\0') {
        size_t len = strcspn(lines, "\n");
        char *line = strndup(lines, len);
        char *equals = line != NULL ? strchr(line, '=') : NULL;

        if (equals != NULL && equals != line) {
            *equals = '\0';
            MPI_Info_set(info, line, equals + 1);
        }
        free(line);
        lines += len + (lines[len] == '\n');
    }
}

static MPI_Info make_info(const struct replay_stream *stream,
                          const struct pario_event *event)
{
    const struct replay *replay = stream->replay;
    const char *lines =
        pario_trace_text(replay->trace, replay->process, event, PARIO_ARG_INFO);
    MPI_Info info = MPI_INFO_NULL;

    if (lines[0] == '\0' && replay->hints == NULL)
        return info;
    MPI_Info_create(&info);
    add_hints(info, lines);
    add_hints(info, replay->hints);
    return info;
}

static int64_t result_of(int rc)
{
    static const int classes[] = {
#define ERROR(name, class) MPI_ERR_##class,
        PARIO_TRACE_MPI_ERRORS(ERROR)
#undef ERROR
    };
    int class = MPI_ERR_OTHER;

    if (rc == MPI_SUCCESS)
        return 0;
    MPI_Error_class(rc, &class);
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (classes[i] == class)
            return PARIO_RESULT_MPI - (int64_t)i;
    return PARIO_RESULT_MPI;
}

static int amode_of(int64_t flags)
{
    static const struct {
        int64_t flag;
        int bit;
    } bits[] = {{PARIO_TRACE_CREATE, MPI_MODE_CREATE},
                {PARIO_TRACE_EXCL, MPI_MODE_EXCL},
                {PARIO_TRACE_APPEND, MPI_MODE_APPEND},
                {PARIO_TRACE_DELETE, MPI_MODE_DELETE_ON_CLOSE},
                {PARIO_TRACE_UNIQUE, MPI_MODE_UNIQUE_OPEN},
                {PARIO_TRACE_SEQUENTIAL, MPI_MODE_SEQUENTIAL}};
    int amode = (flags & PARIO_TRACE_WRITE) == 0  ? MPI_MODE_RDONLY
                : (flags & PARIO_TRACE_READ) == 0 ? MPI_MODE_WRONLY
                                                  : MPI_MODE_RDWR;

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if ((flags & bits[i].flag) != 0)
            amode |= bits[i].bit;
    return amode;
}

static int open_file(struct replay_stream *stream,
                     const struct pario_event *event, const char *path,
                     struct replay_file *file, int64_t *result_p)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Comm comm;
    MPI_Info info;
    int code = replay_comm_find(
        stream->replay, pario_trace_value(event, PARIO_ARG_GROUP, 0), &comm);

    if (code != 0)
        return code;
    info = make_info(stream, event);
    *result_p = result_of(MPI_File_open(
        comm, path, amode_of(pario_trace_value(event, PARIO_ARG_FLAGS, 0)),
        info, &fh));
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (*result_p == 0) {
        pario_recorder_pause(1);
        code = pario_own_check(path);
        pario_recorder_pause(0);
    }
    if (file != NULL)
        file->fh = fh;
    else if (*result_p == 0) /* it failed when it was recorded */
        MPI_File_close(&fh);
    return code;
}

static int set_view(struct replay_stream *stream,
                    const struct pario_event *event, MPI_File fh,
                    int64_t *result_p)
{
    const struct replay *replay = stream->replay;
    const struct replay_type *etype, *filetype;
    char datarep[MPI_MAX_DATAREP_STRING + 1];
    MPI_Info info;
    int code = replay_type_find(
        stream->replay, pario_trace_value(event, PARIO_ARG_ETYPE, 0), &etype);

    if (code == 0)
        code = replay_type_find(stream->replay,
                                pario_trace_value(event, PARIO_ARG_FILETYPE, 0),
                                &filetype);
    if (code != 0)
        return code;
    snprintf(datarep, sizeof(datarep), "%.100s",
             pario_trace_text(replay->trace, replay->process, event,
                              PARIO_ARG_DATAREP));
    info = make_info(stream, event);
    *result_p = result_of(
        MPI_File_set_view(fh, pario_trace_value(event, PARIO_ARG_DISP, 0),
                          etype->type, filetype->type, datarep, info));
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    return 0;
}

/* What an access has besides its name. */
struct access {
    MPI_File fh;
    MPI_Offset offset;
    void *buf;
    int count;
    MPI_Datatype type;
    MPI_Request *request;
    MPI_Status *status;
};

typedef int access_fn(struct access *a);

/* Names cannot be put in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define PLAIN(name)                                                            \
    static int do_##name(struct access *a)                                     \
    {                                                                          \
        return MPI_File_##name(a->fh, a->buf, a->count, a->type, a->status);   \
    }
#define PLAIN_AT(name)                                                         \
    static int do_##name(struct access *a)                                     \
    {                                                                          \
        return MPI_File_##name(a->fh, a->offset, a->buf, a->count, a->type,    \
                               a->status);                                     \
    }
#define START(name)                                                            \
    static int do_##name(struct access *a)                                     \
    {                                                                          \
        return MPI_File_##name(a->fh, a->buf, a->count, a->type, a->request);  \
    }
#define START_AT(name)                                                         \
    static int do_##name(struct access *a)                                     \
    {                                                                          \
        return MPI_File_##name(a->fh, a->offset, a->buf, a->count, a->type,    \
                               a->request);                                    \
    }
#define BEGIN(name)                                                            \
    static int do_##name##_begin(struct access *a)                             \
    {                                                                          \
        return MPI_File_##name##_begin(a->fh, a->buf, a->count, a->type);      \
    }                                                                          \
    static int do_##name##_end(struct access *a)                               \
    {                                                                          \
        return MPI_File_##name##_end(a->fh, a->buf, a->status);                \
    }
#define BEGIN_AT(name)                                                         \
    static int do_##name##_begin(struct access *a)                             \
    {                                                                          \
        return MPI_File_##name##_begin(a->fh, a->offset, a->buf, a->count,     \
                                       a->type);                               \
    }                                                                          \
    static int do_##name##_end(struct access *a)                               \
    {                                                                          \
        return MPI_File_##name##_end(a->fh, a->buf, a->status);                \
    }
#define SEEK(name, how, whence)                                                \
    static int do_##name##_##how(struct access *a)                             \
    {                                                                          \
        return MPI_File_##name(a->fh, a->offset, whence);                      \
    }

PLAIN(read)
PLAIN(write)
PLAIN(read_all)
PLAIN(write_all)
PLAIN(read_shared)
PLAIN(write_shared)
PLAIN(read_ordered)
PLAIN(write_ordered)
PLAIN_AT(read_at)
PLAIN_AT(write_at)
PLAIN_AT(read_at_all)
PLAIN_AT(write_at_all)
START(iread)
START(iwrite)
START(iread_all)
START(iwrite_all)
START(iread_shared)
START(iwrite_shared)
START_AT(iread_at)
START_AT(iwrite_at)
START_AT(iread_at_all)
START_AT(iwrite_at_all)
BEGIN(read_all)
BEGIN(write_all)
BEGIN(read_ordered)
BEGIN(write_ordered)
BEGIN_AT(read_at_all)
BEGIN_AT(write_at_all)
SEEK(seek, set, MPI_SEEK_SET)
SEEK(seek, cur, MPI_SEEK_CUR)
SEEK(seek, end, MPI_SEEK_END)
SEEK(seek_shared, set, MPI_SEEK_SET)
SEEK(seek_shared, cur, MPI_SEEK_CUR)
SEEK(seek_shared, end, MPI_SEEK_END)

#define OP(name) [PARIO_OP_File_##name] = do_##name,
static access_fn *const accesses[PARIO_OPS] = {
    OP(read) OP(write) OP(read_all) OP(write_all) OP(read_shared)
        OP(write_shared) OP(read_ordered) OP(write_ordered) OP(read_at)
            OP(write_at) OP(read_at_all) OP(write_at_all) OP(iread) OP(iwrite)
                OP(iread_all) OP(iwrite_all) OP(iread_shared) OP(iwrite_shared)
                    OP(iread_at) OP(iwrite_at) OP(iread_at_all)
                        OP(iwrite_at_all) OP(read_all_begin) OP(write_all_begin)
                            OP(read_ordered_begin) OP(write_ordered_begin)
                                OP(read_at_all_begin) OP(write_at_all_begin)
                                    OP(read_all_end) OP(write_all_end) OP(
                                        read_ordered_end) OP(write_ordered_end)
                                        OP(read_at_all_end) OP(write_at_all_end)
                                            OP(seek_set) OP(seek_cur)
                                                OP(seek_end) OP(seek_shared_set)
                                                    OP(seek_shared_cur)
                                                        OP(seek_shared_end)};
/* NOLINTEND(bugprone-macro-parentheses) */

static int64_t bytes_short(const MPI_Status *status, int64_t wanted)
{
    MPI_Count moved = 0;

    if (MPI_Get_elements_x(status, MPI_BYTE, &moved) != MPI_SUCCESS ||
        moved < 0 || moved >= wanted)
        return 0;
    return moved + 1;
}

static int64_t request_of(const struct pario_event *event)
{
    int64_t number = pario_trace_value(event, PARIO_ARG_REQUEST, -1);

    return number >= 0 && number < REQUESTS ? number : -1;
}

/* Where the data of count instances lies; low and high are those of one. */
int replay_mpi_memory(struct replay *replay, const struct pario_event *event,
                      struct replay_memory *memory_p)
{
    int64_t count = pario_trace_value(event, PARIO_ARG_COUNT, 0);
    const struct replay_type *type = NULL;
    int64_t last, low, high;
    int code;

    if (count < 0 || count > INT_MAX)
        return pario_fail(PARIO_EUNAVAIL,
                          "%s of %lld elements: a replay makes calls of up to "
                          "2^31",
                          pario_trace_op_table[event->op].name,
                          (long long)count);
    code = replay_type_find(replay, pario_trace_value(event, PARIO_ARG_TYPE, 0),
                            &type);
    if (code != 0)
        return code;
    *memory_p = (struct replay_memory){0, 0};
    if (count == 0 || type->size == 0)
        return 0;
    if (__builtin_mul_overflow(count - 1, type->extent, &last) ||
        __builtin_add_overflow(type->low, last < 0 ? last : 0, &low) ||
        __builtin_add_overflow(type->high, last > 0 ? last : 0, &high) ||
        low < -INT64_MAX / 2 || high > INT64_MAX / 2)
        return pario_fail(PARIO_EFORMAT, "a datatype is too large");
    memory_p->before = low < 0 ? -low : 0;
    memory_p->len = memory_p->before + (high > 0 ? high : 0);
    return 0;
}

/* The request's place; one that is still under way there is forgotten. */
static struct replay_request *take_request(struct replay *replay,
                                           const struct pario_event *event,
                                           int64_t bytes)
{
    int64_t number = request_of(event);
    struct replay_request *request =
        number >= 0 ? &replay->requests[number] : NULL;

    if (request == NULL)
        return NULL;
    if (request->handle != MPI_REQUEST_NULL)
        replay->forgotten = 1;
    *request = (struct replay_request){MPI_REQUEST_NULL, bytes};
    return request;
}

static int access_file(struct replay_stream *stream,
                       const struct pario_event *event,
                       const struct pario_place *place,
                       struct replay_file *file, int64_t *result_p)
{
    int has_type = pario_trace_arg_find(event->op, PARIO_ARG_TYPE) >= 0;
    struct replay_request *kept =
        take_request(stream->replay, event, place->bytes);
    const char *name = pario_trace_op_table[event->op].name;
    const struct replay_type *type = NULL;
    MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};
    MPI_Request lost = MPI_REQUEST_NULL;
    struct access a = {
        .fh = file->fh,
        .offset =
            pario_trace_value(event, PARIO_ARG_OFFSET,
                              pario_trace_value(event, PARIO_ARG_DISTANCE, 0)),
        .buf = file->split != NULL ? file->split : stream->buffer,
        .count = (int)pario_trace_value(event, PARIO_ARG_COUNT, 0),
        .type = MPI_BYTE,
        .request = kept != NULL ? &kept->handle : &lost,
        .status = &status,
    };
    int code;

    if (has_type) {
        code = replay_type_find(
            stream->replay, pario_trace_value(event, PARIO_ARG_TYPE, 0), &type);
        if (code != 0)
            return code;
        a.type = type->type;
        a.buf = stream->buffer + stream->memory.before;
        if (strstr(name, "_begin") != NULL)
            file->split = a.buf; /* the end has the same address */
    }
    *result_p = result_of(accesses[event->op](&a));
    if (lost != MPI_REQUEST_NULL) /* the trace does not say when it was over */
        *result_p = result_of(pario_mpiio_wait(&lost, place->bytes, &status));
    if (*result_p == 0 && has_type && kept == NULL &&
        strstr(name, "_begin") == NULL)
        *result_p = bytes_short(&status, place->bytes);
    return 0;
}

static int wait_request(struct replay_stream *stream,
                        const struct pario_event *event, int64_t *result_p)
{
    int64_t number = request_of(event);
    struct replay_request *request =
        number >= 0 ? &stream->replay->requests[number] : NULL;
    MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};

    if (request == NULL || request->handle == MPI_REQUEST_NULL)
        return 0;
    *result_p =
        result_of(pario_mpiio_wait(&request->handle, request->bytes, &status));
    /* Nothing moved: OMPIO does not say whether that is an error. */
    if (*result_p == result_of(MPI_ERR_IO) && event->result == 1)
        *result_p = 1;
    /* What was recorded as short is compared; that is all there is. */
    else if (*result_p == 0 && event->result > 0)
        *result_p = bytes_short(&status, INT64_MAX);
    return 0;
}

static int file_call(struct replay_stream *stream,
                     const struct pario_event *event, struct replay_file *file,
                     int64_t *result_p)
{
    int64_t size = pario_trace_value(event, PARIO_ARG_SIZE, 0);
    MPI_Offset bytes = 0;
    MPI_Info info;

    switch (event->op) {
    case PARIO_OP_File_close:
        *result_p = result_of(MPI_File_close(&file->fh));
        return 0;
    case PARIO_OP_File_set_view:
        return set_view(stream, event, file->fh, result_p);
    case PARIO_OP_File_set_size:
        *result_p = result_of(MPI_File_set_size(file->fh, size));
        return 0;
    case PARIO_OP_File_preallocate:
        *result_p = result_of(MPI_File_preallocate(file->fh, size));
        return 0;
    case PARIO_OP_File_set_atomicity:
        *result_p = result_of(MPI_File_set_atomicity(
            file->fh, pario_trace_value(event, PARIO_ARG_ON, 0) != 0));
        return 0;
    case PARIO_OP_File_set_info:
        info = make_info(stream, event);
        *result_p = result_of(MPI_File_set_info(file->fh, info));
        if (info != MPI_INFO_NULL)
            MPI_Info_free(&info);
        return 0;
    case PARIO_OP_File_get_size:
        *result_p = result_of(MPI_File_get_size(file->fh, &bytes));
        return 0;
    case PARIO_OP_File_sync:
        *result_p = result_of(MPI_File_sync(file->fh));
        return 0;
    default:
        return pario_fail(PARIO_EFORMAT, "a call that cannot be replayed");
    }
}

static int path_call(struct replay_stream *stream,
                     const struct pario_event *event,
                     const struct pario_place *place, struct replay_file *file,
                     int64_t *result_p)
{
    char path[2 * PATH_MAX];

    replay_path(stream->replay, place->path, path, sizeof(path));
    if (file != NULL)
        replay_file_describe(stream->replay, place->path, file);
    if (event->op == PARIO_OP_File_open)
        return open_file(stream, event, path, file, result_p);
    *result_p = result_of(MPI_File_delete(path, MPI_INFO_NULL));
    return 0;
}

/* Without contents: an order is what is left of it. A send takes the time that
 * it took, for it may have waited for the other; a receive waits again. */
static int make_message(struct replay_stream *stream,
                        const struct pario_event *event, int64_t *result_p)
{
    const struct replay *replay = stream->replay;
    int peer = (int)pario_trace_value(event, PARIO_ARG_PEER, 0);
    int64_t tag = pario_trace_value(event, PARIO_ARG_TAG, 0);
    int match =
        replay_messages_match(&replay->plan->messages, replay->process, event);
    int sends = event->op == PARIO_OP_Send;

    *result_p = event->result;
    if (sends || !match)
        stream->debt_ns +=
            (int64_t)((double)pario_trace_less(event->end_ns, event->begin_ns) *
                      replay->scale);
    if (!match)
        return 0;
    tag = tag <= replay->tag_ub ? tag : tag & LEAST_TAG_UB;
    return sends ? check(MPI_Send(NULL, 0, MPI_BYTE, peer, (int)tag,
                                  replay->comm),
                         "MPI_Send")
                 : check(MPI_Recv(NULL, 0, MPI_BYTE, peer, (int)tag,
                                  replay->comm, MPI_STATUS_IGNORE),
                         "MPI_Recv");
}

int replay_mpi(struct replay_stream *stream, const struct pario_event *event,
               const struct pario_place *place, struct replay_file *file,
               int64_t *result_p)
{
    MPI_Comm comm;
    int code;

    if (pario_trace_is_message(event->op))
        return make_message(stream, event, result_p);
    if (event->op == PARIO_OP_collective) {
        code = replay_comm_find(stream->replay,
                                pario_trace_value(event, PARIO_ARG_GROUP, 0),
                                &comm);
        *result_p = event->result; /* whatever it did, it is an order here */
        return code != 0 ? code : check(MPI_Barrier(comm), "MPI_Barrier");
    }
    if (event->op == PARIO_OP_Wait)
        return wait_request(stream, event, result_p);
    if (pario_trace_arg_find(event->op, PARIO_ARG_PATH) >= 0)
        return path_call(stream, event, place, file, result_p);
    if (file == NULL || file->fh == MPI_FILE_NULL || file->fh == NULL)
        return pario_fail(PARIO_EFORMAT,
                          "%s of a file that the trace does not open",
                          pario_trace_op_table[event->op].name);
    if (accesses[event->op] != NULL)
        return access_file(stream, event, place, file, result_p);
    return file_call(stream, event, file, result_p);
}

int replay_mpi_init(struct replay *replay)
{
    replay->types = calloc(replay->nstrings + 1, sizeof(struct replay_type *));
    replay->comms = calloc(replay->nstrings + 1, sizeof(struct replay_comm *));
    replay->requests = calloc(REQUESTS, sizeof(*replay->requests));
    if (replay->types == NULL || replay->comms == NULL ||
        replay->requests == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the trace");
    for (int i = 0; i < REQUESTS; i++)
        replay->requests[i].handle = MPI_REQUEST_NULL;
    return 0;
}

int replay_mpi_is_busy(const struct replay *replay)
{
    int busy = replay->forgotten;

    for (int i = 0; replay->requests != NULL && i < REQUESTS; i++)
        busy |= replay->requests[i].handle != MPI_REQUEST_NULL;
    return busy;
}

void replay_mpi_fini(struct replay *replay)
{
    replay_types_fini(replay);
    replay_comms_fini(replay);
    free(replay->requests);
    replay->requests = NULL;
}
#endif
