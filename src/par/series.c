/* par/series.c - geometric series of repeat counts (b_eff_io, Sect. 5). */
#include "par/series.h"

#include "core/clock.h"

#define GROWTH 2 /* each round is at most this many times the one before */

void pario_series_start(struct pario_series *series,
                        const struct pario_group *group, double seconds,
                        int64_t limit)
{
    *series = (struct pario_series){
        .group = group,
        .seconds = seconds,
        .limit = limit,
        .start_ns = pario_clock_ns(),
    };
}

/* How many more iterations fit, from the rate so far. The first round is one
 * iteration: on a slow system it may take the whole time already. */
static int64_t plan(const struct pario_series *series, double elapsed_s)
{
    double per_iteration, fits;
    int64_t next = series->round * GROWTH;

    if (series->done == 0)
        return 1;
    if (series->limit > 0 && series->done >= series->limit)
        return 0;
    elapsed_s += (double)series->done * series->owed_s;
    per_iteration = elapsed_s / (double)series->done;
    fits = per_iteration > 0 ? (series->seconds - elapsed_s) / per_iteration
                             : (double)next;
    if (fits < 0.5)
        return 0;
    if ((double)next > fits)
        next = fits < 1 ? 1 : (int64_t)fits;
    if (series->limit > 0 && next > series->limit - series->done)
        next = series->limit - series->done;
    return next;
}

/* The reduction is the barrier: it also tells all that one rank failed. */
static int64_t decide_together(struct pario_series *series)
{
    int64_t failed = series->failed, next = 0;
    int code = pario_reduce_i64(series->group, PARIO_MAX, &failed, 1);
    int64_t now = pario_clock_ns();

    if (code == 0 && !failed && pario_group_rank(series->group) == 0)
        next = plan(series, (double)(now - series->start_ns) * 1e-9);
    if (code == 0)
        code = pario_bcast(series->group, &next, sizeof(next));
    return code == 0 ? next : 0;
}

int64_t pario_series_next(struct pario_series *series)
{
    series->done += series->round;
    if (series->group != NULL) {
        series->round = decide_together(series);
    } else {
        int64_t now = pario_clock_ns();

        series->round =
            series->failed
                ? 0
                : plan(series, (double)(now - series->start_ns) * 1e-9);
    }
    series->decisions++;
    return series->round;
}
