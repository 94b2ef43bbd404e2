/* trace/reader_jobs.c - which processes are the ranks of one MPI job: a trace
 * may have several, as a script starts them. */
#include "trace/reader_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Those that may be the same rank of the same job stand together: first those
 * that have started MPI, which a rank's own children have not. */
static int by_claim(const void *a, const void *b)
{
    const struct pario_trace_process *x =
        &((const struct pario_trace_member *)a)->facts;
    const struct pario_trace_process *y =
        &((const struct pario_trace_member *)b)->facts;
    int same = strcmp(x->job_name, y->job_name);

    if (same != 0)
        return same;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->started_mpi != y->started_mpi)
        return x->started_mpi ? -1 : 1;
    if (x->utc_ns != y->utc_ns)
        return x->utc_ns < y->utc_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int is_same_rank(const struct pario_trace_process *x,
                        const struct pario_trace_process *y)
{
    return strcmp(x->job_name, y->job_name) == 0 && x->size == y->size &&
           x->rank == y->rank;
}

/* The n-th that has a rank is of the n-th job with that name and size. */
static void count_jobs(struct pario_trace *trace)
{
    int turn = 0, started = 0;

    for (size_t i = 0; i < trace->nmembers; i++) {
        struct pario_trace_process *facts = &trace->members[i].facts;
        const struct pario_trace_process *before =
            i > 0 ? &trace->members[i - 1].facts : NULL;

        if (facts->rank < 0)
            continue;
        if (before == NULL || !is_same_rank(before, facts)) {
            turn = 0;
            started = facts->started_mpi;
        } else {
            turn++;
        }
        facts->job = started && !facts->started_mpi ? -1 : turn;
    }
    for (size_t i = 0; i < trace->nmembers; i++)
        if (trace->members[i].facts.job < 0)
            trace->members[i].facts.rank = -1;
}

static int by_turn(const void *a, const void *b)
{
    const struct pario_trace_process *x =
        &((const struct pario_trace_member *)a)->facts;
    const struct pario_trace_process *y =
        &((const struct pario_trace_member *)b)->facts;
    int same = strcmp(x->job_name, y->job_name);

    if (same != 0)
        return same;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* A job while it gets its number, which is that of its first process. */
struct job {
    int64_t utc_ns;
    size_t first, count; /* members */
};

static int by_time(const void *a, const void *b)
{
    const struct job *x = a, *y = b;

    if (x->utc_ns != y->utc_ns)
        return x->utc_ns < y->utc_ns ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static size_t find_jobs(const struct pario_trace *trace, struct job *jobs)
{
    size_t count = 0;

    for (size_t i = 0; i < trace->nmembers; i++) {
        const struct pario_trace_process *facts = &trace->members[i].facts;
        const struct pario_trace_process *before =
            i > 0 ? &trace->members[i - 1].facts : NULL;

        if (facts->job < 0)
            continue;
        if (before == NULL || before->job != facts->job ||
            before->size != facts->size ||
            strcmp(before->job_name, facts->job_name) != 0)
            jobs[count++] = (struct job){facts->utc_ns, i, 0};
        jobs[count - 1].count++;
        if (facts->utc_ns < jobs[count - 1].utc_ns)
            jobs[count - 1].utc_ns = facts->utc_ns;
    }
    return count;
}

/* MPICH's launcher names no job, and a job's own name is known only to those
 * that started MPI: beside these, what has a rank by its environment alone is
 * the child of one. */
static void drop_claims(struct pario_trace *trace)
{
    int started = 0;

    for (size_t i = 0; i < trace->nmembers; i++)
        started |= trace->members[i].facts.started_mpi;
    for (size_t i = 0; i < trace->nmembers && started; i++) {
        struct pario_trace_process *facts = &trace->members[i].facts;

        if (!facts->started_mpi && facts->job_name[0] == '\0')
            facts->rank = -1;
    }
}

int pario_trace_find_jobs(struct pario_trace *trace)
{
    struct job *jobs;
    size_t count;

    if (trace->nmembers == 0)
        return 0;
    jobs = calloc(trace->nmembers, sizeof(*jobs));
    if (jobs == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", trace->path);
    drop_claims(trace);
    qsort(trace->members, trace->nmembers, sizeof(trace->members[0]), by_claim);
    count_jobs(trace);
    qsort(trace->members, trace->nmembers, sizeof(trace->members[0]), by_turn);
    count = find_jobs(trace, jobs);
    if (count > 0)
        qsort(jobs, count, sizeof(*jobs), by_time);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < jobs[j].count; i++)
            trace->members[jobs[j].first + i].facts.job = (int)j;
    free(jobs);
    return 0;
}

size_t pario_trace_find_rank(const struct pario_trace *trace, size_t process,
                             int64_t rank)
{
    int job = trace->members[process].facts.job;
    size_t low = 0, high = trace->nmembers;

    /* By job and rank; those without one come last. */
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct pario_trace_process *facts = &trace->members[middle].facts;

        if (facts->job >= 0 && job >= 0 && facts->job == job &&
            facts->rank == rank)
            return middle;
        if (facts->job >= 0 &&
            (facts->job < job || (facts->job == job && facts->rank < rank)))
            low = middle + 1;
        else
            high = middle;
    }
    return trace->nmembers;
}
