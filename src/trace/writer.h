/* trace/writer.h - a trace made of calls that come from elsewhere. */
#ifndef PARIO_TRACE_WRITER_H
#define PARIO_TRACE_WRITER_H

#include "core/error.h"
#include "trace/live.h"
#include <stdio.h>

struct pario_trace_writer; /* opaque; writes to a stream */

/* Local. out stays the caller's. The caller owns *writer_p. */
int pario_trace_writer_create(FILE *out, struct pario_trace_writer **writer_p)
    PARIO_MUST_USE;
/* Local. A process; lines are "key value" as in a trace (rank, host, limits
 * ...). Sets its number. */
int pario_trace_writer_process(struct pario_trace_writer *writer,
                               const char *lines,
                               size_t *process_p) PARIO_MUST_USE;
/* Local. The number of a string of a process; 0 for "". */
int pario_trace_writer_string(struct pario_trace_writer *writer, size_t process,
                              const char *text,
                              int64_t *number_p) PARIO_MUST_USE;
/* Local. A call; times in ns, in the order of each process. */
int pario_trace_writer_add(struct pario_trace_writer *writer, size_t process,
                           const struct pario_call *call, uint64_t begin_ns,
                           uint64_t end_ns) PARIO_MUST_USE;
/* Local. Frees the writer, also after an error. */
int pario_trace_writer_finish(struct pario_trace_writer *writer) PARIO_MUST_USE;

#endif
