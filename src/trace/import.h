/* trace/import.h - traces from the text of other tools. */
#ifndef PARIO_TRACE_IMPORT_H
#define PARIO_TRACE_IMPORT_H

#include "trace/trace.h"

/* Local. kind: "strace" (strace -f -ttt -T), "darshan" (a log with DXT, read by
 * darshan-dxt-parser), "darshan-dxt-text" (what that has printed) or
 * "recorder-text" (the folder of recorder2text, or one of its files). The notes
 * of the trace say what it cannot know. The caller owns *trace_p. */
int pario_trace_import(const char *kind, const char *path,
                       struct pario_trace **trace_p) PARIO_MUST_USE;

#endif
