/* suites/beffio/plot.c - the three diagrams of Figure 3 by gnuplot: bandwidth
 * on a logarithmic scale over a pseudo-logarithmic chunk size, one line per
 * type, for write, rewrite and read. */
#include "core/path.h"
#include "report/plots.h"
#include "result/value.h"
#include "suites/beffio/beffio.h"
#include "suites/beffio/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct beffio_cell *cell_at(const struct beffio_figures *figures,
                                         int access, int type, int64_t l)
{
    for (int row = 0; row < BEFFIO_CHUNKS; row++)
        if (beffio_chunks[row].l == l && beffio_chunks[row].L == 0)
            return &figures->cell[access][type][row];
    return NULL;
}

/* One block of points; flagged: only those that something speaks against.
 * Returns how many. */
static int write_points(FILE *script, const struct beffio_figures *figures,
                        int access, int type, int flagged)
{
    int n = 0;

    for (int i = 0; i < PLACES; i++) {
        const struct beffio_cell *cell =
            cell_at(figures, access, type, places[i].l);

        if (cell == NULL || cell->mbps <= 0 || (flagged && cell->flags == 0))
            continue;
        fprintf(script, "%g %g\n", places[i].x, cell->mbps);
        n++;
    }
    return n;
}

/* Bits: which types, and at BEFFIO_TYPES whether any point is flagged. */
static int write_data(FILE *script, const struct beffio_figures *figures,
                      int access)
{
    int drawn = 0;

    for (int type = 0; type < BEFFIO_TYPES; type++) {
        fprintf(script, "$type%d << EOD\n", type);
        if (write_points(script, figures, access, type, 0) > 0)
            drawn |= 1 << type;
        fprintf(script, "EOD\n");
    }
    fprintf(script, "$flagged << EOD\n");
    for (int type = 0; type < BEFFIO_TYPES; type++)
        if (write_points(script, figures, access, type, 1) > 0)
            drawn |= 1 << BEFFIO_TYPES;
    fprintf(script, "EOD\n");
    return drawn;
}

static void write_plot(FILE *script, int drawn)
{
    /* Different in print and for the colour-blind, too. */
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
                beffio_types[type].name);
        first = 0;
    }
    if (drawn & 1 << BEFFIO_TYPES)
        fputs(", $flagged with points pt 6 ps 2.2 lc rgb '#000000' title "
              "'cached, short ...'",
              script);
    fputc('\n', script);
}

/* A name in a gnuplot text: its quotes would end it. */
static void put_name(FILE *script, const char *name)
{
    for (; *name != '\0'; name++)
        fputc(*name == '\'' || *name == '\n' ? '_' : *name, script);
}

static void write_axes(FILE *script, const struct beffio_figures *figures,
                       int access, const char *status)
{
    fprintf(script, "set title 'b_eff_io, %s, %d processes",
            beffio_access_names[access], figures->partition);
    if (figures->hints != NULL) {
        fputs(", hints ", script);
        put_name(script, figures->hints);
    }
    if (figures->repetition > 0)
        fprintf(script, ", repetition %d", figures->repetition);
    fprintf(script,
            "%s'\n"
            "set logscale y\nset ylabel 'MB/s'\n"
            "set xlabel 'chunk size on disk'\nset grid\n"
            "set key outside right\nset xrange [0.5:7.5]\nset xtics (",
            status);
    for (int i = 0; i < PLACES; i++)
        fprintf(script, "%s'%s' %g", i > 0 ? ", " : "", places[i].label,
                places[i].x);
    fprintf(script, ")\n");
}

static const char *status_of(const json_t *summary)
{
    if (pario_integer_of(summary, "failed_patterns") > 0)
        return " (INVALID)";
    return json_is_true(json_object_get(summary, "official"))
               ? ""
               : " (preliminary)";
}

struct picture {
    const struct beffio_figures *figures;
    const char *terminal, *status;
    int access, force;
};

/* One access method as one picture; nothing drawn is nothing written. */
static int draw(const struct picture *picture, const char *path)
{
    char *text = NULL;
    size_t len = 0;
    FILE *script = open_memstream(&text, &len);
    int drawn, code = 0;

    if (script == NULL)
        return pario_fail_errno(-ENOMEM, "cannot draw %s", path);
    fprintf(script, "set terminal %s\n", picture->terminal);
    write_axes(script, picture->figures, picture->access, picture->status);
    drawn = write_data(script, picture->figures, picture->access);
    if (drawn != 0)
        write_plot(script, drawn);
    if (fclose(script) != 0)
        code = pario_fail_errno(-ENOMEM, "cannot draw %s", path);
    else if (drawn != 0)
        code = pario_gnuplot_draw(text, len, path, picture->force);
    free(text);
    return code;
}

/* PREFIX; of a set of hints PREFIX-SET, and where another set has taken that
 * PREFIX-SET-2 and so on. */
static void name_set(const char *prefix, const char *hints, json_t *taken,
                     char *buf, size_t len)
{
    snprintf(buf, len, "%s%s%s", prefix, hints != NULL ? "-" : "",
             hints != NULL ? pario_base_name(hints) : "");
    for (int nth = 2; hints != NULL && json_object_get(taken, buf) != NULL;
         nth++)
        snprintf(buf, len, "%s-%s-%d", prefix, pario_base_name(hints), nth);
    (void)json_object_set_new(taken, buf, json_true());
}

static int plot_figures(const char *prefix, int force, const char *status,
                        const struct beffio_figures *figures)
{
    static const struct {
        const char *suffix, *terminal;
    } outputs[] = {
        {"png", "pngcairo noenhanced size 900,600 font 'sans,13'"},
        {"svg", "svg noenhanced size 900,600 font 'sans,13'"},
    };
    char path[4300];
    int code = 0;

    /* One whose name is taken does not keep the others from being drawn. */
    for (int i = 0; i < 2 * BEFFIO_ACCESSES; i++) {
        struct picture picture = {.figures = figures,
                                  .terminal = outputs[i % 2].terminal,
                                  .status = status,
                                  .access = i / 2,
                                  .force = force};
        int drawn;

        snprintf(path, sizeof(path), "%s-%s.%s", prefix,
                 beffio_access_names[i / 2], outputs[i % 2].suffix);
        drawn = draw(&picture, path);
        code = code != 0 ? code : drawn;
    }
    return code;
}

/* The best partition and repetition; where hints are compared, of each set. */
int beffio_plot(const char *prefix, int force, const json_t *document)
{
    const json_t *summary = json_object_get(document, "summary");
    int release = pario_integer_of(summary, "release") == 1 ? 1 : 2;
    struct beffio_figures *list = NULL;
    json_t *taken = json_object();
    char name[4200];
    int count = 0;
    int code = beffio_figures_collect(document, &list, &count);

    for (int i = 0; i < count; i++) {
        int drawn;

        if (!beffio_figures_is_best(list, count, i, release))
            continue;
        name_set(prefix, list[i].hints, taken, name, sizeof(name));
        drawn = plot_figures(name, force, status_of(summary), &list[i]);
        code = code != 0 ? code : drawn;
    }
    json_decref(taken);
    free(list);
    return code;
}
