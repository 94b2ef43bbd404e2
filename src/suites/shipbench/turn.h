/* suites/shipbench/turn.h - a case: its contenders take turns. */
#ifndef PARIO_SHIPBENCH_TURN_H
#define PARIO_SHIPBENCH_TURN_H

#include "suites/shipbench/shipbench.h"

struct ship_job {
    struct ship_plan plan;
    uint64_t data_file; /* number of the next pass's data */
    int64_t case_number;
    struct {
        char test[32], series[64]; /* "": nothing */
        int64_t tasks, pass;
    } before; /* what was under way when the resumed job ended */
};

/* One case under way: a test on so many tasks, with its contenders. */
struct ship_turn {
    struct ship_job *job;
    enum ship_test test;
    struct ship_kind kind;
    struct ship_case kase;
    struct ship_contenders contenders;
    double *mbps[SHIP_MAX_CONTENDERS][SHIP_ACCESSES]; /* per repetition */
    int64_t *number[SHIP_MAX_CONTENDERS]; /* of its turn, per repetition */
    int64_t turns;                        /* taken by all */
    struct pario_figures sum[SHIP_MAX_CONTENDERS][SHIP_ACCESSES];
    struct pario_hints in_force[SHIP_MAX_CONTENDERS];     /* rank 0 */
    struct pario_hints not_in_force[SHIP_MAX_CONTENDERS]; /* own ones */
    int asked[SHIP_MAX_CONTENDERS];                       /* what is in force */
    char struck[SHIP_MAX_CONTENDERS][256]; /* why it takes part no more */
    int64_t passes[SHIP_MAX_CONTENDERS];   /* done */
    int64_t begin; /* repetitions taken over from a resumed document */
};

/* Local. Room for what is measured; ship_turn_fini frees it and the case. */
int ship_turn_init(struct ship_turn *turn) PARIO_MUST_USE;
void ship_turn_fini(struct ship_turn *turn);
/* Collective over the group. Takes over the repetitions that a resumed
 * document has of everybody. Are these all? */
int ship_turn_load(struct ship_turn *turn);
/* Collective over the group. Measures and records. */
int ship_turn_run(struct ship_turn *turn) PARIO_MUST_USE;

/* Local, acts on rank 0. Records all passes so far, in place of what was
 * recorded before. */
int ship_turn_record(struct ship_turn *turn) PARIO_MUST_USE;
/* Local, acts on rank 0. Writes whose turn begins: if the job dies in it, the
 * document tells. */
int ship_turn_announce(const struct ship_turn *turn, size_t c,
                       int64_t repetition) PARIO_MUST_USE;

/* Local. The name of an access, how many repetitions, bytes of all tasks. */
const char *ship_turn_access(const struct ship_turn *turn, int access);
int64_t ship_turn_repetitions(const struct ship_turn *turn);
int64_t ship_turn_bytes(const struct ship_turn *turn);

#endif
