/* core/owned.h - one file or directory that a run made. Local. */
#ifndef PARIO_CORE_OWNED_H
#define PARIO_CORE_OWNED_H

#include "core/beneath.h"

enum pario_owned_kind {
    PARIO_OWNED_FILE = 'f',
    PARIO_OWNED_TREE = 't',
    PARIO_OWNED_KEPT = 'k', /* a tree that stays */
};

struct pario_owned {
    char kind;
    int known;  /* 0: a file that was not there yet */
    int parent; /* descriptor of the directory that holds it */
    int fd;     /* of a tree; -1: a file */
    struct pario_identity identity;
    char *path; /* absolute */
    struct pario_owned *next;
};

/* Looks at what is there now and holds it; path is copied. */
int pario_owned_note(enum pario_owned_kind kind, const char *path,
                     struct pario_owned **owned_p) PARIO_MUST_USE;
/* Makes the directory of that path, which must be new (-EEXIST), with the mode
 * that umask leaves, and holds it. It was made and opened in one parent; what
 * has taken its place meanwhile is refused: -ESTALE. */
int pario_owned_make(enum pario_owned_kind kind, const char *path,
                     struct pario_owned **owned_p) PARIO_MUST_USE;
/* Removes the thing itself; -ESTALE: something else has its name. */
int pario_owned_remove(const struct pario_owned *owned) PARIO_MUST_USE;
/* Shared memory that Open MPI leaves when a job is killed: of this job. */
void pario_leftovers_remove(void);
/* Closes and frees. */
void pario_owned_drop(struct pario_owned *owned);

#endif
