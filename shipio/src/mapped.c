/* mapped.c - copies between memory and a mapping of the file. */
#include "mapped.h"

#include <errno.h>

#include "map.h"
#include "rawio.h"
#include "walk.h"

#define READ_PIECE_MAX ((int64_t)16 * 1024)
/* Pieces closer together than this touch every page between them. */
#define PAGE_LEN ((int64_t)4096)
/* Fewer than this many pieces are not worth the look at the file's length. */
#define WRITE_PIECES_MIN 4

struct copy {
    const struct shipio_file *file;
    const struct shipio_request *req;
};

static void copy_all(void *argument)
{
    const struct copy *copy = argument;
    struct shipio_walk walk;

    shipio_walk_init(&walk, copy->file, copy->req);
    (void)shipio_walk_image(&walk, copy->file->map.mem, 0, INT64_MAX, NULL);
}

static bool suits(const struct shipio_file *file,
                  const struct shipio_request *req)
{
    const struct shipio_tiling *view = &file->view->tiling;
    int64_t most = req->write ? SHIPIO_MAPPED_PIECE_MAX : READ_PIECE_MAX;

    if (file->network_fs || !file->hints.map || view->contig ||
        file->prefetch != NULL || view->node->size / view->node->nseg > most ||
        !shipio_tiling_ordered(view, req->pos, req->nbytes))
        return false;
    return !req->write || shipio_tiling_pieces(view, req->pos, req->nbytes) >=
                              WRITE_PIECES_MIN;
}

/* The last byte of the request, written first, makes the file long enough;
 * unlike ftruncate it never cuts off what another has written meanwhile. */
static bool extend(struct shipio_file *file, const struct shipio_request *req)
{
    int64_t last = req->nbytes - 1;
    struct shipio_cursor memory;

    shipio_cursor_init(&memory, &req->memory, last);
    return shipio_raw_write(
               file, req->buf + memory.off, 1,
               shipio_tiling_offset(&file->view->tiling, req->pos + last)) == 1;
}

static bool prepare(struct shipio_file *file, const struct shipio_request *req)
{
    const struct shipio_tiling *view = &file->view->tiling;
    int64_t low = shipio_tiling_offset(view, req->pos);
    int64_t high = shipio_tiling_end(view, req->pos + req->nbytes);
    int rc = shipio_map_prepare(file, high, req->write);

    if (rc == -ENODATA && req->write && extend(file, req))
        rc = shipio_map_prepare(file, high, true);
    if (rc != 0)
        return false;
    if (req->write && high - low <= PAGE_LEN * shipio_tiling_pieces(
                                                   view, req->pos, req->nbytes))
        shipio_map_populate(file, low, high);
    return true;
}

bool shipio_mapped_access(struct shipio_file *file,
                          const struct shipio_request *req)
{
    struct copy copy = {.file = file, .req = req};
    double start;
    bool good;

    if (!suits(file, req))
        return false;
    start = shipio_stats_now(&file->stats);
    good = prepare(file, req) && shipio_map_guarded(copy_all, &copy);
    shipio_stats_since(&file->stats, SHIPIO_T_FILE, start);
    if (!good)
        return false;
    file->map.written |= req->write;
    shipio_count(&file->stats, SHIPIO_N_FILE_BYTES, req->nbytes);
    shipio_count(&file->stats, SHIPIO_N_MODE_MAPPED, 1);
    return true;
}
