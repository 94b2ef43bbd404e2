/* core/output.h - the only place where files are opened for writing, besides
 * the data of a run in its own directory (pario_own_open). Local.
 *
 * A file that exists is never changed unless its user said --force. A new one
 * is made exclusively; one that is replaced stays as it was until all of the
 * new one is there, under a name that nobody can guess. No symbolic link is
 * followed but one that the user made himself and named with --force.
 */
#ifndef PARIO_CORE_OUTPUT_H
#define PARIO_CORE_OUTPUT_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* To an open stream; name stands for it in messages. */
int pario_output_stream(FILE *out, const char *name, const char *text,
                        size_t len) PARIO_MUST_USE;

/* Writes to out, which becomes the file of that name. */
typedef int pario_output_writer(void *context, FILE *out, const char *path);
/* One that was begun and could not be finished is removed. */
int pario_output_write(const char *path, int force, pario_output_writer *write,
                       void *context) PARIO_MUST_USE;
int pario_output_file(const char *path, int force, const char *text,
                      size_t len) PARIO_MUST_USE;
/* What a command has made in memory: to the file, or without a path to the
 * standard output. */
int pario_output_made(const char *path, int force, const char *text,
                      size_t len) PARIO_MUST_USE;

/* Takes a name before a long run: makes an empty file, or with force finds
 * out that the one that is there can be replaced. Then a write with force,
 * which keeps a file that has taken the name meanwhile (-ESTALE) unless the
 * claim had force, too. */
int pario_output_claim(const char *path, int force) PARIO_MUST_USE;

/* A descriptor that keeps the file apart from every other, without opening it:
 * an inode that is held is not used again. One that *held_p has is closed. */
int pario_output_hold(const char *path, int *held_p) PARIO_MUST_USE;
/* Has something else come to the name? held -1: it may. A file that is gone
 * harms nothing. */
int pario_output_is_taken(const char *path, int held);

/* A bare descriptor of a new file: -EEXIST and so on without a message. */
int pario_output_create(const char *path) PARIO_MUST_USE;

/* The file that stands behind path, to be replaced: a regular one. The caller
 * frees *real_p. */
int pario_output_resolve(const char *path, char **real_p) PARIO_MUST_USE;

/* A new file PREFIX-XXXXXX; its name goes to name. A descriptor, or a negative
 * error without a message. */
int pario_output_temporary(const char *prefix, char *name,
                           size_t len) PARIO_MUST_USE;

/* What replaces a file gets its mode, if it is a file of the same user's:
 * anybody can give his own file any mode. Never set-user-ID and the like. */
int pario_output_keep_mode(int fd, const char *path) PARIO_MUST_USE;

/* Opens a regular file that others write to as well, or makes it; through no
 * symbolic link. */
int pario_output_shared(const char *path, int *fd_p) PARIO_MUST_USE;
/* Opens a regular file to append to it, or makes it, and locks it against
 * other runs until the descriptor is closed: waits for them for a while. */
int pario_output_append(const char *path, int *fd_p) PARIO_MUST_USE;
/* The same file for another process of the run, which holds the lock. */
int pario_output_join(const char *path, int *fd_p) PARIO_MUST_USE;

/* A stream to a file in a directory of the run's own, new or emptied; NULL
 * and errno. */
FILE *pario_own_stream(const char *path);

#endif
