/* behind.c - stripes in shared memory, each with a lock that outlives the
 * process that holds it. */
#include "behind.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cover.h"
#include "iothread.h"
#include "rawio.h"
#include "walk.h"

/* Memory for the stripes of a file, as far as these limits of their number
 * allow. */
#define ROOM ((int64_t)16 * 1024 * 1024)
#define STRIPES_LEAST 8
#define MAX_STRIPES 64
/* Pieces of this length gain nothing by waiting for their neighbours. */
#define PIECE_MAX ((int64_t)64 * 1024)
/* A stripe is written when its first byte is so old, at the latest one look
 * later. */
#define AGE_S 1.0
#define LOOK_NS 250000000

/* A place for the stripe number index of the file; free when covered is 0. */
struct place {
    pthread_mutex_t lock; /* robust: its owner may be killed */
    int64_t index;
    _Atomic int64_t covered; /* bytes that are to be written */
    double since;            /* when the first of them came */
};

/* In shared memory: this, the places, their images, their bits. */
struct board {
    _Atomic int64_t delayed; /* places in use */
    _Atomic uint64_t errors; /* of delayed writes, so far */
    _Atomic int error;       /* the latest */
};

struct shipio_behind {
    struct shipio_shm_area area;
    struct board *board;
    struct place *places;
    char *images;
    char *bits;
    int64_t stripe;
    int nplaces;
    _Atomic uint64_t seen; /* errors that this rank has reported */
    pthread_t thread;
    bool started;
    bool ending;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static size_t bits_len(int64_t stripe)
{
    return (size_t)stripe / 8 + 64;
}

static char *image_of(const struct shipio_behind *b, int place)
{
    return b->images + (int64_t)place * b->stripe;
}

static uint64_t *bits_of(const struct shipio_behind *b, int place)
{
    return (uint64_t *)(void *)(b->bits + (size_t)place * bits_len(b->stripe));
}

static int64_t count_bits(const uint64_t *bits, int64_t stripe)
{
    int64_t start = 0;
    int64_t len = 0;
    int64_t sum = 0;

    while (shipio_cover_next(bits, stripe, &start, &len)) {
        sum += len;
        start += len;
    }
    return sum;
}

/* When its owner was killed: bytes are marked when they are there, so these are
 * good; how many they are may not have been noted any more. */
static void place_lock(struct shipio_behind *b, int i)
{
    struct place *place = &b->places[i];

    if (pthread_mutex_lock(&place->lock) != EOWNERDEAD)
        return;
    atomic_store(&place->covered, count_bits(bits_of(b, i), b->stripe));
    (void)pthread_mutex_consistent(&place->lock);
}

static void place_unlock(struct place *place)
{
    pthread_mutex_unlock(&place->lock);
}

static void note_error(struct shipio_behind *b, int error)
{
    atomic_store(&b->board->error, error);
    atomic_fetch_add(&b->board->errors, 1);
}

/* One large request to read and one to write; -ENOLCK: not here. */
struct patch {
    const uint64_t *bits;
    const char *image; /* of the stripe */
    int64_t begin;     /* of the patch in it */
    int64_t end;
};

static int64_t lay_over(void *argument, char *image)
{
    const struct patch *patch = argument;
    int64_t start = patch->begin;
    int64_t len = 0;

    while (shipio_cover_next(patch->bits, patch->end, &start, &len)) {
        memcpy(image + (start - patch->begin), patch->image + start,
               (size_t)len);
        start += len;
    }
    return patch->end - patch->begin;
}

static int write_patched(struct shipio_file *file, int64_t offset,
                         struct patch *patch)
{
    struct shipio_update update = {.offset = offset + patch->begin,
                                   .len = patch->end - patch->begin,
                                   .change = lay_over,
                                   .argument = patch};
    int rc = -ENOLCK;

    if (!shipio_raw_may_update(file))
        return -ENOLCK;
    update.image = malloc((size_t)update.len);
    if (update.image != NULL)
        rc = shipio_raw_update(file, &update);
    free(update.image);
    return rc;
}

/* The bytes of a stripe, at offset of the file; with gaps run by run. */
static int write_covered(struct shipio_file *file, int64_t offset, int place)
{
    struct shipio_behind *b = file->behind;
    const uint64_t *bits = bits_of(b, place);
    struct patch patch = {.bits = bits, .image = image_of(b, place)};
    int64_t runs = 0;
    int64_t start = 0;
    int64_t len = 0;
    int rc = -ENOLCK;

    while (shipio_cover_next(bits, b->stripe, &start, &len)) {
        patch.begin = runs++ == 0 ? start : patch.begin;
        start += len;
        patch.end = start;
    }
    if (runs > 1)
        rc = write_patched(file, offset, &patch);
    if (rc != -ENOLCK)
        return rc;
    rc = 0;
    start = 0;
    while (rc >= 0 && shipio_cover_next(bits, b->stripe, &start, &len)) {
        int64_t n =
            shipio_raw_write(file, patch.image + start, len, offset + start);

        rc = n < 0 ? (int)n : 0;
        start += len;
    }
    return rc;
}

/* The caller holds the place. What cannot be written is lost, and told. */
static void write_place(struct shipio_file *file, int i)
{
    struct shipio_behind *b = file->behind;
    struct place *place = &b->places[i];
    int rc;

    if (atomic_load(&place->covered) == 0)
        return;
    rc = write_covered(file, place->index * b->stripe, i);
    if (rc != 0)
        note_error(b, rc);
    memset(bits_of(b, i), 0, bits_len(b->stripe));
    atomic_store(&place->covered, 0);
    atomic_fetch_sub(&b->board->delayed, 1);
}

/* Bytes of [start, start + len) that were not covered before. */
static int64_t cover(uint64_t *bits, int64_t start, int64_t len)
{
    int64_t end = start + len;
    int64_t fresh = len;
    int64_t at = start;
    int64_t run = 0;

    while (shipio_cover_next(bits, end, &at, &run)) {
        fresh -= run;
        at += run;
    }
    shipio_cover_mark(bits, start, len);
    return fresh;
}

/* The part of a request that lies in one stripe. */
static void fill_place(struct shipio_file *file, struct shipio_walk *walk)
{
    struct shipio_behind *b = file->behind;
    int64_t index = walk->where.off / b->stripe;
    int64_t begin = index * b->stripe;
    int i = (int)(index % b->nplaces);
    struct place *place = &b->places[i];
    int64_t fresh = 0;
    int64_t n;

    place_lock(b, i);
    if (place->index != index)
        write_place(file, i);
    place->index = index;
    if (atomic_load(&place->covered) == 0) {
        place->since = shipio_clock();
        atomic_fetch_add(&b->board->delayed, 1);
    }
    while ((n = shipio_walk_piece(walk, begin + b->stripe)) > 0) {
        int64_t start = walk->where.off - begin;

        shipio_walk_copy(walk, image_of(b, i) + start, n);
        shipio_walk_pass(walk, n);
        fresh += cover(bits_of(b, i), start, n);
    }
    if (atomic_fetch_add(&place->covered, fresh) + fresh == b->stripe)
        write_place(file, i);
    place_unlock(place);
}

bool shipio_behind_suits(const struct shipio_file *file,
                         const struct shipio_request *req)
{
    const struct shipio_tiling *view = &file->view->tiling;
    int64_t pieces;

    if (file->behind == NULL || file->atomic_mode || req->device ||
        !req->write || req->nbytes == 0 ||
        !shipio_tiling_ordered(view, req->pos, req->nbytes))
        return false;
    pieces = shipio_tiling_pieces(view, req->pos, req->nbytes);
    return req->nbytes / (pieces > 0 ? pieces : 1) < PIECE_MAX;
}

int shipio_behind_write(struct shipio_file *file,
                        const struct shipio_request *req, int64_t *done_p)
{
    struct shipio_walk walk;

    shipio_count(&file->stats, SHIPIO_N_MODE_DELAYED, 1);
    shipio_walk_init(&walk, file, req);
    while (shipio_walk_piece(&walk, INT64_MAX) > 0)
        fill_place(file, &walk);
    *done_p = req->nbytes;
    return shipio_behind_take(file);
}

/* Stripes that have a byte of [low, high), and whose first one came before
 * time. */
static void write_places(struct shipio_file *file, int64_t low, int64_t high,
                         double time)
{
    struct shipio_behind *b = file->behind;

    if (atomic_load(&b->board->delayed) == 0)
        return;
    /* Ranks that do so at the same time begin at different places. */
    for (int n = 0; n < b->nplaces; n++) {
        int i =
            (n + file->team->rank * b->nplaces / file->team->size) % b->nplaces;
        struct place *place = &b->places[i];

        if (atomic_load(&place->covered) == 0)
            continue;
        place_lock(b, i);
        if (place->index * b->stripe < high &&
            (place->index + 1) * b->stripe > low && place->since < time)
            write_place(file, i);
        place_unlock(place);
    }
}

void shipio_behind_settle(struct shipio_file *file,
                          const struct shipio_request *req)
{
    const struct shipio_tiling *view = &file->view->tiling;

    if (file->behind == NULL || req->nbytes == 0)
        return;
    if (!shipio_tiling_ordered(view, req->pos, req->nbytes)) {
        shipio_behind_flush(file);
        return;
    }
    write_places(file, shipio_tiling_offset(view, req->pos),
                 shipio_tiling_end(view, req->pos + req->nbytes),
                 shipio_clock() + AGE_S);
}

void shipio_behind_flush(struct shipio_file *file)
{
    if (file->behind != NULL)
        write_places(file, 0, INT64_MAX, shipio_clock() + AGE_S);
}

void shipio_behind_flush_all(struct shipio_file *file)
{
    if (file->behind == NULL)
        return;
    shipio_shm_barrier(file->shm);
    shipio_behind_flush(file);
    shipio_late_own(file, shipio_behind_take(file));
}

int shipio_behind_take(struct shipio_file *file)
{
    struct shipio_behind *b = file->behind;
    uint64_t errors;

    if (b == NULL)
        return 0;
    errors = atomic_load(&b->board->errors);
    if (atomic_exchange(&b->seen, errors) == errors)
        return 0;
    return atomic_load(&b->board->error);
}

/* Looks for what has grown old, also what another rank has left. */
static void *look_after(void *argument)
{
    struct shipio_file *file = argument;
    struct shipio_behind *b = file->behind;

    pthread_mutex_lock(&b->lock);
    while (!b->ending) {
        struct timespec until;

        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&b->changed, &b->lock, &until);
        pthread_mutex_unlock(&b->lock);
        write_places(file, 0, INT64_MAX, shipio_clock() - AGE_S);
        pthread_mutex_lock(&b->lock);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static bool is_wanted(const struct shipio_file *file)
{
    return file->hints.write_behind && file->shm != NULL &&
           (file->amode & MPI_MODE_RDONLY) == 0;
}

/* How much, and what is where. */
static size_t plan(struct shipio_behind *b, int64_t stripe)
{
    int64_t n = ROOM / stripe;
    size_t head = (sizeof(*b->board) + 63) & ~(size_t)63;

    n = n < STRIPES_LEAST ? STRIPES_LEAST : n;
    b->nplaces = (int)(n > MAX_STRIPES ? MAX_STRIPES : n);
    b->stripe = stripe;
    return head + (size_t)b->nplaces *
                      (sizeof(*b->places) + (size_t)stripe + bits_len(stripe));
}

static void lay_out(struct shipio_behind *b)
{
    char *at = b->area.memory;

    b->board = (struct board *)(void *)at;
    at += (sizeof(*b->board) + 63) & ~(size_t)63;
    b->places = (struct place *)(void *)at;
    at += (size_t)b->nplaces * sizeof(*b->places);
    b->bits = at;
    b->images = at + (size_t)b->nplaces * bits_len(b->stripe);
}

/* Rank 0; new memory is zero. */
static int make_locks(const struct shipio_behind *b)
{
    pthread_mutexattr_t kind;
    int rc = pthread_mutexattr_init(&kind);

    if (rc != 0)
        return -rc;
    rc = pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    if (rc == 0)
        rc = pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; rc == 0 && i < b->nplaces; i++)
        rc = pthread_mutex_init(&b->places[i].lock, &kind);
    pthread_mutexattr_destroy(&kind);
    return -rc;
}

static int begin(struct shipio_file *file, struct shipio_behind *b)
{
    pthread_condattr_t clock;
    int rc;

    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&b->changed, &clock);
    pthread_condattr_destroy(&clock);
    file->behind = b;
    shipio_stats_share(&file->stats);
    rc = shipio_thread_create(&b->thread, look_after, file);
    b->started = rc == 0;
    return rc;
}

static void drop(struct shipio_file *file, struct shipio_behind *b)
{
    if (b == NULL)
        return;
    if (b->started) {
        pthread_mutex_lock(&b->lock);
        b->ending = true;
        pthread_cond_signal(&b->changed);
        pthread_mutex_unlock(&b->lock);
        pthread_join(b->thread, NULL);
    }
    if (file->behind != NULL) {
        pthread_cond_destroy(&b->changed);
        pthread_mutex_destroy(&b->lock);
    }
    file->behind = NULL;
    shipio_shm_area_free(file->shm, &b->area);
    free(b);
}

void shipio_behind_open(struct shipio_file *file)
{
    struct shipio_behind *b;
    size_t len = 0;
    int rc;

    if (!is_wanted(file)) {
        file->hints.write_behind = false;
        return;
    }
    b = calloc(1, sizeof(*b));
    if (b != NULL)
        len = plan(b, shipio_hints_stripe(&file->hints));
    rc = shipio_shm_agree(file->shm, b == NULL ? -ENOMEM : 0);
    if (rc == 0 && b != NULL)
        rc = shipio_shm_area(file->shm, &b->area, len);
    if (rc == 0 && b != NULL) {
        lay_out(b);
        if (file->team->rank == 0)
            rc = make_locks(b);
        rc = shipio_shm_agree(file->shm, rc);
        if (rc == 0)
            rc = shipio_shm_agree(file->shm, begin(file, b));
    }
    file->hints.write_behind = rc == 0;
    if (rc != 0)
        drop(file, b);
}

void shipio_behind_close(struct shipio_file *file)
{
    if (file->behind == NULL)
        return;
    shipio_behind_flush(file);
    shipio_late_own(file, shipio_behind_take(file));
    drop(file, file->behind);
}
