/* suites/tune/driver.c - rounds of jobs within the time, then confirmation. */
#include "suites/tune/tune.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "par/group.h"
#include "par/job.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUND_PASSES 3
#define CONFIRM_PASSES 4   /* in each of the jobs of the confirmation */
#define CONFIRM_SHARE 0.35 /* of the time */
#define START_S 60         /* a job may take so long besides its passes */

struct driver {
    const struct tune_options *options;
    struct tune_race *race;
    char base[PATH_MAX];
    uint64_t key;
    int jobs;
    double start_s, end_s;
};

static int write_spec(const struct driver *driver, const char *folder,
                      const char *variable, int passes, int *shipio_p)
{
    const struct tune_race *race = driver->race;
    const struct tune_pattern *p = &race->pattern;
    char path[PATH_MAX + 64];
    int members = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/spec", folder);
    file = fopen(path, "w");
    if (file == NULL)
        return pario_fail_errno(-errno, "cannot write %s", path);
    fprintf(file, "%d %lld %lld %lld %.0f %d\n", p->type, (long long)p->l,
            (long long)p->L, (long long)p->task_bytes,
            driver->options->pass_s * 1e3, passes);
    *shipio_p = 0;
    for (int i = 0; i < race->count; i++) {
        const struct tune_contender *one = &race->one[i];

        if (one->out || strcmp(one->variable, variable) != 0)
            continue;
        fprintf(file, "%d %s %s\n", i, one->shipio ? "shipio" : "native",
                one->hints);
        *shipio_p |= one->shipio;
        members++;
    }
    if (fclose(file) != 0)
        return pario_fail_errno(-errno, "cannot write %s", path);
    return members;
}

/* Equal amounts written and read: the harmonic mean. */
static double figure(const struct tune_options *options, double write_mbps,
                     double read_mbps)
{
    if (options->access == 1)
        return write_mbps;
    if (options->access == 2)
        return read_mbps;
    return write_mbps > 0 && read_mbps > 0
               ? 2 / (1 / write_mbps + 1 / read_mbps)
               : 0;
}

static void strike(struct tune_contender *one, const char *reason)
{
    one->out = 1;
    snprintf(one->reason, sizeof(one->reason), "struck out: %s", reason);
}

/* Keeps a line; *under_way_p: who began and has not ended. */
static void take_line(struct driver *driver, char *line, int *under_way_p)
{
    char *rest = line, *word = strsep(&rest, " ");
    long id = rest != NULL ? strtol(rest, &rest, 10) : -1;
    struct tune_contender *one;

    if (id < 0 || id >= driver->race->count)
        return;
    one = &driver->race->one[id];
    if (strcmp(word, "begin") == 0) {
        *under_way_p = (int)id;
        return;
    }
    if (strcmp(word, "unknown") == 0) {
        snprintf(one->unknown, sizeof(one->unknown), "%s",
                 rest + (*rest == ' '));
        return;
    }
    *under_way_p = -1;
    if (strcmp(word, "bad") == 0) {
        strike(one, rest + (*rest == ' '));
    } else if (strcmp(word, "pass") == 0 && one->passes < TUNE_MOST_PASSES) {
        double write_mbps = strtod(rest, &rest);
        double mbps = figure(driver->options, write_mbps, strtod(rest, &rest));

        if (mbps > 0)
            one->mbps[one->passes++] = mbps;
    }
}

/* -1: nobody; else who was under way when the job ended. */
static int read_report(struct driver *driver, const char *folder)
{
    char path[PATH_MAX + 64], line[1024];
    int under_way = -1;
    FILE *file;

    snprintf(path, sizeof(path), "%s/report", folder);
    file = fopen(path, "r");
    if (file == NULL)
        return -2;
    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        take_line(driver, line, &under_way);
    }
    fclose(file);
    return under_way;
}

/* Runs the contenders that share these parameters. */
static int run_job(struct driver *driver, const char *variable, int passes)
{
    char folder[PATH_MAX + 32], output[PATH_MAX + 64], key[32], name[96];
    char semaphore[128];
    const char *equals = strchr(variable, '=');
    const char *arguments[] = {"tune-race", folder, key, NULL, NULL};
    struct pario_job_variable variables[] = {
        {equals != NULL ? name : NULL, equals != NULL ? equals + 1 : NULL},
        {NULL, NULL},
    };
    struct pario_job job = {.processes = (int)driver->options->processes,
                            .arguments = arguments,
                            .variables = variables,
                            .output = output};
    struct pario_job_outcome outcome;
    int members, shipio = 0, under_way, code;

    snprintf(name, sizeof(name), "%.*s",
             equals != NULL ? (int)(equals - variable) : 0, variable);
    snprintf(folder, sizeof(folder), "%s/%s-%d", driver->base,
             strrchr(driver->base, '-') + 1, driver->jobs++);
    snprintf(output, sizeof(output), "%s/output", folder);
    snprintf(key, sizeof(key), "%llx", (unsigned long long)driver->key);
    if (mkdir(folder, 0755) != 0)
        return pario_fail_errno(-errno, "cannot make %s", folder);
    members = write_spec(driver, folder, variable, passes, &shipio);
    if (members <= 0)
        return members;
    if (shipio)
        arguments[3] = "--mpiio=shipio";
    job.timeout_s = START_S + 4 * driver->options->pass_s * passes * members;
    code = pario_job_run(&job, &outcome);
    if (code != 0)
        return code;
    under_way = read_report(driver, folder);
    if (under_way == -2)
        return pario_fail(PARIO_EUNAVAIL,
                          "the job did not start (exit status %d)",
                          outcome.status);
    if (under_way >= 0)
        strike(&driver->race->one[under_way],
               outcome.end == PARIO_JOB_TIMEOUT || outcome.status == 14 ||
                       outcome.status == 128 + 14
                   ? "it hangs"
                   : "it ends the program");
    snprintf(semaphore, sizeof(semaphore), "/OMPIO_%s-type%d.0",
             strrchr(folder, '/') + 1, driver->race->pattern.type);
    (void)sem_unlink(semaphore);
    return pario_cleanup_remove(folder);
}

/* One round: a job for every set of parameters that still has contenders. */
static int run_round(struct driver *driver, int passes, double end_s,
                     int *jobs_p)
{
    const struct tune_race *race = driver->race;
    int code = 0;

    *jobs_p = 0;
    for (int i = 0; code == 0 && i < race->count; i++) {
        int first = !race->one[i].out;

        for (int k = 0; first && k < i; k++)
            first = race->one[k].out ||
                    strcmp(race->one[k].variable, race->one[i].variable) != 0;
        if (!first)
            continue;
        if (pario_clock_s() >= end_s && *jobs_p > 0)
            break;
        code = run_job(driver, race->one[i].variable, passes);
        (*jobs_p)++;
    }
    return code;
}

static void say(const struct driver *driver, const char *what, int left)
{
    int leader = tune_race_leader(driver->race);

    if (driver->options->quiet)
        return;
    fprintf(stderr,
            "%s: %.0f s of %.0f s, %d contenders left, ahead: %s, "
            "%.0f MB/s\n",
            what, pario_clock_s() - driver->start_s,
            driver->end_s - driver->start_s, left,
            leader >= 0 ? driver->race->one[leader].name : "nobody",
            leader >= 0 ? tune_median(&driver->race->one[leader]) : 0.0);
}

static int find_default(const struct tune_race *race, int shipio)
{
    for (int i = 0; i < race->count; i++)
        if (race->one[i].is_default && race->one[i].shipio == shipio)
            return i;
    return -1;
}

static int explore(struct driver *driver, double end_s)
{
    int jobs = 0, code = 0, left = driver->race->count;

    for (int round = 1; code == 0 && left > 1; round++) {
        double begin_s = pario_clock_s();
        char what[32];

        code = run_round(driver, ROUND_PASSES, end_s, &jobs);
        left = tune_race_eliminate(driver->race);
        snprintf(what, sizeof(what), "round %d", round);
        say(driver, what, left);
        /* Another round takes no longer than this one did. */
        if (jobs == 0 || pario_clock_s() + (pario_clock_s() - begin_s) > end_s)
            break;
    }
    return code;
}

/* The leader, or its library's default where it is not surely better than
 * that, or nobody where neither is surely better than doing nothing. */
static void decide(const struct tune_race *race, const int *first,
                   struct tune_outcome *outcome)
{
    int best = outcome->winner, nothing = outcome->nothing;

    if (outcome->own >= 0) {
        outcome->over_own =
            tune_compare(&race->one[best], first[best],
                         &race->one[outcome->own], first[outcome->own]);
        if ((outcome->over_own.low <= 1 || race->one[best].out) &&
            !race->one[outcome->own].out)
            best = outcome->own;
    }
    outcome->over_nothing = tune_compare(&race->one[best], first[best],
                                         &race->one[nothing], first[nothing]);
    outcome->winner = best;
    /* Where doing nothing fails, whatever works is better. */
    if (best == nothing || race->one[best].out ||
        (!race->one[nothing].out && outcome->over_nothing.low <= 1))
        outcome->winner = -1;
}

/* Only the leader and the defaults, in fresh jobs: what was seen in the race
 * was the luckiest of many and is not trusted. */
static int confirm(struct driver *driver, struct tune_outcome *outcome)
{
    struct tune_race *race = driver->race;
    int keep[3] = {tune_race_leader(race), outcome->nothing, -1};
    int first[TUNE_MOST_CONTENDERS];
    int jobs = 0, code = 0;

    outcome->winner = keep[0];
    if (keep[0] < 0)
        return pario_fail(PARIO_EVERIFY, "no contender came through");
    keep[2] = find_default(race, race->one[keep[0]].shipio);
    outcome->own = keep[2];
    for (int i = 0; i < race->count; i++) {
        race->one[i].out = !(i == keep[0] || i == keep[1] || i == keep[2]) ||
                           strncmp(race->one[i].reason, "struck", 6) == 0;
        first[i] = race->one[i].passes;
        if (first[i] == 0 && race->one[i].reason[0] == '\0')
            snprintf(race->one[i].reason, sizeof(race->one[i].reason),
                     "no time was left for it");
    }
    for (int n = 0; code == 0; n++) {
        code = run_round(driver, CONFIRM_PASSES, INFINITY, &jobs);
        if (n >= 1 && pario_clock_s() >= driver->end_s)
            break;
        if (n >= 5)
            break;
    }
    for (int i = 0; i < race->count; i++)
        race->one[i].out = strncmp(race->one[i].reason, "struck", 6) == 0;
    if (code == 0)
        decide(race, first, outcome);
    return code;
}

int tune_run(const struct tune_options *options,
             const struct tune_pattern *pattern, double time_s,
             struct tune_outcome *outcome_p)
{
    struct tune_outcome outcome = {.winner = -1};
    struct driver driver = {.options = options, .race = &outcome.race};
    int code = tune_race_init(&outcome.race, pario_par_library(),
                              (int)options->processes, options->shipio,
                              options->extra);

    if (code != 0)
        return code;
    outcome.race.pattern = *pattern;
    outcome.nothing = find_default(&outcome.race, 0);
    driver.start_s = pario_clock_s();
    driver.end_s = driver.start_s + time_s;
    if (getrandom(&driver.key, sizeof(driver.key), 0) < 0)
        driver.key = (uint64_t)pario_clock_ns();
    snprintf(driver.base, sizeof(driver.base), "%s/pario-tune-XXXXXX",
             options->directory);
    if (mkdtemp(driver.base) == NULL)
        code = pario_fail_errno(-errno, "cannot make a directory in %s",
                                options->directory);
    if (code == 0)
        code = pario_cleanup_add_tree(driver.base);
    if (code == 0)
        code = explore(&driver, driver.start_s + time_s * (1 - CONFIRM_SHARE));
    if (code == 0)
        code = confirm(&driver, &outcome);
    if (code == 0)
        code = pario_cleanup_remove(driver.base);
    outcome.seconds = pario_clock_s() - driver.start_s;
    if (code != 0) {
        tune_race_fini(&outcome.race);
        return code;
    }
    *outcome_p = outcome;
    return 0;
}
