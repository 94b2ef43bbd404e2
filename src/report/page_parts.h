/* report/page_parts.h - what the files of the page share. Private to
 * src/report and the page of src/analysis. Local. */
#ifndef PARIO_REPORT_PAGE_PARTS_H
#define PARIO_REPORT_PAGE_PARTS_H

#include "report/page.h"

/* A JSON string that is safe inside <script>. */
void pario_page_put_string(FILE *out, const char *text);
/* Figures as the page's script wants them. */
void pario_page_put_figure(FILE *out, const struct pario_figure *figure);
/* The place where it is drawn, with its note, and its table if wanted. The key
 * says where the script finds it: its number, or "BLOCK.NUMBER" among the raw
 * timings. */
int pario_page_put_box(FILE *out, const struct pario_figure *figure,
                       const char *key, int table) PARIO_MUST_USE;
/* One of its series. */
void pario_page_put_curve(FILE *out, const struct pario_curve *series);
/* What a run answers: a sentence, the headline figures, what speaks against
 * them. */
void pario_page_put_answer(FILE *out, const struct pario_run_shown *run);

#endif
