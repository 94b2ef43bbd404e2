/* suites/shipbench/byhand.c - MPI_Alltoallv and pwrite(2). */
#include "suites/shipbench/byhand.h"

#include "core/cleanup.h"
#include "core/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct pario_mpiio_calls ship_by_hand = {.name = "by hand"};

/* Shares are whole runs, as many as every task has. */
static int sharer_of(const struct ship_layout *layout, int64_t run)
{
    return (int)(run / layout->per_call);
}

/* The k-th run of this task's share is whose? */
static int owner_of(const struct ship_hand *hand, int64_t k)
{
    const struct ship_layout *layout = &hand->kase->layout;
    int64_t rank = pario_group_rank(hand->kase->group);

    return ship_lattice_owner(&layout->lattice, rank * layout->per_call + k);
}

static void add_up(const int *bytes, int *at, int size)
{
    for (int r = 1; r < size; r++)
        at[r] = at[r - 1] + bytes[r - 1];
}

/* Who gets how much of whom: computed, not exchanged. */
static void count(struct ship_hand *hand)
{
    const struct ship_layout *layout = &hand->kase->layout;
    int size = pario_group_size(hand->kase->group);

    for (int64_t i = 0; i < layout->per_call; i++) {
        int64_t run = layout->offset[i] / layout->block_bytes;

        hand->packed_bytes[sharer_of(layout, run)] += (int)layout->block_bytes;
        hand->share_bytes[owner_of(hand, i)] += (int)layout->block_bytes;
    }
    add_up(hand->packed_bytes, hand->packed_at, size);
    add_up(hand->share_bytes, hand->share_at, size);
}

int ship_hand_init(struct ship_hand *hand, const struct ship_case *kase,
                   enum ship_access access)
{
    size_t size = (size_t)pario_group_size(kase->group);
    size_t bytes = (size_t)ship_layout_bytes(&kase->layout);
    int *counts = calloc(5 * size, sizeof(int)), code = 0;

    *hand = (struct ship_hand){
        .kase = kase,
        .fd = pario_own_open(
            kase->path,
            (access == SHIP_WRITE ? O_WRONLY : O_RDONLY) | O_CLOEXEC, 0),
        .packed = malloc(bytes),
        .share = malloc(bytes),
        .packed_bytes = counts,
    };
    if (hand->fd < 0)
        code = pario_fail_errno(-errno, "cannot open %s", kase->path);
    else if (hand->packed == NULL || hand->share == NULL || counts == NULL)
        code = pario_fail_errno(-ENOMEM, "buffers of a contender");
    code = pario_agree(kase->group, code);
    if (code != 0 || counts == NULL)
        return code;
    hand->packed_at = counts + size;
    hand->share_bytes = counts + 2 * size;
    hand->share_at = counts + 3 * size;
    hand->next = counts + 4 * size;
    count(hand);
    return 0;
}

int ship_hand_fini(struct ship_hand *hand)
{
    int code = 0;

    if (hand->fd >= 0 && close(hand->fd) != 0)
        code = pario_fail_errno(-errno, "cannot close %s", hand->kase->path);
    free(hand->packed);
    free(hand->share);
    free(hand->packed_bytes);
    hand->fd = -1;
    hand->packed = hand->share = NULL;
    hand->packed_bytes = NULL;
    return code;
}

/* Runs between the program's memory and the message for each share. */
static void pack(struct ship_hand *hand, int packing)
{
    const struct ship_layout *layout = &hand->kase->layout;
    size_t len = (size_t)layout->block_bytes;
    int size = pario_group_size(hand->kase->group);

    memcpy(hand->next, hand->packed_at, (size_t)size * sizeof(int));
    for (int64_t i = 0; i < layout->per_call; i++) {
        int to = sharer_of(layout, layout->offset[i] / layout->block_bytes);
        char *run = hand->kase->buffer + ship_layout_memory(layout, i);

        if (packing)
            memcpy(hand->packed + hand->next[to], run, len);
        else
            memcpy(run, hand->packed + hand->next[to], len);
        hand->next[to] += (int)len;
    }
}

/* Runs between what came from each task, or goes there, and the share as the
 * file has it. Both have the runs of one task in the order of the file. */
static void arrange(struct ship_hand *hand, char *by_task, char *as_file,
                    int to_file)
{
    const struct ship_layout *layout = &hand->kase->layout;
    size_t len = (size_t)layout->block_bytes;
    int size = pario_group_size(hand->kase->group);

    memcpy(hand->next, hand->share_at, (size_t)size * sizeof(int));
    for (int64_t k = 0; k < layout->per_call; k++) {
        int owner = owner_of(hand, k);
        char *run = as_file + k * layout->block_bytes;

        if (to_file)
            memcpy(run, by_task + hand->next[owner], len);
        else
            memcpy(by_task + hand->next[owner], run, len);
        hand->next[owner] += (int)len;
    }
}

static int exchange(struct ship_hand *hand, int to_file)
{
    MPI_Comm comm = pario_group_comm(hand->kase->group);

    return pario_mpi_check(
        to_file
            ? MPI_Alltoallv(hand->packed, hand->packed_bytes, hand->packed_at,
                            MPI_BYTE, hand->share, hand->share_bytes,
                            hand->share_at, MPI_BYTE, comm)
            : MPI_Alltoallv(hand->share, hand->share_bytes, hand->share_at,
                            MPI_BYTE, hand->packed, hand->packed_bytes,
                            hand->packed_at, MPI_BYTE, comm),
        "MPI_Alltoallv");
}

int ship_hand_move(struct ship_hand *hand, enum ship_access access)
{
    const struct ship_case *kase = hand->kase;
    size_t bytes = (size_t)ship_layout_bytes(&kase->layout);
    int64_t at = (int64_t)bytes * pario_group_rank(kase->group);
    int code, io = 0;

    if (access == SHIP_WRITE) {
        pack(hand, 1);
        code = exchange(hand, 1);
        if (code == 0) {
            arrange(hand, hand->share, hand->packed, 1);
            io = pario_pwrite_all(hand->fd, hand->packed, bytes, at);
        }
    } else {
        io = pario_pread_all(hand->fd, hand->packed, bytes, at);
        arrange(hand, hand->share, hand->packed, 0);
        code = exchange(hand, 0);
        if (code == 0)
            pack(hand, 0);
    }
    if (io != 0)
        return pario_fail(PARIO_ESHORT, "cannot %s %s (by hand): %s",
                          access == SHIP_WRITE ? "write" : "read", kase->path,
                          io == PARIO_ESHORT ? "the file ends too early"
                                             : strerror(-io));
    return code;
}

int ship_hand_sync(struct ship_hand *hand)
{
    return fsync(hand->fd) == 0
               ? 0
               : pario_fail_errno(-errno, "cannot sync %s", hand->kase->path);
}
