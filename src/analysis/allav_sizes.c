/* analysis/allav_sizes.c - calls of different sizes (the test suite's sharedfp,
 * Sect. 6.5: times and amounts of data): time and rate over the size. */
#include "analysis/analysis.h"
#include "analysis/analysis_sizes.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define BINS 24

/* Calls of about one size. */
struct bin {
    double bytes, ns;
    int64_t calls;
};

struct pairing {
    int64_t *bytes; /* of the calls of one process */
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
        double bytes = (double)pairing->bytes[pairing->used++];
        int b = (int)(bytes * BINS / (pairing->largest + 1));
        struct bin *bin = &pairing->bin[b];

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

    *pairing = (struct pairing){.count = (size_t)sizes->count};
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

int pario_sizes_figure(const struct pario_timings *timings,
                       const struct pario_timings_block *block, int proc,
                       struct pario_figure_list *figures)
{
    struct pario_figure *figure = NULL;
    double bytes = 0, ns = 0;
    int64_t calls = 0;
    int code = pario_figure_create(PARIO_FIGURE_LINES, "allav-sizes",
                                   "allav: rate of calls of different sizes",
                                   "bytes of a call", "rate of the calls, MB/s",
                                   &figure);

    for (size_t i = 0; code == 0 && i < block->nsections; i++) {
        struct pairing pairing;
        char name[32];

        if (proc >= 0 && block->sections[i].rank != proc)
            continue;
        code = pair(timings, block, i, &pairing);
        snprintf(name, sizeof(name), "process %d", block->sections[i].rank);
        if (code == 0)
            code = add_curve(figure, name, &pairing);
        for (int b = 0; code == 0 && b < BINS; b++) {
            bytes += pairing.bin[b].bytes;
            ns += pairing.bin[b].ns;
            calls += pairing.bin[b].calls;
        }
    }
    if (code == 0)
        code = pario_figure_note(
            figure,
            "%" PRId64 " calls of %.6g bytes on average, %.6g ms each; "
            "%.6g bytes in all.",
            calls, calls > 0 ? bytes / (double)calls : 0,
            calls > 0 ? ns * 1e-6 / (double)calls : 0, bytes);
    if (code != 0) {
        pario_figure_destroy(figure);
        return code;
    }
    return pario_figure_list_add(figures, figure);
}
