/* api_request.c - waiting for and testing requests.
 *
 * The MPI library does it all; but the error of a nonblocking access is the
 * file's, and MPI would raise that of a generalized request elsewhere. So it
 * completes without one, and the error is added here.
 */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <stdbool.h>
#include <stdlib.h>

#include "job.h"

/* The requests of one call, and the jobs among them. */
struct watch {
    int n;
    const MPI_Request *requests;
    struct shipio_job **jobs; /* NULL: there are none */
    struct shipio_job *only;  /* jobs of a single request */
};

static void watch_begin(struct watch *watch, int n, const MPI_Request *requests)
{
    *watch = (struct watch){.n = n, .requests = requests};
    for (int i = 0; i < n; i++) {
        struct shipio_job *job = shipio_job_watch(requests[i]);

        if (job == NULL)
            continue;
        if (watch->jobs == NULL)
            watch->jobs = n == 1
                              ? &watch->only
                              : calloc((size_t)n, sizeof(struct shipio_job *));
        /* Without memory its error comes with a later call. */
        if (watch->jobs == NULL)
            shipio_job_leave(job);
        else
            watch->jobs[i] = job;
    }
}

/* For calls that return when all requests are complete. MPI makes progress
 * here, and the processor is the data's. */
static void watch_await(struct watch *watch)
{
    for (int i = 0; watch->jobs != NULL && i < watch->n; i++)
        if (watch->jobs[i] != NULL)
            shipio_job_await(watch->jobs[i]);
}

/* The code for request i if it is complete now. */
static int take(struct watch *watch, int i)
{
    struct shipio_job *job = watch->jobs[i];

    if (job == NULL || watch->requests[i] != MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    watch->jobs[i] = NULL;
    return shipio_job_report(job);
}

static void watch_end(struct watch *watch)
{
    for (int i = 0; i < watch->n; i++)
        shipio_job_leave(watch->jobs[i]);
    if (watch->jobs != &watch->only)
        free(watch->jobs);
}

/* For calls that complete at most one request: its error. */
static int add_error(struct watch *watch, int rc)
{
    if (watch->jobs == NULL)
        return rc;
    for (int i = 0; rc == MPI_SUCCESS && i < watch->n; i++)
        rc = take(watch, i);
    watch_end(watch);
    return rc;
}

/* What a call has completed: entry k of statuses belongs to request indices[k],
 * or k without indices. */
struct outcome {
    int count;
    const int *indices;
    MPI_Status *statuses;
};

static bool is_in_status(int rc)
{
    int class = rc;

    if (rc != MPI_SUCCESS)
        PMPI_Error_class(rc, &class);
    return class == MPI_ERR_IN_STATUS;
}

/* For calls that complete several: each error in its status, beside those of
 * other requests. */
static int add_errors(struct watch *watch, const struct outcome *outcome,
                      int rc)
{
    bool in_status = is_in_status(rc);
    bool failed = false;

    if (watch->jobs == NULL)
        return rc;
    for (int k = 0; (rc == MPI_SUCCESS || in_status) && k < outcome->count;
         k++) {
        int i = outcome->indices != NULL ? outcome->indices[k] : k;
        int code = take(watch, i);

        failed = failed || code != MPI_SUCCESS;
        /* MPI sets the codes only when one of its own requests has failed. */
        if (outcome->statuses != MPI_STATUSES_IGNORE &&
            (code != MPI_SUCCESS || !in_status))
            outcome->statuses[k].MPI_ERROR = code;
    }
    watch_end(watch);
    return failed && !in_status ? MPI_ERR_IN_STATUS : rc;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct watch watch;

    watch_begin(&watch, 1, request);
    watch_await(&watch);
    return add_error(&watch, PMPI_Wait(request, status));
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct watch watch;

    watch_begin(&watch, 1, request);
    return add_error(&watch, PMPI_Test(request, flag, status));
}

/* MPICH does not ask whether a generalized request is complete here. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    shipio_job_leave(shipio_job_watch(request));
    return PMPI_Request_get_status(request, flag, status);
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct watch watch;

    watch_begin(&watch, n, requests);
    return add_error(&watch, PMPI_Waitany(n, requests, index, status));
}

int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag,
                MPI_Status *status)
{
    struct watch watch;

    watch_begin(&watch, n, requests);
    return add_error(&watch, PMPI_Testany(n, requests, index, flag, status));
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    struct outcome all = {.count = n, .statuses = statuses};
    struct watch watch;

    watch_begin(&watch, n, requests);
    watch_await(&watch);
    return add_errors(&watch, &all, PMPI_Waitall(n, requests, statuses));
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct outcome all = {.statuses = statuses};
    struct watch watch;
    int rc;

    watch_begin(&watch, n, requests);
    rc = PMPI_Testall(n, requests, flag, statuses);
    all.count = *flag || rc != MPI_SUCCESS ? n : 0;
    return add_errors(&watch, &all, rc);
}

int MPI_Waitsome(int n, MPI_Request requests[], int *count, int indices[],
                 MPI_Status statuses[])
{
    struct outcome some = {.indices = indices, .statuses = statuses};
    struct watch watch;
    int rc;

    watch_begin(&watch, n, requests);
    rc = PMPI_Waitsome(n, requests, count, indices, statuses);
    some.count = *count == MPI_UNDEFINED ? 0 : *count;
    return add_errors(&watch, &some, rc);
}

int MPI_Testsome(int n, MPI_Request requests[], int *count, int indices[],
                 MPI_Status statuses[])
{
    struct outcome some = {.indices = indices, .statuses = statuses};
    struct watch watch;
    int rc;

    watch_begin(&watch, n, requests);
    rc = PMPI_Testsome(n, requests, count, indices, statuses);
    some.count = *count == MPI_UNDEFINED ? 0 : *count;
    return add_errors(&watch, &some, rc);
}
