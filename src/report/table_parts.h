/* report/table_parts.h - what the files of pario_table_print share. Private to
 * src/report. Local. */
#ifndef PARIO_REPORT_TABLE_PARTS_H
#define PARIO_REPORT_TABLE_PARTS_H

#include "core/units.h"
#include "report/table.h"

/* As pario_table_render in CSV; header 0: without the line of names. */
int pario_table_render_csv(const struct pario_table *table, FILE *out,
                           int header) PARIO_MUST_USE;

/* "VALID", "PRELIMINARY" (valid, but not by the suite's rules for official
 * figures), "INVALID", or "UNFINISHED". */
const char *pario_document_status(const json_t *document);

/* What was run on what, status, warnings, summary. Not for CSV. */
int pario_headline_print(FILE *out, const json_t *document,
                         enum pario_format format) PARIO_MUST_USE;

/* Parts of it: date, command, machine, hints, as lines or as the <dt> and <dd>
 * of a list; and the headline figures as a table. */
void pario_facts_print(FILE *out, const json_t *document,
                       enum pario_format format);
int pario_summary_print(FILE *out, const json_t *document,
                        enum pario_format format) PARIO_MUST_USE;

/* One row a measure, columns by what is there. Not for CSV. */
int pario_measures_print(FILE *out, const json_t *document,
                         enum pario_format format) PARIO_MUST_USE;

/* "ok" only where bytes were looked at; what is written is looked at when it
 * is read. */
const char *pario_verify_word(const json_t *measure);
/* Per second; -1: no time passed. */
double pario_operation_rate(const json_t *measure);

/* One row per finding; nothing where there are none. Not for CSV. */
int pario_findings_print(FILE *out, const json_t *document,
                         enum pario_format format) PARIO_MUST_USE;

/* {"l_bytes": 1024, "U": 2} -> "l=1 KiB U=2"; any value as short text. The
 * caller frees it; NULL: no memory. */
char *pario_value_short(const json_t *value);

/* 16384 -> "16 KiB", 100000 -> "97.7 KiB". Returns buf. */
char *pario_size_round(double bytes, char buf[PARIO_UNITS_LEN]);

/* Four figures: 1234, 123.4, 12.34, 1.234. Returns buf. */
#define PARIO_FIGURE_LEN 32
char *pario_number_print(double value, char buf[PARIO_FIGURE_LEN]);

#endif
