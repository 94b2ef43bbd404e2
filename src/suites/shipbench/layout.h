/* suites/shipbench/layout.h - which bytes of the file each task has. */
#ifndef PARIO_SHIPBENCH_LAYOUT_H
#define PARIO_SHIPBENCH_LAYOUT_H

#include "core/error.h"
#include "suites/shipbench/lattice.h"
#include <stddef.h>
#include <stdint.h>

enum ship_test {
    SHIP_DISCONTIGUOUS,
    SHIP_SHIPPING,
    SHIP_RANGES,
    SHIP_SPARSE,
    SHIP_TASKS_PER_NODE, /* the discontiguous layout */
    SHIP_ONESHOT,        /* open, one call and close inside the time */
    SHIP_LATTICE,        /* a 4D subarray, with ghost cells in memory */
    SHIP_TESTS,
};

/* What the seed's benchmarks are made of; the amounts are after scaling. */
struct ship_amounts {
    int64_t file_bytes, region_bytes, block_bytes; /* discontiguous */
    int64_t ship_blocks, ship_bytes;               /* shipping */
    int64_t ship_per_call, ship_file_bytes;        /* 0: twice the data */
    int64_t range_blocks, range_subblocks, subblock_bytes, file_block_bytes;
    int64_t sparse_stripes, sparse_bytes, stripe_bytes; /* per task: stripes */
    int64_t sparsity;                                   /* percent */
    int64_t shot_bytes;          /* oneshot: of each task */
    struct ship_lattice lattice; /* what does not depend on the tasks */
    uint64_t seed;
};

/* One task's blocks, `calls` calls of per_call blocks each; offset[] ascends
 * within a call of a collective test. The caller owns it. */
struct ship_layout {
    int collective;
    int64_t calls, per_call, block_bytes;
    int64_t file_bytes;          /* of all tasks */
    int64_t *offset;             /* calls * per_call */
    struct ship_lattice lattice; /* site_bytes 0: none */
};

/* Local. */
int ship_layout_init(enum ship_test test, const struct ship_amounts *amounts,
                     int rank, int size,
                     struct ship_layout *layout_p) PARIO_MUST_USE;
void ship_layout_fini(struct ship_layout *layout);

/* Local. Bytes of one task: in the file, and in its memory; where block i of
 * all calls begins in that. */
int64_t ship_layout_bytes(const struct ship_layout *layout);
int64_t ship_layout_held(const struct ship_layout *layout);
int64_t ship_layout_memory(const struct ship_layout *layout, int64_t i);
/* Local. Bytes of one call of one task, and of the file, however large: no
 * MPI count holds more than INT_MAX. */
void ship_layout_extent(enum ship_test test, const struct ship_amounts *amounts,
                        int size, double *call_bytes_p, double *file_bytes_p);
/* Local. Bytes of memory and of the file without making it, for the plan. */
void ship_layout_need(enum ship_test test, const struct ship_amounts *amounts,
                      int size, int64_t *task_bytes_p, int64_t *file_bytes_p);

#endif
