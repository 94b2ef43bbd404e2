/* report/hints.h - hints of a document, however deep the suite keeps them.
 * Private to src/report. Local.
 *
 * hints_requested holds hints, or sets of hints by name; hints_in_force holds
 * hints, or those of each file by the file's name, which begins with the set's
 * where there are several. A requested name may say what it is limited to:
 * "type 0: cb_nodes". */
#ifndef PARIO_REPORT_HINTS_H
#define PARIO_REPORT_HINTS_H

#include <jansson.h>

/* How many sets have hints in them, and all that are there. */
size_t pario_hints_sets(const json_t *document, size_t *all_p);

/* {"cb_nodes": "4"}, or {"SET: cb_nodes": "4"} where there are several sets. A
 * new reference; NULL: no memory. */
json_t *pario_hints_requested(const json_t *document);
/* The same with the values in force, {"cb_nodes": "4"}; where files differ,
 * {"cb_nodes": "4 (type0 write np2), 2 (type1 write np2)"}. */
json_t *pario_hints_in_force(const json_t *document);

/* What was asked for as words, each with what became of it:
 * "cb_nodes=4(in force: 2)". A new array; NULL: no memory. */
json_t *pario_hints_words(const json_t *document);

#endif
