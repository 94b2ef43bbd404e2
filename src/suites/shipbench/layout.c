/* suites/shipbench/layout.c - the layouts of MPI-IO/GPFS, Sect. 3 and 4. */
#include "suites/shipbench/layout.h"

#include "core/rng.h"

#include <errno.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void sort_call(struct ship_layout *layout, int64_t call)
{
    qsort(layout->offset + call * layout->per_call, (size_t)layout->per_call,
          sizeof(*layout->offset), ascending);
}

/* How many, how large: everything but the places. */
static void shape(enum ship_test test, const struct ship_amounts *a, int size,
                  struct ship_layout *layout)
{
    switch (test) {
    case SHIP_SHIPPING:
        layout->calls = a->ship_blocks / a->ship_per_call;
        layout->per_call = a->ship_per_call;
        layout->block_bytes = a->ship_bytes;
        /* Twice the data: the blocks are scattered, not a tiling. */
        layout->file_bytes =
            a->ship_file_bytes > 0
                ? a->ship_file_bytes / a->ship_bytes * a->ship_bytes
                : (int64_t)2 * size * a->ship_blocks * a->ship_bytes;
        break;
    case SHIP_RANGES:
        layout->calls = 1;
        layout->per_call = a->range_blocks * a->range_subblocks;
        layout->block_bytes = a->subblock_bytes;
        layout->file_bytes = a->range_blocks * size * a->file_block_bytes;
        break;
    case SHIP_SPARSE:
        layout->calls = 1;
        layout->per_call = a->sparse_stripes * size * a->sparsity / 100;
        if (layout->per_call < 1)
            layout->per_call = 1;
        layout->block_bytes = a->sparse_bytes;
        layout->file_bytes = a->sparse_stripes * size * a->stripe_bytes;
        break;
    case SHIP_ONESHOT:
        layout->calls = 1;
        layout->per_call = a->shot_bytes / a->block_bytes;
        layout->block_bytes = a->block_bytes;
        layout->file_bytes = a->shot_bytes * size;
        break;
    case SHIP_LATTICE:
        layout->lattice = a->lattice;
        ship_lattice_grid(size, layout->lattice.grid);
        layout->calls = 1;
        layout->per_call = ship_lattice_runs(&layout->lattice);
        layout->block_bytes = ship_lattice_run_bytes(&layout->lattice);
        layout->file_bytes = layout->per_call * layout->block_bytes * size;
        break;
    case SHIP_DISCONTIGUOUS:
    case SHIP_TASKS_PER_NODE:
    case SHIP_TESTS:
        layout->per_call = a->region_bytes / a->block_bytes / size;
        if (layout->per_call < 1)
            layout->per_call = 1;
        layout->block_bytes = a->block_bytes;
        layout->calls =
            a->file_bytes / (layout->per_call * layout->block_bytes * size);
        if (layout->calls < 1)
            layout->calls = 1;
        layout->file_bytes =
            layout->calls * layout->per_call * layout->block_bytes * size;
        break;
    }
    layout->collective = test != SHIP_SHIPPING;
}

/* Every region is tiled by the tasks' blocks in random order (Sect. 3.1). */
static void place_discontiguous(struct ship_layout *layout, uint64_t seed,
                                int rank, int size)
{
    int64_t per_call = layout->per_call;
    struct pario_perm perm;

    for (int64_t call = 0; call < layout->calls; call++) {
        pario_perm_init(&perm, (uint64_t)(per_call * size),
                        seed + (uint64_t)call);
        for (int64_t i = 0; i < per_call; i++) {
            int64_t block =
                (int64_t)pario_perm_at(&perm, (uint64_t)(rank * per_call + i));

            layout->offset[call * per_call + i] =
                (call * per_call * size + block) * layout->block_bytes;
        }
        sort_call(layout, call);
    }
}

/* Random places among more, in random order (Sect. 3.2). */
static void place_shipping(struct ship_layout *layout, uint64_t seed, int rank)
{
    int64_t blocks = layout->calls * layout->per_call;
    struct pario_perm perm;

    pario_perm_init(&perm, (uint64_t)(layout->file_bytes / layout->block_bytes),
                    seed);
    for (int64_t i = 0; i < blocks; i++)
        layout->offset[i] =
            (int64_t)pario_perm_at(&perm, (uint64_t)(rank * blocks + i)) *
            layout->block_bytes;
    for (int64_t call = 0; call < layout->calls; call++)
        sort_call(layout, call);
}

/* File blocks at random to tasks; some subblocks of each (Sect. 3.3). */
static void place_ranges(struct ship_layout *layout,
                         const struct ship_amounts *a, int rank, int size)
{
    int64_t in_block = a->file_block_bytes / a->subblock_bytes, n = 0;
    struct pario_perm blocks, subblocks;

    pario_perm_init(&blocks, (uint64_t)(a->range_blocks * size), a->seed);
    for (int64_t b = 0; b < a->range_blocks; b++) {
        int64_t block = (int64_t)pario_perm_at(
            &blocks, (uint64_t)(rank * a->range_blocks + b));

        pario_perm_init(&subblocks, (uint64_t)in_block,
                        a->seed + (uint64_t)block + 1);
        for (int64_t s = 0; s < a->range_subblocks; s++)
            layout->offset[n++] =
                block * a->file_block_bytes +
                (int64_t)pario_perm_at(&subblocks, (uint64_t)s) *
                    a->subblock_bytes;
    }
    sort_call(layout, 0);
}

/* At most one block per task and stripe (Sect. 3.4): a task's stripes are
 * random, and within a stripe every task has a slot of its own. */
static void place_sparse(struct ship_layout *layout,
                         const struct ship_amounts *a, int rank, int size)
{
    struct pario_perm stripes, slots;

    pario_perm_init(&stripes, (uint64_t)(a->sparse_stripes * size),
                    a->seed + (uint64_t)rank);
    for (int64_t i = 0; i < layout->per_call; i++) {
        int64_t stripe = (int64_t)pario_perm_at(&stripes, (uint64_t)i);

        pario_perm_init(&slots, (uint64_t)(a->stripe_bytes / a->sparse_bytes),
                        a->seed + (uint64_t)stripe);
        layout->offset[i] =
            stripe * a->stripe_bytes +
            (int64_t)pario_perm_at(&slots, (uint64_t)rank) * a->sparse_bytes;
    }
    sort_call(layout, 0);
}

/* The tasks' blocks in turns, as a checkpoint of interleaved data has them. */
static void place_oneshot(struct ship_layout *layout, int rank, int size)
{
    for (int64_t i = 0; i < layout->per_call; i++)
        layout->offset[i] = (i * size + rank) * layout->block_bytes;
}

static void place_lattice(struct ship_layout *layout, int rank)
{
    ship_lattice_place(&layout->lattice, rank);
    for (int64_t i = 0; i < layout->per_call; i++)
        layout->offset[i] =
            ship_lattice_in_file(&layout->lattice, i) * layout->block_bytes;
}

int ship_layout_init(enum ship_test test, const struct ship_amounts *amounts,
                     int rank, int size, struct ship_layout *layout_p)
{
    struct ship_layout layout = {.collective = 1};

    shape(test, amounts, size, &layout);
    layout.offset = calloc((size_t)(layout.calls * layout.per_call),
                           sizeof(*layout.offset));
    if (layout.offset == NULL)
        return pario_fail_errno(-ENOMEM, "the places of %lld calls of blocks",
                                (long long)layout.calls);
    if (test == SHIP_SHIPPING)
        place_shipping(&layout, amounts->seed, rank);
    else if (test == SHIP_RANGES)
        place_ranges(&layout, amounts, rank, size);
    else if (test == SHIP_SPARSE)
        place_sparse(&layout, amounts, rank, size);
    else if (test == SHIP_ONESHOT)
        place_oneshot(&layout, rank, size);
    else if (test == SHIP_LATTICE)
        place_lattice(&layout, rank);
    else
        place_discontiguous(&layout, amounts->seed, rank, size);
    *layout_p = layout;
    return 0;
}

void ship_layout_fini(struct ship_layout *layout)
{
    free(layout->offset);
    layout->offset = NULL;
}

int64_t ship_layout_bytes(const struct ship_layout *layout)
{
    return layout->calls * layout->per_call * layout->block_bytes;
}

int64_t ship_layout_held(const struct ship_layout *layout)
{
    return layout->lattice.site_bytes > 0
               ? ship_lattice_held_bytes(&layout->lattice)
               : ship_layout_bytes(layout);
}

int64_t ship_layout_memory(const struct ship_layout *layout, int64_t i)
{
    return layout->lattice.site_bytes > 0
               ? ship_lattice_in_memory(&layout->lattice, i)
               : i * layout->block_bytes;
}

void ship_layout_extent(enum ship_test test, const struct ship_amounts *a,
                        int size, double *call_bytes_p, double *file_bytes_p)
{
    double region = (double)a->region_bytes, block = (double)a->block_bytes;

    switch (test) {
    case SHIP_SHIPPING:
        *call_bytes_p = (double)a->ship_per_call * (double)a->ship_bytes;
        *file_bytes_p =
            a->ship_file_bytes > 0
                ? (double)a->ship_file_bytes
                : 2.0 * size * (double)a->ship_blocks * (double)a->ship_bytes;
        break;
    case SHIP_RANGES:
        *call_bytes_p = (double)a->range_blocks * (double)a->range_subblocks *
                        (double)a->subblock_bytes;
        *file_bytes_p =
            (double)a->range_blocks * size * (double)a->file_block_bytes;
        break;
    case SHIP_SPARSE:
        *call_bytes_p = (double)a->sparse_stripes * size * (double)a->sparsity /
                        100 * (double)a->sparse_bytes;
        *file_bytes_p =
            (double)a->sparse_stripes * size * (double)a->stripe_bytes;
        break;
    case SHIP_ONESHOT:
        *call_bytes_p = (double)a->shot_bytes;
        *file_bytes_p = (double)a->shot_bytes * size;
        break;
    case SHIP_LATTICE:
        *call_bytes_p = (double)a->lattice.site_bytes;
        for (int d = 0; d < SHIP_DIMS; d++)
            *call_bytes_p *= (double)a->lattice.local[d];
        *file_bytes_p = *call_bytes_p * size;
        break;
    case SHIP_DISCONTIGUOUS:
    case SHIP_TASKS_PER_NODE:
    case SHIP_TESTS:
        *call_bytes_p = region / size > block ? region / size : block;
        *file_bytes_p = (double)a->file_bytes + *call_bytes_p * size;
        break;
    }
}

void ship_layout_need(enum ship_test test, const struct ship_amounts *amounts,
                      int size, int64_t *task_bytes_p, int64_t *file_bytes_p)
{
    struct ship_layout layout = {.collective = 1};

    shape(test, amounts, size, &layout);
    *task_bytes_p = ship_layout_held(&layout);
    if (test == SHIP_LATTICE) /* by hand it is packed and arranged */
        *task_bytes_p += 2 * ship_layout_bytes(&layout);
    *file_bytes_p = layout.file_bytes;
}
