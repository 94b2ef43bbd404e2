/* trace/type.h - datatypes as text, and what bytes they touch.
 *
 *   N                              N bytes
 *   c(count,T)                     contiguous
 *   v(count,blocklength,stride,T)  vector; the stride in bytes
 *   i(LENGTHS;DISPS;T)             indexed; displacements in bytes
 *   s(LENGTHS;DISPS;T;T...)        struct
 *   a(c|f;SIZES;SUBSIZES;STARTS;T) subarray, in C's or Fortran's order
 *   d(rank,size;c|f;GSIZES;DISTRIBS;DARGS;PSIZES;T)   distributed array;
 *                                  0 block, 1 cyclic, 2 none; -1: default
 *   r(lb,extent,T)                 resized
 *   x(size,extent)                 a constructor that was not known
 *
 * Lists are numbers with commas: `7*3` is 7,7,7 and `7+2*3` is 7,9,11.
 */
#ifndef PARIO_TRACE_TYPE_H
#define PARIO_TRACE_TYPE_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

struct pario_type_list {
    int64_t *values;
    size_t count;
};

struct pario_type {
    char kind; /* 'b' for bytes, else the letter above */
    int fortran_order;
    int64_t count, blocklength, stride, lb, extent; /* as the kind has them */
    struct pario_type_list lists[4]; /* in the order of the text */
    struct pario_type **parts;
    size_t nparts;
};

struct pario_segment {
    int64_t offset, len;
    int64_t data; /* bytes of the type map that come before */
};

/* The bytes of one instance, in the order of the type map, neighbours joined.
 */
struct pario_layout {
    int64_t size, lb, extent;
    int64_t low, high; /* all bytes that are touched lie from low to high */
    struct pario_segment *segments;
    size_t count;
    int too_many; /* segments is not complete; all other fields are */
};

/* Local. Takes a step from *work for each element of a list, also of a text
 * that turns out to be wrong (work: NULL, no limit). The caller owns *type_p.
 * PARIO_EFORMAT for what is no type, or takes more. */
int pario_type_parse(const char *text, int64_t *work,
                     struct pario_type **type_p) PARIO_MUST_USE;
void pario_type_destroy(struct pario_type *type);

/* Local. Takes from *work about a step for each segment and each element of a
 * list; where it does not suffice there are too many segments. layout_p is
 * freed with pario_layout_fini. */
#define PARIO_LAYOUT_WORK ((int64_t)1 << 24)
int pario_type_layout(const struct pario_type *type, int64_t *work,
                      struct pario_layout *layout_p) PARIO_MUST_USE;
void pario_layout_fini(struct pario_layout *layout);

/* Local. Where data byte number `position` of a file that is tiled with the
 * layout from displacement on stands, and how many bytes follow it there in
 * one piece. PARIO_EFORMAT: the layout has no bytes or too many segments. */
int pario_layout_locate(const struct pario_layout *layout, int64_t disp,
                        int64_t position,
                        struct pario_segment *piece_p) PARIO_MUST_USE;

#endif
