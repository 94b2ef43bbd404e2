/* fortran.c - Fortran calls that go round the C names.
 *
 * Those are all of Open MPI, and of MPICH those of the module mpi_f08 that
 * move no data. Each routine has two names: that of mpif.h and the module mpi,
 * and that of mpi_f08; the arguments are the same, but ierror may be missing.
 */
#include "mpi_recorder.h"

#if !defined(OPEN_MPI) || OMPI_MAJOR_VERSION < 6
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *string(char *to, size_t len, const char *text, int text_len)
{
    while (text_len > 0 && text[text_len - 1] == ' ')
        text_len--;
    for (; text_len > 0 && *text == ' '; text++)
        text_len--;
    if ((size_t)text_len < len)
        len = (size_t)text_len + 1;
    memcpy(to, text, len - 1);
    to[len - 1] = '\0';
    return to;
}

static void give_code(MPI_Fint *ierr, int code)
{
    if (ierr != NULL)
        *ierr = (MPI_Fint)code;
}

/* Names and lists of parameters cannot be put in parentheses, and routines
 * have as many as the standard says; requests are begun elsewhere. */
/* NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size) */
/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */
#define FORTRAN(name, ...)                                                     \
    REC_PUBLIC void mpi_##name##_f08_(__VA_ARGS__);                            \
    REC_PUBLIC void mpi_##name##_(__VA_ARGS__)                                 \
        __attribute__((alias("mpi_" #name "_f08_")));                          \
    void mpi_##name##_f08_(__VA_ARGS__)
#define FH const MPI_Fint *fh
#define C_FH PMPI_File_f2c(*fh)
#define FH_AT FH, const MPI_Offset *offset
#define C_FH_AT C_FH, *offset
#define IN const MPI_Fint *
#define IERR MPI_Fint *ierr

#define PLAIN(name, c_arguments, ...)                                          \
    FORTRAN(file_##name, __VA_ARGS__, IERR)                                    \
    {                                                                          \
        give_code(ierr, MPI_File_##name c_arguments);                          \
    }

PLAIN(get_size, (C_FH, size), FH, MPI_Offset *size)
PLAIN(preallocate, (C_FH, *size), FH, const MPI_Offset *size)
PLAIN(seek, (C_FH_AT, (int)*whence), FH_AT, IN whence)
PLAIN(seek_shared, (C_FH_AT, (int)*whence), FH_AT, IN whence)
PLAIN(set_atomicity, (C_FH, *flag != 0), FH, IN flag)
PLAIN(set_info, (C_FH, PMPI_Info_f2c(*info)), FH, IN info)
PLAIN(set_size, (C_FH, *size), FH, const MPI_Offset *size)
PLAIN(sync, (C_FH), FH)

FORTRAN(file_open, IN comm, const char *name, IN amode, IN info, MPI_Fint *fh,
        IERR, int len)
{
    MPI_File opened = MPI_FILE_NULL;
    char path[2 * PATH_MAX];

    give_code(ierr, MPI_File_open(PMPI_Comm_f2c(*comm),
                                  string(path, sizeof(path), name, len),
                                  (int)*amode, PMPI_Info_f2c(*info), &opened));
    *fh = PMPI_File_c2f(opened);
}

FORTRAN(file_delete, const char *name, IN info, IERR, int len)
{
    char path[2 * PATH_MAX];

    give_code(ierr, MPI_File_delete(string(path, sizeof(path), name, len),
                                    PMPI_Info_f2c(*info)));
}

FORTRAN(file_close, MPI_Fint *fh, IERR)
{
    MPI_File file = C_FH;

    give_code(ierr, MPI_File_close(&file));
    *fh = PMPI_File_c2f(file);
}

FORTRAN(file_set_view, FH, const MPI_Offset *disp, IN etype, IN filetype,
        const char *datarep, IN info, IERR, int len)
{
    char name[MPI_MAX_DATAREP_STRING + 1];

    give_code(ierr, MPI_File_set_view(C_FH, *disp, PMPI_Type_f2c(*etype),
                                      PMPI_Type_f2c(*filetype),
                                      string(name, sizeof(name), datarep, len),
                                      PMPI_Info_f2c(*info)));
}

/* The library's own routine, whose arguments are addresses all. */
typedef void routine(void *, ...);
#define NEXT_ROUTINE(name)                                                     \
    ({                                                                         \
        static routine *next_routine;                                          \
        if (next_routine == NULL)                                              \
            next_routine = (routine *)rec_next(name);                          \
        next_routine;                                                          \
    })

/* Both names, each with the library's of the same name behind it. */
#define BOTH(define, name, ...)                                                \
    define(mpi_##name##_, __VA_ARGS__) define(mpi_##name##_f08_, __VA_ARGS__)

/* MPICH's start of programs with mpif.h does more than the C call, and comes
 * to it. */
#define START(symbol, params, args)                                            \
    REC_PUBLIC void symbol params;                                             \
    void symbol params                                                         \
    {                                                                          \
        struct rec_span span;                                                  \
        bool on = rec_begin(&span);                                            \
                                                                               \
        rec_mark_rank();                                                       \
        NEXT_ROUTINE(#symbol) args;                                            \
        rec_mpi_started();                                                     \
        if (on)                                                                \
            rec_cancel();                                                      \
    }
BOTH(START, init, (void *ierr), (ierr))
BOTH(START, init_thread, (void *required, void *provided, void *ierr),
     (required, provided, ierr))

#ifdef OPEN_MPI
FORTRAN(finalize, IERR)
{
    give_code(ierr, MPI_Finalize());
}

extern char mpi_fortran_bottom_ __attribute__((weak));

static void *buffer(void *buf)
{
    return buf == &mpi_fortran_bottom_ ? MPI_BOTTOM : buf;
}

static void give_status(MPI_Fint *to, const MPI_Status *status)
{
    if (to != MPI_F_STATUS_IGNORE)
        PMPI_Status_c2f(status, to);
}

#define DATA void *buf, IN count, IN datatype
#define C_DATA buffer(buf), (int)*count, PMPI_Type_f2c(*datatype)

#define BLOCKING(name, at, c_at)                                               \
    FORTRAN(file_##name, at, DATA, MPI_Fint *status, IERR)                     \
    {                                                                          \
        MPI_Status done = {.MPI_ERROR = MPI_SUCCESS};                          \
                                                                               \
        give_code(ierr, MPI_File_##name(c_at, C_DATA, &done));                 \
        give_status(status, &done);                                            \
    }

#define NONBLOCKING(name, at, c_at)                                            \
    FORTRAN(file_##name, at, DATA, MPI_Fint *request, IERR)                    \
    {                                                                          \
        MPI_Request started = MPI_REQUEST_NULL;                                \
                                                                               \
        give_code(ierr, MPI_File_##name(c_at, C_DATA, &started));              \
        *request = PMPI_Request_c2f(started);                                  \
    }

#define SPLIT(name, at, c_at)                                                  \
    FORTRAN(file_##name##_begin, at, DATA, IERR)                               \
    {                                                                          \
        give_code(ierr, MPI_File_##name##_begin(c_at, C_DATA));                \
    }                                                                          \
    FORTRAN(file_##name##_end, FH, void *buf, MPI_Fint *status, IERR)          \
    {                                                                          \
        MPI_Status done = {.MPI_ERROR = MPI_SUCCESS};                          \
                                                                               \
        give_code(ierr, MPI_File_##name##_end(C_FH, buffer(buf), &done));      \
        give_status(status, &done);                                            \
    }

BLOCKING(read, FH, C_FH)
BLOCKING(read_all, FH, C_FH)
BLOCKING(read_at, FH_AT, C_FH_AT)
BLOCKING(read_at_all, FH_AT, C_FH_AT)
BLOCKING(read_ordered, FH, C_FH)
BLOCKING(read_shared, FH, C_FH)
BLOCKING(write, FH, C_FH)
BLOCKING(write_all, FH, C_FH)
BLOCKING(write_at, FH_AT, C_FH_AT)
BLOCKING(write_at_all, FH_AT, C_FH_AT)
BLOCKING(write_ordered, FH, C_FH)
BLOCKING(write_shared, FH, C_FH)

NONBLOCKING(iread, FH, C_FH)
NONBLOCKING(iread_all, FH, C_FH)
NONBLOCKING(iread_at, FH_AT, C_FH_AT)
NONBLOCKING(iread_at_all, FH_AT, C_FH_AT)
NONBLOCKING(iread_shared, FH, C_FH)
NONBLOCKING(iwrite, FH, C_FH)
NONBLOCKING(iwrite_all, FH, C_FH)
NONBLOCKING(iwrite_at, FH_AT, C_FH_AT)
NONBLOCKING(iwrite_at_all, FH_AT, C_FH_AT)
NONBLOCKING(iwrite_shared, FH, C_FH)

SPLIT(read_all, FH, C_FH)
SPLIT(read_at_all, FH_AT, C_FH_AT)
SPLIT(read_ordered, FH, C_FH)
SPLIT(write_all, FH, C_FH)
SPLIT(write_at_all, FH_AT, C_FH_AT)
SPLIT(write_ordered, FH, C_FH)

FORTRAN(wait, MPI_Fint *request, MPI_Fint *status, IERR)
{
    MPI_Request waited = PMPI_Request_f2c(*request);
    MPI_Status done = {.MPI_ERROR = MPI_SUCCESS};

    give_code(ierr, MPI_Wait(&waited, &done));
    *request = PMPI_Request_c2f(waited);
    give_status(status, &done);
}

FORTRAN(test, MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status, IERR)
{
    MPI_Request tested = PMPI_Request_f2c(*request);
    MPI_Status done = {.MPI_ERROR = MPI_SUCCESS};
    int over = 0;

    give_code(ierr, MPI_Test(&tested, &over, &done));
    *flag = over != 0;
    *request = PMPI_Request_c2f(tested);
    if (over)
        give_status(status, &done);
}

/* Lists of requests, while a C routine has them. */
struct list {
    size_t n;
    MPI_Request *requests;
    MPI_Status *done;
};

static bool list_begin(struct list *list, MPI_Fint count, const MPI_Fint *array,
                       MPI_Fint *ierr)
{
    list->n = count > 0 ? (size_t)count : 0;
    list->requests = calloc(list->n + 1, sizeof(MPI_Request));
    list->done = calloc(list->n + 1, sizeof(*list->done));
    if (list->requests == NULL || list->done == NULL) {
        free(list->requests);
        free(list->done);
        give_code(ierr, MPI_ERR_NO_MEM);
        return false;
    }
    for (size_t i = 0; i < list->n; i++)
        list->requests[i] = PMPI_Request_f2c(array[i]);
    return true;
}

/* The first so many statuses are given. */
static void list_end(struct list *list, MPI_Fint *array, int given,
                     MPI_Fint *statuses)
{
    bool wanted =
        statuses != MPI_F_STATUS_IGNORE && statuses != MPI_F_STATUSES_IGNORE;

    for (size_t i = 0; i < list->n; i++)
        array[i] = PMPI_Request_c2f(list->requests[i]);
    for (int i = 0; i < given && wanted; i++)
        PMPI_Status_c2f(&list->done[i],
                        statuses + (size_t)i *
                                       (sizeof(MPI_Status) / sizeof(MPI_Fint)));
    free(list->requests);
    free(list->done);
}

FORTRAN(waitall, IN count, MPI_Fint *array, MPI_Fint *statuses, IERR)
{
    struct list list;

    if (!list_begin(&list, *count, array, ierr))
        return;
    give_code(ierr, MPI_Waitall((int)list.n, list.requests, list.done));
    list_end(&list, array, (int)list.n, statuses);
}

FORTRAN(testall, IN count, MPI_Fint *array, MPI_Fint *flag, MPI_Fint *statuses,
        IERR)
{
    struct list list;
    int over = 0;

    if (!list_begin(&list, *count, array, ierr))
        return;
    give_code(ierr, MPI_Testall((int)list.n, list.requests, &over, list.done));
    *flag = over != 0;
    list_end(&list, array, over ? (int)list.n : 0, statuses);
}

/* Fortran counts from 1. */
static MPI_Fint from_one(int index)
{
    return index >= 0 ? index + 1 : index; /* MPI_UNDEFINED */
}

FORTRAN(waitany, IN count, MPI_Fint *array, MPI_Fint *index, MPI_Fint *status,
        IERR)
{
    struct list list;
    int which = MPI_UNDEFINED;

    if (!list_begin(&list, *count, array, ierr))
        return;
    give_code(ierr, MPI_Waitany((int)list.n, list.requests, &which, list.done));
    *index = from_one(which);
    list_end(&list, array, 1, status);
}

FORTRAN(testany, IN count, MPI_Fint *array, MPI_Fint *index, MPI_Fint *flag,
        MPI_Fint *status, IERR)
{
    struct list list;
    int which = MPI_UNDEFINED, over = 0;

    if (!list_begin(&list, *count, array, ierr))
        return;
    give_code(ierr, MPI_Testany((int)list.n, list.requests, &which, &over,
                                list.done));
    *index = from_one(which);
    *flag = over != 0;
    list_end(&list, array, over ? 1 : 0, status);
}

#define SOME(name, call)                                                       \
    FORTRAN(name, IN count, MPI_Fint *array, MPI_Fint *ndone,                  \
            MPI_Fint *indices, MPI_Fint *statuses, IERR)                       \
    {                                                                          \
        struct list list;                                                      \
        int n = 0;                                                             \
                                                                               \
        if (!list_begin(&list, *count, array, ierr))                           \
            return;                                                            \
        give_code(ierr,                                                        \
                  call((int)list.n, list.requests, &n, indices, list.done));   \
        *ndone = n;                                                            \
        for (int i = 0; i < n; i++)                                            \
            indices[i] = from_one(indices[i]);                                 \
        list_end(&list, array, n, statuses);                                   \
    }
SOME(waitsome, MPI_Waitsome)
SOME(testsome, MPI_Testsome)

FORTRAN(request_free, MPI_Fint *request, IERR)
{
    MPI_Request freed = PMPI_Request_f2c(*request);

    give_code(ierr, MPI_Request_free(&freed));
    *request = PMPI_Request_c2f(freed);
}

/* Messages. */
#define SEND(name, call)                                                       \
    FORTRAN(name, DATA, IN dest, IN tag, IN comm, IERR)                        \
    {                                                                          \
        give_code(ierr,                                                        \
                  call(C_DATA, (int)*dest, (int)*tag, PMPI_Comm_f2c(*comm)));  \
    }
#define ISEND(name, call)                                                      \
    FORTRAN(name, DATA, IN dest, IN tag, IN comm, MPI_Fint *request, IERR)     \
    {                                                                          \
        MPI_Request started = MPI_REQUEST_NULL;                                \
                                                                               \
        give_code(ierr, call(C_DATA, (int)*dest, (int)*tag,                    \
                             PMPI_Comm_f2c(*comm), &started));                 \
        *request = PMPI_Request_c2f(started);                                  \
    }
SEND(send, MPI_Send)
SEND(ssend, MPI_Ssend)
SEND(bsend, MPI_Bsend)
SEND(rsend, MPI_Rsend)
ISEND(isend, MPI_Isend)
ISEND(issend, MPI_Issend)
ISEND(irecv, MPI_Irecv)

FORTRAN(recv, DATA, IN source, IN tag, IN comm, MPI_Fint *status, IERR)
{
    MPI_Status done = {.MPI_ERROR = MPI_SUCCESS};

    give_code(ierr, MPI_Recv(C_DATA, (int)*source, (int)*tag,
                             PMPI_Comm_f2c(*comm), &done));
    give_status(status, &done);
}

FORTRAN(sendrecv, DATA, IN dest, IN out_tag, void *in, IN nin, IN in_type,
        IN source, IN in_tag, IN comm, MPI_Fint *status, IERR)
{
    MPI_Status done = {.MPI_ERROR = MPI_SUCCESS};

    give_code(ierr,
              MPI_Sendrecv(C_DATA, (int)*dest, (int)*out_tag, buffer(in),
                           (int)*nin, PMPI_Type_f2c(*in_type), (int)*source,
                           (int)*in_tag, PMPI_Comm_f2c(*comm), &done));
    give_status(status, &done);
}

/* Collective calls: the routine behind ours has all its arguments. */
#define COLLECTIVE(symbol, call, params, args)                                 \
    REC_PUBLIC void symbol params;                                             \
    void symbol params                                                         \
    {                                                                          \
        struct rec_span span;                                                  \
        bool on = rec_begin(&span);                                            \
                                                                               \
        NEXT_ROUTINE(#symbol) args;                                            \
        if (on)                                                                \
            REC_END(&span, PARIO_OP_collective, 0,                             \
                    rec_group(PMPI_Comm_f2c(*comm)), rec_string(call));        \
    }
#define V void *
BOTH(COLLECTIVE, barrier, "Barrier", (MPI_Fint * comm, V ierr), (comm, ierr))
BOTH(COLLECTIVE, bcast, "Bcast", (V a, V b, V c, V d, MPI_Fint *comm, V ierr),
     (a, b, c, d, comm, ierr))
BOTH(COLLECTIVE, reduce, "Reduce",
     (V a, V b, V c, V d, V e, V f, MPI_Fint *comm, V ierr),
     (a, b, c, d, e, f, comm, ierr))
BOTH(COLLECTIVE, allreduce, "Allreduce",
     (V a, V b, V c, V d, V e, MPI_Fint *comm, V ierr),
     (a, b, c, d, e, comm, ierr))
BOTH(COLLECTIVE, gather, "Gather",
     (V a, V b, V c, V d, V e, V f, V g, MPI_Fint *comm, V ierr),
     (a, b, c, d, e, f, g, comm, ierr))
BOTH(COLLECTIVE, scatter, "Scatter",
     (V a, V b, V c, V d, V e, V f, V g, MPI_Fint *comm, V ierr),
     (a, b, c, d, e, f, g, comm, ierr))
BOTH(COLLECTIVE, allgather, "Allgather",
     (V a, V b, V c, V d, V e, V f, MPI_Fint *comm, V ierr),
     (a, b, c, d, e, f, comm, ierr))
BOTH(COLLECTIVE, alltoall, "Alltoall",
     (V a, V b, V c, V d, V e, V f, MPI_Fint *comm, V ierr),
     (a, b, c, d, e, f, comm, ierr))
#endif
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */
/* NOLINTEND(bugprone-macro-parentheses,readability-function-size) */
#endif
