/* suites/beffio/rules.c - the rules that make a value official, and the
 * headline figures. */
#include "suites/rules.h"
#include "core/stats.h"
#include "core/units.h"
#include "measure/marks.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/beffio/beffio.h"

#include <stdio.h>
#include <string.h>

#define CACHE_RULE 20 /* Sect. 5: 20 x the cache leaves 95 % on the disk */

static void set(struct beffio *beffio, const char *name, json_t *value)
{
    (void)pario_result_set(beffio->run->result, "summary", name, value);
}

static void set_figure(struct beffio *beffio, const char *name, double value,
                       unsigned flags)
{
    (void)pario_result_summary(beffio->run->result, name, json_real(value),
                               flags);
}

/* The system's value is the maximum over the partitions (Sect. 3). */
static int best_experiment(const struct beffio *beffio)
{
    int release = (int)beffio->options->release, best = 0;

    for (int i = 1; i < beffio->nexperiments; i++)
        if (beffio_value(&beffio->experiment[i].bandwidths, release) >
            beffio_value(&beffio->experiment[best].bandwidths, release))
            best = i;
    return best;
}

/* Of what the release's figure is made of, from the first access to the last.
 */
static unsigned flags_of(const struct beffio_experiment *experiment, int first,
                         int last, int release)
{
    struct pario_flag_sum sum = {0};

    for (int access = first; access <= last; access++)
        for (int type = 0; type < BEFFIO_TYPES; type++)
            if (beffio_counts((enum beffio_access)access,
                              (enum beffio_type)type, release))
                pario_flag_sum_add(&sum, experiment->flags[access][type]);
    return pario_flag_sum_get(&sum);
}

unsigned beffio_value_flags(const struct beffio *beffio,
                            const struct beffio_experiment *experiment)
{
    unsigned flags = flags_of(experiment, 0, BEFFIO_ACCESSES - 1,
                              (int)beffio->options->release);

    return beffio->unofficial[0] == '\0' ? flags
                                         : pario_flags_unofficial(flags);
}

static void record_averages(struct beffio *beffio,
                            const struct beffio_experiment *best)
{
    const struct beffio_bandwidths *b = &best->bandwidths;

    set_figure(beffio, "writing_average_mbps", beffio_writing_average(b),
               flags_of(best, BEFFIO_WRITE, BEFFIO_REWRITE, 2));
    set_figure(beffio, "reading_average_mbps",
               beffio_access_average(b, BEFFIO_READ),
               flags_of(best, BEFFIO_READ, BEFFIO_READ, 2));
}

static void record_best(struct beffio *beffio)
{
    const struct beffio_experiment *best =
        &beffio->experiment[best_experiment(beffio)];
    const struct beffio_bandwidths *b = &best->bandwidths;
    char name[64];

    set_figure(beffio, "b_eff_io_mbps",
               beffio_value(b, (int)beffio->options->release),
               beffio_value_flags(beffio, best));
    set(beffio, "release", json_integer(beffio->options->release));
    set(beffio, "partition", json_integer(best->processes));
    if (beffio->repeated)
        set(beffio, "repetition", json_integer(best->repetition));
    set(beffio, "scheduled_time_s", json_real(beffio->time_s));
    set(beffio, "m_part_bytes", json_integer(best->mpart));
    set(beffio, "segment_bytes", json_integer(best->segment));
    record_averages(beffio, best);
    for (int access = 0; access < BEFFIO_ACCESSES; access++)
        for (int type = 0; type < BEFFIO_TYPES; type++) {
            if (b->mbps[access][type] <= 0)
                continue;
            snprintf(name, sizeof(name), "type%d_%s_mbps", type,
                     beffio_access_names[access]);
            set_figure(beffio, name, b->mbps[access][type],
                       best->flags[access][type]);
        }
}

/* "slowest: read, shared, 1 KiB chunks, 4.10 MB/s". */
static void say_pattern(struct beffio *beffio, const char *which,
                        const json_t *measure, double largest)
{
    const json_t *pattern = json_object_get(measure, "pattern");
    double mbps = pario_number_of(measure, "bandwidth_mbps");
    json_int_t type = pario_integer_of(pattern, "type");
    char chunk[32], rate[PARIO_UNITS_LEN], share[48] = "";
    char flags[PARIO_FLAGS_LEN];

    if (type < 0 || type >= BEFFIO_ALL_TYPES)
        return;
    if (mbps < largest)
        snprintf(share, sizeof(share), " (%.2g %% of the fastest)",
                 100 * mbps / largest);
    pario_view_say(beffio->run->result, "%s: %s %s, chunks of %s, %s%s%s",
                   which, pario_text_of(measure, "access", NULL),
                   beffio_types[type].name,
                   beffio_chunk_name(pario_integer_of(pattern, "l_bytes"),
                                     chunk, sizeof(chunk)),
                   pario_rate_print(mbps, rate), share,
                   pario_flags_beside(pario_flags_of_measure(measure), flags));
}

/* Where it is worth looking: the slowest and the fastest pattern, of those that
 * were measured for long enough. */
static void say_extremes(struct beffio *beffio)
{
    const json_t *document = pario_result_document(beffio->run->result);
    const json_t *measure, *slowest = NULL, *fastest = NULL;
    double least = 0, largest = 0;
    size_t i;

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        double mbps = pario_number_of(measure, "bandwidth_mbps");

        if (json_object_get(json_object_get(measure, "pattern"), "l_bytes") ==
                NULL ||
            mbps <= 0 || json_is_string(json_object_get(measure, "error")) ||
            (pario_flags_of_measure(measure) & PARIO_FLAG_SHORT))
            continue;
        if (slowest == NULL || mbps < least) {
            slowest = measure;
            least = mbps;
        }
        if (mbps > largest) {
            fastest = measure;
            largest = mbps;
        }
    }
    if (slowest == NULL || slowest == fastest)
        return;
    say_pattern(beffio, "slowest", slowest, largest);
    say_pattern(beffio, "fastest", fastest, largest);
}

/* NAME_mbps: the maximum over the repetitions (Sect. 5); with more than one
 * also their median and its interval. */
static void record_values(struct beffio *beffio, const char *name, int first)
{
    const struct beffio_experiment *e = &beffio->experiment[first];
    double value[BEFFIO_MAX_EXPERIMENTS], greatest = -1;
    struct pario_flag_sum flags = {0};
    unsigned greatest_flags = 0;
    struct pario_interval interval;
    char full[BEFFIO_FIGURE_LEN];
    size_t n = 0;

    for (int i = first; i < beffio->nexperiments; i++) {
        const struct beffio_experiment *other = &beffio->experiment[i];

        if (other->processes != e->processes ||
            strcmp(beffio_hintset_name(other->hints),
                   beffio_hintset_name(e->hints)) != 0)
            continue;
        value[n] =
            beffio_value(&other->bandwidths, (int)beffio->options->release);
        pario_flag_sum_add(&flags, beffio_value_flags(beffio, other));
        if (value[n] > greatest) {
            greatest = value[n];
            greatest_flags = beffio_value_flags(beffio, other);
        }
        n++;
    }
    snprintf(full, sizeof(full), "%s_mbps", name);
    set_figure(beffio, full, greatest, greatest_flags);
    if (n < 2 || pario_median_interval(value, n, &interval) != 0)
        return;
    snprintf(full, sizeof(full), "%s_median_mbps", name);
    set_figure(beffio, full, interval.median, pario_flag_sum_get(&flags));
    snprintf(full, sizeof(full), "%s_low_mbps", name);
    set_figure(beffio, full, interval.low, pario_flag_sum_get(&flags));
    snprintf(full, sizeof(full), "%s_high_mbps", name);
    set_figure(beffio, full, interval.high, pario_flag_sum_get(&flags));
    set(beffio, "repetitions", json_integer((json_int_t)n));
}

static void record_experiments(struct beffio *beffio)
{
    char name[BEFFIO_FIGURE_LEN - 16];

    for (int i = 0; i < beffio->nexperiments; i++) {
        const struct beffio_experiment *e = &beffio->experiment[i];

        if (e->repetition > 1)
            continue;
        if (beffio->interleaved)
            snprintf(name, sizeof(name), "hints_%s",
                     beffio_hintset_name(e->hints));
        else
            snprintf(name, sizeof(name), "np%d_b_eff_io", e->processes);
        record_values(beffio, name, i);
    }
}

/* Of the repetition that moved least; in release 1.x, where each partition is
 * done with before the next begins, of the partition. */
static int64_t bytes_of_access(const struct beffio *beffio, int access)
{
    int together = beffio->options->release == 1 ? 1 : beffio->block;
    int64_t least = INT64_MAX;

    for (int first = 0; first < beffio->nexperiments; first += together) {
        int64_t bytes = 0;

        for (int i = first; i < first + together; i++)
            bytes += beffio->experiment[i].bytes[access];
        least = bytes < least ? bytes : least;
    }
    return least;
}

/* Data of each access method against what the page caches hold. */
static void check_cache_rule(struct beffio *beffio)
{
    const struct pario_run *run = beffio->run;
    double cache = (double)pario_node_cache_capacity(&run->node) *
                   pario_group_nodes(run->world);
    char name[64], text[PARIO_UNITS_LEN];

    for (int access = 0; access < BEFFIO_ACCESSES; access++) {
        int64_t bytes = bytes_of_access(beffio, access);

        snprintf(name, sizeof(name), "%s_bytes_over_cache",
                 beffio_access_names[access]);
        set(beffio, name, json_real((double)bytes / cache));
        if ((double)bytes < CACHE_RULE * cache)
            pario_run_warn(beffio->run,
                           "%s moved %s, %.2f x the page cache: less than the "
                           "%d x that show the disk (b_eff_io, Sect. 5)",
                           beffio_access_names[access],
                           pario_size_print_short(bytes, text),
                           (double)bytes / cache, CACHE_RULE);
    }
}

/* Sect. 3: T of at least 15 minutes. Sect. 6: the partitions of the Top 500
 * list in 30 minutes; small systems have fewer than three of them. */
static double official_s(const struct beffio *beffio)
{
    const struct beffio_options *options = beffio->options;
    int top500 =
        options->schedule == BEFFIO_TOP500 || options->schedule == BEFFIO_FULL;

    return options->release == 2 && options->partitions == NULL && top500
               ? BEFFIO_TOP500_T_S
               : BEFFIO_OFFICIAL_T_S;
}

/* Sect. 3: the least data is what writing moves in the third of the time that
 * it has: 300 s, of Sect. 6's shorter one 200 s. */
static void check_minimum_size(struct beffio *beffio)
{
    double least_s = official_s(beffio) / BEFFIO_ACCESSES;

    for (int i = 0; i < beffio->nexperiments; i++) {
        const struct beffio_experiment *e = &beffio->experiment[i];
        double least =
            beffio_access_average(&e->bandwidths, BEFFIO_WRITE) * 1e6 * least_s;
        char have[PARIO_UNITS_LEN], want[PARIO_UNITS_LEN];

        if (least > 0 && (double)e->bytes[BEFFIO_WRITE] < 0.9 * least)
            pario_run_warn(
                beffio->run,
                "%d process%s wrote %s, less than the %s that %g s of "
                "writing move: the least size of the files "
                "(b_eff_io, Sect. 3); this alone does not make a "
                "value unofficial",
                e->processes, e->processes == 1 ? "" : "es",
                pario_size_print_short(e->bytes[BEFFIO_WRITE], have),
                pario_size_print_short((int64_t)least, want), least_s);
    }
}

static void record_device(struct beffio *beffio)
{
    char name[64];

    for (int access = 0; access < BEFFIO_ACCESSES; access++) {
        int64_t bytes = beffio->device_bytes[access];

        snprintf(name, sizeof(name), "%s_device_bytes",
                 beffio_access_names[access]);
        set(beffio, name, bytes < 0 ? json_null() : json_integer(bytes));
    }
}

char *beffio_unofficial(const struct beffio *beffio, char *buf, size_t len)
{
    const struct beffio_options *options = beffio->options;
    const struct pario_run *run = beffio->run;
    char time[64];
    const struct pario_rule rules[] = {
        {beffio->time_s < official_s(beffio), time},
        {beffio->changed_mpart, "M_PART as the memory gives it"},
        {options->no_shared, "shared file pointers in type 1"},
        {beffio->disk_budget != 0, "a disk large enough for T (no --fit)"},
        {beffio->interleaved, "one set of hints at a time"},
        {run->fs.memory_backed, "a disk"},
        {run->common.verify == PARIO_VERIFY_OFF, "verification"},
    };

    snprintf(time, sizeof(time), "T of %g s or more (here %g s)",
             official_s(beffio), beffio->time_s);
    return pario_rules_broken(rules, sizeof(rules) / sizeof(rules[0]), buf,
                              len);
}

void beffio_record_rules(struct beffio *beffio)
{
    int failed = 0;

    if (beffio->run->result == NULL)
        return;
    for (int i = 0; i < beffio->nexperiments; i++)
        failed += beffio->experiment[i].failed_patterns;
    beffio_unofficial(beffio, beffio->unofficial, sizeof(beffio->unofficial));
    record_best(beffio);
    record_experiments(beffio);
    if (beffio->interleaved)
        beffio_rank_hints(beffio);
    else
        say_extremes(beffio);
    record_device(beffio);
    check_cache_rule(beffio);
    check_minimum_size(beffio);
    set(beffio, "official",
        json_boolean(beffio->unofficial[0] == '\0' && failed == 0));
    set(beffio, "failed_patterns", json_integer(failed));
    set(beffio, "stop_decision_share",
        json_real(beffio->decided_ns > 0
                      ? (double)beffio->decision_ns / (double)beffio->decided_ns
                      : 0));
    if (beffio->unofficial[0] != '\0')
        pario_run_warn(beffio->run,
                       "preliminary value: an official one needs %s",
                       beffio->unofficial);
}
