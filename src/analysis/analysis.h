/* analysis/analysis.h - the test suite's low-level tools (Sect. 7.1.1):
 * rawdata, distribution, allav, made from a timings file. Local. */
#ifndef PARIO_ANALYSIS_ANALYSIS_H
#define PARIO_ANALYSIS_ANALYSIS_H

#include "analysis/lane.h"
#include "analysis/timings.h"
#include "report/figure.h"
#include "report/table.h"

/* The reduced samples of a block, one lane for each process asked for. */
struct pario_lanes {
    struct pario_lane *items;
    size_t count;
};

/* proc: only this rank; negative: all. The caller owns what is in *lanes_p. */
int pario_lanes_init(const struct pario_timings *timings,
                     const struct pario_timings_block *block, int proc,
                     const struct pario_lane_plan *plan,
                     struct pario_lanes *lanes_p) PARIO_MUST_USE;
void pario_lanes_fini(struct pario_lanes *lanes);

/* "10:20" -> calls [10, 20); "10:" and NULL: to the end (*last_p < 0). */
int pario_range_parse(const char *text, int64_t *first_p,
                      int64_t *last_p) PARIO_MUST_USE;

/* What a block is, in one line: "iot multiple w, 4 processes, block 1 MiB".
 * The caller frees it; NULL: no memory. */
char *pario_block_title(const struct pario_timings_block *block);

/* A figure of a block, without series: its title is "WHAT: " and the block's.
 * labels: of x and y. The caller owns *figure_p. */
int pario_block_figure(enum pario_figure_kind kind, const char *id,
                       const char *what,
                       const struct pario_timings_block *block,
                       const char *const labels[2],
                       struct pario_figure **figure_p) PARIO_MUST_USE;

/* Time of each call over the loop counter, a lane for each process. lanes is
 * borrowed by the figure. */
int pario_rawdata_figure(const struct pario_timings_block *block,
                         const struct pario_lanes *lanes,
                         struct pario_figure **figure_p) PARIO_MUST_USE;
/* Share of the calls over their time, a curve for each process. */
int pario_distribution_figure(const struct pario_timings_block *block,
                              const struct pario_lanes *lanes,
                              struct pario_figure **figure_p) PARIO_MUST_USE;
/* Bandwidth over time in at most so many columns: of all lanes together, and a
 * heat map of processes and time where there are several. Adds nothing where
 * the calls have no size of their own or overlap. */
int pario_course_figures(const struct pario_timings_block *block,
                         const struct pario_lanes *lanes, size_t columns,
                         struct pario_figure_list *figures) PARIO_MUST_USE;
/* Rate over file size at fixed block size and over block size at fixed file
 * size, of all blocks, with 95 % intervals. May add no figure, with a
 * message in *why_p (static), when the headers tell no sizes. */
int pario_allav_figures(const struct pario_timings *timings,
                        const struct pario_lane_plan *plan, int proc,
                        struct pario_figure_list *figures,
                        const char **why_p) PARIO_MUST_USE;

/* Rate of all lanes together in MB/s, from the mean times of their calls, and
 * its 95 % half-width (0: too few samples); 0: not known. */
double pario_lanes_rate(const struct pario_timings_block *block,
                        const struct pario_lanes *lanes, double *half_width_p);

/* One row for each lane: samples, mean, percentiles, rate, what is missing. */
int pario_lanes_table(const struct pario_timings_block *block,
                      const struct pario_lanes *lanes,
                      struct pario_table **table_p) PARIO_MUST_USE;

/* Every sample of the block in the plan's range as CSV, without holding them:
 * series, loop counter, time in ms. proc as above. */
int pario_samples_csv(const struct pario_timings *timings,
                      const struct pario_timings_block *block, int proc,
                      const struct pario_lane_plan *plan,
                      FILE *out) PARIO_MUST_USE;

/* The suggestion about cache and disk regimes as a sentence, "" for none. */
#define PARIO_REGIMES_LEN 320
char *pario_regimes_text(const struct pario_timings_block *block,
                         const struct pario_lane *lane,
                         char text[PARIO_REGIMES_LEN]);

#endif
