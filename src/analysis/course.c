/* analysis/course.c - the rate of a block over time: of all processes together
 * as steps, and of each as a heat map. Samples are durations in order, so the
 * calls of a process stand one after another; what it did between them is not
 * in the file. */
#include "analysis/analysis.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 32 /* of the heat map; a row may be several processes */

/* Bytes that each row moved in each column of time. */
struct course {
    size_t rows, columns;
    double width_s, end_s;
    double *bytes;
    double *end_of_row_s;
};

static int64_t calls_in(const struct pario_lane *lane, size_t i)
{
    const struct pario_band *band = &lane->level[0];
    int64_t left = lane->count - (int64_t)i * band->width;

    return left < band->width ? left : band->width;
}

static double seconds_in(const struct pario_lane *lane, size_t i)
{
    return (double)lane->level[0].mean[i] * 1e-9 * (double)calls_in(lane, i);
}

static double seconds_of(const struct pario_lane *lane)
{
    double sum = 0;

    for (size_t i = 0; lane->nlevels > 0 && i < lane->level[0].count; i++)
        sum += seconds_in(lane, i);
    return sum;
}

static size_t row_of(const struct course *course,
                     const struct pario_lanes *lanes, size_t lane)
{
    return lane * course->rows / lanes->count;
}

/* Spreads bytes evenly from `from` to `to`. */
static void spread(const struct course *course, size_t row, double from,
                   double to, double bytes)
{
    double *cell = course->bytes + row * course->columns;
    double per_s = to > from ? bytes / (to - from) : 0;

    for (size_t c = (size_t)(from / course->width_s); c < course->columns;
         c++) {
        double low = fmax(from, (double)c * course->width_s);
        double high = fmin(to, (double)(c + 1) * course->width_s);

        if (low >= to)
            break;
        if (high > low)
            cell[c] += per_s * (high - low);
    }
}

static void add_lane(const struct course *course, size_t row,
                     const struct pario_lane *lane, double call_bytes)
{
    double at = 0;

    for (size_t i = 0; lane->nlevels > 0 && i < lane->level[0].count; i++) {
        double next = at + seconds_in(lane, i);

        spread(course, row, at, next, call_bytes * (double)calls_in(lane, i));
        at = next;
    }
    if (at > course->end_of_row_s[row])
        course->end_of_row_s[row] = at;
}

/* 0: there is something to show; else PARIO_EUNAVAIL without a message. */
static int measure(const struct pario_timings_block *block,
                   const struct pario_lanes *lanes, size_t columns,
                   struct course *course)
{
    const char *depth = pario_timings_value(block, "queue_depth");
    size_t most = 0;

    *course = (struct course){.rows = lanes->count < MAX_ROWS ? lanes->count
                                                              : MAX_ROWS};
    if (depth != NULL && strcmp(depth, "1") != 0)
        return PARIO_EUNAVAIL; /* calls overlap: their times do not add up */
    for (size_t i = 0; i < lanes->count; i++) {
        const struct pario_lane *lane = &lanes->items[i];

        if (lane->nlevels > 0 && lane->level[0].count > most)
            most = lane->level[0].count;
        course->end_s = fmax(course->end_s, seconds_of(lane));
    }
    course->columns = most < columns ? most : columns;
    if (course->columns < 2 || !(course->end_s > 0))
        return PARIO_EUNAVAIL;
    course->width_s = course->end_s / (double)course->columns;
    return 0;
}

static int fill(const struct pario_timings_block *block,
                const struct pario_lanes *lanes, struct course *course)
{
    double call_bytes = pario_timings_block_bytes(block);

    course->bytes =
        calloc(course->rows * (course->columns + 1), sizeof(*course->bytes));
    if (course->bytes == NULL)
        return pario_fail_errno(-ENOMEM, "figure");
    course->end_of_row_s = course->bytes + course->rows * course->columns;
    for (size_t i = 0; i < lanes->count; i++)
        add_lane(course, row_of(course, lanes, i), &lanes->items[i],
                 call_bytes);
    return 0;
}

/* More digits than can be seen would only make the page large. */
static double rounded(double value)
{
    char text[32];

    snprintf(text, sizeof(text), "%.5g", value);
    return strtod(text, NULL);
}

static int add_point(struct pario_curve *series, double x, double y)
{
    return pario_curve_add(
        series, (struct pario_point){
                    .x = rounded(x), .y = rounded(y), .low = NAN, .high = NAN});
}

/* All rows together. The last point only ends the last step. */
static int draw_sum(const struct course *course, struct pario_figure *figure)
{
    struct pario_curve *series = pario_figure_curve(figure, "all processes");
    double mbps = 0;
    int code = series != NULL ? 0 : -ENOMEM;

    for (size_t c = 0; code == 0 && c < course->columns; c++) {
        mbps = 0;
        for (size_t r = 0; r < course->rows; r++)
            mbps +=
                course->bytes[r * course->columns + c] / course->width_s / 1e6;
        code = add_point(series, (double)c * course->width_s, mbps);
    }
    return code == 0 ? add_point(series, course->end_s, mbps) : code;
}

/* "process 3"; of several "8 to 15". */
static void name_row(const struct course *course,
                     const struct pario_lanes *lanes, size_t row, char name[64],
                     size_t *count_p)
{
    int first = -1, last = -1;

    *count_p = 0;
    for (size_t i = 0; i < lanes->count; i++) {
        if (row_of(course, lanes, i) != row)
            continue;
        first = first < 0 ? lanes->items[i].rank : first;
        last = lanes->items[i].rank;
        ++*count_p;
    }
    if (*count_p == 1)
        snprintf(name, 64, "process %d", first);
    else
        snprintf(name, 64, "%d to %d", first, last);
}

/* A process that is ready has no rate any more. */
static int draw_rows(const struct course *course,
                     const struct pario_lanes *lanes,
                     struct pario_figure *figure)
{
    int code = 0;

    for (size_t r = 0; code == 0 && r < course->rows; r++) {
        struct pario_curve *series;
        char name[64];
        size_t count;

        name_row(course, lanes, r, name, &count);
        series = pario_figure_curve(figure, name);
        code = series != NULL ? 0 : -ENOMEM;
        for (size_t c = 0; code == 0 && c <= course->columns; c++) {
            double x = (double)c * course->width_s;
            double mbps = c < course->columns
                              ? course->bytes[r * course->columns + c] /
                                    course->width_s / 1e6 / (double)count
                              : NAN;

            code =
                add_point(series, x, x < course->end_of_row_s[r] ? mbps : NAN);
        }
    }
    return code;
}

static int draw(const struct pario_timings_block *block,
                const struct pario_lanes *lanes, const struct course *course,
                enum pario_figure_kind kind, struct pario_figure_list *figures)
{
    static const char *const labels[] = {"time in calls, s", "bandwidth, MB/s"};
    int heat = kind == PARIO_FIGURE_HEAT;
    struct pario_figure *figure = NULL;
    int code = pario_block_figure(
        kind, heat ? "processes-over-time" : "bandwidth-over-time",
        heat ? "each process over time" : "bandwidth over time", block, labels,
        &figure);

    if (code != 0)
        return code;
    figure->question = PARIO_ASKS_COURSE;
    code = heat ? draw_rows(course, lanes, figure) : draw_sum(course, figure);
    if (code == 0)
        code = pario_figure_note(
            figure, "The calls of a process stand one after another: what it "
                    "did between them is left out.");
    if (code == 0 && heat && course->rows < lanes->count)
        code = pario_figure_note(figure,
                                 "A row of several processes has their mean.");
    return pario_figure_list_take(figures, figure, code);
}

int pario_course_figures(const struct pario_timings_block *block,
                         const struct pario_lanes *lanes, size_t columns,
                         struct pario_figure_list *figures)
{
    struct course course;
    int code = 0;

    if (!(pario_timings_block_bytes(block) > 0) ||
        measure(block, lanes, columns, &course) != 0)
        return 0;
    code = fill(block, lanes, &course);
    if (code == 0)
        code = draw(block, lanes, &course, PARIO_FIGURE_STEPS, figures);
    if (code == 0 && course.rows > 1)
        code = draw(block, lanes, &course, PARIO_FIGURE_HEAT, figures);
    free(course.bytes);
    return code;
}
