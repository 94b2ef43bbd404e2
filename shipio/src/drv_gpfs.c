/* drv_gpfs.c - gpfs_fcntl: multiple access ranges.
 *
 * The library is looked up at run time; the layouts below are those of its
 * documented interface, version 1.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#define FCNTL_VERSION 1
#define TYPE_MULTIPLE_ACCESS_RANGE 1003
#define RANGES_MAX 8

struct header {
    int total_len;
    int version;
    int error_offset;
    int reserved;
};

struct byte_range {
    long long block;
    int start; /* within the block */
    int len;
    int is_write;
    char padding[4];
};

struct access_ranges {
    struct header header;
    int struct_len;
    int struct_type;
    int n_acc; /* in: given; out: accepted, the first ones */
    int n_rel;
    struct byte_range acc[RANGES_MAX];
    struct byte_range rel[RANGES_MAX];
};

struct gpfs {
    int fd;
    int64_t block;
    void *library;
    int (*fcntl)(int fd, void *argument);
};

static void head_init(struct header *header, size_t len)
{
    header->total_len = (int)len;
    header->version = FCNTL_VERSION;
}

static int gpfs_open(int fd, int64_t block, void **ctx_p)
{
    struct gpfs *g = calloc(1, sizeof(*g));

    if (g == NULL)
        return -ENOMEM;
    g->fd = fd;
    g->block = block;
    g->library = dlopen("libgpfs.so", RTLD_NOW | RTLD_LOCAL);
    if (g->library != NULL) {
        /* POSIX wants this detour from data to function pointer. */
        void *symbol = dlsym(g->library, "gpfs_fcntl");

        memcpy(&g->fcntl, &symbol, sizeof(symbol));
    }
    if (g->fcntl == NULL) {
        if (g->library != NULL)
            dlclose(g->library);
        free(g);
        return -ENOSYS;
    }
    *ctx_p = g;
    return 0;
}

static void fill(const struct gpfs *g, struct byte_range *to,
                 const struct shipio_range *from, int n, bool write)
{
    for (int i = 0; i < n; i++) {
        to[i].block = from[i].start / g->block;
        to[i].start = (int)(from[i].start % g->block);
        to[i].len = (int)from[i].len;
        to[i].is_write = write;
    }
}

static int gpfs_advise(void *ctx, const struct shipio_range *acc, int n_acc,
                       const struct shipio_range *rel, int n_rel, bool write)
{
    struct gpfs *g = ctx;
    int granted = 0;

    do {
        struct access_ranges arg;
        int acc_now = n_acc < RANGES_MAX ? n_acc : RANGES_MAX;
        int rel_now = n_rel < RANGES_MAX ? n_rel : RANGES_MAX;

        memset(&arg, 0, sizeof(arg));
        head_init(&arg.header, sizeof(arg));
        arg.struct_len = (int)(sizeof(arg) - sizeof(arg.header));
        arg.struct_type = TYPE_MULTIPLE_ACCESS_RANGE;
        arg.n_acc = acc_now;
        arg.n_rel = rel_now;
        fill(g, arg.acc, acc, acc_now, write);
        fill(g, arg.rel, rel, rel_now, write);
        if (g->fcntl(g->fd, &arg) != 0)
            return granted;
        granted += arg.n_acc;
        rel += rel_now;
        n_rel -= rel_now;
        acc += acc_now;
        n_acc -= acc_now;
        /* Ranges follow the first one that was refused: stop asking. */
        if (arg.n_acc < acc_now)
            n_acc = 0;
    } while (n_acc > 0 || n_rel > 0);
    return granted;
}

static void gpfs_close(void *ctx)
{
    struct gpfs *g = ctx;

    dlclose(g->library);
    free(g);
}

const struct shipio_driver shipio_driver_gpfs = {
    .name = "gpfs",
    .for_writes = true,
    .open = gpfs_open,
    .advise = gpfs_advise,
    .close = gpfs_close,
};
