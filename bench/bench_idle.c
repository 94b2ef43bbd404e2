/* bench/bench_idle.c - memory of a rank that has started and does nothing
 * yet, and the time to merge a histogram over all ranks. */
#include "core/clock.h"
#include "par/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define MERGES 20

int main(int argc, char **argv)
{
    struct pario_group *world = NULL;
    struct pario_hist *hist = malloc(sizeof(*hist));
    struct rusage usage;
    double peak_mb, begin, merge_us;
    int code = hist == NULL || pario_par_start(&argc, &argv, &world) != 0 ||
               pario_watchdog_start(world) != 0;

    if (code)
        return 2;
    pario_hist_init(hist);
    code = pario_barrier(world);
    begin = pario_clock_s();
    for (int i = 0; code == 0 && i < MERGES; i++)
        code = pario_merge_hist(world, hist);
    merge_us = (pario_clock_s() - begin) / MERGES * 1e6;
    getrusage(RUSAGE_SELF, &usage);
    peak_mb = (double)usage.ru_maxrss * 1024 * 1e-6;
    if (code == 0)
        code = pario_reduce_f64(world, PARIO_MAX, &peak_mb, 1);
    if (code == 0 && pario_group_rank(world) == 0)
        printf("%d ranks: at most %.1f MB a rank, histogram merged in %.0f "
               "us (%s)\n",
               pario_group_size(world), peak_mb, merge_us, pario_par_library());
    pario_watchdog_stop();
    pario_par_finish(world);
    free(hist);
    return code != 0;
}
