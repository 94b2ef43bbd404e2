/* par/alone_shared.h - between alone.c and launch/alone_launch.c only: the
 * memory that the processes share. */
#ifndef PARIO_PAR_ALONE_SHARED_H
#define PARIO_PAR_ALONE_SHARED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define PARIO_ALONE_COMMS 16 /* groups at one time, the world among them */
#define PARIO_ALONE_AREA                                                       \
    4096 /* bytes of each member in a group, for exchange */
#define PARIO_ALONE_SLOT 1024 /* bytes of each process for the watchdog */
#define PARIO_ALONE_FD "PARIO_SHARED_FD"
#define PARIO_ALONE_RANK "PARIO_RANK"

/* A group; the members' areas follow it. */
struct pario_alone_comm {
    pthread_barrier_t barrier;
    atomic_int users; /* members that have not destroyed it; 0: free */
    int size;
    _Alignas(64) char area[];
};

struct pario_alone_shared {
    int size;                 /* of the world, which is group 0 */
    atomic_int speaks;        /* rank 0 says it when a process is lost */
    _Alignas(64) char rest[]; /* slots, then groups */
};

static inline size_t alone_comm_bytes(int size)
{
    return sizeof(struct pario_alone_comm) + (size_t)size * PARIO_ALONE_AREA;
}

static inline size_t alone_bytes(int size)
{
    return sizeof(struct pario_alone_shared) + (size_t)size * PARIO_ALONE_SLOT +
           PARIO_ALONE_COMMS * alone_comm_bytes(size);
}

static inline struct pario_alone_comm *
alone_comm_at(struct pario_alone_shared *shared, int i)
{
    char *first = shared->rest + (size_t)shared->size * PARIO_ALONE_SLOT;

    return (struct pario_alone_comm *)(void *)(first +
                                               (size_t)i * alone_comm_bytes(
                                                               shared->size));
}

/* Makes a free group one of size members. */
static inline int alone_comm_init(struct pario_alone_comm *comm, int size)
{
    pthread_barrierattr_t attributes;
    int err = pthread_barrierattr_init(&attributes);

    if (err == 0)
        err =
            pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    if (err == 0)
        err = pthread_barrier_init(&comm->barrier, &attributes, (unsigned)size);
    comm->size = size;
    pthread_barrierattr_destroy(&attributes);
    return -err;
}

#endif
