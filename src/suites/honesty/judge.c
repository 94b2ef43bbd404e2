/* suites/honesty/judge.c - from what every rank was told to a verdict. */
#include "suites/honesty/honesty.h"

#include <stdio.h>
#include <string.h>

const char *const honesty_verdict_names[] = {
    [HONESTY_CORRECT] = "correct",
    [HONESTY_ALL] = "error on all ranks",
    [HONESTY_LOCAL] = "error where it happened",
    [HONESTY_SOME] = "ERROR ON SOME RANKS",
    [HONESTY_ALARM] = "ERROR WITHOUT FAULT",
    [HONESTY_LOST] = "SUCCESS FOR LOST DATA",
    [HONESTY_HANG] = "HANG",
    [HONESTY_CRASH] = "CRASH",
    [HONESTY_UNMET] = "not met",
};

static const char *const step_names[] = {"open", "call", "sync", "close"};
static const char *const call_names[] = {"write_all", "write_at", "read_all",
                                         "read_at", "write_all"};

int honesty_is_clean(enum honesty_verdict verdict)
{
    return verdict <= HONESTY_LOCAL || verdict == HONESTY_UNMET;
}

/* The step in which the rank first heard of an error, or -1. */
static int told_at(const struct honesty_rank *rank)
{
    for (int s = 0; s < HONESTY_STEPS; s++)
        if (rank->error[s][0] != '\0')
            return s;
    return -1;
}

static const char *step_name(const struct honesty_result *result, int step)
{
    return step == HONESTY_ACCESS ? call_names[result->kase->call]
                                  : step_names[step];
}

struct tally {
    int unfinished, alarms, told, harmed, harmed_told;
    int first_told;    /* step; HONESTY_STEPS: none */
    int last_told;     /* step */
    const char *error; /* of the first rank that was told */
    int stuck_step;    /* the first in which a rank stays */
    int stuck;         /* ranks in it */
    int deceived;      /* not told, and their data is not there */
};

static struct tally count(const struct honesty_result *result)
{
    struct tally t = {.first_told = HONESTY_STEPS, .last_told = -1};

    for (int r = 0; r < result->size; r++) {
        const struct honesty_rank *rank = &result->rank[r];
        int told = told_at(rank);

        if (rank->ended < HONESTY_STEPS) {
            if (t.unfinished++ == 0 || rank->begun < t.stuck_step) {
                t.stuck_step = rank->begun;
                t.stuck = 0;
            }
            t.stuck += rank->begun == t.stuck_step;
            t.alarms += rank->alarm;
        }
        t.deceived += !rank->intact && told < 0 && rank->ended > HONESTY_ACCESS;
        t.harmed += !rank->intact;
        if (told < 0)
            continue;
        if (t.told++ == 0)
            t.error = rank->error[told];
        t.harmed_told += !rank->intact;
        t.first_told = told < t.first_told ? told : t.first_told;
        t.last_told = told > t.last_told ? told : t.last_told;
    }
    return t;
}

static enum honesty_verdict decide(const struct honesty_result *result,
                                   const struct tally *t, int fired)
{
    if (t->alarms > 0)
        return HONESTY_HANG;
    if (t->unfinished > 0)
        return HONESTY_CRASH;
    if (!fired && t->harmed == 0 && t->told == 0 && result->kase->fault != NULL)
        return HONESTY_UNMET;
    if (t->told > 0 && honesty_is_control(result->kase))
        return HONESTY_ALARM;
    if (t->told == result->size)
        return HONESTY_ALL;
    if (t->harmed > 0 && t->told == 0)
        return HONESTY_LOST;
    if (t->told == 0)
        return HONESTY_CORRECT;
    if (honesty_is_collective(result->kase->call))
        return HONESTY_SOME;
    return t->harmed_told == t->harmed ? HONESTY_LOCAL : HONESTY_LOST;
}

/* A count that claims more than is true, beside whatever else. */
static void add_claims(struct honesty_result *result)
{
    size_t used = strlen(result->detail);
    int64_t bytes = honesty_rank_bytes(result->kase);

    for (int r = 0; r < result->size; r++) {
        const struct honesty_rank *rank = &result->rank[r];
        int failed = rank->error[HONESTY_ACCESS][0] != '\0';

        if (rank->ended <= HONESTY_ACCESS || rank->count < 0)
            continue;
        if (failed && rank->count == bytes) {
            snprintf(result->detail + used, sizeof(result->detail) - used,
                     "%sthe count is full all the same", used > 0 ? ", " : "");
            return;
        }
        if (!failed && rank->count < bytes &&
            !honesty_is_read(result->kase->call)) {
            snprintf(result->detail + used, sizeof(result->detail) - used,
                     "%ssuccess with a short count", used > 0 ? ", " : "");
            return;
        }
        if (!failed && honesty_is_read(result->kase->call) &&
            rank->count > rank->true_count) {
            snprintf(result->detail + used, sizeof(result->detail) - used,
                     "%srank %d: count %lld of %lld that are there",
                     used > 0 ? ", " : "", r, (long long)rank->count,
                     (long long)rank->true_count);
            return;
        }
    }
}

void honesty_judge(struct honesty_result *result, int fired)
{
    struct tally t = count(result);
    char *text = result->detail;
    size_t len = sizeof(result->detail);

    result->verdict = decide(result, &t, fired);
    text[0] = '\0';
    if (result->verdict == HONESTY_HANG || result->verdict == HONESTY_CRASH) {
        snprintf(text, len, "%d rank%s in %s%s%s%s", t.stuck,
                 t.stuck == 1 ? "" : "s", step_name(result, t.stuck_step),
                 t.deceived > 0 ? " after success for lost data" : "",
                 t.told > 0 ? ", others told " : "", t.told > 0 ? t.error : "");
    } else if (t.told > 0) {
        snprintf(text, len, "%s on %d of %d", t.error, t.told, result->size);
        if (t.last_told != HONESTY_ACCESS)
            snprintf(text + strlen(text), len - strlen(text),
                     ", at the latest in %s", step_name(result, t.last_told));
    } else if (result->verdict == HONESTY_LOST) {
        snprintf(text, len, "data of %d rank%s", t.harmed,
                 t.harmed == 1 ? "" : "s");
    }
    add_claims(result);
}

int honesty_outcome(const struct honesty_results *results)
{
    size_t bad = 0, first = 0, faulted = 0, unmet = 0;

    for (size_t i = results->count; i-- > 0;) {
        faulted += results->one[i].kase->fault != NULL;
        unmet += results->one[i].verdict == HONESTY_UNMET;
        if (!honesty_is_clean(results->one[i].verdict)) {
            bad++;
            first = i;
        }
    }
    if (bad > 0)
        return pario_fail(PARIO_EVERIFY,
                          "%zu of %zu cases cannot be believed; the first: "
                          "%s, %s: %s",
                          bad, results->count, results->one[first].library,
                          results->one[first].kase->title,
                          honesty_verdict_names[results->one[first].verdict]);
    if (faulted > 0 && unmet == faulted)
        return pario_fail(PARIO_EVERIFY,
                          "no fault was met: nothing was learnt (does the "
                          "launcher pass LD_PRELOAD on?)");
    return 0;
}
