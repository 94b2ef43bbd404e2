/* suites/pattern/draw.c - transfers that are drawn: places by Zipf's law or
 * with a hot spot, sizes by weight, reads and writes by share. */
#include "core/units.h"
#include "suites/pattern/pattern.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DRAWN ((int64_t)1 << 20) /* then they come again */

/* Zipf's law on 1 .. n by rejection-inversion (W. Hörmann and G. Derflinger,
 * 1996), exact for every exponent above 0. */
struct zipf {
    double exponent, first, last, shortcut;
    int64_t n;
};

/* The integral of x^-exponent from 1 to x, and its inverse. */
static double integral(const struct zipf *zipf, double x)
{
    double t = (1 - zipf->exponent) * log(x);

    return (fabs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2) * log(x);
}

static double inverse(const struct zipf *zipf, double y)
{
    double t = (1 - zipf->exponent) * y;

    if (t < -1)
        t = -1;
    return exp((fabs(t) > 1e-8 ? log1p(t) / t : 1 - t / 2) * y);
}

static double density(const struct zipf *zipf, double x)
{
    return exp(-zipf->exponent * log(x));
}

static void zipf_init(struct zipf *zipf, double exponent, int64_t n)
{
    zipf->exponent = exponent;
    zipf->n = n;
    zipf->first = integral(zipf, 1.5) - 1;
    zipf->last = integral(zipf, (double)n + 0.5);
    zipf->shortcut = 2 - inverse(zipf, integral(zipf, 2.5) - density(zipf, 2));
}

static int64_t zipf_draw(const struct zipf *zipf, struct pario_rng *rng)
{
    for (;;) {
        double u =
            zipf->last + pario_rng_unit(rng) * (zipf->first - zipf->last);
        double x = inverse(zipf, u);
        int64_t k = (int64_t)(x + 0.5);

        k = k < 1 ? 1 : k > zipf->n ? zipf->n : k;
        if ((double)k - x <= zipf->shortcut ||
            u >= integral(zipf, (double)k + 0.5) - density(zipf, (double)k))
            return k;
    }
}

int pattern_sizes_parse(const char *text, struct pattern_sizes *sizes_p)
{
    struct pattern_sizes sizes = {.count = 0};
    char *copy = strdup(text), *rest = copy, *word;
    int code = copy == NULL ? -ENOMEM : 0;

    while (code == 0 && (word = strsep(&rest, ":")) != NULL) {
        char *slash = strchr(word, '/'), *end = NULL;
        int64_t bytes = 0;

        if (slash == NULL || sizes.count == PATTERN_SIZES) {
            code = -EINVAL;
            break;
        }
        *slash = '\0';
        sizes.weight[sizes.count] = strtod(slash + 1, &end);
        code = pario_size_parse(word, &bytes);
        if (code != 0 || *end != '\0' || end == slash + 1 ||
            !(sizes.weight[sizes.count] > 0) || bytes < 8 || bytes % 8 != 0 ||
            bytes > 1 << 30)
            code = -EINVAL;
        sizes.total += sizes.weight[sizes.count];
        sizes.bytes[sizes.count++] = bytes;
    }
    free(copy);
    if (code == -ENOMEM)
        return pario_fail_errno(code, "--sizes");
    if (code != 0)
        return pario_fail(PARIO_EUSAGE,
                          "--sizes %s: SIZE/WEIGHT:SIZE/WEIGHT ..., at most "
                          "%d, sizes that are multiples of 8: 4k/60:64k/40",
                          text, PATTERN_SIZES);
    *sizes_p = sizes;
    return 0;
}

static int64_t draw_size(const struct pattern_sizes *sizes,
                         struct pario_rng *rng)
{
    double at = pario_rng_unit(rng) * sizes->total;
    int i = 0;

    while (i < sizes->count - 1 && at >= sizes->weight[i])
        at -= sizes->weight[i++];
    return sizes->bytes[i];
}

/* What is needed to draw one place after the other. */
struct draw {
    struct pattern_plan *plan;
    struct pattern_sizes sizes;
    struct pario_rng rng;
    struct zipf zipf;
    struct pario_perm scatter; /* hot places lie anywhere */
    int64_t position;          /* of an order that goes on, in the region */
};

/* A place of the process's own data, in transfers. */
static int64_t draw_place(struct draw *draw)
{
    const struct pattern_options *options = draw->plan->options;
    int64_t places = draw->plan->places;
    int64_t hot = (int64_t)((double)places * options->hot_data / 100);

    if (options->order == PATTERN_ZIPF)
        return (int64_t)pario_perm_at(
            &draw->scatter, (uint64_t)zipf_draw(&draw->zipf, &draw->rng) - 1);
    if (options->order == PATTERN_UNIFORM)
        return (int64_t)pario_rng_below(&draw->rng, (uint64_t)places);
    hot = hot < 1 ? 1 : hot;
    if (hot == places || pario_rng_unit(&draw->rng) * 100 < options->hot_calls)
        return (int64_t)pario_rng_below(&draw->rng, (uint64_t)hot);
    return hot + (int64_t)pario_rng_below(&draw->rng, (uint64_t)(places - hot));
}

/* From the process's own data, one block behind the other, to the file. */
static int64_t in_file(const struct pattern_plan *plan, int64_t at)
{
    int64_t block = plan->options->block_bytes;

    return plan->base + at / block * plan->segment_stride + at % block;
}

/* Where in the process's own data transfer i of len bytes begins. */
static int64_t draw_at(struct draw *draw, int64_t i, int64_t len)
{
    const struct pattern_plan *plan = draw->plan;
    int64_t at;

    if (!plan->options->whole_blocks) {
        at = draw_place(draw) * plan->transfer;
        return at - at % len;
    }
    at = draw->position;
    if (i % plan->per_block == 0) {
        at = draw_place(draw) * plan->transfer;
        at -= at % plan->options->block_bytes;
    }
    draw->position = at + plan->transfer;
    return at;
}

static struct pattern_op draw_op(struct draw *draw, int64_t i)
{
    const struct pattern_plan *plan = draw->plan;
    const struct pattern_options *options = plan->options;
    int64_t len = options->sizes != NULL ? draw_size(&draw->sizes, &draw->rng)
                                         : plan->transfer;
    struct pattern_op op = {.len = (uint32_t)len};

    if (options->order > PATTERN_SHUFFLED) {
        op.offset = in_file(plan, draw_at(draw, i, len));
    } else if (options->sizes != NULL) { /* one behind the other */
        draw->position = (draw->position + len - 1) / len * len;
        if (draw->position + len > plan->region_bytes)
            draw->position = 0;
        op.offset = in_file(plan, draw->position);
        draw->position += len;
    } else {
        op = pattern_op_computed(plan, i);
    }
    if (options->read_share >= 0)
        op.write = pario_rng_unit(&draw->rng) * 100 >= options->read_share;
    return op;
}

int pattern_draw(struct pattern_plan *plan, uint64_t seed)
{
    const struct pattern_options *options = plan->options;
    struct draw draw = {.plan = plan};
    int64_t room = plan->places < MAX_DRAWN ? plan->places : MAX_DRAWN;
    int64_t bytes = 0, n = 0;
    int code = options->sizes != NULL
                   ? pattern_sizes_parse(options->sizes, &draw.sizes)
                   : 0;

    if (code != 0)
        return code;
    if (options->sizes != NULL) /* as many as the data has bytes */
        room = MAX_DRAWN;
    plan->list = malloc((size_t)room * sizeof(*plan->list));
    if (plan->list == NULL)
        return pario_fail_errno(-ENOMEM, "cannot draw the transfers");
    pario_rng_init(&draw.rng, pario_mix64(seed) + (uint64_t)plan->rank);
    pario_perm_init(&draw.scatter, (uint64_t)plan->places, seed);
    zipf_init(&draw.zipf, options->zipf, plan->places);
    while (n < room && (options->sizes == NULL || bytes < plan->region_bytes)) {
        plan->list[n] = draw_op(&draw, n);
        bytes += plan->list[n++].len;
    }
    plan->listed = n;
    if (options->sizes != NULL)
        plan->count = n;
    return 0;
}
