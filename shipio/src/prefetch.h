/* prefetch.h - controlled prefetching of the byte ranges of one access.
 *
 * The file view tells the whole series of accesses beforehand. For each block
 * of the file system it gives one range, from the first to the last byte that
 * will be touched; the policy (policy.h) says when to prefetch and release
 * which, and a driver (driver.h) tells the file system.
 */
#ifndef SHIPIO_PREFETCH_H
#define SHIPIO_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "driver.h"
#include "file.h"

/* Local. Without SHIPIO_MAX_ACC, or a driver that works, file->prefetch stays
 * NULL; the other calls then must not be made. */
void shipio_prefetch_open(struct shipio_file *file);
void shipio_prefetch_close(struct shipio_file *file);

/* Local. True when an access is long enough for prefetching to be of use. */
bool shipio_prefetch_wanted(const struct shipio_file *file, bool write);

/* Local. Starts a series: the ranges of req, or (empty them first) ranges
 * added one by one. False without memory: go on without. */
bool shipio_prefetch_plan(struct shipio_file *file,
                          const struct shipio_request *req);
void shipio_prefetch_clear(struct shipio_file *file);
bool shipio_prefetch_add(struct shipio_file *file, int64_t start, int64_t len);
void shipio_prefetch_begin(struct shipio_file *file, bool write);
/* Before each range, in order; the range, or NULL behind the last. */
const struct shipio_range *shipio_prefetch_next(struct shipio_file *file);
/* After the last. */
void shipio_prefetch_end(struct shipio_file *file);

#endif
