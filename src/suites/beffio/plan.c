/* suites/beffio/plan.c - partitions, times, segments and disk space. */
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"
#include "io/mpiio_calls.h"
#include "suites/beffio/beffio.h"
#include "suites/shared_fields.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALIGNMENT ((int64_t)1 << 20) /* of segments, or the stripe size */
#define LEAST_MPART 1024
#define PROBE_S 0.3
#define PROBE_BLOCK ((size_t)1 << 20)

double beffio_pattern_time(const struct beffio *beffio, int U)
{
    return beffio->time_s / BEFFIO_ACCESSES * U / beffio_sum_units();
}

static int add_partition(struct beffio *beffio, int64_t processes)
{
    if (beffio->nexperiments == BEFFIO_MAX_EXPERIMENTS)
        return pario_fail(PARIO_EUSAGE, "more than %d partitions",
                          BEFFIO_MAX_EXPERIMENTS);
    beffio->experiment[beffio->nexperiments] = (struct beffio_experiment){
        .processes = (int)processes,
        .number = beffio->nexperiments,
    };
    beffio->nexperiments++;
    return 0;
}

static int choose_partitions(struct beffio *beffio)
{
    const struct beffio_options *options = beffio->options;
    int size = pario_group_size(beffio->run->world);
    struct pario_list list = {.count = 0};
    int three[3], n, code = 0;

    if (options->partitions != NULL) {
        code = pario_shared_partitions(beffio->run->world, options->partitions,
                                       &list);
        for (size_t i = 0; code == 0 && i < list.count; i++)
            code = add_partition(beffio, list.value[i]);
        return code;
    }
    if (options->schedule == BEFFIO_15MIN || options->schedule == BEFFIO_QUICK)
        return add_partition(beffio, size);
    n = beffio_partitions(size, three);
    for (int i = 0; code == 0 && i < n; i++)
        code = add_partition(beffio, three[i]);
    return code;
}

static int choose_time(struct beffio *beffio)
{
    static const double preset_s[] = {[BEFFIO_15MIN] = 900,
                                      [BEFFIO_TOP500] = 600,
                                      [BEFFIO_FULL] = 900,
                                      [BEFFIO_QUICK] = 60};

    beffio->time_s = beffio->options->time_s > 0
                         ? beffio->options->time_s
                         : preset_s[beffio->options->schedule];
    if (beffio->time_s < BEFFIO_SHORTEST_T_S)
        return pario_fail(PARIO_EUSAGE,
                          "T = %g s is too short for the 36 patterns: the "
                          "minimum is %g s (an official value needs %g s)",
                          beffio->time_s, BEFFIO_SHORTEST_T_S,
                          BEFFIO_OFFICIAL_T_S);
    return 0;
}

static int choose_types(struct beffio *beffio)
{
    const char *choices[BEFFIO_ALL_TYPES - BEFFIO_TYPES + 1];
    const struct pario_option extra = {
        .name = "extra", .type = PARIO_OPT_CHOICE, .choices = choices};
    struct pario_list list = {.count = 0};
    int code;

    for (int type = BEFFIO_TYPES; type <= BEFFIO_ALL_TYPES; type++)
        choices[type - BEFFIO_TYPES] = beffio_types[type].name;
    for (int type = 0; type < BEFFIO_TYPES; type++)
        beffio->with_type[type] = 1;
    if (beffio->options->extra == NULL)
        return 0;
    code = pario_list_parse(&extra, beffio->options->extra, &list);
    for (size_t i = 0; code == 0 && i < list.count; i++)
        beffio->with_type[BEFFIO_TYPES + list.value[i]] = 1;
    return code;
}

/* Collective: unlike nodes must not give unlike chunks. */
static int choose_sizes(struct beffio *beffio)
{
    const struct pario_run *run = beffio->run;
    int64_t given = beffio->options->memory_bytes;
    int64_t memory = run->node.memory_bytes;
    int code;

    if (run->node.memory_limit_bytes > 0 &&
        run->node.memory_limit_bytes < memory)
        memory = run->node.memory_limit_bytes;
    memory /= pario_group_node_size(run->world);
    code = pario_reduce_i64(run->world, PARIO_MIN, &memory, 1);
    if (code == 0 && beffio->options->mpart > 0 &&
        beffio->options->mpart < LEAST_MPART)
        code = pario_fail(PARIO_EUSAGE, "--mpart must be at least %d bytes",
                          LEAST_MPART);
    beffio->buffer_len = BEFFIO_WINDOW;
    for (int i = 0; i < beffio->nexperiments; i++) {
        struct beffio_experiment *experiment = &beffio->experiment[i];
        int64_t found = beffio_mpart(memory, experiment->processes);
        int64_t mpart = beffio->options->mpart;

        if (mpart == 0)
            mpart =
                given > 0 ? beffio_mpart(given, experiment->processes) : found;
        beffio->changed_mpart |= mpart != found;
        experiment->mpart = mpart - mpart % 8;
        if (experiment->mpart > beffio->buffer_len)
            beffio->buffer_len = experiment->mpart;
    }
    return code;
}

/* One set of files for each set of hints; interleaved, so that noise hits all
 * sets alike. */
static int choose_hints(struct beffio *beffio, int nsets, char **sets)
{
    const struct beffio_options *options = beffio->options;
    struct beffio_experiment first = beffio->experiment[0];
    int code = 0;

    if (nsets == 0) {
        for (int i = 0; code == 0 && i < beffio->nexperiments; i++)
            code = options->hints != NULL
                       ? beffio_hintset_read(options->hints, options->any_hint,
                                             &beffio->experiment[i].hints)
                       : beffio_hintset_empty(&beffio->experiment[i].hints);
        return code;
    }
    if (beffio->nexperiments != 1)
        return pario_fail(PARIO_EUSAGE,
                          "compare-hints runs on one partition, not %d",
                          beffio->nexperiments);
    if (nsets > BEFFIO_MAX_EXPERIMENTS)
        return pario_fail(PARIO_EUSAGE, "too many sets of hints");
    beffio->interleaved = 1;
    for (int i = 0; code == 0 && i < nsets; i++) {
        for (int j = 0; j < i; j++)
            if (strcmp(sets[i], sets[j]) == 0)
                return pario_fail(PARIO_EUSAGE,
                                  "the set of hints %s is given twice",
                                  sets[i]);
        beffio->experiment[i] = first;
        beffio->experiment[i].number = i;
        code = strcmp(sets[i], "defaults") == 0
                   ? beffio_hintset_empty(&beffio->experiment[i].hints)
                   : beffio_hintset_read(sets[i], options->any_hint,
                                         &beffio->experiment[i].hints);
        if (code == 0)
            beffio->nexperiments = i + 1;
    }
    return code;
}

/* Which time is it that this partition runs with these hints? */
static int repetition_of(const struct beffio *beffio, int number)
{
    const struct beffio_experiment *e = &beffio->experiment[number];
    int before = 0;

    for (int i = 0; i < number; i++)
        before += beffio->experiment[i].processes == e->processes &&
                  strcmp(beffio_hintset_name(beffio->experiment[i].hints),
                         beffio_hintset_name(e->hints)) == 0;
    return before + 1;
}

/* Sect. 5: the whole benchmark is repeated. The sets of hints stay those of
 * the first block. */
static int repeat_all(struct beffio *beffio)
{
    int64_t all = beffio->nexperiments * beffio->options->repeat;

    beffio->block = beffio->nexperiments;
    if (all > BEFFIO_MAX_EXPERIMENTS)
        return pario_fail(PARIO_EUSAGE,
                          "--repeat %lld makes %lld experiments: at most %d",
                          (long long)beffio->options->repeat, (long long)all,
                          BEFFIO_MAX_EXPERIMENTS);
    for (; beffio->nexperiments < all; beffio->nexperiments++) {
        int number = beffio->nexperiments;

        beffio->experiment[number] = beffio->experiment[number - beffio->block];
        beffio->experiment[number].number = number;
    }
    for (int i = 0; i < all; i++) {
        beffio->experiment[i].repetition = repetition_of(beffio, i);
        beffio->repeated |= beffio->experiment[i].repetition > 1;
    }
    return 0;
}

int beffio_plan(struct beffio *beffio)
{
    const struct pario_run *run = beffio->run;
    int comparing =
        run->noperands > 0 && strcmp(run->operands[0], "compare-hints") == 0;
    int code = choose_time(beffio);

    if (code == 0 && !comparing && run->noperands > 1)
        code = pario_fail(PARIO_EUSAGE,
                          "beffio takes one directory, not %d words (to "
                          "compare hints: beffio compare-hints A B DIR)",
                          run->noperands);
    if (code == 0)
        code = beffio_check_outputs(beffio);
    code = pario_agree(run->world, code);
    if (code == 0)
        code = choose_partitions(beffio);
    if (code == 0)
        code = choose_types(beffio);
    if (code == 0)
        code = choose_sizes(beffio);
    if (code != 0)
        return code;
    if (comparing && run->noperands < 3)
        return pario_fail(PARIO_EUSAGE,
                          "compare-hints needs sets of hints and a directory: "
                          "compare-hints A.hints B.hints DIR (`defaults` is a "
                          "set, too)");
    code = comparing
               ? choose_hints(beffio, run->noperands - 2, run->operands + 1)
               : choose_hints(beffio, 0, NULL);
    return code != 0 ? code : repeat_all(beffio);
}

double beffio_planned_s(const struct beffio *beffio)
{
    int rewrites = beffio->options->rewrite_all ||
                           beffio->options->schedule == BEFFIO_FULL ||
                           beffio->options->release == 1
                       ? 64
                       : 22;

    return beffio->nexperiments * beffio->time_s *
           (2 + (double)rewrites / beffio_sum_units()) / BEFFIO_ACCESSES;
}

void beffio_print_plan(const struct beffio *beffio)
{
    char text[PARIO_UNITS_LEN], chunk[32];

    if (pario_group_rank(beffio->run->world) != 0)
        return;
    printf("b_eff_io release %d, %d experiment%s, T = %g s each, about %s in "
           "all\n",
           (int)beffio->options->release, beffio->nexperiments,
           beffio->nexperiments == 1 ? "" : "s", beffio->time_s,
           pario_time_print(beffio_planned_s(beffio), text));
    for (int i = 0; i < beffio->nexperiments; i++)
        printf("  partition of %d processes, hints: %s, M_PART = %s\n",
               beffio->experiment[i].processes,
               beffio_hintset_name(beffio->experiment[i].hints),
               pario_size_print(beffio->experiment[i].mpart, text));
    printf("  memory of one process: %s and a little\n",
           pario_size_print_short(beffio->buffer_len, text));
    printf("  disk space: what can be written in %g s by each partition\n",
           beffio->time_s / BEFFIO_ACCESSES);
    puts("  type        chunk l       region L        U  seconds");
    for (int type = 0; type < BEFFIO_ALL_TYPES; type++)
        for (const struct beffio_pattern *row =
                 beffio_patterns((enum beffio_type)type);
             beffio->with_type[type] && row->l != 0; row++)
            printf("  %d %-9s %-13s %-14lld %2d  %.3f\n", type,
                   beffio_types[type].name,
                   beffio_chunk_name(row->l, chunk, sizeof(chunk)),
                   (long long)beffio_bytes(row->L, beffio->experiment[0].mpart),
                   row->U, beffio_pattern_time(beffio, row->U));
}

/* Bytes a process wrote per time unit with chunks of l: the fastest of types 0
 * to 2, for the time guard of the loop ends what is too slow. */
static int64_t bytes_per_unit(const struct beffio_experiment *experiment,
                              int64_t l)
{
    int64_t most = 0;

    for (int type = BEFFIO_SCATTER; type <= BEFFIO_SEPARATE; type++) {
        const struct beffio_pattern *rows =
            beffio_patterns((enum beffio_type)type);

        for (int i = 0; rows[i].l != 0; i++) {
            int64_t bytes;

            if (rows[i].l != l || rows[i].U == 0)
                continue;
            bytes = experiment->calls[type][i] *
                    beffio_bytes(rows[i].L, experiment->mpart) / rows[i].U;
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

int beffio_plan_segments(const struct beffio *beffio,
                         struct beffio_experiment *experiment)
{
    static const enum beffio_type segmented[] = {BEFFIO_SEGMENTED,
                                                 BEFFIO_SEGCOLL, BEFFIO_RANDOM};
    int64_t stripe = beffio->run->fs.stripe_bytes;
    int64_t alignment = stripe > ALIGNMENT ? stripe : ALIGNMENT;
    int64_t segment = beffio->options->segment;

    for (int s = 0; s < 3; s++) {
        const struct beffio_pattern *rows = beffio_patterns(segmented[s]);
        int64_t sum = 0;

        for (int i = 0; rows[i].l != 0; i++) {
            int64_t l = beffio_bytes(rows[i].l, experiment->mpart);
            int64_t bytes = bytes_per_unit(experiment, rows[i].l);
            int64_t calls;
            int code =
                pario_reduce_i64(experiment->group, PARIO_MAX, &bytes, 1);

            if (code != 0)
                return code;
            bytes *= rows[i].U;
            if (beffio->disk_budget > 0 &&
                bytes > beffio->disk_budget * rows[i].U / beffio_sum_units() /
                            experiment->processes)
                bytes = beffio->disk_budget * rows[i].U / beffio_sum_units() /
                        experiment->processes;
            calls = bytes / l > 0 ? bytes / l : 1;
            experiment->planned[segmented[s]][i] = calls;
            sum += calls * l;
        }
        segment = sum > segment ? sum : segment;
    }
    experiment->segment = (segment + alignment - 1) / alignment * alignment;
    return 0;
}

/* What one process wrote and synced. */
struct probe {
    int64_t bytes;
    double elapsed_s, sync_s;
};

/* Rounds of twice the size, each with its sync: a slow disk is not given more
 * than it can write in the time. */
static int probe_file(struct beffio *beffio, MPI_File file, int64_t most,
                      struct probe *probe)
{
    const struct pario_mpiio_calls *mpi = &pario_mpiio_shipio;
    double begin_s = pario_clock_s(), sync_begin_s;
    MPI_Status status;
    int code = 0;

    for (int64_t blocks = 1;
         code == 0 && probe->bytes < most && probe->elapsed_s < PROBE_S;
         blocks *= 2) {
        for (int64_t i = 0; code == 0 && i < blocks; i++)
            code =
                pario_mpi_check(mpi->write(file, beffio->buffer,
                                           (int)PROBE_BLOCK, MPI_BYTE, &status),
                                "the probe of the disk");
        probe->bytes += blocks * (int64_t)PROBE_BLOCK;
        sync_begin_s = pario_clock_s();
        if (code == 0)
            code = pario_mpi_check(mpi->sync(file), "the probe's sync");
        probe->sync_s += pario_clock_s() - sync_begin_s;
        probe->elapsed_s = pario_clock_s() - begin_s;
    }
    return code;
}

/* Bytes per second that all processes write and sync, in MPI-IO's way. */
static int probe_bandwidth(struct beffio *beffio, double *rate_p)
{
    const struct pario_mpiio_calls *mpi = &pario_mpiio_shipio;
    struct pario_run *run = beffio->run;
    int64_t most = run->fs.free_bytes / 16 / pario_group_size(run->world);
    struct probe probe = {.bytes = 0};
    char name[64], path[4300];
    double times[2];
    MPI_File file;
    int code, closed, opened;

    snprintf(name, sizeof(name), "probe.%d", pario_group_rank(run->world));
    pario_run_path(run, name, path, sizeof(path));
    pario_run_phase(run, PROBE_S, "probing the disk");
    code = pario_mpi_check(mpi->open(MPI_COMM_SELF, path,
                                     MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                     MPI_INFO_NULL, &file),
                           path);
    opened = code == 0;
    if (code == 0)
        code = pario_own_check(path);
    code = pario_agree(run->world, code);
    if (code != 0 && opened)
        mpi->close(&file); /* beside one that failed */
    if (code != 0)
        return code;
    code = probe_file(beffio, file, most, &probe);
    closed = pario_mpi_check(mpi->close(&file), "closing the probe's file");
    code = code != 0 ? code : closed;
    (void)pario_own_unlink(path);
    code = pario_agree(run->world, code);
    times[0] = probe.elapsed_s;
    times[1] = probe.sync_s;
    if (code == 0)
        code = pario_reduce_i64(run->world, PARIO_SUM, &probe.bytes, 1);
    if (code == 0)
        code = pario_reduce_f64(run->world, PARIO_MAX, times, 2);
    if (code != 0)
        return code;
    *rate_p = (double)probe.bytes / times[0];
    beffio_learn_sync(beffio, (double)probe.bytes, times[1]);
    return 0;
}

static int refuse_small_disk(const struct beffio *beffio, double rate,
                             const char *need, const char *have, double fits_s)
{
    char time[64] = ""; /* no T at all may fit */

    if (fits_s >= BEFFIO_SHORTEST_T_S)
        snprintf(time, sizeof(time), " a T of at most %.*f s,",
                 fits_s < 10 ? 1 : 0, floor(fits_s * 10) / 10);
    return pario_fail(
        -ENOSPC,
        "the disk is too small for T = %g s: at %.0f MB/s about %s would be "
        "written, %s is free. Choose another directory,%s or --fit to let "
        "patterns end early",
        beffio->time_s, rate * 1e-6, need, have, time);
}

int beffio_probe(struct beffio *beffio)
{
    double rate = 0, needed, allowed;
    char need[PARIO_UNITS_LEN], have[PARIO_UNITS_LEN];
    int code = probe_bandwidth(beffio, &rate);

    if (code != 0)
        return code;
    needed = rate * beffio->time_s / BEFFIO_ACCESSES * beffio->block;
    allowed = 0.9 * (double)beffio->run->fs.free_bytes;
    /* The probe can be wrong (a busy machine), the budget cannot. */
    if (beffio->options->fit)
        beffio->disk_budget = (int64_t)(allowed / beffio->block);
    if (needed <= allowed)
        return 0;
    pario_size_print_short((int64_t)needed, need);
    pario_size_print_short(beffio->run->fs.free_bytes, have);
    if (!beffio->options->fit)
        return refuse_small_disk(beffio, rate, need, have,
                                 beffio->time_s * allowed / needed);
    pario_run_warn(beffio->run,
                   "the disk is too small for T (%s would be written, %s is "
                   "free): patterns may end early (--fit)",
                   need, have);
    return 0;
}
