/* analysis/analysis_sizes.h - calls whose sizes differ. Local. */
#ifndef PARIO_ANALYSIS_ANALYSIS_SIZES_H
#define PARIO_ANALYSIS_ANALYSIS_SIZES_H

#include "analysis/lane.h"
#include "analysis/timings.h"
#include "report/figure.h"

/* For each block with sizes a figure: rate over the size of a call, a curve
 * for each process, of the calls that the plan names; in its note the calls,
 * their mean size and time. proc: only this rank; negative: all. Of very many
 * the first, and the last of these says how many are missing. *empty_p: how
 * many are not drawn because they have none of these calls. */
int pario_sizes_figures(const struct pario_timings *timings,
                        const struct pario_lane_plan *plan, int proc,
                        struct pario_figure_list *figures,
                        size_t *empty_p) PARIO_MUST_USE;

#endif
