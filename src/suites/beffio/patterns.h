/* suites/beffio/patterns.h - Table 1 of b_eff_io, and what follows from it. */
#ifndef PARIO_BEFFIO_PATTERNS_H
#define PARIO_BEFFIO_PATTERNS_H

#include "suites/suite.h"
#include <stdint.h>

/* The pattern types of Sect. 3, and the two of Sect. 8's wish list, which are
 * never part of the b_eff_io value. */
enum beffio_type {
    BEFFIO_SCATTER,   /* 0: strided collective, L bytes scattered in chunks */
    BEFFIO_SHARED,    /* 1: strided collective, one call per chunk */
    BEFFIO_SEPARATE,  /* 2: noncollective, one file per process */
    BEFFIO_SEGMENTED, /* 3: noncollective, one segmented file */
    BEFFIO_SEGCOLL,   /* 4: as 3, collective */
    BEFFIO_TYPES,     /* of the value */
    BEFFIO_RANDOM = BEFFIO_TYPES, /* 5: each chunk once, in random order */
    BEFFIO_SAMEDATA,              /* 6: all processes read the same data */
    BEFFIO_ALL_TYPES
};

enum beffio_access {
    BEFFIO_WRITE,
    BEFFIO_REWRITE,
    BEFFIO_READ,
    BEFFIO_ACCESSES
};

extern const char *const beffio_access_names[BEFFIO_ACCESSES];

#define BEFFIO_MPART (-1) /* l or L is M_PART */
#define BEFFIO_MAX_ROWS 9

/* One row: chunk size l on disk, region size L in memory, time units U; U = 0
 * is done once and hides initialisation effects from the rows after it. */
struct beffio_pattern {
    int64_t l, L;
    int U;
};

/* A pattern type as one descriptor; its MPI calls are in calls.h. */
struct beffio_type_info {
    struct pario_test test; /* first: "type0", and what it does */
    const char *name;       /* "scatter" */
    const struct beffio_pattern *rows;
    int collective; /* calls and the decision to stop */
    int strided;    /* chunks of the ranks interleave */
    int segmented;  /* one segment of L_SEG bytes per rank */
};
/* By enum beffio_type; ended by a NULL name. */
extern const struct beffio_type_info beffio_types[BEFFIO_ALL_TYPES + 1];

/* The rows of one type, ended by l = 0. */
const struct beffio_pattern *beffio_patterns(enum beffio_type type);

/* Sum of U over types 0 to 4: 64. */
int beffio_sum_units(void);

/* M_PART = max(2 MiB, memory / 128) for the memory one process has (Sect. 3),
 * a multiple of 1 MiB; reduced so that the partition's chunks together stay
 * within 16 GiB (Sect. 5). */
int64_t beffio_mpart(int64_t memory_per_process, int processes);

/* l or L with M_PART filled in. */
int64_t beffio_bytes(int64_t l, int64_t mpart);

/* "1 KiB", "32 KiB +8", "M_PART". Returns buf. */
char *beffio_chunk_name(int64_t l, char *buf, int len);

/*
 * Sizes of the three partitions of Sect. 6 for a run of size processes, in
 * ascending order without repetition; returns how many (1 to 3).
 */
int beffio_partitions(int size, int partition[3]);

#endif
