/* storage.c - the cost of a request, by kind and by measurement. */
#include "storage.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "file.h"
#include "lustre.h"

#define XFS_MAGIC 0x58465342
#define OVERLAY_MAGIC 0x794c7630

/* Before the first request: what a network or a daemon takes. */
#define REMOTE_NS 500000
/* Bytes that memory moves in a nanosecond, so that the rest is the cost. */
#define MEMORY_RATE 4
/* Late requests count as much as the average of this many before. */
#define WEIGHT 8
/* Bytes that the copy through a buffer moves in a nanosecond. */
#define COPY_RATE 2
#define PIECE_LEAST ((int64_t)16 * 1024)
#define MAX_PIECE ((int64_t)4 * 1024 * 1024)

void shipio_storage_look(struct shipio_storage *storage, int fd,
                         const struct stat *st)
{
    struct shipio_lustre_layout layout = {.stripe = 0};
    struct statfs fs;

    storage->block = st->st_blksize > 0 ? st->st_blksize : 4096;
    storage->stripe = storage->block;
    storage->size_at_open = st->st_size;
    if (fstatfs(fd, &fs) != 0)
        return;
    storage->tmpfs = fs.f_type == TMPFS_MAGIC;
    storage->nfs = fs.f_type == NFS_SUPER_MAGIC;
    /* The blocks of an xfs file may be shared with a copy of it. */
    storage->in_place = storage->tmpfs || fs.f_type == EXT4_SUPER_MAGIC;
    storage->local = storage->in_place || fs.f_type == XFS_MAGIC ||
                     fs.f_type == BTRFS_SUPER_MAGIC ||
                     fs.f_type == OVERLAY_MAGIC;
    storage->striped = fs.f_type == SHIPIO_LUSTRE_MAGIC;
    if (storage->striped)
        layout = shipio_lustre_layout_of(fd);
    if (layout.stripe > 0)
        storage->stripe = layout.stripe;
    storage->targets = layout.targets;
}

void shipio_storage_note(struct shipio_storage *storage, int write,
                         int64_t nbytes, double seconds)
{
    _Atomic int64_t *cost_p = &storage->cost_ns[write != 0];
    int64_t cost = (int64_t)(seconds * 1e9) - nbytes / MEMORY_RATE;
    int64_t before = atomic_load_explicit(cost_p, memory_order_relaxed);

    cost = cost > 1 ? cost : 1;
    /* Threads that meet here lose one sample. */
    if (before != 0)
        cost = before + (cost - before) / WEIGHT;
    atomic_store_explicit(cost_p, cost, memory_order_relaxed);
}

int64_t shipio_storage_cost(const struct shipio_file *file, int write)
{
    int64_t cost = atomic_load_explicit(&file->storage.cost_ns[write != 0],
                                        memory_order_relaxed);

    if (!file->storage.remote)
        return 0;
    return cost != 0 ? cost : REMOTE_NS;
}

int64_t shipio_storage_piece_max(int64_t cost_ns)
{
    int64_t most = cost_ns * COPY_RATE;

    most = most > PIECE_LEAST ? most : PIECE_LEAST;
    return most < MAX_PIECE ? most : MAX_PIECE;
}
