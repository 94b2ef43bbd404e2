/* suites/prio/total.c - the single value (docs/prio.md, "total v1").
 *
 * Of each case the median over its repetitions of the bandwidth accumulated
 * over the processes; of each sub-benchmark the geometric mean over its
 * cases; of all the geometric mean over the sub-benchmarks. Mixes and
 * plug-ins from outside do not enter, losses are reported beside.
 */
#include "core/stats.h"
#include "result/view.h"
#include "suites/prio/prio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOTAL_VERSION 1
#define MAX_TESTS 8
#define MAX_POINTS 256 /* of a figure */

void prio_outcomes_settle(struct prio_outcomes *outcomes)
{
    for (size_t i = 0; i < outcomes->count; i++) {
        struct prio_outcome *outcome = &outcomes->outcome[i];
        struct pario_interval interval = {0};

        if (pario_median_interval(outcome->mbps, outcome->count, &interval) ==
            0) {
            outcome->median_mbps = interval.median;
            outcome->low_mbps = interval.low;
            outcome->high_mbps = interval.high;
        }
    }
}

/* A geometric mean under way. */
struct mean {
    const struct prio_bench *bench;
    double logs;
    int count, zero;
    struct pario_flag_sum flags; /* of the measures it is made of */
};

static void mean_add(struct mean *mean, double value, unsigned flags)
{
    pario_flag_sum_add(&mean->flags, flags);
    if (value > 0)
        mean->logs += log(value);
    else
        mean->zero = 1;
    mean->count++;
}

static double mean_value(const struct mean *mean)
{
    if (mean->count == 0)
        return NAN;
    return mean->zero ? 0 : exp(mean->logs / mean->count);
}

/* The figures of one directory and one number of processes. */
struct standing {
    struct mean test[MAX_TESTS];
    int ntests;
    double losses[2]; /* sums */
    struct pario_flag_sum loss_flags;
    int nlosses;
    size_t nmeasures, nshort, ncached;
};

static struct mean *test_mean(struct standing *standing,
                              const struct prio_bench *bench)
{
    for (int i = 0; i < standing->ntests; i++)
        if (standing->test[i].bench == bench)
            return &standing->test[i];
    if (standing->ntests == MAX_TESTS)
        return NULL;
    standing->test[standing->ntests] = (struct mean){.bench = bench};
    return &standing->test[standing->ntests++];
}

static void stand(const struct prio_outcomes *outcomes, int directory,
                  int processes, struct standing *standing)
{
    *standing = (struct standing){0};
    for (size_t i = 0; i < outcomes->count; i++) {
        const struct prio_outcome *outcome = &outcomes->outcome[i];
        struct mean *mean;

        if (outcome->directory != directory || outcome->in_mix ||
            outcome->what.processes != processes ||
            !(outcome->bench->abilities & PRIO_COUNTS))
            continue;
        mean = test_mean(standing, outcome->bench);
        if (mean != NULL)
            mean_add(mean, outcome->median_mbps,
                     pario_flag_sum_get(&outcome->flags));
        standing->nmeasures += outcome->count;
        standing->nshort += outcome->nshort;
        standing->ncached += outcome->ncached;
        if (!isnan(outcome->losses[0])) {
            standing->losses[0] += outcome->losses[0];
            standing->losses[1] += outcome->losses[1];
            standing->nlosses++;
            pario_flag_sum_add(&standing->loss_flags,
                               pario_flag_sum_get(&outcome->flags));
        }
    }
}

static struct mean total_of(const struct standing *standing)
{
    struct mean total = {0};

    for (int i = 0; i < standing->ntests; i++)
        mean_add(&total, mean_value(&standing->test[i]),
                 pario_flag_sum_get(&standing->test[i].flags));
    return total;
}

static int next_processes(const struct prio_outcomes *outcomes, int after)
{
    int next = 0;

    for (size_t i = 0; i < outcomes->count; i++) {
        int processes = outcomes->outcome[i].what.processes;

        if (!outcomes->outcome[i].in_mix && processes > after &&
            (next == 0 || processes < next))
            next = processes;
    }
    return next;
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void set_summary(struct pario_run *run, int directory, const char *name,
                        double value, const struct pario_flag_sum *flags)
{
    char full[128];

    if (directory == 0)
        snprintf(full, sizeof(full), "%s", name);
    else
        snprintf(full, sizeof(full), "directory%d_%s", directory + 1, name);
    pario_result_summary(run->result, full, real_or_null(value),
                         pario_flag_sum_get(flags));
}

/* What speaks against the value; 0: nothing. */
static int note_of(const struct standing *standing, char *text, size_t len)
{
    int n = 0;

    text[0] = '\0';
    if (standing->nshort > 0)
        n = snprintf(text, len, "%zu of %zu measures took less than %g s",
                     standing->nshort, standing->nmeasures, PARIO_SHORT_S);
    if (standing->ncached > 0)
        n +=
            snprintf(text + n, len - (size_t)n,
                     "%s%zu of %zu measures are not of the disk alone",
                     n > 0 ? ", " : "", standing->ncached, standing->nmeasures);
    return n;
}

/* The headline is that of the most processes. */
static void summarise(struct pario_run *run, int directory,
                      const struct standing *standing)
{
    struct mean total = total_of(standing);
    char name[96], note[160];

    set_summary(run, directory, "priomark_total_mbps", mean_value(&total),
                &total.flags);
    if (directory == 0 && note_of(standing, note, sizeof(note)) > 0)
        pario_result_set(run->result, "summary", "priomark_total_note",
                         json_string(note));
    for (int i = 0; i < standing->ntests; i++) {
        snprintf(name, sizeof(name), "%s_mbps",
                 standing->test[i].bench->test.name);
        set_summary(run, directory, name, mean_value(&standing->test[i]),
                    &standing->test[i].flags);
    }
    if (standing->nlosses > 0) {
        set_summary(run, directory, "async_acl",
                    standing->losses[0] / standing->nlosses,
                    &standing->loss_flags);
        set_summary(run, directory, "async_abl",
                    standing->losses[1] / standing->nlosses,
                    &standing->loss_flags);
    }
}

static json_t *standing_json(const struct standing *standing, int processes)
{
    struct mean total = total_of(standing);
    json_t *object = json_object();

    json_object_set_new(object, "processes", json_integer(processes));
    json_object_set_new(object, "total_mbps", real_or_null(mean_value(&total)));
    json_object_set_new(object, "total_flags",
                        pario_flags_json(pario_flag_sum_get(&total.flags)));
    for (int i = 0; i < standing->ntests; i++) {
        const struct mean *test = &standing->test[i];
        char name[96];

        json_object_set_new(object, test->bench->test.name,
                            real_or_null(mean_value(test)));
        snprintf(name, sizeof(name), "%s_flags", test->bench->test.name);
        json_object_set_new(object, name,
                            pario_flags_json(pario_flag_sum_get(&test->flags)));
    }
    return object;
}

/* One value of each directory over the number of processes: the total where
 * bench is NULL. */
static void draw_value(struct pario_run *run,
                       const struct prio_outcomes *outcomes,
                       const struct prio_bench *bench)
{
    struct pario_view_point points[MAX_POINTS];
    size_t count = 0;
    char title[120];

    for (int d = 0; d < outcomes->directories; d++)
        for (int p = next_processes(outcomes, 0); p > 0;
             p = next_processes(outcomes, p)) {
            struct mean value = {0};
            struct standing standing;

            stand(outcomes, d, p, &standing);
            if (bench == NULL)
                value = total_of(&standing);
            for (int i = 0; i < standing.ntests; i++)
                if (standing.test[i].bench == bench)
                    value = standing.test[i];
            if (count < MAX_POINTS && isfinite(mean_value(&value)))
                points[count++] = (struct pario_view_point){
                    .series = outcomes->names[d],
                    .x = p,
                    .y = mean_value(&value),
                    .low = NAN,
                    .high = NAN,
                    .flags = pario_flag_sum_get(&value.flags),
                };
        }
    snprintf(title, sizeof(title), "%s of each directory over processes",
             bench == NULL ? "the total" : bench->test.name);
    pario_view_draw(run->result, title, "processes", "bandwidth, MB/s", points,
                    count);
}

/* PRIOmark's figures 3 and 4. */
static void draw_values(struct pario_run *run,
                        const struct prio_outcomes *outcomes)
{
    struct standing standing;

    if (next_processes(outcomes, next_processes(outcomes, 0)) == 0)
        return; /* one number of processes makes no curve */
    draw_value(run, outcomes, NULL);
    stand(outcomes, 0, next_processes(outcomes, 0), &standing);
    for (int i = 0; i < standing.ntests; i++)
        draw_value(run, outcomes, standing.test[i].bench);
}

static int total_finish(struct pario_run *run,
                        const struct prio_outcomes *outcomes)
{
    json_t *directories = json_array();
    struct standing standing;

    for (int d = 0; d < outcomes->directories; d++) {
        json_t *rows = json_array(), *entry;
        char note[160];
        int last = 0;

        for (int p = next_processes(outcomes, 0); p > 0;
             p = next_processes(outcomes, p)) {
            stand(outcomes, d, p, &standing);
            if (standing.ntests > 0) {
                json_array_append_new(rows, standing_json(&standing, p));
                last = p;
            }
        }
        stand(outcomes, d, last, &standing);
        summarise(run, d, &standing);
        entry = json_pack("{s:s, s:o}", "directory", outcomes->names[d],
                          "totals", rows);
        if (note_of(&standing, note, sizeof(note)) > 0)
            json_object_set_new(entry, "total_note", json_string(note));
        json_array_append_new(directories, entry);
    }
    draw_values(run, outcomes);
    pario_result_set(run->result, "summary", "priomark_total_version",
                     json_integer(TOTAL_VERSION));
    return pario_result_set(run->result, "", "prio_directories", directories);
}

extern const struct prio_bench prio_bench_total;
const struct prio_bench prio_bench_total = {
    .test = {"total",
             "the single value out of all the others (priomark total v1)"},
    .abilities = PRIO_NO_DATA,
    .finish = total_finish,
};
