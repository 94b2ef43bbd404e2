/* mpi_messages.c - messages: an order between two processes. A send is noted
 * when it begins, a receive when it is over, with the other's rank in
 * MPI_COMM_WORLD and the tag; what is in them is not. */
#include "mpi_recorder.h"

#include <pthread.h>
#include <stdlib.h>

#define MAX_RECEIVES 65536

/* The ranks of a communicator in MPI_COMM_WORLD. */
struct members {
    int users; /* the communicator, and receives under way */
    int size;  /* 0: between two groups, which are not followed */
    int world[];
};

/* A nonblocking receive under way. */
struct receive {
    MPI_Request request;
    struct members *members; /* where the source is still open; NULL: known */
    int world, tag;
    bool used;
};

static struct receive receives[MAX_RECEIVES];
static int first_free, highest, look_at; /* no free one below; where to look */
static int under_way;
static int members_key = MPI_KEYVAL_INVALID;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void leave_members(struct members *members)
{
    if (members != NULL &&
        __atomic_sub_fetch(&members->users, 1, __ATOMIC_ACQ_REL) == 0)
        free(members);
}

static int forget_members(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    leave_members(value);
    return MPI_SUCCESS;
}

static struct members *make_members(MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    int between = 0, size = 0;
    struct members *members;
    int *ranks;

    PMPI_Comm_test_inter(comm, &between);
    if (!between)
        PMPI_Comm_size(comm, &size);
    members = malloc(sizeof(*members) + (size_t)size * sizeof(int));
    ranks = calloc((size_t)size + 1, sizeof(*ranks));
    if (members != NULL && ranks != NULL) {
        members->users = 1;
        members->size = size;
        for (int i = 0; i < size; i++)
            ranks[i] = i;
        PMPI_Comm_group(comm, &group);
        PMPI_Comm_group(MPI_COMM_WORLD, &world);
        PMPI_Group_translate_ranks(group, size, ranks, world, members->world);
        PMPI_Group_free(&group);
        PMPI_Group_free(&world);
    } else {
        free(members);
        members = NULL;
    }
    free(ranks);
    return members;
}

/* The communicator's; NULL: no memory. */
static struct members *find_members(MPI_Comm comm)
{
    struct members *members = NULL;
    int found = 0;

    pthread_mutex_lock(&lock);
    if (members_key == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_members,
                                &members_key, NULL);
    PMPI_Comm_get_attr(comm, members_key, (void *)&members, &found);
    if (!found && (members = make_members(comm)) != NULL)
        PMPI_Comm_set_attr(comm, members_key, members);
    pthread_mutex_unlock(&lock);
    return members;
}

static int world_rank(MPI_Comm comm, int rank)
{
    const struct members *members;

    if (rank < 0 || comm == MPI_COMM_WORLD) /* MPI_PROC_NULL */
        return rank;
    members = find_members(comm);
    return members != NULL && rank < members->size ? members->world[rank] : -1;
}

/* Ends a call. One that failed or has no partner only took time. */
static void noted(const struct rec_span *span, enum pario_trace_op op,
                  int world, int tag, int code)
{
    if (code != MPI_SUCCESS || world < 0 || tag < 0)
        rec_end_waiting(span);
    else
        REC_END(span, op, 0, world, tag);
}

#define SENDING                                                                \
    const void *buf, int count, MPI_Datatype datatype, int dest, int tag,      \
        MPI_Comm comm
#define SENT buf, count, datatype, dest, tag, comm

/* Names and lists of parameters cannot be put in parentheses; requests are
 * waited for elsewhere. */
/* NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size) */
/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */
#define SEND(name, params, args)                                               \
    REC_PUBLIC int name params                                                 \
    {                                                                          \
        struct rec_span span;                                                  \
        bool on = rec_begin(&span);                                            \
        int rc = NEXT(name) args;                                              \
                                                                               \
        if (on)                                                                \
            noted(&span, PARIO_OP_Send,                                        \
                  rc == MPI_SUCCESS ? world_rank(comm, dest) : -1, tag, rc);   \
        return rc;                                                             \
    }
#define PARAMS (SENDING)
#define ARGS (SENT)
#define REQUEST_PARAMS (SENDING, MPI_Request * request)
#define REQUEST_ARGS (SENT, request)

SEND(MPI_Send, PARAMS, ARGS)
SEND(MPI_Ssend, PARAMS, ARGS)
SEND(MPI_Bsend, PARAMS, ARGS)
SEND(MPI_Rsend, PARAMS, ARGS)
SEND(MPI_Isend, REQUEST_PARAMS, REQUEST_ARGS)
SEND(MPI_Issend, REQUEST_PARAMS, REQUEST_ARGS)
SEND(MPI_Ibsend, REQUEST_PARAMS, REQUEST_ARGS)
SEND(MPI_Irsend, REQUEST_PARAMS, REQUEST_ARGS)

/* The status of a receive that failed says nothing. */
static void noted_received(const struct rec_span *span, MPI_Comm comm,
                           const MPI_Status *status, int rc)
{
    bool came = rc == MPI_SUCCESS;

    noted(span, PARIO_OP_Recv, came ? world_rank(comm, status->MPI_SOURCE) : -1,
          came ? status->MPI_TAG : -1, rc);
}

REC_PUBLIC int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source,
                        int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    struct rec_span span;
    bool on = rec_begin(&span);
    int rc;

    if (on && status == MPI_STATUS_IGNORE)
        status = &own;
    rc = NEXT(MPI_Recv)(buf, count, datatype, source, tag, comm, status);
    if (on)
        noted_received(&span, comm, status, rc);
    return rc;
}

/* The send first, as if it took no time: it waits for nobody. */
static void begin_both(struct rec_span *span, MPI_Comm comm, int dest, int tag)
{
    noted(span, PARIO_OP_Send, world_rank(comm, dest), tag, MPI_SUCCESS);
    (void)rec_begin(span);
}

REC_PUBLIC int MPI_Sendrecv(const void *out, int nout, MPI_Datatype out_type,
                            int dest, int out_tag, void *in, int nin,
                            MPI_Datatype in_type, int source, int in_tag,
                            MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    struct rec_span span;
    bool on = rec_begin(&span);
    int rc;

    if (on)
        begin_both(&span, comm, dest, out_tag);
    if (on && status == MPI_STATUS_IGNORE)
        status = &own;
    rc = NEXT(MPI_Sendrecv)(out, nout, out_type, dest, out_tag, in, nin,
                            in_type, source, in_tag, comm, status);
    if (on)
        noted_received(&span, comm, status, rc);
    return rc;
}

REC_PUBLIC int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype,
                                    int dest, int out_tag, int source,
                                    int in_tag, MPI_Comm comm,
                                    MPI_Status *status)
{
    MPI_Status own;
    struct rec_span span;
    bool on = rec_begin(&span);
    int rc;

    if (on)
        begin_both(&span, comm, dest, out_tag);
    if (on && status == MPI_STATUS_IGNORE)
        status = &own;
    rc = NEXT(MPI_Sendrecv_replace)(buf, count, datatype, dest, out_tag, source,
                                    in_tag, comm, status);
    if (on)
        noted_received(&span, comm, status, rc);
    return rc;
}

static void follow(MPI_Request request, MPI_Comm comm, int source, int tag)
{
    struct members *members = NULL;
    int world = source;

    if (source == MPI_ANY_SOURCE && comm != MPI_COMM_WORLD) {
        members = find_members(comm);
        if (members == NULL || members->size == 0)
            return;
        __atomic_add_fetch(&members->users, 1, __ATOMIC_RELAXED);
    } else if (source != MPI_ANY_SOURCE) {
        world = world_rank(comm, source);
        if (world < 0)
            return;
    }
    pthread_mutex_lock(&lock);
    while (first_free < MAX_RECEIVES && receives[first_free].used)
        first_free++;
    if (first_free < MAX_RECEIVES) {
        receives[first_free] =
            (struct receive){request, members, world, tag, true};
        highest = first_free >= highest ? first_free + 1 : highest;
        first_free++;
        __atomic_add_fetch(&under_way, 1, __ATOMIC_RELEASE);
        members = NULL;
    }
    pthread_mutex_unlock(&lock);
    leave_members(members); /* there was no room */
}

REC_PUBLIC int MPI_Irecv(void *buf, int count, MPI_Datatype datatype,
                         int source, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    struct rec_span span;
    bool on = rec_begin(&span);
    int rc = NEXT(MPI_Irecv)(buf, count, datatype, source, tag, comm, request);

    if (on && rc == MPI_SUCCESS && *request != MPI_REQUEST_NULL)
        follow(*request, comm, source, tag);
    if (on)
        rec_cancel();
    return rc;
}
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */
/* NOLINTEND(bugprone-macro-parentheses,readability-function-size) */

bool rec_receives_under_way(void)
{
    return __atomic_load_n(&under_way, __ATOMIC_ACQUIRE) > 0;
}

/* Programs wait for requests mostly in the order of their making. */
int64_t rec_receive_find(MPI_Request request)
{
    int64_t found = -1;

    rec_enter();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < highest && found < 0; i++) {
        int at = (look_at + i) % highest;

        if (receives[at].used && receives[at].request == request) {
            found = at;
            look_at = at + 1;
        }
    }
    pthread_mutex_unlock(&lock);
    rec_leave();
    return found;
}

/* Nobody's, where another thread that waits for the same has taken it. */
static struct receive take(int64_t number)
{
    struct receive taken = {.world = MPI_PROC_NULL, .tag = -1};
    bool was_used;

    pthread_mutex_lock(&lock);
    was_used = receives[number].used;
    if (was_used)
        taken = receives[number];
    receives[number].used = false;
    if (number < first_free)
        first_free = (int)number;
    while (highest > 0 && !receives[highest - 1].used)
        highest--;
    pthread_mutex_unlock(&lock);
    if (was_used)
        __atomic_sub_fetch(&under_way, 1, __ATOMIC_RELEASE);
    return taken;
}

void rec_receive_over(const struct rec_span *span, int64_t number, int code,
                      const MPI_Status *status)
{
    struct receive receive = take(number);
    int cancelled = 0;

    if (code == MPI_SUCCESS && status != MPI_STATUS_IGNORE) {
        PMPI_Test_cancelled(status, &cancelled);
        if (receive.members != NULL && !cancelled)
            receive.world = status->MPI_SOURCE >= 0 &&
                                    status->MPI_SOURCE < receive.members->size
                                ? receive.members->world[status->MPI_SOURCE]
                                : -1;
        else if (receive.world == MPI_ANY_SOURCE)
            receive.world = status->MPI_SOURCE;
        receive.tag = status->MPI_TAG;
    }
    noted(span, PARIO_OP_Recv, cancelled ? -1 : receive.world, receive.tag,
          code);
    leave_members(receive.members);
}

void rec_receive_forget(int64_t number)
{
    rec_enter();
    leave_members(take(number).members);
    rec_leave();
}
