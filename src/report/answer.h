/* report/answer.h - the answer of a document, for the end of a run: what was
 * measured where, the lines that its view says, what speaks against them, and
 * how to go on; at most 24 lines of 80 columns. Local. */
#ifndef PARIO_REPORT_ANSWER_H
#define PARIO_REPORT_ANSWER_H

#include "core/error.h"
#include <jansson.h>
#include <stdio.h>

/* path: of the document, for the command that shows the details; NULL: that is
 * not said. */
int pario_answer_print(FILE *out, const json_t *document,
                       const char *path) PARIO_MUST_USE;

/* "/scratch: ext4 on nvme0n1, 4 processes on 1 node, Open MPI 4.1.4, 61 s". */
#define PARIO_WHERE_LEN 1024
void pario_answer_where(const json_t *document, char text[PARIO_WHERE_LEN]);

/* What speaks against a figure with these flags, one after the other: in a
 * word, and why. *i_p is 0 at first. NULL: that was all. */
const char *pario_answer_reason(unsigned flags, size_t *i_p,
                                const char **word_p);

#endif
