/* report/page_parts.h - what the files of the page share. Private to
 * src/report. Local. */
#ifndef PARIO_REPORT_PAGE_PARTS_H
#define PARIO_REPORT_PAGE_PARTS_H

#include "report/analysis.h"
#include "report/page.h"

/* A JSON string that is safe inside <script>. */
void pario_page_put_string(FILE *out, const char *text);
/* Figures as the page's script wants them. */
void pario_page_put_figure(FILE *out, const struct pario_figure *figure);
/* A block with its lanes; the first call after a startup, or 0, in cut. */
int pario_page_put_lanes(FILE *out, const char *title,
                         const struct pario_lanes *lanes, int64_t cut,
                         int ylog) PARIO_MUST_USE;

/* What a run answers: a sentence, the headline figures, what speaks against
 * them. */
void pario_page_put_answer(FILE *out, const struct pario_run_shown *run);

/* The section of raw timings: HTML to out, its data (members of the array
 * "raw") to data. */
int pario_page_put_raw(FILE *out, FILE *data,
                       const struct pario_page *page) PARIO_MUST_USE;

#endif
