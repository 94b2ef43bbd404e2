/* result/view.h - how the figures of a document want to be seen, said once, by
 * the suite that made them: member `view` of the document
 * (docs/result-format.md). Everything that is shown is made from it; nothing in
 * src/report knows a suite. Local, on rank 0; result NULL: nothing is done, so
 * that all ranks may call. */
#ifndef PARIO_RESULT_VIEW_H
#define PARIO_RESULT_VIEW_H

#include "core/fields.h"
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

/* The plain name of a parameter or member, "request_bytes": "request size". */
struct pario_view_name {
    const char *key, *name;
    const char *only; /* of a value: over this x alone; NULL: over each */
};

/* What a test is called, and which tests belong in one figure. */
struct pario_view_test {
    const char *test, *name;
    const char *figure; /* of all tests that have the same; NULL: its own */
    const char *apart;  /* a figure for each value of this; NULL: none */
};

/* What is the same in every run of a suite. Whatever is NULL is found in the
 * measures themselves. Tables end with a NULL key or test. */
struct pario_view {
    const char *title;    /* "b_eff_io, the effective I/O bandwidth" */
    const char *question; /* "How fast is this directory?" */
    const struct pario_view_line *lines; /* ended by a NULL label; NULL: none */
    const char *lead; /* what carries the result: "answer" (the figures above,
                         as bars), "measures" (the first figure of these);
                         NULL: "answer" */
    const struct pario_view_name *axes;   /* x, the most telling first */
    const struct pario_view_name *values; /* y: members of a measure,
                                             "latency_ns.p99" */
    const struct pario_view_test *tests;
    const char *beside;  /* parameters whose values stand side by side, and */
    const char *details; /* those that never name a series: words */
    /* Of the parameters: those that are free (core/fields.h) number the
     * repetitions of one measure and do not tell two apart. NULL: none does. */
    const struct pario_field *fields;
    /* The command to go on with, where the run says no other: {n} is "-n 4 ",
     * {dir} what was measured, {file} the document. NULL: none. */
    const char *next;
};

void pario_view_set(struct pario_result *result, const struct pario_view *view);

/* The document's own words for `next`, unless it has some: {n} is of so many
 * processes. */
void pario_view_next(struct pario_result *result, const struct pario_view *view,
                     int processes);

/* The same as JSON, a new reference. NULL: no memory. */
json_t *pario_view_json(const struct pario_view *view);

/* A figure that the suite itself has drawn: its series with their points. One
 * whose x is text is a ranking or bars. low, high NAN: not known. */
struct pario_view_point {
    const char *series, *category; /* category NULL: at x */
    double x, y, low, high;
    unsigned flags;
};
void pario_view_draw(struct pario_result *result, const char *title,
                     const char *x, const char *y,
                     const struct pario_view_point *points, size_t count);

/* Reading one: the field of the entry with this key in a table of it; NULL:
 * there is none. */
const char *pario_view_find(const json_t *view, const char *table,
                            const char *key, const char *field);
/* Is this a word of a list of it? */
int pario_view_lists(const json_t *view, const char *list, const char *word);

/* One more line of the answer; and none any more: this run has other ones. */
void pario_view_add(struct pario_result *result,
                    const struct pario_view_line *line);
void pario_view_clear(struct pario_result *result);

/* A sentence below these lines; the same one a second time adds nothing. */
void pario_view_say(struct pario_result *result, const char *fmt, ...)
    PARIO_PRINTF(2, 3);

/* A line to be copied, below the sentences: a command, or where a file is. It
 * is never wrapped. */
void pario_view_use(struct pario_result *result, const char *fmt, ...)
    PARIO_PRINTF(2, 3);

/* A text of the view: "conditions" under which all of it was measured
 * ("direct"), "next": the one command to go on with. */
void pario_view_text(struct pario_result *result, const char *name,
                     const char *fmt, ...) PARIO_PRINTF(3, 4);

#endif
