/* mapped.c - copies between memory and a mapping of the file. */
#include "mapped.h"

#include <errno.h>
#include <string.h>

#include "map.h"
#include "rawio.h"
#include "walk.h"

#define READ_PIECE_MAX ((int64_t)16 * 1024)
/* Pieces closer together than this touch every page between them. */
#define PAGE_LEN ((int64_t)4096)
/* Fewer than this many pieces are not worth the look at the file's length, and
 * the pages that a process meets for the first time. */
#define PIECES_MIN 4

struct copy {
    const struct shipio_file *file;
    const struct shipio_request *req;
};

static void copy_all(void *argument)
{
    const struct copy *copy = argument;
    struct shipio_walk walk;

    shipio_walk_init(&walk, copy->file, copy->req);
    (void)shipio_walk_image(&walk, copy->file->alone.map.mem, 0, INT64_MAX,
                            NULL);
}

static bool suits(const struct shipio_file *file,
                  const struct shipio_request *req)
{
    const struct shipio_tiling *view = &file->view->tiling;
    int64_t most = req->write ? SHIPIO_MAPPED_PIECE_MAX : READ_PIECE_MAX;

    if (file->storage.remote || !file->hints.map || view->contig ||
        file->prefetch != NULL || view->node->size / view->node->nseg > most ||
        !shipio_tiling_ordered(view, req->pos, req->nbytes))
        return false;
    return shipio_tiling_pieces(view, req->pos, req->nbytes) >= PIECES_MIN;
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
    int rc = shipio_map_prepare(file, &file->alone.map, high, req->write);

    if (rc == -ENODATA && req->write && extend(file, req))
        rc = shipio_map_prepare(file, &file->alone.map, high, true);
    if (rc != 0)
        return false;
    if (req->write && high - low <= PAGE_LEN * shipio_tiling_pieces(
                                                   view, req->pos, req->nbytes))
        shipio_map_populate(&file->alone.map, low, high);
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
    file->alone.map.written |= req->write;
    shipio_count(&file->stats, SHIPIO_N_FILE_BYTES, req->nbytes);
    shipio_count(&file->stats, SHIPIO_N_MODE_MAPPED, 1);
    return true;
}

/* Pieces and where they are stored. */
struct store {
    const struct shipio_packed *packed;
    char *image; /* of the stripe */
};

static void store_all(void *argument)
{
    const struct store *store = argument;
    const struct shipio_packed *packed = store->packed;
    const char *data = packed->data;
    struct shipio_parts_walk walk;

    shipio_parts_walk_init(&walk, packed->parts, packed->stripe);
    while (shipio_parts_walk_next(&walk)) {
        memcpy(store->image + walk.start, data, (size_t)walk.len);
        data += walk.len;
    }
}

/* The last byte goes by a system call: the file is long enough then, and shows
 * that it was changed. */
static bool write_last(struct shipio_file *file,
                       const struct shipio_packed *packed, int64_t end)
{
    return shipio_raw_write(file, packed->data + packed->parts->nbytes - 1, 1,
                            end - 1) == 1;
}

bool shipio_mapped_parts(struct shipio_file *file, struct shipio_map *map,
                         const struct shipio_packed *packed)
{
    struct store store = {.packed = packed};
    struct shipio_parts_walk walk;
    int64_t pieces = 0;
    int64_t end = 0;

    if (file->storage.remote || !file->hints.map)
        return false;
    shipio_parts_walk_init(&walk, packed->parts, packed->stripe);
    for (; shipio_parts_walk_next(&walk); pieces++)
        end = packed->begin + walk.start + walk.len;
    if (pieces < PIECES_MIN ||
        packed->parts->nbytes / pieces > SHIPIO_MAPPED_PIECE_MAX ||
        !write_last(file, packed, end) ||
        shipio_map_prepare(file, map, end, true) != 0)
        return false;
    store.image = map->mem + packed->begin;
    return shipio_map_guarded(store_all, &store);
}
