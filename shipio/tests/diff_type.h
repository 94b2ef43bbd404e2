/*
 * diff_type.h - random MPI datatypes, each with a type map of our own.
 *
 * The map is computed from the definition of the constructors in the MPI
 * standard and not asked from the library, so that both check each other.
 */
#ifndef SHIPIO_DIFF_TYPE_H
#define SHIPIO_DIFF_TYPE_H

#include "diff_rng.h"

#include <mpi.h>
#include <stddef.h>

#define DIFF_TEXT 480
#define DIFF_MAX_RANKS 64

struct diff_seg {
    int64_t off;
    int64_t len;
};

struct diff_type {
    MPI_Datatype mpi; /* MPI_DATATYPE_NULL when made for another rank */
    bool predefined;
    int64_t size;
    int64_t lb;
    int64_t ub;
    struct diff_seg *segs; /* in type map order, neighbours joined */
    int nsegs;
    int room;
    char text[DIFF_TEXT];
};

enum diff_role {
    DIFF_FILE, /* offsets rise, none negative, multiples of the leaf */
    DIFF_MEMORY
};

struct diff_gen {
    struct diff_rng *rng;
    enum diff_role role;
    bool plain;        /* no struct, no empty block, begins at 0, aligned */
    bool real;         /* make the MPI datatype as well */
    int64_t max_bytes; /* wish, not a bound: leaves may be larger */
    const struct diff_type *leaf;
};

struct diff_type *diff_type_named(int which, bool real);
int diff_type_named_count(void);
struct diff_type *diff_type_random(const struct diff_gen *gen, int depth);
/* The part of rank `which` of `count` in an array spread over all ranks. */
struct diff_type *diff_type_darray(const struct diff_gen *gen, int which,
                                   int count);
/* Every count-th block of blocklen leaves. */
struct diff_type *diff_type_strided(const struct diff_gen *gen, int blocklen,
                                    int count);
struct diff_type *diff_type_contiguous(const struct diff_gen *gen, int n,
                                       const struct diff_type *child);
struct diff_type *diff_type_copy(const struct diff_type *from);
void diff_type_free(struct diff_type *type);

static inline int64_t diff_extent(const struct diff_type *type)
{
    return type->ub - type->lb;
}

/*
 * Compares the library's idea of the type (size, extent, order of packing)
 * with ours. Returns 0, or -1 with a message.
 */
int diff_type_check(const struct diff_type *type, char *message, size_t len);

/* Called for each piece of the type map of `count` copies, in order. */
typedef void (*diff_piece_fn)(void *arg, int64_t off, int64_t len);
void diff_type_each(const struct diff_type *type, int count, diff_piece_fn fn,
                    void *arg);

#endif
