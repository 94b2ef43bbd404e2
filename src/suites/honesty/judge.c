/* suites/honesty/judge.c - from what each rank got reported to a verdict. */
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
    [HONESTY_UNSYNCED] = "SYNC WITHOUT FSYNC",
    [HONESTY_HANG] = "HANG",
    [HONESTY_CRASH] = "CRASH",
    [HONESTY_UNMET] = "did not happen",
};

const char *const honesty_libraries[] = {"native", "shipio", NULL};

static const char *const step_names[] = {"open", "call", "sync", "close"};
static const char *const call_names[] = {"write_all", "write_at", "read_all",
                                         "read_at", "write_all"};

int honesty_is_clean(enum honesty_verdict verdict)
{
    return verdict <= HONESTY_LOCAL;
}

/* The step in which the rank first heard of an error, or -1. */
static int reported_at(const struct honesty_rank *rank)
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
    int unfinished, alarms, reported, harmed, harmed_reported;
    int unharmed_failed; /* the call failed, and the data is there */
    int first_reported;  /* step; HONESTY_STEPS: none */
    int last_reported;   /* step */
    const char *error;   /* of the first rank that got one */
    int stuck_step;      /* the first in which a rank stays */
    int stuck;           /* ranks in it */
    int deceived;        /* got no error, and their data is not there */
};

static struct tally count(const struct honesty_result *result)
{
    struct tally t = {.first_reported = HONESTY_STEPS, .last_reported = -1};

    for (int r = 0; r < result->size; r++) {
        const struct honesty_rank *rank = &result->rank[r];
        int reported = reported_at(rank);

        if (rank->ended < HONESTY_STEPS) {
            if (t.unfinished++ == 0 || rank->begun < t.stuck_step) {
                t.stuck_step = rank->begun;
                t.stuck = 0;
            }
            t.stuck += rank->begun == t.stuck_step;
            t.alarms += rank->alarm;
        }
        t.deceived +=
            !rank->intact && reported < 0 && rank->ended > HONESTY_ACCESS;
        t.harmed += !rank->intact;
        if (reported < 0)
            continue;
        if (t.reported++ == 0)
            t.error = rank->error[reported];
        t.harmed_reported += !rank->intact;
        t.unharmed_failed += rank->intact && reported == HONESTY_ACCESS;
        t.first_reported =
            reported < t.first_reported ? reported : t.first_reported;
        t.last_reported =
            reported > t.last_reported ? reported : t.last_reported;
    }
    return t;
}

/* Nothing was reported to any rank, and no fault was met. */
static enum honesty_verdict unmet(const struct honesty_result *result)
{
    return result->kase->call == HONESTY_SYNC && result->witnessed
               ? HONESTY_UNSYNCED
               : HONESTY_UNMET;
}

/* An independent call of which some rank heard an error. */
static enum honesty_verdict decide_local(const struct honesty_result *result,
                                         const struct tally *t)
{
    if (t->harmed_reported < t->harmed)
        return HONESTY_LOST;
    if (t->harmed == 0 || t->unharmed_failed > 0)
        return HONESTY_ALARM;
    return t->reported == result->size ? HONESTY_ALL : HONESTY_LOCAL;
}

static enum honesty_verdict decide(const struct honesty_result *result,
                                   const struct tally *t)
{
    int faultless = !result->fired && (result->kase->fault != NULL ||
                                       honesty_is_control(result->kase));

    if (t->alarms > 0 || (t->unfinished > 0 && result->timed_out))
        return HONESTY_HANG;
    if (t->unfinished > 0)
        return HONESTY_CRASH;
    if (t->reported > 0 && faultless)
        return HONESTY_ALARM;
    if (t->harmed > 0 && t->reported == 0)
        return HONESTY_LOST;
    if (t->reported == 0)
        return result->fired || result->kase->fault == NULL ? HONESTY_CORRECT
                                                            : unmet(result);
    if (!honesty_is_collective(result->kase->call))
        return decide_local(result, t);
    return t->reported == result->size ? HONESTY_ALL : HONESTY_SOME;
}

/* A read claims bytes that are not there: which, and what it gave for them. */
static void add_gap(struct honesty_result *result, int r)
{
    const struct honesty_rank *rank = &result->rank[r];
    size_t used = strlen(result->detail);
    char text[80];
    int gap = 0;

    for (int i = 0; i < result->size; i++)
        gap |= result->rank[i].gap;
    honesty_gap_text(gap, text);
    snprintf(result->detail + used, sizeof(result->detail) - used,
             "%srank %d: count %lld of %lld that are there%s%s",
             used > 0 ? ", " : "", r, (long long)rank->count,
             (long long)rank->true_count, gap != 0 ? "; the gap holds " : "",
             text);
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
            add_gap(result, r);
            return;
        }
    }
}

void honesty_judge(struct honesty_result *result)
{
    struct tally t = count(result);
    char *text = result->detail;
    size_t len = sizeof(result->detail);

    result->verdict = decide(result, &t);
    text[0] = '\0';
    if (result->verdict == HONESTY_HANG || result->verdict == HONESTY_CRASH) {
        snprintf(text, len, "%d rank%s in %s%s%s%s", t.stuck,
                 t.stuck == 1 ? "" : "s", step_name(result, t.stuck_step),
                 t.deceived > 0 ? " after success for lost data" : "",
                 t.reported > 0 ? ", others got " : "",
                 t.reported > 0 ? t.error : "");
    } else if (t.reported > 0) {
        snprintf(text, len, "%s on %d of %d", t.error, t.reported,
                 result->size);
        if (t.last_reported != HONESTY_ACCESS)
            snprintf(text + strlen(text), len - strlen(text),
                     ", at the latest in %s",
                     step_name(result, t.last_reported));
    } else if (result->verdict == HONESTY_LOST) {
        snprintf(text, len, "data of %d rank%s", t.harmed,
                 t.harmed == 1 ? "" : "s");
    }
    add_claims(result);
}

struct honesty_sum honesty_sum_of(const struct honesty_results *results,
                                  const char *library)
{
    struct honesty_sum sum = {.cases = 0};

    for (size_t i = 0; i < results->count; i++) {
        const struct honesty_result *one = &results->one[i];

        if (strcmp(one->library, library) != 0)
            continue;
        sum.cases++;
        sum.faults += one->kase->fault != NULL;
        if (one->verdict == HONESTY_UNMET) {
            sum.first_unmet = sum.unmet++ == 0 ? one : sum.first_unmet;
        } else if (!honesty_is_clean(one->verdict)) {
            sum.first_bad = sum.bad++ == 0 ? one : sum.first_bad;
        }
    }
    return sum;
}

static int library_outcome(const char *library, const struct honesty_sum *sum)
{
    if (sum->bad > 0)
        return pario_fail(
            PARIO_EVERIFY,
            "%s: %zu of %zu cases cannot be believed; the first: %s: %s",
            library, sum->bad, sum->cases, sum->first_bad->kase->test.summary,
            honesty_verdict_names[sum->first_bad->verdict]);
    if (sum->unmet > 0 && sum->unmet == sum->faults)
        return pario_fail(PARIO_EVERIFY,
                          "%s: no fault happened: nothing was learnt (does the "
                          "launcher pass LD_PRELOAD on?)",
                          library);
    if (sum->unmet > 0)
        return pario_fail(PARIO_EVERIFY,
                          "%s: %zu of %zu faults did not happen: nothing was "
                          "learnt of them; the first: %s",
                          library, sum->unmet, sum->faults,
                          sum->first_unmet->kase->test.summary);
    return 0;
}

int honesty_outcome(const struct honesty_results *results)
{
    if (results->count == 0)
        return pario_fail(
            PARIO_EVERIFY,
            "no case was run (those named -mapped are shipio's alone)");
    for (int l = 0; honesty_libraries[l] != NULL; l++) {
        struct honesty_sum sum = honesty_sum_of(results, honesty_libraries[l]);
        int code = library_outcome(honesty_libraries[l], &sum);

        if (code != 0)
            return code;
    }
    return 0;
}
