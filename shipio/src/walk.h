/* walk.h - both sides of an access at once: the file by its view, and memory.
 *
 * The two sides may move on at different times: pieces of the file are noted
 * first, say, and their data is copied when it has come. All calls are local.
 */
#ifndef SHIPIO_WALK_H
#define SHIPIO_WALK_H

#include <stdint.h>

#include "direct.h"
#include "parts.h"

struct shipio_walk {
    const struct shipio_request *req;
    struct shipio_cursor where;  /* in the file */
    struct shipio_cursor memory; /* from req->buf on */
    int64_t left;                /* data bytes ahead of where */
};

/* req stays the caller's, and must outlive the walk. */
void shipio_walk_init(struct shipio_walk *walk, const struct shipio_file *file,
                      const struct shipio_request *req);

/* The next contiguous piece of the file, at walk->where.off, as far as it lies
 * below offset end: its length, or 0 when there is none. */
static inline int64_t shipio_walk_piece(struct shipio_walk *walk, int64_t end)
{
    int64_t n;

    if (walk->left == 0)
        return 0;
    n = shipio_cursor_peek(&walk->where);
    if (walk->where.off >= end)
        return 0;
    n = n < walk->left ? n : walk->left;
    return n < end - walk->where.off ? n : end - walk->where.off;
}

/* The file side moves on by len, at most what piece returned. */
static inline void shipio_walk_pass(struct shipio_walk *walk, int64_t len)
{
    shipio_cursor_take(&walk->where, len);
    walk->left -= len;
}

/* The memory side moves on by len bytes, which are copied to data (writing) or
 * from there; data NULL: copies nothing. */
void shipio_walk_copy(struct shipio_walk *walk, char *data, int64_t len);

/* Where pieces of a stripe are noted. */
struct shipio_notes {
    struct shipio_parts *parts;
    int64_t stripe;    /* its length */
    uint64_t *scratch; /* room for its bits */
};

/* The file side moves over the pieces of the stripe that starts at begin, and
 * notes them. */
void shipio_walk_note(struct shipio_walk *walk, int64_t begin,
                      const struct shipio_notes *notes);

/* Both sides move over the pieces below offset end, which are copied to or from
 * image, where offset begin of the file comes first. They are noted as well
 * unless notes is NULL. Returns the bytes. */
int64_t shipio_walk_image(struct shipio_walk *walk, char *image, int64_t begin,
                          int64_t end, const struct shipio_notes *notes);

#endif
