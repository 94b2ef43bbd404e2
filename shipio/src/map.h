/* map.h - a mapping of the file, kept while the file is open.
 *
 * A mapped page that cannot be had (bad sector, no space left, file cut short
 * meanwhile) raises SIGBUS. A guard turns that into an error here; accesses
 * elsewhere keep the behaviour they had. While a program has a handler of its
 * own for SIGBUS installed after ours, nothing is accessed through mappings.
 */
#ifndef SHIPIO_MAP_H
#define SHIPIO_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct shipio_file;

struct shipio_map {
    char *mem;   /* the file's bytes from 0 on; NULL: none */
    int64_t len; /* may reach behind the end of the file */
    bool writable;
    bool never_writable; /* tried in vain */
    bool written;        /* since the file's time of change was last set */
    int64_t ready_low;   /* pages of [low, high) have been asked for */
    int64_t ready_high;
};

/* All local. Makes bytes [0, end) of the file accessible at map->mem; map is
 * the file's own or one that only its caller uses. 0; -ENODATA when the file is
 * shorter; another error when it cannot be mapped. */
int shipio_map_prepare(struct shipio_file *file, struct shipio_map *map,
                       int64_t end, bool write)
    __attribute__((warn_unused_result));
/* Asks for the pages of [low, high), which must lie within the mapped file,
 * all at once: cheaper than one by one when first touched. */
void shipio_map_populate(struct shipio_map *map, int64_t low, int64_t high);
/* Runs copy(argument) under the guard; false when it hit a bad page. */
bool shipio_map_guarded(void (*copy)(void *), void *argument);
/* The file shows that it was changed: stores do not do that everywhere. */
void shipio_map_stamp(struct shipio_file *file);
void shipio_map_close(struct shipio_map *map);
/* A thread of shipio's own that copies under the guard needs its signal. */
void shipio_map_admit_signal(void);

#endif
