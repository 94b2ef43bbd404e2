/* io/uring_names.h - calls on names (open, stat, rename ...) through io_uring,
 * several under way. Local; bare codes. */
#ifndef PARIO_IO_URING_NAMES_H
#define PARIO_IO_URING_NAMES_H

#include "core/error.h"
#include <stddef.h>

enum pario_name_op {
    PARIO_NAME_OPEN, /* with flags; the result is the descriptor */
    PARIO_NAME_WRITE,
    PARIO_NAME_READ, /* at the beginning; the result is the length */
    PARIO_NAME_CLOSE,
    PARIO_NAME_STAT, /* buf is a struct statx */
    PARIO_NAME_RENAME,
    PARIO_NAME_LINK,
    PARIO_NAME_SYMLINK, /* other points to name */
    PARIO_NAME_UNLINK,
    PARIO_NAME_MKDIR,
    PARIO_NAME_RMDIR,
};

/* Names are relative to dir and may change once the call is under way; buf may
 * not. tag comes back with the result. */
struct pario_name_call {
    enum pario_name_op op;
    int dir, fd, flags;
    const char *name, *other;
    void *buf;
    unsigned len;
    void *tag;
};

struct pario_name_queue;

/* A message where it fails. The caller owns *queue_p. */
int pario_name_queue_open(unsigned depth,
                          struct pario_name_queue **queue_p) PARIO_MUST_USE;
void pario_name_queue_close(struct pario_name_queue *queue); /* NULL: nothing */
/* At most depth calls are put before they have ended. */
void pario_name_queue_put(struct pario_name_queue *queue,
                          const struct pario_name_call *call);
/* Sends what was put, and waits until one call has ended. */
int pario_name_queue_wait(struct pario_name_queue *queue) PARIO_MUST_USE;
/* Takes one that has ended: 1; or 0. */
int pario_name_queue_take(struct pario_name_queue *queue, void **tag_p,
                          int *result_p);

#endif
