/* suites/io500/io500.h - IO500's phases in its order: data by pattern's
 * engine, names by meta's, and a parallel find. */
#ifndef PARIO_IO500_IO500_H
#define PARIO_IO500_IO500_H

#include "result/io500.h"
#include "suites/meta/meta.h"
#include "suites/pattern/pattern.h"

#include <time.h>

#define IO500_LIST_S 300.0 /* a phase that writes, by the rules of the list */
#define IO500_HARD_TRANSFER 47008
#define IO500_HARD_FILE 3901
#define IO500_MATCH "01" /* in the names that find looks for: *01* */

struct io500_options {
    double stonewall_s;
    int interface; /* of pario_interface_names */
    int direct, extended;
    int64_t easy_bytes, hard_segments; /* of one process; 0: by the room */
    int64_t easy_files, hard_files;
};

enum { IO500_EASY, IO500_HARD, IO500_SETS };

/* Files of md-workbench: numbers oldest .. oldest + per_set - 1 of each set. */
struct io500_stock {
    int64_t per_set, oldest;
};

/* All that goes from phase to phase on one process. */
struct io500 {
    struct pario_run *run;
    const struct io500_options *options;
    struct pattern_options data[IO500_SETS];
    struct pattern_part part[IO500_SETS];
    struct meta_case what[IO500_SETS];
    struct meta_how how[IO500_SETS];
    struct meta_worker *worker[IO500_SETS];
    struct io500_stock workbench;
    struct timespec mark; /* what find looks for is newer */
    int64_t need_bytes;
    double values[PARIO_IO500_FIGURES];
    unsigned flags[PARIO_IO500_FIGURES];
    struct pario_stonewall random_stonewall;
    int short_phases; /* that the list would refuse for their time */
};

enum io500_rule {
    IO500_STONEWALLED = 1, /* it ends by the clock */
    IO500_EXTENDED = 2,    /* only where --extended asks for it */
};

struct io500_phase {
    const char *name;          /* as IO500 calls it */
    const char *test, *access; /* in the document */
    /* Collective. The phase up to settle; its samples are appended. */
    int (*run)(struct io500 *io500, const struct io500_phase *what,
               struct pario_phase *phase);
    const char *op; /* of meta */
    int64_t transfer_bytes;
    int set; /* IO500_EASY, IO500_HARD; -1: all */
    unsigned rules;
};

extern const struct io500_phase io500_phases[]; /* NULL name at the end */

/* phases.c. Collective. */
int io500_begin(struct io500 *io500) PARIO_MUST_USE;
/* All phases, each recorded. */
int io500_run_phases(struct io500 *io500) PARIO_MUST_USE;
/* Removes the data of a run that went well. */
int io500_end(struct io500 *io500, int code) PARIO_MUST_USE;

/* find.c. Collective. The file whose time the later ones are compared with. */
int io500_make_mark(struct io500 *io500) PARIO_MUST_USE;
int io500_find(struct io500 *io500, const struct io500_phase *what,
               struct pario_phase *phase) PARIO_MUST_USE;

/* workbench.c. Collective. Its three phases, by their access. */
int io500_workbench(struct io500 *io500, const struct io500_phase *what,
                    struct pario_phase *phase) PARIO_MUST_USE;

/* rules.c. Local. What speaks for the figure and against it, as the list sees
 * it and beyond; a new reference. */
json_t *io500_evidence(const struct io500 *io500,
                       const struct io500_phase *what,
                       const struct pario_phase *phase);
/* Operations at the stonewall of a phase that has one. */
const struct pario_stonewall *io500_stonewall(const struct io500 *io500,
                                              const struct io500_phase *what);
/* Scores and sentences of the whole. */
void io500_summarise(struct io500 *io500);

#endif
