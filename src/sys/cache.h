/* sys/cache.h - the page cache: how much of a file is in it, and out with it.
 * Local. cachestat(2) where the kernel has it, else mincore(2). */
#ifndef PARIO_SYS_CACHE_H
#define PARIO_SYS_CACHE_H

#include "core/error.h"
#include <stdint.h>

/* Where data came from or went to, by facts (docs/measuring.md). */
enum pario_cache {
    PARIO_CACHE_UNKNOWN,
    PARIO_CACHE_DISK,
    PARIO_CACHE_MIXED,
    PARIO_CACHE_CACHE,
};
extern const char *const pario_cache_names[]; /* "unknown" "disk" ... */

/* Bytes of the file's range that are in the page cache. len 0: to the end. */
int pario_cache_resident(const char *path, int64_t offset, int64_t len,
                         int64_t *bytes_p) PARIO_MUST_USE;

/* Local. Bytes of the file in pages that the device has yet to see: changed, or
 * on their way. -EOPNOTSUPP where the kernel does not tell. */
int pario_cache_unwritten(const char *path, int64_t *bytes_p) PARIO_MUST_USE;

/* The two ways to find out, of an open file; bare codes without a message.
 * pario_cache_resident takes the second where the first gives -ENOSYS,
 * -EOPNOTSUPP or -EPERM. len > 0. */
int pario_cache_resident_cachestat(int fd, int64_t offset, int64_t len,
                                   int64_t *bytes_p) PARIO_MUST_USE;
int pario_cache_resident_mincore(int fd, int64_t offset, int64_t len,
                                 int64_t *bytes_p) PARIO_MUST_USE;

/* fsync, fadvise(DONTNEED), and where that leaves pages behind and we may,
 * drop_caches; *left_p: bytes still there (tmpfs: all of them). */
int pario_cache_evict(const char *path, int64_t *left_p) PARIO_MUST_USE;

/* Everything that the kernel can forget: pages, names and inodes, of all files
 * of the node. Only root may; a bare code without a message. */
int pario_cache_forget_all(void) PARIO_MUST_USE;

#endif
