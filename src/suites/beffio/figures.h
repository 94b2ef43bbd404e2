/* suites/beffio/figures.h - a document's figures in the order of the tables:
 * what summary, exports and diagrams are made of. Local. */
#ifndef PARIO_BEFFIO_FIGURES_H
#define PARIO_BEFFIO_FIGURES_H

#include "core/error.h"
#include "result/flags.h"
#include "suites/beffio/value.h"

#include <jansson.h>

/* The rows of the summary: chunk sizes in Table 1's order. Only scatter has
 * the row with two chunks in a region. */
#define BEFFIO_CHUNKS 8
extern const struct beffio_chunk {
    int64_t l, L; /* L only where it tells two rows apart */
} beffio_chunks[BEFFIO_CHUNKS];

struct beffio_cell {
    int measured;
    double mbps;
    int64_t l;
    unsigned flags; /* enum pario_flag */
};

/* Of one experiment: a partition or a set of hints, and which time it ran. */
struct beffio_figures {
    int partition;
    const char *hints; /* borrowed from the document; NULL: not compared */
    int repetition;    /* 0: it ran once */
    struct beffio_cell cell[BEFFIO_ACCESSES][BEFFIO_ALL_TYPES][BEFFIO_CHUNKS];
    struct beffio_cell total[BEFFIO_ACCESSES][BEFFIO_ALL_TYPES];
    struct beffio_bandwidths bandwidths; /* of the totals */
};

/* The caller frees *list_p. */
int beffio_figures_collect(const json_t *document,
                           struct beffio_figures **list_p,
                           int *count_p) PARIO_MUST_USE;

/* Of those with the same hints as list[i] (any partition where hints are not
 * compared), is it the one with the greatest value? The first of equals. */
int beffio_figures_is_best(const struct beffio_figures *list, int count, int i,
                           int release);

/* What speaks against a figure, in short: "c" from a cache, "~" partly, "?"
 * not known, "s" short, "p" paused, "u" unverified; "!" failed. */
#define BEFFIO_MARK_LEN 8
char *beffio_mark(unsigned flags, char mark[BEFFIO_MARK_LEN]);

#endif
