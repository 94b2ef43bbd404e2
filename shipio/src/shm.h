/* shm.h - memory that the processes of one node share, and waiting for each
 * other in it. A team has some of it (team.h); each file on a node leases one
 * while it is open.
 *
 * A wait is some spinning while processes fit the cores, else giving way a few
 * times, then a futex. A rank sleeps on the one rank it waits for and is woken
 * only when that rank has come far enough. After 0.1 to 0.5 ms without that it
 * looks after MPI by a probe on a communicator to which nobody sends, and
 * sleeps again: the rank it waits for may itself wait for a message, a
 * one-sided access or a nonblocking collective call of this one (MPI's progress
 * rule). Who is woken in time never calls MPI.
 */
#ifndef SHIPIO_SHM_H
#define SHIPIO_SHM_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one rank tells the others about its part of a collective call. */
struct shipio_desc {
    int64_t low; /* file bytes [low, high) hold all of the part */
    int64_t high;
    int64_t nbytes;  /* 0: no part */
    int64_t pieces;  /* contiguous pieces in the file, estimated */
    int64_t cost_ns; /* of a request, as this rank has seen it */
    int64_t shift;   /* between nodes: how far the route of before moves on */
    int32_t again;   /* that one fits */
    int32_t refused; /* the one that could not be made would */
    int32_t error;   /* 0 or -errno that already happened */
};

/* A count that only grows, and that others can wait for. */
struct shipio_gauge {
    _Alignas(64) _Atomic uint64_t progress;
    _Atomic uint32_t bell; /* changes to wake sleepers */
    _Atomic uint32_t sleepers;
    _Atomic uint64_t wanted; /* progress that a sleeper needs */
};

#define SHIPIO_VOTES 4

/* Written by its rank only, except for the wish to be woken. */
struct shipio_shm_rank {
    struct shipio_gauge stripes; /* packed or copied */
    struct shipio_gauge calls;   /* collective calls finished */
    struct shipio_gauge left;    /* and whose errors it has taken */
    _Alignas(64) struct shipio_desc desc[2];
    int32_t error[2];
    int32_t votes[2][SHIPIO_VOTES];
    _Atomic uint64_t trouble[4]; /* own errors of late calls, see late.c */
    int64_t ordered_len[2];      /* of the latest ordered calls */
};

/* One stripe buffer. */
struct shipio_shm_slot {
    _Alignas(64) _Atomic uint64_t done; /* sequence number now finished */
    _Atomic uint32_t bell;
    _Atomic uint32_t sleepers;
    int64_t valid; /* reading: bytes of the stripe that hold data */
};

#define SHIPIO_BOARD_LEN 512

struct shipio_shm_head {
    _Alignas(64) _Atomic uint32_t arrived;
    _Atomic uint32_t generation;
    _Atomic uint32_t sleepers;
    _Atomic uint32_t users; /* ranks that have not given it back yet */
    _Alignas(64) _Atomic int64_t shared_pos;
    _Atomic uint32_t ordered_arrived; /* ranks in the present ordered call */
    int64_t ordered_base[2];          /* shared_pos before the latest ones */
    struct shipio_gauge ordered;      /* ordered calls that all have begun */
    _Atomic uint32_t updates;   /* read-modify-writes under way, rawio.c */
    _Atomic uint32_t no_update; /* a rank cannot lock: no further ones */
    _Alignas(64) _Atomic uint64_t trouble;     /* see late.c */
    _Alignas(64) char board[SHIPIO_BOARD_LEN]; /* from rank 0 for all */
    struct shipio_shm_rank ranks[];
};

#define SHIPIO_SHM_NAME 64

/* Memory that all ranks have. */
struct shipio_shm_area {
    void *memory;
    size_t len;
};

struct shipio_shm {
    struct shipio_shm_head *head;
    size_t head_len;
    int rank;      /* in the node */
    int size;      /* 1: memory of this process only */
    MPI_Comm comm; /* who sleeps looks after MPI by this; no messages on it */
    int spin;      /* rounds of busy waiting before giving way */
    int yields;    /* times to give way before sleeping */
    /* Stripe buffers, mapped when first needed, then kept. */
    struct shipio_shm_area window;
};

/* Local. Fills in what all memory of some ranks has in common; room: each rank
 * has a processor to itself. */
void shipio_shm_init(struct shipio_shm *shm, MPI_Comm comm, bool room);
/* Local, by rank 0: makes the memory, and the name by which the others find it;
 * 0 or -errno. */
int shipio_shm_create(struct shipio_shm *shm, char *name)
    __attribute__((warn_unused_result));
/* Local, by the others; 0 or -errno. */
int shipio_shm_attach(struct shipio_shm *shm, const char *name)
    __attribute__((warn_unused_result));
/* Local, by rank 0 when all have it, or have tried. */
void shipio_shm_unname(const char *name);
void shipio_shm_close(struct shipio_shm *shm);

/* Local, by a rank that begins to use memory that others may have used before:
 * its own part as new; rank 0 also the part of all. */
void shipio_shm_reset(struct shipio_shm *shm);
void shipio_shm_reset_common(struct shipio_shm *shm);

/* Collective in the node: an area of at least len bytes. It is the one there
 * was, with its old data, or a new one, which is zero. The same result on all.
 */
int shipio_shm_area(struct shipio_shm *shm, struct shipio_shm_area *area,
                    size_t len) __attribute__((warn_unused_result));
/* Local. */
void shipio_shm_area_free(const struct shipio_shm *shm,
                          struct shipio_shm_area *area);

/* Local, by all ranks alike: gives back a window of more than most bytes. */
void shipio_shm_trim(struct shipio_shm *shm, size_t most);

/* Collective in the node. */
void shipio_shm_barrier(struct shipio_shm *shm);
/* Collective in the node: the error of the lowest rank that has one, or 0. */
int shipio_shm_agree(struct shipio_shm *shm, int error);
/* Collective in the node: the least of each of n values. */
void shipio_shm_vote(struct shipio_shm *shm, int *values, int n);
/* Collective in the node: what rank 0 has, at most SHIPIO_BOARD_LEN bytes. A
 * further collective call must follow before the next one of this. */
void shipio_shm_share(struct shipio_shm *shm, void *data, size_t len);

/* Local: publish progress, wake who waits for it. */
void shipio_gauge_advance(struct shipio_gauge *gauge, uint64_t progress);
/* Local: wait until at least progress has been published. */
void shipio_gauge_await(const struct shipio_shm *shm,
                        struct shipio_gauge *gauge, uint64_t progress);
/* Local: the same for what is due soon, as another rank's part of a write that
 * this rank has just done its part of: with a core for each rank it is not
 * slept for, because waking up would take a good part of that time. */
void shipio_gauge_await_soon(const struct shipio_shm *shm,
                             struct shipio_gauge *gauge, uint64_t progress);

/* Local. The thread that calls this sleeps without looking after MPI, which it
 * may not call. */
void shipio_shm_without_mpi(void);

/* The same for a slot. */
void shipio_shm_finish(struct shipio_shm_slot *slot, uint64_t sequence);
void shipio_shm_await_slot(const struct shipio_shm *shm,
                           struct shipio_shm_slot *slot, uint64_t sequence);

#endif
