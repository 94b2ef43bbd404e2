/* suites/beffio/plot.c - the three diagrams of Figure 3 by gnuplot: bandwidth
 * on a logarithmic scale over a pseudo-logarithmic chunk size, one line a
 * type, for write, rewrite and read. */
#include "report/plots.h"
#include "suites/beffio/beffio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Where a chunk size stands on the axis: +8 beside its well-formed size. */
static const struct {
    int64_t l;
    double x;
    const char *label;
} places[] = {
    {1 << 10, 1, "1 kB"},        {(1 << 10) + 8, 1.5, "+8"},
    {32 << 10, 3, "32 kB"},      {(32 << 10) + 8, 3.5, "+8"},
    {1 << 20, 5, "1 MB"},        {(1 << 20) + 8, 5.5, "+8"},
    {BEFFIO_MPART, 7, "M_PART"},
};

#define PLACES ((int)(sizeof(places) / sizeof(places[0])))

static double figure(const json_t *document, int partition, int access,
                     int type, int64_t l)
{
    const json_t *measures = json_object_get(document, "measures");
    const json_t *measure;
    size_t index;

    json_array_foreach(measures, index, measure)
    {
        const json_t *pattern = json_object_get(measure, "pattern");
        int64_t L = json_integer_value(json_object_get(pattern, "L_bytes"));
        int64_t this_l =
            json_integer_value(json_object_get(pattern, "l_bytes"));
        int mpart = json_is_true(json_object_get(measure, "m_part"));
        const char *name =
            json_string_value(json_object_get(measure, "access"));

        if (!json_is_object(pattern) || name == NULL ||
            strcmp(name, beffio_access_names[access]) != 0 ||
            json_integer_value(json_object_get(pattern, "type")) != type ||
            json_integer_value(json_object_get(measure, "partition")) !=
                partition)
            continue;
        if ((l == BEFFIO_MPART && mpart) ||
            (l == this_l && !mpart && L != 2 * l))
            return json_number_value(
                json_object_get(measure, "bandwidth_mbps"));
    }
    return 0;
}

/* Returns whether there was anything to draw. */
static int write_data(FILE *gnuplot, const json_t *document, int partition,
                      int access)
{
    int drawn = 0;

    for (int type = 0; type < BEFFIO_TYPES; type++) {
        fprintf(gnuplot, "$type%d << EOD\n", type);
        for (int i = 0; i < PLACES; i++) {
            double mbps =
                figure(document, partition, access, type, places[i].l);

            if (mbps > 0) {
                fprintf(gnuplot, "%g %g\n", places[i].x, mbps);
                drawn |= 1 << type;
            }
        }
        fprintf(gnuplot, "EOD\n");
    }
    return drawn;
}

static void write_plot(FILE *script, int drawn)
{
    /* Told apart in print and by the colour-blind, too. */
    static const char *const colours[BEFFIO_TYPES] = {
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#444444"};
    int first = 1;

    fputs("plot ", script);
    for (int type = 0; type < BEFFIO_TYPES; type++) {
        if (!(drawn & 1 << type))
            continue;
        fprintf(script,
                "%s$type%d with linespoints lw 2 pt %d lc rgb '%s' title '%s'",
                first ? "" : ", ", type, type + 4, colours[type],
                beffio_type_names[type]);
        first = 0;
    }
    fputc('\n', script);
}

static void write_axes(FILE *gnuplot, int partition, int access,
                       const char *status)
{
    fprintf(gnuplot,
            "set title 'b_eff_io, %s, %d processes%s'\n"
            "set logscale y\nset ylabel 'MB/s'\n"
            "set xlabel 'chunk size on disk'\nset grid\n"
            "set key outside right\nset xrange [0.5:7.5]\nset xtics (",
            beffio_access_names[access], partition, status);
    for (int i = 0; i < PLACES; i++)
        fprintf(gnuplot, "%s'%s' %g", i > 0 ? ", " : "", places[i].label,
                places[i].x);
    fprintf(gnuplot, ")\n");
}

static const char *status_of(const json_t *summary)
{
    if (json_integer_value(json_object_get(summary, "failed_patterns")) > 0)
        return " (INVALID)";
    return json_is_true(json_object_get(summary, "official"))
               ? ""
               : " (preliminary)";
}

/* One access method as one picture; nothing drawn is nothing written. */
static int plot_access(const char *path, const char *terminal, int access,
                       int force, const json_t *document)
{
    const json_t *summary = json_object_get(document, "summary");
    int partition =
        (int)json_integer_value(json_object_get(summary, "partition"));
    char *text = NULL;
    size_t len = 0;
    FILE *script = open_memstream(&text, &len);
    int drawn, code = 0;

    if (script == NULL)
        return pario_fail_errno(-ENOMEM, "cannot draw %s", path);
    fprintf(script, "set terminal %s\n", terminal);
    write_axes(script, partition, access, status_of(summary));
    drawn = write_data(script, document, partition, access);
    if (drawn != 0)
        write_plot(script, drawn);
    if (fclose(script) != 0)
        code = pario_fail_errno(-ENOMEM, "cannot draw %s", path);
    else if (drawn != 0)
        code = pario_gnuplot_draw(text, len, path, force);
    free(text);
    return code;
}

int beffio_plot(const char *prefix, int force, const json_t *document)
{
    static const struct {
        const char *suffix, *terminal;
    } outputs[] = {
        {"png", "pngcairo noenhanced size 900,600 font 'sans,13'"},
        {"svg", "svg noenhanced size 900,600 font 'sans,13'"},
    };
    char path[4300];
    int code = 0;

    for (int i = 0; code == 0 && i < 2 * BEFFIO_ACCESSES; i++) {
        int access = i / 2;

        snprintf(path, sizeof(path), "%s-%s.%s", prefix,
                 beffio_access_names[access], outputs[i % 2].suffix);
        code =
            plot_access(path, outputs[i % 2].terminal, access, force, document);
    }
    return code;
}
