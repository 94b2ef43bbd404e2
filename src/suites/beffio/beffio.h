/* suites/beffio/beffio.h - what the files of the suite share. */
#ifndef PARIO_BEFFIO_BEFFIO_H
#define PARIO_BEFFIO_BEFFIO_H

#include "core/fields.h"
#include "core/options.h"
#include "core/rng.h"
#include "measure/run.h"
#include "par/mpi.h"
#include "result/samples.h"
#include "suites/beffio/hintset.h"
#include "suites/beffio/patterns.h"
#include "suites/beffio/value.h"

#define BEFFIO_MAX_EXPERIMENTS 64
#define BEFFIO_SHORTEST_T_S 1.0          /* U = 1 then has 5 ms */
#define BEFFIO_OFFICIAL_T_S 900.0        /* Sect. 3: at least 15 minutes */
#define BEFFIO_TOP500_T_S 600.0          /* Sect. 6: three in 30 minutes */
#define BEFFIO_WINDOW ((int64_t)4 << 20) /* of base data, for small L */
#define BEFFIO_FIGURE_LEN 4300 /* a name with the path of a set of hints */

enum beffio_schedule { BEFFIO_15MIN, BEFFIO_TOP500, BEFFIO_FULL, BEFFIO_QUICK };

struct beffio_options {
    int schedule;  /* enum beffio_schedule */
    double time_s; /* T of one partition; 0: from the schedule */
    int64_t release;
    int64_t repeat;         /* of everything */
    const char *partitions; /* NULL: from the schedule */
    int rewrite_all;
    int no_shared;
    int64_t mpart, memory_bytes, segment; /* 0: computed */
    const char *hints;
    int any_hint;
    int fit;
    const char *extra;  /* "random,same-data" */
    const char *prefix; /* of PREFIX.sum and the diagrams; NULL: none */
    const char *export; /* "skampi:FILE", "csv:FILE" */
};

extern const struct pario_option beffio_option_table[];
extern const struct beffio_options beffio_defaults;

/* One set of files: a partition with one set of hints. */
struct beffio_experiment {
    int processes;
    struct pario_group *group; /* NULL on ranks that are not in it */
    struct beffio_hintset *hints;
    const struct pario_mpiio_calls *mpi; /* NULL: the library that is loaded */
    int number;                          /* in the run; names files and data */
    int repetition;      /* of the same partition and hints, from 1 on */
    int64_t decision_ns; /* one decision to go on or stop, back to back */
    int64_t mpart;
    int64_t segment; /* L_SEG of types 3 to 5; 0 until computed */
    /* Calls of this rank by type and row: what fits in the segment (types 3
     * to 5), and what was written. */
    int64_t planned[BEFFIO_ALL_TYPES][BEFFIO_MAX_ROWS];
    int64_t calls[BEFFIO_ALL_TYPES][BEFFIO_MAX_ROWS];
    int64_t rewritten[BEFFIO_ALL_TYPES][BEFFIO_MAX_ROWS];
    struct beffio_bandwidths bandwidths; /* of whole types, open to close */
    unsigned flags[BEFFIO_ACCESSES]
                  [BEFFIO_TYPES];   /* what speaks against them */
    int64_t bytes[BEFFIO_ACCESSES]; /* of types 0 to 4, all ranks */
    int failed_patterns;
};

struct beffio {
    struct pario_run *run;
    const struct beffio_options *options;
    double time_s; /* T */
    int with_type[BEFFIO_ALL_TYPES];
    struct beffio_experiment experiment[BEFFIO_MAX_EXPERIMENTS];
    int nexperiments;
    int block;       /* experiments of one repetition of everything */
    int repeated;    /* some partition with its hints runs more than once */
    int interleaved; /* experiments of one type follow each other */
    char *buffer;
    int64_t buffer_len;
    struct pario_samples sample_store;
    struct pario_samples *samples; /* NULL: not asked for */
    int64_t disk_budget;         /* --fit: most bytes of one access; 0: none */
    double start_s, scheduled_s; /* wall clock against the plan */
    /* What a sync of so many bytes took lately: the next pattern leaves time
     * for its own. */
    double sync_s, sync_bytes;
    int64_t decision_ns, decided_ns; /* cost of deciding, and of what time */
    int64_t device_bytes[BEFFIO_ACCESSES]; /* written or read; -1 unseen */
    int changed_mpart;    /* it is not what the memory found here gives */
    char unofficial[512]; /* what an official value needs beside; "" */
};

/* pass.c. Collective over the experiment's group: opens the file(s) of a type,
 * runs its patterns, closes; records measures. A pattern that fails is
 * recorded and does not end the pass. */
int beffio_pass_run(struct beffio *beffio, struct beffio_experiment *experiment,
                    enum beffio_type type,
                    enum beffio_access access) PARIO_MUST_USE;

/* pattern.c. Local. A sync of so many bytes of all processes took so long. */
void beffio_learn_sync(struct beffio *beffio, double bytes, double seconds);

/* plan.c */
/* T/3 * U / sum(U) (Sect. 5). */
double beffio_pattern_time(const struct beffio *beffio, int U);
/* Collective over its group. L_SEG and the calls of types 3 to 5 from those of
 * types 0 to 2. */
int beffio_plan_segments(const struct beffio *beffio,
                         struct beffio_experiment *experiment) PARIO_MUST_USE;
/* Collective. */
int beffio_plan(struct beffio *beffio) PARIO_MUST_USE;
double beffio_planned_s(const struct beffio *beffio);
void beffio_print_plan(const struct beffio *beffio);
/* Collective. A short probe of the bandwidth against the free space. */
int beffio_probe(struct beffio *beffio) PARIO_MUST_USE;

/* rules.c: the rules of Sect. 3 and 5, into summary and warnings. */
void beffio_record_rules(struct beffio *beffio);
/* Local. What an official value needs that this run has not, in words; ""
 * nothing. Returns buf. */
char *beffio_unofficial(const struct beffio *beffio, char *buf, size_t len);
/* rules.c: Local. What speaks against the value of an experiment. */
unsigned beffio_value_flags(const struct beffio *beffio,
                            const struct beffio_experiment *experiment);
/* ranking.c: Local, rank 0. compare-hints: the sets as lines of the answer, the
 * best first, each against the first one that was named. */
void beffio_rank_hints(struct beffio *beffio);

/* summary.c: from a result document only. */
int beffio_summary_print(FILE *out, const json_t *document);
int beffio_export(const char *what, const json_t *document) PARIO_MUST_USE;
/* beffio.c. Local, before the run: the format is known, nothing is in the way.
 */
int beffio_check_outputs(const struct beffio *beffio) PARIO_MUST_USE;
/* plot.c: PREFIX-write.png, .svg ... by gnuplot. */
int beffio_plot(const char *prefix, int force,
                const json_t *document) PARIO_MUST_USE;

/* translate.c: the original's command line. */
int beffio_translate(const char *link, int *argc, char ***argv);

/* The parameters of a measure, beside its pattern. */
extern const struct pario_field beffio_parameters[];

#endif
