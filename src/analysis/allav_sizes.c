/* analysis/allav_sizes.c - calls of different sizes (the test suite's sharedfp,
 * Sect. 6.5: times and amounts of data): time and rate over the size. */
#include "analysis/analysis.h"
#include "analysis/analysis_sizes.h"
#include "report/table_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BINS 24
#define MAX_SETS 24

/* Calls of about one size. */
struct bin {
    double bytes, ns;
    int64_t calls;
};

struct pairing {
    const struct pario_lane_plan *plan; /* which calls */
    int64_t *bytes;                     /* of the calls of one process */
    size_t count, used;
    double largest;
    struct bin bin[BINS];
};

static int take_sizes(void *context, const int64_t *values, size_t count)
{
    struct pairing *pairing = context;

    for (size_t i = 0; i < count && pairing->used < pairing->count; i++) {
        pairing->bytes[pairing->used++] = values[i];
        if ((double)values[i] > pairing->largest)
            pairing->largest = (double)values[i];
    }
    return 0;
}

static int take_times(void *context, const int64_t *ns, size_t count)
{
    struct pairing *pairing = context;

    for (size_t i = 0; i < count && pairing->used < pairing->count; i++) {
        int64_t at = (int64_t)pairing->used;
        double bytes = (double)pairing->bytes[pairing->used++];
        int b = (int)(bytes * BINS / (pairing->largest + 1));
        struct bin *bin = &pairing->bin[b];

        if (at < pairing->plan->first ||
            (pairing->plan->last >= 0 && at >= pairing->plan->last))
            continue;
        bin->bytes += bytes;
        bin->ns += (double)ns[i];
        bin->calls++;
    }
    return 0;
}

static int pair(const struct pario_timings *timings,
                const struct pario_timings_block *block, size_t section,
                struct pairing *pairing)
{
    const struct pario_timings_section *sizes = &block->sizes[section];
    int code;

    pairing->count = (size_t)sizes->count;
    pairing->bytes = calloc(pairing->count + 1, sizeof(*pairing->bytes));
    if (pairing->bytes == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read %s", timings->path);
    code = pario_timings_read(timings, block, sizes, take_sizes, pairing);
    pairing->used = 0;
    if (code == 0)
        code = pario_timings_read(timings, block, &block->sections[section],
                                  take_times, pairing);
    free(pairing->bytes);
    return code;
}

static int add_curve(struct pario_figure *figure, const char *name,
                     const struct pairing *pairing)
{
    struct pario_curve *curve = pario_figure_curve(figure, name);
    int code = curve != NULL ? 0 : -ENOMEM;

    for (int b = 0; code == 0 && b < BINS; b++) {
        const struct bin *bin = &pairing->bin[b];
        struct pario_point point = {
            .x = bin->calls > 0 ? bin->bytes / (double)bin->calls : 0,
            .y = bin->ns > 0 ? bin->bytes * 1e3 / bin->ns : 0,
            .low = NAN,
            .high = NAN};

        if (bin->calls > 0)
            code = pario_curve_add(curve, point);
    }
    return code;
}

/* The calls of all curves. */
struct sum {
    double bytes, ns;
    int64_t calls;
};

static int add_process(const struct pario_timings *timings,
                       const struct pario_timings_block *block, size_t section,
                       const struct pario_lane_plan *plan,
                       struct pario_figure *figure, struct sum *sum)
{
    struct pairing pairing = {.plan = plan};
    char name[32];
    int code = pair(timings, block, section, &pairing);

    snprintf(name, sizeof(name), "process %d", block->sections[section].rank);
    if (code == 0)
        code = add_curve(figure, name, &pairing);
    for (int b = 0; code == 0 && b < BINS; b++) {
        sum->bytes += pairing.bin[b].bytes;
        sum->ns += pairing.bin[b].ns;
        sum->calls += pairing.bin[b].calls;
    }
    return code;
}

/* Of several sets each has its number, and what tells it apart. */
static int begin_figure(const struct pario_timings_block *block, size_t number,
                        size_t nsets, struct pario_figure **figure_p)
{
    static const char *const names[] = {"blockmin_bytes", "blockmax_bytes",
                                        "collective"};
    char id[48] = "allav-sizes", title[256], size[PARIO_UNITS_LEN];
    size_t used = (size_t)snprintf(title, sizeof(title),
                                   "allav: rate of calls of different sizes");

    if (number > 1)
        snprintf(id, sizeof(id), "allav-sizes-%zu", number);
    if (nsets > 1)
        used += (size_t)snprintf(
            title + used, sizeof(title) - used, ", set %zu of %zu, file %s",
            number, nsets,
            pario_size_round(pario_timings_file_bytes(block), size));
    for (size_t i = 0; nsets > 1 && i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = pario_timings_value(block, names[i]);

        if (value != NULL)
            used += (size_t)snprintf(title + used, sizeof(title) - used,
                                     ", %s %.24s", names[i], value);
    }
    return pario_figure_create(PARIO_FIGURE_LINES, id, title, "bytes of a call",
                               "rate of the calls, MB/s", figure_p);
}

static int add_set(const struct pario_timings *timings,
                   const struct pario_timings_block *block,
                   const struct pario_lane_plan *plan, int proc,
                   struct pario_figure *figure, int64_t *calls_p)
{
    struct sum sum = {0};
    int code = 0;

    for (size_t i = 0; code == 0 && i < block->nsections; i++)
        if (proc < 0 || block->sections[i].rank == proc)
            code = add_process(timings, block, i, plan, figure, &sum);
    *calls_p = sum.calls;
    if (code != 0 || sum.calls == 0)
        return code;
    return pario_figure_note(figure,
                             "%" PRId64
                             " calls of %.6g bytes on average, %.6g ms each; "
                             "%.6g bytes in all.",
                             sum.calls, sum.bytes / (double)sum.calls,
                             sum.ns * 1e-6 / (double)sum.calls, sum.bytes);
}

/* Was the process among those of the set? */
static int has(const struct pario_timings_block *block, int proc)
{
    int found = 0;

    if (block->sizes == NULL)
        return 0;
    for (size_t i = 0; !found && i < block->nsections; i++)
        found = proc < 0 || block->sections[i].rank == proc;
    return found;
}

int pario_sizes_figures(const struct pario_timings *timings,
                        const struct pario_lane_plan *plan, int proc,
                        struct pario_figure_list *figures, size_t *empty_p)
{
    size_t nsets = 0, number = 0;
    int code = 0;

    *empty_p = 0;
    for (size_t i = 0; i < timings->nblocks; i++)
        nsets += has(&timings->blocks[i], proc) != 0;
    for (size_t i = 0; code == 0 && i < timings->nblocks && number < MAX_SETS;
         i++) {
        const struct pario_timings_block *block = &timings->blocks[i];
        struct pario_figure *figure = NULL;
        int64_t calls = 0;

        if (!has(block, proc))
            continue;
        code = begin_figure(block, ++number, nsets, &figure);
        if (code != 0)
            return code;
        code = add_set(timings, block, plan, proc, figure, &calls);
        if (code == 0 && number == MAX_SETS && number < nsets) {
            code = pario_figure_note(figure,
                                     "%zu more sets are not drawn here: "
                                     "`pario allav --block N` draws one.",
                                     nsets - number);
        } else if (code == 0 && calls == 0) {
            pario_figure_destroy(figure);
            (*empty_p)++;
            continue;
        }
        code = pario_figure_list_take(figures, figure, code);
    }
    return code;
}
