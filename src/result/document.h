/* result/document.h - the file of a result: its name, and how it is replaced.
 * Private to src/result. Local. */
#ifndef PARIO_RESULT_DOCUMENT_H
#define PARIO_RESULT_DOCUMENT_H

#include "core/error.h"
#include <jansson.h>

#define PARIO_SCHEMA "pario-result/1"

/* Takes the name of a new document. path NULL: pario-<suite>-<UTC>.json in the
 * current directory, with -2, -3 ... where that is taken. The caller owns
 * *path_p. *claimed_p: an empty file was made to hold the name. With force an
 * existing regular file stays as it is until the first write. */
int pario_document_claim(const char *suite, const char *path, int force,
                         char **path_p, int *claimed_p) PARIO_MUST_USE;

/* Can path, which exists, be replaced by a new document? The caller owns
 * *path_p, the name with symbolic links followed. */
int pario_document_replaceable(const char *path, char **path_p) PARIO_MUST_USE;

/* Writes to a temporary name in the same directory and renames; durable: and
 * syncs, so that it survives the end of the machine and not only of the
 * process. On any failure what was at path is still there, and the temporary
 * is gone. */
int pario_document_write(const char *path, const json_t *document,
                         int durable) PARIO_MUST_USE;

/* When the last run began that wrote it: the first, or one that resumed it;
 * NULL: it does not say. */
const char *pario_document_begun(const json_t *document);

/* Adds a warning, or a reason why it is not valid, which is a warning as well;
 * one that is there already is not repeated. */
int pario_document_warn(json_t *document, const char *text) PARIO_MUST_USE;
int pario_document_invalidate(json_t *document,
                              const char *reason) PARIO_MUST_USE;

/* Removes a claimed name or a temporary; NULL: nothing. */
void pario_document_drop(const char *path);

#endif
