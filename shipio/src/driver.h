/* driver.h - what a file system can do about prefetching.
 *
 * One const table for each file system. fd is the file's, ctx what open gave.
 */
#ifndef SHIPIO_DRIVER_H
#define SHIPIO_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that one block of the file holds for an access. */
struct shipio_range {
    int64_t start;
    int64_t len;
    int64_t nbytes; /* data bytes of the access in it */
};

struct shipio_driver {
    const char *name; /* as the user types it in SHIPIO_DRIVER */
    bool for_writes;  /* worth calling for writes, too */
    /* Local. 0 or -errno: the driver is then not used. block is the size of
     * the file system's blocks. */
    int (*open)(int fd, int64_t block, void **ctx_p);
    /* Local. Releases n_rel ranges, schedules n_acc; how many of the latter
     * were accepted. */
    int (*advise)(void *ctx, const struct shipio_range *acc, int n_acc,
                  const struct shipio_range *rel, int n_rel, bool write);
    void (*close)(void *ctx);
};

extern const struct shipio_driver shipio_driver_generic;
extern const struct shipio_driver shipio_driver_gpfs;
extern const struct shipio_driver shipio_driver_lustre;

#endif
