/* suites/honesty/honesty.h - can the MPI-IO library in use be believed when
 * storage fails?
 *
 * The driver is one process without MPI. For every case it makes a file,
 * starts a small job of this program (the worker) with the fault library
 * preloaded and a time-out, looks into the file and at what was reported
 * to every rank, and judges.
 */
#ifndef PARIO_HONESTY_HONESTY_H
#define PARIO_HONESTY_HONESTY_H

#include "core/data.h"
#include "core/error.h"
#include "suites/suite.h"
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#define HONESTY_BLOCK 1000 /* not a divisor of any stripe or buffer */
#define HONESTY_MAX_RANKS 64
#define HONESTY_MAX_CASES 32

enum honesty_call {
    HONESTY_WRITE_ALL,
    HONESTY_WRITE_AT,
    HONESTY_READ_ALL,
    HONESTY_READ_AT,
    HONESTY_SYNC,
};

struct honesty_case {
    struct pario_test test; /* first: "enospc-write_all", what it is */
    const char *fault;      /* rules of the fault library without path; NULL */
    enum honesty_call call;
    int blocks;       /* of each rank */
    int file_percent; /* so much of the file is there before a read */
    int truncate;     /* the file is cut to file_percent while open, */
    int again;        /* and was read as a whole before */
    int rounds;       /* blocks is to be made enough for several rounds */
    int mapped;       /* shipio alone: it may read through a mapping */
};

/* A rule that does nothing but tell that writes can be seen. */
#define HONESTY_WITNESS "op=write,delay=0"

extern const struct honesty_case honesty_cases[]; /* ended by a NULL name */
const struct honesty_case *honesty_case_find(const char *name);
/* Local. 1 for the cases in which nothing fails and nothing is missing. */
int honesty_is_control(const struct honesty_case *kase);
int honesty_is_collective(enum honesty_call call);
int honesty_is_read(enum honesty_call call);

/* Local. File offset of byte i of the rank's data. */
int64_t honesty_offset(const struct honesty_case *kase, int rank, int size,
                       int64_t i);
int64_t honesty_rank_bytes(const struct honesty_case *kase);
/* Local. Bytes of the rank's data, in order, that the file has for a read. */
int64_t honesty_true_count(const struct honesty_case *kase, int rank, int size);
/* Local. The case as it is for so many processes on so many nodes. */
struct honesty_case honesty_case_sized(const struct honesty_case *kase,
                                       int processes, int nodes);

enum honesty_step {
    HONESTY_OPEN,
    HONESTY_ACCESS,
    HONESTY_FLUSH,
    HONESTY_CLOSE,
    HONESTY_STEPS,
};

/* What stands in the buffer where a read claims bytes that no file has; a set
 * of these. */
enum honesty_gap {
    HONESTY_GAP_ZEROS = 1,
    HONESTY_GAP_UNTOUCHED = 2, /* as before the call */
    HONESTY_GAP_STALE = 4,     /* data of this or another place of the file */
    HONESTY_GAP_OTHER = 8,
};
#define HONESTY_UNTOUCHED 0x5a /* each byte of the buffer before a read */
/* Local. buf has the bytes from `from` to `to` of the rank's data. */
int honesty_gap_of(const struct pario_data *data, const char *buf, int64_t from,
                   int64_t to);
/* "zeros", "stale data and zeros"; text has room for 80 bytes. */
void honesty_gap_text(int gap, char *text);

/* What was reported to one rank, and what is true. */
struct honesty_rank {
    int begun, ended;              /* steps */
    int nodes;                     /* of the job */
    char error[HONESTY_STEPS][40]; /* "" for success, else the class */
    int64_t count;                 /* of the status; -1 unknown */
    int64_t true_count;            /* bytes that were there to be read */
    int64_t wrong;                 /* bytes wrong in what it claims */
    int gap;                       /* what it claims beyond the file's end */
    int alarm;                     /* its time was over */
    int intact;                    /* its data is where it belongs */
};

enum honesty_verdict {
    HONESTY_CORRECT,  /* nothing was lost and nothing else was said */
    HONESTY_ALL,      /* it was reported to every rank */
    HONESTY_LOCAL,    /* independent call: those whom it concerns know */
    HONESTY_SOME,     /* a collective call: not all ranks know */
    HONESTY_ALARM,    /* an error was reported although nothing failed */
    HONESTY_LOST,     /* no rank learnt that data is lost */
    HONESTY_UNSYNCED, /* sync says success and never called fsync */
    HONESTY_HANG,     /* ranks never came back */
    HONESTY_CRASH,    /* the job died */
    HONESTY_UNMET,    /* the library never made the call that was to fail */
};
extern const char *const honesty_verdict_names[];

struct honesty_result {
    const struct honesty_case *kase;
    struct honesty_case sized; /* what kase points to in a run */
    const char *library;       /* "native", "shipio" */
    enum honesty_verdict verdict;
    char detail[200]; /* for people */
    int size;
    double seconds;
    int fired;     /* the fault was met */
    char met[64];  /* by which calls: "mmap,read" */
    int witnessed; /* the library's writes were seen */
    int timed_out; /* the job was ended from outside */
    struct honesty_rank rank[HONESTY_MAX_RANKS];
};

/* Local. Verdict and detail from all else in the result. */
void honesty_judge(struct honesty_result *result);
/* Local. 1: it was seen that what happened was reported as it should be. */
int honesty_is_clean(enum honesty_verdict verdict);

struct honesty_results;
/* How one library did. */
struct honesty_sum {
    size_t cases, bad; /* bad: not clean, whereas an unmet fault is neither */
    size_t faults, unmet;
    const struct honesty_result *first_bad, *first_unmet;
};
struct honesty_sum honesty_sum_of(const struct honesty_results *results,
                                  const char *library);
/* Local. 0 when each library met every fault and reported every case as it
 * should be; else an error whose message says what is not so. */
int honesty_outcome(const struct honesty_results *results) PARIO_MUST_USE;

struct honesty_options {
    int64_t processes; /* of each job */
    const char *cases; /* names, separated by commas; NULL: all */
    double timeout_s;  /* of one case */
    int json;
};

/* What all cases of a run share. */
struct honesty_driver {
    const struct honesty_options *options;
    const char *base;     /* folder of the run */
    char fault[PATH_MAX]; /* the fault library */
    uint64_t key;
    int nodes; /* of the jobs; 0: not known yet */
};

/* Local, without MPI. Makes the file, starts the job, looks and judges. */
int honesty_run_case(struct honesty_driver *driver,
                     const struct honesty_case *kase, const char *library,
                     struct honesty_result *result) PARIO_MUST_USE;

#define HONESTY_MAX_RESULTS 64
extern const char *const honesty_libraries[]; /* "native", "shipio", NULL */
struct honesty_results {
    struct honesty_result *one;
    size_t count;
    char library[64]; /* the MPI library */
    char filesystem[64];
};

/* Local. The verdicts as sentences of the document. */
void honesty_answer(struct pario_result *result,
                    const struct honesty_results *results);
json_t *honesty_json(const struct honesty_results *results);
/* Local. One case as a finding of the document, and back from it: the verdict
 * without what was reported to each rank. -EINVAL: of no case that is known. */
json_t *honesty_finding(const struct honesty_result *result);
int honesty_from_finding(const json_t *finding,
                         struct honesty_result *result) PARIO_MUST_USE;

/* In the job: CASE FOLDER KEY TIMEOUT BLOCKS. Collective. */
struct pario_group;
int honesty_worker(const struct pario_group *world, int argc, char **argv);

#endif
