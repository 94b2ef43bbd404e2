/* trace/import_parts.h - what the importers share. */
#ifndef PARIO_TRACE_IMPORT_PARTS_H
#define PARIO_TRACE_IMPORT_PARTS_H

#include "trace/writer.h"

/* Local. Lines of text to calls. A line that is none of theirs is left out. */
typedef int pario_import_fn(FILE *in, struct pario_trace_writer *writer);
pario_import_fn pario_import_strace;
pario_import_fn pario_import_dxt;

/* Local. Each line of `in`, without its end, to take(), which may change it,
 * until that fails. A line beyond the limit or with a zero byte is an error: a
 * file without ends of lines (/dev/zero) must not fill the memory. */
typedef int pario_import_line_fn(void *context, char *line);
int pario_import_lines(FILE *in, pario_import_line_fn *take,
                       void *context) PARIO_MUST_USE;

#endif
