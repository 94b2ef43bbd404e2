/* analysis/analysis.c - rawdata and distribution, and what they say in words.
 */
#include "analysis/analysis.h"
#include "core/text.h"
#include "core/units.h"
#include "report/table_parts.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 64
#define BUCKETS_A_STEP 8 /* of the histogram's 64 an octave */
#define WIDE 100         /* times that differ more are shown on a log axis */

int pario_lanes_init(const struct pario_timings *timings,
                     const struct pario_timings_block *block, int proc,
                     const struct pario_lane_plan *plan,
                     struct pario_lanes *lanes_p)
{
    struct pario_lanes lanes = {.count = 0};
    int code = 0;

    lanes.items = calloc(block->nsections + 1, sizeof(*lanes.items));
    if (lanes.items == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", timings->path);
    for (size_t i = 0; code == 0 && i < block->nsections; i++) {
        if (proc >= 0 && block->sections[i].rank != proc)
            continue;
        code = pario_lane_init(timings, block, &block->sections[i], plan,
                               &lanes.items[lanes.count]);
        lanes.count += code == 0;
    }
    if (code == 0 && lanes.count == 0)
        code = pario_fail(PARIO_EUSAGE,
                          "%s:%" PRId64 ": this block has no process %d (it "
                          "has %" PRId64 ", from 0)",
                          timings->path, block->line, proc, block->nprocs);
    if (code != 0) {
        pario_lanes_fini(&lanes);
        return code;
    }
    *lanes_p = lanes;
    return 0;
}

void pario_lanes_fini(struct pario_lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++)
        pario_lane_fini(&lanes->items[i]);
    free(lanes->items);
    *lanes = (struct pario_lanes){.count = 0};
}

char *pario_block_title(const struct pario_timings_block *block)
{
    static const char *const names[] = {"suite",     "classname", "testname",
                                        "interface", "order",     "access",
                                        "pattern",   "repetition"};
    double bytes = pario_timings_block_bytes(block);
    double file = pario_timings_file_bytes(block);
    char *text = NULL, size[PARIO_UNITS_LEN];
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = pario_timings_value(block, names[i]);

        if (value != NULL)
            fprintf(out, "%s ", value);
    }
    if (block->nsections == 1 || block->nsections != (size_t)block->nprocs)
        for (size_t i = 0; i < block->nsections; i++)
            fprintf(out, "%s ", block->sections[i].keyword);
    else
        fprintf(out, "%s ", block->sections[0].keyword);
    fprintf(out, "of %" PRId64 " process%s", block->nprocs,
            block->nprocs == 1 ? "" : "es");
    if (bytes > 0 && bytes < 1e18)
        fprintf(out, ", block %s", pario_size_round(bytes, size));
    if (block->sizes != NULL)
        fprintf(out, ", calls of different sizes");
    if (file > 0 && file < 1e18)
        fprintf(out, ", file %s", pario_size_round(file, size));
    if (ferror(out) | fclose(out)) {
        free(text);
        return NULL;
    }
    pario_text_tame(text); /* it goes to terminals as it is */
    for (char *p = text; *p != '\0'; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    return text;
}

static void lane_name(const struct pario_lane *lane, char name[NAME_LEN])
{
    snprintf(name, NAME_LEN, "process %d (%.20s)", lane->rank, lane->keyword);
}

static int64_t least_positive(const struct pario_lanes *lanes)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->items[i].min_ns > 0 && lanes->items[i].min_ns < least)
            least = lanes->items[i].min_ns;
    return least;
}

static int64_t greatest(const struct pario_lanes *lanes)
{
    int64_t most = 0;

    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->items[i].max_ns > most)
            most = lanes->items[i].max_ns;
    return most;
}

/* Samples that are not in the file, or not what they seem. */
static int note_missing(struct pario_figure *figure,
                        const struct pario_lanes *lanes)
{
    int64_t lost = 0, saturated = 0, zeros = 0;
    int code = 0;

    for (size_t i = 0; i < lanes->count; i++) {
        lost += lanes->items[i].lost;
        saturated += lanes->items[i].saturated;
        zeros += lanes->items[i].zeros;
    }
    if (lost > 0)
        code = pario_figure_note(figure,
                                 "%" PRId64 " calls were made whose times are "
                                 "not in the file.",
                                 lost);
    if (code == 0 && saturated > 0)
        code = pario_figure_note(
            figure, "%" PRId64 " times are 4.29 s or longer.", saturated);
    if (code == 0 && zeros > 0)
        code = pario_figure_note(
            figure, "%" PRId64 " times are 0: below the clock's resolution.",
            zeros);
    return code;
}

char *pario_regimes_text(const struct pario_timings_block *block,
                         const struct pario_lane *lane,
                         char text[PARIO_REGIMES_LEN])
{
    double bytes = pario_timings_block_bytes(block);
    char before[PARIO_UNITS_LEN], after[PARIO_UNITS_LEN];
    char size[PARIO_UNITS_LEN], where[64] = "";
    struct pario_regimes regimes;

    text[0] = '\0';
    if (!pario_lane_regimes(lane, &regimes))
        return text;
    if (bytes > 0 && bytes * (double)regimes.at < 1e18)
        snprintf(where, sizeof(where), " (%s of this process)",
                 pario_size_round(bytes * (double)regimes.at, size));
    snprintf(text, PARIO_REGIMES_LEN,
             "Process %d: two plateaus suggested, median %s up to call %" PRId64
             "%s and %s from there%s.",
             lane->rank, pario_time_print(regimes.before_ns / 1e9, before),
             regimes.at, where, pario_time_print(regimes.after_ns / 1e9, after),
             regimes.before_ns < regimes.after_ns
                 ? ", as when a cache fills and the disk sets the pace"
                 : ", as when a startup is over");
    return text;
}

static int note_regimes(struct pario_figure *figure,
                        const struct pario_timings_block *block,
                        const struct pario_lanes *lanes)
{
    char text[PARIO_REGIMES_LEN];
    int code = 0, notes = 0;

    for (size_t i = 0; code == 0 && notes < 4 && i < lanes->count; i++) {
        if (pario_regimes_text(block, &lanes->items[i], text)[0] == '\0')
            continue;
        notes++;
        code = pario_figure_note(figure, "%s", text);
    }
    return code;
}

static int add_lane(struct pario_figure *figure, const struct pario_lane *lane)
{
    const struct pario_band *band = &lane->level[0];
    struct pario_curve *series;
    char name[NAME_LEN];
    int code = 0;

    lane_name(lane, name);
    series = pario_figure_curve(figure, name);
    if (series == NULL)
        return -ENOMEM;
    series->lane = lane;
    for (size_t i = 0; code == 0 && lane->nlevels > 0 && i < band->count; i++) {
        struct pario_point point = {
            .x = (double)(lane->first + (int64_t)i * band->width),
            .y = (double)band->median[i] / 1e6,
            .low = band->width > 1 ? (double)band->low[i] / 1e6 : NAN,
            .high = band->width > 1 ? (double)band->high[i] / 1e6 : NAN};

        code = pario_curve_add(series, point);
    }
    return code;
}

int pario_block_figure(enum pario_figure_kind kind, const char *id,
                       const char *what,
                       const struct pario_timings_block *block,
                       const char *const labels[2],
                       struct pario_figure **figure_p)
{
    char *about = pario_block_title(block), *title = NULL;
    int code;

    if (about == NULL || asprintf(&title, "%s: %s", what, about) < 0) {
        free(about);
        (void)pario_fail_errno(-ENOMEM, "figure");
        return -ENOMEM;
    }
    code = pario_figure_create(kind, id, title, labels[0], labels[1], figure_p);
    free(about);
    free(title);
    return code;
}

int pario_rawdata_figure(const struct pario_timings_block *block,
                         const struct pario_lanes *lanes,
                         struct pario_figure **figure_p)
{
    static const char *const labels[] = {"loop counter", "time of a call, ms"};
    struct pario_figure *figure = NULL;
    int code = pario_block_figure(PARIO_FIGURE_BANDS, "rawdata", "rawdata",
                                  block, labels, &figure);

    if (code != 0)
        return code;
    figure->lanes = 1;
    figure->y_log = greatest(lanes) / WIDE > least_positive(lanes);
    for (size_t i = 0; code == 0 && i < lanes->count; i++)
        code = add_lane(figure, &lanes->items[i]);
    if (code == 0 && lanes->items[0].nlevels > 0 &&
        lanes->items[0].level[0].width > 1)
        code = pario_figure_note(figure,
                                 "Each column stands for %" PRId64
                                 " calls: least, median and "
                                 "greatest time.",
                                 lanes->items[0].level[0].width);
    if (code == 0)
        code = note_regimes(figure, block, lanes);
    if (code == 0)
        code = note_missing(figure, lanes);
    if (code != 0) {
        pario_figure_destroy(figure);
        return code;
    }
    *figure_p = figure;
    return 0;
}

/* The least value of a bucket of pario_hist. */
static double bucket_start(unsigned index)
{
    unsigned sub = 1u << PARIO_HIST_SUB_BITS, octave;

    if (index < sub)
        return (double)index;
    octave = index / sub - 1;
    return ldexp((double)(index % sub + sub), (int)octave);
}

/* Adds a step and goes back to zero where the calls end. */
static int add_distribution(struct pario_figure *figure,
                            const struct pario_lane *lane)
{
    struct pario_hist made;
    const struct pario_hist *hist = pario_lane_hist(lane, &made);
    struct pario_curve *series;
    char name[NAME_LEN];
    int code = 0, open = 0;

    lane_name(lane, name);
    series = pario_figure_curve(figure, name);
    if (series == NULL)
        return -ENOMEM;
    for (unsigned i = 0; code == 0 && i < PARIO_HIST_BUCKETS;
         i += BUCKETS_A_STEP) {
        struct pario_point point = {.low = NAN, .high = NAN};
        int64_t count = 0;

        for (unsigned k = i; k < i + BUCKETS_A_STEP; k++)
            count += hist->bucket[k];
        if (count == 0 && !open)
            continue;
        point.x = (bucket_start(i) > 0 ? bucket_start(i) : 0.5) / 1e6;
        point.y = 100.0 * (double)count / (double)lane->count;
        code = pario_curve_add(series, point);
        open = count > 0;
    }
    return code;
}

int pario_distribution_figure(const struct pario_timings_block *block,
                              const struct pario_lanes *lanes,
                              struct pario_figure **figure_p)
{
    static const char *const labels[] = {"time of a call, ms",
                                         "share of calls, %"};
    struct pario_figure *figure = NULL;
    int code = pario_block_figure(PARIO_FIGURE_STEPS, "distribution",
                                  "distribution", block, labels, &figure);

    if (code != 0)
        return code;
    figure->x_log = 1;
    for (size_t i = 0; code == 0 && i < lanes->count; i++)
        code = add_distribution(figure, &lanes->items[i]);
    if (code == 0)
        code = pario_figure_note(figure,
                                 "Eight steps for each doubling of the time.");
    for (size_t i = 0; code == 0 && i < lanes->count; i++)
        if (lanes->items[i].count < lanes->items[i].total) {
            code = pario_figure_note(
                figure, "Calls %" PRId64 " to %" PRId64 " only.",
                lanes->items[i].first,
                lanes->items[i].first + lanes->items[i].count - 1);
            break;
        }
    if (code == 0)
        code = note_missing(figure, lanes);
    if (code != 0) {
        pario_figure_destroy(figure);
        return code;
    }
    *figure_p = figure;
    return 0;
}

static void put_time(struct pario_table *table, double ns, int64_t count)
{
    char text[PARIO_FIGURE_LEN];

    (void)pario_table_cell(table, "%s",
                           count > 0 ? pario_number_print(ns / 1e6, text) : "");
}

static void put_percentiles(struct pario_table *table,
                            const struct pario_lane *lane)
{
    static const double shares[] = {0.5, 0.99, 0.999};
    struct pario_hist made;
    const struct pario_hist *hist = pario_lane_hist(lane, &made);

    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        put_time(table, (double)pario_hist_percentile(hist, shares[i]),
                 lane->count);
}

int pario_lanes_table(const struct pario_timings_block *block,
                      const struct pario_lanes *lanes,
                      struct pario_table **table_p)
{
    static const char *const headers[] = {
        "process", "data",   "calls",   "mean ms",  "+-95 % ms",
        "min ms",  "p50 ms", "p99 ms",  "p99.9 ms", "max ms",
        "MB/s",    "lost",   ">=4.29 s"};
    double bytes = pario_timings_block_bytes(block);
    struct pario_table *table;
    int code = pario_table_create(13, headers, &table);

    if (code != 0)
        return code;
    for (size_t i = 0; i < lanes->count; i++) {
        const struct pario_lane *l = &lanes->items[i];
        double half, mean = pario_lane_mean_ns(l, &half);
        char rate[PARIO_FIGURE_LEN];
        int64_t n = l->count;

        (void)pario_table_cell(table, "%d", l->rank);
        (void)pario_table_cell(table, "%s", l->keyword);
        (void)pario_table_cell(table, "%" PRId64, n);
        put_time(table, mean, n);
        put_time(table, half, half > 0);
        put_time(table, (double)l->min_ns, n);
        put_percentiles(table, l);
        put_time(table, (double)l->max_ns, n);
        (void)pario_table_cell(
            table, "%s",
            bytes > 0 && mean > 0 ? pario_number_print(bytes * 1e3 / mean, rate)
                                  : "");
        (void)pario_table_cell(table, "%" PRId64, l->lost);
        (void)pario_table_cell(table, "%" PRId64, l->saturated);
    }
    *table_p = table;
    return 0;
}
