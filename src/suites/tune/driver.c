/* suites/tune/driver.c - rounds of jobs within the time, then confirmation. */
#include "suites/tune/driver.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/progress.h"
#include "launch/library.h"
#include "par/group.h"
#include "sys/fs.h"
#include "sys/node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define ROUND_PASSES 2
#define CONFIRM_PASSES 2
#define LEAST_CONFIRM 3 /* jobs; one job proves nothing */
#define MAX_CONFIRM 16
#define CONFIRM_SHARE 0.4 /* of the time */

/* Does this contender begin a job? The first of those in that share its
 * environment does. */
static int begins_job(const struct tune_race *race, int i)
{
    if (race->one[i].state != TUNE_IN)
        return 0;
    for (int k = 0; k < i; k++)
        if (race->one[k].state == TUNE_IN &&
            strcmp(race->one[k].variable, race->one[i].variable) == 0)
            return 0;
    return 1;
}

/* One round: a job for every environment that still has contenders; each
 * round begins with another one. No further job begins after end_s. */
static int run_round(struct tune_driver *driver, int passes, int round,
                     double end_s)
{
    struct tune_race *race = driver->race;
    int begin[TUNE_MAX_CONTENDERS], jobs = 0, code = 0;

    for (int i = 0; i < race->count; i++)
        if (begins_job(race, i))
            begin[jobs++] = i;
    driver->start = round;
    for (int j = 0; code == 0 && j < jobs; j++) {
        if (pario_clock_s() >= end_s && j > 0)
            break;
        code = tune_run_job(
            driver, race->one[begin[(j + round) % jobs]].variable, passes);
    }
    return code;
}

static void say(const struct tune_driver *driver, const char *what, int round,
                int left)
{
    int leader = tune_race_leader(driver->race);

    const char *name =
        leader >= 0 ? driver->race->one[leader].name : "no setting";
    double mbps =
        leader >= 0 ? tune_median(&driver->race->one[leader].race) : 0.0;

    if (driver->options->quiet)
        return;
    if (driver->options->progress != NULL) /* one line, rewritten */
        pario_progress_phase(driver->options->progress,
                             "%s %d, %d left, ahead: %.40s  %.0f MB/s", what,
                             round + 1, left, name, mbps);
    else
        fprintf(stderr,
                "%s %d: %.0f s of %.0f s, %d contenders left, ahead: %s, "
                "%.0f MB/s\n",
                what, round + 1, pario_clock_s() - driver->start_s,
                driver->end_s - driver->start_s, left, name, mbps);
}

static int count_in(const struct tune_race *race)
{
    int n = 0;

    for (int i = 0; i < race->count; i++)
        n += race->one[i].state == TUNE_IN;
    return n;
}

/* Everyone in so many jobs: a yardstick. */
static int measure_all(struct tune_driver *driver)
{
    int code = 0;

    for (int round = 0; code == 0 && round < driver->options->rounds &&
                        count_in(driver->race) > 0;
         round++) {
        code = run_round(driver, ROUND_PASSES, round, INFINITY);
        tune_race_close(driver->race, 0, round);
        say(driver, "round", round, count_in(driver->race));
    }
    return code;
}

static int explore(struct tune_driver *driver, double end_s)
{
    int left = count_in(driver->race), code = 0;

    driver->confirming = 0;
    while (code == 0 && left > 0 && driver->round < TUNE_MAX_ROUNDS) {
        double begin_s = pario_clock_s();
        int leads;

        code = run_round(driver, ROUND_PASSES, driver->round, end_s);
        tune_race_close(driver->race, 0, driver->round);
        left = tune_race_eliminate(driver->race);
        say(driver, "round", driver->round++, left);
        leads = tune_race_leader(driver->race) >= 0;
        /* Another round takes no longer than this one did. */
        if (leads && (left == 1 || 2 * pario_clock_s() - begin_s > end_s))
            break;
    }
    return code;
}

/* The leader, or its own default where it is not surely better than that, or
 * nobody where neither is surely better than doing nothing. */
static void decide(const struct tune_race *race, struct tune_outcome *outcome)
{
    const struct tune_contender *one = race->one;
    int best = outcome->leader, nothing = outcome->nothing;
    int own = outcome->own;

    outcome->leader_over_nothing =
        tune_compare(&one[best].confirm, &one[nothing].confirm, TUNE_95);
    if (own >= 0 && own != best) {
        outcome->leader_over_own =
            tune_compare(&one[best].confirm, &one[own].confirm, TUNE_95);
        if (outcome->leader_over_own.low <= 1 && one[own].state != TUNE_STRUCK)
            best = own;
    }
    outcome->over_nothing =
        tune_compare(&one[best].confirm, &one[nothing].confirm, TUNE_95);
    outcome->winner = best;
    /* Where doing nothing fails, whatever works is better. */
    if (best == nothing ||
        (one[nothing].state != TUNE_STRUCK && outcome->over_nothing.low <= 1))
        outcome->winner = -1;
}

static void leave_in(struct tune_race *race, const int *keep, int nkeep)
{
    for (int i = 0; i < race->count; i++) {
        struct tune_contender *one = &race->one[i];
        int kept = 0;

        for (int k = 0; k < nkeep; k++)
            kept |= keep[k] == i;
        if (one->state == TUNE_IN && !kept) {
            one->state = TUNE_WAITS;
            snprintf(one->reason, sizeof(one->reason), "%s",
                     tune_jobs(&one->race) > 0 ? "not ahead when time was over"
                                               : "no time was left for it");
        } else if (kept && one->state != TUNE_STRUCK) {
            one->state = TUNE_IN;
        }
    }
}

/* Only these, in fresh jobs: what was seen in the race was the luckiest of
 * many and is not trusted. keep[0] is what all depends on. How many jobs
 * depends on the time alone. */
static int confirm(struct tune_driver *driver, const int *keep, int nkeep)
{
    struct tune_race *race = driver->race;
    int code = 0;

    driver->confirming = 1;
    leave_in(race, keep, nkeep);
    for (int i = 0; i < race->count; i++)
        race->one[i].confirm = (struct tune_values){.rounds = 0};
    for (int round = 0; code == 0 && round < MAX_CONFIRM; round++) {
        double begin_s = pario_clock_s();

        code = run_round(driver, CONFIRM_PASSES, round, INFINITY);
        tune_race_close(race, 1, round);
        say(driver, "confirmation", round, count_in(race));
        if (race->one[keep[0]].state == TUNE_STRUCK ||
            (round + 1 >= LEAST_CONFIRM &&
             2 * pario_clock_s() - begin_s > driver->end_s))
            break;
    }
    return code;
}

/* Who is to be confirmed: the leader of those in; where they all failed, who
 * had no turn yet, then who was slower. */
static int next_leader(struct tune_driver *driver, int *leader_p)
{
    struct tune_race *race = driver->race;
    int code = 0;

    for (int i = 0; i < race->count; i++)
        if (race->one[i].state == TUNE_WAITS)
            race->one[i].state = TUNE_IN;
    if (tune_race_leader(race) < 0)
        code = explore(driver, 0);
    for (int i = 0; tune_race_leader(race) < 0 && i < race->count; i++)
        if (race->one[i].state == TUNE_SLOWER)
            race->one[i].state = TUNE_IN;
    *leader_p = tune_race_leader(race);
    return code;
}

/* The second best may be needed when the best fails after all. */
static int choose(struct tune_driver *driver, struct tune_outcome *outcome)
{
    struct tune_race *race = driver->race;
    int keep[3], code = 0;

    for (int tries = 0; code == 0 && tries < race->count; tries++) {
        code = next_leader(driver, &outcome->leader);
        if (code != 0 || outcome->leader < 0)
            return code;
        outcome->own = tune_race_own(race, outcome->leader);
        keep[0] = outcome->leader;
        keep[1] = outcome->nothing;
        keep[2] = outcome->own;
        code = confirm(driver, keep, 3);
        if (code == 0 && race->one[outcome->leader].state != TUNE_STRUCK) {
            decide(race, outcome);
            return 0;
        }
    }
    outcome->leader = -1;
    return code;
}

/* MPICH's processes spin while they wait; with more of them than cores they
 * keep each other from working. */
static const char *find_yield(const struct tune_options *options, char *path,
                              size_t len)
{
    struct pario_node_facts node;

    if (strstr(pario_par_library(), "MPICH") == NULL ||
        pario_node_facts_get(&node) != 0 || options->processes <= node.cores ||
        pario_library_find("libmpiyield.so", "PARIO_YIELD_LIBRARY", path,
                           len) != 0)
        return NULL;
    return path;
}

/* The time, and a folder for the jobs. */
static int begin_run(struct tune_driver *driver, double time_s)
{
    const char *directory = driver->options->directory;

    driver->start_s = pario_clock_s();
    driver->end_s = driver->start_s + time_s;
    if (getrandom(&driver->key, sizeof(driver->key), 0) < 0)
        driver->key = (uint64_t)pario_clock_ns();
    return pario_cleanup_make_tree(directory, "pario-tune", 0, driver->base,
                                   sizeof(driver->base));
}

static int end_run(struct tune_driver *driver, struct tune_outcome *outcome,
                   int code)
{
    if (code == 0)
        code = pario_cleanup_remove(driver->base);
    outcome->seconds += pario_clock_s() - driver->start_s;
    outcome->slowest_s = driver->slowest_s;
    if (driver->nodes > 0)
        outcome->nodes = driver->nodes;
    outcome->placement = driver->placement;
    outcome->race_rounds = driver->round;
    return code;
}

static int hold_race(struct tune_driver *driver, enum tune_phases phases,
                     struct tune_outcome *outcome)
{
    double end_s = driver->end_s;
    int code;

    if (driver->options->rounds > 0) {
        code = measure_all(driver);
        outcome->leader = tune_race_leader(driver->race);
        return code;
    }
    if (phases == TUNE_CONFIRMED)
        end_s -= CONFIRM_SHARE * (driver->end_s - driver->start_s);
    code = explore(driver, end_s);
    if (code == 0 && phases == TUNE_RACE_ONLY) {
        outcome->leader = tune_race_leader(driver->race);
        leave_in(driver->race, &outcome->leader, 1);
    } else if (code == 0)
        code = choose(driver, outcome);
    return code;
}

int tune_run(const struct tune_options *options,
             const struct tune_pattern *pattern, double time_s,
             enum tune_phases phases, struct tune_outcome *outcome_p)
{
    struct tune_outcome outcome = {.leader = -1,
                                   .winner = -1,
                                   .own = -1,
                                   .processes = options->processes,
                                   .phases = phases,
                                   .rounds = (int)options->rounds};
    struct tune_driver driver = {.options = options, .race = &outcome.race};
    char yield[4096];
    struct tune_field field = {
        .mpi = pario_par_library(),
        .processes = (int)options->processes,
        .native = options->native,
        .shipio = options->shipio,
        .extra = options->tries.item,
        .yield = find_yield(options, yield, sizeof(yield)),
    };
    int code = tune_race_init(&outcome.race, &field);

    if (code != 0)
        return code;
    outcome.race.pattern = *pattern;
    outcome.nothing = 0; /* the first setting of all */
    code =
        pario_fs_check_writable(options->directory, tune_file_bytes(&driver));
    if (code == 0)
        code = begin_run(&driver, time_s);
    if (code == 0)
        code = end_run(&driver, &outcome, hold_race(&driver, phases, &outcome));
    if (code != 0) {
        tune_race_fini(&outcome.race);
        return code;
    }
    *outcome_p = outcome;
    return 0;
}

int tune_confirm(const struct tune_options *options,
                 struct tune_outcome *outcome, const int *keep, int nkeep,
                 double time_s)
{
    struct tune_driver driver = {.options = options,
                                 .race = &outcome->race,
                                 .slowest_s = outcome->slowest_s,
                                 .round = outcome->race_rounds};
    int code = begin_run(&driver, time_s);

    /* Those of the race are in the document already. */
    for (int i = 0; i < outcome->race.count; i++)
        outcome->race.one[i].done = (struct pario_figures){.passes = 0};
    return code != 0 ? code
                     : end_run(&driver, outcome, confirm(&driver, keep, nkeep));
}
