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

#endif
