/* trace/live.c - calls into a block: equal calls once, repetitions counted. */
#include "trace/live.h"

#include <errno.h>
#include <string.h>

#define LOOP PARIO_LIVE_CALLS /* the first symbol that is a loop */
#define PENDING 1024          /* symbols that wait for a loop to be closed */
#define CANDIDATES 4          /* periods that are tried for one symbol */
#define LOOK_BACK 64          /* loops among which an equal one is sought */

void pario_live_clear(struct pario_live *live)
{
    live->block++;
    live->start = live->last;
    live->ncalls = live->nsymbols = live->nloops = 0;
    live->nbodies = live->nslices = live->nplaces = 0;
    live->loop_len = live->loop_at = 0;
    live->loop_count = 0;
    live->calls_added = 0;
    memset(live->last_offset, 0, sizeof(live->last_offset));
    memset(live->bucket, 0, sizeof(live->bucket));
    memset(live->latest, 0, sizeof(live->latest));
}

void pario_live_init(struct pario_live *live, uint64_t process, uint32_t thread,
                     uint64_t resolution_ns, double ticks_per_ns)
{
    double ticks = (double)resolution_ns * ticks_per_ns;

    memset(live, 0, offsetof(struct pario_live, slice));
    live->version = PARIO_LIVE_VERSION;
    live->size = sizeof(*live);
    live->process = process;
    live->thread = thread;
    live->slice_ticks = (uint64_t)ticks;
    live->gap_ticks = (uint64_t)(ticks / 10);
    pario_live_clear(live);
    live->block = 0;
    __atomic_store_n(&live->magic, PARIO_LIVE_MAGIC, __ATOMIC_RELEASE);
}

static uint32_t hash_call(const struct pario_call *call)
{
    uint64_t hash = (uint64_t)call->op * 0x9e3779b97f4a7c15u;

    for (int i = 0; i < PARIO_TRACE_ARGS; i++)
        hash = (hash ^ (uint64_t)call->args[i]) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (uint64_t)call->result) * 0xff51afd7ed558ccdu;
    return (uint32_t)(hash >> 40) % PARIO_LIVE_BUCKETS;
}

static int equal_calls(const struct pario_call *a, const struct pario_call *b)
{
    return a->op == b->op && a->result == b->result &&
           memcmp(a->args, b->args, sizeof(a->args)) == 0;
}

/* The offset becomes the distance from the last one of its file. */
static void take_distance(struct pario_live *live, struct pario_call *call)
{
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[call->op];

    for (int i = 0; i < PARIO_TRACE_ARGS && facts->args[i] != PARIO_ARG_NONE;
         i++)
        if (facts->args[i] == PARIO_ARG_OFFSET) {
            int at = pario_trace_arg_find((enum pario_trace_op)call->op,
                                          PARIO_ARG_FILE);
            int32_t slot = PARIO_FILE_SLOT(call->args[at]);
            int64_t offset = call->args[i];

            if (slot >= PARIO_LIVE_FILES)
                return;
            call->args[i] =
                (int64_t)((uint64_t)offset - (uint64_t)live->last_offset[slot]);
            live->last_offset[slot] = offset;
            return;
        }
}

/* The number of the call; PARIO_LIVE_CALLS: no room (the caller sees to it
 * that there is). */
static uint32_t find_call(struct pario_live *live,
                          const struct pario_call *call)
{
    uint32_t *bucket = &live->bucket[hash_call(call)];
    struct pario_live_call *added;

    for (uint32_t i = *bucket; i != 0; i = live->call[i - 1].next)
        if (equal_calls(&live->call[i - 1].call, call))
            return i - 1;
    added = &live->call[live->ncalls];
    added->call = *call;
    added->busy = added->longest = 0;
    added->next = *bucket;
    live->ncalls++;
    *bucket = live->ncalls;
    return live->ncalls - 1;
}

static int is_body(const struct pario_live *live, uint32_t loop,
                   const uint32_t *symbols, uint32_t len)
{
    return live->loop[loop].len == len &&
           memcmp(live->bodies + live->loop[loop].body, symbols,
                  len * sizeof(*symbols)) == 0;
}

static uint32_t add_body(struct pario_live *live, const uint32_t *body,
                         uint32_t len)
{
    uint32_t at = live->nbodies;

    memcpy(live->bodies + at, body, len * sizeof(*body));
    for (uint32_t i = 0; i < len; i++)
        if (body[i] >= LOOP)
            live->loop[body[i] - LOOP].uses++;
    live->nbodies += len;
    return at;
}

/* The symbol of a loop; the same for the same one, as far back as is looked. */
static uint32_t find_loop(struct pario_live *live, const uint32_t *body,
                          uint32_t len, uint64_t count)
{
    uint32_t oldest = live->nloops > LOOK_BACK ? live->nloops - LOOK_BACK : 0;
    uint32_t at = PARIO_LIVE_BODIES;
    struct pario_live_loop *loop;

    for (uint32_t i = live->nloops; i > oldest; i--) {
        loop = &live->loop[i - 1];
        if (!is_body(live, i - 1, body, len))
            continue;
        if (loop->uses == 0) /* the one that has been opened again */
            loop->count = count;
        if (loop->count == count)
            return LOOP + i - 1;
        at = loop->body; /* two counts of one body */
    }
    loop = &live->loop[live->nloops];
    loop->body = at < PARIO_LIVE_BODIES ? at : add_body(live, body, len);
    loop->len = len;
    loop->count = count;
    loop->uses = 0;
    live->nloops++;
    return LOOP + live->nloops - 1;
}

static void append(struct pario_live *live, uint32_t symbol)
{
    uint32_t at = live->nsymbols;

    live->symbol[at] = symbol;
    live->before[at] = live->latest[symbol];
    live->latest[symbol] = at + 1;
    if (symbol >= LOOP) {
        live->loop[symbol - LOOP].uses++;
        live->place[live->nplaces++] = at;
    }
    live->nsymbols = at + 1;
}

static void drop(struct pario_live *live, uint32_t count)
{
    while (count-- > 0) {
        uint32_t at = --live->nsymbols;
        uint32_t symbol = live->symbol[at];

        live->latest[symbol] = live->before[at];
        if (symbol >= LOOP) {
            live->loop[symbol - LOOP].uses--;
            live->nplaces--;
        }
    }
}

/* The last len symbols are the body of a loop that has begun. */
static void open_loop(struct pario_live *live, uint32_t len, uint64_t count)
{
    live->loop_len = len;
    live->loop_at = 0;
    live->loop_count = count;
}

/* A closed loop and its body once more: the loop goes on. */
static int reopen(struct pario_live *live)
{
    uint32_t n = live->nsymbols;

    for (uint32_t i = 0; i < CANDIDATES && i < live->nplaces; i++) {
        uint32_t place = live->place[live->nplaces - 1 - i];
        uint32_t len = n - 1 - place;
        uint32_t loop = live->symbol[place] - LOOP;

        if (len > PARIO_LIVE_PERIOD)
            return 0;
        if (len == 0 || !is_body(live, loop, live->symbol + place + 1, len))
            continue;
        drop(live, len + 1);
        for (uint32_t k = 0; k < len; k++)
            append(live, live->bodies[live->loop[loop].body + k]);
        open_loop(live, len, live->loop[loop].count + 1);
        return 1;
    }
    return 0;
}

/* Does the sequence end with something that comes twice? */
static void fold(struct pario_live *live)
{
    uint32_t n = live->nsymbols;
    uint32_t place = live->before[n - 1];

    /* What is opened must find room when it is closed. */
    if (live->nloops >= PARIO_LIVE_LOOPS ||
        live->nbodies + PARIO_LIVE_PERIOD > PARIO_LIVE_BODIES || reopen(live))
        return;
    for (int i = 0; i < CANDIDATES && place != 0; i++) {
        uint32_t len = n - place; /* place is one more than the index */

        if (len > PARIO_LIVE_PERIOD || 2 * len > n)
            return;
        if (memcmp(live->symbol + n - len, live->symbol + n - (size_t)2 * len,
                   len * sizeof(live->symbol[0])) == 0) {
            drop(live, len);
            open_loop(live, len, 2);
            return;
        }
        place = live->before[place - 1];
    }
}

/* The loop at the tail is over: it becomes one symbol, and what was seen of
 * its next round comes after it; both are put before the pending symbols. */
static uint32_t close_loop(struct pario_live *live, uint32_t *pending,
                           uint32_t npending)
{
    uint32_t len = live->loop_len, done = live->loop_at;
    uint32_t body[PARIO_LIVE_PERIOD];

    memcpy(body, live->symbol + live->nsymbols - len, len * sizeof(*body));
    drop(live, len);
    live->loop_len = live->loop_at = 0;
    /* pending is a stack: the first to come stands last. */
    for (uint32_t i = done; i > 0; i--)
        pending[npending++] = body[i - 1];
    pending[npending++] = find_loop(live, body, len, live->loop_count);
    live->loop_count = 0;
    return npending;
}

static void add_symbol(struct pario_live *live, uint32_t symbol)
{
    uint32_t pending[PENDING];
    uint32_t npending = 0;

    pending[npending++] = symbol;
    while (npending > 0) {
        uint32_t next = pending[npending - 1];
        uint32_t len = live->loop_len;

        if (len > 0 &&
            live->symbol[live->nsymbols - len + live->loop_at] == next) {
            npending--;
            if (++live->loop_at == len) {
                live->loop_at = 0;
                live->loop_count++;
            }
        } else if (len > 0) {
            npending = close_loop(live, pending, npending);
        } else {
            npending--;
            append(live, next);
            if (npending + PARIO_LIVE_PERIOD + 2 < PENDING)
                fold(live);
        }
    }
}

static void add_times(struct pario_live *live, uint64_t begin, uint64_t end)
{
    uint64_t gap = begin > live->last ? begin - live->last : 0;
    uint64_t busy = end > begin ? end - begin : 0;
    struct pario_live_slice *slice = &live->slice[live->nslices];

    /* The slice under way is the last one, and counted. */
    if (live->nslices > 0) {
        slice--;
        if (gap >= live->gap_ticks || busy >= live->gap_ticks ||
            slice->gaps + slice->busy >= live->slice_ticks)
            slice++;
    }
    if (slice == &live->slice[live->nslices]) {
        memset(slice, 0, sizeof(*slice));
        live->nslices++;
    }
    slice->calls++;
    slice->gaps += gap;
    slice->busy += busy;
    slice->waiting += live->waiting < gap ? live->waiting : gap;
    live->waiting = 0;
    live->last = end;
}

static int is_full(const struct pario_live *live)
{
    return live->ncalls >= PARIO_LIVE_CALLS - 1 ||
           live->nsymbols >= PARIO_LIVE_SYMBOLS - PENDING ||
           live->nslices >= PARIO_LIVE_SLICES - 1 ||
           live->nloops >= PARIO_LIVE_LOOPS - 64 ||
           live->nbodies >= PARIO_LIVE_BODIES - 8 * PARIO_LIVE_PERIOD;
}

int pario_live_add(struct pario_live *live, const struct pario_call *call,
                   uint64_t begin, uint64_t end)
{
    struct pario_call distant = *call;
    uint64_t busy = end > begin ? end - begin : 0;
    struct pario_live_call *found;
    uint32_t symbol;

    distant.spare = 0;
    live->busy = 1;
    take_distance(live, &distant);
    symbol = find_call(live, &distant);
    found = &live->call[symbol];
    found->busy += busy;
    if (busy > found->longest)
        found->longest = busy;
    add_symbol(live, symbol);
    add_times(live, begin, end);
    live->calls_added++;
    live->busy = 0;
    return is_full(live);
}
