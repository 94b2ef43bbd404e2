/* report/measures_parts.h - what the files of measures.h share. Private to
 * src/report. Local. */
#ifndef PARIO_REPORT_MEASURES_PARTS_H
#define PARIO_REPORT_MEASURES_PARTS_H

#include "report/measures.h"

#define PARIO_NAME_LEN 200

/* Adds a point to the bar of this category and series. */
int pario_figure_bar(struct pario_figure *figure, const char *category,
                     const char *name, struct pario_point point) PARIO_MUST_USE;

/* Repetitions of a point become one, with their interval. Sorts. */
int pario_figure_merge(struct pario_figure *figure) PARIO_MUST_USE;

/* Has a series points at more than one x? A parameter that only goes along
 * with another one makes no curve. */
int pario_figure_is_curve(const struct pario_figure *figure);

/* What to call the run's points in a curve over the number of processes: runs
 * of one suite on one system make one curve; where two of them measured the
 * same number of processes, each makes its own under its label. "" for a
 * single system. Returns name. */
char *pario_run_curve(const struct pario_run_shown *runs, size_t count,
                      size_t i, char name[PARIO_NAME_LEN]);

/* The headline figures side by side, and over the number of processes. */
int pario_headline_figures(const struct pario_run_shown *runs, size_t count,
                           struct pario_figure_list *figures) PARIO_MUST_USE;

/* PRIOmark's figures 3 and 4: the values of each directory over the number of
 * processes. */
int pario_directory_figures(const struct pario_run_shown *runs, size_t count,
                            struct pario_figure_list *figures) PARIO_MUST_USE;

#endif
