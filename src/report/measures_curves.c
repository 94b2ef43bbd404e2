/* report/measures_curves.c - points of several measures and runs as curves. */
#include "core/stats.h"
#include "report/measures_parts.h"
#include "result/value.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int pario_figure_bar(struct pario_figure *figure, const char *category,
                     const char *name, struct pario_point point)
{
    int number = pario_figure_category(figure, category);
    struct pario_curve *series = pario_figure_curve(figure, name);

    if (number < 0 || series == NULL)
        return -ENOMEM;
    point.x = number;
    return pario_curve_add(series, point);
}

static int merge_series(struct pario_curve *series)
{
    double *y = calloc(series->count + 1, sizeof(*y));
    size_t to = 0;

    if (y == NULL)
        return pario_fail_errno(-ENOMEM, "report");
    for (size_t i = 0; i < series->count;) {
        struct pario_interval interval;
        struct pario_point point = series->points[i];
        size_t n = 0;

        for (; i < series->count && series->points[i].x == point.x; i++) {
            point.flags |= series->points[i].flags;
            y[n++] = series->points[i].y;
        }
        if (n > 1 && pario_median_interval(y, n, &interval) == 0) {
            point.y = interval.median;
            point.low = interval.low;
            point.high = interval.high;
        }
        series->points[to++] = point;
    }
    series->count = to;
    free(y);
    return 0;
}

int pario_figure_merge(struct pario_figure *figure)
{
    int code = 0;

    pario_figure_sort(figure);
    for (size_t i = 0; code == 0 && i < figure->nseries; i++)
        code = merge_series(&figure->series[i]);
    return code;
}

int pario_figure_is_curve(const struct pario_figure *figure)
{
    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 1; k < figure->series[i].count; k++)
            if (figure->series[i].points[k].x != figure->series[i].points[0].x)
                return 1;
    return 0;
}

/* "ext4 /scratch, node": the numbers of a node's name are left out, because
 * the first node of a job is another one each time. */
static char *system_of(const json_t *document, char name[PARIO_NAME_LEN])
{
    const json_t *system = json_object_get(document, "system");
    const json_t *details = json_object_get(system, "filesystem_details");
    const char *fs = pario_text_of(system, "filesystem", NULL);
    const char *mount = pario_text_of(details, "mount", NULL);
    const char *host = pario_text_of(system, "host", NULL);
    const char *mpi = pario_text_of(system, "mpi", NULL);

    snprintf(name, PARIO_NAME_LEN, "%.40s%s%.60s%s%.*s%s%.40s",
             fs != NULL ? fs : "?", mount != NULL ? " " : "",
             mount != NULL ? mount : "", host != NULL ? ", " : "",
             host != NULL ? (int)strcspn(host, "0123456789.") : 0,
             host != NULL ? host : "", mpi != NULL ? ", " : "",
             mpi != NULL ? mpi : "");
    return name;
}

static int is_same_suite(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "suite"), json_object_get(b, "suite"));
}

static int has_partition(const json_t *document, json_int_t partition)
{
    const json_t *measure;
    size_t i;

    json_array_foreach(json_object_get(document, "measures"), i, measure)
    {
        if (pario_integer_of(measure, "partition") == partition)
            return 1;
    }
    return 0;
}

/* Did both measure the same number of processes? */
static int overlap(const json_t *a, const json_t *b)
{
    const json_t *measure;
    json_int_t last = -1;
    size_t i;

    json_array_foreach(json_object_get(a, "measures"), i, measure)
    {
        json_int_t partition = pario_integer_of(measure, "partition");

        if (partition != last && has_partition(b, partition))
            return 1;
        last = partition;
    }
    return 0;
}

char *pario_run_curve(const struct pario_run_shown *runs, size_t count,
                      size_t i, char name[PARIO_NAME_LEN])
{
    char other[PARIO_NAME_LEN];
    int systems = 0;

    (void)system_of(runs[i].document, name);
    for (size_t k = 0; k < count; k++) {
        if (k == i || !is_same_suite(runs[k].document, runs[i].document))
            continue;
        if (strcmp(system_of(runs[k].document, other), name) != 0) {
            systems = 1;
        } else if (overlap(runs[i].document, runs[k].document)) {
            snprintf(name, PARIO_NAME_LEN, "%s", runs[i].label);
            return name;
        }
    }
    if (!systems)
        name[0] = '\0';
    return name;
}
