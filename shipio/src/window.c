/* window.c - how much memory, and what is where in it. */
#include "window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* At least this much buffer, so that ranks seldom wait. */
#define WINDOW_MIN ((int64_t)4 * 1024 * 1024)
/* With many ranks the lists of pieces outgrow the buffers, and a node has
 * better use for its memory: at most so many buffers, and so many bytes. */
#define SLOTS_MAX 32
#define WINDOW_MAX ((size_t)64 * 1024 * 1024)

struct shipio_window_plan shipio_window_plan_for(const struct shipio_file *file,
                                                 int64_t nstripes)
{
    int64_t stripe = shipio_hints_stripe(&file->hints);
    struct shipio_window_plan plan = {.parts_len =
                                          (size_t)shipio_parts_room(stripe)};
    size_t one = (size_t)stripe + (size_t)file->team->size * plan.parts_len;
    int most = (int)(WINDOW_MAX / one);
    int nslots = (file->hints.double_buffer ? 2 : 1) * file->ship.nagents;

    while (file->hints.double_buffer && nslots * stripe < WINDOW_MIN)
        nslots += file->ship.nagents;
    if (file->hints.double_buffer && file->storage.remote &&
        nslots < SHIPIO_DEPTH * file->ship.nagents)
        nslots = SHIPIO_DEPTH * file->ship.nagents;
    most = most < SLOTS_MAX ? most : SLOTS_MAX;
    /* The exchange works with any number, but overlaps from two on. */
    most = most > 2 ? most : 2;
    /* A small access needs no more buffers than it has stripes: making them
     * takes longer than the access. */
    most = nstripes < most ? (int)nstripes : most;
    plan.nslots = nslots < most ? nslots : most;
    plan.slots_len =
        (sizeof(struct shipio_shm_slot) * (size_t)plan.nslots + 4095) &
        ~(size_t)4095;
    plan.len = plan.slots_len + (size_t)plan.nslots * one +
               (size_t)file->team->size * SHIPIO_WANTED_LEN;
    return plan;
}

/* The memory may hold data of an earlier window, even a sleeper's traces. */
static void window_clear(const struct shipio_file *file,
                         const struct shipio_window *w)
{
    for (int i = 0; i < w->nslots; i++) {
        size_t index =
            (size_t)i * (size_t)file->team->size + (size_t)file->team->rank;
        char *mine = w->parts + index * w->parts_len;

        ((struct shipio_parts *)(void *)mine)->sequence = 0;
        if (file->team->rank != 0)
            continue;
        memset(&w->slots[i], 0, sizeof(w->slots[i]));
        /* As if the buffer had just been used. */
        atomic_store(&w->slots[i].done, file->ship.sequence);
    }
}

void shipio_window_free(struct shipio_window *w)
{
    if (w == NULL)
        return;
    shipio_iothread_destroy(w->pool);
    for (int i = 0; w->services != NULL && i < w->nslots; i++)
        free(w->services[i].cover);
    free(w->services);
    free(w->cover);
    free(w);
}

/* The parts of a window that are a rank's own. */
static struct shipio_window *window_new(struct shipio_file *file,
                                        const struct shipio_window_plan *plan)
{
    struct shipio_window *w = calloc(1, sizeof(*w));
    size_t bits = (size_t)shipio_hints_stripe(&file->hints) / 8 + 64;
    bool good;

    if (w == NULL)
        return NULL;
    w->nslots = plan->nslots;
    w->cover = malloc(bits);
    w->services = calloc((size_t)w->nslots, sizeof(*w->services));
    good = w->cover != NULL && w->services != NULL;
    for (int i = 0; good && i < w->nslots; i++) {
        w->services[i].cover = malloc(bits);
        good = w->services[i].cover != NULL;
    }
    /* The page cache answers at once: a thread would only be one more hop. */
    if (good && file->storage.remote && file->hints.double_buffer) {
        int slots = (w->nslots + file->ship.nagents - 1) / file->ship.nagents;

        shipio_stats_share(&file->stats);
        w->pool =
            shipio_iothread_create(slots > SHIPIO_DEPTH ? slots : SHIPIO_DEPTH);
        good = w->pool != NULL;
    }
    if (good)
        return w;
    shipio_window_free(w);
    return NULL;
}

int shipio_window_open(struct shipio_file *file,
                       const struct shipio_window_plan *plan)
{
    struct shipio_window *w = window_new(file, plan);
    int64_t stripe = shipio_hints_stripe(&file->hints);
    int rc = shipio_shm_agree(file->shm, w == NULL ? -ENOMEM : 0);

    if (rc == 0)
        rc = shipio_shm_area(file->shm, &file->shm->window, plan->len);
    if (rc != 0 || w == NULL) {
        shipio_window_free(w);
        return rc;
    }
    w->stripe = stripe;
    w->parts_len = plan->parts_len;
    w->slots = file->shm->window.memory;
    w->buffers = (char *)file->shm->window.memory + plan->slots_len;
    w->parts = w->buffers + (size_t)w->nslots * (size_t)stripe;
    w->wanted =
        w->parts + (size_t)w->nslots * (size_t)file->team->size * w->parts_len;
    window_clear(file, w);
    shipio_shm_barrier(file->shm);
    file->ship.window = w;
    return 0;
}
