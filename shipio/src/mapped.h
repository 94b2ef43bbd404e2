/* mapped.h - small pieces stored to and read from a mapping of the file.
 *
 * One copy between the program's memory and the page cache, for as many pieces
 * as there are. Stores change no byte beside their own, whoever else writes to
 * the file on this node, and survive the process like written data. Only on
 * local file systems: others keep pages that may be old.
 *
 * A file that is too short grows by the last byte of the request, written
 * first. A page that cannot be had raises SIGBUS, which ends the copying;
 * system calls then do it again and meet the error.
 */
#ifndef SHIPIO_MAPPED_H
#define SHIPIO_MAPPED_H

#include <stdbool.h>

#include "direct.h"
#include "file.h"
#include "map.h"
#include "parts.h"

/* Longer pieces are written by system calls: above, one each is as fast, and
 * does not take a fault for each page that is new. */
#define SHIPIO_MAPPED_PIECE_MAX ((int64_t)4 * 1024 - 1)

/* Local. True when all of req has been moved; false when nothing has, or not
 * all: system calls then do it (again) and find the error, if there is one. */
bool shipio_mapped_access(struct shipio_file *file,
                          const struct shipio_request *req);

/* Pieces of the stripe that starts at begin, their data packed. */
struct shipio_packed {
    int64_t begin;
    int64_t stripe; /* its length */
    const struct shipio_parts *parts;
    const char *data;
};

/* Local. Writes pieces that an agent was sent; the map is the caller's alone.
 * The contract of shipio_mapped_access. */
bool shipio_mapped_parts(struct shipio_file *file, struct shipio_map *map,
                         const struct shipio_packed *packed);

#endif
