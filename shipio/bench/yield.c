/*
 * yield.c - libmpiyield.so: MPICH for more processes than cores.
 *
 * MPICH waits by calling ucp_worker_progress() for ever, so that a process
 * that waits keeps the core from the process it waits for. Preloaded, this
 * gives the core away whenever there was nothing to do. It is what a careful
 * user of a stock MPICH could do, and a contender of its own in the benchmark.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

unsigned ucp_worker_progress(void *worker);

static unsigned (*real_progress)(void *worker);

__attribute__((constructor)) static void yield_start(void)
{
    *(void **)&real_progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
}

unsigned ucp_worker_progress(void *worker)
{
    unsigned events = real_progress ? real_progress(worker) : 0;

    if (events == 0)
        sched_yield();
    return events;
}
