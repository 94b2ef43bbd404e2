/* core/loss.h - a process that did not end in order: what its janitor says.
 *
 * The janitor of a process that was killed leaves a note in the run's
 * directory; that of rank 0 waits a moment for such notes, and the document
 * gets the reason. Runs in the janitor, which has nothing to print to.
 */
#ifndef PARIO_CORE_LOSS_H
#define PARIO_CORE_LOSS_H

#include "core/owned.h"
#include <limits.h>

#define PARIO_REASON_LEN 512
#define PARIO_BEGUN_LEN 64

struct pario_loss {
    int ended;                     /* in order: there is no loss */
    int rank;                      /* -1: never known */
    char document[PATH_MAX];       /* rank 0 */
    char begun[PARIO_BEGUN_LEN];   /* when this run of the document began */
    char reason[PARIO_REASON_LEN]; /* "": it was killed without a word */
};

/* What layers above know and can do. Set before the janitor is started. */
struct pario_loss_hooks {
    /* Appends what the system says about a process that was killed. */
    void (*explain)(char *text, size_t len);
    /* Writes the reason into the document, which is not valid, if the run
     * that began then is still the last that wrote it. */
    void (*record)(const char *document, const char *begun, const char *reason);
};
void pario_loss_hooks_set(const struct pario_loss_hooks *hooks);

/* In the janitor, before it removes what is in the list. */
void pario_loss_report(struct pario_loss *loss, const struct pario_owned *list);

#endif
