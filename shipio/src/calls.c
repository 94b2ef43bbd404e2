/* calls.c - from the arguments of a call to an access and its status. */
#include "calls.h"

#include <errno.h>
#include <stdlib.h>

#include "access.h"
#include "errors.h"
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

static int run(struct shipio_file *file, const struct shipio_call *call,
               enum shipio_together together, int64_t *done_p)
{
    struct shipio_request req;
    int rc = request_init(&req, file, call);

    *done_p = 0;
    if (rc == 0 || call->where == SHIPIO_ORDERED) {
        int located = locate(file, call, req.nbytes, &req.pos);

        rc = rc != 0 ? rc : located;
    }
    if (rc != 0)
        req.nbytes = 0;
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
    return shipio_raise(file->fh, rc);
}

int shipio_call_begin(struct shipio_file *file, const struct shipio_call *call)
{
    int64_t done = 0;
    bool busy = file->split.active;
    /* With a call under way it fails, but without leaving the others alone. */
    int rc = run(file, call, SHIPIO_TOGETHER, &done);

    if (busy)
        return shipio_raise(file->fh, rc);
    file->split.active = rc == 0;
    file->split.write = call->write;
    file->split.nbytes = done;
    return shipio_raise(file->fh, rc);
}

int shipio_call_end(struct shipio_file *file, bool write, MPI_Status *status)
{
    if (!file->split.active || file->split.write != write)
        return shipio_raise(file->fh, SHIPIO_ECLASS(MPI_ERR_OTHER));
    file->split.active = false;
    shipio_status_set(status, file->split.nbytes);
    return MPI_SUCCESS;
}

struct finished {
    int64_t nbytes;
};

static int query_finished(void *extra, MPI_Status *status)
{
    const struct finished *result = extra;

    PMPI_Status_set_elements_x(status, MPI_BYTE, (MPI_Count)result->nbytes);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int free_finished(void *extra)
{
    free(extra);
    return MPI_SUCCESS;
}

static int cancel_finished(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

/*
 * The data moves before the call returns: there is no thread that MPI would
 * allow to complete the request later. Collective calls must not wait for
 * other ranks here, so they are direct.
 */
int shipio_call_nonblocking(struct shipio_file *file,
                            const struct shipio_call *call,
                            MPI_Request *request_p)
{
    struct finished *result = malloc(sizeof(*result));
    int64_t nbytes = 0;
    int rc = run(file, call, call->collective ? SHIPIO_UNWAITED : SHIPIO_ALONE,
                 &nbytes);

    if (rc == 0 && result == NULL)
        rc = -ENOMEM;
    if (rc != 0 || result == NULL) {
        free(result);
        *request_p = MPI_REQUEST_NULL;
        return shipio_raise(file->fh, rc);
    }
    result->nbytes = nbytes;
    if (PMPI_Grequest_start(query_finished, free_finished, cancel_finished,
                            result, request_p) != MPI_SUCCESS) {
        free(result);
        return shipio_raise(file->fh, -ENOMEM);
    }
    PMPI_Grequest_complete(*request_p);
    return MPI_SUCCESS;
}
