/* result/io500.h - the figures of IO500: their names in a document, the scores,
 * and a published result of it read as a document. Local. */
#ifndef PARIO_RESULT_IO500_H
#define PARIO_RESULT_IO500_H

#include "core/error.h"
#include "result/view.h"

#include <jansson.h>
#include <stddef.h>

struct pario_io500_figure {
    const char *phase;  /* as IO500 calls it: "ior-easy-write" */
    const char *figure; /* in the summary: "ior_easy_write_gibps" */
    int names;          /* thousands of names per second; else GiB/s */
    int scored;
};

#define PARIO_IO500_FIGURES 19
extern const struct pario_io500_figure pario_io500_figures[PARIO_IO500_FIGURES];

/* By the phase's name, with '_' for '-' and in any letter case, too. -1: there
 * is none. */
int pario_io500_find(const char *phase, size_t len);

/* Geometric means and the score of the figures that count, by their number in
 * the table; 0: not measured, then a mean that needs it is 0, too. */
struct pario_io500_score {
    double bandwidth_gibps, names_kiops, score;
};
struct pario_io500_score
pario_io500_scores(const double values[PARIO_IO500_FIGURES]);

/* What documents of these figures show. */
extern const struct pario_view pario_io500_view;

/* Text that IO500 or its list has written: result_summary.txt, result.txt, one
 * line of the list's CSV with its heading, or one entry of it as JSON. Does it
 * look so? Then a document made of it: what it says, marked with what nobody
 * can know of it. The caller owns *document_p. */
int pario_io500_looks_so(const char *text, size_t len);
int pario_io500_read(const char *path, const char *text, size_t len,
                     json_t **document_p) PARIO_MUST_USE;

#endif
