/* sieve.c - windows of the file, read whole and written back. */
#include "sieve.h"

#include <errno.h>
#include <stdlib.h>

#include "rawio.h"
#include "walk.h"

#define WINDOW ((int64_t)4 * 1024 * 1024)
#define PIECES_MIN 4
/* Nanoseconds for a byte that is moved in vain. */
#define BYTE_NS 1

/* File bytes from the first to behind the last one of req. */
static struct shipio_extent extent_of(const struct shipio_file *file,
                                      const struct shipio_request *req)
{
    const struct shipio_tiling *view = &file->view->tiling;

    return (struct shipio_extent){
        .low = shipio_tiling_offset(view, req->pos),
        .high = shipio_tiling_end(view, req->pos + req->nbytes)};
}

bool shipio_sieve_suits(const struct shipio_file *file,
                        const struct shipio_request *req)
{
    const struct shipio_tiling *view = &file->view->tiling;
    int64_t cost = shipio_storage_cost(file, req->write);
    int64_t pieces = shipio_tiling_pieces(view, req->pos, req->nbytes);
    struct shipio_extent extent;
    int64_t windows;
    int64_t len;
    double ways = req->write ? 2 : 1;

    if (!file->storage.remote || view->contig || pieces < PIECES_MIN ||
        (!req->write && file->prefetch != NULL) ||
        (req->write && !shipio_raw_may_update(file)) ||
        !shipio_tiling_ordered(view, req->pos, req->nbytes))
        return false;
    extent = extent_of(file, req);
    len = extent.high - extent.low;
    windows = len / WINDOW + 1;
    return ways * ((double)windows * (double)cost + (double)len * BYTE_NS) <
           (double)pieces * (double)cost;
}

/* Reads windows until the file or the request ends. */
static int read_windows(struct shipio_file *file, struct shipio_walk *walk,
                        int64_t high, char *image)
{
    while (shipio_walk_piece(walk, high) > 0) {
        int64_t start = walk->where.off;
        int64_t len = high - start < WINDOW ? high - start : WINDOW;
        int64_t n = shipio_raw_read(file, image, len, start);

        if (n < 0)
            return (int)n;
        (void)shipio_walk_image(walk, image, start, start + n, NULL);
        if (n < len)
            return 0;
    }
    return 0;
}

struct change {
    struct shipio_walk *walk;
    const struct shipio_file *file;
    int64_t start;
    int64_t end;
};

static int64_t lay_over(void *argument, char *image)
{
    struct change *change = argument;
    const struct shipio_request *req = change->walk->req;
    int64_t done;

    (void)shipio_walk_image(change->walk, image, change->start, change->end,
                            NULL);
    done = req->nbytes - change->walk->left;
    return shipio_tiling_end(&change->file->view->tiling, req->pos + done) -
           change->start;
}

static int write_windows(struct shipio_file *file, struct shipio_walk *walk,
                         int64_t high, char *image)
{
    while (shipio_walk_piece(walk, high) > 0) {
        struct change change = {
            .walk = walk, .file = file, .start = walk->where.off};
        int64_t len =
            high - change.start < WINDOW ? high - change.start : WINDOW;
        struct shipio_update update = {.image = image,
                                       .offset = change.start,
                                       .len = len,
                                       .change = lay_over,
                                       .argument = &change};
        int64_t left = walk->left;
        int rc;

        change.end = change.start + len;
        rc = shipio_raw_update(file, &update);
        if (rc != 0) {
            walk->left = left;
            return rc;
        }
    }
    return 0;
}

int shipio_sieve(struct shipio_file *file, const struct shipio_request *req,
                 int64_t *done_p)
{
    int64_t high = extent_of(file, req).high;
    struct shipio_walk walk;
    int rc;

    if (file->alone.window == NULL)
        file->alone.window = malloc((size_t)WINDOW);
    if (file->alone.window == NULL)
        return -ENOMEM;
    shipio_walk_init(&walk, file, req);
    rc = req->write ? write_windows(file, &walk, high, file->alone.window)
                    : read_windows(file, &walk, high, file->alone.window);
    *done_p = req->nbytes - walk.left;
    return rc;
}
