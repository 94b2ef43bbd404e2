/* suites/tune/race.c - who is ahead, and who is surely behind. */
#include "suites/tune/tune.h"

#include "core/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_PASSES 3 /* before anyone drops out by the interval */
#define FAR_BEHIND 0.2 /* of the leader's median: out after two passes */

/* Two-sided 95 % quantile of Student's t. */
static double student(int freedom)
{
    static const double table[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571,
                                   2.447, 2.365,  2.306, 2.262, 2.228, 2.201,
                                   2.179, 2.160,  2.145, 2.131, 2.120, 2.110,
                                   2.101, 2.093,  2.086};
    int n = (int)(sizeof(table) / sizeof(table[0]));

    return freedom < n ? table[freedom] : 1.96 + 2.5 / freedom;
}

double tune_median(const struct tune_contender *contender)
{
    double sorted[TUNE_MOST_PASSES];
    struct pario_interval interval;

    if (contender->passes == 0)
        return 0;
    memcpy(sorted, contender->mbps,
           (size_t)contender->passes * sizeof(*sorted));
    if (pario_median_interval(sorted, (size_t)contender->passes, &interval) !=
        0)
        return 0;
    return interval.median;
}

int tune_race_leader(const struct tune_race *race)
{
    int leader = -1;

    for (int i = 0; i < race->count; i++)
        if (!race->one[i].out && race->one[i].passes > 0 &&
            (leader < 0 ||
             tune_median(&race->one[i]) > tune_median(&race->one[leader])))
            leader = i;
    return leader;
}

struct tune_ratio tune_compare(const struct tune_contender *a, int a_first,
                               const struct tune_contender *b, int b_first)
{
    struct tune_ratio result = {.low = 0, .high = INFINITY};
    struct pario_moments m;
    int n = a->passes - a_first < b->passes - b_first ? a->passes - a_first
                                                      : b->passes - b_first;
    double half;

    pario_moments_init(&m);
    for (int i = 0; i < n; i++)
        pario_moments_add(&m, log(a->mbps[a_first + i] / b->mbps[b_first + i]));
    result.passes = n > 0 ? n : 0;
    if (n < 1)
        return result;
    result.ratio = exp(m.mean);
    if (n < 2)
        return result;
    half = student(n - 1) * pario_moments_stddev(&m) / sqrt((double)n);
    result.low = exp(m.mean - half);
    result.high = exp(m.mean + half);
    return result;
}

int tune_race_eliminate(struct tune_race *race)
{
    int leader = tune_race_leader(race), left = 0;

    for (int i = 0; i < race->count; i++) {
        struct tune_contender *one = &race->one[i];
        struct tune_ratio ratio;

        if (one->out)
            continue;
        left++;
        if (i == leader || leader < 0 || one->passes < 2)
            continue;
        ratio = tune_compare(one, 0, &race->one[leader], 0);
        if ((ratio.passes >= LEAST_PASSES && ratio.high < 1) ||
            tune_median(one) < FAR_BEHIND * tune_median(&race->one[leader])) {
            one->out = 1;
            left--;
            snprintf(one->reason, sizeof(one->reason),
                     "slower than %s after %d passes", race->one[leader].name,
                     one->passes);
        }
    }
    return left;
}
