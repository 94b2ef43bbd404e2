/* prefetch.c - ranges of an access, and calls to the driver. */
#include "prefetch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "lustre.h"
#include "policy.h"
#include "rawio.h"

#define GPFS_MAGIC 0x47504653
/* Local file systems have blocks too small to be worth a call each. */
#define BLOCK_MIN ((int64_t)128 * 1024)

struct shipio_prefetch {
    const struct shipio_driver *driver;
    void *ctx;
    int64_t block;
    struct shipio_policy policy;
    struct shipio_range *ranges;
    int64_t n;
    int64_t room;
    int64_t batch_end; /* ranges taken by the policy end here */
    int64_t current;
    bool write;
    atomic_flag busy; /* a series is under way, by one thread */
};

static const struct shipio_driver *choose(const struct shipio_file *file)
{
    static const struct shipio_driver *const all[] = {
        &shipio_driver_generic, &shipio_driver_gpfs, &shipio_driver_lustre};
    const char *name = getenv("SHIPIO_DRIVER");
    struct statfs fs;

    for (size_t i = 0; name != NULL && i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(name, all[i]->name) == 0)
            return all[i];
    if (fstatfs(file->fd, &fs) == 0) {
        if (fs.f_type == GPFS_MAGIC)
            return &shipio_driver_gpfs;
        if (fs.f_type == SHIPIO_LUSTRE_MAGIC)
            return &shipio_driver_lustre;
    }
    return &shipio_driver_generic;
}

void shipio_prefetch_open(struct shipio_file *file)
{
    struct shipio_prefetch *p;

    if (file->hints.max_acc <= 0)
        return;
    p = calloc(1, sizeof(*p));
    if (p == NULL)
        return;
    p->driver = choose(file);
    p->block = file->storage.block;
    if (p->driver->open(file->fd, file->storage.block, &p->ctx) != 0) {
        p->driver = &shipio_driver_generic;
        if (p->driver->open(file->fd, file->storage.block, &p->ctx) != 0) {
            free(p);
            return;
        }
    }
    if (p->driver == &shipio_driver_generic && p->block < BLOCK_MIN)
        p->block = BLOCK_MIN;
    atomic_flag_clear(&p->busy);
    file->prefetch = p;
}

void shipio_prefetch_close(struct shipio_file *file)
{
    struct shipio_prefetch *p = file->prefetch;

    if (p == NULL)
        return;
    p->driver->close(p->ctx);
    free(p->ranges);
    free(p);
    file->prefetch = NULL;
}

const char *shipio_prefetch_name(const struct shipio_file *file)
{
    return file->prefetch != NULL ? file->prefetch->driver->name : "none";
}

bool shipio_prefetch_claim(struct shipio_file *file, bool write)
{
    struct shipio_prefetch *p = file->prefetch;

    if (p == NULL || (write && !p->driver->for_writes) ||
        atomic_flag_test_and_set(&p->busy))
        return false;
    p->n = 0;
    return true;
}

void shipio_prefetch_unclaim(struct shipio_file *file)
{
    atomic_flag_clear(&file->prefetch->busy);
}

static struct shipio_range *new_range(struct shipio_prefetch *p)
{
    if (p->n == p->room) {
        int64_t room = p->room > 0 ? 2 * p->room : 64;
        struct shipio_range *bigger =
            realloc(p->ranges, (size_t)room * sizeof(*bigger));

        if (bigger == NULL)
            return NULL;
        p->ranges = bigger;
        p->room = room;
    }
    return &p->ranges[p->n++];
}

bool shipio_prefetch_add(struct shipio_file *file, int64_t start, int64_t len)
{
    struct shipio_prefetch *p = file->prefetch;

    while (len > 0) {
        int64_t n = p->block - start % p->block;
        struct shipio_range *range = new_range(p);

        if (range == NULL)
            return false;
        n = n < len ? n : len;
        *range = (struct shipio_range){.start = start, .len = n, .nbytes = n};
        start += n;
        len -= n;
    }
    return true;
}

bool shipio_prefetch_plan(struct shipio_file *file,
                          const struct shipio_request *req)
{
    struct shipio_prefetch *p = file->prefetch;
    struct shipio_range *range = NULL;
    struct shipio_cursor where;
    int64_t left = req->nbytes;
    int64_t block_end = 0;

    shipio_cursor_init(&where, &file->view->tiling, req->pos);
    while (left > 0) {
        int64_t n = shipio_cursor_peek(&where);

        if (range == NULL || where.off >= block_end) {
            range = new_range(p);
            if (range == NULL)
                return false;
            *range = (struct shipio_range){.start = where.off};
            block_end = (where.off / p->block + 1) * p->block;
        }
        n = n < left ? n : left;
        n = n < block_end - where.off ? n : block_end - where.off;
        range->len = where.off + n - range->start;
        range->nbytes += n;
        shipio_cursor_take(&where, n);
        left -= n;
    }
    return true;
}

void shipio_prefetch_begin(struct shipio_file *file, bool write)
{
    struct shipio_prefetch *p = file->prefetch;

    shipio_policy_init(&p->policy, p->n, file->hints.max_acc);
    p->current = 0;
    p->batch_end = 0;
    p->write = write;
}

/* Steps 1 to 3 of the policy: release the batch behind, ask for more. */
static void next_batch(struct shipio_file *file)
{
    struct shipio_prefetch *p = file->prefetch;
    struct shipio_policy *policy = &p->policy;
    int64_t before = policy->accessed;
    int64_t ask;
    int granted = 0;

    shipio_policy_accessed(policy, p->batch_end - before);
    ask = shipio_policy_ask(policy);
    if (ask > 0 || p->batch_end > before)
        granted = p->driver->advise(p->ctx, p->ranges + policy->scheduled,
                                    (int)ask, p->ranges + before,
                                    (int)(p->batch_end - before), p->write);
    shipio_count(&file->stats, SHIPIO_N_RANGES_PREFETCHED, granted);
    shipio_count(&file->stats, SHIPIO_N_RANGES_RELEASED, p->batch_end - before);
    shipio_policy_granted(policy, granted);
    p->batch_end += shipio_policy_take(policy);
}

const struct shipio_range *shipio_prefetch_next(struct shipio_file *file)
{
    struct shipio_prefetch *p = file->prefetch;

    if (p->current == p->batch_end && p->current < p->n)
        next_batch(file);
    return p->current < p->n ? &p->ranges[p->current++] : NULL;
}

void shipio_prefetch_stop(struct shipio_file *file)
{
    struct shipio_prefetch *p = file->prefetch;
    int64_t behind = p->policy.accessed;
    int64_t ahead =
        p->policy.scheduled > p->batch_end ? p->policy.scheduled : p->batch_end;

    if (ahead > behind) {
        (void)p->driver->advise(p->ctx, NULL, 0, p->ranges + behind,
                                (int)(ahead - behind), p->write);
        shipio_count(&file->stats, SHIPIO_N_RANGES_RELEASED, ahead - behind);
    }
    p->policy.accessed = p->policy.scheduled = p->batch_end = ahead;
    p->n = p->current = 0;
}

void shipio_prefetch_end(struct shipio_file *file)
{
    shipio_prefetch_stop(file);
    shipio_prefetch_unclaim(file);
}

int64_t shipio_prefetch_read(struct shipio_file *file, char *buf, int64_t start,
                             int64_t len)
{
    const struct shipio_range *range = NULL;
    int64_t done = 0;

    while (done < len) {
        int64_t want = len - done;
        int64_t n;

        range = shipio_prefetch_next(file);
        if (range != NULL)
            want = range->len;
        n = shipio_raw_read(file, buf + done, want, start + done);
        if (n < want && range != NULL)
            shipio_prefetch_stop(file);
        if (n < 0)
            return n;
        done += n;
        if (n < want)
            break;
    }
    return done;
}
