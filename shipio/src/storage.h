/* storage.h - what a request to the file costs beside the moving of its bytes.
 *
 * On local file systems next to nothing: the page cache answers. On others by
 * the kind of file system at first, then as the file's own requests show.
 */
#ifndef SHIPIO_STORAGE_H
#define SHIPIO_STORAGE_H

#include <stdatomic.h>
#include <stdint.h>

struct shipio_file;

struct shipio_storage {
    _Atomic int64_t cost_ns[2]; /* of reads and writes; 0: none seen yet */
};

/* All local. A request has taken so long. */
void shipio_storage_note(struct shipio_storage *storage, int write,
                         int64_t nbytes, double seconds);
/* Nanoseconds that a request costs, whatever its length. */
int64_t shipio_storage_cost(const struct shipio_file *file, int write);
/* Pieces below this length are worth a copy through an agent's buffer, where a
 * request costs so much. */
int64_t shipio_storage_piece_max(int64_t cost_ns);

#endif
