/* prefetch.h - controlled prefetching of the byte ranges of one access.
 *
 * The file view tells the whole series of accesses beforehand. For each block
 * of the file system it gives one range, from the first to the last byte that
 * will be touched; the policy (policy.h) says when to prefetch and release
 * which, and a driver (driver.h) tells the file system.
 * An agent that reads stripes of a shipped call does the same with what is
 * wanted of its own stripes. Nothing is asked for behind the end of the file or
 * after an error.
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
/* Local. The driver in force, or "none". */
const char *shipio_prefetch_name(const struct shipio_file *file);

/*
 * All local. A series: claim it, name its ranges (by plan from req, or add them
 * in order), begin, then next before each range in order, and end.
 */
/* False when prefetching is of no use, or another thread has a series. */
bool shipio_prefetch_claim(struct shipio_file *file, bool write);
/* Gives a series up before begin. */
void shipio_prefetch_unclaim(struct shipio_file *file);
/* False without memory: unclaim, and go on without. add makes one range for
 * each block. */
bool shipio_prefetch_plan(struct shipio_file *file,
                          const struct shipio_request *req);
bool shipio_prefetch_add(struct shipio_file *file, int64_t start, int64_t len);
void shipio_prefetch_begin(struct shipio_file *file, bool write);
/* The range, or NULL behind the last. */
const struct shipio_range *shipio_prefetch_next(struct shipio_file *file);
/* The rest is not wanted, for an error or the end of the file: releases what
 * was scheduled, asks for nothing more. */
void shipio_prefetch_stop(struct shipio_file *file);
/* After the last, or instead of it. */
void shipio_prefetch_end(struct shipio_file *file);

/* Reads what was added as start and len, range by range; the contract of
 * shipio_raw_read. Stops the series when it cannot read all. */
int64_t shipio_prefetch_read(struct shipio_file *file, char *buf, int64_t start,
                             int64_t len) __attribute__((warn_unused_result));

#endif
