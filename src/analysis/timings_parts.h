/* analysis/timings_parts.h - what the files of the timings reader share.
 * Private to src/analysis. Local. */
#ifndef PARIO_ANALYSIS_TIMINGS_PARTS_H
#define PARIO_ANALYSIS_TIMINGS_PARTS_H

#include "analysis/timings.h"

/* Finds the blocks; what is wrong with any becomes a complaint. */
int pario_timings_index(struct pario_timings *timings) PARIO_MUST_USE;

void pario_timings_block_fini(struct pario_timings_block *block);

/* NULL, or what is wrong with the text as the time of a call. */
const char *pario_timings_parse(const char *text, size_t len, double unit_ns,
                                int64_t *ns_p);

/* Does the line begin with this word? */
int pario_timings_is_word(const char *line, size_t len, const char *word,
                          size_t word_len);

#endif
