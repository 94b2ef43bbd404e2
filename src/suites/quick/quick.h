/* suites/quick/quick.h - what the two ways of `pario quick` share: the
 * overview, one line for each question that people have, and the grid of all
 * interfaces, sizes and orders. */
#ifndef PARIO_QUICK_QUICK_H
#define PARIO_QUICK_QUICK_H

#include "suites/quick/phase.h"

struct quick_options {
    double time_s;
    int64_t size_bytes;     /* of one process's data */
    const char *interfaces; /* of the grid; NULL: the overview */
    int64_t queue_depth;
    int direct, buffered;
};

#define QUICK_INTERFACES 8

struct quick {
    struct pario_run *run;
    const struct quick_options *options;
    const struct pario_backend *backend[QUICK_INTERFACES]; /* of the grid */
    int nbackends;
    int direct;              /* the overview has O_DIRECT */
    int cold_names;          /* it drops names before it asks for them */
    double start_s, moved_s; /* since the start; in timed loops alone */
    int phases, phases_done;
    size_t region; /* bytes of one process */
    struct quick_part part;
    struct pario_samples samples;
};

extern const char *const quick_access_names[QUICK_ACCESSES];
/* The largest request: the data of a process is a multiple of it. */
#define QUICK_LARGEST ((int64_t)16 << 20)

/* Local. An equal share of the time that is left, less what the phases so far
 * cost besides (filling, syncing, checking, writing results). */
double quick_share_s(const struct quick *quick);

/* Collective. The file of a case for this process, and an empty part. */
void quick_part_begin(struct quick *quick, const struct quick_case *what);
/* Collective. Its file is not needed any more. */
void quick_part_end(struct quick *quick);
/* Collective. One phase of the part, its samples, and its measure; measure has
 * its name and is used up. Time and phases are counted. */
int quick_measure(struct quick *quick, enum quick_access access,
                  struct pario_measure *measure) PARIO_MUST_USE;
/* Local. The parameters of a case's measures; the caller owns them. */
json_t *quick_parameters(const struct quick *quick,
                         const struct quick_case *what);

/* The grid: grid.c. Collective; plan and print are local. */
int quick_grid_begin(struct quick *quick, const char *dir) PARIO_MUST_USE;
int quick_grid_run(struct quick *quick) PARIO_MUST_USE;
void quick_grid_print(const struct quick *quick);
void quick_grid_summarise(struct quick *quick);

/* The overview: overview.c. */
int quick_overview_begin(struct quick *quick, const char *dir) PARIO_MUST_USE;
int quick_overview_run(struct quick *quick) PARIO_MUST_USE;
void quick_overview_print(const struct quick *quick);
void quick_overview_summarise(struct quick *quick, const char *dir);

/* metadata.c. Collective. Files created and asked for, in two phases, the last
 * of the run: nothing is left in its directory. */
int quick_metadata(struct quick *quick) PARIO_MUST_USE;

#endif
