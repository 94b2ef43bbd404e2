/* suites/shipbench/turn.h - a case: its contenders take turns. */
#ifndef PARIO_SHIPBENCH_TURN_H
#define PARIO_SHIPBENCH_TURN_H

#include "suites/shipbench/shipbench.h"

struct ship_job {
    struct ship_plan plan;
    uint64_t data_file; /* number of the next pass's data */
    int64_t case_number;
};

/* One case under way: a test on so many tasks, with its contenders. */
struct ship_turn {
    struct ship_job *job;
    enum ship_test test;
    int64_t tasks_per_node, sparsity; /* 0: not this test's */
    struct ship_case kase;
    struct ship_contenders contenders;
    double *mbps[SHIP_MOST_CONTENDERS][SHIP_ACCESSES]; /* per repetition */
    int64_t *number[SHIP_MOST_CONTENDERS]; /* of its turn, per repetition */
    int64_t turns;                         /* taken by all */
    struct ship_figures sum[SHIP_MOST_CONTENDERS][SHIP_ACCESSES];
    struct pario_hints in_force[SHIP_MOST_CONTENDERS];
    char struck[SHIP_MOST_CONTENDERS][256]; /* why it takes part no more */
    int64_t passes[SHIP_MOST_CONTENDERS];   /* done */
};

/* Local. Room for what is measured; ship_turn_fini frees it and the case. */
int ship_turn_init(struct ship_turn *turn) PARIO_MUST_USE;
void ship_turn_fini(struct ship_turn *turn);
/* Collective over the group. Is all of it in the document already? */
int ship_turn_is_done(const struct ship_turn *turn);
/* Collective over the group. Measures and records. */
int ship_turn_run(struct ship_turn *turn) PARIO_MUST_USE;

#endif
