/* core/rng.c - xoshiro256** (Blackman and Vigna), splitmix64, Feistel. */
#include "core/rng.h"

#include <assert.h>

#define GOLDEN 0x9e3779b97f4a7c15u /* 2^64 / golden ratio, odd */
#define ROUND_ODD 0xd6e8feb86659fd93u
#define ROUNDS 4

uint64_t pario_mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void pario_rng_init(struct pario_rng *rng, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++) {
        seed += GOLDEN;
        rng->s[i] = pario_mix64(seed);
    }
}

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

uint64_t pario_rng_next(struct pario_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* The first 2^64 mod bound values are passed over: what is left is a whole
 * multiple of bound, so that every remainder is equally likely. */
uint64_t pario_rng_below(struct pario_rng *rng, uint64_t bound)
{
    uint64_t skip, x;

    assert(bound > 0);
    skip = (0 - bound) % bound;
    do
        x = pario_rng_next(rng);
    while (x < skip);
    return x % bound;
}

double pario_rng_unit(struct pario_rng *rng)
{
    return (double)(pario_rng_next(rng) >> 11) * 0x1p-53;
}

void pario_perm_init(struct pario_perm *perm, uint64_t count, uint64_t seed)
{
    struct pario_rng rng;

    pario_rng_init(&rng, seed);
    for (unsigned i = 0; i < ROUNDS; i++)
        perm->key[i] = pario_rng_next(&rng);
    perm->count = count;
    perm->half_bits = 1;
    while (perm->half_bits < 32 && (count - 1) >> (2 * perm->half_bits) != 0)
        perm->half_bits++;
}

static uint64_t feistel(const struct pario_perm *perm, uint64_t x)
{
    unsigned bits = perm->half_bits;
    uint64_t left = x >> bits;
    uint64_t right = x & (((uint64_t)1 << bits) - 1);

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t f = (right + perm->key[i]) * ROUND_ODD;
        uint64_t mixed = left ^ ((f ^ (f >> 32)) * ROUND_ODD >> (64 - bits));

        left = right;
        right = mixed;
    }
    return left << bits | right;
}

/* The network permutes up to 4 * count numbers; walking its cycle until it
 * comes back below count leaves a permutation of these. */
uint64_t pario_perm_at(const struct pario_perm *perm, uint64_t index)
{
    assert(index < perm->count);
    if (perm->count < 2)
        return 0;
    do
        index = feistel(perm, index);
    while (index >= perm->count);
    return index;
}
