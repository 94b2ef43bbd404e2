/* job.h - accesses that go on while the program computes.
 *
 * Each file has one thread for them, started when first needed, which does one
 * after the other. It calls no MPI, so the program need not have asked for
 * threads. The MPI request of an access is a generalized one. Only a thread
 * inside MPI may complete it: MPICH asks by a function of its extended
 * requests, Open MPI by one that its progress calls. Errors are added by the
 * calls that wait and test (api_request.c): MPI itself would raise them with
 * the handler of MPI_COMM_WORLD.
 */
#ifndef SHIPIO_JOB_H
#define SHIPIO_JOB_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "direct.h"

struct shipio_job {
    struct shipio_file *file;  /* NULL: closed meanwhile */
    struct shipio_request req; /* made in place, see calls.c */
    bool collective;           /* alone otherwise */
    bool split;     /* between begin and end: ranks wait for others */
    uint64_t call;  /* number of a nonblocking collective call */
    int64_t nbytes; /* done */
    int error;
    _Atomic bool finished;
    _Atomic bool completed; /* MPI knows that it is finished */
    _Atomic bool freed;     /* the program has no request any more */
    _Atomic bool gone;      /* nor has MPI */
    _Atomic bool reported;  /* its error has been returned, or will be */
    _Atomic int watchers;   /* calls that will report its error */
    _Atomic int owners;     /* queues, the MPI request, calls */
    MPI_Request request;
    struct shipio_job *next;          /* in the file's queue */
    struct shipio_job *next_known;    /* among those with an MPI request */
    struct shipio_job **known_at;     /* what leads to it there */
    struct shipio_job *next_finished; /* among those that MPI is to learn of */
};

/* Local. A job with one owner, or NULL. */
struct shipio_job *shipio_job_new(struct shipio_file *file);
void shipio_job_drop(struct shipio_job *job);

/* Local. True when the MPI library can complete requests later. */
bool shipio_jobs_possible(void);
/* Local. The file's thread will do it; runs it at once without a thread. */
void shipio_job_start(struct shipio_job *job);
/* Local. Does it here. */
void shipio_job_run(struct shipio_job *job);
/* Local. The MPI request of a job, to be called before it starts; -ENOMEM. */
int shipio_job_request(struct shipio_job *job, MPI_Request *request_p)
    __attribute__((warn_unused_result));
/* Local. The same for a job that was done before: its request is complete. */
void shipio_job_settle_now(struct shipio_job *job);

/* Local. Waits for one, for all of a file; MPI makes progress meanwhile. */
void shipio_job_wait(struct shipio_job *job);
void shipio_jobs_drain(struct shipio_file *file);
/* Local. Ends the file's thread. */
void shipio_jobs_close(struct shipio_file *file);

/* Local. The job of a request, which the caller will leave or report; or NULL.
 * MPI knows from then on if it is finished. Cheap where there are none. */
struct shipio_job *shipio_job_watch(MPI_Request request);
/* Local. Waits until a watched job is finished, and MPI knows it. */
void shipio_job_await(struct shipio_job *job);
/* Local. Its error is not for this call. NULL is allowed. */
void shipio_job_leave(struct shipio_job *job);
/* Local. The request is complete: the error for the program as an MPI code,
 * after a call of the file's handler. NULL is allowed. */
int shipio_job_report(struct shipio_job *job);

#endif
