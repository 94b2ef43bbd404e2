/* report/figure_terminal.c - a figure in characters. */
#include "core/units.h"
#include "report/figure.h"
#include "report/table_parts.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 11 /* the numbers beside the y axis */
#define HEIGHT 16
#define LANE_HEIGHT 8
#define BAR_NAME 28

static const char marks[] = "ox+*#@%&=svd";

struct canvas {
    char *cell;
    int columns, rows;
    struct pario_extent extent;
    const struct pario_figure *figure;
};

static double place(double value, double low, double high, int logarithmic)
{
    if (logarithmic) {
        if (value <= 0 || low <= 0)
            return NAN;
        return log(value / low) / log(high / low);
    }
    return (value - low) / (high - low);
}

static int cell_of(double share, int count)
{
    int i;

    if (!isfinite(share) || share < -1e-9 || share > 1 + 1e-9)
        return -1;
    i = (int)(share * count);
    return i < 0 ? 0 : i >= count ? count - 1 : i;
}

static int column_of(const struct canvas *canvas, double x)
{
    return cell_of(place(x, canvas->extent.x_low, canvas->extent.x_high,
                         canvas->figure->x_log),
                   canvas->columns);
}

static int row_of(const struct canvas *canvas, double y)
{
    int row = cell_of(place(y, canvas->extent.y_low, canvas->extent.y_high,
                            canvas->figure->y_log),
                      canvas->rows);

    return row < 0 ? -1 : canvas->rows - 1 - row;
}

static void put_mark(const struct canvas *canvas, int column, int row, char c)
{
    if (column >= 0 && row >= 0)
        canvas->cell[row * canvas->columns + column] = c;
}

static void draw_series(const struct canvas *canvas,
                        const struct pario_curve *series, char mark)
{
    for (size_t i = 0; i < series->count; i++) {
        const struct pario_point *p = &series->points[i];
        int column = column_of(canvas, p->x);
        int low = row_of(canvas, p->low), high = row_of(canvas, p->high);

        if (isfinite(p->low) && isfinite(p->high) && high >= 0 && column >= 0)
            for (int row = high; row <= (low >= 0 ? low : canvas->rows - 1);
                 row++)
                if (canvas->cell[row * canvas->columns + column] == ' ')
                    put_mark(canvas, column, row, ':');
    }
    for (size_t i = 0; i < series->count; i++)
        put_mark(canvas, column_of(canvas, series->points[i].x),
                 row_of(canvas, series->points[i].y), mark);
}

static double y_at(const struct canvas *canvas, int row)
{
    double share = (canvas->rows - 0.5 - row) / canvas->rows;
    const struct pario_extent *e = &canvas->extent;

    return canvas->figure->y_log ? e->y_low * pow(e->y_high / e->y_low, share)
                                 : e->y_low + share * (e->y_high - e->y_low);
}

static void put_canvas(const struct canvas *canvas, FILE *out)
{
    char figure[PARIO_FIGURE_LEN], right[PARIO_FIGURE_LEN];
    int used;

    for (int row = 0; row < canvas->rows; row++) {
        int len = canvas->columns;

        while (len > 0 && canvas->cell[row * canvas->columns + len - 1] == ' ')
            len--;
        if (row % 4 == 0 || row == canvas->rows - 1)
            fprintf(out, "%*s ", MARGIN - 2,
                    pario_number_print(y_at(canvas, row), figure));
        else
            fprintf(out, "%*s", MARGIN - 1, "");
        fprintf(out, "|%.*s\n", len,
                canvas->cell + (ptrdiff_t)row * canvas->columns);
    }
    fprintf(out, "%*s+", MARGIN - 1, "");
    for (int i = 0; i < canvas->columns; i++)
        putc('-', out);
    pario_number_print(canvas->extent.x_high, right);
    used = fprintf(out, "\n%*s%s", MARGIN, "",
                   pario_number_print(canvas->extent.x_low, figure)) -
           1 - MARGIN;
    fprintf(out, "%*s\n", canvas->columns > used ? canvas->columns - used : 0,
            right);
}

static int put_axes(const struct pario_figure *figure, FILE *out, int columns,
                    const struct pario_extent *extent, size_t only)
{
    struct canvas canvas = {.columns = columns - MARGIN,
                            .rows = figure->lanes ? LANE_HEIGHT : HEIGHT,
                            .extent = *extent,
                            .figure = figure};

    canvas.cell = malloc((size_t)canvas.columns * (size_t)canvas.rows);
    if (canvas.cell == NULL)
        return pario_fail_errno(-ENOMEM, "figure");
    memset(canvas.cell, ' ', (size_t)canvas.columns * (size_t)canvas.rows);
    for (size_t i = 0; i < figure->nseries; i++)
        if (only == figure->nseries || only == i)
            draw_series(&canvas, &figure->series[i],
                        marks[figure->lanes ? 0 : i % (sizeof(marks) - 1)]);
    put_canvas(&canvas, out);
    free(canvas.cell);
    return 0;
}

static void put_bars(const struct pario_figure *figure, FILE *out, int columns,
                     const struct pario_extent *extent)
{
    char number[PARIO_FIGURE_LEN];
    int room = columns - BAR_NAME - 12;

    for (size_t c = 0; c < figure->ncategories; c++)
        for (size_t i = 0; i < figure->nseries; i++)
            for (size_t k = 0; k < figure->series[i].count; k++) {
                const struct pario_point *p = &figure->series[i].points[k];
                double share = p->y / extent->y_high;
                int len = cell_of(share, room > 1 ? room : 1);

                if ((size_t)p->x != c || !isfinite(p->y))
                    continue;
                pario_cell_put(out, figure->categories[c], PARIO_FORMAT_TEXT);
                fprintf(out, "  %c %10s ", marks[i % (sizeof(marks) - 1)],
                        pario_number_print(p->y, number));
                for (int n = 0; n <= len; n++)
                    putc('=', out);
                putc('\n', out);
            }
}

/* A line for each row, the higher the value the darker; what several columns
 * of the figure share here is the last of them. */
static void put_heat(const struct pario_figure *figure, FILE *out, int columns,
                     const struct pario_extent *extent)
{
    static const char shades[] = ".:-=+*#%@";
    int room = columns - BAR_NAME - 2;

    for (size_t i = 0; i < figure->nseries; i++) {
        const struct pario_curve *series = &figure->series[i];
        size_t k = 0;

        pario_cell_put(out, series->name, PARIO_FORMAT_TEXT);
        fprintf(out, "%*s|", BAR_NAME - (int)strlen(series->name), "");
        for (int c = 0; c < room; c++) {
            double x = extent->x_low +
                       (extent->x_high - extent->x_low) * (c + 0.5) / room;
            int shade = -1; /* nothing there */

            while (k + 1 < series->count && series->points[k + 1].x <= x)
                k++;
            if (k < series->count)
                shade = cell_of(series->points[k].y / extent->y_high,
                                sizeof(shades) - 1);
            putc(shade >= 0 ? shades[shade] : ' ', out);
        }
        fputs("|\n", out);
    }
}

static void put_legend(const struct pario_figure *figure, FILE *out)
{
    if (figure->nseries < 2)
        return;
    for (size_t i = 0; i < figure->nseries; i++) {
        fprintf(out, "  %c ", marks[i % (sizeof(marks) - 1)]);
        pario_cell_put(out, figure->series[i].name, PARIO_FORMAT_TEXT);
        putc('\n', out);
    }
}

/* Word by word, on as many lines as it takes. */
static void put_note(const char *note, FILE *out, int columns)
{
    int used = 0;

    while (*note != '\0') {
        int len = (int)strcspn(note, " ");
        char word[128];

        snprintf(word, sizeof(word), "%.*s", len, note);
        if (used > 0 && used + 1 + len > columns) {
            putc('\n', out);
            used = 0;
        }
        if (used > 0)
            putc(' ', out);
        pario_cell_put(out, word, PARIO_FORMAT_TEXT);
        used += len + (used > 0);
        note += len;
        note += strspn(note, " ");
    }
    putc('\n', out);
}

int pario_figure_terminal(const struct pario_figure *figure, FILE *out,
                          int columns)
{
    struct pario_extent extent;
    int code = 0;

    pario_cell_put(out, figure->title, PARIO_FORMAT_TEXT);
    fprintf(out, "\n%s%s\n", figure->y_label,
            figure->y_log ? " (logarithmic)" : "");
    if (!pario_figure_extent(figure, &extent)) {
        fputs("  (nothing to draw)\n", out);
        return 0;
    }
    columns = columns < 40 ? 40 : columns;
    if (figure->kind == PARIO_FIGURE_BARS) {
        put_bars(figure, out, columns, &extent);
        put_legend(figure, out);
    } else if (figure->kind == PARIO_FIGURE_HEAT) {
        put_heat(figure, out, columns, &extent);
    } else if (figure->lanes) {
        for (size_t i = 0; code == 0 && i < figure->nseries; i++) {
            pario_cell_put(out, figure->series[i].name, PARIO_FORMAT_TEXT);
            putc('\n', out);
            code = put_axes(figure, out, columns, &extent, i);
        }
    } else {
        code = put_axes(figure, out, columns, &extent, figure->nseries);
    }
    if (figure->kind != PARIO_FIGURE_BARS)
        fprintf(out, "%*s%s%s\n", MARGIN, "", figure->x_label,
                figure->x_log ? " (logarithmic)" : "");
    if (figure->kind != PARIO_FIGURE_BARS &&
        figure->kind != PARIO_FIGURE_HEAT && !figure->lanes)
        put_legend(figure, out);
    if (figure->note != NULL)
        put_note(figure->note, out, columns);
    return code;
}
