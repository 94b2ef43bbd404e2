/* report/trace_otf2.h - a trace for tools that read OTF2. */
#ifndef PARIO_REPORT_TRACE_OTF2_H
#define PARIO_REPORT_TRACE_OTF2_H

#include "trace/trace.h"

/* Local. Makes the folder, which must not be there yet, and in it traces.otf2
 * with its parts. PARIO_EUNAVAIL in a build without OTF2. */
int pario_trace_to_otf2(const struct pario_trace *trace,
                        const char *directory) PARIO_MUST_USE;

#endif
