/* trace/export.h - traces for other tools. */
#ifndef PARIO_TRACE_EXPORT_H
#define PARIO_TRACE_EXPORT_H

#include "trace/trace.h"

/* Local. The text that darshan-dxt-parser prints: reads and writes with rank,
 * offset, length and time. What it cannot say is left out: views, other
 * calls, offsets of shared pointers. */
int pario_trace_to_dxt(const struct pario_trace *trace,
                       FILE *out) PARIO_MUST_USE;

/* Local. Every call as one JSON object per line, with its arguments and
 * times. */
int pario_trace_to_json(const struct pario_trace *trace,
                        FILE *out) PARIO_MUST_USE;

#endif
