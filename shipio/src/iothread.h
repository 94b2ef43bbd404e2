/* iothread.h - threads; and some that do jobs without calling MPI. */
#ifndef SHIPIO_IOTHREAD_H
#define SHIPIO_IOTHREAD_H

#include <pthread.h>

/* Local. A thread that gets none of the program's signals: these are for its
 * own threads. 0 or -errno. */
int shipio_thread_create(pthread_t *thread_p, void *(*main)(void *),
                         void *argument) __attribute__((warn_unused_result));

struct shipio_iothread;

/* Local. NULL when there is no memory; jobs run in the caller when no thread
 * can be started. */
struct shipio_iothread *shipio_iothread_create(int threads);
/* Waits for the last jobs. */
void shipio_iothread_destroy(struct shipio_iothread *pool);

/* Waits until a thread is free, then gives it this job. */
void shipio_iothread_start(struct shipio_iothread *pool, void (*run)(void *),
                           void *argument);
/* Waits for all jobs. */
void shipio_iothread_wait(struct shipio_iothread *pool);

#endif
