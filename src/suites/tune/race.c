/* suites/tune/race.c - who is ahead, and who is surely behind. */
#include "suites/tune/tune.h"

#include "core/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_JOBS 3     /* before anyone drops out by the interval */
#define LEAST_JOBS_FAR 2 /* ... by being far behind */
#define FAR_BEHIND 0.2   /* of the leader's median */

/* Two-sided quantiles of Student's t. */
static double student(int freedom, enum tune_confidence confidence)
{
    static const double table[2][21] = {
        [TUNE_95] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
                     2.365, 2.306,  2.262, 2.228, 2.201, 2.179, 2.160,
                     2.145, 2.131,  2.120, 2.110, 2.101, 2.093, 2.086},
        [TUNE_99] = {0,     63.657, 9.925, 5.841, 4.604, 4.032, 3.707,
                     3.499, 3.355,  3.250, 3.169, 3.106, 3.055, 3.012,
                     2.977, 2.947,  2.921, 2.898, 2.878, 2.861, 2.845},
    };

    if (freedom <= 20)
        return table[confidence][freedom];
    return confidence == TUNE_95 ? 1.96 + 2.5 / freedom : 2.576 + 5.4 / freedom;
}

static double median_of(const double *values, int n)
{
    double sorted[TUNE_MAX_ROUNDS];
    struct pario_interval interval;

    if (n < 1)
        return 0;
    memcpy(sorted, values, (size_t)n * sizeof(*sorted));
    if (pario_median_interval(sorted, (size_t)n, &interval) != 0)
        return 0;
    return interval.median;
}

void tune_pass_add(struct tune_contender *one, double mbps)
{
    if (one->npass < TUNE_MAX_JOB_PASSES)
        one->pass[one->npass++] = mbps;
}

void tune_race_close(struct tune_race *race, int confirming, int round)
{
    for (int i = 0; i < race->count; i++) {
        struct tune_contender *one = &race->one[i];
        struct tune_values *values = confirming ? &one->confirm : &one->race;

        if (one->npass > 0 && round < TUNE_MAX_ROUNDS) {
            values->mbps[round] = median_of(one->pass, one->npass);
            values->rounds = round + 1;
        }
        one->npass = 0;
    }
}

int tune_jobs(const struct tune_values *values)
{
    int jobs = 0;

    for (int r = 0; r < values->rounds; r++)
        jobs += values->mbps[r] > 0;
    return jobs;
}

double tune_median(const struct tune_values *values)
{
    double have[TUNE_MAX_ROUNDS];
    int n = 0;

    for (int r = 0; r < values->rounds; r++)
        if (values->mbps[r] > 0)
            have[n++] = values->mbps[r];
    return median_of(have, n);
}

int tune_race_leader(const struct tune_race *race)
{
    double best = 0;
    int leader = -1;

    for (int i = 0; i < race->count; i++) {
        double median = tune_median(&race->one[i].race);

        if (race->one[i].state == TUNE_IN && median > best) {
            leader = i;
            best = median;
        }
    }
    return leader;
}

int tune_race_own(const struct tune_race *race, int of)
{
    const struct tune_contender *one = race->one;

    for (int i = 0; i < race->count; i++)
        if (one[i].hints[0] == '\0' && one[i].shipio == one[of].shipio &&
            strcmp(one[i].variable, one[of].variable) == 0)
            return i;
    return -1;
}

static struct pario_moments logs_of(const struct tune_pair *pair)
{
    const struct tune_values *a = pair->a, *b = pair->b;
    int rounds = a->rounds < b->rounds ? a->rounds : b->rounds;
    struct pario_moments m;

    pario_moments_init(&m);
    for (int r = 0; r < rounds; r++)
        if (a->mbps[r] > 0 && b->mbps[r] > 0)
            pario_moments_add(&m, log(a->mbps[r] / b->mbps[r]));
    return m;
}

struct tune_ratio tune_compare_all(const struct tune_pair *pairs, int npairs,
                                   enum tune_confidence confidence)
{
    struct tune_ratio result = {.low = 0, .high = INFINITY};
    double mean = 0, variance = 0, half;
    int freedom = 0, compared = 0;

    for (int i = 0; i < npairs; i++) {
        struct pario_moments m = logs_of(&pairs[i]);
        double deviation = m.count > 1 ? pario_moments_stddev(&m) : 0;

        /* With itself: 1, which nothing was measured for. */
        compared += pairs[i].a == pairs[i].b;
        if (m.count < 1 || pairs[i].a == pairs[i].b)
            continue;
        mean += m.mean;
        variance += deviation * deviation / (double)m.count;
        freedom += (int)m.count - 1;
        result.jobs += (int)m.count;
        compared++;
    }
    if (compared == 0)
        return result;
    result.ratio = exp(mean / compared);
    if (freedom < 1)
        return result;
    half = student(freedom, confidence) * sqrt(variance) / compared;
    result.low = exp(mean / compared - half);
    result.high = exp(mean / compared + half);
    return result;
}

struct tune_ratio tune_compare(const struct tune_values *a,
                               const struct tune_values *b,
                               enum tune_confidence confidence)
{
    const struct tune_pair pair = {a, b};

    return tune_compare_all(&pair, 1, confidence);
}

static int is_behind(const struct tune_contender *one,
                     const struct tune_contender *leader)
{
    struct tune_ratio ratio = tune_compare(&one->race, &leader->race, TUNE_99);

    if (ratio.jobs >= LEAST_JOBS && ratio.high < 1)
        return 1;
    return ratio.jobs >= LEAST_JOBS_FAR &&
           tune_median(&one->race) < FAR_BEHIND * tune_median(&leader->race);
}

int tune_race_eliminate(struct tune_race *race)
{
    int leader = tune_race_leader(race), left = 0;

    for (int i = 0; i < race->count; i++) {
        struct tune_contender *one = &race->one[i];

        if (one->state != TUNE_IN)
            continue;
        left++;
        if (i == leader || leader < 0 || !is_behind(one, &race->one[leader]))
            continue;
        one->state = TUNE_SLOWER;
        left--;
        snprintf(one->reason, sizeof(one->reason),
                 "slower than %.80s after %d jobs", race->one[leader].name,
                 tune_jobs(&one->race));
    }
    return left;
}
