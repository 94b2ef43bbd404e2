/* report/trace.h - what a recorded program did, for people and for tools. */
#ifndef PARIO_REPORT_TRACE_H
#define PARIO_REPORT_TRACE_H

#include "trace/heat.h"
#include "trace/profile.h"

/* Local. The answer first: how much of the time is I/O, what takes it, and
 * what is noteworthy about it. */
void pario_trace_text_report(const struct pario_trace *trace,
                             const struct pario_profile *profile,
                             const struct pario_heat *heat, FILE *out);
/* Local. One row for each file and kind of call. */
void pario_trace_csv_report(const struct pario_profile *profile, FILE *out);
/* Local. All of it, as one JSON object. */
int pario_trace_json_report(const struct pario_trace *trace,
                            const struct pario_profile *profile,
                            const struct pario_heat *heat,
                            FILE *out) PARIO_MUST_USE;
/* Local. One HTML file: the time line of the processes, where they were in the
 * files, sizes, files. */
void pario_trace_page(const struct pario_trace *trace,
                      const struct pario_profile *profile,
                      const struct pario_heat *heat, FILE *out);

/* Local. What the calls of a line are like, in words: "strided, 4 KiB pieces
 * of a view". Returns text. */
char *pario_trace_describe(const struct pario_profile_line *line, char *text,
                           size_t len);
/* Local. Sentence number i about what is noteworthy, or 0 when there are no
 * more. */
int pario_trace_remark(const struct pario_profile *profile,
                       const struct pario_heat *heat, int i, char *text,
                       size_t len);

/* Local. Text of a trace in HTML. */
void pario_trace_html_text(const char *text, FILE *out);
/* Local. The pictures of offset by time, one for each file. */
void pario_trace_heat_page(const struct pario_profile *profile,
                           const struct pario_heat *heat, FILE *out);

#endif
