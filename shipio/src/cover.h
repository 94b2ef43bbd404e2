/* cover.h - which bytes of a stripe are covered, a bit for each byte. */
#ifndef SHIPIO_COVER_H
#define SHIPIO_COVER_H

#include <stdbool.h>
#include <stdint.h>

/* All local; bits has room for the stripe rounded up to 64. */
void shipio_cover_mark(uint64_t *bits, int64_t start, int64_t len);
/* The first run of covered bytes at or after *start_p and below end: sets
 * *start_p and *len_p. False when there is none. */
bool shipio_cover_next(const uint64_t *bits, int64_t end, int64_t *start_p,
                       int64_t *len_p);

#endif
