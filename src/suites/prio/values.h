/* suites/prio/values.h - the values of a workload file: lists of sizes, of
 * ratios, of numbers of processes, of names. Local. Errors are PARIO_EUSAGE
 * with a message; the caller puts file and line before it. */
#ifndef PARIO_PRIO_VALUES_H
#define PARIO_PRIO_VALUES_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

#define PRIO_MAX_VALUES 64 /* of one keyword */
#define PRIO_MAX_PROCESSES (1 << 24)

/* low == high: one size; otherwise drawn at random between them. */
struct prio_size {
    int64_t low, high;
};

struct prio_ratio {
    int64_t reads, writes;
};

struct prio_sizes {
    struct prio_size item[PRIO_MAX_VALUES];
    size_t count;
};

struct prio_ratios {
    struct prio_ratio item[PRIO_MAX_VALUES];
    size_t count;
};

struct prio_counts {
    int64_t item[PRIO_MAX_VALUES]; /* 0: all processes; -n: n-all */
    size_t count;
};

/* A share of the processes: a number of them, a percentage, or the rest. */
struct prio_share {
    double percent; /* < 0: not given */
    int64_t processes;
    int rest;
};

/* "4k, 64k", "1k-8k" (1k 2k 4k 8k), "random 1k-8k"; commas or blanks. */
int prio_sizes_parse(const char *text, struct prio_sizes *sizes) PARIO_MUST_USE;
/* "1:2", "1/0", several of them. 0:0 is refused. */
int prio_ratios_parse(const char *text,
                      struct prio_ratios *ratios) PARIO_MUST_USE;
/* "1, 2, 4", "1-8" (1 2 4 8), "all", "1-all" (1 2 4 ... and all). */
int prio_counts_parse(const char *text,
                      struct prio_counts *counts) PARIO_MUST_USE;
/* "3", "25%", "rest". */
int prio_share_parse(const char *text, struct prio_share *share) PARIO_MUST_USE;
/* Names of the NULL-ended list as bits 1u << index; "all" for those of
 * allowed. what: "pattern". */
int prio_names_parse(const char *text, const char *what,
                     const char *const *names, unsigned allowed,
                     unsigned *bits_p) PARIO_MUST_USE;

/* Sizes drawn from a range are multiples of this: the largest power of two
 * that divides both ends, at most 4096. */
int64_t prio_size_step(const struct prio_size *size);

#endif
