/* suites/tune/tune.h - which hints, parameters and library make a pattern
 * fast on this system? A race: contenders take turns in short passes, and who
 * is surely slower than the leader drops out.
 *
 * The driver is one process without MPI. Contenders that differ in hints (or
 * in native and shipio) share a job; those that differ in parameters of the
 * MPI library have jobs of their own, in every round.
 */
#ifndef PARIO_TUNE_TUNE_H
#define PARIO_TUNE_TUNE_H

#include "core/error.h"
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#define TUNE_MOST_PASSES 256
#define TUNE_MOST_CONTENDERS 64

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
    const char *hints;    /* "key=value;key=value"; {n}: processes; "" none */
};
extern const struct tune_setting tune_settings[]; /* ended by a NULL name */

struct tune_contender {
    char name[96], variable[96], hints[512];
    int shipio;
    int is_default;                /* its library as it comes */
    int out;                       /* struck out or eliminated */
    char unknown[96];              /* a hint that the library does not know */
    char reason[200];              /* why */
    double mbps[TUNE_MOST_PASSES]; /* of each pass, in order */
    int passes;
};

struct tune_race {
    struct tune_pattern pattern;
    struct tune_contender *one; /* TUNE_MOST_CONTENDERS */
    int count;
};

/* Local. The settings that suit this MPI library and so many processes;
 * extra: further hints ("k=v;k=v"), NULL: none. */
int tune_race_init(struct tune_race *race, const char *mpi, int processes,
                   int with_shipio, const char *extra) PARIO_MUST_USE;
void tune_race_fini(struct tune_race *race);

/* Local. The contender with the greatest median among those not out; -1. */
int tune_race_leader(const struct tune_race *race);
double tune_median(const struct tune_contender *contender);

/* Ratio a / b over the passes both have, with its 95 % interval (Student, of
 * the logarithms of paired passes). passes < 2: the interval is 0 to
 * infinity. */
struct tune_ratio {
    double ratio, low, high;
    int passes;
};
struct tune_ratio tune_compare(const struct tune_contender *a, int a_first,
                               const struct tune_contender *b, int b_first);

/* Local. Marks who is surely slower than the leader; returns how many are
 * left. Defaults stay out of sight but are never needed to win. */
int tune_race_eliminate(struct tune_race *race);

struct tune_options {
    const char *directory, *output, *extra;
    int64_t type, chunk, memory, task_bytes, processes;
    double time_s, pass_s;
    int access; /* 0 both, 1 write, 2 read */
    int native, shipio, all, quiet, force;
};

struct tune_outcome {
    struct tune_race race;
    int winner;  /* -1: nothing beats doing nothing */
    int nothing; /* the native default */
    int own;     /* the default of the winner's library */
    struct tune_ratio over_nothing, over_own;
    double seconds;
};

/* Local, without MPI. The caller finishes outcome_p->race. */
int tune_run(const struct tune_options *options,
             const struct tune_pattern *pattern, double time_s,
             struct tune_outcome *outcome_p) PARIO_MUST_USE;
int tune_print(FILE *out, const struct tune_outcome *outcome) PARIO_MUST_USE;
/* Local. For pario beffio --hints, ROMIO_HINTS and readers; section "" or
 * "[type 0 chunk 1024]". */
void tune_write_hints(FILE *out, const char *section,
                      const struct tune_outcome *outcome);

struct pario_group;
/* In the job: FOLDER KEY. Collective. */
int tune_worker(const struct pario_group *world, int argc, char **argv);

#endif
