/* par/series.h - how often to repeat: b_eff_io's geometric series (Sect. 5).
 *
 * A time-driven loop runs
 *     while ((n = pario_series_next(&series)) > 0)
 *         for (; n > 0; n--) one iteration;
 * The number of decisions grows with the logarithm of the iterations; with a
 * group every rank gets the same counts, decided by rank 0's clock after a
 * barrier.
 */
#ifndef PARIO_PAR_SERIES_H
#define PARIO_PAR_SERIES_H

#include "par/group.h"

struct pario_series {
    const struct pario_group *group; /* NULL: this process decides alone */
    double seconds;                  /* to fill */
    int64_t limit;                   /* most iterations; 0: no limit */
    double owed_s; /* what each iteration will cost after the last one (its
                      share of a sync); set after the start; 0: nothing */
    int64_t done, round; /* iterations so far, in this round */
    int64_t start_ns;
    int64_t decisions;
    int failed; /* set by the caller after an error: the series ends, for all */
};

void pario_series_start(struct pario_series *series,
                        const struct pario_group *group, double seconds,
                        int64_t limit);
/* Collective over the group, if any. 0: the time is over. */
int64_t pario_series_next(struct pario_series *series);

/* Local. length_ns of the time so far does not count: data was checked. */
static inline void pario_series_pause(struct pario_series *series,
                                      int64_t length_ns)
{
    series->start_ns += length_ns;
}

#endif
