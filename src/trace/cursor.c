/* trace/cursor.c - the calls of a stream, one after the other: loops are
 * walked, offsets added up, times taken from their slices. */
#include "trace/bytes.h"
#include "trace/reader_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 4096                /* of loops in loops */
#define MAX_CALLS ((uint64_t)1 << 48) /* of a block: years of calls */
#define STEPS_PER_BYTE 100

struct loop {
    size_t body, len; /* in symbols */
    uint64_t count;
    uint64_t calls; /* of all rounds */
    uint64_t steps; /* the same, with entries of loops: what a walk takes */
    uint32_t depth;
};

/* What a list of symbols comes to; fewer than 2^61 steps. */
struct extent {
    uint64_t calls, steps;
    uint32_t depth;
};

struct slice {
    uint64_t calls, gaps_ns, busy_ns, waiting_ns;
};

/* A block as it is read: all arrays are as long as the file says, which is at
 * most one element per byte. */
struct block {
    struct pario_call *calls;
    size_t ncalls;
    uint64_t *symbols; /* bodies of the loops, then the sequence */
    size_t nsymbols, room, sequence;
    struct loop *loops;
    size_t nloops;
    struct slice *slices;
    size_t nslices;
    int64_t start_ns;
    struct extent total; /* loops as often as they run */
};

struct frame {
    size_t at, end; /* in symbols */
    size_t begin;
    uint64_t rounds; /* left, without this one */
};

struct pario_cursor {
    const struct pario_trace *trace;
    const struct pario_trace_stream *stream;
    size_t part; /* the next one */
    struct block block;
    struct frame *frames;
    size_t depth;
    size_t slice;
    struct slice left; /* of the slice under way */
    int exact;
    int64_t now_ns;
    int64_t last_offset[PARIO_LIVE_FILES];
};

static void block_fini(struct block *block)
{
    free(block->calls);
    free(block->symbols);
    free(block->loops);
    free(block->slices);
    memset(block, 0, sizeof(*block));
}

static int get_call(struct pario_bytes *bytes, struct pario_call *call)
{
    uint64_t op = pario_get_uint(bytes);

    if (op >= PARIO_OPS)
        return -EINVAL;
    call->op = (int32_t)op;
    for (int i = 0; i < PARIO_TRACE_ARGS &&
                    pario_trace_op_table[op].args[i] != PARIO_ARG_NONE;
         i++)
        call->args[i] = pario_get_int(bytes);
    call->result = pario_get_int(bytes);
    (void)pario_get_uint(bytes); /* busy_ns of all equal calls */
    (void)pario_get_uint(bytes); /* the longest */
    return bytes->bad ? -EINVAL : 0;
}

/* len symbols, each a call or one of the first nloops loops. */
static int get_symbols(struct block *block, struct pario_bytes *bytes,
                       size_t len, size_t nloops, struct extent *extent_p)
{
    memset(extent_p, 0, sizeof(*extent_p));
    if (len > block->room - block->nsymbols)
        return -EINVAL;
    for (size_t i = 0; i < len; i++) {
        uint64_t symbol = pario_get_uint(bytes);

        if (bytes->bad || symbol >= block->ncalls + nloops)
            return -EINVAL;
        if (symbol >= block->ncalls) {
            const struct loop *loop = &block->loops[symbol - block->ncalls];

            if (loop->depth > extent_p->depth)
                extent_p->depth = loop->depth;
            extent_p->calls += loop->calls;
            extent_p->steps += loop->steps;
        } else {
            extent_p->calls++;
        }
        extent_p->steps++;
        if (extent_p->calls > MAX_CALLS)
            return -EINVAL;
        block->symbols[block->nsymbols++] = symbol;
    }
    return 0;
}

static int get_loops(struct block *block, struct pario_bytes *bytes)
{
    for (size_t i = 0; i < block->nloops; i++) {
        struct loop *loop = &block->loops[i];
        struct extent round;

        loop->len = pario_get_count(bytes);
        loop->count = pario_get_uint(bytes);
        loop->body = block->nsymbols;
        if (bytes->bad || loop->len == 0 || loop->count == 0 ||
            get_symbols(block, bytes, loop->len, i, &round) != 0 ||
            round.depth >= MAX_DEPTH || loop->count > MAX_CALLS / round.calls)
            return -EINVAL;
        loop->calls = round.calls * loop->count;
        loop->steps = round.steps * loop->count;
        loop->depth = round.depth + 1;
    }
    return 0;
}

static int get_slices(struct block *block, struct pario_bytes *bytes)
{
    for (size_t i = 0; i < block->nslices; i++) {
        struct slice *slice = &block->slices[i];

        slice->calls = pario_get_uint(bytes);
        slice->gaps_ns = pario_get_uint(bytes);
        slice->busy_ns = pario_get_uint(bytes);
        slice->waiting_ns = pario_get_uint(bytes);
        /* So that sums of times stay below 2^63. */
        if (bytes->bad || slice->calls == 0 || slice->gaps_ns >> 60 != 0 ||
            slice->busy_ns >> 60 != 0)
            return -EINVAL;
    }
    return 0;
}

/* The arrays, when there is memory; the number of elements is at most that of
 * the bytes left. */
#define ALLOCATE(array, count)                                                 \
    (((array) = calloc((count) + 1, sizeof(*(array)))) == NULL ? -ENOMEM : 0)

static int block_init(struct block *block, const uint8_t *data, size_t len)
{
    struct pario_bytes bytes = {data, data + len, 0};
    int code;

    (void)pario_get_uint(&bytes); /* thread */
    (void)pario_get_uint(&bytes); /* block */
    block->start_ns = (int64_t)(pario_get_uint(&bytes) >> 1 << 1);
    (void)pario_get_uint(&bytes); /* lost calls */
    block->ncalls = pario_get_count(&bytes);
    code = ALLOCATE(block->calls, block->ncalls);
    for (size_t i = 0; i < block->ncalls && code == 0; i++)
        code = get_call(&bytes, &block->calls[i]);
    if (code != 0)
        return code;
    block->nloops = pario_get_count(&bytes);
    block->room = (size_t)(bytes.end - bytes.at);
    code = ALLOCATE(block->loops, block->nloops);
    if (code == 0)
        code = ALLOCATE(block->symbols, block->room);
    if (code == 0)
        code = get_loops(block, &bytes);
    block->sequence = block->nsymbols;
    if (code == 0)
        code = get_symbols(block, &bytes, pario_get_count(&bytes),
                           block->nloops, &block->total);
    if (code != 0)
        return code;
    block->nslices = pario_get_count(&bytes);
    code = ALLOCATE(block->slices, block->nslices);
    if (code == 0)
        code = get_slices(block, &bytes);
    return code == 0 && (bytes.bad || block->start_ns < 0) ? -EINVAL : code;
}

int pario_cursor_open(const struct pario_trace *trace, size_t process,
                      size_t stream, struct pario_cursor **cursor_p)
{
    struct pario_cursor *cursor = calloc(1, sizeof(*cursor));

    if (cursor != NULL)
        cursor->frames = calloc(MAX_DEPTH + 2, sizeof(*cursor->frames));
    if (cursor == NULL || cursor->frames == NULL) {
        free(cursor);
        return pario_fail_errno(-ENOMEM, "cannot read %s", trace->path);
    }
    cursor->trace = trace;
    cursor->stream = &trace->members[process].streams[stream];
    *cursor_p = cursor;
    return 0;
}

void pario_cursor_close(struct pario_cursor *cursor)
{
    if (cursor == NULL)
        return;
    block_fini(&cursor->block);
    free(cursor->frames);
    free(cursor);
}

/* 1: a block begins; 0: there is no more. */
static int next_block(struct pario_cursor *cursor)
{
    const struct pario_trace_part *part;
    uint8_t *data;
    int code;

    block_fini(&cursor->block);
    if (cursor->part == cursor->stream->nparts)
        return 0;
    part = &cursor->trace->parts[cursor->stream->parts[cursor->part++]];
    code = pario_trace_load(cursor->trace, part, &data);
    if (code != 0)
        return code;
    code = block_init(&cursor->block, data, (size_t)part->chunk.len);
    free(data);
    if (code == -EINVAL)
        return pario_fail(PARIO_EFORMAT, "%s: calls are damaged at byte %lld",
                          cursor->trace->path, (long long)part->offset);
    if (code != 0)
        return pario_fail_errno(code, "cannot read %s", cursor->trace->path);
    cursor->depth = 1;
    cursor->frames[0] = (struct frame){.at = cursor->block.sequence,
                                       .begin = cursor->block.sequence,
                                       .end = cursor->block.nsymbols};
    cursor->slice = 0;
    memset(&cursor->left, 0, sizeof(cursor->left));
    memset(cursor->last_offset, 0, sizeof(cursor->last_offset));
    cursor->now_ns = cursor->block.start_ns;
    return 1;
}

int pario_trace_count(const struct pario_trace *trace, size_t process,
                      size_t stream, uint64_t *calls_p)
{
    struct pario_cursor *cursor = NULL;
    int more = pario_cursor_open(trace, process, stream, &cursor);

    *calls_p = 0;
    if (more != 0)
        return more;
    while ((more = next_block(cursor)) > 0)
        *calls_p += cursor->block.total.calls; /* below 2^48 each */
    pario_cursor_close(cursor);
    return more;
}

/* Adds the calls of one process, with entries of loops or without, until there
 * are more than the limit. */
static int add_calls(const struct pario_trace *trace, size_t process,
                     int with_loops, uint64_t limit, uint64_t *sum)
{
    size_t nstreams = trace->members[process].facts.nstreams;
    int more = 0;

    for (size_t s = 0; s < nstreams && more == 0; s++) {
        struct pario_cursor *cursor = NULL;

        more = pario_cursor_open(trace, process, s, &cursor);
        while (more == 0 && *sum <= limit && (more = next_block(cursor)) > 0) {
            *sum += with_loops ? cursor->block.total.steps
                               : cursor->block.total.calls;
            more = 0;
        }
        pario_cursor_close(cursor);
    }
    return more;
}

static int refuse(const struct pario_trace *trace, uint64_t limit)
{
    int millions = limit >= 1000000;

    return pario_fail(PARIO_EFORMAT,
                      "%s stands for more than %llu%s calls, which take long "
                      "to read: --max-calls N allows N",
                      trace->path,
                      (unsigned long long)(millions ? limit / 1000000 : limit),
                      millions ? " million" : "");
}

int pario_trace_check_calls(const struct pario_trace *trace, int64_t max,
                            int64_t usual)
{
    uint64_t limit = (uint64_t)(max > 0 ? max : usual), sum = 0;
    int code = 0;

    for (size_t i = 0; i < trace->nparts && max <= 0; i++)
        limit += STEPS_PER_BYTE * trace->parts[i].chunk.len;
    for (size_t p = 0; p < trace->nmembers && code == 0 && sum <= limit; p++)
        code = add_calls(trace, p, max <= 0, limit, &sum);
    return code == 0 && sum > limit ? refuse(trace, limit) : code;
}

/* The next call of the block; NULL: it is over. */
static const struct pario_call *next_call(struct pario_cursor *cursor)
{
    struct block *block = &cursor->block;

    while (cursor->depth > 0) {
        struct frame *frame = &cursor->frames[cursor->depth - 1];
        uint64_t symbol;

        if (frame->at == frame->end) {
            if (frame->rounds > 0) {
                frame->rounds--;
                frame->at = frame->begin;
            } else {
                cursor->depth--;
            }
            continue;
        }
        symbol = block->symbols[frame->at++];
        if (symbol < block->ncalls)
            return &block->calls[symbol];
        const struct loop *loop = &block->loops[symbol - block->ncalls];

        cursor->frames[cursor->depth++] =
            (struct frame){.at = loop->body,
                           .begin = loop->body,
                           .end = loop->body + loop->len,
                           .rounds = loop->count - 1};
    }
    return NULL;
}

/* An even part of what is left of a slice for each of its calls. */
static uint64_t take_part(uint64_t *left, uint64_t calls)
{
    uint64_t part = *left / calls;

    *left -= part;
    return part;
}

static void take_times(struct pario_cursor *cursor, struct pario_event *event)
{
    struct slice *left = &cursor->left;

    if (left->calls == 0 && cursor->slice < cursor->block.nslices) {
        *left = cursor->block.slices[cursor->slice++];
        cursor->exact = left->calls == 1;
    }
    event->exact = cursor->exact;
    event->waiting_ns = 0;
    if (left->calls > 0) {
        cursor->now_ns += (int64_t)take_part(&left->gaps_ns, left->calls);
        event->begin_ns = cursor->now_ns;
        cursor->now_ns += (int64_t)take_part(&left->busy_ns, left->calls);
        event->waiting_ns =
            (int64_t)(take_part(&left->waiting_ns, left->calls) >> 1 << 1);
        left->calls--;
    } else {
        event->begin_ns = cursor->now_ns;
    }
    if (cursor->now_ns >> 61 != 0) /* centuries */
        cursor->now_ns = 0;
    event->end_ns = cursor->now_ns;
}

static void take_offset(struct pario_cursor *cursor, struct pario_event *event)
{
    int at = pario_trace_arg_find(event->op, PARIO_ARG_OFFSET);
    int file = pario_trace_arg_find(event->op, PARIO_ARG_FILE);
    int32_t slot;

    if (at < 0 || file < 0)
        return;
    slot = PARIO_FILE_SLOT(event->args[file]);
    if (slot >= PARIO_LIVE_FILES)
        return;
    event->args[at] = (int64_t)((uint64_t)event->args[at] +
                                (uint64_t)cursor->last_offset[slot]);
    cursor->last_offset[slot] = event->args[at];
}

int pario_cursor_next(struct pario_cursor *cursor, struct pario_event *event_p)
{
    const struct pario_call *call;

    while ((call = next_call(cursor)) == NULL) {
        int code = next_block(cursor);

        if (code <= 0)
            return code;
    }
    event_p->op = (enum pario_trace_op)call->op;
    memcpy(event_p->args, call->args, sizeof(event_p->args));
    event_p->result = call->result;
    take_offset(cursor, event_p);
    take_times(cursor, event_p);
    return 1;
}
