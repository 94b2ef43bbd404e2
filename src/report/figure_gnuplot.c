/* report/figure_gnuplot.c - a figure as a gnuplot script with its data. Text
 * goes in single quotes, where gnuplot interprets nothing; line ends become
 * blanks, so nothing from a file can leave its string. */
#include "core/units.h"
#include "report/figure.h"
#include "report/table_parts.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TICS 12

/* How text fits on a sheet: PDF is small, with large type, for a paper. */
static const struct sheet {
    size_t note_width;
    int note_font;
    double rows; /* lines of text on a sheet */
} paper = {115, 7, 22}, screen = {150, 9, 38};

static const struct sheet *sheet_for(const char *terminal)
{
    return terminal != NULL && strncmp(terminal, "pdf", 3) == 0 ? &paper
                                                                : &screen;
}

/* The characters `twice` and ' are doubled. */
static void put_quoted(FILE *out, const char *text, char twice)
{
    putc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == twice)
            putc(*text, out);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    putc('\'', out);
}

static void put_string(FILE *out, const char *text)
{
    put_quoted(out, text, '\'');
}

static void put_setting(FILE *out, const char *name, const char *text)
{
    fprintf(out, "set %s ", name);
    put_string(out, text);
    fputs(" noenhanced\n", out);
}

static void put_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, " %.12g", value);
    else
        fputs(" NaN", out);
}

static int is_flagged(const struct pario_curve *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->points[i].flags != 0)
            return 1;
    return 0;
}

/* "$s3 << EOD": x, y, low, high, flags of each point; "$f3" has those alone
 * that something speaks against. */
static void put_block(const struct pario_curve *series, FILE *out,
                      const char *name, size_t i, int flagged)
{
    char flags[PARIO_FLAGS_LEN];

    fprintf(out, "$%s%zu << EOD\n", name, i);
    for (size_t k = 0; k < series->count; k++) {
        const struct pario_point *p = &series->points[k];

        if (flagged && p->flags == 0)
            continue;
        put_number(out, p->x);
        put_number(out, p->y);
        put_number(out, isfinite(p->low) ? p->low : p->y);
        put_number(out, isfinite(p->high) ? p->high : p->y);
        fprintf(out, " # %s\n", pario_flags_print(p->flags, flags));
    }
    fputs("EOD\n", out);
}

static void put_data(const struct pario_figure *figure, FILE *out)
{
    for (size_t i = 0; i < figure->nseries; i++) {
        put_block(&figure->series[i], out, "s", i, 0);
        if (is_flagged(&figure->series[i]))
            put_block(&figure->series[i], out, "f", i, 1);
    }
}

static int has_intervals(const struct pario_curve *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (isfinite(series->points[i].low))
            return 1;
    return 0;
}

/* Neighbours differ in colour, dash and point. */
static void put_style(FILE *out, size_t i, int points)
{
    static const int types[] = {7, 5, 9, 11, 13};

    fprintf(out, " lc rgb '%s' dt %zu", pario_figure_colour(i), i % 4 + 1);
    if (points)
        fprintf(out, " pt %d", types[i % 5]);
}

static void put_bars(const struct pario_figure *figure, FILE *out, size_t i,
                     const char *block, const char *style)
{
    double width = 0.8 / (double)(figure->nseries > 0 ? figure->nseries : 1);

    fprintf(out, "$%s%zu using ($1%+.4f):2:(%.4f) with boxes %s", block, i,
            width * ((double)i - ((double)figure->nseries - 1) / 2),
            width * 0.95, style);
}

/* The mark of numbers that something speaks against. */
static void put_marks(const struct pario_figure *figure, FILE *out, size_t i)
{
    const struct pario_curve *series = &figure->series[i];

    if (!is_flagged(series))
        return;
    if (figure->kind == PARIO_FIGURE_BARS) {
        fputs(", \\\n  ", out);
        put_bars(figure, out, i, "f",
                 "fs transparent pattern 4 lc rgb '#000000' notitle");
    } else if (figure->kind == PARIO_FIGURE_LINES) {
        fprintf(out,
                ", \\\n  $f%zu using 1:2 with points pt 6 ps 2 lc rgb '%s' "
                "notitle",
                i, pario_figure_colour(i));
    }
}

/* Rows of boxes from each x to the next, the first on top. */
static void put_heat(const struct pario_figure *figure,
                     const struct pario_extent *extent, FILE *out)
{
    fputs("set palette defined (", out);
    for (int i = 0; i < PARIO_HEAT_COLOURS; i++)
        fprintf(out, "%s%d '%s'", i > 0 ? ", " : "", i, pario_heat_colours[i]);
    fputs(")\n", out);
    put_setting(out, "cblabel", figure->y_label);
    fprintf(out,
            "set cbrange [%.12g:%.12g]\nunset grid\nunset ylabel\n"
            "unset key\nset yrange [%zu.5:-0.5]\nset ytics (",
            extent->y_low, extent->y_high, figure->nseries - 1);
    for (size_t i = 0; i < figure->nseries; i++) {
        fputs(i > 0 ? ", " : "", out);
        put_quoted(out, figure->series[i].name, '%'); /* a tic is a format */
        fprintf(out, " %zu", i);
    }
    fputs(") noenhanced\n$heat << EOD\n", out);
    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 0; k + 1 < figure->series[i].count; k++) {
            const struct pario_point *p = &figure->series[i].points[k];

            if (isfinite(p->y))
                fprintf(out, "%.12g %.12g %zu %.12g\n", p->x, p[1].x, i, p->y);
        }
    fputs("EOD\nset style fill solid 1 noborder\n"
          "plot $heat using (($1+$2)/2):3:1:2:($3-0.5):($3+0.5):4 with "
          "boxxyerror lc palette notitle\n",
          out);
}

static void put_plot(const struct pario_figure *figure, FILE *out, size_t i,
                     const char *gap)
{
    const struct pario_curve *series = &figure->series[i];
    size_t colour = figure->lanes ? 0 : i;

    fputs(gap, out);
    switch (figure->kind) {
    case PARIO_FIGURE_BANDS:
        fprintf(out,
                "$s%zu using 1:3:4 with filledcurves fs transparent solid "
                "0.3 lc rgb '%s' notitle, \\\n  $s%zu using 1:2 with lines lw "
                "1",
                i, pario_figure_colour(colour), i);
        put_style(out, colour, 0);
        break;
    case PARIO_FIGURE_STEPS:
        fprintf(out, "$s%zu using 1:2 with steps lw 1.5", i);
        put_style(out, colour, 0);
        break;
    case PARIO_FIGURE_BARS:
        put_bars(figure, out, i, "s", "fs solid 0.8");
        fprintf(out, " lc rgb '%s'", pario_figure_colour(colour));
        break;
    case PARIO_FIGURE_HEAT: /* put_heat draws all rows at once */
    case PARIO_FIGURE_LINES:
        if (has_intervals(series))
            fprintf(out,
                    "$s%zu using 1:2:3:4 with yerrorbars pt 0 lc rgb '%s' "
                    "notitle, \\\n  ",
                    i, pario_figure_colour(colour));
        fprintf(out, "$s%zu using 1:2 with linespoints", i);
        put_style(out, colour, 1);
        break;
    }
    fputs(" title ", out);
    put_string(out, series->name);
    fputs(" noenhanced", out);
    put_marks(figure, out, i);
}

/* The note in lines below the plot; returns how many they are. */
static int put_note(const struct pario_figure *figure,
                    const struct sheet *sheet, FILE *out)
{
    const char *rest = figure->note != NULL ? figure->note : "";
    char line[PARIO_LINE_LEN];
    const char *at;
    int lines = 0, n = 0;

    for (at = rest;
         (at = pario_next_line(at, sheet->note_width, line)) != NULL;)
        lines++;
    for (at = rest; (at = pario_next_line(at, sheet->note_width, line)) != NULL;
         n++) {
        fprintf(out, "set label %d ", n + 1);
        put_string(out, line);
        fprintf(out,
                " at character 2, character %.1f left noenhanced font ',%d'\n",
                0.6 + 0.9 * (lines - 1 - n), sheet->note_font);
    }
    return lines;
}

static void put_categories(const struct pario_figure *figure, FILE *out)
{
    fputs("set xtics rotate by -35 (", out);
    for (size_t i = 0; i < figure->ncategories; i++) {
        fputs(i > 0 ? ", " : "", out);
        put_quoted(out, figure->categories[i], '%'); /* a tic is a format */
        fprintf(out, " %zu", i);
    }
    fputs(") noenhanced\n", out);
}

/* A tic at each x where they are few, and no sizes. */
static void put_tics(const struct pario_figure *figure, FILE *out)
{
    double tics[MAX_TICS];
    size_t n = 0;

    if (figure->kind != PARIO_FIGURE_LINES ||
        strstr(figure->x_label, "bytes") != NULL)
        return;
    for (size_t i = 0; i < figure->nseries; i++)
        for (size_t k = 0; k < figure->series[i].count; k++) {
            double x = figure->series[i].points[k].x;
            size_t at = 0;

            while (at < n && tics[at] != x)
                at++;
            if (at == n && n == MAX_TICS)
                return;
            if (at == n)
                tics[n++] = x;
        }
    fputs("set xtics (", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%.12g", i > 0 ? ", " : "", tics[i]);
    fputs(")\n", out);
}

/* Sizes as KiB and MiB: gnuplot's own format has other letters for them. */
static void put_sizes(const struct pario_extent *extent, FILE *out)
{
    int first = (int)ceil(log2(extent->x_low) - 1e-9);
    int last = (int)floor(log2(extent->x_high) + 1e-9);
    int step = 1 + (last - first) / MAX_TICS;
    char text[PARIO_UNITS_LEN];

    fputs("set logscale x 2\nset xtics (", out);
    for (int k = first; k <= last; k += step)
        fprintf(out, "%s'%s' %.12g", k > first ? ", " : "",
                pario_size_round(exp2(k), text), exp2(k));
    fputs(")\n", out);
}

/* Room below the axis, in lines: its tics, its label, the note. */
static double bottom_of(const struct pario_figure *figure, int note_lines)
{
    double tics = 1.2;
    size_t longest = 0;

    for (size_t i = 0; i < figure->ncategories; i++) {
        size_t len = strlen(figure->categories[i]);

        longest = len > longest ? len : longest;
    }
    if (figure->kind == PARIO_FIGURE_BARS)
        tics += 0.3 * (double)(longest < 40 ? longest : 40);
    return tics + 2.2 + 0.9 * note_lines;
}

static void put_axes(const struct pario_figure *figure,
                     const struct pario_extent *extent,
                     const struct sheet *sheet, FILE *out)
{
    int lines = figure->lanes ? 0 : put_note(figure, sheet, out);
    double x_low = extent->x_low, x_high = extent->x_high;
    double margin = pow(x_high / x_low, 0.02), gap = 0.02 * (x_high - x_low);

    /* So that the first and the last point are not on the frame. */
    if (figure->kind == PARIO_FIGURE_LINES) {
        x_low = figure->x_log ? x_low / margin : x_low - gap;
        x_high = figure->x_log ? x_high * margin : x_high + gap;
    }

    if (figure->kind != PARIO_FIGURE_BARS)
        put_setting(out, "xlabel", figure->x_label);
    put_setting(out, "ylabel", figure->y_label);
    if (figure->x_log && strstr(figure->x_label, "bytes") != NULL)
        put_sizes(extent, out);
    else if (figure->x_log)
        fputs("set logscale x 2\n", out);
    if (figure->y_log)
        fputs("set logscale y\n", out);
    fprintf(out, "set key above%s\nset grid\nset format y '%%g'\n",
            figure->nseries > 8 ? " font ',9'" : "");
    if (!figure->lanes)
        fprintf(out, "set bmargin %.1f\n", bottom_of(figure, lines));
    if (figure->kind == PARIO_FIGURE_BARS)
        put_categories(figure, out);
    put_tics(figure, out);
    fprintf(out, "set xrange [%.12g:%.12g]\n", x_low, x_high);
    if (figure->y_log)
        fprintf(out, "set yrange [%.12g:%.12g]\n", extent->y_low / 1.2,
                extent->y_high * 1.2);
    else
        fprintf(out, "set yrange [%.12g:%.12g]\n", extent->y_low,
                extent->y_high + 0.05 * (extent->y_high - extent->y_low));
}

/* One above the other; the axis' name and the note are below the last. */
static void put_lanes(const struct pario_figure *figure,
                      const struct sheet *sheet, FILE *out)
{
    double room = put_note(figure, sheet, out) * 0.9 + 4.5;

    fprintf(out,
            "set multiplot layout %zu,1 margins screen 0.09, 0.97, %.3f, 0.92 "
            "spacing screen %.3f title ",
            figure->nseries, room / sheet->rows,
            figure->nseries < 6 ? 0.08 : 0.3 / (double)figure->nseries);
    put_string(out, figure->title);
    fputs(" noenhanced\nset key inside top right\nunset xlabel\n", out);
    for (size_t i = 0; i < figure->nseries; i++) {
        if (i + 1 == figure->nseries)
            put_setting(out, "xlabel", figure->x_label);
        put_plot(figure, out, i, "plot ");
        fputs("\nunset label\n", out);
    }
    fputs("unset multiplot\n", out);
}

int pario_figure_gnuplot(const struct pario_figure *figure, FILE *out,
                         const char *terminal)
{
    const struct sheet *sheet = sheet_for(terminal);
    struct pario_extent extent;

    fputs("# made by pario report: run it with gnuplot 5.\n", out);
    if (terminal != NULL)
        fprintf(out, "set terminal %s\n", terminal);
    put_data(figure, out);
    if (!pario_figure_extent(figure, &extent)) {
        fputs("set label 1 'nothing to draw' at graph 0.5, 0.5 center\n"
              "set xrange [0:1]\nset yrange [0:1]\nplot NaN notitle\n",
              out);
        return ferror(out) ? pario_fail_errno(-EIO, "cannot write a plot") : 0;
    }
    put_axes(figure, &extent, sheet, out);
    if (figure->lanes) {
        put_lanes(figure, sheet, out);
    } else if (figure->kind == PARIO_FIGURE_HEAT) {
        put_setting(out, "title", figure->title);
        put_heat(figure, &extent, out);
    } else {
        put_setting(out, "title", figure->title);
        for (size_t i = 0; i < figure->nseries; i++)
            put_plot(figure, out, i, i == 0 ? "plot " : ", \\\n  ");
        putc('\n', out);
    }
    return ferror(out) ? pario_fail_errno(-EIO, "cannot write a plot") : 0;
}
