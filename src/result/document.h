/* result/document.h - the file of a result: its name, and how it is replaced.
 * Private to src/result. Local. */
#ifndef PARIO_RESULT_DOCUMENT_H
#define PARIO_RESULT_DOCUMENT_H

#include "core/error.h"
#include <jansson.h>

#define PARIO_SCHEMA "pario-result/1"

/* Where a document is written, again and again. */
struct pario_claim {
    char *path;
    int held;    /* descriptor of the file that alone may be replaced there; -1:
                    whatever has the name (--force) */
    int claimed; /* an empty file holds the name, nothing is written yet */
};
#define PARIO_CLAIM_NONE ((struct pario_claim){.held = -1})

/* Takes the name of a new document. path NULL: pario-<suite>-<UTC>.json in the
 * current directory, with -2, -3 ... where that is taken. With force an
 * existing regular file stays as it is until the first write. */
int pario_document_claim(const char *suite, const char *path, int force,
                         struct pario_claim *place) PARIO_MUST_USE;

/* The place of a document that exists, which alone may be replaced there. */
int pario_document_reclaim(const char *path,
                           struct pario_claim *place) PARIO_MUST_USE;

/* Writes to a temporary name in the same directory and renames; durable: and
 * syncs, so that it survives the end of the machine and not only of the
 * process. On any failure what was at path is still there, and the temporary
 * is gone. -ESTALE: something else has taken the name, and stays; the place is
 * now a new name beside it, as the message says, for the next write. */
int pario_document_write(struct pario_claim *place, const json_t *document,
                         int durable) PARIO_MUST_USE;

/* When the last run began that wrote it: the first, or one that resumed it;
 * NULL: it does not say. */
const char *pario_document_begun(const json_t *document);

/* Adds a warning, or a reason why it is not valid, which is a warning as well;
 * one that is there already is not repeated. */
int pario_document_warn(json_t *document, const char *text) PARIO_MUST_USE;
int pario_document_invalidate(json_t *document,
                              const char *reason) PARIO_MUST_USE;

/* Gives a name back that was claimed and not written to, and frees. */
void pario_document_leave(struct pario_claim *place);

#endif
