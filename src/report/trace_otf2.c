/* report/trace_otf2.c - a trace as an archive of the Open Trace Format 2.
 *
 * Each call is a region with its arguments as attributes, so that offsets,
 * views and datatypes, for which the format has no place, are there. Data is
 * also an I/O operation on a handle; a handle is a file of a process.
 */
#include "report/trace_otf2.h"
#include "pario_config.h"

#if !PARIO_HAVE_OTF2
int pario_trace_to_otf2(const struct pario_trace *trace, const char *directory)
{
    (void)trace;
    (void)directory;
    return pario_fail(PARIO_EUNAVAIL,
                      "--to otf2: this build lacks OTF2; install its "
                      "development files (libopen-trace-format2-dev) and "
                      "build again");
}
#else

#include "trace/names.h"
#include "trace/profile.h"

#include <errno.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHUNK ((uint64_t)1 << 20)
#define NONE ((uint64_t)-1)
#define REQUESTS 4096 /* nonblocking accesses that are followed */

/* Attributes: the arguments by their kind, then these. */
enum { FIRST_BYTE = PARIO_ARG_KINDS, FILE_PIECES, RESULT, EXACT, ATTRIBUTES };

static const struct {
    const char *name, *description;
} more_attributes[] = {
    {"first_byte", "where the data begins in the file; -1: not known"},
    {"file_pieces", "contiguous pieces of the data in the file"},
    {"result", "0: complete; above: one more than the bytes moved; below: "
               "an error"},
    {"exact", "1: the times are those of this call alone"},
};

/* A nonblocking or split access under way. */
struct operation {
    uint64_t matching, bytes; /* matching NONE: there is none */
    uint32_t handle;
};

struct archive {
    const struct pario_trace *trace;
    OTF2_Archive *otf2;
    OTF2_EvtWriter *events; /* of the stream under way */
    OTF2_AttributeList *attributes;
    struct pario_names strings; /* their numbers are OTF2's */
    struct pario_names handles; /* by path and process */
    struct handle {
        uint32_t name;
        int mpi;
        struct operation split; /* under way */
    } * handle;
    char **texts; /* owned, of strings that are not the trace's */
    size_t ntexts;
    uint64_t *event_counts; /* by stream of all processes */
    uint64_t begin_ns, end_ns, last_ns;
    uint64_t matching; /* the number of the next operation */
    struct operation requests[REQUESTS];
    size_t process;
    int code;
};

static OTF2_FlushType before_flush(void *user, OTF2_FileType type,
                                   OTF2_LocationRef location, void *caller,
                                   bool final)
{
    (void)user;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = before_flush};

/* The first error; OTF2 says no more than its kind. */
static void check(struct archive *to, OTF2_ErrorCode rc)
{
    if (rc != OTF2_SUCCESS && to->code == 0)
        to->code = pario_fail(PARIO_EUNAVAIL, "cannot write the archive: %s",
                              OTF2_Error_GetDescription(rc));
}

static OTF2_ErrorCode keep_quiet(void *user, const char *file, uint64_t line,
                                 const char *function, OTF2_ErrorCode code,
                                 const char *format, va_list list)
{
    (void)user;
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)list;
    return code;
}

static uint32_t string_of(struct archive *to, const char *text)
{
    size_t number = 0;
    int code = pario_names_find(&to->strings, text, 0, &number);

    if (code != 0 && to->code == 0)
        to->code = code;
    return (uint32_t)number;
}

/* The same of a text that is gone soon. */
static uint32_t string_copy(struct archive *to, const char *text)
{
    char **more = realloc(to->texts, (to->ntexts + 1) * sizeof(char *));
    char *copy = strdup(text);

    if (more != NULL)
        to->texts = more;
    if (more == NULL || copy == NULL) {
        free(copy);
        if (to->code == 0)
            to->code = pario_fail_errno(-ENOMEM, "cannot write the archive");
        return 0;
    }
    to->texts[to->ntexts++] = copy;
    return string_of(to, copy);
}

/* Times of all processes on one clock, never backwards in a stream. */
static uint64_t time_of(struct archive *to, int64_t ns)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(to->trace, to->process);
    int64_t utc = facts->utc_ns != 0
                      ? pario_trace_sum(pario_trace_less(ns, facts->clock_ns),
                                        facts->utc_ns)
                      : ns;
    uint64_t time = utc > 0 ? (uint64_t)utc : 0;

    if (time < to->last_ns)
        time = to->last_ns;
    to->last_ns = time;
    if (time < to->begin_ns)
        to->begin_ns = time;
    if (time > to->end_ns)
        to->end_ns = time;
    return time;
}

static uint32_t handle_of(struct archive *to, const char *path, int mpi)
{
    size_t number = 0, before = to->handles.count;
    int code = pario_names_find(&to->handles, path, (int)to->process, &number);

    if (code == 0 && number == before) {
        struct handle *more =
            realloc(to->handle, (before + 1) * sizeof(*to->handle));

        if (more == NULL)
            code = pario_fail_errno(-ENOMEM, "cannot write the archive");
        else
            to->handle = more;
        if (code == 0)
            to->handle[number] = (struct handle){string_of(to, path), mpi,
                                                 .split = {.matching = NONE}};
    }
    if (code != 0 && to->code == 0)
        to->code = code;
    return (uint32_t)number;
}

static void add_arguments(struct archive *to, const struct pario_event *event)
{
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[event->op];

    for (int i = 0; i < PARIO_TRACE_ARGS && facts->args[i] != PARIO_ARG_NONE;
         i++)
        if (pario_trace_arg_is_string(facts->args[i]))
            check(to,
                  OTF2_AttributeList_AddStringRef(
                      to->attributes, (OTF2_AttributeRef)facts->args[i],
                      string_of(to, pario_trace_string(to->trace, to->process,
                                                       event->args[i]))));
        else
            check(to, OTF2_AttributeList_AddInt64(
                          to->attributes, (OTF2_AttributeRef)facts->args[i],
                          event->args[i]));
    check(to,
          OTF2_AttributeList_AddInt64(to->attributes, RESULT, event->result));
    check(to, OTF2_AttributeList_AddInt64(to->attributes, EXACT, event->exact));
}

static int ends(const char *name, const char *text)
{
    size_t len = strlen(name), n = strlen(text);

    return len >= n && strcmp(name + len - n, text) == 0;
}

static struct operation *request_of(struct archive *to,
                                    const struct pario_event *event)
{
    int64_t number = pario_trace_value(event, PARIO_ARG_REQUEST, -1);

    return number >= 0 && number < REQUESTS ? &to->requests[number] : NULL;
}

/* Reads, writes and syncs; what goes on after the call ends with its Wait or
 * with the second half of a split access. */
static void put_operation(struct archive *to, const struct pario_event *event,
                          const struct pario_place *place, uint32_t handle)
{
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[event->op];
    struct operation *request = request_of(to, event);
    int split = ends(facts->name, "_begin");
    int later = (request != NULL || split) && event->result >= 0;
    unsigned flags = (later ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING : 0) |
                     (pario_trace_is_collective(event->op)
                          ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
                          : 0);
    uint64_t moved = event->result > 0    ? (uint64_t)event->result - 1
                     : event->result == 0 ? (uint64_t)place->bytes
                                          : 0;

    check(to, OTF2_AttributeList_AddInt64(to->attributes, FIRST_BYTE,
                                          place->offset));
    check(to, OTF2_AttributeList_AddInt64(to->attributes, FILE_PIECES,
                                          place->pieces));
    check(to,
          OTF2_EvtWriter_IoOperationBegin(
              to->events, to->attributes, to->last_ns, handle,
              facts->data == PARIO_DATA_READ    ? OTF2_IO_OPERATION_MODE_READ
              : facts->data == PARIO_DATA_WRITE ? OTF2_IO_OPERATION_MODE_WRITE
                                                : OTF2_IO_OPERATION_MODE_FLUSH,
              (OTF2_IoOperationFlag)flags, (uint64_t)place->bytes,
              to->matching));
    if (later)
        *(split ? &to->handle[handle].split : request) =
            (struct operation){to->matching, moved, handle};
    else
        check(to, OTF2_EvtWriter_IoOperationComplete(
                      to->events, NULL, time_of(to, event->end_ns), handle,
                      moved, to->matching));
    to->matching++;
}

static void put_end(struct archive *to, const struct pario_event *event,
                    struct operation *operation)
{
    if (operation == NULL || operation->matching == NONE)
        return;
    check(to,
          OTF2_EvtWriter_IoOperationComplete(
              to->events, NULL, time_of(to, event->end_ns), operation->handle,
              event->result > 0    ? (uint64_t)event->result - 1
              : event->result == 0 ? operation->bytes
                                   : 0,
              operation->matching));
    operation->matching = NONE;
}

static int is_sync(enum pario_trace_op op)
{
    return op == PARIO_OP_fsync || op == PARIO_OP_fdatasync ||
           op == PARIO_OP_File_sync || op == PARIO_OP_fflush;
}

static OTF2_IoAccessMode mode_of(int64_t flags)
{
    if ((flags & PARIO_TRACE_WRITE) == 0)
        return OTF2_IO_ACCESS_MODE_READ_ONLY;
    return (flags & PARIO_TRACE_READ) == 0 ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                                           : OTF2_IO_ACCESS_MODE_READ_WRITE;
}

/* What a call does with its file, within its region. */
static void put_io(struct archive *to, const struct pario_event *event,
                   const struct pario_place *place)
{
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[event->op];
    int opens = pario_trace_arg_find(event->op, PARIO_ARG_PATH) >= 0 &&
                pario_trace_arg_find(event->op, PARIO_ARG_FILE) >= 0;
    uint32_t handle;

    if (event->op == PARIO_OP_Wait)
        put_end(to, event, request_of(to, event));
    if (place->path[0] == '\0' ||
        pario_trace_arg_find(event->op, PARIO_ARG_FILE) < 0)
        return;
    handle = handle_of(to, place->path, strncmp(facts->name, "File_", 5) == 0);
    if (to->code != 0)
        return;
    if (facts->data != PARIO_DATA_NONE || is_sync(event->op))
        put_operation(to, event, place, handle);
    else if (ends(facts->name, "_end") && strstr(facts->name, "seek") == NULL)
        put_end(to, event, &to->handle[handle].split);
    else if (opens && event->result == 0)
        check(to, OTF2_EvtWriter_IoCreateHandle(
                      to->events, NULL, time_of(to, event->end_ns), handle,
                      mode_of(pario_trace_value(event, PARIO_ARG_FLAGS, 0)),
                      OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE));
    else if (ends(facts->name, "close") && event->result == 0)
        check(to, OTF2_EvtWriter_IoDestroyHandle(
                      to->events, NULL, time_of(to, event->end_ns), handle));
}

static void put_event(struct archive *to, const struct pario_event *event,
                      const struct pario_place *place)
{
    add_arguments(to, event);
    check(to, OTF2_EvtWriter_Enter(to->events, to->attributes,
                                   time_of(to, event->begin_ns),
                                   (OTF2_RegionRef)event->op));
    put_io(to, event, place);
    check(to, OTF2_EvtWriter_Leave(to->events, NULL, time_of(to, event->end_ns),
                                   (OTF2_RegionRef)event->op));
}

static void put_stream(struct archive *to, size_t stream, uint64_t location,
                       struct pario_places *places)
{
    struct pario_cursor *cursor = NULL;
    struct pario_event event;
    struct pario_place place;
    int more = pario_cursor_open(to->trace, to->process, stream, &cursor);

    to->last_ns = 0;
    for (int i = 0; i < REQUESTS; i++)
        to->requests[i].matching = NONE;
    to->events = OTF2_Archive_GetEvtWriter(to->otf2, location);
    if (more == 0 && to->events == NULL)
        more = pario_fail(PARIO_EUNAVAIL, "cannot write the archive");
    while (more == 0 && to->code == 0 &&
           (more = pario_cursor_next(cursor, &event)) > 0) {
        more = pario_places_next(places, &event, &place);
        if (more == 0)
            put_event(to, &event, &place);
    }
    pario_cursor_close(cursor);
    if (to->events != NULL) {
        check(to, OTF2_EvtWriter_GetNumberOfEvents(
                      to->events, &to->event_counts[location]));
        check(to, OTF2_Archive_CloseEvtWriter(to->otf2, to->events));
    }
    if (more < 0 && to->code == 0)
        to->code = more;
}

static size_t count_streams(const struct pario_trace *trace)
{
    size_t n = 0;

    for (size_t p = 0; p < pario_trace_processes(trace); p++)
        n += pario_trace_process_of(trace, p)->nstreams;
    return n;
}

static void put_streams(struct archive *to)
{
    struct pario_places_budget budget = pario_places_budget_of(to->trace);
    uint64_t location = 0;

    check(to, OTF2_Archive_OpenEvtFiles(to->otf2));
    for (size_t p = 0; p < pario_trace_processes(to->trace) && to->code == 0;
         p++) {
        struct pario_places *places = NULL;

        to->process = p;
        to->code = pario_places_create(to->trace, p, &budget, &places);
        for (size_t s = 0; s < pario_trace_process_of(to->trace, p)->nstreams &&
                           to->code == 0;
             s++)
            put_stream(to, s, location++, places);
        pario_places_destroy(places);
    }
    check(to, OTF2_Archive_CloseEvtFiles(to->otf2));
    check(to, OTF2_Archive_OpenDefFiles(to->otf2));
    for (uint64_t i = 0; i < location && to->code == 0; i++) {
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(to->otf2, i);

        check(to, OTF2_Archive_CloseDefWriter(to->otf2, writer));
    }
    check(to, OTF2_Archive_CloseDefFiles(to->otf2));
}

static void define_regions(struct archive *to, OTF2_GlobalDefWriter *writer)
{
    uint32_t none = string_of(to, "");

    for (uint32_t op = 0; op < PARIO_OPS; op++) {
        const char *name = pario_trace_op_table[op].name;
        int mpi = strncmp(name, "File_", 5) == 0 || op == PARIO_OP_Wait ||
                  op == PARIO_OP_collective || pario_trace_is_message(op);

        check(to,
              OTF2_GlobalDefWriter_WriteRegion(
                  writer, op, string_of(to, name), string_of(to, name), none,
                  op == PARIO_OP_collective    ? OTF2_REGION_ROLE_BARRIER
                  : pario_trace_is_message(op) ? OTF2_REGION_ROLE_POINT2POINT
                                               : OTF2_REGION_ROLE_FILE_IO,
                  mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_UNKNOWN,
                  OTF2_REGION_FLAG_NONE, none, 0, 0));
    }
}

static void define_attributes(struct archive *to, OTF2_GlobalDefWriter *writer)
{
    for (uint32_t i = 1; i < ATTRIBUTES; i++) {
        int own = i >= PARIO_ARG_KINDS;
        const char *name = own ? more_attributes[i - PARIO_ARG_KINDS].name
                               : pario_trace_arg_names[i];

        check(to,
              OTF2_GlobalDefWriter_WriteAttribute(
                  writer, i, string_of(to, name),
                  string_of(
                      to, own ? more_attributes[i - PARIO_ARG_KINDS].description
                              : "argument of the call"),
                  !own && pario_trace_arg_is_string((enum pario_trace_arg)i)
                      ? OTF2_TYPE_STRING
                      : OTF2_TYPE_INT64));
    }
}

/* Hosts are nodes, processes groups, threads locations. */
static void define_places(struct archive *to, OTF2_GlobalDefWriter *writer)
{
    struct pario_names hosts = {0};
    uint64_t location = 0;
    char text[64];

    check(to, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                  writer, 0, string_of(to, "job"), string_of(to, "machine"),
                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (size_t p = 0; p < pario_trace_processes(to->trace) && to->code == 0;
         p++) {
        const struct pario_trace_process *facts =
            pario_trace_process_of(to->trace, p);
        size_t host = 0, before = hosts.count;

        to->code = pario_names_find(&hosts, facts->host, 0, &host);
        if (to->code == 0 && host == before)
            check(to,
                  OTF2_GlobalDefWriter_WriteSystemTreeNode(
                      writer, (uint32_t)host + 1, string_of(to, facts->host),
                      string_of(to, "node"), 0));
        snprintf(text, sizeof(text),
                 facts->rank >= 0 ? "MPI rank %lld" : "process %lld",
                 facts->rank >= 0 ? (long long)facts->rank : (long long)p);
        check(to, OTF2_GlobalDefWriter_WriteLocationGroup(
                      writer, (uint32_t)p, string_copy(to, text),
                      OTF2_LOCATION_GROUP_TYPE_PROCESS, (uint32_t)host + 1,
                      OTF2_UNDEFINED_LOCATION_GROUP));
        for (size_t s = 0; s < facts->nstreams; s++, location++) {
            snprintf(text, sizeof(text), "thread %zu", s);
            check(to, OTF2_GlobalDefWriter_WriteLocation(
                          writer, location, string_copy(to, text),
                          OTF2_LOCATION_TYPE_CPU_THREAD,
                          to->event_counts[location], (uint32_t)p));
        }
    }
    pario_names_fini(&hosts);
}

static void define_files(struct archive *to, OTF2_GlobalDefWriter *writer)
{
    uint32_t none = string_of(to, "");

    for (uint32_t mpi = 0; mpi < 2; mpi++)
        check(to,
              OTF2_GlobalDefWriter_WriteIoParadigm(
                  writer, (OTF2_IoParadigmRef)mpi,
                  string_of(to, mpi ? "MPI-IO" : "POSIX"),
                  string_of(to, mpi ? "MPI-IO" : "POSIX I/O"),
                  mpi ? OTF2_IO_PARADIGM_CLASS_PARALLEL
                      : OTF2_IO_PARADIGM_CLASS_SERIAL,
                  mpi ? OTF2_IO_PARADIGM_FLAG_NONE : OTF2_IO_PARADIGM_FLAG_OS,
                  0, NULL, NULL, NULL));
    for (uint32_t i = 0; i < to->handles.count; i++) {
        check(to, OTF2_GlobalDefWriter_WriteIoRegularFile(
                      writer, i, to->handle[i].name, 0));
        check(to, OTF2_GlobalDefWriter_WriteIoHandle(
                      writer, i, none, i, (OTF2_IoParadigmRef)to->handle[i].mpi,
                      OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM,
                      OTF2_UNDEFINED_IO_HANDLE));
    }
}

static void define(struct archive *to)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(to->otf2);

    if (writer == NULL) {
        to->code = pario_fail(PARIO_EUNAVAIL, "cannot write the archive");
        return;
    }
    if (to->begin_ns > to->end_ns)
        to->begin_ns = to->end_ns; /* no calls */
    check(to, OTF2_GlobalDefWriter_WriteClockProperties(
                  writer, 1000000000, to->begin_ns,
                  to->end_ns - to->begin_ns + 1, to->begin_ns));
    define_regions(to, writer);
    define_attributes(to, writer);
    define_places(to, writer);
    define_files(to, writer);
    for (size_t i = 0; i < to->strings.count && to->code == 0; i++)
        check(to, OTF2_GlobalDefWriter_WriteString(writer, (uint32_t)i,
                                                   to->strings.names[i].text));
    check(to, OTF2_Archive_CloseGlobalDefWriter(to->otf2, writer));
}

static void open_archive(struct archive *to, const char *directory)
{
    to->event_counts =
        calloc(count_streams(to->trace) + 1, sizeof(*to->event_counts));
    to->attributes = OTF2_AttributeList_New();
    if (to->event_counts == NULL || to->attributes == NULL)
        to->code = pario_fail_errno(-ENOMEM, "cannot write the archive");
    else if (mkdir(directory, 0777) != 0)
        to->code =
            pario_fail_errno(-errno, "cannot make the folder %s", directory);
    if (to->code != 0)
        return;
    to->otf2 = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE,
                                 CHUNK, 4 * CHUNK, OTF2_SUBSTRATE_POSIX,
                                 OTF2_COMPRESSION_NONE);
    if (to->otf2 == NULL) {
        to->code =
            pario_fail(PARIO_EUNAVAIL, "cannot write below %s", directory);
        return;
    }
    check(to, OTF2_Archive_SetFlushCallbacks(to->otf2, &flushes, NULL));
    check(to, OTF2_Archive_SetSerialCollectiveCallbacks(to->otf2));
    check(to, OTF2_Archive_SetCreator(to->otf2, "pario"));
}

static void archive_fini(struct archive *to)
{
    if (to->attributes != NULL)
        OTF2_AttributeList_Delete(to->attributes);
    pario_names_fini(&to->strings);
    pario_names_fini(&to->handles);
    for (size_t i = 0; i < to->ntexts; i++)
        free(to->texts[i]);
    free(to->texts);
    free(to->handle);
    free(to->event_counts);
}

int pario_trace_to_otf2(const struct pario_trace *trace, const char *directory)
{
    struct archive *to = calloc(1, sizeof(*to));
    int code;

    if (to == NULL)
        return pario_fail_errno(-ENOMEM, "cannot write the archive");
    OTF2_Error_RegisterCallback(keep_quiet, NULL);
    to->trace = trace;
    to->begin_ns = UINT64_MAX;
    open_archive(to, directory);
    if (to->code == 0)
        put_streams(to);
    if (to->code == 0)
        define(to);
    if (to->otf2 != NULL)
        check(to, OTF2_Archive_Close(to->otf2));
    code = to->code;
    archive_fini(to);
    free(to);
    return code;
}
#endif
