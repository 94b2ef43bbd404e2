/* report/levels.c - levels by binary segmentation. */
#include "report/levels.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_NOISE 0.005 /* of a level: finer differences mean nothing */
#define LEAST_STEP 0.01
#define MAX_LEVELS 100
#define MAD_TO_SIGMA 1.4826

/* Values as they are split: logarithms where all are positive. */
struct split {
    size_t count;
    int logarithmic;
    double *y, *smooth, *sum, *scratch; /* sum[i]: of smooth[0 .. i-1] */
    double noise;                       /* standard deviation of y */
    char *begins;                       /* a level begins here */
};

static int by_size(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;

    return (first > second) - (first < second);
}

/* Sorts values. */
static double median_of(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), by_size);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void find_noise(struct split *s)
{
    double floor = LEAST_NOISE;

    for (size_t i = 0; !s->logarithmic && i < s->count; i++)
        floor = fmax(floor, LEAST_NOISE * fabs(s->y[i]));
    for (size_t i = 1; i < s->count; i++)
        s->scratch[i - 1] = fabs(s->y[i] - s->y[i - 1]);
    s->noise = s->count > 1 ? MAD_TO_SIGMA / sqrt(2) *
                                  median_of(s->scratch, s->count - 1)
                            : 0;
    s->noise = fmax(s->noise, floor);
}

/* The median of three neighbours: a single outlier is gone. */
static void smooth(struct split *s)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t at = i == 0 ? 1 : i + 1 == s->count ? i - 1 : i;
        double three[3];

        if (s->count < 3) {
            s->smooth[i] = s->y[i];
        } else {
            memcpy(three, &s->y[at - 1], sizeof(three));
            s->smooth[i] = median_of(three, 3);
        }
        s->sum[i + 1] = s->sum[i] + s->smooth[i];
    }
}

/* The best place to split [first, end) and by how much, in squares of the
 * noise, it lessens the scatter; 0: nowhere. */
static double best_split(const struct split *s, size_t first, size_t end,
                         size_t *at_p)
{
    double best = 0, n = (double)(end - first);

    for (size_t at = first + PARIO_LEVEL_LEAST; at + PARIO_LEVEL_LEAST <= end;
         at++) {
        double left = (double)(at - first), right = (double)(end - at);
        double step = (s->sum[end] - s->sum[at]) / right -
                      (s->sum[at] - s->sum[first]) / left;
        double gain = step * step * left * right / n / (s->noise * s->noise);

        if (gain > best && fabs(step) >= LEAST_STEP) {
            best = gain;
            *at_p = at;
        }
    }
    return best;
}

/* Pieces that are still to be looked at stand on a stack. */
static int split_all(struct split *s)
{
    /* Of few values the noise is known badly. */
    const double enough = 3 * log((double)s->count) + 8 + 60 / (double)s->count;
    size_t(*stack)[2] = calloc(2 * MAX_LEVELS + 2, sizeof(*stack));
    size_t depth = 0, levels = 1;

    if (stack == NULL)
        return -ENOMEM;
    stack[depth][0] = 0;
    stack[depth++][1] = s->count;
    while (depth > 0 && levels < MAX_LEVELS) {
        size_t first = stack[--depth][0], end = stack[depth][1], at = 0;

        if (best_split(s, first, end, &at) < enough)
            continue;
        s->begins[at] = 1;
        levels++;
        stack[depth][0] = first;
        stack[depth++][1] = at;
        stack[depth][0] = at;
        stack[depth++][1] = end;
    }
    free(stack);
    return 0;
}

static double value_of(const struct split *s, double y)
{
    return s->logarithmic ? exp(y) : y;
}

static int make_levels(struct split *s, struct pario_level **levels_p,
                       size_t *count_p)
{
    struct pario_level *levels;
    size_t count = 0, made = 0;

    s->begins[0] = 1;
    for (size_t i = 0; i < s->count; i++)
        count += s->begins[i] != 0;
    levels = calloc(count + 1, sizeof(*levels));
    if (levels == NULL)
        return -ENOMEM;
    for (size_t i = 0, end; i < s->count; i = end) {
        double middle;

        for (end = i + 1; end < s->count && !s->begins[end];)
            end++;
        memcpy(s->scratch, s->y + i, (end - i) * sizeof(*s->scratch));
        middle = median_of(s->scratch, end - i);
        levels[made++] =
            (struct pario_level){.first = i,
                                 .count = end - i,
                                 .level = value_of(s, middle),
                                 .low = value_of(s, middle - 1.96 * s->noise),
                                 .high = value_of(s, middle + 1.96 * s->noise)};
    }
    *levels_p = levels;
    *count_p = made;
    return 0;
}

static int init_split(struct split *s, const double *values, size_t count)
{
    s->count = count;
    s->logarithmic = 1;
    s->y = calloc(count, sizeof(double));
    s->smooth = calloc(count, sizeof(double));
    s->scratch = calloc(count, sizeof(double));
    s->sum = calloc(count + 1, sizeof(double));
    s->begins = calloc(count, 1);
    if (s->y == NULL || s->smooth == NULL || s->scratch == NULL ||
        s->sum == NULL || s->begins == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        s->logarithmic &= values[i] > 0;
    for (size_t i = 0; i < count; i++)
        s->y[i] = s->logarithmic ? log(values[i]) : values[i];
    return 0;
}

int pario_levels_find(const double *values, size_t count,
                      struct pario_level **levels_p, size_t *count_p)
{
    struct split s = {0};
    int code = 0;

    *levels_p = NULL;
    *count_p = 0;
    if (count == 0)
        return 0;
    code = init_split(&s, values, count);
    if (code == 0) {
        find_noise(&s);
        smooth(&s);
        code = split_all(&s);
    }
    if (code == 0)
        code = make_levels(&s, levels_p, count_p);
    free(s.y);
    free(s.smooth);
    free(s.scratch);
    free(s.sum);
    free(s.begins);
    return code == 0 ? 0 : pario_fail_errno(code, "history");
}
