/* work.h - the work items of the MPI-IO benchmark and where their data lies. */
#ifndef SHIPIO_BENCH_WORK_H
#define SHIPIO_BENCH_WORK_H

#include <stdbool.h>
#include <stdint.h>

enum work_kind {
    WORK_SCATTER,   /* b_eff_io type 0: strided, collective */
    WORK_STRIDED,   /* the same, independent */
    WORK_REGION,    /* strided in a region of one's own, collective */
    WORK_SEPARATE,  /* type 2: one file per process */
    WORK_SEGMENT,   /* type 3: a segment per process, independent */
    WORK_SEGMENT_C, /* type 4: the same, collective */
    WORK_TILING,    /* random blocks that tile the file, collective */
    WORK_SPARSE,    /* few random blocks, collective */
    WORK_RANDOM,    /* independent random blocks */
    WORK_SHARED,    /* shared pointer */
    WORK_ORDERED    /* shared pointer, collective */
};

struct work {
    const char *name;
    char set; /* S, L, P, G or D */
    enum work_kind kind;
    int64_t chunk;  /* contiguous bytes in the file */
    int64_t memory; /* bytes per call and process */
    int percent;    /* of the blocks, of WORK_SPARSE */
    int64_t stride; /* with gaps: from a chunk to the next one of anybody */
};

extern const struct work work_items[];
extern const int work_item_count;

/* One work item for one process: pieces of `chunk` bytes, `per_call` a call. */
struct layout {
    const struct work *work;
    int rank;
    int size;
    int64_t per_call;
    int64_t calls;
    int64_t passes; /* over all calls, where one moves little */
    int64_t file_bytes;
    int64_t *offsets; /* of random pieces, rising within a call */
};

/* Lays out about total bytes for all processes. Returns 0 or -1. */
int layout_init(struct layout *layout, const struct work *work, int rank,
                int size, int64_t total);
void layout_fini(struct layout *layout);
/* From a piece to the next one of anybody: more than a chunk with gaps. */
int64_t layout_stride(const struct layout *layout);
/* The file offset of a piece; not of shared-pointer work. */
int64_t layout_offset(const struct layout *layout, int64_t call, int64_t piece);

/* Eight bytes of data for a place (multiple of 8) in a file. */
static inline uint64_t work_word(uint64_t place, uint64_t generation)
{
    uint64_t x = place / 8 * 0x9e3779b97f4a7c15u + generation;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
