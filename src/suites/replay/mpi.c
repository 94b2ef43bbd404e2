/* suites/replay/mpi.c - the calls of MPI-IO, made again: this suite is defined
 * in MPI calls, whichever the program made. */
#include "pario_config.h"
#include "suites/replay/play.h"
#include "trace/type.h"

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

void replay_mpi_fini(struct replay *replay)
{
    (void)replay;
}
#else

struct replay_type {
    struct replay_type *next;
    int64_t number;
    MPI_Datatype type;
    int64_t size, low; /* low: below the buffer's address */
    int made;
};

struct replay_comm {
    struct replay_comm *next;
    int64_t number;
    MPI_Comm comm;
    int made;
};

static int build(const struct pario_type *from, MPI_Datatype *type_p);

static int check(int rc, const char *call)
{
    return pario_mpi_check(rc, call);
}

static int build_bytes(int64_t bytes, MPI_Datatype *type_p)
{
    MPI_Datatype part = MPI_BYTE;
    int64_t unit = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1;

    if (unit == 8)
        part = MPI_DOUBLE;
    else if (unit == 4)
        part = MPI_INT;
    if (bytes / unit > INT_MAX)
        return pario_fail(PARIO_EUNAVAIL,
                          "a datatype of %lld bytes is too "
                          "large for this replay",
                          (long long)bytes);
    return check(MPI_Type_contiguous((int)(bytes / unit), part, type_p),
                 "MPI_Type_contiguous");
}

/* The numbers of a list as int or MPI_Aint; the caller frees them. */
static int to_ints(const struct pario_type_list *list, int **ints_p)
{
    int *ints = calloc(list->count + 1, sizeof(*ints));

    if (ints == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a datatype");
    for (size_t i = 0; i < list->count; i++) {
        if (list->values[i] > INT_MAX || list->values[i] < INT_MIN) {
            free(ints);
            return pario_fail(PARIO_EFORMAT, "a datatype is too large");
        }
        ints[i] = (int)list->values[i];
    }
    *ints_p = ints;
    return 0;
}

static int to_addresses(const struct pario_type_list *list,
                        MPI_Aint **addresses_p)
{
    MPI_Aint *addresses = calloc(list->count + 1, sizeof(*addresses));

    if (addresses == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a datatype");
    for (size_t i = 0; i < list->count; i++)
        addresses[i] = (MPI_Aint)list->values[i];
    *addresses_p = addresses;
    return 0;
}

static int build_indexed(const struct pario_type *from, MPI_Datatype part,
                         MPI_Datatype *type_p)
{
    int *lens = NULL;
    MPI_Aint *disps = NULL;
    int code = to_ints(&from->lists[0], &lens);

    if (code == 0)
        code = to_addresses(&from->lists[1], &disps);
    if (code == 0)
        code = check(MPI_Type_create_hindexed((int)from->lists[0].count, lens,
                                              disps, part, type_p),
                     "MPI_Type_create_hindexed");
    free(lens);
    free(disps);
    return code;
}

static int build_struct(const struct pario_type *from, MPI_Datatype *type_p)
{
    MPI_Datatype *parts = calloc(from->nparts + 1, sizeof(MPI_Datatype));
    size_t made = 0;
    int *lens = NULL;
    MPI_Aint *disps = NULL;
    int code = parts != NULL
                   ? to_ints(&from->lists[0], &lens)
                   : pario_fail_errno(-ENOMEM, "cannot make a datatype");

    if (code == 0)
        code = to_addresses(&from->lists[1], &disps);
    for (; made < from->nparts && code == 0; made += code == 0)
        code = build(from->parts[made], &parts[made]);
    if (code == 0)
        code = check(MPI_Type_create_struct((int)from->nparts, lens, disps,
                                            parts, type_p),
                     "MPI_Type_create_struct");
    for (size_t i = 0; i < made; i++)
        MPI_Type_free(&parts[i]);
    free(parts);
    free(lens);
    free(disps);
    return code;
}

static int build_array(const struct pario_type *from, MPI_Datatype part,
                       MPI_Datatype *type_p)
{
    int *lists[4] = {NULL, NULL, NULL, NULL};
    int n = from->kind == 'd' ? 4 : 3, code = 0;
    int order = from->fortran_order ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    int ndims = (int)from->lists[0].count;

    for (int i = 0; i < n && code == 0; i++)
        code = to_ints(&from->lists[i], &lists[i]);
    if (code == 0 && from->kind == 'a')
        code = check(MPI_Type_create_subarray(ndims, lists[0], lists[1],
                                              lists[2], order, part, type_p),
                     "MPI_Type_create_subarray");
    for (int i = 0; i < ndims && code == 0 && from->kind == 'd'; i++) {
        lists[1][i] = lists[1][i] == 0   ? MPI_DISTRIBUTE_BLOCK
                      : lists[1][i] == 1 ? MPI_DISTRIBUTE_CYCLIC
                                         : MPI_DISTRIBUTE_NONE;
        if (lists[2][i] < 0)
            lists[2][i] = MPI_DISTRIBUTE_DFLT_DARG;
    }
    if (code == 0 && from->kind == 'd')
        code = check(MPI_Type_create_darray((int)from->blocklength,
                                            (int)from->count, ndims, lists[0],
                                            lists[1], lists[2], lists[3], order,
                                            part, type_p),
                     "MPI_Type_create_darray");
    for (int i = 0; i < n; i++)
        free(lists[i]);
    return code;
}

static int build_from(const struct pario_type *from, MPI_Datatype part,
                      MPI_Datatype *type_p)
{
    if (from->count > INT_MAX || from->blocklength > INT_MAX)
        return pario_fail(PARIO_EFORMAT, "a datatype is too large");
    switch (from->kind) {
    case 'c':
        return check(MPI_Type_contiguous((int)from->count, part, type_p),
                     "MPI_Type_contiguous");
    case 'v':
        return check(
            MPI_Type_create_hvector((int)from->count, (int)from->blocklength,
                                    (MPI_Aint)from->stride, part, type_p),
            "MPI_Type_create_hvector");
    case 'r':
        return check(MPI_Type_create_resized(part, (MPI_Aint)from->lb,
                                             (MPI_Aint)from->extent, type_p),
                     "MPI_Type_create_resized");
    case 'i':
        return build_indexed(from, part, type_p);
    default:
        return build_array(from, part, type_p);
    }
}

static int build(const struct pario_type *from, MPI_Datatype *type_p)
{
    MPI_Datatype part;
    int code;

    if (from->kind == 'b')
        return build_bytes(from->count, type_p);
    if (from->kind == 's')
        return build_struct(from, type_p);
    if (from->kind == 'x') {
        code = build_bytes(from->count, &part);
        if (code == 0)
            code = check(MPI_Type_create_resized(
                             part, 0, (MPI_Aint)from->extent, type_p),
                         "MPI_Type_create_resized");
        return code;
    }
    code = build(from->parts[0], &part);
    if (code != 0)
        return code;
    code = build_from(from, part, type_p);
    MPI_Type_free(&part);
    return code;
}

static int make_type(const char *text, struct replay_type *entry)
{
    struct pario_type *parsed = NULL;
    struct pario_layout layout;
    int code = pario_type_parse(text, &parsed);

    if (code != 0)
        return code;
    code = pario_type_layout(parsed, &layout);
    if (code == 0) {
        entry->size = layout.size;
        for (size_t i = 0; i < layout.count; i++)
            if (layout.segments[i].offset < -entry->low)
                entry->low = -layout.segments[i].offset;
        pario_layout_fini(&layout);
        entry->type = MPI_BYTE;
        if (strcmp(text, "1") != 0) {
            code = build(parsed, &entry->type);
            if (code == 0)
                code = check(MPI_Type_commit(&entry->type), "MPI_Type_commit");
            entry->made = code == 0;
        }
    }
    pario_type_destroy(parsed);
    return code;
}

static int find_type(struct replay_stream *stream, int64_t number,
                     const struct replay_type **type_p)
{
    struct replay *replay = stream->replay;
    struct replay_type *entry;
    int code = 0;

    pthread_mutex_lock(&replay->lock);
    for (entry = replay->types; entry != NULL && entry->number != number;
         entry = entry->next)
        ;
    if (entry == NULL) {
        entry = calloc(1, sizeof(*entry));
        code = entry == NULL
                   ? pario_fail_errno(-ENOMEM, "cannot make a datatype")
                   : make_type(pario_trace_string(replay->trace,
                                                  replay->process, number),
                               entry);
        if (code == 0) {
            entry->number = number;
            entry->next = replay->types;
            replay->types = entry;
        } else {
            free(entry);
        }
    }
    pthread_mutex_unlock(&replay->lock);
    if (code == 0)
        *type_p = entry;
    return code;
}

/* "0-3,8,10-14:2" as ranks. */
static int parse_ranks(const char *text, int size, int *ranks, int *count_p)
{
    int count = 0;

    while (*text != '\0') {
        char *end;
        long first = strtol(text, &end, 10), last = first, step = 1;

        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (*end == ':')
            step = strtol(end + 1, &end, 10);
        if (first < 0 || last >= size || last < first || step < 1 ||
            (*end != '\0' && *end != ','))
            return pario_fail(PARIO_EFORMAT, "no group of processes: %s", text);
        for (long rank = first; rank <= last; rank += step) {
            if (count == size)
                return pario_fail(PARIO_EFORMAT, "no group of processes");
            ranks[count++] = (int)rank;
        }
        text = *end == ',' ? end + 1 : end;
    }
    *count_p = count;
    return 0;
}

static int make_comm(const struct replay *replay, const char *text,
                     struct replay_comm *entry)
{
    MPI_Comm world = pario_group_comm(replay->world);
    int size = pario_group_size(replay->world), count = 0;
    int *ranks = calloc((size_t)size + 1, sizeof(*ranks));
    MPI_Group all, group;
    unsigned tag = 0;
    int code = ranks != NULL ? parse_ranks(text, size, ranks, &count)
                             : pario_fail_errno(-ENOMEM, "cannot make a group");
    int in_order = count == size;

    for (int i = 0; i < count && in_order; i++)
        in_order = ranks[i] == i;
    for (const char *c = text; *c != '\0'; c++)
        tag = tag * 31 + (unsigned char)*c;
    if (code == 0 && in_order) {
        entry->comm = world;
    } else if (code == 0 && count == 1) {
        entry->comm = MPI_COMM_SELF;
    } else if (code == 0) {
        MPI_Comm_group(world, &all);
        MPI_Group_incl(all, count, ranks, &group);
        /* Only the members come here. */
        code = check(MPI_Comm_create_group(world, group, (int)(tag % 16384),
                                           &entry->comm),
                     "MPI_Comm_create_group");
        entry->made = code == 0;
        MPI_Group_free(&group);
        MPI_Group_free(&all);
    }
    free(ranks);
    return code;
}

static int find_comm(struct replay_stream *stream, int64_t number,
                     MPI_Comm *comm_p)
{
    struct replay *replay = stream->replay;
    struct replay_comm *entry;
    int code;

    for (entry = replay->comms; entry != NULL; entry = entry->next)
        if (entry->number == number) {
            *comm_p = entry->comm;
            return 0;
        }
    entry = calloc(1, sizeof(*entry));
    if (entry == NULL)
        return pario_fail_errno(-ENOMEM, "cannot make a group");
    code = make_comm(replay,
                     pario_trace_string(replay->trace, replay->process, number),
                     entry);
    if (code != 0) {
        free(entry);
        return code;
    }
    entry->number = number;
    entry->next = replay->comms;
    replay->comms = entry;
    *comm_p = entry->comm;
    return 0;
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
    static const int classes[] = {MPI_ERR_OTHER,
                                  MPI_ERR_ACCESS,
                                  MPI_ERR_AMODE,
                                  MPI_ERR_BAD_FILE,
                                  MPI_ERR_CONVERSION,
                                  MPI_ERR_DUP_DATAREP,
                                  MPI_ERR_FILE_EXISTS,
                                  MPI_ERR_FILE_IN_USE,
                                  MPI_ERR_FILE,
                                  MPI_ERR_IO,
                                  MPI_ERR_NO_SPACE,
                                  MPI_ERR_NO_SUCH_FILE,
                                  MPI_ERR_NOT_SAME,
                                  MPI_ERR_QUOTA,
                                  MPI_ERR_READ_ONLY,
                                  MPI_ERR_UNSUPPORTED_DATAREP,
                                  MPI_ERR_UNSUPPORTED_OPERATION,
                                  MPI_ERR_ARG,
                                  MPI_ERR_COUNT,
                                  MPI_ERR_TYPE,
                                  MPI_ERR_COMM,
                                  MPI_ERR_INFO};
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
    int code =
        find_comm(stream, pario_trace_value(event, PARIO_ARG_GROUP, 0), &comm);

    if (code != 0)
        return code;
    info = make_info(stream, event);
    *result_p = result_of(MPI_File_open(
        comm, path, amode_of(pario_trace_value(event, PARIO_ARG_FLAGS, 0)),
        info, &fh));
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (file != NULL)
        file->fh = fh;
    else if (*result_p == 0) /* it failed when it was recorded */
        MPI_File_close(&fh);
    return 0;
}

static int set_view(struct replay_stream *stream,
                    const struct pario_event *event, MPI_File fh,
                    int64_t *result_p)
{
    const struct replay *replay = stream->replay;
    const struct replay_type *etype, *filetype;
    char datarep[MPI_MAX_DATAREP_STRING + 1];
    MPI_Info info;
    int code =
        find_type(stream, pario_trace_value(event, PARIO_ARG_ETYPE, 0), &etype);

    if (code == 0)
        code = find_type(
            stream, pario_trace_value(event, PARIO_ARG_FILETYPE, 0), &filetype);
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

    return number >= 0 && number < 4096 ? number : -1;
}

static int access_file(struct replay_stream *stream,
                       const struct pario_event *event,
                       const struct pario_place *place, MPI_File fh,
                       int64_t *result_p)
{
    int64_t count = pario_trace_value(event, PARIO_ARG_COUNT, 0);
    int64_t number = request_of(event);
    const struct replay_type *type = NULL;
    MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};
    MPI_Request lost = MPI_REQUEST_NULL;
    struct access a = {
        .fh = fh,
        .offset =
            pario_trace_value(event, PARIO_ARG_OFFSET,
                              pario_trace_value(event, PARIO_ARG_DISTANCE, 0)),
        .buf = stream->buffer,
        .count = (int)count,
        .type = MPI_BYTE,
        .request = number >= 0 ? &stream->replay->requests[number] : &lost,
        .status = &status,
    };
    int has_type = pario_trace_arg_find(event->op, PARIO_ARG_TYPE) >= 0;
    int code;

    if (has_type && event->result < 0 &&
        pario_trace_value(event, PARIO_ARG_TYPE, 0) == 0) {
        *result_p = event->result; /* no datatype: a mistake is not repeated */
        return 0;
    }
    code = has_type
               ? find_type(stream, pario_trace_value(event, PARIO_ARG_TYPE, 0),
                           &type)
               : 0;

    if (code == 0 && count > INT_MAX)
        code = pario_fail(PARIO_EUNAVAIL, "counts above 2^31 cannot be "
                                          "replayed");
    if (code != 0)
        return code;
    if (type != NULL) {
        a.type = type->type;
        a.buf = stream->buffer + type->low;
    }
    *result_p = result_of(accesses[event->op](&a));
    if (*result_p == 0 && has_type && number < 0 && lost == MPI_REQUEST_NULL &&
        strstr(pario_trace_op_table[event->op].name, "_begin") == NULL)
        *result_p = bytes_short(&status, place->bytes);
    if (lost != MPI_REQUEST_NULL) /* the trace does not say when it was over */
        MPI_Wait(&lost, MPI_STATUS_IGNORE);
    return 0;
}

static int wait_request(struct replay_stream *stream,
                        const struct pario_event *event, int64_t *result_p)
{
    int64_t number = request_of(event);
    MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};

    if (number < 0)
        return 0;
    *result_p = result_of(MPI_Wait(&stream->replay->requests[number], &status));
    /* What was recorded as short is compared; that is all there is. */
    if (*result_p == 0 && event->result > 0)
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

int replay_mpi(struct replay_stream *stream, const struct pario_event *event,
               const struct pario_place *place, struct replay_file *file,
               int64_t *result_p)
{
    MPI_Comm comm;
    int code;

    if (event->op == PARIO_OP_collective) {
        code = find_comm(stream, pario_trace_value(event, PARIO_ARG_GROUP, 0),
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
        return access_file(stream, event, place, file->fh, result_p);
    return file_call(stream, event, file, result_p);
}

void replay_mpi_fini(struct replay *replay)
{
    for (struct replay_type *type = replay->types; type != NULL;) {
        struct replay_type *next = type->next;

        if (type->made)
            MPI_Type_free(&type->type);
        free(type);
        type = next;
    }
    for (struct replay_comm *comm = replay->comms; comm != NULL;) {
        struct replay_comm *next = comm->next;

        if (comm->made)
            MPI_Comm_free(&comm->comm);
        free(comm);
        comm = next;
    }
}
#endif
