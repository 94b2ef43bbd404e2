/* suites/replay/workload.h - a trace as work for the processes of a run.
 *
 * Each recorded process of each copy is a unit. Unit copy * P + p, of P
 * recorded processes, is played by rank (copy * P + p) mod size; the units of a
 * rank run at the same time, in threads. Calls of MPI need a rank each.
 */
#ifndef PARIO_SUITES_REPLAY_WORKLOAD_H
#define PARIO_SUITES_REPLAY_WORKLOAD_H

#include "suites/replay/prepare.h"

#define REPLAY_COPY_LEN 32

struct replay_unit {
    struct replay replay;
    struct replay_stream *streams;
    char *directory, below[REPLAY_COPY_LEN];
    int code;
    char message[400];
};

/* What is to be played, as on the command line. */
struct replay_wishes {
    const char *path;   /* of the trace */
    const char *timing; /* asap, original, scaled=F */
    const char *hints;  /* key=value,...; NULL: none */
    int interface;      /* of replay_interfaces; 0: as recorded */
    int64_t copies, max_calls;
};
extern const char *const replay_interfaces[]; /* NULL at the end */

/* Where, and by whom. */
struct replay_site {
    const struct pario_group *group;
    const char *directory; /* fresh, of this run */
    uint64_t key;          /* of the data */
    int check;             /* what is read */
    int pauses_recorder;   /* before and after: it is of no interest then */
};

struct replay_workload {
    const char *path; /* of the trace */
    struct replay_site site;
    const struct pario_backend *through; /* NULL: as recorded */
    struct pario_hints through_hints;
    struct pario_trace *trace;
    struct replay_plan plan;
    char *folder, *hints;
    int64_t copies;
    double scale; /* of the time between calls; 0: none */
    struct replay_unit *units;
    size_t nunits; /* of this rank */
};

/* Local. Reads the trace. What is in *load is freed by replay_workload_fini,
 * also after an error. */
int replay_workload_open(struct replay_workload *load,
                         const struct replay_wishes *wishes) PARIO_MUST_USE;
void replay_workload_fini(struct replay_workload *load);

/* Local. Can these processes play it? */
int replay_workload_check(const struct replay_workload *load,
                          int size) PARIO_MUST_USE;

/* Local. How long it takes where everything is slow, for the deadline: files
 * are prepared in it, too. */
double replay_workload_schedule_s(const struct replay_workload *load);

/* Collective over the site's group: units, and files with their data. */
int replay_workload_prepare(struct replay_workload *load,
                            const struct replay_site *site) PARIO_MUST_USE;

/* Local, collective as the recorded calls are. All units of this rank. */
int replay_workload_run(struct replay_workload *load) PARIO_MUST_USE;

/* Local. What all streams of this rank did. */
void replay_workload_sums(const struct replay_workload *load,
                          struct replay_sums *sums_p);

/* Local, after all have run. Are the writes of this rank in the files? A sample
 * of them, or all: checked, wrong and unread are added to. */
int replay_workload_verify(const struct replay_workload *load, int full,
                           struct replay_sums *sums) PARIO_MUST_USE;

/* Local, before MPI is started: does an argument name a trace of threads? */
int replay_has_threads(int argc, char **argv);

#endif
