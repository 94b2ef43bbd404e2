/* suites/shipbench/phase.h - one timed access of one contender. */
#ifndef PARIO_SHIPBENCH_PHASE_H
#define PARIO_SHIPBENCH_PHASE_H

#include "io/hints.h"
#include "io/mpiio_calls.h"
#include "measure/phase.h"
#include "suites/shipbench/layout.h"

enum ship_access { SHIP_WRITE, SHIP_READ, SHIP_ACCESSES };

/* What every contender of a case shares. */
struct ship_case {
    struct pario_run *run;
    const struct pario_group *group; /* the tasks that take part */
    struct ship_layout layout;
    MPI_Datatype *view;         /* of each call; NULL for independent calls */
    MPI_Datatype memory;        /* its data in the buffer; MPI_DATATYPE_NULL:
                                   contiguous */
    char *buffer;               /* ship_layout_held */
    struct pario_range *sample; /* blocks of this task, where it does not read
                                   the whole file; NULL: it does */
    size_t nsample;
    char path[4096];
    int sync;    /* MPI_File_sync is inside the time */
    int fresh;   /* the file is made anew before each write */
    int oneshot; /* open and close are inside the time */
};

/* Collective over group. Buffer, views and the file with something in it. */
int ship_case_init(struct ship_case *kase) PARIO_MUST_USE;
void ship_case_fini(struct ship_case *kase);

/* Collective over group. data_file tells this pass's data from all others;
 * a read expects what the write with the same number wrote. in_force: rank
 * 0 gets the hints in force; NULL: nobody asks. */
int ship_phase(struct ship_case *kase, const struct pario_mpiio_calls *calls,
               const struct pario_hints *hints, enum ship_access access,
               uint64_t data_file, struct pario_hints *in_force,
               struct pario_figures *figures_p) PARIO_MUST_USE;

#endif
