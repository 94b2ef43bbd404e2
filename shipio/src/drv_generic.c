/* drv_generic.c - posix_fadvise, on any file system. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "driver.h"

struct generic {
    int fd;
};

static int generic_open(int fd, int64_t block, void **ctx_p)
{
    struct generic *g = malloc(sizeof(*g));

    (void)block;
    if (g == NULL)
        return -ENOMEM;
    g->fd = fd;
    *ctx_p = g;
    return 0;
}

static int generic_advise(void *ctx, const struct shipio_range *acc, int n_acc,
                          const struct shipio_range *rel, int n_rel, bool write)
{
    const struct generic *g = ctx;

    (void)write;
    for (int i = 0; i < n_rel; i++)
        (void)posix_fadvise(g->fd, rel[i].start, rel[i].len,
                            POSIX_FADV_DONTNEED);
    for (int i = 0; i < n_acc; i++)
        if (posix_fadvise(g->fd, acc[i].start, acc[i].len,
                          POSIX_FADV_WILLNEED) != 0)
            return i;
    return n_acc;
}

static void generic_close(void *ctx)
{
    free(ctx);
}

const struct shipio_driver shipio_driver_generic = {
    .name = "generic",
    .for_writes = false,
    .open = generic_open,
    .advise = generic_advise,
    .close = generic_close,
};
