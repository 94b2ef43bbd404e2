/* analysis/inputs.h - the files that a report is made from: results and timings
 * in any mixture. Local. */
#ifndef PARIO_ANALYSIS_INPUTS_H
#define PARIO_ANALYSIS_INPUTS_H

#include "analysis/timings.h"
#include "report/measures.h"

struct pario_inputs {
    struct pario_run_shown *runs; /* owned, with documents and labels */
    size_t nruns;
    struct pario_timings **timings;
    size_t ntimings;
    char **problems; /* a message for each file or part that cannot be used */
    size_t nproblems;
    int failed; /* the code of the last file that could not be used; 0: none */
};

/* Takes every good file; fails only for want of memory. */
int pario_inputs_init(struct pario_inputs *inputs, int count,
                      char *const *paths) PARIO_MUST_USE;
void pario_inputs_fini(struct pario_inputs *inputs);

/* The figures of all that was read, in the order of a report. */
int pario_inputs_figures(const struct pario_inputs *inputs, int64_t first,
                         int64_t last,
                         struct pario_figure_list *figures) PARIO_MUST_USE;

#endif
