/* rawio.h - whole transfers by system calls: retried, counted, timed. */
#ifndef SHIPIO_RAWIO_H
#define SHIPIO_RAWIO_H

#include <stdint.h>
#include <sys/uio.h>

#include "file.h"

/* All local. Bytes moved: all of them, fewer only at the end of the file
 * (reading); or -errno. */
int64_t shipio_raw_write(struct shipio_file *file, const void *buf, int64_t len,
                         int64_t offset);
int64_t shipio_raw_read(struct shipio_file *file, void *buf, int64_t len,
                        int64_t offset);
/* Waits for a lock (F_RDLCK, F_WRLCK; F_UNLCK gives it back) on these bytes,
 * len 0: on all from offset on. It is the descriptor's, so all threads have it.
 * 0 or -errno. */
int shipio_raw_lock(struct shipio_file *file, short kind, int64_t offset,
                    int64_t len);
/* Bytes [offset, offset + len) of the file, to be changed in memory. */
struct shipio_update {
    char *image; /* room for them */
    int64_t offset;
    int64_t len;
    /* Changes the image; returns how many bytes of it to write back. */
    int64_t (*change)(void *argument, char *image);
    void *argument;
};

/* Nobody but this program writes to the file, and all of it locks. */
bool shipio_raw_may_update(const struct shipio_file *file);
/* Under a lock: reads (zeros behind the end of the file), changes, writes back.
 * 0 or -errno; -ENOLCK, and nothing done, when there are no locks. */
int shipio_raw_update(struct shipio_file *file,
                      const struct shipio_update *update)
    __attribute__((warn_unused_result));
/* Before a write that takes no lock: from now on no rank reads and writes back.
 * 0; -ENOLCK between nodes, where the others cannot be stopped. */
int shipio_raw_stop_updates(struct shipio_file *file)
    __attribute__((warn_unused_result));
/* The vector is used up. */
int64_t shipio_raw_writev(struct shipio_file *file, struct iovec *iov, int n,
                          int64_t offset);
int64_t shipio_raw_readv(struct shipio_file *file, struct iovec *iov, int n,
                         int64_t offset);

#endif
