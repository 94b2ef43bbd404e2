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

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct shipio_job *job = shipio_job_watch(*request);
    int rc = PMPI_Wait(request, status);

    if (rc == MPI_SUCCESS)
        return shipio_job_report(job);
    shipio_job_leave(job);
    return rc;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct shipio_job *job = shipio_job_watch(*request);
    int rc = PMPI_Test(request, flag, status);

    if (job == NULL)
        return rc;
    if (rc == MPI_SUCCESS && *flag)
        return shipio_job_report(job);
    shipio_job_leave(job);
    return rc;
}

/* MPICH does not ask whether a generalized request is complete here. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    shipio_job_leave(shipio_job_watch(request));
    return PMPI_Request_get_status(request, flag, status);
}

/* The jobs among some requests, NULL at the others; NULL when there are none.
 */
static struct shipio_job **find_all(int n, const MPI_Request *requests)
{
    struct shipio_job **jobs = NULL;

    for (int i = 0; i < n; i++) {
        struct shipio_job *job = shipio_job_watch(requests[i]);

        if (job == NULL)
            continue;
        if (jobs == NULL)
            jobs = calloc((size_t)n, sizeof(struct shipio_job *));
        if (jobs == NULL) {
            shipio_job_leave(job);
            return NULL;
        }
        jobs[i] = job;
    }
    return jobs;
}

static void drop_all(int n, struct shipio_job **jobs)
{
    for (int i = 0; i < n; i++)
        shipio_job_leave(jobs[i]);
    free(jobs);
}

/* The error of the one that is complete. */
static int report_one(int n, struct shipio_job **jobs, int index)
{
    int rc = MPI_SUCCESS;

    if (index >= 0 && index < n) {
        struct shipio_job *job = jobs[index];

        jobs[index] = NULL;
        rc = shipio_job_report(job);
    }
    drop_all(n, jobs);
    return rc;
}

/* The errors of those that are complete: entry k of statuses belongs to request
 * indices[k], or k without indices. */
static int report_some(int n, struct shipio_job **jobs, int count,
                       const int *indices, MPI_Status *statuses)
{
    bool failed = false;

    for (int k = 0; k < count; k++) {
        int i = indices != NULL ? indices[k] : k;
        struct shipio_job *job = jobs[i];
        int rc;

        jobs[i] = NULL;
        rc = shipio_job_report(job);
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[k].MPI_ERROR = rc;
        failed = failed || rc != MPI_SUCCESS;
    }
    drop_all(n, jobs);
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct shipio_job **jobs = find_all(n, requests);
    int rc = PMPI_Waitany(n, requests, index, status);

    if (jobs == NULL)
        return rc;
    if (rc == MPI_SUCCESS)
        return report_one(n, jobs, *index);
    drop_all(n, jobs);
    return rc;
}

int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag,
                MPI_Status *status)
{
    struct shipio_job **jobs = find_all(n, requests);
    int rc = PMPI_Testany(n, requests, index, flag, status);

    if (jobs == NULL)
        return rc;
    if (rc == MPI_SUCCESS)
        return report_one(n, jobs, *flag ? *index : -1);
    drop_all(n, jobs);
    return rc;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    struct shipio_job **jobs = find_all(n, requests);
    int rc = PMPI_Waitall(n, requests, statuses);

    if (jobs == NULL)
        return rc;
    if (rc == MPI_SUCCESS)
        return report_some(n, jobs, n, NULL, statuses);
    drop_all(n, jobs);
    return rc;
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct shipio_job **jobs = find_all(n, requests);
    int rc = PMPI_Testall(n, requests, flag, statuses);

    if (jobs == NULL)
        return rc;
    if (rc == MPI_SUCCESS && *flag)
        return report_some(n, jobs, n, NULL, statuses);
    drop_all(n, jobs);
    return rc;
}

int MPI_Waitsome(int n, MPI_Request requests[], int *count, int indices[],
                 MPI_Status statuses[])
{
    struct shipio_job **jobs = find_all(n, requests);
    int rc = PMPI_Waitsome(n, requests, count, indices, statuses);

    if (jobs == NULL)
        return rc;
    if (rc == MPI_SUCCESS)
        return report_some(n, jobs, *count == MPI_UNDEFINED ? 0 : *count,
                           indices, statuses);
    drop_all(n, jobs);
    return rc;
}

int MPI_Testsome(int n, MPI_Request requests[], int *count, int indices[],
                 MPI_Status statuses[])
{
    struct shipio_job **jobs = find_all(n, requests);
    int rc = PMPI_Testsome(n, requests, count, indices, statuses);

    if (jobs == NULL)
        return rc;
    if (rc == MPI_SUCCESS)
        return report_some(n, jobs, *count == MPI_UNDEFINED ? 0 : *count,
                           indices, statuses);
    drop_all(n, jobs);
    return rc;
}
