/* core/rng.h - deterministic random numbers, the same on every platform.
 *
 * xoshiro256** seeded through splitmix64; permutations by a keyed Feistel
 * network with cycle walking, so they need no memory. docs/measuring.md.
 */
#ifndef PARIO_CORE_RNG_H
#define PARIO_CORE_RNG_H

#include <stdint.h>

struct pario_rng {
    uint64_t s[4];
};

uint64_t pario_mix64(uint64_t x); /* splitmix64's finaliser */
void pario_rng_init(struct pario_rng *rng, uint64_t seed);
uint64_t pario_rng_next(struct pario_rng *rng);
uint64_t pario_rng_below(struct pario_rng *rng, uint64_t bound); /* unbiased */
double pario_rng_unit(struct pario_rng *rng);                    /* [0, 1) */

/* A permutation of 0 .. count-1: each index exactly once. */
struct pario_perm {
    uint64_t count;
    uint64_t key[4];
    unsigned half_bits;
};

void pario_perm_init(struct pario_perm *perm, uint64_t count, uint64_t seed);
uint64_t pario_perm_at(const struct pario_perm *perm, uint64_t index);

#endif
