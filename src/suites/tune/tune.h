/* suites/tune/tune.h - which hints, parameters and library make a pattern
 * fast on this system? A race: contenders take turns in short passes, and who
 * is surely slower than the leader drops out.
 *
 * The driver is one process without MPI. Contenders that differ in hints (or
 * in native and shipio) share a job; those that differ in parameters of the
 * MPI library have jobs of their own, in every round. A job as a whole is
 * faster or slower by luck, so a job gives one value for each contender.
 */
#ifndef PARIO_TUNE_TUNE_H
#define PARIO_TUNE_TUNE_H

#include "core/options.h"
#include "io/hints.h"
#include "measure/figures.h"
#include "measure/placement.h"
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#define TUNE_MAX_ROUNDS 64
#define TUNE_MAX_JOB_PASSES 16
#define TUNE_MAX_CONTENDERS 64

/* A pattern in b_eff_io's sense. */
struct tune_pattern {
    int type;           /* 0 to 4 */
    int64_t l, L;       /* chunk on disk, memory of one call */
    int64_t task_bytes; /* of the file, for each process */
    int reads, writes;  /* which accesses count */
};

/* One way to do it, as known beforehand. */
struct tune_setting {
    const char *name;
    const char *mpi;      /* part of the MPI library's name; NULL: any */
    int shipio;           /* its library */
    const char *variable; /* "NAME=value" of the environment; NULL */
    const char *hints;    /* "key=value;key=value"; "" none. {n}: processes,
                             {h}: half of them */
};
extern const struct tune_setting tune_settings[]; /* ended by a NULL name */

/* One value for each round: the median of the passes of a job; 0: none. */
struct tune_values {
    double mbps[TUNE_MAX_ROUNDS];
    int rounds;
};

enum tune_state {
    TUNE_IN,
    TUNE_SLOWER, /* dropped out of the race */
    TUNE_WAITS,  /* not needed in the confirmation */
    TUNE_STRUCK, /* failed: never started again */
};

struct tune_contender {
    char name[96], variable[512], hints[512];
    int shipio;
    int is_default; /* its library as it comes, no environment either */
    enum tune_state state;
    char unknown[256]; /* hints that the library ignores: "a, b" */
    char reason[200];  /* of the state */
    double pass[TUNE_MAX_JOB_PASSES]; /* of the job under way */
    int npass;
    struct tune_values race, confirm;
    int64_t passes;
    struct pario_figures done; /* in all, of the accesses that count */
};

struct tune_race {
    struct tune_pattern pattern;
    struct tune_contender *one; /* TUNE_MAX_CONTENDERS */
    int count;
};

/* What the race is held with. */
struct tune_field {
    const char *mpi; /* the MPI library's name */
    int processes;
    int native, shipio;       /* whose settings; the native default always */
    const char *yield;        /* library to preload against spinning; NULL */
    const char *const *extra; /* further hints ("k=v;k=v"), ended by NULL */
};

/* Local. The settings that suit. */
int tune_race_init(struct tune_race *race,
                   const struct tune_field *field) PARIO_MUST_USE;
void tune_race_fini(struct tune_race *race);

/* Local. Keeps the name of a hint that the library does not know, once. */
void tune_unknown_add(struct tune_contender *one, const char *key);

/* Local. Keeps a pass of the job under way; later ones than fit are dropped.
 * tune_race_close makes the values of round `round` from the passes. */
void tune_pass_add(struct tune_contender *one, double mbps);
void tune_race_close(struct tune_race *race, int confirming, int round);

/* Local. Jobs that gave a value, and the median over them; 0: none. */
int tune_jobs(const struct tune_values *values);
double tune_median(const struct tune_values *values);
/* Local. The contender with the greatest median among those in; -1. */
int tune_race_leader(const struct tune_race *race);
/* Local. The same library in the same environment without hints, or -1: what
 * a variable or a preloaded library gives is not to be credited to hints. */
int tune_race_own(const struct tune_race *race, int of);

/* Ratio a / b over the rounds both have, with its interval (Student, of the
 * logarithms, paired by round). Fewer than 2 jobs: 0 to infinity. */
struct tune_ratio {
    double ratio, low, high;
    int jobs;
};
enum tune_confidence { TUNE_95, TUNE_99 };
struct tune_ratio tune_compare(const struct tune_values *a,
                               const struct tune_values *b,
                               enum tune_confidence confidence);

/* The same over several races, each with the same weight. Who is compared
 * with itself counts as 1, and not among the jobs. */
struct tune_pair {
    const struct tune_values *a, *b;
};
struct tune_ratio tune_compare_all(const struct tune_pair *pairs, int npairs,
                                   enum tune_confidence confidence);

/* Local. Marks who is surely slower than the leader; returns how many are
 * left. */
int tune_race_eliminate(struct tune_race *race);

struct pario_progress;
struct tune_options {
    int64_t processes; /* of each job */
    const char *hints_file;
    struct pario_strings tries; /* further contenders: "k=v;k=v" */
    int64_t type, chunk, memory, task_bytes;
    int64_t rounds; /* > 0: so many jobs for everyone, nothing else */
    double time_s, pass_s;
    double hang_s; /* of one pass; 0: by the slowest so far */
    int access;    /* 0 both, 1 write, 2 read */
    int all;
    /* Not options: from the run. */
    const char *directory;
    int native, shipio, quiet;
    struct pario_progress *progress; /* of a terminal; NULL: there is none */
};

enum tune_phases { TUNE_CONFIRMED, TUNE_RACE_ONLY };

struct tune_outcome {
    struct tune_race race;
    int leader;  /* of the race; -1: no contender came through */
    int winner;  /* -1: nothing beats doing nothing */
    int nothing; /* the native default */
    int own;     /* the leader's library and environment without hints */
    struct tune_ratio leader_over_nothing, leader_over_own;
    struct tune_ratio over_nothing; /* of the winner */
    int64_t processes;
    int nodes; /* of the jobs; 0: none ran */
    struct pario_placement placement;
    enum tune_phases phases;
    int rounds;      /* > 0: only measured */
    int race_rounds; /* that there were */
    double seconds, slowest_s;
};

/* Local, without MPI. The race, and the confirmation of its leader unless
 * TUNE_RACE_ONLY. The caller finishes outcome_p->race. */
int tune_run(const struct tune_options *options,
             const struct tune_pattern *pattern, double time_s,
             enum tune_phases phases,
             struct tune_outcome *outcome_p) PARIO_MUST_USE;
/* Local, without MPI. The confirmation of these contenders alone; ends early
 * when keep[0] fails. A number below 0 is nobody. */
int tune_confirm(const struct tune_options *options,
                 struct tune_outcome *outcome, const int *keep, int nkeep,
                 double time_s) PARIO_MUST_USE;
/* Local. Where the data of all contenders was, in words. */
const char *tune_place(const struct tune_race *race);
/* Local. An error (PARIO_EVERIFY) when no contender came through. */
int tune_print(FILE *out, const struct tune_outcome *outcome) PARIO_MUST_USE;

#define TUNE_TYPES 5
#define TUNE_CHUNKS 3 /* for each type, of tune_chunks */
#define TUNE_ALL (TUNE_TYPES * TUNE_CHUNKS)
extern const int64_t tune_chunks[TUNE_CHUNKS];

/* All of b_eff_io: one library in one environment, for a run has only one;
 * within it hints for each type, for they are given when a file is opened,
 * and one set of hints for everything. */
struct tune_all {
    struct tune_outcome race[TUNE_ALL]; /* race.one NULL: failed */
    int nothing, own;       /* the native default, the chosen library's */
    int choice[TUNE_TYPES]; /* contender of each type; -1: it failed */
    int plain;              /* for all types */
    int leader[TUNE_TYPES], plain_leader; /* before they had to give way */
    int won;                              /* surely better than doing nothing */
    /* Of the choices over doing nothing, of the leaders over their default. */
    struct tune_ratio type_over_nothing[TUNE_TYPES], type_over_own[TUNE_TYPES];
    struct tune_ratio over_nothing, plain_over_nothing, plain_over_own;
};

/* Local. The contenders, the same in all races; NULL: all failed. */
const struct tune_contender *tune_all_contenders(const struct tune_all *all);
/* Local. Has any type hints? */
int tune_all_has_hints(const struct tune_all *all);
/* Local. Takes from the races what is best over the chunk sizes; -1 where
 * nobody came through. */
void tune_all_choose(struct tune_all *all);
/* Local. From the confirmations: settings that are not surely better than
 * their own default give way to it. */
void tune_all_decide(struct tune_all *all);
/* Local, without MPI. Chooses, confirms and decides. */
int tune_all_confirm(const struct tune_options *options, struct tune_all *all,
                     double time_s) PARIO_MUST_USE;
int tune_all_print(FILE *out, const struct tune_all *all) PARIO_MUST_USE;

/* Where things are: for the lines that say how to use the winner. */
struct tune_paths {
    const char *hints; /* of --hints */
    const char *plain; /* without sections; the same for one pattern */
};
/* Local. How to run with the winner: lines that begin with prefix. */
void tune_print_use(FILE *out, const char *prefix,
                    const struct tune_outcome *outcome,
                    const struct tune_paths *paths);
void tune_all_print_use(FILE *out, const char *prefix,
                        const struct tune_all *all,
                        const struct tune_paths *paths);
/* Local. For pario beffio --hints, ROMIO_HINTS and readers. */
void tune_write_hints(FILE *out, const struct tune_outcome *outcome,
                      const struct tune_paths *paths);
/* Local. In sections, for pario beffio --hints; and without them. */
void tune_all_write_hints(FILE *out, const struct tune_all *all,
                          const struct tune_paths *paths);
void tune_all_write_plain(FILE *out, const struct tune_all *all,
                          const struct tune_paths *paths);

struct pario_result;
/* Local. What the race came to, as sentences of the document. */
void tune_answer(struct pario_result *result,
                 const struct tune_outcome *outcome);
void tune_all_answer(struct pario_result *result, const struct tune_all *all);
/* Local. A measure for each contender; those that failed stand apart, for a
 * failed measure would make the document invalid. */
int tune_record(struct pario_result *result,
                const struct tune_outcome *outcome) PARIO_MUST_USE;
/* Local. A measure for each that was confirmed, and the summary. */
int tune_all_record(struct pario_result *result,
                    const struct tune_all *all) PARIO_MUST_USE;

struct pario_group;
/* In the job: FOLDER KEY. Collective. */
int tune_worker(const struct pario_group *world, int argc, char **argv);

#endif
