/* report/data.h - results for other programs: tidy CSV, Prometheus. Local. */
#ifndef PARIO_REPORT_DATA_H
#define PARIO_REPORT_DATA_H

#include "report/measures.h"

/* A row per measure: the fixed columns of docs/result-format.md, then which
 * run it is of and where that ran, then a column for each parameter that any
 * measure has; bytes and seconds are numbers. The line of names first. */
int pario_data_csv(FILE *out, const struct pario_run_shown *runs,
                   size_t count) PARIO_MUST_USE;

/* The headline figures as a Prometheus textfile: gauges in base units, one
 * family for each unit, labelled by suite, figure and system. */
int pario_data_prometheus(FILE *out, const struct pario_run_shown *runs,
                          size_t count) PARIO_MUST_USE;

#endif
