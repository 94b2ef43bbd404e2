/* pieces.h - which bytes of the file somebody speaks of, as runs: pieces of one
 * length at one distance. A list is in the order of the file, and no two of its
 * pieces touch. Knows no MPI. All calls are local.
 */
#ifndef SHIPIO_PIECES_H
#define SHIPIO_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver.h"

struct shipio_series {
    int64_t start;
    int64_t len;
    int64_t stride;
    int64_t count;
};

/* A list that somebody else owns, in shared memory say. */
struct shipio_pieces {
    const struct shipio_series *items;
    int64_t n;
};

/* A list that grows. */
struct shipio_piece_list {
    struct shipio_series *items;
    int64_t n;
    int64_t room;
    int64_t most; /* longest that it may become; 0: any */
    int error;    /* 0; -ENOMEM: it is not complete */
};

/* Starts never decrease; a piece that touches or overlaps the last one becomes
 * part of it. */
void shipio_pieces_add(struct shipio_piece_list *list, int64_t start,
                       int64_t len);
/* After the last piece. */
void shipio_pieces_end(struct shipio_piece_list *list);
void shipio_pieces_free(struct shipio_piece_list *list);

/* The bytes of any of n lists. */
void shipio_pieces_merge(struct shipio_piece_list *list,
                         const struct shipio_pieces *lists, int n);

/* Bytes within [low, high). */
int64_t shipio_pieces_count(const struct shipio_pieces *pieces, int64_t low,
                            int64_t high);

/* From the first to the last byte within [low, high); length 0: none. */
struct shipio_range shipio_pieces_extent(const struct shipio_pieces *pieces,
                                         int64_t low, int64_t high);

/* The parts of the pieces within [low, high), one by one. */
struct shipio_pieces_walk {
    const struct shipio_pieces *pieces;
    int64_t low;
    int64_t high;
    int64_t item;
    int64_t index;
    int64_t start; /* the present part */
    int64_t len;
};

void shipio_pieces_walk_init(struct shipio_pieces_walk *walk,
                             const struct shipio_pieces *pieces, int64_t low,
                             int64_t high);
/* False behind the last part. */
bool shipio_pieces_walk_next(struct shipio_pieces_walk *walk);

/* The list for a message, as short as may be: a few bytes for each run. Of an
 * item only when wanted (NULL: all). Bytes that it takes, at most
 * SHIPIO_SERIES_CODED for each; to may be NULL to learn that. */
#define SHIPIO_SERIES_CODED 40
int64_t shipio_pieces_encode(const struct shipio_pieces *pieces,
                             bool (*wanted)(const void *argument,
                                            const struct shipio_series *item),
                             const void *argument, unsigned char *to);
/* Adds what was encoded; false when that is no list. */
bool shipio_pieces_decode(struct shipio_piece_list *list,
                          const unsigned char *from, int64_t len);

#endif
