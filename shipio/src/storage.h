/* storage.h - what the file lies on, and what a request to it costs beside the
 * moving of its bytes.
 *
 * On local file systems next to nothing: the page cache answers. On others by
 * the kind of file system at first, half a millisecond, then as the file's own
 * requests show. Pieces that move in less than twice that are shipped: below
 * 16 KiB in the page cache, some MiB where a request takes a millisecond.
 */
#ifndef SHIPIO_STORAGE_H
#define SHIPIO_STORAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "seg.h"

struct shipio_file;

/* By each rank's own mount, unless it says agreed. */
struct shipio_storage {
    bool local;  /* a file system that keeps its own cache */
    bool remote; /* agreed: not local on some rank */
    bool nfs;
    bool tmpfs;
    bool striped;   /* its stripes lie on targets of their own */
    int targets;    /* so many; 0: not known */
    bool in_place;  /* rewriting needs no new blocks */
    int64_t block;  /* agreed: preferred block size of the file system */
    int64_t stripe; /* of the file system, or block again */
    int64_t size_at_open;
    struct shipio_extent allocated; /* bytes known to have their blocks */
    _Atomic int64_t cost_ns[2];     /* of reads and writes; 0: none seen yet */
};

/* All local. Notes what is there; st is of fd, a regular file. */
void shipio_storage_look(struct shipio_storage *storage, int fd,
                         const struct stat *st);
/* A request has taken so long. */
void shipio_storage_note(struct shipio_storage *storage, int write,
                         int64_t nbytes, double seconds);
/* Nanoseconds that a request costs, whatever its length. */
int64_t shipio_storage_cost(const struct shipio_file *file, int write);
/* Pieces below this length are worth a copy through an agent's buffer, where a
 * request costs so much. */
int64_t shipio_storage_piece_max(int64_t cost_ns);

#endif
