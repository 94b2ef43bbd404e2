/* iothread.c - one worker, one slot. */
#include "iothread.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct shipio_iothread {
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*run)(void *); /* NULL: idle */
    void *argument;
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
        while (t->run == NULL && !t->ending)
            pthread_cond_wait(&t->changed, &t->lock);
        if (t->run == NULL)
            break;
        pthread_mutex_unlock(&t->lock);
        t->run(t->argument);
        pthread_mutex_lock(&t->lock);
        t->run = NULL;
        pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

struct shipio_iothread *shipio_iothread_create(void)
{
    struct shipio_iothread *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->started = shipio_thread_create(&t->thread, work, t) == 0;
    return t;
}

void shipio_iothread_destroy(struct shipio_iothread *t)
{
    if (t == NULL)
        return;
    if (t->started) {
        pthread_mutex_lock(&t->lock);
        t->ending = true;
        pthread_cond_broadcast(&t->changed);
        pthread_mutex_unlock(&t->lock);
        pthread_join(t->thread, NULL);
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void shipio_iothread_wait(struct shipio_iothread *t)
{
    if (!t->started)
        return;
    pthread_mutex_lock(&t->lock);
    while (t->run != NULL)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void shipio_iothread_start(struct shipio_iothread *t, void (*run)(void *),
                           void *argument)
{
    if (!t->started) {
        run(argument);
        return;
    }
    pthread_mutex_lock(&t->lock);
    while (t->run != NULL)
        pthread_cond_wait(&t->changed, &t->lock);
    t->run = run;
    t->argument = argument;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}
