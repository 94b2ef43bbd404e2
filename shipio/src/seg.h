/* seg.h - compact descriptions of noncontiguous bytes, and cursors over them.
 *
 * A datatype becomes a small tree: blocks of bytes, regular repetitions and
 * lists. A vector of a million blocks is two nodes, not a million entries.
 * Nothing here knows MPI. All calls are local.
 */
#ifndef SHIPIO_SEG_H
#define SHIPIO_SEG_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes [low, high). */
struct shipio_extent {
    int64_t low;
    int64_t high;
};

enum shipio_kind {
    SHIPIO_BLOCK,  /* size bytes at offset 0 */
    SHIPIO_REPEAT, /* count copies of child, stride apart */
    SHIPIO_LIST    /* n items, each a child (or a plain block) at disp[i] */
};

#define SHIPIO_DEPTH_MAX 24

struct shipio_node {
    enum shipio_kind kind;
    int depth;     /* levels of nodes below and including this one */
    int refs;      /* owners; atomic, see shipio_node_get */
    bool monotone; /* offsets never decrease along the data */
    int64_t size;  /* bytes of data */
    int64_t nseg;  /* contiguous pieces, at most */
    int64_t first; /* lowest offset of data */
    int64_t last;  /* end of the highest byte */
    int64_t count; /* REPEAT: copies; LIST: items */
    int64_t stride;
    struct shipio_node *child;  /* REPEAT */
    int64_t *disp;              /* LIST */
    int64_t *before;            /* LIST: data bytes before item i; count + 1 */
    struct shipio_node **items; /* LIST: NULL when all are plain blocks */
};

/*
 * Constructors return a node the caller owns, or NULL without memory. They
 * steal the references they are given, also on failure, and simplify: the
 * result may be of another kind than its name says.
 */
struct shipio_node *shipio_node_block(int64_t size);
struct shipio_node *shipio_node_repeat(struct shipio_node *child, int64_t count,
                                       int64_t stride);
struct shipio_node *shipio_node_shift(struct shipio_node *child, int64_t disp);
/* Plain blocks: lens[i] bytes at disp[i]. Both arrays are copied. */
struct shipio_node *shipio_node_blocks(int64_t n, const int64_t *disp,
                                       const int64_t *lens);
/* children[i] at disp[i]; steals each child, copies the arrays. */
struct shipio_node *shipio_node_join(int64_t n, const int64_t *disp,
                                     struct shipio_node **children);

struct shipio_node *shipio_node_get(struct shipio_node *node);
void shipio_node_put(struct shipio_node *node);

/* Data bytes of node below offset x; node must be monotone. */
int64_t shipio_node_below(const struct shipio_node *node, int64_t x);

/* The first data byte of node at or beyond offset x, node->size if there is
 * none. The same as below when node is monotone, for which that is faster. */
int64_t shipio_node_reach(const struct shipio_node *node, int64_t x);

/* A node tiled without end: copy t starts at base + t * extent. */
struct shipio_tiling {
    const struct shipio_node *node;
    int64_t base;
    int64_t extent;
    bool contig; /* one endless block from base on */
};

void shipio_tiling_init(struct shipio_tiling *tiling,
                        const struct shipio_node *node, int64_t base,
                        int64_t extent);
/* Offset of data byte pos. */
int64_t shipio_tiling_offset(const struct shipio_tiling *tiling, int64_t pos);
/* Offset just behind data byte pos - 1 (pos > 0). */
int64_t shipio_tiling_end(const struct shipio_tiling *tiling, int64_t pos);
/* Data bytes of the tiling before the first one at or beyond offset x: without
 * overlaps, those below x. At most one tile when tiles do not move on. */
int64_t shipio_tiling_below(const struct shipio_tiling *tiling, int64_t x);
/* The same for bytes from pos on that lie in nondecreasing offsets: where tiles
 * reach into each other, those of the tile of pos. */
int64_t shipio_tiling_below_from(const struct shipio_tiling *tiling,
                                 int64_t pos, int64_t x);
/* True when bytes [pos, pos + len) lie in nondecreasing offsets. */
bool shipio_tiling_ordered(const struct shipio_tiling *tiling, int64_t pos,
                           int64_t len);
/* Contiguous pieces in [pos, pos + len), estimated. */
int64_t shipio_tiling_pieces(const struct shipio_tiling *tiling, int64_t pos,
                             int64_t len);

struct shipio_frame {
    const struct shipio_node *node;
    int64_t base;
    int64_t index;
};

struct shipio_cursor {
    struct shipio_tiling tiling;
    int64_t tile;
    int64_t off;  /* where the rest of the present piece starts */
    int64_t left; /* bytes left in the present piece */
    int depth;
    struct shipio_frame frames[SHIPIO_DEPTH_MAX + 1];
};

void shipio_cursor_init(struct shipio_cursor *cursor,
                        const struct shipio_tiling *tiling, int64_t pos);
void shipio_cursor_advance(struct shipio_cursor *cursor);

/* Bytes available at cursor->off without a gap, at least 1. */
static inline int64_t shipio_cursor_peek(struct shipio_cursor *cursor)
{
    if (cursor->left == 0)
        shipio_cursor_advance(cursor);
    return cursor->left;
}

/* Consumes len bytes, len at most what peek returned. */
static inline void shipio_cursor_take(struct shipio_cursor *cursor, int64_t len)
{
    cursor->off += len;
    cursor->left -= len;
}

#endif
