/* report/table.h - the measures of a result as a table: text, CSV, Markdown.
 * Reads results only. Local. */
#ifndef PARIO_REPORT_TABLE_H
#define PARIO_REPORT_TABLE_H

#include "core/error.h"
#include <jansson.h>
#include <stdio.h>

enum pario_format {
    PARIO_FORMAT_TEXT,
    PARIO_FORMAT_CSV,
    PARIO_FORMAT_MD,
    PARIO_FORMAT_HTML, /* a <table>, all text in it escaped; for pages */
    /* Not of tables: whole documents for other programs. */
    PARIO_FORMAT_JSON,
    PARIO_FORMAT_JUNIT,
    PARIO_FORMAT_PROMETHEUS,
};

/* Local. Headline: what was run on what, validity, warnings, summary; then
 * one row a measure. Every number that came from a cache, from a run that is
 * invalid, or unverified says so in its row, in every format. */
int pario_table_print(FILE *out, const json_t *document,
                      enum pario_format format) PARIO_MUST_USE;

/* Local. A generic table with aligned columns, for suites' own summaries. */
struct pario_table;
int pario_table_create(size_t ncolumns, const char *const *headers,
                       struct pario_table **table_p) PARIO_MUST_USE;
void pario_table_destroy(struct pario_table *table);
/* Appends a cell; rows fill from left to right. Columns of numbers are
 * right-aligned. A failure is kept and returned by pario_table_render, so
 * that the result may be ignored. */
int pario_table_cell(struct pario_table *table, const char *fmt, ...)
    PARIO_PRINTF(2, 3);
int pario_table_render(const struct pario_table *table, FILE *out,
                       enum pario_format format) PARIO_MUST_USE;

/* Text as one cell or line: control characters (terminal escapes) and line
 * ends become blanks, Markdown's and HTML's own characters are escaped, CSV is
 * quoted where it must be. */
void pario_cell_put(FILE *out, const char *text, enum pario_format format);

#endif
