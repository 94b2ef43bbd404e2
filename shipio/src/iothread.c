/* iothread.c - workers, and a queue as long as they are many. */
#include "iothread.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct job {
    void (*run)(void *);
    void *argument;
};

struct shipio_iothread {
    pthread_t *threads;
    int started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *jobs; /* not begun: first, first + 1, ... */
    int first;
    int waiting; /* jobs not begun */
    int running;
    bool ending;
};

int shipio_thread_create(pthread_t *thread_p, void *(*main)(void *),
                         void *argument)
{
    sigset_t all;
    sigset_t before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(thread_p, NULL, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -rc;
}

static void *work(void *argument)
{
    struct shipio_iothread *t = argument;

    pthread_mutex_lock(&t->lock);
    for (;;) {
        struct job job;

        while (t->waiting == 0 && !t->ending)
            pthread_cond_wait(&t->changed, &t->lock);
        if (t->waiting == 0)
            break;
        job = t->jobs[t->first];
        t->first = (t->first + 1) % t->started;
        t->waiting--;
        t->running++;
        pthread_mutex_unlock(&t->lock);
        job.run(job.argument);
        pthread_mutex_lock(&t->lock);
        t->running--;
        pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

struct shipio_iothread *shipio_iothread_create(int threads)
{
    struct shipio_iothread *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->threads = calloc((size_t)threads, sizeof(*t->threads));
    t->jobs = calloc((size_t)threads, sizeof(*t->jobs));
    if (t->threads == NULL || t->jobs == NULL) {
        free(t->threads);
        free(t->jobs);
        free(t);
        return NULL;
    }
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    /* The workers look at their number only when there is a job. */
    pthread_mutex_lock(&t->lock);
    while (t->started < threads &&
           shipio_thread_create(&t->threads[t->started], work, t) == 0)
        t->started++;
    pthread_mutex_unlock(&t->lock);
    return t;
}

void shipio_iothread_destroy(struct shipio_iothread *t)
{
    if (t == NULL)
        return;
    pthread_mutex_lock(&t->lock);
    t->ending = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < t->started; i++)
        pthread_join(t->threads[i], NULL);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t->threads);
    free(t->jobs);
    free(t);
}

void shipio_iothread_wait(struct shipio_iothread *t)
{
    if (t->started == 0)
        return;
    pthread_mutex_lock(&t->lock);
    while (t->waiting + t->running > 0)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void shipio_iothread_start(struct shipio_iothread *t, void (*run)(void *),
                           void *argument)
{
    if (t->started == 0) {
        run(argument);
        return;
    }
    pthread_mutex_lock(&t->lock);
    while (t->waiting + t->running >= t->started)
        pthread_cond_wait(&t->changed, &t->lock);
    t->jobs[(t->first + t->waiting) % t->started] =
        (struct job){.run = run, .argument = argument};
    t->waiting++;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}
