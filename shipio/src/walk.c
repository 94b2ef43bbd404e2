/* walk.c - pieces of a view and of memory, hand in hand. */
#include "walk.h"

#include <string.h>

void shipio_walk_init(struct shipio_walk *walk, const struct shipio_file *file,
                      const struct shipio_request *req)
{
    walk->req = req;
    walk->left = req->nbytes;
    if (req->nbytes == 0)
        return;
    shipio_cursor_init(&walk->where, &file->view->tiling, req->pos);
    shipio_cursor_init(&walk->memory, &req->memory, 0);
}

void shipio_walk_copy(struct shipio_walk *walk, char *data, int64_t len)
{
    const struct shipio_request *req = walk->req;
    struct shipio_cursor *memory = &walk->memory;

    while (len > 0) {
        int64_t n = shipio_cursor_peek(memory);

        n = n < len ? n : len;
        if (data != NULL && req->write)
            memcpy(data, req->buf + memory->off, (size_t)n);
        else if (data != NULL)
            memcpy(req->buf + memory->off, data, (size_t)n);
        shipio_cursor_take(memory, n);
        data = data != NULL ? data + n : NULL;
        len -= n;
    }
}

static void note(const struct shipio_notes *notes, int64_t start, int64_t len)
{
    shipio_parts_add(notes->parts, notes->stripe, notes->scratch, start, len);
}

void shipio_walk_note(struct shipio_walk *walk, int64_t begin,
                      const struct shipio_notes *notes)
{
    int64_t end = begin + notes->stripe;
    int64_t n;

    shipio_parts_reset(notes->parts);
    while ((n = shipio_walk_piece(walk, end)) > 0) {
        note(notes, walk->where.off - begin, n);
        shipio_walk_pass(walk, n);
    }
}

int64_t shipio_walk_image(struct shipio_walk *walk, char *image, int64_t begin,
                          int64_t end, const struct shipio_notes *notes)
{
    int64_t before = walk->left;
    int64_t n;

    if (notes != NULL)
        shipio_parts_reset(notes->parts);
    while ((n = shipio_walk_piece(walk, end)) > 0) {
        int64_t start = walk->where.off - begin;

        shipio_walk_copy(walk, image + start, n);
        shipio_walk_pass(walk, n);
        if (notes != NULL)
            note(notes, start, n);
    }
    return before - walk->left;
}
