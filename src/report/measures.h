/* report/measures.h - the measures of results as figures. Local. */
#ifndef PARIO_REPORT_MEASURES_H
#define PARIO_REPORT_MEASURES_H

#include "report/figure.h"
#include <jansson.h>

/* One result among those of a report. */
struct pario_run_shown {
    const json_t *document; /* borrowed */
    const char *label;      /* borrowed; tells it from the others */
};

/* The figures that the suites' papers have, for the measures that are there:
 * bandwidth over chunk, block or request size, over the number of processes,
 * over the process grid; types and access methods side by side; headline
 * figures side by side. A number that is not to be used is not drawn. */
int pario_measures_figures(const struct pario_run_shown *runs, size_t count,
                           struct pario_figure_list *figures) PARIO_MUST_USE;

/* What speaks against all numbers of a run, and against those of one measure
 * of it (enum pario_flag). */
unsigned pario_run_flags(const json_t *document);
/* Against one figure of the summary: its own flags where the document has them,
 * in older ones what is made of all measures. */
unsigned pario_summary_flags(const json_t *document, const char *name);
/* Writes that down in an older document: the measures are looked at once. */
void pario_summary_flags_complete(json_t *document);
unsigned pario_measure_flags(const json_t *document, const json_t *measure);

/* "request size 4 KiB, queue depth 16, sync end": the members of an object but
 * those that `without` has, too (NULL: none), in plain words. To free; NULL: no
 * memory. */
char *pario_members_plain(const json_t *view, json_t *object,
                          const json_t *without);

#endif
