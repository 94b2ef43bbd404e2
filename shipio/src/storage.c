/* storage.c - the cost of a request, by kind and by measurement. */
#include "storage.h"

#include "file.h"

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

    if (!file->network_fs)
        return 0;
    return cost != 0 ? cost : REMOTE_NS;
}

int64_t shipio_storage_piece_max(int64_t cost_ns)
{
    int64_t most = cost_ns * COPY_RATE;

    most = most > PIECE_LEAST ? most : PIECE_LEAST;
    return most < MAX_PIECE ? most : MAX_PIECE;
}
