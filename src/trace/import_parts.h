/* trace/import_parts.h - what the importers share. */
#ifndef PARIO_TRACE_IMPORT_PARTS_H
#define PARIO_TRACE_IMPORT_PARTS_H

#include "trace/writer.h"

#include <sys/types.h>

/* Local. Lines of text to calls. A line that is none of theirs is left out. */
/* rank: of the process whose text it is; -1: the text says, or nobody. */
typedef int pario_import_fn(FILE *in, struct pario_trace_writer *writer,
                            int rank);
pario_import_fn pario_import_strace;
pario_import_fn pario_import_dxt;
pario_import_fn pario_import_recorder;

/* Local. What Darshan's own parser, which knows all versions of its logs, says
 * of one. *pid_p is for pario_import_darshan_close, which also frees *in_p. */
int pario_import_darshan_open(const char *path, FILE **in_p,
                              pid_t *pid_p) PARIO_MUST_USE;
int pario_import_darshan_close(FILE *in, pid_t pid) PARIO_MUST_USE;

/* Local. Each line of `in`, without its end, to take(), which may change it,
 * until that fails. A line beyond the limit or with a zero byte is an error: a
 * file without ends of lines (/dev/zero) must not fill the memory. */
typedef int pario_import_line_fn(void *context, char *line);
int pario_import_lines(FILE *in, pario_import_line_fn *take,
                       void *context) PARIO_MUST_USE;

#endif
