/* job.c - one thread for a file, and requests that MPI completes. */
#include "job.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "access.h"
#include "calls.h"
#include "errors.h"
#include "iothread.h"

/* A thread that waits for jobs lets MPI make progress that often. */
#define LOOK_NS 500000

struct shipio_jobs {
    pthread_t thread;
    bool started;
    bool ending;
    struct shipio_job *first; /* not yet finished, in order */
    struct shipio_job **last;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

#define SLOTS 1024

/* Jobs with an MPI request that lives, by the request. */
static struct shipio_job *known[SLOTS];
static _Atomic int nknown;
/* Of them, those that are finished, and MPI may not know it yet. */
static struct shipio_job *finished;
static _Atomic int nfinished;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

static struct shipio_job **slot_of(MPI_Request request)
{
    uint64_t hash = (uint64_t)(uintptr_t)request * 0x9e3779b97f4a7c15u;

    return &known[(hash >> 32) % SLOTS];
}

struct shipio_job *shipio_job_new(struct shipio_file *file)
{
    struct shipio_job *job = calloc(1, sizeof(*job));

    if (job == NULL)
        return NULL;
    job->file = file;
    job->request = MPI_REQUEST_NULL;
    atomic_store(&job->owners, 1);
    return job;
}

void shipio_job_drop(struct shipio_job *job)
{
    if (job == NULL || atomic_fetch_sub(&job->owners, 1) != 1)
        return;
    free(job);
}

void shipio_job_run(struct shipio_job *job)
{
    struct shipio_file *file = job->file;

    if (job->split)
        job->error =
            shipio_access(file, &job->req, SHIPIO_TOGETHER, 0, &job->nbytes);
    else
        job->error = shipio_direct(file, &job->req, &job->nbytes);
    shipio_count(&file->stats,
                 job->req.write ? SHIPIO_N_BYTES_WRITTEN : SHIPIO_N_BYTES_READ,
                 job->nbytes);
    if (job->error != 0 && job->collective && !job->split)
        shipio_late_post(file, job->call, job->error, false);
    shipio_type_fini(&job->req.type);
}

/* An error that no call will return: the request was freed before its end, or
 * completed by a call that is not seen here. Then a later call has it. */
static void pass_on_error(struct shipio_job *job)
{
    if (!atomic_load(&job->finished) || !atomic_load(&job->freed) ||
        atomic_load(&job->watchers) > 0 || job->error == 0 || job->file == NULL)
        return;
    if (!atomic_exchange(&job->reported, true))
        shipio_late_own(job->file, job->error);
}

static void set_finished(struct shipio_job *job)
{
    atomic_store(&job->finished, true);
    if (job->request != MPI_REQUEST_NULL) {
        atomic_fetch_add(&job->owners, 1);
        pthread_mutex_lock(&known_lock);
        job->next_finished = finished;
        finished = job;
        atomic_fetch_add(&nfinished, 1);
        pthread_mutex_unlock(&known_lock);
    }
    pass_on_error(job);
}

static void *work(void *argument)
{
    struct shipio_jobs *jobs = argument;

    shipio_map_admit_signal();
    shipio_shm_without_mpi();
    pthread_mutex_lock(&jobs->lock);
    for (;;) {
        struct shipio_job *job;

        while (jobs->first == NULL && !jobs->ending)
            pthread_cond_wait(&jobs->changed, &jobs->lock);
        job = jobs->first;
        if (job == NULL)
            break;
        pthread_mutex_unlock(&jobs->lock);
        shipio_job_run(job);
        pthread_mutex_lock(&jobs->lock);
        jobs->first = job->next;
        if (jobs->first == NULL)
            jobs->last = &jobs->first;
        set_finished(job);
        pthread_cond_broadcast(&jobs->changed);
        shipio_job_drop(job);
    }
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

static struct shipio_jobs *jobs_new(struct shipio_file *file)
{
    struct shipio_jobs *jobs = calloc(1, sizeof(*jobs));
    pthread_condattr_t clock;

    if (jobs == NULL)
        return NULL;
    jobs->last = &jobs->first;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&jobs->changed, &clock);
    pthread_condattr_destroy(&clock);
    /* Both threads count from now on. */
    shipio_stats_share(&file->stats);
    jobs->started = shipio_thread_create(&jobs->thread, work, jobs) == 0;
    return jobs;
}

/* NULL: none so far. */
static struct shipio_jobs *jobs_there(struct shipio_file *file)
{
    return atomic_load(&file->jobs);
}

/* Two threads of the program may be the first at the same time. */
static struct shipio_jobs *jobs_of(struct shipio_file *file)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

    if (jobs_there(file) == NULL) {
        pthread_mutex_lock(&making);
        if (jobs_there(file) == NULL)
            atomic_store(&file->jobs, jobs_new(file));
        pthread_mutex_unlock(&making);
    }
    return jobs_there(file);
}

void shipio_job_start(struct shipio_job *job)
{
    struct shipio_jobs *jobs = jobs_of(job->file);

    if (jobs == NULL || !jobs->started) {
        shipio_job_run(job);
        set_finished(job);
        return;
    }
    atomic_fetch_add(&job->owners, 1);
    pthread_mutex_lock(&jobs->lock);
    job->next = NULL;
    *jobs->last = job;
    jobs->last = &job->next;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

static void let_mpi_progress(const struct shipio_file *file)
{
    int found;

    PMPI_Iprobe(file->team->rank, 0, file->comm, &found, MPI_STATUS_IGNORE);
}

/* Until job is finished, or with NULL until all are. */
static void wait_for(struct shipio_file *file, const struct shipio_job *job)
{
    struct shipio_jobs *jobs = jobs_there(file);

    if (jobs == NULL)
        return;
    pthread_mutex_lock(&jobs->lock);
    while (job != NULL ? !atomic_load(&job->finished) : jobs->first != NULL) {
        struct timespec end;

        clock_gettime(CLOCK_MONOTONIC, &end);
        end.tv_nsec += LOOK_NS;
        end.tv_sec += end.tv_nsec / 1000000000;
        end.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&jobs->changed, &jobs->lock, &end) !=
            ETIMEDOUT)
            continue;
        pthread_mutex_unlock(&jobs->lock);
        let_mpi_progress(file);
        pthread_mutex_lock(&jobs->lock);
    }
    pthread_mutex_unlock(&jobs->lock);
}

/* Requests that the program has not completed yet outlive their file. */
static void forget(const struct shipio_file *file)
{
    pthread_mutex_lock(&known_lock);
    for (int i = 0; i < SLOTS && atomic_load(&nknown) > 0; i++)
        for (struct shipio_job *job = known[i]; job; job = job->next_known)
            if (job->file == file)
                job->file = NULL;
    pthread_mutex_unlock(&known_lock);
}

void shipio_jobs_close(struct shipio_file *file)
{
    struct shipio_jobs *jobs = jobs_there(file);

    forget(file);
    if (jobs == NULL)
        return;
    pthread_mutex_lock(&jobs->lock);
    jobs->ending = true;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    if (jobs->started)
        pthread_join(jobs->thread, NULL);
    pthread_cond_destroy(&jobs->changed);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
    atomic_store(&file->jobs, NULL);
}

static void know(struct shipio_job *job)
{
    struct shipio_job **slot = slot_of(job->request);

    pthread_mutex_lock(&known_lock);
    job->next_known = *slot;
    job->known_at = slot;
    if (*slot != NULL)
        (*slot)->known_at = &job->next_known;
    *slot = job;
    atomic_fetch_add(&nknown, 1);
    pthread_mutex_unlock(&known_lock);
}

/* Neither MPI nor the program has the request any more. */
static void let_go(struct shipio_job *job)
{
    if (atomic_exchange(&job->gone, true))
        return;
    pthread_mutex_lock(&known_lock);
    *job->known_at = job->next_known;
    if (job->next_known != NULL)
        job->next_known->known_at = job->known_at;
    atomic_fetch_sub(&nknown, 1);
    pthread_mutex_unlock(&known_lock);
    shipio_job_drop(job);
}

/* MPI learns that a job is finished, once. */
static void complete(struct shipio_job *job)
{
    if (!atomic_load(&job->finished) || atomic_exchange(&job->completed, true))
        return;
    PMPI_Grequest_complete(job->request);
    /* MPICH has called on_free before, and does not do so again. */
    if (atomic_load(&job->freed))
        let_go(job);
}

/* One that is finished; its queue's ownership is the caller's. Or NULL. */
static struct shipio_job *take_finished(void)
{
    struct shipio_job *job;

    if (atomic_load(&nfinished) == 0)
        return NULL;
    pthread_mutex_lock(&known_lock);
    job = finished;
    if (job != NULL) {
        finished = job->next_finished;
        atomic_fetch_sub(&nfinished, 1);
    }
    pthread_mutex_unlock(&known_lock);
    return job;
}

/* How many. */
static int complete_finished(void)
{
    struct shipio_job *job;
    int n = 0;

    while ((job = take_finished()) != NULL) {
        complete(job);
        /* The queue owned it, too. */
        shipio_job_drop(job); /* NOLINT(clang-analyzer-unix.Malloc) */
        n++;
    }
    return n;
}

void shipio_job_wait(struct shipio_job *job)
{
    wait_for(job->file, job);
}

void shipio_jobs_drain(struct shipio_file *file)
{
    wait_for(file, NULL);
    (void)complete_finished();
}

struct shipio_job *shipio_job_watch(MPI_Request request)
{
    struct shipio_job *job;

    if (atomic_load(&nknown) == 0 || request == MPI_REQUEST_NULL)
        return NULL;
    pthread_mutex_lock(&known_lock);
    for (job = *slot_of(request); job != NULL; job = job->next_known)
        if (job->request == request)
            break;
    if (job != NULL) {
        atomic_fetch_add(&job->owners, 1);
        atomic_fetch_add(&job->watchers, 1);
    }
    pthread_mutex_unlock(&known_lock);
    if (job != NULL)
        complete(job);
    /* The caller owns it, too, so it was not freed. */
    return job; /* NOLINT(clang-analyzer-unix.Malloc) */
}

void shipio_job_await(struct shipio_job *job)
{
    if (job->file != NULL)
        wait_for(job->file, job);
    complete(job);
}

void shipio_job_leave(struct shipio_job *job)
{
    if (job == NULL)
        return;
    atomic_fetch_sub(&job->watchers, 1);
    pass_on_error(job);
    shipio_job_drop(job);
}

int shipio_job_report(struct shipio_job *job)
{
    int rc;

    if (job == NULL)
        return MPI_SUCCESS;
    atomic_store(&job->reported, true);
    rc = job->file != NULL ? shipio_raise(job->file->handle.fh, job->error)
                           : shipio_error_class(job->error);
    shipio_job_leave(job);
    return rc;
}

static int on_query(void *extra, MPI_Status *status)
{
    const struct shipio_job *job = extra;

    shipio_status_set(status, job->error == 0 ? job->nbytes : 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    /* An error is reported by the call that waits or tests, see
     * api_request.c: MPI would raise it with MPI_COMM_WORLD's handler. */
    return MPI_SUCCESS;
}

static int on_free(void *extra)
{
    struct shipio_job *job = extra;

    atomic_store(&job->freed, true);
    pass_on_error(job);
    /* MPICH frees a request that is still to be completed, too. */
    if (atomic_load(&job->completed))
        let_go(job);
    return MPI_SUCCESS;
}

/* What has begun cannot be taken back. */
static int on_cancel(void *extra, int done)
{
    (void)extra;
    (void)done;
    return MPI_SUCCESS;
}

#ifdef MPICH
/* While it waits for such a request MPICH does nothing but call this, or the
 * next one. */
static int on_poll(void *extra, MPI_Status *status)
{
    struct shipio_job *job = extra;

    (void)status;
    complete(job);
    if (!atomic_load(&job->completed) && job->file != NULL)
        let_mpi_progress(job->file);
    return MPI_SUCCESS;
}

static int on_wait(int count, void **extras, double timeout, MPI_Status *status)
{
    (void)timeout;
    (void)status;
    for (int i = 0; i < count; i++)
        shipio_job_await(extras[i]);
    return MPI_SUCCESS;
}

bool shipio_jobs_possible(void)
{
    return true;
}

static int start_request(struct shipio_job *job)
{
    return PMPIX_Grequest_start(on_query, on_free, on_cancel, on_poll, on_wait,
                                job, &job->request);
}
#else
/* What Open MPI calls whenever it makes progress. */
extern int opal_progress_register(int (*callback)(void)) __attribute__((weak));

bool shipio_jobs_possible(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool possible;

    pthread_mutex_lock(&lock);
    if (!possible && opal_progress_register != NULL)
        possible = opal_progress_register(complete_finished) == 0;
    pthread_mutex_unlock(&lock);
    return possible;
}

static int start_request(struct shipio_job *job)
{
    return PMPI_Grequest_start(on_query, on_free, on_cancel, job,
                               &job->request);
}
#endif

int shipio_job_request(struct shipio_job *job, MPI_Request *request_p)
{
    (void)complete_finished();
    if (start_request(job) != MPI_SUCCESS)
        return -ENOMEM;
    atomic_fetch_add(&job->owners, 1); /* the request's */
    know(job);
    *request_p = job->request;
    return 0;
}

void shipio_job_settle_now(struct shipio_job *job)
{
    set_finished(job);
    complete(job);
}
