/* report/figure_gnuplot.c - a figure as a gnuplot script with its data. Text
 * goes in single quotes, where gnuplot interprets nothing; line ends become
 * blanks, so nothing from a file can leave its string. */
#include "report/figure.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_string(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            putc('\'', out); /* doubled */
        putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    putc('\'', out);
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

/* "$s3 << EOD": the name, x, y, low, high, flags of each point. */
static void put_data(const struct pario_figure *figure, FILE *out)
{
    char flags[PARIO_FLAGS_LEN];

    for (size_t i = 0; i < figure->nseries; i++) {
        fprintf(out, "$s%zu << EOD\n", i);
        for (size_t k = 0; k < figure->series[i].count; k++) {
            const struct pario_point *p = &figure->series[i].points[k];

            put_number(out, p->x);
            put_number(out, p->y);
            put_number(out, isfinite(p->low) ? p->low : p->y);
            put_number(out, isfinite(p->high) ? p->high : p->y);
            fprintf(out, " # %s\n", pario_point_flags(p->flags, flags));
        }
        fputs("EOD\n", out);
    }
}

static int has_intervals(const struct pario_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (isfinite(series->points[i].low))
            return 1;
    return 0;
}

static void put_plot(const struct pario_figure *figure, FILE *out, size_t i,
                     const char *gap)
{
    const struct pario_series *series = &figure->series[i];
    double width = 0.8 / (double)(figure->nseries > 0 ? figure->nseries : 1);

    fputs(gap, out);
    switch (figure->kind) {
    case PARIO_FIGURE_BANDS:
        fprintf(out,
                "$s%zu using 1:3:4 with filledcurves fs transparent solid "
                "0.3 lc %zu notitle, \\\n  $s%zu using 1:2 with lines lw 1 lc "
                "%zu title ",
                i, figure->lanes ? 1 : i + 1, i, figure->lanes ? 1 : i + 1);
        break;
    case PARIO_FIGURE_STEPS:
        fprintf(out, "$s%zu using 1:2 with steps lw 1.5 title ", i);
        break;
    case PARIO_FIGURE_BARS:
        fprintf(out, "$s%zu using ($1%+.4f):2:(%.4f) with boxes title ", i,
                width * ((double)i - ((double)figure->nseries - 1) / 2),
                width * 0.95);
        break;
    case PARIO_FIGURE_LINES:
        if (has_intervals(series))
            fprintf(out,
                    "$s%zu using 1:2:3:4 with yerrorbars lc %zu notitle, \\\n"
                    "  ",
                    i, i + 1);
        fprintf(out, "$s%zu using 1:2 with linespoints lc %zu title ", i,
                i + 1);
        break;
    }
    put_string(out, series->name);
    fputs(" noenhanced", out);
}

static void put_axes(const struct pario_figure *figure,
                     const struct pario_extent *extent, FILE *out)
{
    put_setting(out, "xlabel", figure->x_label);
    put_setting(out, "ylabel", figure->y_label);
    fputs("set xlabel offset 0,0.4\n", out);
    if (figure->x_log && strstr(figure->x_label, "bytes") != NULL)
        fputs("set logscale x 2\nset format x '%.0b %BB'\n", out);
    else if (figure->x_log)
        fputs("set logscale x\n", out);
    if (figure->y_log)
        fputs("set logscale y\n", out);
    fprintf(out, "set key outside %s\nset grid\nset format y '%%g'\n",
            figure->nseries > 8 ? "below font ',7'" : "below");
    if (figure->kind == PARIO_FIGURE_BARS) {
        fputs("set style fill solid 0.8\nset xtics rotate by -35 (", out);
        for (size_t i = 0; i < figure->ncategories; i++) {
            fputs(i > 0 ? ", " : "", out);
            put_string(out, figure->categories[i]);
            fprintf(out, " %zu", i);
        }
        fputs(") noenhanced\n", out);
    }
    fprintf(out, "set xrange [%.12g:%.12g]\n", extent->x_low, extent->x_high);
    if (figure->y_log)
        fprintf(out, "set yrange [%.12g:%.12g]\n", extent->y_low / 1.2,
                extent->y_high * 1.2);
    else
        fprintf(out, "set yrange [%.12g:%.12g]\n", extent->y_low,
                extent->y_high + 0.05 * (extent->y_high - extent->y_low));
}

int pario_figure_gnuplot(const struct pario_figure *figure, FILE *out,
                         const char *terminal, const char *output)
{
    struct pario_extent extent;

    fputs("# made by pario report: run it with gnuplot 5.\n", out);
    if (terminal != NULL)
        fprintf(out, "set terminal %s\n", terminal);
    if (output != NULL) {
        fputs("set output ", out);
        put_string(out, output);
        putc('\n', out);
    }
    put_data(figure, out);
    if (!pario_figure_extent(figure, &extent)) {
        fputs("set label 1 'nothing to draw' at graph 0.5, 0.5 center\n"
              "set xrange [0:1]\nset yrange [0:1]\nplot NaN notitle\n",
              out);
        return ferror(out) ? pario_fail_errno(-EIO, "cannot write a plot") : 0;
    }
    put_axes(figure, &extent, out);
    if (figure->lanes) {
        fprintf(out, "set multiplot layout %zu,1 title ", figure->nseries);
        put_string(out, figure->title);
        fputs(" noenhanced\n", out);
        for (size_t i = 0; i < figure->nseries; i++)
            put_plot(figure, out, i, i == 0 ? "plot " : "\nplot ");
        fputs("\nunset multiplot\n", out);
    } else {
        put_setting(out, "title", figure->title);
        for (size_t i = 0; i < figure->nseries; i++)
            put_plot(figure, out, i, i == 0 ? "plot " : ", \\\n  ");
        putc('\n', out);
    }
    return ferror(out) ? pario_fail_errno(-EIO, "cannot write a plot") : 0;
}
