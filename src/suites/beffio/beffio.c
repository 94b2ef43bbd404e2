/* suites/beffio/beffio.c - the order of the experiments. */
#include "suites/beffio/beffio.h"
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/output.h"
#include "io/backend.h"
#include "par/series.h"
#include "result/parameters.h"
#include "suites/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const beffio_links[] = {"b_eff_io", NULL};

#define MAX_SAMPLES ((size_t)4 << 20) /* of one pattern on one rank */

static int all_rewrites(const struct beffio *beffio)
{
    return beffio->options->rewrite_all ||
           beffio->options->schedule == BEFFIO_FULL ||
           beffio->options->release == 1;
}

static int is_wanted(const struct beffio *beffio, int type, int access)
{
    if (!beffio->with_type[type])
        return 0;
    if (access != BEFFIO_REWRITE)
        return 1;
    return type == BEFFIO_SCATTER ||
           (all_rewrites(beffio) && type < BEFFIO_TYPES);
}

/* One type of one experiment. Ranks outside the partition have nothing to do
 * and wait, asleep, at the end of the step. */
static int step(struct beffio *beffio, struct beffio_experiment *experiment,
                int type, int access)
{
    int code = 0;

    if (!is_wanted(beffio, type, access) || experiment->group == NULL)
        return 0;
    if (type == BEFFIO_SEGMENTED && access == BEFFIO_WRITE)
        code = beffio_plan_segments(beffio, experiment);
    if (code == 0)
        code = beffio_pass_run(beffio, experiment, (enum beffio_type)type,
                               (enum beffio_access)access);
    return code;
}

static int join(struct beffio *beffio, int code)
{
    int idle = pario_barrier_idle(beffio->run->world);

    return pario_agree(beffio->run->world, code != 0 ? code : idle);
}

static int run_experiment(struct beffio *beffio,
                          struct beffio_experiment *experiment, int access)
{
    int code = 0;

    if (experiment->group == NULL)
        pario_run_wait(beffio->run, "waiting for the partition");
    for (int type = 0; code == 0 && type < BEFFIO_ALL_TYPES; type++)
        code = step(beffio, experiment, type, access);
    return join(beffio, code);
}

/* compare-hints: the sets take turns type by type. */
static int run_interleaved(struct beffio *beffio, int access, int first,
                           int last)
{
    int code = 0;

    if (beffio->experiment[0].group == NULL)
        pario_run_wait(beffio->run, "waiting for the partition");

    for (int type = 0; code == 0 && type < BEFFIO_ALL_TYPES; type++)
        for (int i = first; code == 0 && i <= last; i++)
            code = step(beffio, &beffio->experiment[i], type, access);
    return join(beffio, code);
}

static void remove_files(const struct beffio *beffio, int number)
{
    int rank = pario_group_rank(beffio->run->world);
    char name[64], path[4300];

    for (int type = 0; type < BEFFIO_ALL_TYPES; type++) {
        if (type != BEFFIO_SEPARATE && rank != 0)
            continue;
        snprintf(name, sizeof(name),
                 type == BEFFIO_SEPARATE ? "beffio-%d-type%d.%d"
                                         : "beffio-%d-type%d",
                 number, type, rank);
        if (!beffio->run->common.keep)
            (void)pario_own_unlink(
                pario_run_path(beffio->run, name, path, sizeof(path)));
    }
}

static int run_access(struct beffio *beffio, int access, int first, int last)
{
    int code = 0;

    if (beffio->interleaved)
        return run_interleaved(beffio, access, first, last);
    for (int i = first; code == 0 && i <= last; i++)
        code = run_experiment(beffio, &beffio->experiment[i], access);
    return code;
}

/* Release 2.0 writes the files of all partitions, then rewrites, then reads
 * (Sect. 6); release 1.x finishes one partition after the other. */
static int run_block(struct beffio *beffio, int first, int last)
{
    int code = 0;

    if (beffio->options->release == 2 || beffio->interleaved) {
        for (int access = 0; code == 0 && access < BEFFIO_ACCESSES; access++)
            code = run_access(beffio, access, first, last);
        for (int i = first; i <= last; i++)
            remove_files(beffio, i);
        return code;
    }
    for (int i = first; code == 0 && i <= last; i++) {
        for (int access = 0; code == 0 && access < BEFFIO_ACCESSES; access++)
            code = run_access(beffio, access, i, i);
        remove_files(beffio, i);
    }
    return code;
}

static int run_all(struct beffio *beffio)
{
    int code = 0;

    for (int first = 0; code == 0 && first < beffio->nexperiments;
         first += beffio->block)
        code = run_block(beffio, first, first + beffio->block - 1);
    return code;
}

static void record_hints(struct beffio *beffio)
{
    for (int i = 0; beffio->run->result != NULL && i < beffio->block; i++) {
        const struct beffio_hintset *set = beffio->experiment[i].hints;
        struct pario_hints all = {0};

        (void)!beffio_hintset_list(set,
                                   &all); /* without memory: some of them */
        (void)pario_result_set(beffio->run->result, "hints_requested",
                               beffio_hintset_name(set),
                               pario_parameters_hints(&all));
        if (beffio_hintset_unmet(set) != NULL)
            pario_run_warn(beffio->run,
                           "%s was found with %s, which this run does not have",
                           beffio_hintset_name(set), beffio_hintset_unmet(set));
        pario_hints_fini(&all);
    }
}

/* Mixed byte orders would make the data check lie. */
static int check_endianness(const struct pario_group *world)
{
    const uint16_t probe = 1;
    int64_t least = *(const unsigned char *)&probe, most = least;
    int code = pario_reduce_i64(world, PARIO_MIN, &least, 1);

    if (code == 0)
        code = pario_reduce_i64(world, PARIO_MAX, &most, 1);
    if (code == 0 && least != most)
        code = pario_fail(-ENOTSUP, "the processes have different byte orders: "
                                    "that is not supported");
    return code;
}

/* What one decision costs when nobody is late: a series without work. */
static void calibrate(struct beffio_experiment *experiment)
{
    struct pario_series series;

    if (experiment->group == NULL)
        return;
    experiment->decision_ns = INT64_MAX;
    for (int i = 0; i < 5; i++) {
        int64_t begin;

        (void)pario_barrier(experiment->group);
        begin = pario_clock_ns();
        pario_series_start(&series, experiment->group, 1e6, 1023);
        while (pario_series_next(&series) > 0)
            continue;
        begin = (pario_clock_ns() - begin) / series.decisions;
        if (begin < experiment->decision_ns)
            experiment->decision_ns = begin;
    }
}

static int prepare(struct beffio *beffio)
{
    struct pario_run *run = beffio->run;
    void *buffer = NULL;
    int code = pario_buffer_alloc((size_t)beffio->buffer_len, &buffer);

    beffio->buffer = buffer;
    code = pario_agree(run->world, code);
    for (int i = 0; code == 0 && i < beffio->nexperiments; i++)
        code = pario_group_first(run->world, beffio->experiment[i].processes,
                                 &beffio->experiment[i].group);
    code = pario_agree(run->world, code);
    for (int i = 0; code == 0 && i < beffio->nexperiments; i++)
        calibrate(&beffio->experiment[i]);
    if (code == 0)
        code = check_endianness(run->world);
    if (code == 0 && run->common.samples != NULL) {
        code = pario_samples_init(&beffio->sample_store, MAX_SAMPLES);
        beffio->samples = &beffio->sample_store;
    }
    code = pario_agree(run->world, code);
    if (code == 0)
        code = beffio_probe(beffio);
    return pario_agree(run->world, code);
}

static void release(struct beffio *beffio)
{
    for (int i = 0; i < beffio->nexperiments; i++) {
        pario_group_destroy(beffio->experiment[i].group);
        if (i < beffio->block || beffio->block == 0)
            beffio_hintset_destroy(beffio->experiment[i].hints);
    }
    if (beffio->samples != NULL)
        pario_samples_fini(&beffio->sample_store);
    free(beffio->buffer);
}

struct described {
    const json_t *document;
};

static int print_summary(void *context, FILE *out, const char *path)
{
    const struct described *described = context;

    (void)path;
    return beffio_summary_print(out, described->document);
}

static void write_summary(struct beffio *beffio, const json_t *document)
{
    const char *prefix = beffio->options->prefix;
    struct described described = {document};
    char path[4300];

    snprintf(path, sizeof(path), "%s.sum", prefix);
    if (pario_output_write(path, 1, print_summary, &described) != 0)
        pario_run_unwritten(beffio->run);
    if (beffio_plot(prefix, beffio->run->common.force, document) != 0)
        pario_run_unwritten(beffio->run);
}

static void write_files(struct beffio *beffio)
{
    const json_t *document;

    if (beffio->run->result == NULL)
        return;
    document = pario_result_document(beffio->run->result);
    if (beffio->options->export != NULL &&
        beffio_export(beffio->options->export, document) != 0)
        pario_run_unwritten(beffio->run);
    if (beffio->options->prefix != NULL)
        write_summary(beffio, document);
}

int beffio_check_outputs(const struct beffio *beffio)
{
    const struct beffio_options *options = beffio->options;
    const char *colon =
        options->export != NULL ? strchr(options->export, ':') : NULL;
    int force = beffio->run->common.force;
    char path[4300];
    int code = 0;

    if (options->export != NULL &&
        (colon == NULL || (strncmp(options->export, "skampi:", 7) != 0 &&
                           strncmp(options->export, "csv:", 4) != 0)))
        return pario_fail(PARIO_EUSAGE,
                          "--export %s: expected skampi:FILE or csv:FILE",
                          options->export);
    if (pario_group_rank(beffio->run->world) != 0 ||
        beffio->run->common.dry_run)
        return 0;
    /* The names of tables are taken now: nothing can go wrong after an hour.
     * (Pictures are drawn from the document at any time.) */
    if (colon != NULL)
        code = pario_output_claim(colon + 1, force);
    if (code == 0 && options->prefix != NULL) {
        snprintf(path, sizeof(path), "%s.sum", options->prefix);
        code = pario_output_claim(path, force);
    }
    return code;
}

static int beffio_run(struct pario_run *run)
{
    struct beffio *beffio = calloc(1, sizeof(*beffio));
    const char *dir =
        run->noperands > 0 ? run->operands[run->noperands - 1] : NULL;
    int code = 0;

    if (beffio == NULL)
        code = pario_fail_errno(-ENOMEM, "cannot start");
    code = pario_agree(run->world, code);
    if (code != 0 || beffio == NULL) {
        free(beffio);
        return code;
    }
    beffio->run = run;
    beffio->options = run->options;
    code = pario_agree(run->world, beffio_plan(beffio));
    if (code == 0 && run->common.dry_run) {
        beffio_print_plan(beffio);
    } else if (code == 0) {
        run->progress.total_s = beffio_planned_s(beffio);
        record_hints(beffio);
        code = pario_run_directory(run, dir, 0);
        if (code == 0)
            code = prepare(beffio);
        beffio->start_s = run->progress.start_s = pario_clock_s();
        if (code == 0) {
            code = run_all(beffio);
            beffio_record_rules(beffio);
        }
        if (code == 0)
            write_files(beffio);
    }
    release(beffio);
    free(beffio);
    return code;
}

static int beffio_print(const struct pario_run *run, FILE *out)
{
    return beffio_summary_print(out, pario_result_document(run->result));
}

static const struct pario_view_line beffio_lines[] = {
    {"b_eff_io", {{"", "b_eff_io_mbps"}}, NULL},
    {"averages",
     {{"write", "writing_average_mbps"}, {"read", "reading_average_mbps"}},
     NULL},
    {"scatter",
     {{"write", "type0_write_mbps"}, {"read", "type0_read_mbps"}},
     "collective, strided"},
    {"shared",
     {{"write", "type1_write_mbps"}, {"read", "type1_read_mbps"}},
     "shared pointer"},
    {"separate",
     {{"write", "type2_write_mbps"}, {"read", "type2_read_mbps"}},
     "file per process"},
    {"segmented",
     {{"write", "type3_write_mbps"}, {"read", "type3_read_mbps"}},
     "one file in segments"},
    {"seg-coll",
     {{"write", "type4_write_mbps"}, {"read", "type4_read_mbps"}},
     "the same, collective"},
    {.label = NULL},
};

static const struct pario_view_name beffio_axes[] = {
    {.key = "l_bytes", .name = "contiguous chunk on disk"},
    {.key = NULL},
};

/* The patterns of all types are one figure, their totals another. */
#define TYPE(number, words)                                                    \
    {.test = "type" number,                                                    \
     .name = (words),                                                          \
     .figure = "b_eff_io",                                                     \
     .apart = "partition"},                                                    \
    {                                                                          \
        .test = "type" number "_total", .name = (words),                       \
        .figure = "b_eff_io, whole types"                                      \
    }

static const struct pario_view_test beffio_type_tests[] = {
    TYPE("0", "scatter"),   TYPE("1", "shared"),   TYPE("2", "separate"),
    TYPE("3", "segmented"), TYPE("4", "seg-coll"), TYPE("5", "random"),
    TYPE("6", "same-data"), {.test = NULL},
};

static const struct pario_view beffio_view = {
    .title = "b_eff_io, the effective I/O bandwidth",
    .question = "Which bandwidth do parallel applications get on average?",
    .lines = beffio_lines,
    .lead = "measures",
    .axes = beffio_axes,
    .tests = beffio_type_tests,
    .beside = "hints",
    .details = "U L_bytes type",
    .fields = beffio_parameters,
    .next = "pario {n}tune {dir}",
};

const struct pario_suite pario_suite_beffio = {
    .name = "beffio",
    .no_resume = "it reads the files it wrote, and they are gone; run it again",
    .operands = "[DIR] | compare-hints SET... DIR",
    .summary = "b_eff_io, the effective I/O bandwidth: 36 patterns, one value",
    .help =
        "Measures 36 access patterns of five types (scatter, shared, separate, "
        "segmented, seg-coll) for initial write, rewrite and read, each for "
        "its share of the time T, and averages them to the b_eff_io value. "
        "The value is official from T = 15 minutes on; --schedule quick "
        "gives a first look. `compare-hints` runs several sets of hints in "
        "turn and prints them side by side; the set `defaults` has none.",
    .options = beffio_option_table,
    .options_size = sizeof(struct beffio_options),
    .defaults = &beffio_defaults,
    .tests = &beffio_types[0].test,
    .test_size = sizeof(beffio_types[0]),
    .links = beffio_links,
    .translate = beffio_translate,
    .run = beffio_run,
    .view = &beffio_view,
    .print = beffio_print,
};
