/* measure/run.h - one invocation: what every suite shares. */
#ifndef PARIO_MEASURE_RUN_H
#define PARIO_MEASURE_RUN_H

#include "core/data.h"
#include "core/progress.h"
#include "io/backend.h"
#include "measure/kernels.h"
#include "measure/rate.h"
#include "measure/surroundings.h"
#include "par/group.h"
#include "result/result.h"
#include "sys/fs.h"
#include "sys/node.h"

enum pario_verify { PARIO_VERIFY_SAMPLE, PARIO_VERIFY_FULL, PARIO_VERIFY_OFF };
/* Whose MPI-IO: as the suite likes (native, where it does not say), the MPI
 * library's own, or shipio's. */
enum pario_mpiio { PARIO_MPIIO_AUTO, PARIO_MPIIO_NATIVE, PARIO_MPIIO_SHIPIO };

/* The options every suite has (run.c holds their table). */
struct pario_common {
    const char *output;  /* result document; NULL: default name */
    const char *config;  /* keyword file */
    const char *samples; /* raw samples file; NULL: none */
    const char *resume;  /* document to go on from; NULL: none */
    int force, keep, quiet, verbose, dry_run, cold, no_watchdog;
    int verify;        /* enum pario_verify */
    int mpiio;         /* enum pario_mpiio */
    int64_t seed;      /* of order and sizes; the data key is fresh each run */
    double deadline_s; /* of each phase; 0: from the schedule */
};

struct pario_run {
    const struct pario_group *world;
    struct pario_common common;
    void *options; /* the suite's struct */
    int noperands;
    char **operands;      /* operands[0..noperands-1] */
    char directory[4096]; /* the run's own, fresh, below the target directory;
                             "" until pario_run_directory */
    uint64_t data_key;    /* of this run, the same on all ranks */
    struct pario_result *result; /* rank 0 only; NULL elsewhere */
    struct pario_progress progress;
    struct pario_node_facts node;
    struct pario_fs_facts fs; /* of the target directory */
    size_t nplaces;           /* directories that were used so far */
    struct pario_surroundings surroundings;
    int unwatched; /* it measures nothing */
    int jobs;      /* processes of the jobs that it starts, whose work would be
                      "others'"; 0: it works itself */
    struct pario_rate rate; /* of the device, for the progress line */
    int warns_at_once;      /* the suite ends with an answer of its own */
    int resumes;            /* the suite can go on from a document */
    int unwritten;          /* files that were asked for and are missing */
    struct pario_kernels kernels;
};

/* Collective, once at the beginning: facts that need all processes. */
int pario_run_survey(struct pario_run *run) PARIO_MUST_USE;

/* Collective. Checks the target directory (NULL: the current one), its free
 * space against need_bytes, and makes run->directory in it; facts go to the
 * result. --keep and the janitor are seen to. */
int pario_run_directory(struct pario_run *run, const char *target,
                        int64_t need_bytes) PARIO_MUST_USE;

/* Local, on all processes alike, for each directory in turn (the one before
 * has done so). A resumed run must find each on the device where it was. */
int pario_run_place(struct pario_run *run, const char *target,
                    const struct pario_fs_facts *fs) PARIO_MUST_USE;

/* Local. directory/TAG-name in buf, TAG unique to the run; returns buf. */
char *pario_run_path(const struct pario_run *run, const char *name, char *buf,
                     size_t len);

/* Local. On rank 0 adds the measure; elsewhere drops its json. A failed
 * write of the document is an error. */
int pario_run_add(struct pario_run *run,
                  const struct pario_measure *measure) PARIO_MUST_USE;

/* Collective. Does the document have this measure, from before it was resumed?
 * Its parameters are freed. */
int pario_run_is_done(struct pario_run *run, struct pario_measure like);

/* Local, acts on rank 0: warning to the result and to the screen. */
void pario_run_warn(struct pario_run *run, const char *fmt, ...)
    PARIO_PRINTF(2, 3);

/* Collective. May this interface be used here? One that is forbidden is left
 * out, with a warning (the last error says the same). */
int pario_run_may_use(struct pario_run *run,
                      const struct pario_backend *backend,
                      int *may_p) PARIO_MUST_USE;

/* Local. Rank 0: a file beside the result could not be written, as the last
 * error says. The measurement stands; the exit status is not 0. */
void pario_run_unwritten(struct pario_run *run);
void pario_run_invalidate(struct pario_run *run, const char *fmt, ...)
    PARIO_PRINTF(2, 3);

/* Local. This rank waits while others measure: no deadline of its own, theirs
 * end the job. */
void pario_run_wait(struct pario_run *run, const char *what);

/* Local. Begins a phase: progress line, watchdog deadline (scheduled_s with a
 * generous margin, or --deadline). */
void pario_run_phase(struct pario_run *run, double scheduled_s, const char *fmt,
                     ...) PARIO_PRINTF(3, 4);

#endif
