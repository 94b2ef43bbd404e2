/* work.c - the work items and where their data lies. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define SPARSE_STRIPES 64 /* stripes per call; one block a process in each */

const struct work work_items[] = {
    {"type0-1K", 'S', WORK_SCATTER, KIB, MIB, 0, 0},
    {"type0-1K8", 'S', WORK_SCATTER, KIB + 8, KIB *(KIB + 8), 0, 0},
    {"type4-1K", 'S', WORK_SEGMENT_C, KIB, KIB, 0, 0},
    {"tiling-1K", 'S', WORK_TILING, KIB, 4 * MIB, 0, 0},
    {"sparse-1", 'S', WORK_SPARSE, 16 * KIB, 16 * KIB, 1, 0},
    {"sparse-10", 'S', WORK_SPARSE, 16 * KIB, 6 * 16 * KIB, 10, 0},
    {"sparse-100", 'S', WORK_SPARSE, 16 * KIB, MIB, 100, 0},
    {"type0-32K", 'L', WORK_SCATTER, 32 * KIB, MIB, 0, 0},
    {"type0-1M", 'L', WORK_SCATTER, MIB, MIB, 0, 0},
    {"type4-32K", 'L', WORK_SEGMENT_C, 32 * KIB, 32 * KIB, 0, 0},
    {"type4-1M", 'L', WORK_SEGMENT_C, MIB, MIB, 0, 0},
    {"type2-1K", 'L', WORK_SEPARATE, KIB, KIB, 0, 0},
    {"type2-1M", 'L', WORK_SEPARATE, MIB, MIB, 0, 0},
    {"type3-1K", 'L', WORK_SEGMENT, KIB, KIB, 0, 0},
    {"type3-1M", 'L', WORK_SEGMENT, MIB, MIB, 0, 0},
    {"random-4K", 'L', WORK_RANDOM, 4 * KIB, 4 * KIB, 0, 0},
    {"shared-1K", 'P', WORK_SHARED, KIB, KIB, 0, 0},
    {"ordered-1K", 'P', WORK_ORDERED, KIB, KIB, 0, 0},
    {"gaps-50", 'G', WORK_SCATTER, KIB, MIB, 0, 2 * KIB},
    {"gaps-85", 'G', WORK_SCATTER, 512, MIB, 0, 600},
    {"own-50", 'G', WORK_REGION, KIB, MIB, 0, 2 * KIB},
    {"own-85", 'G', WORK_REGION, 512, MIB, 0, 600},
    {"strided-1K", 'G', WORK_STRIDED, KIB, MIB, 0, 0},
    {"slow-1K", 'D', WORK_SCATTER, KIB, 4 * MIB, 0, 0},
    {"slow-32K", 'D', WORK_SCATTER, 32 * KIB, 4 * MIB, 0, 0},
    {"slow-64K", 'D', WORK_SCATTER, 64 * KIB, 4 * MIB, 0, 0},
    {"slow-256K", 'D', WORK_SCATTER, 256 * KIB, 4 * MIB, 0, 0},
    {"slow-1M", 'D', WORK_SCATTER, MIB, 4 * MIB, 0, 0},
    {"slow-1K-ind", 'D', WORK_STRIDED, KIB, 4 * MIB, 0, 0},
};

const int work_item_count = sizeof(work_items) / sizeof(work_items[0]);

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    return work_word(*state & ~UINT64_C(7), 1);
}

static void shuffle(int64_t *items, int64_t count, uint64_t *state)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t k = (int64_t)(next_random(state) % (uint64_t)(i + 1));
        int64_t item = items[i];

        items[i] = items[k];
        items[k] = item;
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* A region's blocks are dealt to the processes at random. */
static int deal_tiles(struct layout *l)
{
    int64_t blocks = l->per_call * l->size;
    int64_t *deck = malloc((size_t)blocks * sizeof(*deck));
    uint64_t state = 42;

    if (!deck)
        return -1;
    for (int64_t call = 0; call < l->calls; call++) {
        int64_t *mine = l->offsets + call * l->per_call;

        for (int64_t i = 0; i < blocks; i++)
            deck[i] = (call * blocks + i) * l->work->chunk;
        shuffle(deck, blocks, &state);
        memcpy(mine, deck + l->rank * l->per_call,
               (size_t)l->per_call * sizeof(*mine));
        qsort(mine, (size_t)l->per_call, sizeof(*mine), compare);
    }
    free(deck);
    return 0;
}

/* Some stripes of each call's region, the process's block in each of them. */
static void choose_stripes(struct layout *l)
{
    int64_t stripes[SPARSE_STRIPES];
    uint64_t state = 77 + (uint64_t)l->rank;

    for (int64_t call = 0; call < l->calls; call++) {
        int64_t *mine = l->offsets + call * l->per_call;

        for (int64_t i = 0; i < SPARSE_STRIPES; i++)
            stripes[i] = i;
        shuffle(stripes, SPARSE_STRIPES, &state);
        for (int64_t i = 0; i < l->per_call; i++)
            mine[i] =
                ((call * SPARSE_STRIPES + stripes[i]) * l->size + l->rank) *
                l->work->chunk;
        qsort(mine, (size_t)l->per_call, sizeof(*mine), compare);
    }
}

/* All blocks of the process in random order, one a call. */
static void scatter_calls(struct layout *l)
{
    uint64_t state = 99 + (uint64_t)l->rank;

    for (int64_t call = 0; call < l->calls; call++)
        l->offsets[call] = (call * l->size + l->rank) * l->work->chunk;
    shuffle(l->offsets, l->calls, &state);
}

int layout_init(struct layout *l, const struct work *work, int rank, int size,
                int64_t total)
{
    int64_t per_process = total / size;

    memset(l, 0, sizeof(*l));
    l->work = work;
    l->rank = rank;
    l->size = size;
    l->per_call = work->memory / work->chunk;
    l->calls = per_process / work->memory;
    if (work->kind == WORK_SPARSE)
        l->calls = size >= 16 ? 16 : 32;
    if (work->kind == WORK_SHARED || work->kind == WORK_ORDERED)
        l->calls /= 4;
    if (l->calls < 1)
        l->calls = 1;
    l->file_bytes = l->calls * work->memory * size;
    l->passes = 1;
    if (work->kind == WORK_SPARSE)
        l->passes = 1 + total / 4 / l->file_bytes;
    if (work->kind == WORK_SPARSE)
        l->file_bytes = l->calls * SPARSE_STRIPES * size * work->chunk;
    if (work->stride > 0)
        l->file_bytes = l->calls * l->per_call * size * work->stride;
    if (work->kind == WORK_SEPARATE)
        l->file_bytes = l->calls * work->memory;
    if (work->kind != WORK_TILING && work->kind != WORK_SPARSE &&
        work->kind != WORK_RANDOM)
        return 0;
    l->offsets = malloc((size_t)(l->calls * l->per_call) * sizeof(*l->offsets));
    if (!l->offsets)
        return -1;
    if (work->kind == WORK_SPARSE)
        choose_stripes(l);
    else if (work->kind == WORK_RANDOM)
        scatter_calls(l);
    else
        return deal_tiles(l);
    return 0;
}

void layout_fini(struct layout *l)
{
    free(l->offsets);
    l->offsets = NULL;
}

int64_t layout_stride(const struct layout *l)
{
    return l->work->stride > 0 ? l->work->stride : l->work->chunk;
}

int64_t layout_offset(const struct layout *l, int64_t call, int64_t piece)
{
    int64_t chunk = l->work->chunk;
    int64_t index = call * l->per_call + piece;

    switch (l->work->kind) {
    case WORK_SCATTER:
    case WORK_STRIDED:
        return (index * l->size + l->rank) * layout_stride(l);
    case WORK_REGION:
        return (l->rank * l->calls * l->per_call + index) * layout_stride(l);
    case WORK_SEPARATE:
        return call * chunk;
    case WORK_SEGMENT:
    case WORK_SEGMENT_C:
        return (l->rank * l->calls + call) * chunk;
    case WORK_ORDERED:
        return (call * l->size + l->rank) * chunk;
    case WORK_TILING:
    case WORK_SPARSE:
    case WORK_RANDOM:
        return l->offsets[index];
    case WORK_SHARED:
        break;
    }
    return -1;
}
