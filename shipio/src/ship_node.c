/* ship_node.c - data shipping between the processes of one node.
 *
 * The file is cut into stripes, each bound to one agent. Stripes pass through
 * buffers in shared memory: every rank copies its pieces of a stripe to their
 * place in the buffer, notes which bytes these are (parts.h), and publishes how
 * far it is; the agent then writes what is covered, with as few system calls as
 * the gaps allow, and frees the buffer. Bytes that nobody wrote are not
 * touched; on remote storage, with the program's promise, a stripe with gaps is
 * read and written back (sieve.h). There threads make the requests, too, so
 * that an agent has four under way and goes on copying; where it has fewer
 * stripes to read, each is read by several. Reading goes the other
 * way; readers of less than half of a span first mark the stripes that they
 * want. There are at least two buffers for each agent, so that copying of the
 * next stripes overlaps file access (double buffering).
 *
 * Ranks run ahead as far as buffers reach. On the way each serves its own
 * stripes that are ready, and before it waits it must serve those whose buffers
 * are needed again: that is why the ring cannot lock up. Two synchronisations
 * frame a call: extents before, errors after.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cover.h"
#include "iothread.h"
#include "parts.h"
#include "plan.h"
#include "rawio.h"
#include "window.h"

/* Gaps are read and written back between at least so many runs. */
#define PATCH_RUNS_MIN 4
/* Readers of less than this part of a span say which stripes they want. */
#define SPARSE_MAX 0.5
/* A stripe is not read in shorter requests than this. */
#define FETCH_MIN ((int64_t)512 * 1024)

/* One collective call on its way. */
struct call {
    struct shipio_file *file;
    struct shipio_walk walk;
    struct shipio_window *window;
    struct shipio_plan plan;
    uint64_t sequence; /* of stripe 0 */
    int64_t own;       /* next stripe that this rank must serve */
    bool prefetch;     /* a series of own stripes is under way */
    uint64_t *wanted;  /* reading: a bit for each stripe; NULL: all */
    _Atomic int error;
};

static char *slot_buffer(const struct call *call, int64_t stripe)
{
    const struct shipio_window *w = call->window;
    uint64_t slot = (call->sequence + (uint64_t)stripe) % (uint64_t)w->nslots;

    return w->buffers + (int64_t)slot * w->stripe;
}

static struct shipio_shm_slot *slot_of(const struct call *call, int64_t stripe)
{
    const struct shipio_window *w = call->window;

    return &w->slots[(call->sequence + (uint64_t)stripe) % (uint64_t)w->nslots];
}

static struct shipio_parts *parts_of(const struct call *call, int64_t stripe,
                                     int rank)
{
    const struct shipio_window *w = call->window;
    uint64_t slot = (call->sequence + (uint64_t)stripe) % (uint64_t)w->nslots;
    size_t index = (size_t)slot * (size_t)call->file->team->size + (size_t)rank;

    return (struct shipio_parts *)(void *)(w->parts + index * w->parts_len);
}

static struct shipio_span node_span(struct shipio_file *file,
                                    const struct shipio_request *req, int error)
{
    struct shipio_shm_head *head = file->shm->head;
    uint64_t parity = file->ship.spans++ & 1;
    struct shipio_desc *mine = &head->ranks[file->team->rank].desc[parity];
    struct shipio_span span = {.low = INT64_MAX, .high = 0};
    double start = shipio_stats_now(&file->stats);

    shipio_plan_part(file, req, error, mine);
    shipio_shm_barrier(file->shm);
    for (int r = 0; r < file->team->size; r++) {
        const struct shipio_desc *desc = &head->ranks[r].desc[parity];

        if (span.error == 0)
            span.error = desc->error;
        if (desc->nbytes == 0)
            continue;
        span.low = desc->low < span.low ? desc->low : span.low;
        span.high = desc->high > span.high ? desc->high : span.high;
        span.nbytes += desc->nbytes;
        span.pieces += desc->pieces;
        span.extents += desc->high - desc->low;
        if (desc->cost_ns > span.cost_ns)
            span.cost_ns = desc->cost_ns;
    }
    shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
    return span;
}

static void node_close(struct shipio_file *file)
{
    shipio_window_free(file->ship.window);
    file->ship.window = NULL;
}

static bool node_possible(struct shipio_file *file,
                          const struct shipio_request *req,
                          const struct shipio_span *span)
{
    int64_t stripe = shipio_hints_stripe(&file->hints);
    int64_t nstripes = (span->high - 1) / stripe - span->low / stripe + 1;
    const struct shipio_window *w = file->ship.window;
    struct shipio_window_plan plan;

    (void)req;
    if (file->ship.window_failed || nstripes > SHIPIO_STRIPES_MAX)
        return false;
    plan = shipio_window_plan_for(file, nstripes);
    if (w != NULL && (w->stripe != stripe || w->nslots < plan.nslots))
        node_close(file);
    if (file->ship.window == NULL)
        file->ship.window_failed = shipio_window_open(file, &plan) != 0;
    return !file->ship.window_failed;
}

static void call_begin(struct call *call, struct shipio_file *file,
                       const struct shipio_request *req,
                       const struct shipio_span *span)
{
    struct shipio_window *w = file->ship.window;

    memset(call, 0, sizeof(*call));
    call->file = file;
    shipio_walk_init(&call->walk, file, req);
    call->window = w;
    shipio_plan_init(&call->plan, file, w->stripe, span, 1);
    call->sequence = file->ship.sequence;
    call->own = shipio_plan_own(&call->plan, 0);
    file->ship.sequence += (uint64_t)call->plan.nstripes;
}

static int call_end(struct call *call)
{
    struct shipio_file *file = call->file;
    double start = shipio_stats_now(&file->stats);
    int rc;

    if (call->window->pool != NULL)
        shipio_iothread_wait(call->window->pool);
    rc = shipio_shm_agree(file->shm, call->error);

    shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
    return rc;
}

/* The slot's buffer is free when the stripe before in it is done with. */
static void await_buffer(struct call *call, int64_t stripe)
{
    struct shipio_file *file = call->file;
    double start = shipio_stats_now(&file->stats);

    shipio_shm_await_slot(file->shm, slot_of(call, stripe),
                          call->sequence + (uint64_t)stripe + 1 -
                              (uint64_t)call->window->nslots);
    shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
}

static void await_ranks(struct call *call, uint64_t progress)
{
    struct shipio_file *file = call->file;
    double start = shipio_stats_now(&file->stats);

    for (int r = 0; r < file->team->size; r++)
        shipio_gauge_await(file->shm, &file->shm->head->ranks[r].stripes,
                           progress);
    shipio_stats_since(&file->stats, SHIPIO_T_WAIT, start);
}

static bool ranks_have(const struct call *call, uint64_t progress)
{
    const struct shipio_shm *shm = call->file->shm;

    for (int r = 0; r < shm->size; r++)
        if (atomic_load_explicit(&shm->head->ranks[r].stripes.progress,
                                 memory_order_acquire) < progress)
            return false;
    return true;
}

static void publish(struct call *call, int64_t stripe)
{
    struct shipio_shm *shm = call->file->shm;

    shipio_gauge_advance(&shm->head->ranks[shm->rank].stripes,
                         call->sequence + (uint64_t)stripe);
}

/* Copies this rank's pieces of stripe into its buffer. */
static void pack(struct call *call, int64_t stripe)
{
    int64_t begin = shipio_plan_begin(&call->plan, stripe);
    struct shipio_notes notes = {
        .parts = parts_of(call, stripe, call->file->team->rank),
        .stripe = call->window->stripe,
        .scratch = call->window->cover};
    double start = shipio_stats_now(&call->file->stats);
    int64_t done =
        shipio_walk_image(&call->walk, slot_buffer(call, stripe), begin,
                          begin + call->window->stripe, &notes);

    notes.parts->sequence = call->sequence + (uint64_t)stripe;
    shipio_count(&call->file->stats, SHIPIO_N_BYTES_SHIPPED, done);
    shipio_stats_since(&call->file->stats, SHIPIO_T_EXCHANGE, start);
}

/* The stripe, counted in the call, where the walk goes on. */
static int64_t next_stripe(struct call *call)
{
    (void)shipio_walk_piece(&call->walk, INT64_MAX);
    return shipio_plan_stripe(&call->plan, call->walk.where.off);
}

/* What is common to the lists of all ranks for one stripe. */
struct summary {
    int64_t begin;
    int64_t end;
    int64_t nbytes;
    uint32_t stride; /* 0: not all single runs of one stride */
};

static void summarize(const struct call *call, int64_t stripe,
                      struct summary *sum)
{
    bool regular = true;

    memset(sum, 0, sizeof(*sum));
    sum->begin = INT64_MAX;
    for (int r = 0; r < call->file->team->size; r++) {
        const struct shipio_parts *parts = parts_of(call, stripe, r);
        const struct shipio_run *run = &parts->list.runs[0];
        int64_t end;

        if (parts->sequence != call->sequence + (uint64_t)stripe ||
            parts->nbytes == 0)
            continue;
        sum->nbytes += parts->nbytes;
        if (parts->as_bits || parts->nruns != 1) {
            regular = false;
            continue;
        }
        end = run->start + (int64_t)(run->count - 1) * run->stride + run->len;
        sum->begin = run->start < sum->begin ? run->start : sum->begin;
        sum->end = end > sum->end ? end : sum->end;
        if (run->count == 1)
            continue;
        if (sum->stride == 0)
            sum->stride = run->stride;
        regular = regular && sum->stride == run->stride;
    }
    if (!regular)
        sum->stride = 0;
    else if (sum->stride == 0)
        sum->stride = UINT32_MAX;
}

/* True when the single runs of all ranks, of one stride, are disjoint. With as
 * many bytes as the span is long there is then no gap. */
static bool runs_disjoint(const struct call *call, int64_t stripe,
                          int64_t stride)
{
    size_t size = (size_t)call->file->team->size;
    struct shipio_run *runs = malloc(size * sizeof(*runs));
    bool disjoint;
    int n = 0;

    /* Without memory the pieces are looked at one by one. */
    if (runs == NULL)
        return false;
    for (size_t r = 0; r < size; r++) {
        const struct shipio_parts *parts = parts_of(call, stripe, (int)r);

        if (parts->sequence == call->sequence + (uint64_t)stripe &&
            parts->nbytes > 0)
            runs[n++] = parts->list.runs[0];
    }
    disjoint = shipio_runs_disjoint(runs, n, stride);
    free(runs);
    return disjoint;
}

static int write_range(struct call *call, int64_t stripe, int64_t start,
                       int64_t len)
{
    int64_t begin = shipio_plan_begin(&call->plan, stripe);
    int64_t n = shipio_raw_write(call->file, slot_buffer(call, stripe) + start,
                                 len, begin + start);

    return n < 0 ? (int)n : 0;
}

/* What ranks have packed of a stripe, as bits. */
static void cover_stripe(const struct shipio_service *service)
{
    const struct call *call = service->call;
    const struct shipio_window *w = call->window;

    memset(service->cover, 0, (size_t)w->stripe / 8 + 8);
    for (int r = 0; r < call->file->team->size; r++) {
        const struct shipio_parts *parts = parts_of(call, service->stripe, r);

        if (parts->sequence == call->sequence + (uint64_t)service->stripe)
            shipio_parts_cover(parts, w->stripe, service->cover);
    }
}

/* A stripe with gaps that are read and written back. */
struct patch {
    const struct shipio_service *service;
    int64_t begin; /* in the stripe */
    int64_t end;
};

static int64_t lay_over(void *argument, char *image)
{
    const struct patch *patch = argument;
    const struct shipio_service *service = patch->service;
    const char *buffer = slot_buffer(service->call, service->stripe);
    const struct call *call = service->call;
    int64_t stripe = call->window->stripe;
    int64_t start = 0;
    int64_t len = 0;

    while (shipio_cover_next(service->cover, stripe, &start, &len)) {
        memcpy(image + (start - patch->begin), buffer + start, (size_t)len);
        start += len;
    }
    return patch->end - patch->begin;
}

/* One large request to read and one to write; -ENOLCK: not here. */
static int write_patched(const struct shipio_service *service)
{
    struct call *call = service->call;
    int64_t stripe = call->window->stripe;
    struct patch patch = {.service = service};
    struct shipio_update update = {.change = lay_over, .argument = &patch};
    int64_t start = 0;
    int64_t len = 0;
    int64_t runs = 0;
    int rc = -ENOLCK;

    while (shipio_cover_next(service->cover, stripe, &start, &len)) {
        if (runs++ == 0)
            patch.begin = start;
        start += len;
        patch.end = start;
    }
    if (runs < PATCH_RUNS_MIN || !shipio_raw_may_update(call->file))
        return -ENOLCK;
    update.offset =
        shipio_plan_begin(&call->plan, service->stripe) + patch.begin;
    update.len = patch.end - patch.begin;
    update.image = malloc((size_t)update.len);
    if (update.image != NULL)
        rc = shipio_raw_update(call->file, &update);
    free(update.image);
    return rc;
}

static int write_covered(const struct shipio_service *service)
{
    struct call *call = service->call;
    int64_t start = 0;
    int64_t len = 0;
    int rc;

    cover_stripe(service);
    rc = write_patched(service);
    if (rc != -ENOLCK)
        return rc;
    rc = 0;
    while (rc == 0 && shipio_cover_next(service->cover, call->window->stripe,
                                        &start, &len)) {
        rc = write_range(call, service->stripe, start, len);
        start += len;
    }
    return rc;
}

/* All ranks have packed the stripe. */
static void run_write(void *argument)
{
    const struct shipio_service *service = argument;
    struct call *call = service->call;
    int64_t stripe = service->stripe;
    struct summary sum;
    int rc = 0;

    summarize(call, stripe, &sum);
    if (sum.nbytes > 0 && call->error == 0) {
        if (sum.stride != 0 && sum.nbytes == sum.end - sum.begin &&
            runs_disjoint(call, stripe, sum.stride))
            rc = write_range(call, stripe, sum.begin, sum.nbytes);
        else
            rc = write_covered(service);
    }
    if (rc != 0)
        call->error = rc;
    shipio_shm_finish(slot_of(call, stripe),
                      call->sequence + (uint64_t)stripe + 1);
}

/* An agent's work on a stripe whose buffer has come to it. */
static struct shipio_service *service_of(struct call *call, int64_t stripe)
{
    struct shipio_window *w = call->window;
    struct shipio_service *service =
        &w->services[(call->sequence + (uint64_t)stripe) % (uint64_t)w->nslots];

    await_buffer(call, stripe);
    service->call = call;
    service->stripe = stripe;
    return service;
}

static void serve(struct call *call, int64_t stripe, void (*run)(void *))
{
    struct shipio_window *w = call->window;
    struct shipio_service *service = service_of(call, stripe);

    /* A series of prefetched ranges goes in order. */
    if (w->pool != NULL && !call->prefetch)
        shipio_iothread_start(w->pool, run, service);
    else
        run(service);
}

/* Serves own stripes up to and including last; only ready ones when !wait. */
static void serve_writes(struct call *call, int64_t last, bool wait)
{
    while (call->own <= last && call->own < call->plan.nstripes) {
        uint64_t packed = call->sequence + (uint64_t)call->own + 1;

        if (wait)
            await_ranks(call, packed);
        else if (!ranks_have(call, packed))
            return;
        serve(call, call->own, run_write);
        call->own = shipio_plan_own(&call->plan, call->own + 1);
    }
}

static int node_write(struct shipio_file *file,
                      const struct shipio_request *req,
                      const struct shipio_span *span)
{
    struct call call;

    call_begin(&call, file, req, span);
    while (call.walk.left > 0) {
        int64_t stripe = next_stripe(&call);

        publish(&call, stripe);
        serve_writes(&call, stripe - 1, false);
        serve_writes(&call, stripe - call.window->nslots, true);
        await_buffer(&call, stripe);
        pack(&call, stripe);
        publish(&call, stripe + 1);
    }
    publish(&call, call.plan.nstripes);
    serve_writes(&call, call.plan.nstripes - 1, true);
    return call_end(&call);
}

/*
 * Collective. Between pieces that lie far apart there are stripes that nobody
 * wants: each rank marks those that it does. Without memory all are read.
 */
static void mark_wanted(struct call *call, const struct shipio_span *span)
{
    const struct shipio_file *file = call->file;
    const struct shipio_window *w = call->window;
    int64_t nwords = (call->plan.nstripes + 63) / 64;
    struct shipio_walk ahead = call->walk;
    uint64_t *mine = (uint64_t *)(void *)(w->wanted + (size_t)file->team->rank *
                                                          SHIPIO_WANTED_LEN);
    int64_t stripe;

    if (!file->hints.sparse &&
        (double)span->nbytes >= SPARSE_MAX * (double)(span->high - span->low))
        return;
    memset(mine, 0, (size_t)nwords * sizeof(*mine));
    while ((stripe = shipio_plan_visit(&call->plan, &ahead, INT64_MAX)) >= 0)
        mine[stripe / 64] |= UINT64_C(1) << (stripe % 64);
    call->wanted = calloc((size_t)nwords, sizeof(*call->wanted));
    shipio_shm_barrier(file->shm);
    for (int r = 0; call->wanted != NULL && r < file->team->size; r++) {
        const uint64_t *theirs =
            (const uint64_t *)(const void *)(w->wanted +
                                             (size_t)r * SHIPIO_WANTED_LEN);

        for (int64_t i = 0; i < nwords; i++)
            call->wanted[i] |= theirs[i];
    }
}

/* Fills the buffer of a stripe from the file. */
static void run_read(void *argument)
{
    const struct shipio_service *service = argument;
    struct call *call = service->call;
    int64_t stripe = service->stripe;
    struct shipio_shm_slot *slot = slot_of(call, stripe);
    int64_t begin = shipio_plan_begin(&call->plan, stripe);
    struct shipio_range range = shipio_plan_range(&call->plan, stripe);
    char *to = slot_buffer(call, stripe) + (range.start - begin);
    int64_t n = 0;

    if (call->error == 0 && shipio_plan_is_wanted(call->wanted, stripe))
        n = call->prefetch
                ? shipio_prefetch_read(call->file, to, range.start, range.len)
                : shipio_raw_read(call->file, to, range.len, range.start);
    if (n < 0)
        call->error = (int)n;
    slot->valid = n > 0 ? range.start - begin + n : 0;
    shipio_shm_finish(slot, call->sequence + (uint64_t)stripe + 1);
}

/* All bytes of the stripe have come, or those before the end of the file. */
static void end_fetches(const struct shipio_service *service)
{
    struct call *call = service->call;
    struct shipio_shm_slot *slot = slot_of(call, service->stripe);
    int64_t begin = shipio_plan_begin(&call->plan, service->stripe);
    int64_t valid = 0;

    for (int i = 0; i < service->nfetches; i++) {
        const struct shipio_fetch *fetch = &service->fetches[i];

        if (fetch->done < 0)
            call->error = (int)fetch->done;
        if (fetch->done > 0)
            valid = fetch->start - begin + fetch->done;
        if (fetch->done < fetch->len)
            break;
    }
    slot->valid = valid;
    shipio_shm_finish(slot, call->sequence + (uint64_t)service->stripe + 1);
}

static void run_fetch(void *argument)
{
    struct shipio_fetch *fetch = argument;
    struct shipio_service *service = fetch->service;
    struct call *call = service->call;
    int64_t begin = shipio_plan_begin(&call->plan, service->stripe);

    fetch->done = call->error != 0
                      ? 0
                      : shipio_raw_read(call->file,
                                        slot_buffer(call, service->stripe) +
                                            (fetch->start - begin),
                                        fetch->len, fetch->start);
    if (atomic_fetch_sub(&service->under_way, 1) == 1)
        end_fetches(service);
}

/* Requests that one stripe of the call is read by. An agent with fewer stripes
 * than it could have requests under way divides them. */
static int fetches_for(const struct call *call, int64_t len)
{
    int64_t agents = call->file->ship.nagents;
    int64_t each = (call->plan.nstripes + agents - 1) / agents;
    int64_t block = call->file->storage.block;
    int64_t least = block > FETCH_MIN ? block : FETCH_MIN;
    int64_t n = SHIPIO_DEPTH / each;

    if (call->window->pool == NULL || call->prefetch)
        return 1;
    n = n < len / least ? n : len / least;
    return n > 1 ? (int)n : 1;
}

/* Where request i of n begins: they meet where a block of the file does. */
static int64_t fetch_begin(const struct shipio_file *file,
                           struct shipio_range range, int i, int n)
{
    int64_t at = range.start + range.len * i / n;

    if (i == 0 || i == n)
        return at;
    return at - at % file->storage.block;
}

static void serve_read(struct call *call, int64_t stripe)
{
    struct shipio_range range = shipio_plan_range(&call->plan, stripe);
    int n = fetches_for(call, range.len);
    struct shipio_service *service;

    if (n == 1 || !shipio_plan_is_wanted(call->wanted, stripe)) {
        serve(call, stripe, run_read);
        return;
    }
    service = service_of(call, stripe);
    service->nfetches = n;
    atomic_store(&service->under_way, n);
    for (int i = 0; i < n; i++) {
        struct shipio_fetch *fetch = &service->fetches[i];

        fetch->service = service;
        fetch->start = fetch_begin(call->file, range, i, n);
        fetch->len = fetch_begin(call->file, range, i + 1, n) - fetch->start;
        shipio_iothread_start(call->window->pool, run_fetch, fetch);
    }
}

static void serve_reads(struct call *call, int64_t last, bool wait)
{
    while (call->own <= last && call->own < call->plan.nstripes) {
        uint64_t copied = call->sequence + (uint64_t)call->own + 1 -
                          (uint64_t)call->window->nslots;

        /* Stripes of earlier calls are copied: those calls have ended. */
        if (call->own >= call->window->nslots) {
            if (wait)
                await_ranks(call, copied);
            else if (!ranks_have(call, copied))
                return;
        }
        serve_read(call, call->own);
        call->own = shipio_plan_own(&call->plan, call->own + 1);
    }
}

/* Copies this rank's pieces out of a buffer; false at the end of the file. */
static bool unpack(struct call *call, int64_t stripe)
{
    int64_t begin = shipio_plan_begin(&call->plan, stripe);
    int64_t end = begin + slot_of(call, stripe)->valid;
    double start = shipio_stats_now(&call->file->stats);
    int64_t done = shipio_walk_image(&call->walk, slot_buffer(call, stripe),
                                     begin, end, NULL);

    shipio_count(&call->file->stats, SHIPIO_N_BYTES_SHIPPED, done);
    shipio_stats_since(&call->file->stats, SHIPIO_T_EXCHANGE, start);
    return shipio_walk_piece(&call->walk, begin + call->window->stripe) == 0;
}

static int node_read(struct shipio_file *file, const struct shipio_request *req,
                     const struct shipio_span *span, int64_t *done_p)
{
    struct call call;
    bool more = true;
    int rc;

    call_begin(&call, file, req, span);
    mark_wanted(&call, span);
    call.prefetch = shipio_plan_prefetch(&call.plan, call.wanted);
    while (call.walk.left > 0 && more) {
        int64_t stripe = next_stripe(&call);

        publish(&call, stripe);
        serve_reads(&call, stripe, true);
        serve_reads(&call, stripe + call.window->nslots - 1, false);
        await_buffer(&call, stripe + call.window->nslots);
        more = unpack(&call, stripe);
        publish(&call, stripe + 1);
    }
    publish(&call, call.plan.nstripes);
    serve_reads(&call, call.plan.nstripes - 1, true);
    if (call.prefetch)
        shipio_prefetch_end(file);
    rc = call_end(&call);
    free(call.wanted);
    *done_p = rc == 0 ? req->nbytes - call.walk.left : 0;
    return rc;
}

const struct shipio_exchange shipio_exchange_node = {
    .name = "shared memory",
    .span = node_span,
    .possible = node_possible,
    .write = node_write,
    .read = node_read,
    .close = node_close,
};
