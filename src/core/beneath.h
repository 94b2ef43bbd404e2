/* core/beneath.h - files below a directory that is held by its descriptor.
 *
 * A name may come to stand for something else while a run goes on: a
 * directory is renamed, a symbolic link takes its place. What is reached from
 * a descriptor stays the same. Local; errors as errno or negative errno.
 */
#ifndef PARIO_CORE_BENEATH_H
#define PARIO_CORE_BENEATH_H

#include "core/error.h"
#include <stdint.h>
#include <sys/types.h>

/* What tells two files of the same name apart. Birth times are compared where
 * the file system has them: inode numbers are used again. */
struct pario_identity {
    uint64_t device, inode;
    int64_t born_s, born_ns; /* 0: unknown */
    uint32_t mode, uid;
};

/* Of name in the directory, itself and not what it points to; "": of the
 * descriptor. */
int pario_identity_get(int dir, const char *name,
                       struct pario_identity *identity_p) PARIO_MUST_USE;
int pario_identity_same(const struct pario_identity *a,
                        const struct pario_identity *b);

/* As openat(2): a descriptor, or -1 and errno. No symbolic link on the way is
 * followed, and nothing outside dir is reached (ELOOP, EXDEV). */
int pario_beneath_open(int dir, const char *path, int flags, mode_t mode);

/* Removes all that is in the directory, whatever its own name is now. What
 * another file system is mounted on stays. */
int pario_beneath_empty(int dir) PARIO_MUST_USE;

/* A new directory PREFIX-XXXXXX in parent, six random letters, with the mode
 * that umask leaves. Its path goes to path. */
int pario_beneath_make(const char *parent, const char *prefix, char *path,
                       size_t len) PARIO_MUST_USE;

/* Six letters that nobody can guess. */
void pario_random_letters(char letters[7]);

#endif
