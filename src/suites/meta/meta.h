/* suites/meta/meta.h - metadata: names made, asked for, changed and removed.
 *
 * A case is one layout of directories with files of one size, through one
 * interface, by one number of processes. Its operations (ops.h) are phases of
 * the measuring engine, one after another over the same names.
 */
#ifndef PARIO_META_META_H
#define PARIO_META_META_H

#include "measure/phase.h"
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
    double ask_s;   /* files are asked for over and over for so long unless
                       they are cold; 0: once */
    int64_t files;  /* of one process, at most */
    unsigned ops;   /* bit i: operation i of the table */
    int sync;       /* changes are durable before the time ends */
    int cold;       /* names are dropped from the caches before they are asked
                       for, where that is allowed */
    int kept;       /* else the kernel still knows them: there are few */
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

/* Local. The name of a case's measures; the caller owns the json. */
struct pario_measure meta_measure(const struct meta_case *what, int op,
                                  int processes);

extern const char *const meta_layout_names[]; /* NULL at the end */

#endif
