/* analysis/lane.c - one pass over the samples of a process. */
#include "analysis/lane.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINER 16
#define MIN_WIDTH 4 /* a level of narrower columns would say nothing new */
#define T_15 2.131  /* Student's t, 97.5 %, 15 degrees of freedom */

/* Builds one level: the samples of the column under way. */
struct column {
    int64_t *ns;
    int64_t used;
};

struct pass {
    struct pario_lane *lane;
    int64_t skip; /* samples before the range */
    int64_t seen; /* samples of the range */
    struct column column[PARIO_LANE_LEVELS];
    double batch_sum;
    int64_t batch_len;
};

/* The k-th smallest, by Hoare's selection; reorders ns. */
static int64_t select_kth(int64_t *ns, int64_t n, int64_t k)
{
    int64_t low = 0, high = n - 1;

    while (low < high) {
        int64_t pivot = ns[low + (high - low) / 2], i = low, j = high;

        while (i <= j) {
            while (ns[i] < pivot)
                i++;
            while (ns[j] > pivot)
                j--;
            if (i <= j) {
                int64_t swap = ns[i];

                ns[i++] = ns[j];
                ns[j--] = swap;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return ns[k];
}

static void end_column(struct pario_band *band, struct column *column)
{
    int64_t low = INT64_MAX, high = 0;
    double sum = 0;

    for (int64_t i = 0; i < column->used; i++) {
        sum += (double)column->ns[i];
        low = column->ns[i] < low ? column->ns[i] : low;
        high = column->ns[i] > high ? column->ns[i] : high;
    }
    band->low[band->count] = low;
    band->high[band->count] = high;
    band->mean[band->count] = (int64_t)(sum / (double)column->used + 0.5);
    band->median[band->count] =
        select_kth(column->ns, column->used, (column->used - 1) / 2);
    band->count++;
    column->used = 0;
}

static void add_batch(struct pass *pass, double ns)
{
    struct pario_lane *lane = pass->lane;

    if (pass->batch_len == 0 || lane->nbatches == PARIO_LANE_BATCHES)
        return;
    pass->batch_sum += ns;
    if (pass->seen % pass->batch_len == 0) {
        lane->batch_mean_ns[lane->nbatches++] =
            pass->batch_sum / (double)pass->batch_len;
        pass->batch_sum = 0;
    }
}

static void add_sample(struct pass *pass, int64_t ns)
{
    struct pario_lane *lane = pass->lane;

    if (lane->exact != NULL)
        lane->exact[pass->seen] = ns;
    pass->seen++;
    lane->zeros += ns == 0;
    pario_moments_add(&lane->moments, (double)ns);
    pario_hist_add(lane->hist, ns);
    add_batch(pass, (double)ns);
    for (int i = 0; i < lane->nlevels; i++) {
        struct column *column = &pass->column[i];

        column->ns[column->used++] = ns;
        if (column->used == lane->level[i].width)
            end_column(&lane->level[i], column);
    }
}

static int take(void *context, const int64_t *ns, size_t count)
{
    struct pass *pass = context;

    for (size_t i = 0; i < count; i++) {
        if (pass->skip > 0)
            pass->skip--;
        else if (pass->seen == pass->lane->count)
            return 1; /* the range is over */
        else
            add_sample(pass, ns[i]);
    }
    return 0;
}

static int64_t *times(int64_t count)
{
    return malloc((size_t)(count > 0 ? count : 1) * sizeof(int64_t));
}

static int add_level(struct pass *pass, int i, int64_t width)
{
    struct pario_lane *lane = pass->lane;
    struct pario_band *band = &lane->level[i];
    int64_t columns = (lane->count + width - 1) / width;

    band->width = width;
    /* One piece for the four rows and the column under way. */
    band->low = times(4 * columns + width);
    if (band->low == NULL)
        return -ENOMEM;
    band->median = band->low + columns;
    band->high = band->median + columns;
    band->mean = band->high + columns;
    pass->column[i].ns = band->mean + columns;
    lane->nlevels = i + 1;
    return 0;
}

static int prepare(struct pass *pass, const struct pario_lane_plan *plan)
{
    struct pario_lane *lane = pass->lane;
    int64_t columns = (int64_t)plan->columns;
    int64_t width = (lane->count + columns - 1) / columns;
    int code = 0;

    pario_moments_init(&lane->moments);
    lane->hist = malloc(sizeof(*lane->hist));
    if (lane->hist == NULL)
        return -ENOMEM;
    pario_hist_init(lane->hist);
    if (lane->count <= plan->exact_limit) {
        lane->exact = times(lane->count);
        if (lane->exact == NULL)
            return -ENOMEM;
    }
    if (lane->count >= (int64_t)4 * PARIO_LANE_BATCHES)
        pass->batch_len = lane->count / PARIO_LANE_BATCHES;
    for (int i = 0; code == 0 && i < plan->levels && i < PARIO_LANE_LEVELS &&
                    lane->count > 0;
         i++) {
        if (i > 0 && (width < MIN_WIDTH || lane->exact != NULL))
            break;
        code = add_level(pass, i, width > 0 ? width : 1);
        width /= FINER;
    }
    return code;
}

int pario_lane_init(const struct pario_timings *timings,
                    const struct pario_timings_block *block,
                    const struct pario_timings_section *section,
                    const struct pario_lane_plan *plan,
                    struct pario_lane *lane_p)
{
    int64_t first = plan->first < section->count ? plan->first : section->count;
    int64_t last = plan->last >= 0 && plan->last < section->count
                       ? plan->last
                       : section->count;
    struct pario_lane lane = {.rank = section->rank,
                              .keyword = section->keyword,
                              .first = first,
                              .count = last > first ? last - first : 0,
                              .total = section->count,
                              .lost = section->lost,
                              .saturated = section->saturated};
    struct pass pass = {.lane = &lane, .skip = first};
    int code = prepare(&pass, plan);

    if (code != 0)
        code = pario_fail_errno(code, "cannot read %s", timings->path);
    else if (lane.count > 0)
        code = pario_timings_read(timings, block, section, take, &pass);
    if (code == 1)
        code = 0;
    for (int i = 0; code == 0 && i < lane.nlevels; i++)
        if (pass.column[i].used > 0)
            end_column(&lane.level[i], &pass.column[i]);
    if (code != 0) {
        pario_lane_fini(&lane);
        return code;
    }
    *lane_p = lane;
    return 0;
}

void pario_lane_fini(struct pario_lane *lane)
{
    for (int i = 0; i < PARIO_LANE_LEVELS; i++)
        free(lane->level[i].low);
    free(lane->hist);
    free(lane->exact);
    *lane = (struct pario_lane){.rank = 0};
}

double pario_lane_mean_ns(const struct pario_lane *lane, double *half_width_p)
{
    struct pario_moments batches;

    *half_width_p = 0;
    if (lane->nbatches == PARIO_LANE_BATCHES) {
        pario_moments_init(&batches);
        for (int i = 0; i < PARIO_LANE_BATCHES; i++)
            pario_moments_add(&batches, lane->batch_mean_ns[i]);
        *half_width_p = T_15 * pario_moments_stddev(&batches) /
                        sqrt((double)PARIO_LANE_BATCHES);
    }
    return lane->moments.mean;
}
