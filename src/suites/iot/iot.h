/* suites/iot/iot.h - what the tests of the Parallel I/O Test Suite share.
 *
 * iot.c loops over the tests and their parameter sets (appendix A); one
 * function, iot_run_<test>, runs one set. Such a function is collective, and
 * all ranks leave it with the same code.
 */
#ifndef PARIO_IOT_IOT_H
#define PARIO_IOT_IOT_H

#include "core/data.h"
#include "core/stats.h"
#include "measure/phase.h"
#include "par/mpi.h"
#include "result/samples.h"
#include "suites/iot/bench.h"
#include "suites/iot/params.h"
#include "suites/iot/schedule.h"

#define IOT_TEXT 512

/* One parameter set under way. */
struct iot_context {
    struct pario_run *run;
    const struct iot_test *test;
    const struct iot_set *set;
    int number; /* of the set in its test, from 1 */
    MPI_Comm comm;
    int rank, size;
    int partition;          /* processes that do I/O */
    char path[4400];        /* the test file of this process */
    struct pario_data data; /* of the test file */
    const char *timings;    /* timings file */
    struct pario_hints in_force;
    struct pario_fs_facts fs;
    int hints_known;
    int created;          /* the file of this set was made by it */
    double mbps;          /* of the last measure */
    double loop_mbps;     /* of the last loop of writes, without its sync */
    char wrong[IOT_TEXT]; /* the first wrong data of this set; "": none */
};

typedef int iot_run_fn(struct iot_context *context);
iot_run_fn iot_run_blocking; /* single, multiple, sinunix, mulunix */
iot_run_fn iot_run_async;    /* singleI, multipleI */
iot_run_fn iot_run_matrix;   /* matrix2D, matrix3D, matrix4D */
iot_run_fn iot_run_nonseq;
iot_run_fn iot_run_gatherscat;
iot_run_fn iot_run_sharedfp;
iot_run_fn iot_run_transpose;
iot_run_fn iot_run_outofcore; /* only with LAPACKE */
iot_run_fn iot_run_irregular;

/* Local. "multiple, set 2 (filesize 5 MB, blocksize 0.1 MB, collective)". */
void iot_describe(const struct iot_test *test, const struct iot_set *set,
                  int number, char *text, size_t len);

/* Local. A phase begins: so many bytes will be moved by all ranks, which may
 * take `more_s` besides (schedule.h). */
void iot_phase(struct iot_context *context, int64_t bytes, double more_s,
               const char *what);

/* Local. A phase of this set's file, by all processes. */
struct pario_phase iot_phase_of(struct iot_context *context, int writing);

/* Local. What this process moved, in the direction of the phase. */
void iot_phase_moved(struct pario_phase *phase, int64_t bytes,
                     int64_t operations);

/* Collective. A settled phase becomes a measure; extra is stolen. Wrong data
 * invalidates the run but is no error here. */
int iot_record(struct iot_context *context, struct pario_phase *phase,
               const char *access, json_t *extra) PARIO_MUST_USE;

/* Collective. Messages between all processes: `bytes` of each in `seconds`; no
 * file, nothing to judge. */
int iot_record_messages(struct iot_context *context, const char *access,
                        int64_t bytes, double seconds) PARIO_MUST_USE;

/* A figure beside those that every measure has, as this rank has it. */
struct iot_extra {
    const char *name;
    double mine;
};
/* Collective. For each, up to a NULL name, the greatest of all ranks, as
 * members of an object; null where it is no number. */
json_t *iot_greatest(const struct iot_context *context,
                     const struct iot_extra *extras);
/* Collective. The parts of a write's time: the call and the sync. */
json_t *iot_write_extra(const struct iot_context *context, double call_s,
                        double sync_s);

/* cache_end.c: Local, rank 0. Says between which file sizes reads fall far
 * below the best, of each curve that has enough of them. */
int iot_say_cache_end(struct pario_result *result) PARIO_MUST_USE;

/* Local. A measure of this set without figures; its json is the caller's. */
struct pario_measure iot_measure(const struct iot_context *context,
                                 const char *access);

/* Collective. The mean, the largest or the sum of a value of all ranks. */
double iot_mean(const struct iot_context *context, double value);
double iot_max(const struct iot_context *context, double value);
int64_t iot_sum(const struct iot_context *context, int64_t value);

/* Collective over all ranks: appends one block to the timings file. Ranks
 * that took no part come with nothing (count 0). */
int iot_timings_samples(struct iot_context *context, const char *keyword,
                        struct pario_samples *samples) PARIO_MUST_USE;
int iot_timings_values(struct iot_context *context, const char *keyword,
                       const char *unit, const int64_t *values,
                       size_t count) PARIO_MUST_USE;
/* One time a rank, e.g. pre_time; seconds < 0: this rank has none. */
int iot_timings_time(struct iot_context *context, const char *keyword,
                     double seconds) PARIO_MUST_USE;

#endif
