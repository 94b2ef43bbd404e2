/* calls.c - from the arguments of a call to an access and its status. */
#include "calls.h"

#include <errno.h>
#include <stdlib.h>

#include "access.h"
#include "device.h"
#include "errors.h"
#include "job.h"
#include "pointer.h"

void shipio_status_set(MPI_Status *status, int64_t nbytes)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    PMPI_Status_set_elements_x(status, MPI_BYTE, (MPI_Count)nbytes);
    PMPI_Status_set_cancelled(status, 0);
}

static int check(const struct shipio_file *file, const struct shipio_call *call)
{
    int64_t pos;

    if (call->count < 0)
        return SHIPIO_ECLASS(MPI_ERR_COUNT);
    if (call->datatype == MPI_DATATYPE_NULL)
        return SHIPIO_ECLASS(MPI_ERR_TYPE);
    if (call->where == SHIPIO_AT &&
        (call->offset < 0 ||
         __builtin_mul_overflow((int64_t)call->offset, file->view->etype_size,
                                &pos)))
        return SHIPIO_ECLASS(MPI_ERR_ARG);
    if (call->write && (file->amode & MPI_MODE_RDONLY) != 0)
        return SHIPIO_ECLASS(MPI_ERR_READ_ONLY);
    if (!call->write && (file->amode & MPI_MODE_WRONLY) != 0)
        return SHIPIO_ECLASS(MPI_ERR_ACCESS);
    if (call->collective && file->split.active)
        return SHIPIO_ECLASS(MPI_ERR_OTHER);
    return 0;
}

/* On error the request is empty and needs no release. */
static int request_init(struct shipio_request *req,
                        const struct shipio_file *file,
                        const struct shipio_call *call)
{
    int rc = check(file, call);

    req->write = call->write;
    req->pos = 0;
    req->nbytes = 0;
    req->buf = call->buf;
    req->count = call->count;
    req->datatype = call->datatype;
    req->device = false;
    req->type.node = NULL;
    if (rc == 0)
        rc = shipio_type_init(&req->type, call->datatype, file->comm);
    if (rc != 0)
        return rc;
    shipio_tiling_init(&req->memory, req->type.node, 0, req->type.extent);
    if (__builtin_mul_overflow((int64_t)call->count, req->type.size,
                               &req->nbytes))
        rc = SHIPIO_ECLASS(MPI_ERR_COUNT);
    else if (req->nbytes > 0 && file->view->type.node->size == 0)
        rc = SHIPIO_ECLASS(MPI_ERR_TYPE);
    if (rc != 0)
        req->nbytes = 0;
    return rc;
}

/*
 * The system call that moves plain memory finds out by itself that it cannot
 * (direct.c); all else must know before. To ask takes as long as a small part
 * of a small access.
 */
static bool must_ask(const struct shipio_file *file,
                     const struct shipio_call *call,
                     const struct shipio_request *req, bool blocking)
{
    return !blocking || !req->memory.contig || !file->view->tiling.contig ||
           file->storage.remote || file->hints.mode == SHIPIO_SHIP ||
           file->behind != NULL || file->ship.agents != NULL ||
           (call->collective && file->view->scattered);
}

/* Where the access starts; pointers move on by what was asked for. */
static int locate(struct shipio_file *file, const struct shipio_call *call,
                  int64_t nbytes, int64_t *pos_p)
{
    switch (call->where) {
    case SHIPIO_INDIVIDUAL:
        *pos_p = atomic_fetch_add(&file->pos, nbytes);
        return 0;
    case SHIPIO_SHARED:
        return shipio_pointer_take(file, nbytes, pos_p);
    case SHIPIO_ORDERED:
        return shipio_pointer_take_ordered(file, nbytes, pos_p);
    case SHIPIO_AT:
    default:
        *pos_p = call->offset * file->view->etype_size;
        return 0;
    }
}

/* Everything but moving the data. On error the request is empty. */
static int prepare(struct shipio_request *req, struct shipio_file *file,
                   const struct shipio_call *call, bool blocking)
{
    int rc = request_init(req, file, call);

    if (rc == 0 && must_ask(file, call, req, blocking))
        req->device = shipio_device_holds(req);
    if (rc == 0 || call->where == SHIPIO_ORDERED) {
        int located = locate(file, call, req->nbytes, &req->pos);

        rc = rc != 0 ? rc : located;
    }
    if (rc != 0)
        req->nbytes = 0;
    return rc;
}

static int run(struct shipio_file *file, const struct shipio_call *call,
               enum shipio_together together, int64_t *done_p)
{
    struct shipio_request req;
    int rc;

    /* A split call under way waits for other ranks, too; this one fails. */
    if (call->collective && file->split.active)
        shipio_jobs_drain(file);
    rc = prepare(&req, file, call, true);
    *done_p = 0;
    rc = shipio_access(file, &req, together, rc, done_p);
    shipio_count(&file->stats,
                 call->write ? SHIPIO_N_BYTES_WRITTEN : SHIPIO_N_BYTES_READ,
                 *done_p);
    if (req.type.node != NULL)
        shipio_type_fini(&req.type);
    return rc;
}

int shipio_call_blocking(struct shipio_file *file,
                         const struct shipio_call *call, MPI_Status *status)
{
    int64_t done = 0;
    int rc = run(file, call, call->collective ? SHIPIO_TOGETHER : SHIPIO_ALONE,
                 &done);

    shipio_status_set(status, done);
    return shipio_raise(file->handle.fh, rc);
}

/* Accesses that take less time than handing them to a thread. */
#define HERE_MAX ((int64_t)32 * 1024)

static bool is_quick(const struct shipio_file *file,
                     const struct shipio_request *req)
{
    return req->nbytes <= HERE_MAX && !file->storage.remote;
}

/* Calls MPI, which the thread must not. */
static bool needs_mpi(const struct shipio_file *file,
                      const struct shipio_request *req)
{
    return file->shm == NULL || req->device;
}

/* Frees what prepare has made for a job that will not run. */
static void unprepare(struct shipio_job *job)
{
    if (job->req.type.node != NULL)
        shipio_type_fini(&job->req.type);
    shipio_job_drop(job);
}

/* With a call under way, or without memory, it fails, but without leaving the
 * others alone. */
static int begin_in_vain(struct shipio_file *file,
                         const struct shipio_call *call)
{
    int64_t done = 0;
    int rc = run(file, call, SHIPIO_TOGETHER, &done);

    return shipio_raise(file->handle.fh, rc != 0 ? rc : -ENOMEM);
}

int shipio_call_begin(struct shipio_file *file, const struct shipio_call *call)
{
    struct shipio_job *job = NULL;
    int rc;

    if (!file->split.active)
        job = shipio_job_new(file);
    if (job == NULL)
        return begin_in_vain(file, call);
    rc = prepare(&job->req, file, call, false);
    if (rc != 0) {
        rc = shipio_access(file, &job->req, SHIPIO_TOGETHER, rc, &job->nbytes);
        unprepare(job);
        return shipio_raise(file->handle.fh, rc);
    }
    job->collective = true;
    job->split = true;
    if (needs_mpi(file, &job->req) || is_quick(file, &job->req)) {
        shipio_job_run(job);
        atomic_store(&job->finished, true);
        rc = job->error;
    } else {
        shipio_job_start(job);
    }
    file->split.active = rc == 0;
    file->split.write = call->write;
    file->split.job = rc == 0 ? job : NULL;
    if (rc != 0)
        shipio_job_drop(job);
    return shipio_raise(file->handle.fh, rc);
}

int shipio_call_end(struct shipio_file *file, bool write, MPI_Status *status)
{
    struct shipio_job *job = file->split.job;
    int rc;

    if (!file->split.active || file->split.write != write)
        return shipio_raise(file->handle.fh, SHIPIO_ECLASS(MPI_ERR_OTHER));
    if (!atomic_load(&job->finished))
        shipio_job_wait(job);
    file->split.active = false;
    file->split.job = NULL;
    shipio_status_set(status, job->nbytes);
    rc = job->error;
    shipio_job_drop(job);
    return shipio_raise(file->handle.fh, rc);
}

/* Here and now; its error is the call's. */
static int do_now(struct shipio_job *job, bool by_agents)
{
    int rc;

    if (by_agents) {
        job->error =
            shipio_access(job->file, &job->req, SHIPIO_ALONE, 0, &job->nbytes);
        shipio_type_fini(&job->req.type);
    } else {
        shipio_job_run(job);
    }
    rc = job->error;
    job->error = 0;
    return rc;
}

/*
 * A thread moves the data while the program goes on. Collective calls must not
 * wait for other ranks, so they are direct.
 */
int shipio_call_nonblocking(struct shipio_file *file,
                            const struct shipio_call *call,
                            MPI_Request *request_p)
{
    struct shipio_job *job = shipio_job_new(file);
    bool by_agents = !call->collective && file->ship.agents != NULL;
    uint64_t number = 0;
    bool later;
    int rc;

    *request_p = MPI_REQUEST_NULL;
    if (call->collective)
        number = shipio_access_unwaited(file);
    if (job == NULL) {
        if (call->collective && file->team->size > 1)
            shipio_late_post(file, number, -ENOMEM, false);
        return shipio_raise(file->handle.fh, -ENOMEM);
    }
    rc = prepare(&job->req, file, call, false);
    job->collective = call->collective;
    job->call = number;
    if (!by_agents || rc != 0)
        shipio_access_count(file, rc == 0 ? &job->req : NULL, call->collective);
    later = rc == 0 && !by_agents && !job->req.device &&
            !is_quick(file, &job->req) && shipio_jobs_possible();
    if (rc != 0) {
        if (call->collective && file->team->size > 1)
            shipio_late_post(file, job->call, rc, false);
        unprepare(job);
        return shipio_raise(file->handle.fh, rc);
    }
    if (!later)
        rc = do_now(job, by_agents);
    if (rc == 0)
        rc = shipio_job_request(job, request_p);
    if (rc == 0 && later)
        shipio_job_start(job);
    else if (rc == 0)
        shipio_job_settle_now(job);
    shipio_job_drop(job);
    return shipio_raise(file->handle.fh, rc);
}
