/* suites/prio/workload.h - a workload file, read and checked (docs/prio.md).
 * Local. Errors are PARIO_EUSAGE and name file and line. */
#ifndef PARIO_PRIO_WORKLOAD_H
#define PARIO_PRIO_WORKLOAD_H

#include "core/keyfile.h"
#include "suites/prio/bench.h"
#include "suites/prio/values.h"

#define PRIO_LABEL_LEN 48
#define PRIO_MAX_SECTIONS 32
#define PRIO_MAX_PARTS 8
#define PRIO_MAX_REPETITIONS 1000

enum prio_key {
    PRIO_KEY_PATTERNS,
    PRIO_KEY_METHODS,
    PRIO_KEY_DATA,
    PRIO_KEY_REQUEST,
    PRIO_KEY_RATIO,
    PRIO_KEY_PROCESSES,
    PRIO_KEY_REPETITIONS,
    PRIO_KEY_THINK,
    PRIO_KEY_PREFETCH,
    PRIO_KEY_TIME,
    PRIO_KEY_DIRECT,
    PRIO_KEY_SYNC,
    PRIO_KEY_DEPTH,
    PRIO_KEY_BLOCKS,
    PRIO_KEY_BUFFER,
    PRIO_KEY_DEVICE,
    PRIO_KEY_COMPUTATION,
    PRIO_KEY_ALONE,
    PRIO_KEY_ANSWER,
    PRIO_KEYS
};

/* [single_file] or [single_file LABEL] */
struct prio_section {
    const struct prio_bench *bench;
    char label[PRIO_LABEL_LEN];
    int number, line;
    int alone;          /* runs by itself, not only in mixes; -1: not said */
    int in_mix;         /* a mix names it */
    const char *answer; /* what its requests are called in the answer: its
                           rate and times stand there; NULL: they do not */
    struct prio_sizes data, request;
    struct prio_ratios ratio;
    struct prio_counts processes;
    unsigned patterns, methods;
    int64_t repetitions;
    struct prio_case base; /* the values that are no lists */
    int lines[PRIO_KEYS];  /* where a keyword stood; 0: not given */
    void *own;             /* of the bench's own keywords */
};

struct prio_part {
    struct prio_section *section;
    struct prio_share share;
    int line;
};

/* [mix] or [mix LABEL]: LABEL SHARE for each part. */
struct prio_mix {
    char label[PRIO_LABEL_LEN];
    int line;
    struct prio_part part[PRIO_MAX_PARTS];
    int nparts;
    double time_s;
    int64_t repetitions;
};

struct prio_workload {
    struct pario_keyfile *file;
    const char *name; /* its title, or the path */
    uint64_t seed;
    int64_t memory_bytes; /* of one process for data; 0: chosen */
    struct prio_section section[PRIO_MAX_SECTIONS];
    int nsections;
    struct prio_mix mix[PRIO_MAX_SECTIONS];
    int nmixes;
};

/* benches: NULL at the end. device: stands for `device` where a section names
 * none; NULL. The caller owns *workload_p. */
int prio_workload_read(const char *path,
                       const struct prio_bench *const *benches, uint64_t seed,
                       const char *device,
                       struct prio_workload **workload_p) PARIO_MUST_USE;
void prio_workload_destroy(struct prio_workload *workload);

/* Everything impossible, before the run, for this number of processes. */
int prio_workload_check(const struct prio_workload *workload,
                        int size) PARIO_MUST_USE;

/* The cases of a section in the order they run. A negative return of fn ends
 * the walk and is returned. */
typedef int prio_case_fn(void *context, const struct prio_section *section,
                         const struct prio_case *what);
int prio_section_each(const struct prio_workload *workload,
                      const struct prio_section *section, int size,
                      prio_case_fn *fn, void *context) PARIO_MUST_USE;

/* The only case a section has as part of a mix, on `processes` processes. */
void prio_mix_case(const struct prio_workload *workload,
                   const struct prio_mix *mix, int part, int repetition,
                   int processes, struct prio_case *what);

/* How many of size processes each part gets, at least one each. */
int prio_mix_divide(const struct prio_workload *workload,
                    const struct prio_mix *mix, int size,
                    int counts[PRIO_MAX_PARTS]) PARIO_MUST_USE;

/* Methods that this build has, as bits. */
unsigned prio_methods_available(void);
/* This system does not allow it, on one node at least: all processes say so
 * before they read a workload. */
void prio_methods_forbid(enum prio_method method);
int prio_method_is_collective(enum prio_method method);
int prio_method_is_mpiio(enum prio_method method);

/* "file:line: " then the last message; returns PARIO_EUSAGE. */
int prio_workload_fail(const struct prio_workload *workload, int line,
                       const char *keyword);

#endif
