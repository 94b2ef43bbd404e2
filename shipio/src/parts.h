/* parts.h - which bytes of one stripe one rank speaks of.
 *
 * Pieces are noted in file order as runs of equal pieces at equal distances;
 * when there are too many runs, as a bit for each byte.
 */
#ifndef SHIPIO_PARTS_H
#define SHIPIO_PARTS_H

#include <stdbool.h>
#include <stdint.h>

struct shipio_run {
    uint32_t start;
    uint32_t len;
    uint32_t stride;
    uint32_t count;
};

struct shipio_parts {
    uint64_t sequence; /* of the stripe it speaks of; the owner's business */
    int64_t nbytes;
    uint32_t nruns;
    uint32_t as_bits;
    int64_t reserved[5];
    union {
        struct shipio_run runs[1];
        uint64_t bits[1];
    } list;
};

/* All local. Bytes that the parts of a stripe may take. */
int64_t shipio_parts_room(int64_t stripe);
/* Bytes that these parts take. */
int64_t shipio_parts_len(const struct shipio_parts *parts, int64_t stripe);

void shipio_parts_reset(struct shipio_parts *parts);
/* Notes len bytes from start on. scratch has room for the stripe's bits. */
void shipio_parts_add(struct shipio_parts *parts, int64_t stripe,
                      uint64_t *scratch, int64_t start, int64_t len);
/* Marks all pieces in bits. */
void shipio_parts_cover(const struct shipio_parts *parts, int64_t stripe,
                        uint64_t *bits);

/* True when n runs of one stride are disjoint: no two of them meet within a
 * stride. Changes their order and their starts. */
bool shipio_runs_disjoint(struct shipio_run *runs, int n, int64_t stride);

/* Walks the pieces in file order. */
struct shipio_parts_walk {
    const struct shipio_parts *parts;
    int64_t stripe;
    int64_t start; /* the present piece */
    int64_t len;
    uint32_t run;
    uint32_t index;
};

void shipio_parts_walk_init(struct shipio_parts_walk *walk,
                            const struct shipio_parts *parts, int64_t stripe);
/* False behind the last piece. */
int shipio_parts_walk_next(struct shipio_parts_walk *walk);

#endif
