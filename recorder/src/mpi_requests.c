/* mpi_requests.c - when nonblocking accesses and receives are over; of other
 * requests only the time of waiting is noted. */
#include "mpi_recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REQUESTS 4096

static struct {
    MPI_Request request;
    int64_t bytes;
    bool used;
} requests[MAX_REQUESTS];
static int under_way, highest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int64_t rec_request_new(void)
{
    int64_t number = -1;

    rec_enter();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_REQUESTS && number < 0; i++)
        if (!requests[i].used) {
            requests[i].used = true;
            requests[i].request = MPI_REQUEST_NULL;
            number = i;
            if (i >= highest)
                highest = i + 1;
        }
    pthread_mutex_unlock(&lock);
    rec_leave();
    return number;
}

static void forget(int64_t number)
{
    rec_enter();
    pthread_mutex_lock(&lock);
    requests[number].used = false;
    while (highest > 0 && !requests[highest - 1].used)
        highest--;
    pthread_mutex_unlock(&lock);
    rec_leave();
}

void rec_request_set(int64_t number, MPI_Request request, int64_t bytes)
{
    if (number < 0)
        return;
    requests[number].request = request;
    requests[number].bytes = bytes;
    if (request == MPI_REQUEST_NULL) {
        forget(number); /* there is nothing to wait for */
        return;
    }
    __atomic_add_fetch(&under_way, 1, __ATOMIC_RELEASE);
}

/* Which access it is, or from MAX_REQUESTS on which receive; -1: neither. */
static int64_t find(MPI_Request request)
{
    int64_t number = -1;

    if (request == MPI_REQUEST_NULL)
        return -1;
    if (rec_receives_under_way()) {
        number = rec_receive_find(request);
        if (number >= 0)
            return MAX_REQUESTS + number;
    }
    rec_enter();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < highest && number < 0; i++)
        if (requests[i].used && requests[i].request == request)
            number = i;
    pthread_mutex_unlock(&lock);
    rec_leave();
    return number;
}

static int64_t result_of(int64_t number, int code, const MPI_Status *status)
{
    MPI_Count moved = 0;

    if (code != MPI_SUCCESS)
        return rec_mpi_result(code);
    if (status == MPI_STATUS_IGNORE ||
        PMPI_Get_elements_x(status, MPI_BYTE, &moved) != MPI_SUCCESS ||
        moved < 0 || moved >= requests[number].bytes)
        return 0;
    return moved + 1;
}

/* Several at once: the first has the time, the others none. */
static void over(const struct rec_span *span, int64_t number, int code,
                 const MPI_Status *status)
{
    if (number >= MAX_REQUESTS) {
        rec_receive_over(span, number - MAX_REQUESTS, code, status);
        return;
    }
    REC_END(span, PARIO_OP_Wait, result_of(number, code, status), number);
    __atomic_sub_fetch(&under_way, 1, __ATOMIC_RELEASE);
    forget(number);
}

static bool is_any_under_way(void)
{
    return __atomic_load_n(&under_way, __ATOMIC_ACQUIRE) > 0 ||
           rec_receives_under_way();
}

/* The time in any other call that waits. */
#define WAITING(call)                                                          \
    do {                                                                       \
        struct rec_span waiting;                                               \
        bool on = rec_begin(&waiting);                                         \
        int code = (call);                                                     \
                                                                               \
        if (on)                                                                \
            rec_end_waiting(&waiting);                                         \
        return code;                                                           \
    } while (0)

REC_PUBLIC int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int64_t number = is_any_under_way() ? find(*request) : -1;
    MPI_Status own;
    struct rec_span span;
    int rc;

    if (number < 0)
        WAITING(NEXT(MPI_Wait)(request, status));
    if (!rec_begin(&span))
        return NEXT(MPI_Wait)(request, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    rc = NEXT(MPI_Wait)(request, status);
    over(&span, number, rc, status);
    return rc;
}

REC_PUBLIC int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int64_t number = is_any_under_way() ? find(*request) : -1;
    MPI_Status own;
    struct rec_span span;
    int rc;

    if (number < 0 || !rec_begin(&span))
        return NEXT(MPI_Test)(request, flag, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    rc = NEXT(MPI_Test)(request, flag, status);
    if (rc != MPI_SUCCESS || *flag)
        over(&span, number, rc, status);
    else
        rec_cancel();
    return rc;
}

/* The numbers of an array of requests; NULL: none of them is an access. */
static int64_t *find_all(int count, const MPI_Request *array)
{
    int64_t *numbers;
    bool any = false;

    if (!is_any_under_way() || !rec_is_on() || count <= 0)
        return NULL;
    numbers = calloc((size_t)count, sizeof(*numbers));
    for (int i = 0; i < count && numbers != NULL; i++) {
        numbers[i] = find(array[i]);
        any |= numbers[i] >= 0;
    }
    if (any)
        return numbers;
    free(numbers);
    return NULL;
}

/* Statuses of our own where the program wants none: they say who sent. */
static MPI_Status *own_statuses(int count, MPI_Status *statuses)
{
    MPI_Status *own = statuses == MPI_STATUSES_IGNORE
                          ? calloc((size_t)count, sizeof(*own))
                          : NULL;

    return own;
}

/* What a call that failed left in its results may be anything. */
static int within(int done, int count)
{
    return done >= 0 && done <= count ? done : 0;
}

/* Accesses that are over: those with one of the count indices, or all. */
static void all_over(const struct rec_span *span, const int64_t *numbers,
                     int count, const int *indices, int code,
                     const MPI_Status *statuses)
{
    struct rec_span next = *span;
    bool begun = true;

    for (int i = 0; i < count; i++) {
        int64_t number = numbers[indices != NULL ? indices[i] : i];

        if (number < 0 || !(begun || rec_begin(&next)))
            continue;
        over(&next, number,
             code == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE
                 ? statuses[i].MPI_ERROR
                 : code,
             statuses != MPI_STATUSES_IGNORE ? &statuses[i]
                                             : MPI_STATUS_IGNORE);
        begun = false;
    }
    if (begun)
        rec_cancel();
}

REC_PUBLIC int MPI_Waitall(int count, MPI_Request array[],
                           MPI_Status statuses[])
{
    int64_t *numbers = find_all(count, array);
    MPI_Status *own;
    struct rec_span span;
    int rc;

    if (numbers == NULL)
        WAITING(NEXT(MPI_Waitall)(count, array, statuses));
    own = own_statuses(count, statuses);
    statuses = own != NULL ? own : statuses;
    (void)rec_begin(&span); /* find_all knows that it can */
    rc = NEXT(MPI_Waitall)(count, array, statuses);
    all_over(&span, numbers, count, NULL, rc, statuses);
    free(own);
    free(numbers);
    return rc;
}

REC_PUBLIC int MPI_Testall(int count, MPI_Request array[], int *flag,
                           MPI_Status statuses[])
{
    int64_t *numbers = find_all(count, array);
    MPI_Status *own;
    struct rec_span span;
    int rc;

    if (numbers == NULL)
        return NEXT(MPI_Testall)(count, array, flag, statuses);
    own = own_statuses(count, statuses);
    statuses = own != NULL ? own : statuses;
    (void)rec_begin(&span);
    rc = NEXT(MPI_Testall)(count, array, flag, statuses);
    if (rc != MPI_SUCCESS || *flag)
        all_over(&span, numbers, count, NULL, rc, statuses);
    else
        rec_cancel();
    free(own);
    free(numbers);
    return rc;
}

REC_PUBLIC int MPI_Waitany(int count, MPI_Request array[], int *index,
                           MPI_Status *status)
{
    int64_t *numbers = find_all(count, array);
    MPI_Status own;
    struct rec_span span;
    int rc;

    if (numbers == NULL)
        WAITING(NEXT(MPI_Waitany)(count, array, index, status));
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    (void)rec_begin(&span);
    rc = NEXT(MPI_Waitany)(count, array, index, status);
    all_over(&span, numbers, *index >= 0 && *index < count, index, rc, status);
    free(numbers);
    return rc;
}

REC_PUBLIC int MPI_Testany(int count, MPI_Request array[], int *index,
                           int *flag, MPI_Status *status)
{
    int64_t *numbers = find_all(count, array);
    MPI_Status own;
    struct rec_span span;
    int rc;

    if (numbers == NULL)
        return NEXT(MPI_Testany)(count, array, index, flag, status);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    (void)rec_begin(&span);
    rc = NEXT(MPI_Testany)(count, array, index, flag, status);
    all_over(&span, numbers, *flag && *index >= 0 && *index < count, index, rc,
             status);
    free(numbers);
    return rc;
}

#define SOME(name)                                                             \
    REC_PUBLIC int name(int count, MPI_Request array[], int *done,             \
                        int indices[], MPI_Status statuses[])                  \
    {                                                                          \
        int64_t *numbers = find_all(count, array);                             \
        MPI_Status *own;                                                       \
        struct rec_span span;                                                  \
        int rc;                                                                \
                                                                               \
        if (numbers == NULL)                                                   \
            WAITING(NEXT(name)(count, array, done, indices, statuses));        \
        own = own_statuses(count, statuses);                                   \
        statuses = own != NULL ? own : statuses;                               \
        (void)rec_begin(&span);                                                \
        rc = NEXT(name)(count, array, done, indices, statuses);                \
        all_over(&span, numbers,                                               \
                 rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS                  \
                     ? within(*done, count)                                    \
                     : 0,                                                      \
                 indices, rc, statuses);                                       \
        free(own);                                                             \
        free(numbers);                                                         \
        return rc;                                                             \
    }

SOME(MPI_Waitsome)
SOME(MPI_Testsome)

REC_PUBLIC int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    WAITING(NEXT(MPI_Probe)(source, tag, comm, status));
}

/* Nobody will wait for it. */
REC_PUBLIC int MPI_Request_free(MPI_Request *request)
{
    int64_t number = is_any_under_way() ? find(*request) : -1;

    if (number >= MAX_REQUESTS) {
        rec_receive_forget(number - MAX_REQUESTS);
    } else if (number >= 0) {
        __atomic_sub_fetch(&under_way, 1, __ATOMIC_RELEASE);
        forget(number);
    }
    return NEXT(MPI_Request_free)(request);
}
