/* shm.h - the memory that the processes of one node share for one file, and
 * waiting for each other in it.
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
    int64_t nbytes; /* 0: no part */
    int64_t pieces; /* contiguous pieces in the file, estimated */
    int32_t error;  /* 0 or -errno that already happened */
};

/* A count that only grows, and that others can wait for. */
struct shipio_gauge {
    _Alignas(64) _Atomic uint64_t progress;
    _Atomic uint32_t bell; /* changes to wake sleepers */
    _Atomic uint32_t sleepers;
    _Atomic uint64_t wanted; /* progress that a sleeper needs */
};

/* Written by its rank only, except for the wish to be woken. */
struct shipio_shm_rank {
    struct shipio_gauge stripes; /* packed or copied */
    struct shipio_gauge calls;   /* collective calls finished */
    _Alignas(64) struct shipio_desc desc[2];
    int32_t error[2];
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
    _Alignas(64) _Atomic int64_t shared_pos;
    _Atomic uint32_t ordered_arrived; /* ranks in the present ordered call */
    int64_t ordered_base[2];          /* shared_pos before the latest ones */
    struct shipio_gauge ordered;      /* ordered calls that all have begun */
    _Alignas(64) _Atomic uint64_t trouble;     /* see late.c */
    _Alignas(64) char board[SHIPIO_BOARD_LEN]; /* from rank 0 for all */
    struct shipio_shm_rank ranks[];
};

struct shipio_shm {
    struct shipio_shm_head *head;
    size_t head_len;
    int fd;   /* -1: memory of this process only */
    int rank; /* in the node */
    int size;
    MPI_Comm comm; /* who sleeps looks after MPI by this; no messages on it */
    int spin;      /* rounds of busy waiting before giving way */
    int yields;    /* times to give way before sleeping */
    void *window;  /* stripe buffers, mapped when first needed */
    size_t window_len;
};

/*
 * Collective over node. Makes the memory for all processes of the node.
 * Returns 0 or -errno, the same on all.
 */
int shipio_shm_open(struct shipio_shm *shm, MPI_Comm node)
    __attribute__((warn_unused_result));
void shipio_shm_close(struct shipio_shm *shm);

/* Collective in the node: maps len bytes behind the head. The same result on
 * all. */
int shipio_shm_window(struct shipio_shm *shm, size_t len)
    __attribute__((warn_unused_result));

/* Local. */
void shipio_shm_drop_window(struct shipio_shm *shm);

/* Collective in the node. */
void shipio_shm_barrier(struct shipio_shm *shm);
/* Collective in the node: the error of the lowest rank that has one, or 0. */
int shipio_shm_agree(struct shipio_shm *shm, int error);

/* Local: publish progress, wake who waits for it. */
void shipio_gauge_advance(struct shipio_gauge *gauge, uint64_t progress);
/* Local: wait until at least progress has been published. */
void shipio_gauge_await(const struct shipio_shm *shm,
                        struct shipio_gauge *gauge, uint64_t progress);

/* The same for a slot. */
void shipio_shm_finish(struct shipio_shm_slot *slot, uint64_t sequence);
void shipio_shm_await_slot(const struct shipio_shm *shm,
                           struct shipio_shm_slot *slot, uint64_t sequence);

#endif
