/* parts.c - lists of runs, and bits when they grow too long. */
#include "parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cover.h"

static int64_t head_len(void)
{
    return (int64_t)offsetof(struct shipio_parts, list);
}

static uint32_t runs_max(int64_t stripe)
{
    return (uint32_t)(stripe / 8 / (int64_t)sizeof(struct shipio_run));
}

int64_t shipio_parts_room(int64_t stripe)
{
    return head_len() + stripe / 8;
}

int64_t shipio_parts_len(const struct shipio_parts *parts, int64_t stripe)
{
    if (parts->as_bits)
        return shipio_parts_room(stripe);
    return head_len() +
           (int64_t)parts->nruns * (int64_t)sizeof(struct shipio_run);
}

void shipio_parts_reset(struct shipio_parts *parts)
{
    parts->nbytes = 0;
    parts->nruns = 0;
    parts->as_bits = 0;
}

static void cover_runs(const struct shipio_parts *parts, uint64_t *bits)
{
    for (uint32_t i = 0; i < parts->nruns; i++) {
        const struct shipio_run *run = &parts->list.runs[i];

        for (uint32_t k = 0; k < run->count; k++)
            shipio_cover_mark(bits, run->start + (int64_t)k * run->stride,
                              run->len);
    }
}

static void to_bits(struct shipio_parts *parts, int64_t stripe,
                    uint64_t *scratch)
{
    size_t len = (size_t)stripe / 8;

    memset(scratch, 0, len);
    cover_runs(parts, scratch);
    memcpy(parts->list.bits, scratch, len);
    parts->as_bits = 1;
}

void shipio_parts_add(struct shipio_parts *parts, int64_t stripe,
                      uint64_t *scratch, int64_t start, int64_t len)
{
    struct shipio_run *runs = parts->list.runs;
    struct shipio_run *last = parts->nruns > 0 ? &runs[parts->nruns - 1] : NULL;

    parts->nbytes += len;
    if (!parts->as_bits && last != NULL && last->len == (uint64_t)len) {
        if (last->count == 1)
            last->stride = (uint32_t)(start - last->start);
        if (start == last->start + (int64_t)last->count * last->stride) {
            last->count++;
            return;
        }
    }
    if (!parts->as_bits && parts->nruns == runs_max(stripe))
        to_bits(parts, stripe, scratch);
    if (parts->as_bits) {
        shipio_cover_mark(parts->list.bits, start, len);
        return;
    }
    runs[parts->nruns++] = (struct shipio_run){
        .start = (uint32_t)start, .len = (uint32_t)len, .count = 1};
}

void shipio_parts_cover(const struct shipio_parts *parts, int64_t stripe,
                        uint64_t *bits)
{
    if (!parts->as_bits) {
        cover_runs(parts, bits);
        return;
    }
    for (int64_t i = 0; i < stripe / 64; i++)
        bits[i] |= parts->list.bits[i];
}

static int by_start(const void *a, const void *b)
{
    const struct shipio_run *x = a;
    const struct shipio_run *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

bool shipio_runs_disjoint(struct shipio_run *runs, int n, int64_t stride)
{
    int64_t end = 0;

    for (int i = 0; i < n; i++)
        runs[i].start = (uint32_t)(runs[i].start % stride);
    qsort(runs, (size_t)n, sizeof(runs[0]), by_start);
    for (int i = 0; i < n; i++) {
        if (runs[i].start < end)
            return false;
        end = (int64_t)runs[i].start + runs[i].len;
    }
    /* The last one may reach into the next stride, up to the first one. */
    return n == 0 || end <= runs[0].start + stride;
}

void shipio_parts_walk_init(struct shipio_parts_walk *walk,
                            const struct shipio_parts *parts, int64_t stripe)
{
    memset(walk, 0, sizeof(*walk));
    walk->parts = parts;
    walk->stripe = stripe;
}

int shipio_parts_walk_next(struct shipio_parts_walk *walk)
{
    const struct shipio_parts *parts = walk->parts;
    const struct shipio_run *run;

    if (parts->as_bits) {
        walk->start += walk->len;
        return shipio_cover_next(parts->list.bits, walk->stripe, &walk->start,
                                 &walk->len);
    }
    if (walk->run >= parts->nruns)
        return 0;
    run = &parts->list.runs[walk->run];
    walk->start = run->start + (int64_t)walk->index * run->stride;
    walk->len = run->len;
    if (++walk->index == run->count) {
        walk->index = 0;
        walk->run++;
    }
    return 1;
}
