/* sieve.h - many small pieces of the file in a few large requests, where a
 * request is dear.
 *
 * Reading takes what lies between the pieces as well. Writing reads that,
 * under a lock of the bytes, and writes it back: where all processes of the job
 * are on one node, or the hint shipio_sieve says so. All writes to such a file
 * take the lock, by whichever handle, so that a window is written back over
 * nothing that another rank wrote meanwhile. At open each rank must see a lock
 * of rank 0's, else no rank sieves; nor does one where the MPI library writes
 * by the shared pointer. A rank that can no longer lock stops all others first,
 * and waits for the windows under way. Another program's unlocked write to a
 * gap would be lost, as with ROMIO. Threads of a process share its locks, so
 * they keep out of each other's bytes first (rawio.c). On local file systems
 * nothing is ever read and written back.
 */
#ifndef SHIPIO_SIEVE_H
#define SHIPIO_SIEVE_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "file.h"

/* Local. True when req is faster that way, and may go it. */
bool shipio_sieve_suits(const struct shipio_file *file,
                        const struct shipio_request *req);
/* Local. The contract of shipio_direct; the caller holds file->alone.lock. */
int shipio_sieve(struct shipio_file *file, const struct shipio_request *req,
                 int64_t *done_p) __attribute__((warn_unused_result));

#endif
