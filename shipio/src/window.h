/* window.h - the buffers for stripes that the ranks of a node share.
 *
 * Slots, one for each buffer; the buffers; for each buffer a list of pieces
 * from each rank; and for each rank the stripes that it wants to read.
 */
#ifndef SHIPIO_WINDOW_H
#define SHIPIO_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "file.h"
#include "iothread.h"
#include "parts.h"

#define SHIPIO_STRIPES_MAX ((int64_t)65536)
/* A bit for each stripe of a call. */
#define SHIPIO_WANTED_LEN ((size_t)SHIPIO_STRIPES_MAX / 8)

/* Requests that an agent has under way where they are dear. */
#define SHIPIO_DEPTH 4

struct shipio_service;

/* One of the requests by which a stripe is read. */
struct shipio_fetch {
    struct shipio_service *service;
    int64_t start; /* in the file */
    int64_t len;
    int64_t done; /* or -errno */
};

/* An agent's work on one stripe, by the rank itself or by threads. */
struct shipio_service {
    void *call; /* that it belongs to */
    int64_t stripe;
    uint64_t *cover;
    struct shipio_fetch fetches[SHIPIO_DEPTH];
    int nfetches;
    _Atomic int under_way; /* fetches */
};

struct shipio_window {
    int64_t stripe;
    int nslots;
    size_t parts_len; /* of one rank's list */
    struct shipio_shm_slot *slots;
    char *buffers;
    char *parts;
    char *wanted;    /* of each rank, WANTED_LEN: stripes that it reads */
    uint64_t *cover; /* a rank's own */
    struct shipio_service *services; /* an agent's, one for each slot */
    struct shipio_iothread *pool;    /* NULL: the rank itself serves */
};

struct shipio_window_plan {
    int nslots;
    size_t parts_len; /* one list */
    size_t slots_len; /* all slots */
    size_t len;       /* everything */
};

/* Local, the same on all ranks: for accesses of so many stripes. */
struct shipio_window_plan shipio_window_plan_for(const struct shipio_file *file,
                                                 int64_t nstripes);
/* Collective. Makes file->ship.window; 0 or -errno, the same on all ranks. */
int shipio_window_open(struct shipio_file *file,
                       const struct shipio_window_plan *plan)
    __attribute__((warn_unused_result));
/* Local. */
void shipio_window_free(struct shipio_window *window);

#endif
