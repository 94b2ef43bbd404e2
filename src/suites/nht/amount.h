/* How much data the peak and network benchmarks move (NHT-1, 3.2). */
#ifndef PARIO_NHT_AMOUNT_H
#define PARIO_NHT_AMOUNT_H

#include "suites/nht/nht.h"

/* Shares are whole blocks, so that O_DIRECT and every request size fit. */
#define NHT_BLOCK ((int64_t)1 << 20)

struct nht_amount {
    int64_t memory_bytes;  /* of this node, real or as given */
    int64_t share_bytes;   /* of this process */
    int64_t largest_bytes; /* of any process */
    int64_t total_bytes;   /* of all processes */
    int official;          /* at least 80 % of the real memory */
};

/* Collective. Each node's memory is counted once, whatever its processes. */
int nht_amount_get(const struct pario_run *run,
                   struct nht_amount *amount_p) PARIO_MUST_USE;

#endif
