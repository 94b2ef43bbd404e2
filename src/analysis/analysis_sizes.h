/* analysis/analysis_sizes.h - calls whose sizes differ. Local. */
#ifndef PARIO_ANALYSIS_ANALYSIS_SIZES_H
#define PARIO_ANALYSIS_ANALYSIS_SIZES_H

#include "analysis/timings.h"
#include "report/figure.h"

/* Rate over the size of a call, a curve for each process, of a block with
 * sizes; in its note the calls, their mean size and time. proc: only this
 * rank; negative: all. */
int pario_sizes_figure(const struct pario_timings *timings,
                       const struct pario_timings_block *block, int proc,
                       struct pario_figure_list *figures) PARIO_MUST_USE;

#endif
