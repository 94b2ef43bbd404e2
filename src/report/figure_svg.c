/* report/figure_svg.c - a figure as SVG, for pages without a script. */
#include "report/figure.h"
#include "report/table_parts.h"
#include <math.h>
#include <string.h>

#define WIDTH 760.0
#define HEIGHT 300.0
#define LANE_HEIGHT 130.0
#define LEFT 80.0
#define RIGHT 16.0
#define TOP 12.0
#define BOTTOM 40.0
#define ROW 18.0 /* of the legend */
#define NOTE_WIDTH 120

struct frame {
    const struct pario_figure *figure;
    struct pario_extent extent;
    double top, height;
};

static const char *dash_of(size_t i)
{
    static const char *const dashes[] = {"", " stroke-dasharray=\"6 3\"",
                                         " stroke-dasharray=\"2 2\"",
                                         " stroke-dasharray=\"8 3 2 3\""};

    return dashes[i % 4];
}

static double scale(double value, double low, double high, int logarithmic)
{
    if (logarithmic)
        return value > 0 ? log(value / low) / log(high / low) : 0;
    return (value - low) / (high - low);
}

static double at_x(const struct frame *frame, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * scale(x, frame->extent.x_low,
                                                 frame->extent.x_high,
                                                 frame->figure->x_log);
}

static double at_y(const struct frame *frame, double y)
{
    double share = scale(y, frame->extent.y_low, frame->extent.y_high,
                         frame->figure->y_log);

    return frame->top + frame->height * (1 - (share < 0 ? 0 : share));
}

static int is_drawn(const struct frame *frame, const struct pario_point *p)
{
    return isfinite(p->x) && isfinite(p->y) &&
           (!frame->figure->x_log || p->x > 0) &&
           (!frame->figure->y_log || p->y > 0);
}

static void put_text(FILE *out, double x, double y, const char *anchor,
                     const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
            anchor);
    pario_cell_put(out, text, PARIO_FORMAT_HTML);
    fputs("</text>\n", out);
}

static void put_ticks(const struct frame *frame, FILE *out)
{
    const struct pario_extent *e = &frame->extent;
    char text[PARIO_FIGURE_LEN];

    for (int i = 0; i <= 4; i++) {
        double share = i / 4.0;
        double y = frame->figure->y_log
                       ? e->y_low * pow(e->y_high / e->y_low, share)
                       : e->y_low + share * (e->y_high - e->y_low);
        double x = frame->figure->x_log
                       ? e->x_low * pow(e->x_high / e->x_low, share)
                       : e->x_low + share * (e->x_high - e->x_low);

        if (frame->figure->kind != PARIO_FIGURE_HEAT) {
            fprintf(out,
                    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" "
                    "y1=\"%.1f\" y2=\"%.1f\"/>\n",
                    LEFT, WIDTH - RIGHT, at_y(frame, y), at_y(frame, y));
            put_text(out, LEFT - 6, at_y(frame, y) + 4, "end",
                     pario_number_print(y, text));
        }
        if (frame->figure->kind != PARIO_FIGURE_BARS)
            put_text(out, at_x(frame, x), frame->top + frame->height + 16,
                     i == 4 ? "end" : "middle", pario_number_print(x, text));
    }
}

static void put_band(const struct frame *frame, FILE *out, size_t i)
{
    const struct pario_curve *series = &frame->figure->series[i];

    fprintf(out,
            "<path fill=\"none\" stroke=\"%s\" stroke-opacity=\".35\" d=\"",
            pario_figure_colour(i));
    for (size_t k = 0; k < series->count; k++) {
        const struct pario_point *p = &series->points[k];

        if (is_drawn(frame, p) && isfinite(p->low))
            fprintf(out, "M%.1f %.1fV%.1f", at_x(frame, p->x),
                    at_y(frame, p->low), at_y(frame, p->high));
    }
    fputs("\"/>\n", out);
}

/* Hollow where something speaks against the number, and it says what. */
static void put_dot(const struct frame *frame, FILE *out, size_t i,
                    const struct pario_point *p)
{
    char flags[PARIO_FLAGS_LEN];

    fprintf(out,
            "<circle r=\"%d\" fill=\"%s\" stroke=\"%s\" cx=\"%.1f\" "
            "cy=\"%.1f\">",
            p->flags != 0 ? 5 : 3,
            p->flags != 0 ? "none" : pario_figure_colour(i),
            pario_figure_colour(i), at_x(frame, p->x), at_y(frame, p->y));
    if (p->flags != 0)
        fprintf(out, "<title>%s</title>", pario_flags_print(p->flags, flags));
    fputs("</circle>\n", out);
}

static void put_line(const struct frame *frame, FILE *out, size_t i)
{
    const struct pario_curve *series = &frame->figure->series[i];
    const char *step = "M";
    double last = 0;

    fprintf(out, "<path fill=\"none\" stroke=\"%s\"%s d=\"",
            pario_figure_colour(i), dash_of(i));
    for (size_t k = 0; k < series->count; k++) {
        const struct pario_point *p = &series->points[k];

        if (!is_drawn(frame, p))
            continue;
        if (frame->figure->kind == PARIO_FIGURE_STEPS && step[0] == 'L')
            fprintf(out, "L%.1f %.1f", at_x(frame, p->x), last);
        last = at_y(frame, p->y);
        fprintf(out, "%s%.1f %.1f", step, at_x(frame, p->x), last);
        step = "L";
    }
    fputs("\"/>\n", out);
    if (frame->figure->kind != PARIO_FIGURE_LINES)
        return;
    for (size_t k = 0; k < series->count; k++)
        if (is_drawn(frame, &series->points[k]))
            put_dot(frame, out, i, &series->points[k]);
}

static void put_bars(const struct frame *frame, FILE *out)
{
    const struct pario_figure *figure = frame->figure;
    double slot = (WIDTH - LEFT - RIGHT) /
                  (double)(figure->ncategories > 0 ? figure->ncategories : 1);
    double width = slot * 0.8 / (double)figure->nseries;

    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 0; k < figure->series[i].count; k++) {
            const struct pario_point *p = &figure->series[i].points[k];
            double x = LEFT + slot * (p->x + 0.1) + width * (double)i;
            double y = at_y(frame, p->y);

            fprintf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                    "height=\"%.1f\" fill=\"%s\"%s%s%s/>\n",
                    x, y, width * 0.95, frame->top + frame->height - y,
                    pario_figure_colour(i),
                    p->flags != 0 ? " fill-opacity=\".3\" stroke-dasharray="
                                    "\"4 2\" stroke=\""
                                  : "",
                    p->flags != 0 ? pario_figure_colour(i) : "",
                    p->flags != 0 ? "\"" : "");
        }
    for (size_t c = 0; c < figure->ncategories; c++) {
        double x = LEFT + slot * ((double)c + 0.5);
        double y = frame->top + frame->height + 14;

        fprintf(out,
                "<text transform=\"translate(%.1f,%.1f) rotate(30)\" "
                "font-size=\"10\">",
                x, y);
        pario_cell_put(out, figure->categories[c], PARIO_FORMAT_HTML);
        fputs("</text>\n", out);
    }
}

/* A row for each series, the first on top, named beside it where there is
 * room. */
static void put_heat(const struct frame *frame, FILE *out)
{
    const struct pario_figure *figure = frame->figure;
    double row = frame->height / (double)figure->nseries;
    double last = -ROW;
    char colour[PARIO_COLOUR_LEN];

    for (size_t i = 0; i < figure->nseries; i++) {
        const struct pario_curve *series = &figure->series[i];
        double y = frame->top + row * (double)i;

        if (y - last >= ROW - 4) {
            put_text(out, LEFT - 6, y + row / 2 + 4, "end", series->name);
            last = y;
        }
        for (size_t k = 0; k + 1 < series->count; k++) {
            const struct pario_point *p = &series->points[k];

            if (isfinite(p->y))
                fprintf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" "
                        "height=\"%.2f\" fill=\"%s\"/>\n",
                        at_x(frame, p->x), y,
                        at_x(frame, p[1].x) - at_x(frame, p->x) + 0.3,
                        row * 0.96,
                        pario_heat_colour(p->y / frame->extent.y_high, colour));
        }
    }
}

/* Which colour is which value. */
static void put_scale(const struct frame *frame, FILE *out, double top)
{
    char text[PARIO_FIGURE_LEN];

    for (int i = 0; i < PARIO_HEAT_COLOURS; i++) {
        double x = LEFT + 110.0 * i;

        fprintf(out,
                "<rect x=\"%.0f\" y=\"%.1f\" width=\"24\" height=\"10\" "
                "fill=\"%s\"/>\n",
                x, top, pario_heat_colours[i]);
        put_text(out, x + 30, top + 9, "start",
                 pario_number_print(frame->extent.y_high * i /
                                        (PARIO_HEAT_COLOURS - 1),
                                    text));
    }
    put_text(out, LEFT + 110.0 * PARIO_HEAT_COLOURS, top + 9, "start",
             frame->figure->y_label);
}

static void put_series(const struct frame *frame, FILE *out, size_t i)
{
    put_band(frame, out, i);
    put_line(frame, out, i);
}

/* The note below the plot from y on; out NULL: only its height. */
static double put_note(const struct pario_figure *figure, FILE *out, double y)
{
    const char *at = figure->note != NULL ? figure->note : "";
    char line[PARIO_LINE_LEN];
    double begin = y;

    while ((at = pario_next_line(at, NOTE_WIDTH, line)) != NULL) {
        y += ROW;
        if (out != NULL)
            put_text(out, 4, y - 5, "start", line);
    }
    return y - begin;
}

static double legend_height(const struct pario_figure *figure)
{
    return ROW *
           (figure->kind == PARIO_FIGURE_HEAT ? 1.0 : (double)figure->nseries);
}

static double height_of(const struct pario_figure *figure)
{
    double note = put_note(figure, NULL, 0);

    if (figure->lanes)
        return TOP + (LANE_HEIGHT + BOTTOM) * (double)figure->nseries + note;
    return TOP + HEIGHT + BOTTOM + legend_height(figure) + note +
           (figure->kind == PARIO_FIGURE_BARS ? 120 : 0);
}

static void put_legend(const struct frame *frame, FILE *out, double top)
{
    const struct pario_figure *figure = frame->figure;

    if (figure->kind == PARIO_FIGURE_HEAT) {
        put_scale(frame, out, top);
        return;
    }
    for (size_t i = 0; i < figure->nseries; i++) {
        double y = top + ROW * (double)i;

        fprintf(out,
                "<path fill=\"none\" stroke-width=\"4\" stroke=\"%s\"%s "
                "d=\"M%.0f %.1fH%.0f\"/>\n",
                pario_figure_colour(i), dash_of(i), LEFT, y + 2, LEFT + 24);
        put_text(out, LEFT + 30, y + 6, "start", figure->series[i].name);
    }
}

void pario_figure_svg(const struct pario_figure *figure, FILE *out)
{
    struct frame frame = {.figure = figure, .top = TOP, .height = HEIGHT};
    double height = height_of(figure);
    double legend = height - put_note(figure, NULL, 0) - legend_height(figure);

    fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
            WIDTH, height);
    pario_cell_put(out, figure->title, PARIO_FORMAT_HTML);
    fputs("\">\n", out);
    if (!pario_figure_extent(figure, &frame.extent)) {
        put_text(out, WIDTH / 2, HEIGHT / 2, "middle", "nothing to draw");
    } else if (figure->lanes) {
        frame.height = LANE_HEIGHT;
        for (size_t i = 0; i < figure->nseries; i++) {
            put_ticks(&frame, out);
            put_series(&frame, out, i);
            put_text(out, WIDTH - RIGHT, frame.top + 10, "end",
                     figure->series[i].name);
            frame.top += LANE_HEIGHT + BOTTOM;
        }
    } else {
        put_ticks(&frame, out);
        if (figure->kind == PARIO_FIGURE_BARS)
            put_bars(&frame, out);
        else if (figure->kind == PARIO_FIGURE_HEAT)
            put_heat(&frame, out);
        else
            for (size_t i = 0; i < figure->nseries; i++)
                put_series(&frame, out, i);
        if (figure->kind != PARIO_FIGURE_BARS)
            put_text(out, WIDTH / 2, TOP + HEIGHT + 34, "middle",
                     figure->x_label);
        put_legend(&frame, out, legend);
    }
    (void)put_note(figure, out, height - put_note(figure, NULL, 0));
    fputs("</svg>\n", out);
}
