/* report/output.h - files that reports are written to. Local. */
#ifndef PARIO_REPORT_OUTPUT_H
#define PARIO_REPORT_OUTPUT_H

#include "core/error.h"
#include "report/figure.h"
#include <stddef.h>
#include <stdio.h>

/* To an open stream; name stands for it in messages. */
int pario_output_stream(FILE *out, const char *name, const char *text,
                        size_t len) PARIO_MUST_USE;
/* Writes to out, which is the file of that name. */
typedef int pario_output_writer(void *context, FILE *out, const char *path);
/* As pario_output_file, for what is too large to be held. */
int pario_output_write(const char *path, int force, pario_output_writer *write,
                       void *context) PARIO_MUST_USE;
/* To a file. One that exists is kept unless force; one that was begun and
 * could not be finished is removed. */
int pario_output_file(const char *path, int force, const char *text,
                      size_t len) PARIO_MUST_USE;

/* A figure to a file, by what its name ends in: .gp .csv .png .svg .pdf. The
 * last three need gnuplot. */
int pario_output_figure(const struct pario_figure *figure, const char *path,
                        int force) PARIO_MUST_USE;

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
