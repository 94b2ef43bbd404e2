/* report/plots.h - figures as files, drawn by gnuplot. Local. */
#ifndef PARIO_REPORT_PLOTS_H
#define PARIO_REPORT_PLOTS_H

#include "core/output.h"
#include "report/figure.h"
#include <stddef.h>

/* A figure to a file, by what its name ends in: .gp .csv .png .svg .pdf. The
 * last three need gnuplot (PARIO_EUNAVAIL: there is none). */
int pario_output_figure(const struct pario_figure *figure, const char *path,
                        int force) PARIO_MUST_USE;
/* Whether the name ends in one of these. */
int pario_output_figure_check(const char *path) PARIO_MUST_USE;

/* Where all figures of a report go. */
struct pario_plots {
    const char *directory; /* made where it is not there */
    int force;
    int undrawn; /* set: the scripts are there, but no gnuplot to run them */
    size_t count;
};

/* The next figure: NN-ID.gp, and by gnuplot NN-ID.png, .svg and .pdf. */
int pario_output_plot(struct pario_plots *plots,
                      const struct pario_figure *figure) PARIO_MUST_USE;

#endif
