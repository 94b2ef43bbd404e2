/* trace/import.h - traces from the text of other tools. */
#ifndef PARIO_TRACE_IMPORT_H
#define PARIO_TRACE_IMPORT_H

#include "trace/trace.h"

/* Local. kind: "strace" (strace -f -ttt -T) or "darshan-dxt-text". The notes of
 * the trace say what such text cannot know. The caller owns *trace_p. */
int pario_trace_import(const char *kind, const char *path,
                       struct pario_trace **trace_p) PARIO_MUST_USE;

#endif
