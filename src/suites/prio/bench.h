/* suites/prio/bench.h - the contract of a PRIOmark sub-benchmark.
 *
 * Every sub-benchmark is one const descriptor (PRIOmark, Sect. 4.1). The host
 * reads the workload, expands each of its sections into cases, calls run for
 * each case and writes down what the measuring engine (measure/phase.h) made of
 * it. A plug-in, which sees pario.h alone, is made into one by plugin.c.
 */
#ifndef PARIO_PRIO_BENCH_H
#define PARIO_PRIO_BENCH_H

#include "core/options.h"
#include "measure/phase.h"
#include "suites/suite.h"

enum prio_pattern {
    PRIO_WRITE,      /* creates and fills a new file */
    PRIO_READ_WRITE, /* reads and rewrites an existing one, in order */
    PRIO_RANDOM,     /* the same in random order, each block once a pass */
    PRIO_BACKWARD,   /* reads block by block from the end */
    PRIO_READ,       /* reads in order */
    PRIO_PATTERNS
};
extern const char *const prio_pattern_names[]; /* NULL at the end */

enum prio_method {
    PRIO_POSIX,          /* pread, pwrite */
    PRIO_URING,          /* io_uring */
    PRIO_AIO,            /* POSIX AIO */
    PRIO_INDIVIDUAL,     /* MPI-IO, individual pointer, noncollective */
    PRIO_EXPLICIT,       /* MPI-IO, explicit offset, noncollective */
    PRIO_INDIVIDUAL_ALL, /* the same two, collective */
    PRIO_EXPLICIT_ALL,
    PRIO_METHODS
};
extern const char *const prio_method_names[]; /* NULL at the end */

enum prio_sync { PRIO_SYNC_END, PRIO_SYNC_NONE, PRIO_SYNC_DSYNC };

/* One measurement; the same on all processes of its group. */
struct prio_case {
    const char *label; /* of the section: "single_file", or its own name */
    enum prio_pattern pattern;
    enum prio_method method;
    int processes;
    int64_t data_bytes;                /* of one process, of this repetition */
    int64_t data_low, data_high;       /* equal unless drawn at random */
    int64_t request_low, request_high; /* equal unless drawn at random */
    int64_t reads, writes;             /* the ratio */
    int64_t blocks;                    /* a stride holds, of one process */
    int64_t depth;                     /* requests under way, io_uring */
    int direct;                        /* O_DIRECT */
    int sync;                          /* enum prio_sync */
    int reuse_buffer;     /* one buffer again and again: data not checked */
    double think_s;       /* of the program, with each request */
    int64_t prefetch;     /* requests that may be done and wait for it */
    double time_s;        /* > 0: passes are repeated until it is over */
    double computation;   /* async: share of the I/O's time */
    const char *device;   /* raw; NULL */
    int repetition;       /* from 0 */
    uint64_t seed;        /* of sizes and orders */
    uint64_t file_number; /* of the data, see core/data.h */
    const void *own;      /* the struct of the bench's own keywords */
};

/* What a case measures: the phase, and what is said beside it. */
struct prio_figures {
    /* The host has set run, group, beside and latency; the bench describes the
     * rest and takes it through prio_measure. */
    struct pario_phase *phase;
    struct pario_samples *samples[2]; /* of reads, of writes; NULL: not asked */
    double losses[2];                 /* async: ACL and ABL; NAN elsewhere */
    json_t *extra;                    /* stolen, rank 0's counts; NULL: none */
};

/* Where a case runs. */
struct prio_env {
    struct pario_run *run;
    const struct pario_group *group; /* the processes of this case */
    const struct pario_group *all; /* with those of the other parts of a mix */
    char directory[4096];          /* the run's own, fresh */
    const struct pario_fs_facts *fs; /* of the directory */
    int64_t memory_bytes;            /* that one process may use for data */
    struct prio_prepared *prepared;  /* the host's: files there already */
};

/* A case's accumulated result, for finish. */
struct prio_outcome {
    const struct prio_bench *bench;
    struct prio_case what;
    int directory; /* index */
    int in_mix;
    double *mbps; /* one a repetition */
    size_t count;
    size_t nshort, ncached; /* of them: too short, not from the disk alone */
    struct pario_flag_sum flags;
    double median_mbps, low_mbps, high_mbps;
    double losses[2]; /* mean over the repetitions; NAN */
};

struct prio_outcomes {
    struct prio_outcome *outcome;
    size_t count;
    int directories;
    const char *const *names; /* of the directories, as typed */
};

/* Flags of a descriptor. */
enum prio_ability {
    PRIO_CAN_TIME = 1, /* heeds time_s and so may be part of a mix */
    PRIO_ON_DEVICE = 2,
    PRIO_ONE_FILE = 4, /* all processes share one file */
    PRIO_COUNTS = 8,   /* in total v1; plug-ins from outside do not */
    PRIO_NO_DATA = 16, /* data, request, ratio mean nothing to it */
    PRIO_WHOLE = 32,   /* the data in one request, beside a computation */
    PRIO_STRIDES = 64, /* blocks of the processes alternate in the file */
    PRIO_ONCE = 128,   /* runs once, however long: also as part of a mix */
};

struct prio_bench {
    struct pario_test test;     /* first: name and summary */
    unsigned patterns, methods; /* 1u << enum */
    unsigned abilities;         /* enum prio_ability */
    /* Keywords of its own; NULL: none. */
    const struct pario_option *keywords;
    size_t own_size;
    const void *own_defaults;
    /* Local. The second word of a section's header names a file: [replay FILE].
     * own keeps the word, which lives as long. NULL: it is a label alone. */
    void (*name)(void *own, const char *word);
    /* Local. A file whose bytes say what is measured; NULL: none. */
    const char *(*file)(const void *own);
    /* Local. --scale, and what lies on the disk, by its own keywords; NULL:
     * only data and request say that. */
    void (*scale)(void *own, double factor);
    int64_t (*disk_bytes)(const struct prio_case *what);
    /* Local. How many files; NULL: one for all, or for each process. */
    int64_t (*files)(const struct prio_case *what);
    /* Local. How long it takes where everything is slow, for the deadline;
     * NULL: data and request say that. */
    double (*schedule_s)(const struct prio_case *what);
    /* Local. 0, or PARIO_EUSAGE with a message that says what is impossible;
     * the host puts file and line before it. NULL: nothing is. */
    int (*check)(const struct prio_case *what);
    /* Collective over env->group; calls prio_measure exactly once. */
    int (*run)(struct prio_env *env, const struct prio_case *what,
               struct prio_figures *figures);
    /* Local, rank 0, after all cases; NULL: nothing. */
    int (*finish)(struct pario_run *run, const struct prio_outcomes *outcomes);
};

/* Collective over env->all. code: what went wrong before on this process; the
 * parts of a mix measure all or none. Then the phase of figures is run from
 * prepare to settle (pario_phase_run). The code is everybody's. */
int prio_measure(const struct prio_env *env, int code,
                 const struct prio_figures *figures,
                 const struct pario_phase_calls *calls,
                 void *part) PARIO_MUST_USE;

#endif
