/* suites/tune/all.c - from fifteen races to one way to run b_eff_io. */
#include "suites/tune/tune.h"

#include <math.h>
#include <stddef.h>

#define MAX_TRIES                                                              \
    3 /* who fails in the confirmation is left out of the next                 \
       */

const int64_t tune_chunks[TUNE_CHUNKS] = {1 << 10, 32 << 10, 1 << 20};

static const struct tune_race *any_race(const struct tune_all *all)
{
    for (int p = 0; p < TUNE_ALL; p++)
        if (all->race[p].race.one != NULL)
            return &all->race[p].race;
    return NULL;
}

const struct tune_contender *tune_all_contenders(const struct tune_all *all)
{
    const struct tune_race *race = any_race(all);

    return race != NULL ? race->one : NULL;
}

int tune_all_has_hints(const struct tune_all *all)
{
    for (int type = 0; type < TUNE_TYPES; type++)
        if (all->choice[type] >= 0 && all->choice[type] != all->own)
            return 1;
    return 0;
}

static double best_median(const struct tune_race *race)
{
    double best = 0;

    for (int i = 0; i < race->count; i++)
        best = fmax(best, tune_median(&race->one[i].race));
    return best;
}

/* Of one contender in one type: the sum over the chunk sizes of the logarithms
 * of its share of the fastest. -INFINITY: it has failed or had no turn. */
static double type_score(const struct tune_all *all, int i, int type)
{
    double sum = 0;
    int races = 0;

    for (int c = 0; c < TUNE_CHUNKS; c++) {
        const struct tune_race *race = &all->race[type * TUNE_CHUNKS + c].race;
        double median;

        if (race->one == NULL)
            continue;
        median = tune_median(&race->one[i].race);
        if (race->one[i].state == TUNE_STRUCK || !(median > 0))
            return -INFINITY;
        sum += log(median / best_median(race));
        races++;
    }
    return races > 0 ? sum : -INFINITY;
}

/* How good a library in an environment is with the best hints of each type.
 * One that fails in a type is worse than any that does not. */
struct score {
    int types;
    double sum;
    int choice[TUNE_TYPES];
};

static int is_better(const struct score *a, const struct score *b)
{
    return a->types > b->types || (a->types == b->types && a->sum > b->sum);
}

static struct score score_of(const struct tune_all *all,
                             const struct tune_race *race, int own)
{
    struct score score = {.types = 0};

    for (int type = 0; type < TUNE_TYPES; type++) {
        double best = -INFINITY;

        score.choice[type] = -1;
        for (int i = 0; i < race->count; i++) {
            double this = type_score(all, i, type);

            if (tune_race_own(race, i) == own && this > best) {
                best = this;
                score.choice[type] = i;
            }
        }
        if (score.choice[type] >= 0) {
            score.types++;
            score.sum += best;
        }
    }
    return score;
}

/* Of the same library and environment, the best for all types at once. */
static int best_plain(const struct tune_all *all, const struct tune_race *race)
{
    struct score best = {.types = 0};
    int plain = all->own;

    for (int i = 0; i < race->count; i++) {
        struct score score = {.types = 0};

        if (tune_race_own(race, i) != all->own)
            continue;
        for (int type = 0; type < TUNE_TYPES; type++) {
            double this = type_score(all, i, type);

            if (isfinite(this)) {
                score.types++;
                score.sum += this;
            }
        }
        if (is_better(&score, &best)) {
            best = score;
            plain = i;
        }
    }
    return plain;
}

void tune_all_choose(struct tune_all *all)
{
    const struct tune_race *race = any_race(all);
    struct score best = {.types = 0};

    all->nothing = 0; /* the first setting of all */
    all->own = -1;
    for (int i = 0; race != NULL && i < race->count; i++) {
        struct score score;

        if (tune_race_own(race, i) != i)
            continue;
        score = score_of(all, race, i);
        if (is_better(&score, &best)) {
            best = score;
            all->own = i;
        }
    }
    for (int type = 0; type < TUNE_TYPES; type++)
        all->choice[type] = all->own >= 0 ? best.choice[type] : -1;
    all->plain = race != NULL && all->own >= 0 ? best_plain(all, race) : -1;
}

/* choice of each type, or one for all of them, against another. */
static struct tune_ratio compare(const struct tune_all *all, const int *choice,
                                 int against, int first_type, int last_type)
{
    struct tune_pair pairs[TUNE_ALL];
    int n = 0;

    for (int type = first_type; type <= last_type; type++)
        for (int c = 0; c < TUNE_CHUNKS; c++) {
            const struct tune_race *race =
                &all->race[type * TUNE_CHUNKS + c].race;

            if (race->one == NULL || choice[type] < 0 || against < 0)
                continue;
            pairs[n].a = &race->one[choice[type]].confirm;
            pairs[n++].b = &race->one[against].confirm;
        }
    return tune_compare_all(pairs, n, TUNE_95);
}

static int is_struck(const struct tune_all *all, int i, int type)
{
    for (int c = 0; c < TUNE_CHUNKS; c++) {
        const struct tune_race *race = &all->race[type * TUNE_CHUNKS + c].race;

        if (race->one != NULL && i >= 0 && race->one[i].state == TUNE_STRUCK)
            return 1;
    }
    return 0;
}

static int is_struck_anywhere(const struct tune_all *all, int i)
{
    int struck = 0;

    for (int type = 0; type < TUNE_TYPES; type++)
        struck |= is_struck(all, i, type);
    return struck;
}

static void decide_plain(struct tune_all *all)
{
    int plain[TUNE_TYPES];

    all->plain_leader = all->plain;
    for (int type = 0; type < TUNE_TYPES; type++)
        plain[type] = all->plain;
    all->plain_over_own = compare(all, plain, all->own, 0, TUNE_TYPES - 1);
    if (all->plain != all->own && all->plain_over_own.low <= 1 &&
        !is_struck_anywhere(all, all->own)) {
        all->plain = all->own;
        for (int type = 0; type < TUNE_TYPES; type++)
            plain[type] = all->plain;
    }
    all->plain_over_nothing =
        compare(all, plain, all->nothing, 0, TUNE_TYPES - 1);
}

void tune_all_decide(struct tune_all *all)
{
    for (int type = 0; type < TUNE_TYPES; type++) {
        all->leader[type] = all->choice[type];
        all->type_over_own[type] =
            compare(all, all->choice, all->own, type, type);
        if (all->choice[type] >= 0 && all->choice[type] != all->own &&
            all->type_over_own[type].low <= 1 &&
            !is_struck(all, all->own, type))
            all->choice[type] = all->own;
        all->type_over_nothing[type] =
            compare(all, all->choice, all->nothing, type, type);
    }
    decide_plain(all);
    all->over_nothing =
        compare(all, all->choice, all->nothing, 0, TUNE_TYPES - 1);
    /* Where doing nothing fails, whatever works is better. */
    if (all->own == all->nothing)
        all->won = tune_all_has_hints(all);
    else
        all->won =
            all->over_nothing.low > 1 || is_struck_anywhere(all, all->nothing);
}

/* 1: one of those that it is about failed. */
static int confirm_once(const struct tune_options *options,
                        struct tune_all *all, double time_s, int *failed_p)
{
    int races = 0, code = 0;

    *failed_p = 0;
    for (int p = 0; p < TUNE_ALL; p++)
        races += all->race[p].race.one != NULL;
    for (int p = 0; code == 0 && *failed_p == 0 && p < TUNE_ALL; p++) {
        struct tune_outcome *race = &all->race[p];
        int type = p / TUNE_CHUNKS;
        const int keep[] = {all->choice[type], all->plain, all->own,
                            all->nothing};

        if (race->race.one == NULL || all->choice[type] < 0 ||
            (all->choice[type] == all->nothing && all->plain == all->nothing))
            continue;
        code = tune_confirm(options, race, keep, 4, time_s / races);
        *failed_p = code == 0 && is_struck(all, all->choice[type], type);
    }
    return code;
}

int tune_all_confirm(const struct tune_options *options, struct tune_all *all,
                     double time_s)
{
    int failed = 1, code = 0;

    for (int tries = 0; code == 0 && failed && tries < MAX_TRIES; tries++) {
        tune_all_choose(all);
        if (all->own < 0)
            return pario_fail(PARIO_EVERIFY, "no contender came through");
        code = confirm_once(options, all, tries == 0 ? time_s : 0, &failed);
    }
    if (code == 0 && failed)
        code = pario_fail(PARIO_EVERIFY,
                          "%d settings failed one after the other in the "
                          "confirmation",
                          MAX_TRIES);
    if (code == 0)
        tune_all_decide(all);
    return code;
}
