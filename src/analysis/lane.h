/* analysis/lane.h - the samples of one process, reduced for looking at: bands
 * of least, median and greatest time, moments, histogram; and the samples
 * themselves where they are few enough. One pass, bounded memory. Local. */
#ifndef PARIO_ANALYSIS_LANE_H
#define PARIO_ANALYSIS_LANE_H

#include "analysis/timings.h"
#include "core/stats.h"

#define PARIO_LANE_LEVELS 3
#define PARIO_LANE_BATCHES 16

/* Column i covers the calls first + i * width up to the next column's. The
 * median of an even number of samples is the lower of the middle two: every
 * value is a sample. */
struct pario_band {
    int64_t width;
    size_t count;
    int64_t *low, *median, *high; /* nanoseconds; low owns all four */
    int64_t *mean;
};

struct pario_lane {
    int rank;
    const char *keyword; /* borrowed from the timings */
    int64_t first;       /* loop counter of the first sample, from 0 */
    int64_t count;       /* samples in the range */
    int64_t total;       /* samples that the section has */
    int64_t lost, saturated, zeros;
    struct pario_moments moments;             /* of times in ns */
    double batch_mean_ns[PARIO_LANE_BATCHES]; /* of successive parts */
    int nbatches;                             /* 0: too few samples */
    struct pario_hist *hist;
    struct pario_band level[PARIO_LANE_LEVELS]; /* from coarse to fine */
    int nlevels;
    int64_t *exact; /* all samples of the range; NULL: more than the limit */
};

struct pario_lane_plan {
    int64_t first, last; /* calls [first, last); last < 0: to the end */
    size_t columns;      /* of the coarsest level */
    int levels;          /* each further one has 16 times the columns */
    int64_t exact_limit; /* most samples to keep */
    int median; /* allav: parts of a file by their median call, not the mean */
};

/* The caller owns what is in *lane_p (pario_lane_fini). */
int pario_lane_init(const struct pario_timings *timings,
                    const struct pario_timings_block *block,
                    const struct pario_timings_section *section,
                    const struct pario_lane_plan *plan,
                    struct pario_lane *lane_p) PARIO_MUST_USE;
void pario_lane_fini(struct pario_lane *lane);

/* Mean time of a call and the 95 % half-width by batch means, which holds
 * also when successive calls depend on each other; 0: too few samples. */
double pario_lane_mean_ns(const struct pario_lane *lane, double *half_width_p);

/* Two regimes in a row of times, as a suggestion: before and after `at` calls
 * the median times differ by at least a half and each side keeps its level.
 * 0 when the data do not suggest it. */
struct pario_regimes {
    int64_t at; /* loop counter */
    double before_ns, after_ns;
};
int pario_lane_regimes(const struct pario_lane *lane,
                       struct pario_regimes *regimes_p);

#endif
