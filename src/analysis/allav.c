/* analysis/allav.c - rate over file size and block size (the test suite's
 * Sect. 7.2, figure 2), with error bars. */
#include "analysis/analysis.h"
#include "analysis/analysis_sizes.h"
#include "core/units.h"
#include "report/table_parts.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 160
#define GROWTH_POINTS 64
#define MAX_SERIES 24

/* One block as a point of the curves. */
struct average {
    double block_bytes, file_bytes, mbps, half_width;
    int file_known;      /* told by the header */
    char what[NAME_LEN]; /* test, data, processes: all that is not a size */
};

int pario_range_parse(const char *text, int64_t *first_p, int64_t *last_p)
{
    int64_t first = 0, last = -1;
    const char *from = text;
    char *end;

    if (text != NULL) {
        errno = 0;
        first = strtoll(from, &end, 10);
        if (end == from || errno != 0 || *end != ':' || first < 0)
            goto bad;
        from = end + 1;
        if (*from != '\0') {
            last = strtoll(from, &end, 10);
            if (errno != 0 || *end != '\0' || last <= first)
                goto bad;
        }
    }
    *first_p = first;
    *last_p = last;
    return 0;

bad:
    return pario_fail(PARIO_EUSAGE,
                      "--range %s: must be A:B, two loop counters, A below B",
                      text);
}

double pario_lanes_rate(const struct pario_timings_block *block,
                        const struct pario_lanes *lanes, double *half_width_p)
{
    double bytes = pario_timings_block_bytes(block), rate = 0, squares = 0;

    for (size_t i = 0; i < lanes->count; i++) {
        double half, mean = pario_lane_mean_ns(&lanes->items[i], &half);
        double part = mean > 0 ? bytes * 1e3 / mean : 0;

        rate += part;
        if (mean > 0)
            squares += part * half / mean * part * half / mean;
    }
    *half_width_p = sqrt(squares);
    return rate;
}

static void describe(const struct pario_timings_block *block,
                     char what[NAME_LEN])
{
    static const char *const names[] = {"testname", "interface", "order",
                                        "access", "pattern"};
    size_t used = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = pario_timings_value(block, names[i]);

        if (value != NULL && used < NAME_LEN - 40)
            used +=
                (size_t)snprintf(what + used, NAME_LEN - used, "%.24s ", value);
    }
    if (pario_timings_value(block, "collective") != NULL)
        used += (size_t)snprintf(
            what + used, NAME_LEN - used, "%s ",
            strcmp(pario_timings_value(block, "collective"), "true") == 0
                ? "collective"
                : "independent");
    snprintf(what + used, NAME_LEN - used, "%.8s, %" PRId64 " proc",
             block->nsections > 0 ? block->sections[0].keyword : "",
             block->nprocs);
}

static int add_point(struct pario_figure *figure, const struct average *a,
                     double x, const char *fixed, double fixed_bytes)
{
    char name[NAME_LEN + 64], size[PARIO_UNITS_LEN];
    struct pario_point point = {
        .x = x,
        .y = a->mbps,
        .low = a->half_width > 0 ? a->mbps - a->half_width : NAN,
        .high = a->half_width > 0 ? a->mbps + a->half_width : NAN};
    struct pario_curve *series;

    if (point.low < 0)
        point.low = 0;
    snprintf(name, sizeof(name), "%s%s%s%s%s", a->what,
             fixed_bytes > 0 ? ", " : "", fixed_bytes > 0 ? fixed : "",
             fixed_bytes > 0 ? " " : "",
             fixed_bytes > 0 ? pario_size_round(fixed_bytes, size) : "");
    series = pario_figure_curve(figure, name);
    return series != NULL ? pario_curve_add(series, point) : -ENOMEM;
}

/* A single point is no curve; it stays where there is nothing else. Returns
 * whether curves were dropped because they are too many. */
static int drop_lonely(struct pario_figure *figure)
{
    size_t to = 0, curves = 0;
    int cut;

    for (size_t i = 0; i < figure->nseries; i++)
        curves += figure->series[i].count > 1;
    for (size_t i = 0; curves > 0 && i < figure->nseries; i++) {
        if (figure->series[i].count > 1) {
            figure->series[to++] = figure->series[i];
        } else {
            free(figure->series[i].name);
            free(figure->series[i].points);
        }
    }
    if (curves > 0)
        figure->nseries = to;
    cut = figure->nseries > MAX_SERIES;
    while (figure->nseries > MAX_SERIES) {
        figure->nseries--;
        free(figure->series[figure->nseries].name);
        free(figure->series[figure->nseries].points);
    }
    return cut;
}

static int curves(const struct average *averages, size_t count, int over_file,
                  struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    int code = pario_figure_create(
        PARIO_FIGURE_LINES, over_file ? "allav-filesize" : "allav-blocksize",
        over_file ? "allav: rate over file size at fixed block size"
                  : "allav: rate over block size at fixed file size",
        over_file ? "file size, bytes" : "block size, bytes", "rate, MB/s",
        &figure);

    if (code != 0)
        return code;
    figure->x_log = 1;
    for (size_t i = 0; code == 0 && i < count; i++) {
        const struct average *a = &averages[i];

        if (!over_file)
            code = add_point(figure, a, a->block_bytes, "file",
                             a->file_known ? a->file_bytes : 0);
        else if (a->file_known)
            code = add_point(figure, a, a->file_bytes, "block", a->block_bytes);
    }
    if (drop_lonely(figure) && code == 0)
        code = pario_figure_note(figure, "Only the first %d curves are drawn.",
                                 MAX_SERIES);
    pario_figure_sort(figure);
    if (code == 0)
        code = pario_figure_note(
            figure, "The bars are 95 %% intervals of the mean, by batch means "
                    "over successive calls.");
    if (code != 0 || figure->nseries == 0) {
        pario_figure_destroy(figure);
        return code;
    }
    return pario_figure_list_add(figures, figure);
}

/* The approximate curve over file size from the regions of one large file:
 * the rate of each part as the file grows. */
static int growth(const struct pario_timings_block *block,
                  const struct pario_lanes *lanes, int median,
                  struct pario_figure **figure_p)
{
    struct pario_figure *figure = NULL;
    double bytes = pario_timings_block_bytes(block);
    int code = pario_figure_create(
        PARIO_FIGURE_LINES, "allav-growth",
        "allav: rate in the parts of the longest block as its file grows",
        "bytes that the process has moved",
        median ? "rate of the median call, MB/s" : "average rate, MB/s",
        &figure);

    for (size_t i = 0; code == 0 && i < lanes->count && i < MAX_SERIES; i++) {
        const struct pario_lane *lane = &lanes->items[i];
        const struct pario_band *band = &lane->level[0];
        struct pario_curve *series;
        char name[32];

        snprintf(name, sizeof(name), "process %d", lane->rank);
        series = pario_figure_curve(figure, name);
        if (series == NULL)
            code = -ENOMEM;
        for (size_t k = 0; code == 0 && lane->nlevels > 0 && k < band->count;
             k++) {
            double ns = (double)(median ? band->median[k] : band->mean[k]);
            int64_t calls = (int64_t)(k + 1) * band->width;
            struct pario_point point = {
                /* The last column may be shorter. */
                .x = bytes *
                     (double)(lane->first +
                              (calls < lane->count ? calls : lane->count)),
                .y = ns > 0 ? bytes * 1e3 / ns : NAN,
                .low = NAN,
                .high = NAN};

            code = pario_curve_add(series, point);
        }
    }
    if (code == 0 && lanes->count > MAX_SERIES)
        code = pario_figure_note(figure,
                                 "The first %d of %zu processes are drawn.",
                                 MAX_SERIES, lanes->count);
    if (code != 0) {
        pario_figure_destroy(figure);
        return code;
    }
    *figure_p = figure;
    return 0;
}

static const struct pario_timings_block *
longest(const struct pario_timings *timings)
{
    const struct pario_timings_block *best = NULL;
    int64_t most = -1;

    for (size_t i = 0; i < timings->nblocks; i++)
        if (timings->blocks[i].nsections > 0 &&
            timings->blocks[i].sections[0].count > most &&
            pario_timings_block_bytes(&timings->blocks[i]) > 0) {
            best = &timings->blocks[i];
            most = best->sections[0].count;
        }
    return best;
}

/* growth_p NULL: its curve is not wanted. */
static int average_block(const struct pario_timings *timings,
                         const struct pario_timings_block *block, int proc,
                         const struct pario_lane_plan *plan,
                         struct average *average,
                         struct pario_figure **growth_p)
{
    struct pario_lanes lanes;
    int64_t calls = 0;
    int code = pario_lanes_init(timings, block, proc, plan, &lanes);

    if (code != 0)
        return code;
    average->block_bytes = pario_timings_block_bytes(block);
    average->file_bytes = pario_timings_file_bytes(block);
    for (size_t i = 0; i < lanes.count; i++)
        calls += lanes.items[i].total + lanes.items[i].lost;
    average->file_known = average->file_bytes > 0;
    if (!average->file_known)
        average->file_bytes = average->block_bytes * (double)calls;
    average->mbps = pario_lanes_rate(block, &lanes, &average->half_width);
    describe(block, average->what);
    if (growth_p != NULL)
        code = growth(block, &lanes, plan->median, growth_p);
    pario_lanes_fini(&lanes);
    return code;
}

int pario_allav_figures(const struct pario_timings *timings,
                        const struct pario_lane_plan *plan, int proc,
                        struct pario_figure_list *figures, const char **why_p)
{
    struct average *averages = calloc(timings->nblocks + 1, sizeof(*averages));
    const struct pario_timings_block *most = longest(timings);
    struct pario_lane_plan parts = {.first = plan->first,
                                    .last = plan->last,
                                    .columns = GROWTH_POINTS,
                                    .levels = 1,
                                    .median = plan->median};
    struct pario_figure *grown = NULL;
    size_t count = 0, drawn = figures->count, empty;
    int code;

    *why_p = NULL;
    if (averages == NULL)
        return pario_fail_errno(-ENOMEM, "allav");
    code = pario_sizes_figures(timings, plan, proc, figures, &empty);
    drawn = figures->count - drawn;
    for (size_t i = 0; code == 0 && i < timings->nblocks; i++) {
        if (pario_timings_block_bytes(&timings->blocks[i]) <= 0 ||
            (proc >= 0 && proc >= timings->blocks[i].nprocs))
            continue;
        code = average_block(timings, &timings->blocks[i], proc, &parts,
                             &averages[count],
                             &timings->blocks[i] == most ? &grown : NULL);
        count += averages[count].mbps > 0;
    }
    if (code == 0 && count > 0)
        code = curves(averages, count, 1, figures);
    if (code == 0 && count > 0)
        code = curves(averages, count, 0, figures);
    if (code == 0 && count > 0)
        code = pario_figure_list_add(figures, grown);
    else
        pario_figure_destroy(grown);
    if (code == 0 && count == 0 && drawn == 0)
        *why_p =
            empty > 0
                ? "none of the calls that are asked for is there"
                : "no block tells its block size (blocksize, block_bytes), so "
                  "that there is no rate to show";
    free(averages);
    return code;
}
