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
    int mounted; /* something is mounted here, as far as the kernel says */
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

/* As unlinkat(2) and mkdirat(2), in the same way. */
int pario_beneath_unlink(int dir, const char *path);
int pario_beneath_mkdir(int dir, const char *path, mode_t mode);

/* As renameat2(2): out of dir, to any name. */
int pario_beneath_rename(int dir, const char *path, const char *to,
                         unsigned flags);

/* Removes all that is in the directory, whatever its own name is now. What
 * something is mounted on stays, another part of the same file system too. */
int pario_beneath_empty(int dir) PARIO_MUST_USE;

/* 1: nothing is in the directory, 0: something is, or a negative error. */
int pario_beneath_is_empty(int dir) PARIO_MUST_USE;

/* Six letters that nobody can guess. */
void pario_random_letters(char letters[7]);

#endif
