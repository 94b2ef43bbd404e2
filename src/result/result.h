/* result/result.h - the one results model: build it, write it, read it back.
 *
 * A document of schema pario-result/1 (docs/result-format.md). While a run is
 * under way the document on disk says "valid": false and "finished_utc": null,
 * so that a run that dies leaves an honest file behind.
 */
#ifndef PARIO_RESULT_RESULT_H
#define PARIO_RESULT_RESULT_H

#include "core/error.h"
#include "core/stats.h"
#include "result/flags.h"
#include "sys/cache.h"
#include <jansson.h>
#include <stdint.h>

struct pario_result; /* opaque; rank 0 only builds one */

#define PARIO_SHORT_S                                                          \
    0.1 /* a measure below this says "short" beside itself                     \
         */

/* What was seen around a measure; src/measure makes it. -1: not visible. */
struct pario_seen {
    int64_t device_read_bytes, device_written_bytes; /* by the devices below */
    int64_t device_busy_ms; /* a request was under way there */
    int64_t resident_bytes; /* of the data in page caches before a read */
    double pause_s;         /* the clock stood still for the tool's own work */
    double unseen_s; /* off the clock while the device may have worked for it */
    int unsynced;    /* nothing made all of what was written durable */
    int scattered;   /* calls of their own, in no order of places */
};

struct pario_measure {
    const char *test;   /* required */
    const char *access; /* "write", "rewrite", "read", or the suite's word */
    int partition;      /* number of processes */
    json_t *pattern;    /* stolen; NULL: none */
    json_t *parameters; /* stolen; NULL: none */
    json_t *extra;      /* stolen; further members, merged; NULL: none */
    int64_t bytes, operations;
    double seconds; /* of the slowest rank, between barriers */
    double first_done_s, last_done_s; /* <0: not measured */
    const struct pario_hist *latency; /* borrowed; NULL: none */
    int64_t checked_bytes, errors;    /* verification */
    int verify_off;                   /* --verify off */
    enum pario_cache cache;
    const struct pario_seen *seen; /* borrowed; NULL: nobody looked */
    unsigned flags;                /* beside those that the other members say */
    const char *error; /* borrowed; NULL: none. Makes the run invalid. */
    int replaces;      /* an earlier one with the same identity, if there */
};

/* Local (rank 0). The caller owns *result_p. path NULL: a default name
 * pario-<suite>-<UTC time>.json in the current directory. An existing file is
 * kept: with a given path -EEXIST with a remedy unless force; with the
 * default another name is chosen. Nothing is written before the first
 * pario_result_write, and a name never written to is free again after
 * pario_result_destroy. */
int pario_result_create(const char *suite, int argc, char *const *argv,
                        const char *path, int force,
                        struct pario_result **result_p) PARIO_MUST_USE;
/* Local. Goes on from the document at path: measures are kept, and the new
 * document replaces it. Fails if the suite differs; if an option in force
 * does, pario_result_set fails with PARIO_EUSAGE, names it, and the file is
 * never written. */
int pario_result_resume(const char *suite, int argc, char *const *argv,
                        const char *path,
                        struct pario_result **result_p) PARIO_MUST_USE;
void pario_result_destroy(struct pario_result *result);
const char *pario_result_path(const struct pario_result *result);
/* Local. When the run began that writes it now. */
const char *pario_result_begun(const struct pario_result *result);

/* Local. value is stolen; NULL, which jansson makes of NaN and of text that is
 * not UTF-8, becomes null with a warning (result/value.h avoids both). Sets
 * member `name` of the object `section`: "system", "options",
 * "hints_requested", "hints_in_force", "summary", or "" for the top level. */
int pario_result_set(struct pario_result *result, const char *section,
                     const char *name, json_t *value);
/* Local. Where the index-th directory of the run is (directories are given in
 * their order); place is stolen. In a resumed document it must be where it was:
 * else PARIO_EUSAGE, and the file is kept as it is. */
int pario_result_place(struct pario_result *result, size_t index,
                       json_t *place) PARIO_MUST_USE;
json_t *pario_result_document(struct pario_result *result); /* borrowed */
/* Local. A figure of the summary with what speaks against it (enum
 * pario_flag): the flags of exactly the measures it is made of. value is
 * stolen. */
int pario_result_summary(struct pario_result *result, const char *name,
                         json_t *value, unsigned flags);

/* Local. Adds the measure and writes the document. measure's json is gone also
 * after an error. A failed measure of a resumed document is replaced. Called by
 * src/measure alone: what makes a number stands there. */
int pario_result_add(struct pario_result *result,
                     const struct pario_measure *measure) PARIO_MUST_USE;
/* Local. Adds what an examination found (members name and verdict, and others)
 * and writes the document. finding is stolen. */
int pario_result_add_finding(struct pario_result *result,
                             json_t *finding) PARIO_MUST_USE;
/* Local. A measure of a resumed document that matches test, access, partition,
 * pattern and parameters, has no error and did verify: borrowed, or NULL.
 * like's json stays the caller's. Repetitions of one measure must differ in
 * parameters to be found each. */
const json_t *pario_result_find(const struct pario_result *result,
                                const struct pario_measure *like);

/* An error, or data that did not verify. */
int pario_measure_failed(const json_t *value);

/* Local. Warnings are printed by the caller and kept here once each. */
int pario_result_warn(struct pario_result *result, const char *fmt, ...)
    PARIO_PRINTF(2, 3);
/* Local. The run cannot be valid any more; the reason is a warning too. */
int pario_result_invalidate(struct pario_result *result, const char *fmt, ...)
    PARIO_PRINTF(2, 3);
/* Local. 0 also while nothing has been measured or found. */
int pario_result_is_valid(const struct pario_result *result);

/* Local. Atomically: temporary name, fsync, rename. */
int pario_result_write(struct pario_result *result) PARIO_MUST_USE;
/* Local. finished_utc and valid are set, and the document written. A run that
 * measured and found nothing is not valid. */
int pario_result_finish(struct pario_result *result) PARIO_MUST_USE;

/* Local. Reads and checks any document of the schema; the caller owns
 * *document_p (json_decref). Messages name file, line and what is wrong. */
int pario_result_load(const char *path, json_t **document_p) PARIO_MUST_USE;
/* Local. The same of text that is in memory; name stands for it in messages. */
int pario_result_parse(const char *name, const char *text, size_t len,
                       json_t **document_p) PARIO_MUST_USE;

#endif
