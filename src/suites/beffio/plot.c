/* suites/beffio/plot.c - the three diagrams of Figure 3 by gnuplot: bandwidth
 * on a logarithmic scale over a pseudo-logarithmic chunk size, one line a
 * type, for write, rewrite and read. */
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

static void write_plot(FILE *gnuplot, const char *prefix, int access, int drawn)
{
    static const struct {
        const char *suffix, *terminal;
    } outputs[] = {
        {"png", "pngcairo noenhanced size 900,600 font 'sans,13'"},
        {"svg", "svg noenhanced size 900,600 font 'sans,13'"},
    };

    /* Told apart in print and by the colour-blind, too. */
    static const char *const colours[BEFFIO_TYPES] = {
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#444444"};

    for (int o = 0; o < 2; o++) {
        int first = 1;

        fprintf(gnuplot, "set terminal %s\nset output '%s-%s.%s'\nplot ",
                outputs[o].terminal, prefix, beffio_access_names[access],
                outputs[o].suffix);
        for (int type = 0; type < BEFFIO_TYPES; type++) {
            if (!(drawn & 1 << type))
                continue;
            fprintf(gnuplot,
                    "%s$type%d with linespoints lw 2 pt %d lc rgb '%s' title "
                    "'%s'",
                    first ? "" : ", ", type, type + 4, colours[type],
                    beffio_type_names[type]);
            first = 0;
        }
        fputc('\n', gnuplot);
    }
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

int beffio_plot(const char *prefix, const json_t *document)
{
    const json_t *summary = json_object_get(document, "summary");
    int partition =
        (int)json_integer_value(json_object_get(summary, "partition"));
    const char *status =
        json_integer_value(json_object_get(summary, "failed_patterns")) > 0
            ? " (INVALID)"
        : json_is_true(json_object_get(summary, "official")) ? ""
                                                             : " (preliminary)";
    FILE *gnuplot;
    int ended;

    if (strchr(prefix, '\'') != NULL)
        return pario_fail(PARIO_EUSAGE, "no diagrams for a prefix with a '");
    fflush(NULL);
    gnuplot = popen("gnuplot 2>/dev/null", "w");
    if (gnuplot == NULL)
        return pario_fail_errno(-errno, "cannot start gnuplot");
    for (int access = 0; access < BEFFIO_ACCESSES; access++) {
        int drawn;

        write_axes(gnuplot, partition, access, status);
        drawn = write_data(gnuplot, document, partition, access);
        if (drawn != 0)
            write_plot(gnuplot, prefix, access, drawn);
    }
    ended = pclose(gnuplot);
    if (ended == -1 || !WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return pario_fail(PARIO_EUNAVAIL,
                          "no diagrams: gnuplot is missing or failed");
    return 0;
}
