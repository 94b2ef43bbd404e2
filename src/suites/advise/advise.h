/* suites/advise/advise.h - what would make this program's MPI-IO faster?
 *
 * The program itself is run, as often as needed: with the native library as it
 * comes, with shipio, and with the settings that `pario tune` knows. The runs
 * take turns, each is recorded, and what is compared is the time that the
 * slowest process spent in I/O. One process without MPI drives it.
 */
#ifndef PARIO_ADVISE_ADVISE_H
#define PARIO_ADVISE_ADVISE_H

#include "core/error.h"
#include "suites/tune/tune.h"

#define ADVISE_NATIVE 0 /* the first contender */

struct advise_options {
    char **command;     /* ended by NULL */
    const char *folder; /* for the recordings; absolute, the caller's */
    const char *before; /* for the shell, before each run; NULL: nothing */
    const char *mpi;    /* the MPI library's name */
    double time_s;      /* of all runs */
    double gain;        /* a ratio that is worth a change: 1.05 */
    int settings;       /* also those of `pario tune` */
    int quiet;
};

/* One way to run it. */
struct advise_contender {
    char name[96], variable[512], hints[512];
    int shipio;
    int out;          /* failed, or was slow in its first run */
    char reason[200]; /* why it failed; "" */
    struct tune_values io, reads, writes, whole; /* 1 / seconds, by round */
    struct tune_ratio faster;       /* I/O, compared with the native library */
    struct tune_ratio whole_faster; /* the whole program */
    double reads_faster, writes_faster; /* medians; 0: there are none */
};

/* What the recording of a run says. */
struct advise_facts {
    int processes; /* with a rank */
    int64_t mpi_calls, posix_calls, bytes;
    double io_s, read_s, write_s; /* of the slowest process */
    double whole_s;               /* with its start */
    double piece;                 /* mean length of contiguous requests */
};

struct advise_outcome {
    struct advise_contender contender[TUNE_MAX_CONTENDERS];
    int count, rounds;
    int best;                  /* -1: nothing is surely faster */
    struct advise_facts facts; /* of the first run, with the native library */
};

/* Local. An error when the program does not run by itself. */
int advise_run(const struct advise_options *options,
               struct advise_outcome *outcome) PARIO_MUST_USE;

/* Local. Writes ROMIO's form of a contender's hints. */
void advise_print_hints(const struct advise_contender *one, FILE *out);

#endif
