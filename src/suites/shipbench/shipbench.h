/* suites/shipbench/shipbench.h - between the files of the suite. */
#ifndef PARIO_SHIPBENCH_SHIPBENCH_H
#define PARIO_SHIPBENCH_SHIPBENCH_H

#include "core/lists.h"
#include "suites/shipbench/phase.h"
#include "suites/suite.h"

#define SHIP_MAX_CONTENDERS 16
#define SHIP_MAX_HINTS 6

struct ship_options {
    const char *tests, *partitions, *max_acc, *sparsity, *tasks_per_node;
    const char *shot_sizes, *without, *native_hints, *shipio_hints;
    const char *lattice, *tuned_hints;
    int64_t repetitions;
    double scale;
    int64_t region_bytes, file_bytes, block_bytes;
    int64_t ship_blocks, ship_bytes, ship_per_call, ship_file_bytes;
    int64_t range_blocks, range_subblocks, subblock_bytes, file_block_bytes;
    int64_t sparse_stripes, sparse_bytes, stripe_bytes;
    int64_t site_bytes, ghost;
    int sync, fresh;
};

extern const struct pario_option ship_option_table[];
extern const struct ship_options ship_defaults;
extern const struct pario_test ship_test_names[];

/* What tells the cases of a test from each other; 0: not this test's. */
struct ship_kind {
    int64_t tasks_per_node, sparsity, shot_bytes;
};

/* One way of doing a case; series is its line in the figure. */
struct ship_contender {
    char series[64];
    size_t prefix; /* bytes of it that say what the parameters do */
    const struct pario_mpiio_calls *calls; /* or ship_by_hand */
    int tuned;                             /* has the hints of --tuned-hints */
    struct {
        const char *key;
        char value[32];
        int own; /* what it is about; else a default that hints may change */
    } hint[SHIP_MAX_HINTS];
    size_t nhints;
    int left_out; /* by --without */
};

struct ship_contenders {
    enum ship_test test;
    struct ship_contender one[SHIP_MAX_CONTENDERS];
    size_t count;
};

/* What is to be done, from the options. */
struct ship_plan {
    struct pario_run *run;
    const struct ship_options *options;
    int wanted[SHIP_TESTS];
    int native, shipio; /* contenders of which library */
    struct pario_list partitions, max_acc, sparsity, tasks_per_node;
    struct pario_list shots;     /* bytes of a task: scaled, whole blocks */
    struct ship_amounts amounts; /* but for what ship_plan_amounts sets */
    struct pario_hints native_hints, shipio_hints; /* by option */
    struct pario_hints tuned_hints;
};

/* Local. Checks the options; a message names what is wrong. */
int ship_plan_init(struct ship_plan *plan,
                   struct pario_run *run) PARIO_MUST_USE;
void ship_plan_fini(struct ship_plan *plan);
/* Local. The amounts for so many tasks; kind NULL: of the largest case. */
struct ship_amounts ship_plan_amounts(const struct ship_plan *plan, int tasks,
                                      const struct ship_kind *kind);
/* Local. The i-th number of tasks that a test may have; 0: no more. */
int64_t ship_plan_tasks(const struct ship_plan *plan, enum ship_test test,
                        size_t i);
/* Local. Most memory of one task, most space on disk. */
void ship_plan_need(const struct ship_plan *plan, int64_t *memory_p,
                    int64_t *disk_p);
void ship_plan_print(const struct ship_plan *plan, FILE *out);

/* Local. What the names of a case's series begin with. */
void ship_prefix(const struct ship_kind *kind, char *prefix, size_t len);
/* Local. Who of n contenders has place i in repetition r, from 0. Everyone
 * begins in turn, and follows everyone else equally often: over n
 * repetitions, or 2 n where n is odd. */
size_t ship_order(size_t n, int64_t r, size_t i);
/* Local. Are all names of --without those of contenders? */
int ship_without_check(const char *without) PARIO_MUST_USE;
/* Local. The contenders of a test on so many tasks; prefix begins every series'
 * name. */
void ship_contenders_of(const struct ship_plan *plan, enum ship_test test,
                        int tasks, const char *prefix, int64_t stripe_bytes,
                        struct ship_contenders *contenders_p);
/* Local. All its hints: the defaults, those by option, its own. */
int ship_contender_hints(const struct ship_plan *plan,
                         const struct ship_contender *contender,
                         struct pario_hints *hints) PARIO_MUST_USE;
/* Local. Is it about this hint? */
int ship_contender_owns(const struct ship_contender *contender,
                        const char *key);

/* Local, rank 0. The paper's figures for this system, from the document. */
int ship_figures_print(const struct pario_run *run, FILE *out);

#endif
