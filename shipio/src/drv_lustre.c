/* drv_lustre.c - ladvise of liblustreapi, found at run time. */
#include <errno.h>
#include <stdlib.h>

#include "driver.h"
#include "lustre.h"

#define ADVICE_WILLREAD 1
#define ADVICE_DONTNEED 2
#define FLAG_ASYNC 1ull

/* One piece of advice, as llapi_ladvise takes it. */
struct advice {
    uint16_t kind;
    uint16_t value1;
    uint32_t value2;
    uint64_t start;
    uint64_t end;
    uint32_t value3;
    uint32_t value4;
};

struct lustre {
    int fd;
    int (*ladvise)(int fd, unsigned long long flags, int n, struct advice *a);
};

static int lustre_open(int fd, int64_t block, void **ctx_p)
{
    struct lustre *l = calloc(1, sizeof(*l));

    (void)block;
    if (l == NULL)
        return -ENOMEM;
    l->fd = fd;
    shipio_lustre_find("llapi_ladvise", &l->ladvise);
    if (l->ladvise == NULL) {
        free(l);
        return -ENOSYS;
    }
    *ctx_p = l;
    return 0;
}

static int give(struct lustre *l, const struct shipio_range *ranges, int n,
                uint16_t kind)
{
    for (int i = 0; i < n; i++) {
        struct advice advice = {
            .kind = kind,
            .start = (uint64_t)ranges[i].start,
            .end = (uint64_t)(ranges[i].start + ranges[i].len)};

        if (l->ladvise(l->fd, FLAG_ASYNC, 1, &advice) != 0)
            return i;
    }
    return n;
}

static int lustre_advise(void *ctx, const struct shipio_range *acc, int n_acc,
                         const struct shipio_range *rel, int n_rel, bool write)
{
    (void)write;
    (void)give(ctx, rel, n_rel, ADVICE_DONTNEED);
    return give(ctx, acc, n_acc, ADVICE_WILLREAD);
}

static void lustre_close(void *ctx)
{
    free(ctx);
}

const struct shipio_driver shipio_driver_lustre = {
    .name = "lustre",
    .for_writes = false,
    .open = lustre_open,
    .advise = lustre_advise,
    .close = lustre_close,
};
