/* suites/beffio/rules.c - the rules that make a value official, and the
 * headline figures. */
#include "core/units.h"
#include "suites/beffio/beffio.h"

#include <stdio.h>
#include <string.h>

#define CACHE_RULE 20 /* Sect. 5: 20 x the cache leaves 95 % on the disk */

static void set(struct beffio *beffio, const char *name, json_t *value)
{
    (void)pario_result_set(beffio->run->result, "summary", name, value);
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

static void record_best(struct beffio *beffio)
{
    const struct beffio_experiment *best =
        &beffio->experiment[best_experiment(beffio)];
    const struct beffio_bandwidths *b = &best->bandwidths;
    char name[64];

    set(beffio, "b_eff_io_mbps",
        json_real(beffio_value(b, (int)beffio->options->release)));
    set(beffio, "release", json_integer(beffio->options->release));
    set(beffio, "partition", json_integer(best->processes));
    set(beffio, "scheduled_time_s", json_real(beffio->time_s));
    set(beffio, "m_part_bytes", json_integer(best->mpart));
    set(beffio, "segment_bytes", json_integer(best->segment));
    set(beffio, "writing_average_mbps", json_real(beffio_writing_average(b)));
    set(beffio, "reading_average_mbps",
        json_real(beffio_access_average(b, BEFFIO_READ)));
    for (int access = 0; access < BEFFIO_ACCESSES; access++)
        for (int type = 0; type < BEFFIO_TYPES; type++) {
            if (b->mbps[access][type] <= 0)
                continue;
            snprintf(name, sizeof(name), "type%d_%s_mbps", type,
                     beffio_access_names[access]);
            set(beffio, name, json_real(b->mbps[access][type]));
        }
}

static void record_experiments(struct beffio *beffio)
{
    char name[600];

    for (int i = 0; i < beffio->nexperiments; i++) {
        const struct beffio_experiment *e = &beffio->experiment[i];
        double value =
            beffio_value(&e->bandwidths, (int)beffio->options->release);

        if (beffio->interleaved)
            snprintf(name, sizeof(name), "hints_%s_mbps",
                     beffio_hintset_name(e->hints));
        else
            snprintf(name, sizeof(name), "np%d_b_eff_io_mbps", e->processes);
        set(beffio, name, json_real(value));
    }
}

/* Data of each access method against what the page caches hold. */
static void check_cache_rule(struct beffio *beffio)
{
    const struct pario_run *run = beffio->run;
    double cache = (double)pario_node_cache_capacity(&run->node) *
                   pario_group_nodes(run->world);
    char name[64], text[PARIO_UNITS_LEN];

    for (int access = 0; access < BEFFIO_ACCESSES; access++) {
        int64_t bytes = 0;

        for (int i = 0; i < beffio->nexperiments; i++)
            bytes += beffio->experiment[i].bytes[access];
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

/* Sect. 3: the least data is what writing moves in 300 s. */
static void check_minimum_size(struct beffio *beffio)
{
    for (int i = 0; i < beffio->nexperiments; i++) {
        const struct beffio_experiment *e = &beffio->experiment[i];
        double least =
            beffio_access_average(&e->bandwidths, BEFFIO_WRITE) * 1e6 * 300;
        char have[PARIO_UNITS_LEN], want[PARIO_UNITS_LEN];

        if (least > 0 && (double)e->bytes[BEFFIO_WRITE] < 0.9 * least)
            pario_run_warn(beffio->run,
                           "np %d wrote %s; the minimum for an official value "
                           "is 300 s of writing, here %s (b_eff_io, Sect. 3)",
                           e->processes,
                           pario_size_print_short(e->bytes[BEFFIO_WRITE], have),
                           pario_size_print_short((int64_t)least, want));
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

static int is_official(const struct beffio *beffio)
{
    const struct beffio_options *options = beffio->options;
    int three = beffio->nexperiments == 3 && options->partitions == NULL;

    if (options->mpart != 0 || beffio->disk_budget != 0 ||
        beffio->interleaved || beffio->run->fs.memory_backed ||
        beffio->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    /* Sect. 6: three partitions in 30 minutes; else Sect. 3. */
    return beffio->time_s >= BEFFIO_OFFICIAL_T_S ||
           (options->release == 2 && three && beffio->time_s >= 600);
}

void beffio_record_rules(struct beffio *beffio)
{
    int failed = 0;

    if (beffio->run->result == NULL)
        return;
    for (int i = 0; i < beffio->nexperiments; i++)
        failed += beffio->experiment[i].failed_patterns;
    record_best(beffio);
    record_experiments(beffio);
    record_device(beffio);
    check_cache_rule(beffio);
    check_minimum_size(beffio);
    set(beffio, "official", json_boolean(is_official(beffio) && failed == 0));
    set(beffio, "failed_patterns", json_integer(failed));
    set(beffio, "stop_decision_share",
        json_real(beffio->decided_ns > 0
                      ? (double)beffio->decision_ns / (double)beffio->decided_ns
                      : 0));
    if (!is_official(beffio))
        pario_run_warn(beffio->run,
                       "preliminary value: an official one needs T of 15 "
                       "minutes or more (here %g s), a disk, verification, "
                       "and no --mpart or --fit",
                       beffio->time_s);
    if (beffio->options->no_shared)
        pario_run_warn(beffio->run, "type 1 was measured with individual file "
                                    "pointers (--no-shared)");
}
