/* trace/live_encode.c - a block as it stands in a file, and whether a live is
 * fit to become one. docs/trace-format.md describes the bytes. */
#include "trace/bytes.h"
#include "trace/live.h"

#include <errno.h>
#include <string.h>

static double ns_per_tick(const struct pario_live *live)
{
    uint64_t ticks = live->ticks[1] - live->ticks[0];
    uint64_t ns = live->ns[1] - live->ns[0];

    return ticks > 0 && ns > 0 ? (double)ns / (double)ticks : 1.0;
}

static uint64_t to_ns(uint64_t ticks, double factor)
{
    return (uint64_t)((double)ticks * factor + 0.5);
}

static uint8_t *put_call(uint8_t *at, const struct pario_live_call *call,
                         double factor)
{
    const enum pario_trace_arg *args = pario_trace_op_table[call->call.op].args;

    at = pario_put_uint(at, (uint64_t)call->call.op);
    for (int i = 0; i < PARIO_TRACE_ARGS && args[i] != PARIO_ARG_NONE; i++)
        at = pario_put_int(at, call->call.args[i]);
    at = pario_put_int(at, call->call.result);
    at = pario_put_uint(at, to_ns(call->busy, factor));
    return pario_put_uint(at, to_ns(call->longest, factor));
}

/* In the file the loops follow the calls that there are. */
static uint8_t *put_symbol(uint8_t *at, const struct pario_live *live,
                           uint32_t symbol)
{
    if (symbol >= PARIO_LIVE_CALLS)
        symbol = symbol - PARIO_LIVE_CALLS + live->ncalls;
    return pario_put_uint(at, symbol);
}

static uint8_t *put_loop(uint8_t *at, const struct pario_live *live,
                         const uint32_t *body, uint32_t len, uint64_t count)
{
    at = pario_put_uint(at, len);
    at = pario_put_uint(at, count);
    for (uint32_t i = 0; i < len; i++)
        at = put_symbol(at, live, body[i]);
    return at;
}

/* The loop at the tail, as if it ended here. */
static uint8_t *put_sequence(uint8_t *at, const struct pario_live *live)
{
    uint32_t closed = live->nsymbols - live->loop_len;
    const uint32_t *tail = live->symbol + closed;

    at = pario_put_uint(at, live->nloops + (live->loop_len > 0));
    for (uint32_t i = 0; i < live->nloops; i++)
        at = put_loop(at, live, live->bodies + live->loop[i].body,
                      live->loop[i].len, live->loop[i].count);
    if (live->loop_len > 0)
        at = put_loop(at, live, tail, live->loop_len, live->loop_count);
    at = pario_put_uint(at, closed + (live->loop_len > 0) + live->loop_at);
    for (uint32_t i = 0; i < closed; i++)
        at = put_symbol(at, live, live->symbol[i]);
    if (live->loop_len > 0)
        at = pario_put_uint(at, live->ncalls + live->nloops);
    for (uint32_t i = 0; i < live->loop_at; i++)
        at = put_symbol(at, live, tail[i]);
    return at;
}

size_t pario_live_encode(const struct pario_live *live, uint8_t *block)
{
    double factor = ns_per_tick(live);
    double start = ((double)live->start - (double)live->ticks[0]) * factor;
    uint8_t *at = block;

    at = pario_put_uint(at, live->thread);
    at = pario_put_uint(at, live->block);
    at = pario_put_uint(at, live->ns[0] + (uint64_t)(start > 0 ? start : 0));
    at = pario_put_uint(at, live->lost_calls);
    at = pario_put_uint(at, live->ncalls);
    for (uint32_t i = 0; i < live->ncalls; i++)
        at = put_call(at, &live->call[i], factor);
    at = put_sequence(at, live);
    at = pario_put_uint(at, live->nslices);
    for (uint32_t i = 0; i < live->nslices; i++) {
        const struct pario_live_slice *slice = &live->slice[i];

        at = pario_put_uint(at, slice->calls);
        at = pario_put_uint(at, to_ns(slice->gaps, factor));
        at = pario_put_uint(at, to_ns(slice->busy, factor));
        at = pario_put_uint(at, to_ns(slice->waiting, factor));
    }
    return (size_t)(at - block);
}

static int good_symbol(const struct pario_live *live, uint32_t symbol,
                       uint32_t nloops)
{
    return symbol < PARIO_LIVE_CALLS ? symbol < live->ncalls
                                     : symbol - PARIO_LIVE_CALLS < nloops;
}

static int good_loops(const struct pario_live *live)
{
    for (uint32_t i = 0; i < live->nloops; i++) {
        const struct pario_live_loop *loop = &live->loop[i];

        if (loop->len == 0 || loop->len > PARIO_LIVE_PERIOD ||
            loop->body > live->nbodies ||
            loop->len > live->nbodies - loop->body)
            return 0;
        for (uint32_t k = 0; k < loop->len; k++)
            if (!good_symbol(live, live->bodies[loop->body + k], i))
                return 0;
    }
    return 1;
}

int pario_live_check(const struct pario_live *live, size_t len)
{
    if (len < sizeof(*live) || live->magic != PARIO_LIVE_MAGIC ||
        live->version != PARIO_LIVE_VERSION || live->size != sizeof(*live))
        return -EINVAL;
    if (live->ncalls > PARIO_LIVE_CALLS ||
        live->nsymbols > PARIO_LIVE_SYMBOLS ||
        live->nloops > PARIO_LIVE_LOOPS || live->nbodies > PARIO_LIVE_BODIES ||
        live->nslices > PARIO_LIVE_SLICES ||
        live->loop_len > PARIO_LIVE_PERIOD || live->loop_len > live->nsymbols ||
        (live->loop_len > 0 ? live->loop_at >= live->loop_len
                            : live->loop_at > 0))
        return -EINVAL;
    for (uint32_t i = 0; i < live->ncalls; i++)
        if (live->call[i].call.op < 0 || live->call[i].call.op >= PARIO_OPS)
            return -EINVAL;
    if (!good_loops(live))
        return -EINVAL;
    for (uint32_t i = 0; i < live->nsymbols; i++)
        if (!good_symbol(live, live->symbol[i], live->nloops))
            return -EINVAL;
    return 0;
}
