/* suites/iot/params.h - iotparams.in: the tests of a file and the parameter
 * sets of each (test suite, appendices B and C; docs/iot.md).
 *
 * Reading makes no system call beyond the text it is given, so that every
 * rank comes to the same tests and the same errors. All errors of a file are
 * collected, each with its line, before anything runs.
 */
#ifndef PARIO_IOT_PARAMS_H
#define PARIO_IOT_PARAMS_H

#include "core/error.h"
#include "io/hints.h"
#include <stddef.h>
#include <stdint.h>

enum iot_class { IOT_LOWLEVEL = 1, IOT_KERNEL = 2 };

struct iot_bench;                           /* bench.h */
extern const char *const iot_class_names[]; /* by enum iot_class */

enum iot_variant { IOT_LEFT, IOT_RIGHT };

#define IOT_MAX_DIMS 4

/* One parameter set; a test uses the members that its keywords set. */
struct iot_set {
    int64_t number;     /* in its test, from 1 */
    int64_t line;       /* where its test begins in the input file */
    int64_t file_bytes; /* the most the test file will hold */
    int64_t block_bytes;
    int64_t block_min, block_max; /* sharedfp, bytes */
    double fuzzy;                 /* relative half-width of block sizes */
    double update_frac;
    int collective, preallocate;
    int separate;       /* a file of its own for each process (5.2) */
    int64_t repetition; /* from 1; 0: the set is run once */
    int ndims;
    int64_t size[IOT_MAX_DIMS]; /* elements; irregular: cells */
    int64_t grid[IOT_MAX_DIMS]; /* processes */
    int64_t ghost;              /* cells on each side, in memory alone */
    int64_t task_order, task_repeat;
    int64_t memory_bytes, panel; /* outofcore */
    int variant;                 /* enum iot_variant */
    int64_t nodal, elemental;    /* irregular: variables */
    int64_t scramble;
    /* Of its test, where others of the name have other ones; else NULL. */
    const char *filename, *hints;
};

struct iot_test {
    const struct iot_bench *bench; /* NULL: unknown, reported */
    int line;
    char *filename;
    char *input; /* its lines of the file, normalised to `keyword value` */
    struct pario_hints hints;
    char *hint_text; /* the same as one; NULL: none */
    struct iot_set *set;
    size_t nsets;
};

struct iot_params {
    char *timings; /* timingsfilename; NULL: not given */
    struct iot_test *test;
    size_t ntests;
};

/* Collected errors and warnings, one line each: "iotparams.in:12: ...". */
struct iot_errors {
    const char *path;
    char *text, *warnings;
    int count, nwarnings;
};

void iot_error(struct iot_errors *errors, int line, const char *fmt, ...)
    PARIO_PRINTF(3, 4);
void iot_warning(struct iot_errors *errors, int line, const char *fmt, ...)
    PARIO_PRINTF(3, 4);
void iot_errors_fini(struct iot_errors *errors);

/* Local. How many processes do I/O. */
int iot_partition(const struct iot_bench *bench, const struct iot_set *set,
                  int nprocs);

/* Local. The test file of a process. */
char *iot_path(const struct iot_test *test, const struct iot_set *set, int rank,
               char *path, size_t len);

/* Local. Reads text for a run of nprocs processes. Of tests that are not of
 * the class (0: all are) only the name is looked at: they have no sets. What
 * is wrong goes to
 * errors (errors->count > 0: do not run); the return value tells of lack of
 * memory only. The caller owns what params_p holds also after errors. */
int iot_params_read(const char *text, int nprocs, int class,
                    struct iot_errors *errors,
                    struct iot_params *params_p) PARIO_MUST_USE;
void iot_params_fini(struct iot_params *params);

/* Local. Tests of one name may differ in nothing but their file or hints: these
 * become part of their sets. -ENOMEM. */
int iot_tell_apart(struct iot_params *params) PARIO_MUST_USE;

#endif
