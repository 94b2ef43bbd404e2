/* suites/meta/meta.h - metadata: names made, asked for, changed and removed.
 *
 * A case is one layout of directories with files of one size, through one
 * interface, by one number of processes. Its operations (ops.h) are phases of
 * the measuring engine, one after another over the same names.
 */
#ifndef PARIO_META_META_H
#define PARIO_META_META_H

#include "measure/phase.h"
#include "measure/stonewall.h"
#include "result/samples.h"

enum meta_layout { META_OWN, META_SHARED, META_TREE, META_LAYOUTS };
/* By number of pario_interface_names. */
enum meta_interface { META_POSIX, META_URING, META_MPIIO, META_INTERFACES };

/* The same on all processes; what tells cases apart in the document. */
struct meta_case {
    int layout;           /* enum meta_layout: the measure's test */
    int interface;        /* enum meta_interface */
    int64_t size_bytes;   /* of each file */
    int64_t entries;      /* in each directory before */
    int64_t depth, width; /* of a tree */
    int64_t queue_depth;  /* of io_uring */
    int number;           /* of the case, in the names of its directories */
};

/* How a case is carried out. */
struct meta_how {
    double seconds; /* of creating */
    int wear_out;   /* each process stops when its time is over, and then all
                       make as many files as the fastest; else all stop
                       together */
    int others;     /* a process removes what another has made, too */
    double ask_s;   /* files are asked for over and over for so long unless
                       they are cold; 0: once */
    int64_t files;  /* of one process, at most */
    unsigned ops;   /* bit i: operation i of the table */
    int sync;       /* changes are durable before the time ends */
    int cold;       /* names are dropped from the caches before they are asked
                       for, where that is allowed */
    int kept;       /* else the kernel still knows them: there are few */
    const char *title; /* of the next operation; NULL: what the case says */
    /* Collective. Writes down what operation op has measured, with a name of
     * the caller's own; NULL: with the case's (meta_measure). */
    int (*record)(void *caller, int op, struct pario_phase *phase);
    void *caller;
};

/* Numbers of the operations that every case begins with. */
enum { META_OP_CREATE, META_OP_STAT };

/* Collective over group, a part of run->world with its first process. All
 * operations of the case, each recorded; at the end the run's directory is
 * empty, unless its files are kept. */
int meta_case_run(struct pario_run *run, const struct pario_group *group,
                  const struct meta_case *what,
                  const struct meta_how *how) PARIO_MUST_USE;

/* The same step by step, for suites that do other things in between. */
struct meta_worker; /* one process's part */
/* Collective. *worker_p is set also after an error, unless there is no memory:
 * end it. Both structs are borrowed; how may change between operations. */
int meta_case_begin(struct pario_run *run, const struct pario_group *group,
                    const struct meta_case *what, const struct meta_how *how,
                    struct meta_worker **worker_p) PARIO_MUST_USE;
/* Collective. Operation `op` up to settle. */
int meta_case_measure(struct meta_worker *worker, int op,
                      struct pario_phase *phase) PARIO_MUST_USE;
/* Collective. Its samples to --samples, if it was given. */
int meta_case_samples(struct meta_worker *worker, const char *suite,
                      const char *test) PARIO_MUST_USE;
/* Local. The files that were made when the time was over, and are now. */
const struct pario_stonewall *meta_case_stonewall(const struct meta_worker *w);
int64_t meta_case_files(const struct meta_worker *worker);
/* Local. How many of this process's files have this in their name. */
int64_t meta_case_matches(struct meta_worker *worker, const char *text);
void meta_case_end(struct meta_worker *worker); /* NULL: nothing */

/* Collective. Names that the kernel remembers are no answer of the device: they
 * are dropped, where that is allowed (*cold_p), else there is a warning. dir:
 * where they are. */
int meta_forget_names(struct pario_run *run, const struct pario_group *group,
                      int dir, int *cold_p) PARIO_MUST_USE;

/* Local. The number of an operation by its name; it must be there. */
int meta_op_number(const char *name);

/* Local. The name of a case's measures; the caller owns the json. */
struct pario_measure meta_measure(const struct meta_case *what, int op,
                                  int processes);

extern const char *const meta_layout_names[]; /* NULL at the end */

#endif
