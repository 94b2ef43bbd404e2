/* analysis/timings.h - reads timings files (docs/timings-format.md), also those
 * of the original test suite. Local.
 *
 * Opening reads the whole file once in bounded memory and keeps only where
 * the blocks and their samples are. A block that is cut off or malformed is
 * left out and complained about with its line; the others are there.
 */
#ifndef PARIO_ANALYSIS_TIMINGS_H
#define PARIO_ANALYSIS_TIMINGS_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

#define PARIO_TIMINGS_MAX_COMPLAINTS 20
#define PARIO_TIMINGS_MAX_HEADER 128 /* lines of a header */

struct pario_timings_word {
    const char *name, *value; /* of timings->texts */
};

/* The samples of one process, or of one keyword in an original file. */
struct pario_timings_section {
    int rank;
    char *keyword;
    int64_t offset, line; /* of the first line to read */
    int64_t count, lost, saturated;
    int64_t longest_ns;
};

struct pario_timings_block {
    int64_t line; /* where it begins */
    int original; /* without block and end: samples are found by keyword */
    int64_t end;  /* offset after its last line */
    double unit_ns;
    int64_t nprocs;
    struct pario_timings_word *header;
    size_t nheader;
    struct pario_timings_section *sections;
    size_t nsections;
    /* The bytes of each call where they differ (the test suite's keyword b):
     * one for each section, of as many values. NULL: they do not. */
    struct pario_timings_section *sizes;
};

struct pario_timings {
    char *path;
    int fd;
    struct pario_timings_block *blocks;
    size_t nblocks;
    char **texts; /* all of the headers: blocks share them */
    size_t ntexts;
    char *complaints[PARIO_TIMINGS_MAX_COMPLAINTS];
    size_t ncomplaints;  /* kept */
    int64_t nunreported; /* more than are kept */
};

/* Is this file, as its first bytes tell, meant to be a timings file? */
int pario_timings_looks_so(const char *path);

/* The caller owns *timings_p. Fails with the first complaint when the file
 * has no good block. */
int pario_timings_open(const char *path,
                       struct pario_timings **timings_p) PARIO_MUST_USE;
void pario_timings_close(struct pario_timings *timings);

/* The value of a header keyword, or NULL. */
const char *pario_timings_value(const struct pario_timings_block *block,
                                const char *name);
/* Bytes of one call and of the file, as the header tells in any of the ways
 * that suites do; 0: it does not, or the samples are not of I/O calls. */
double pario_timings_block_bytes(const struct pario_timings_block *block);
double pario_timings_file_bytes(const struct pario_timings_block *block);

/* Gives the samples of a section in order, in nanoseconds, in pieces. Stops
 * when take does not return 0, and returns that. Of one of block->sizes: bytes.
 */
typedef int pario_timings_take(void *context, const int64_t *ns, size_t count);
int pario_timings_read(const struct pario_timings *timings,
                       const struct pario_timings_block *block,
                       const struct pario_timings_section *section,
                       pario_timings_take *take, void *context) PARIO_MUST_USE;

#endif
