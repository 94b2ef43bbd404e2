/* map.h - reading through a mapping of the file.
 *
 * A mapped page that cannot be read (bad sector, file cut short meanwhile)
 * raises SIGBUS. A guard turns that into an error here; accesses elsewhere
 * keep the behaviour they had. While a program has a handler of its own for
 * SIGBUS installed after ours, nothing is read through mappings.
 */
#ifndef SHIPIO_MAP_H
#define SHIPIO_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shipio_file;

/* Local. Makes bytes [0, end) of the file readable at file->map; false when
 * the file is shorter, or cannot be mapped. */
bool shipio_map_prepare(struct shipio_file *file, int64_t end);
/* Local. Runs copy(argument) under the guard; false when it hit a bad page. */
bool shipio_map_guarded(void (*copy)(void *), void *argument);
void shipio_map_close(struct shipio_file *file);

#endif
