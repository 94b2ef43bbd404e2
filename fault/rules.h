/* rules.h - the faults asked for in PARIO_FAULT, and which call meets them. */
#ifndef PARIO_FAULT_RULES_H
#define PARIO_FAULT_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_MAX_RULES 32
#define FAULT_MAX_PATH 256

enum fault_op {
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_FSYNC,
    FAULT_CLOSE,
    FAULT_FTRUNCATE,
    FAULT_FALLOCATE,
    FAULT_MMAP,
    FAULT_NOPS
};

enum fault_action {
    FAULT_NONE,
    FAULT_ERROR,
    FAULT_SHORT,
    FAULT_DELAY,
    FAULT_FLIP,
    FAULT_KILL,
    FAULT_STOP,
    FAULT_DROP,
    FAULT_BUS
};

struct fault_rule {
    enum fault_op op;
    enum fault_action action;
    int error;      /* errno of FAULT_ERROR */
    long delay_ms;  /* of FAULT_DELAY */
    uint64_t first; /* calls first..last meet the rule, counted from 1 */
    uint64_t last;
    uint64_t every;            /* of these the first and each every-th */
    int64_t at;                /* file offset that the call must cover, or -1 */
    int rank;                  /* or -1 for every process */
    char path[FAULT_MAX_PATH]; /* substring; empty matches every file */
    atomic_uint_fast64_t calls;
};

struct fault_rules {
    int count;
    bool has_op[FAULT_NOPS];
    bool has_at[FAULT_NOPS];
    struct fault_rule rule[FAULT_MAX_RULES];
};

/* What a matching set of rules does to one call. */
struct fault_verdict {
    int error;       /* fail with this errno, or 0 */
    bool shorten;    /* move half of the bytes */
    bool drop;       /* report success and do nothing */
    bool bus;        /* map what cannot be touched */
    bool flip;       /* flip a bit of what was read ... */
    int64_t flip_at; /* ... at this file offset, or -1 for the first byte */
};

/*
 * Parses spec ("op=write,nth=5,error=ENOSPC;..."). Rules for another rank than
 * `rank` (-1 when unknown) are checked and then dropped. Returns 0, or -1 with
 * a message of at most len bytes.
 */
int fault_rules_parse(struct fault_rules *rules, const char *spec, int rank,
                      char *message, size_t len);

/*
 * Counts one call of `op` on the regular file `path`, bytes
 * [offset, offset + len), against the rules, and does what is to be done before
 * the call (delay, kill, stop). Thread-safe, does not allocate.
 */
struct fault_verdict fault_rules_meet(struct fault_rules *rules,
                                      enum fault_op op, const char *path,
                                      int64_t offset, size_t len);

/* Where the first firing of each rule is told: a descriptor, or -1. */
void fault_rules_log_to(int fd, int rank);

#endif
