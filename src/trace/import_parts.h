/* trace/import_parts.h - what the importers share. */
#ifndef PARIO_TRACE_IMPORT_PARTS_H
#define PARIO_TRACE_IMPORT_PARTS_H

#include "trace/writer.h"

/* Local. Lines of text to calls. A line that is none of theirs is left out. */
typedef int pario_import_fn(FILE *in, struct pario_trace_writer *writer);
pario_import_fn pario_import_strace;
pario_import_fn pario_import_dxt;

#endif
