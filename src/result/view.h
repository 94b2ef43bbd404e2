/* result/view.h - how the figures of a document want to be seen, said once, by
 * the suite that made them: member `view` of the document
 * (docs/result-format.md). Everything that is shown is made from it; nothing in
 * src/report knows a suite. Local, on rank 0; result NULL: nothing is done, so
 * that all ranks may call. */
#ifndef PARIO_RESULT_VIEW_H
#define PARIO_RESULT_VIEW_H

#include "result/result.h"

/* A figure of the summary within a line of the answer. */
struct pario_view_cell {
    const char *name;   /* "write" */
    const char *figure; /* its name in the summary; a figure that is not there
                           is left out */
};

/* A line: its label, its figures (fewer end with a NULL name), and a note or
 * NULL. A line none of whose figures is there is not shown. */
#define PARIO_VIEW_CELLS 3
struct pario_view_line {
    const char *label;
    struct pario_view_cell cells[PARIO_VIEW_CELLS];
    const char *note;
};

/* What is the same in every run of a suite. */
struct pario_view {
    const char *title;    /* "b_eff_io, the effective I/O bandwidth" */
    const char *question; /* "How fast is this directory?" */
    const struct pario_view_line *lines; /* ended by a NULL label; NULL: none */
};

void pario_view_set(struct pario_result *result, const struct pario_view *view);

/* One more line of the answer. */
void pario_view_add(struct pario_result *result,
                    const struct pario_view_line *line);

/* A sentence below these lines. */
void pario_view_say(struct pario_result *result, const char *fmt, ...)
    PARIO_PRINTF(2, 3);

/* A text of the view: "conditions" under which all of it was measured
 * ("direct"), "next": the one command to go on with. */
void pario_view_text(struct pario_result *result, const char *name,
                     const char *fmt, ...) PARIO_PRINTF(3, 4);

#endif
