/* diff_case.h - a random MPI-IO program, the same on every rank. */
#ifndef SHIPIO_DIFF_CASE_H
#define SHIPIO_DIFF_CASE_H

#include "diff_type.h"

#define DIFF_MAX_OPS 24
#define DIFF_MAX_HINTS 20

enum diff_kind {
    DIFF_SET_VIEW,
    DIFF_ACCESS,
    DIFF_SEEK,
    DIFF_SEEK_SHARED,
    DIFF_CHECK_POSITION,
    DIFF_CHECK_SIZE,
    DIFF_SET_SIZE,
    DIFF_PREALLOCATE,
    DIFF_DO_SYNC,
    DIFF_DO_WAIT,
    DIFF_SET_ATOMICITY,
    DIFF_SET_INFO,
    DIFF_REOPEN,
    DIFF_SHARED_RACE, /* all ranks write_shared at once, in any order */
    DIFF_ATOMIC_RACE  /* all ranks write the same bytes in atomic mode */
};

enum diff_pointer { DIFF_EXPLICIT, DIFF_INDIVIDUAL, DIFF_SHARED };
enum diff_mode { DIFF_BLOCKING, DIFF_NONBLOCKING, DIFF_SPLIT };

/* What one rank contributes to an operation. */
struct diff_part {
    bool takes_part;
    int count;
    struct diff_type *type;
    int64_t offset; /* etypes, or a seek's target */
    int whence;     /* MPI_SEEK_* */
    int64_t disp;   /* of a view, from the base */
    struct diff_type *filetype;
    int misalign; /* bytes before the buffer */
};

struct diff_hint {
    char key[32];
    char value[32];
};

struct diff_op {
    enum diff_kind kind;
    bool write;
    bool collective;
    enum diff_pointer pointer;
    enum diff_mode mode;
    bool large;   /* the call with a large count, where there is one */
    int solo;     /* the rank of a shared-pointer access */
    int64_t size; /* set_size and preallocate, from the base */
    bool flag;
    struct diff_type *etype;
    struct diff_hint hint;
    struct diff_part part[DIFF_MAX_RANKS];
};

struct diff_case {
    uint64_t seed;
    int ranks;
    bool reversed; /* ranks in the reverse order of the world's */
    int64_t base;
    int64_t span;
    int64_t initial_size; /* from the base */
    int amode;
    int nhints;
    struct diff_hint hints[DIFF_MAX_HINTS];
    int nops;
    struct diff_op ops[DIFF_MAX_OPS];
};

struct diff_limits {
    int max_ranks;
    bool large; /* sizes up to megabytes rather than kilobytes */
    bool plain; /* datatypes that ROMIO handles */
    bool empty; /* views may have no byte */
};

/*
 * Datatypes are made for `me(case)`: the rank in the case of the calling
 * process, given by world rank; the others get type maps only.
 */
void diff_case_generate(struct diff_case *c, uint64_t seed,
                        const struct diff_limits *limits, int world_rank);
/* The rank in the case of a process, or -1 when it is not part of it. */
int diff_case_rank(const struct diff_case *c, int world_rank);
void diff_case_free(struct diff_case *c);
/* One line in words. */
void diff_op_describe(const struct diff_op *op, int ranks, char *text,
                      size_t len);

#endif
