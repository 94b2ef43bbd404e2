/* suites/prio/prio.h - the host of the sub-benchmarks: state of one run. */
#ifndef PARIO_PRIO_PRIO_H
#define PARIO_PRIO_PRIO_H

#include "result/samples.h"
#include "suites/prio/transfer.h"
#include "suites/prio/workload.h"

#define PRIO_MAX_BENCHES 16
#define PRIO_MAX_DIRECTORIES 16

struct prio_options {
    const char *plugin;  /* shared objects, separated by commas */
    const char *device;  /* of raw, where the workload names none */
    const char *destroy; /* device that may be written */
    int explain;
    double scale; /* of all sizes of data */
};

struct prio {
    struct pario_run *run;
    const struct prio_options *options;
    const struct prio_bench *bench[PRIO_MAX_BENCHES + 1];
    int nbenches;
    struct prio_workload *workload;
    const char *directory[PRIO_MAX_DIRECTORIES]; /* as typed */
    int ndirectories, present;                   /* the one in use */
    json_t *filesystem[PRIO_MAX_DIRECTORIES];    /* of each, rank 0 */
    struct prio_env env;
    struct prio_prepared prepared;
    struct pario_group *group; /* of the present number of processes */
    int group_size;
    struct pario_hist latency, other_latency; /* of another part of a mix */
    struct pario_samples samples[2];          /* of reads, of writes */
    struct prio_outcomes outcomes;
};

/* benches.c: Local. The built-in ones, then those of --plugin. */
int prio_benches_load(struct prio *prio) PARIO_MUST_USE;
/* Those that are built in; each begins a struct prio_bench. NULL at the end. */
extern const struct pario_test *const prio_tests[];

/* explain.c: Local, rank 0. What will be done, in plain words. */
void prio_explain(const struct prio *prio, FILE *out);
/* Most bytes that lie in a directory at one time. */
int64_t prio_disk_needed(const struct prio *prio);

/* record.c: Collective over the world; rank 0 has the settled figures, which
 * are written down. mix: NULL or the mix that the case was part of. */
/* The parameters of a measure. */
extern const struct pario_field prio_parameters[];
int prio_record(struct prio *prio, const struct prio_bench *bench,
                const struct prio_case *what, const struct prio_mix *mix,
                struct prio_figures *figures) PARIO_MUST_USE;
/* Collective. Was it measured before the run was resumed? */
int prio_is_recorded(struct prio *prio, const struct prio_bench *bench,
                     const struct prio_case *what, const struct prio_mix *mix);
void prio_outcomes_fini(struct prio_outcomes *outcomes);

/* answer.c: Local, rank 0. Where sections say how they want to be answered
 * for, these lines instead of those of the view. */
int prio_answer(struct pario_result *result,
                const struct prio_workload *workload) PARIO_MUST_USE;

/* total.c: Local, rank 0. Median and 95 % interval of every outcome. */
void prio_outcomes_settle(struct prio_outcomes *outcomes);

/* figure.c: Local, rank 0. The tables at the end. */
int prio_print(const struct pario_run *run, FILE *out);

/* raw.c: Local. --destroy-data: the one device that may be written. */
void prio_raw_allow(const char *device);
/* raw.c: Local. Nothing will be done: neither device nor permission needed. */
void prio_raw_only_explain(void);
/* raw.c: Local, rank 0. Before data is destroyed: is the device free of other
 * claims? And asks once on a terminal. */
int prio_raw_confirm(const struct prio_workload *workload) PARIO_MUST_USE;

#endif
