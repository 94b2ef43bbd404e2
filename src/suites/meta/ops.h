/* suites/meta/ops.h - the operations: each is a few steps on one name, and an
 * interface is a way to carry out a step. */
#ifndef PARIO_META_OPS_H
#define PARIO_META_OPS_H

#include "suites/meta/names.h"

enum meta_step {
    META_END,
    META_MAKE, /* open a new file for writing */
    META_OPEN_READ,
    META_OPEN_WRITE,
    META_WRITE,
    META_READ,
    META_CLOSE,
    META_STAT,
    META_RENAME,
    META_HARDLINK,
    META_SOFTLINK,
    META_UNLINK,
    META_MKDIR,
    META_RMDIR,
    META_LIST, /* a directory: all of its names */
    META_LIST_STAT,
};
#define META_MAX_STEPS 4

enum meta_rule {
    META_CHANGES = 1,    /* else it only asks */
    META_OTHERS = 2,     /* the names of another process, on another node */
    META_WRITES = 4,     /* data, too */
    META_READS = 8,      /* data, too */
    META_LISTS = 16,     /* things are directories, not files */
    META_WITH_DATA = 32, /* only for files that have some */
    META_MPI = 64,       /* MPI-IO has it */
};

struct meta_op {
    const char *name, *summary; /* as struct pario_test begins */
    const char *verb;           /* "cannot VERB ..." */
    enum meta_step steps[META_MAX_STEPS];
    enum meta_kind from; /* what it works on; META_FILE: the files */
    enum meta_kind to;   /* the second name, or the only one it makes; 0 */
    unsigned rules;
};

extern const struct meta_op meta_ops[]; /* NULL name at the end */
/* Local. Is it done in this case? */
int meta_op_applies(const struct meta_op *op, const struct meta_case *what);

/* One process's part in a case: all that the timed loops touch. */
struct meta_worker {
    struct pario_run *run;
    const struct pario_group *group;
    const struct meta_case *what;
    const struct meta_how *how;
    const struct meta_op *op;
    int dir;                 /* the run's directory */
    struct meta_names names; /* whose names are used in this phase */
    enum meta_kind files;    /* what the files are called now */
    int64_t count;           /* files that each process has made */
    int64_t done;            /* things of this phase */
    int64_t cycle;           /* it has so many, and then the first again */
    int64_t stop_ns;         /* none begins after that */
    int64_t at_stonewall;    /* done when the time was over */
    struct pario_stonewall stonewall; /* of creating */
    int cold;                         /* nothing of them is in memory */
    /* File i holds what slot i % slots holds, with stamps of its own unless
     * several are under way; what was written over a file differs from what it
     * was made with. */
    char *data[2], *got;
    struct pario_data kind[2]; /* of data */
    int stamps;
    int64_t slots;
    int rewritten;
    int64_t seen, seen_bytes; /* by stat and readdir */
    uint64_t seen_names;
    int code;                   /* the first error ... */
    char failed[META_NAME_LEN]; /* ... and the name */
    struct pario_hist latency;
    struct pario_samples samples;
    struct meta_queue *queue; /* of io_uring; NULL: none */
};

/* One thing and what is being done to it. */
struct meta_item {
    int64_t i;
    const char *name, *other; /* other: NULL where there is one name */
    int fd;
    const enum meta_step *step;
};

/* Local, in the timed loop. The item of thing i; which: 0, or a text of its own
 * for each of several that are under way. */
struct meta_item meta_item_of(struct meta_worker *worker,
                              struct meta_names *names, int64_t i);
/* Local. Where the data of file i stands: to be written, or as it was read. */
char *meta_slot(struct meta_worker *worker, int64_t i);

/* Local. All steps of one thing. A negative code. */
int meta_posix(struct meta_worker *worker, struct meta_item *item);
int meta_mpiio(struct meta_worker *worker, struct meta_item *item);

/* Local. io_uring: things first .. first + n - 1, several under way. */
int meta_queue_open(struct meta_worker *worker) PARIO_MUST_USE;
void meta_queue_close(struct meta_worker *worker);
void meta_queue_round(struct meta_worker *worker, int64_t first, int64_t n);

/* case.c. Local. The names of a process are used from now on. */
void meta_use_names_of(struct meta_worker *worker, int rank);
/* The process whose names are asked for. */
int meta_other_rank(const struct pario_group *group);
/* What its files hold. */
struct pario_data meta_data_of(const struct meta_worker *worker, int rank,
                               int rewritten);

/* check.c. Entries that were there before, of one process. Local. */
int64_t meta_entries_of(const struct meta_worker *worker, int rank);
/* Collective, after the time, of a meta_worker: what was done. */
int meta_check(void *arg, struct pario_phase *phase) PARIO_MUST_USE;

/* Local. Notes the first error. */
void meta_failed(struct meta_worker *worker, int code, const char *name);

#endif
