/* diff_rng.h - small repeatable random numbers; equal on every rank. */
#ifndef SHIPIO_DIFF_RNG_H
#define SHIPIO_DIFF_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct diff_rng {
    uint64_t state;
};

static inline uint64_t diff_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t diff_next(struct diff_rng *rng)
{
    rng->state += 0x9e3779b97f4a7c15u;
    return diff_mix(rng->state);
}

/* 0 .. n-1 */
static inline int64_t diff_below(struct diff_rng *rng, int64_t n)
{
    return n <= 1 ? 0 : (int64_t)(diff_next(rng) % (uint64_t)n);
}

/* low .. high, both included */
static inline int64_t diff_range(struct diff_rng *rng, int64_t low,
                                 int64_t high)
{
    return low + diff_below(rng, high - low + 1);
}

static inline bool diff_chance(struct diff_rng *rng, int percent)
{
    return diff_below(rng, 100) < percent;
}

#endif
