/* report/compare_index.h - the measures of one side by what they are. Private
 * to src/report. Local. */
#ifndef PARIO_REPORT_COMPARE_INDEX_H
#define PARIO_REPORT_COMPARE_INDEX_H

#include "report/compare.h"

/* measures: {identity as text: {"figure", "test" in plain words where the
 * document has some, "what": identity, "runs": [[value,
 * ...], ...], "caches": {...}, "flags": bits}}; those that failed are not among
 * them. places: {"directory" or "filename": {path: its number in
 * the run}}. */
struct pario_index {
    json_t *measures, *places;
    const json_t *view; /* of the run that is added */
};

int pario_index_init(struct pario_index *index,
                     const struct pario_side *side) PARIO_MUST_USE;
void pario_index_fini(struct pario_index *index);

/* The values that count of an entry: one for each run where there are several,
 * all of a single one. The caller frees *values_p. */
int pario_entry_values(const json_t *entry, double **values_p,
                       size_t *count_p) PARIO_MUST_USE;

/* Members that all entries have alike, without the test. A new reference;
 * NULL: no memory. */
json_t *pario_index_shared(const struct pario_index *index);

/* "common_file write, 4 processes, method=posix": what tells an entry from the
 * others. The caller frees it; NULL: no memory. */
char *pario_entry_name(const json_t *entry, const json_t *shared);

double pario_geometric_mean(const double *values, size_t n);

#endif
