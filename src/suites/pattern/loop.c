/* suites/pattern/loop.c - the timed loops of a pattern. */
#include "core/clock.h"
#include "par/watchdog.h"
#include "suites/pattern/timed.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static inline struct pattern_op next_op(const struct pattern_timed *timed,
                                        int64_t i)
{
    int64_t place = pattern_timed_place(timed, i);
    struct pattern_op op = timed->in_order
                               ? pattern_op_in_order(timed->plan, place)
                               : pattern_op_at(timed->plan, place);

    if (timed->access == PATTERN_WRITE || timed->access == PATTERN_PREPARE)
        op.write = 1;
    return op;
}

/* What is written, stamped; or where the data read goes. */
static inline char *buffer_of(const struct pattern_timed *timed, int slot,
                              const struct pattern_op *op)
{
    const struct pattern_part *part = timed->part;
    char *source;

    if (!op->write)
        return part->space + (size_t)slot * timed->plan->longest;
    source = part->source + slot * timed->source_len +
             (op->offset & (timed->contents.period - 1));
    pattern_contents_stamp(&timed->contents, op->offset, source, op->len);
    return source;
}

#define LINE 64 /* bytes of a line of the caches */

/* A transfer is over. The lines where the next samples and words go are asked
 * for in time: after calls that copy data they are in memory, and a store that
 * waits for one holds up those of the next call. */
static inline void account(struct pattern_timed *timed,
                           const struct pattern_op *op, const char *buffer,
                           int64_t i, int64_t took_ns)
{
    struct pattern_part *part = timed->part;
    const uint32_t *sample = part->samples.ns + part->samples.count;

    __builtin_prefetch(sample + LINE / sizeof(*sample), 1);
    pario_samples_take(&part->samples, &part->latency, took_ns);
    timed->bytes += op->len;
    if (op->write) {
        timed->written_bytes += op->len;
    } else {
        uint64_t *word = &part->words[(size_t)i & (PATTERN_KEPT - 1)];

        __builtin_prefetch(word + LINE / sizeof(*word), 1);
        memcpy(word, buffer + pattern_word_at(timed->contents.grid, op->offset),
               sizeof(*word));
    }
}

/* Until the clock says so, or the time of the phase is over. */
static void sleep_until(const struct pattern_timed *timed, int64_t due_ns)
{
    struct timespec due;

    if (due_ns > timed->stop_ns)
        due_ns = timed->stop_ns;
    due.tv_sec = (time_t)(due_ns / 1000000000);
    due.tv_nsec = (long)(due_ns % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
        ;
}

/* Rate and think time are the pattern's own: the clock runs on. calls: those
 * that nobody has waited after. */
static void wait_after(const struct pattern_timed *timed, int64_t calls,
                       int64_t now_ns)
{
    const struct pattern_options *options = timed->part->options;
    int64_t due_ns = now_ns + (int64_t)(options->think_s * (double)calls * 1e9);

    if (options->rate > 0) {
        int64_t earliest_ns =
            timed->begin_ns +
            (int64_t)((double)timed->bytes / (double)options->rate * 1e9);

        due_ns = earliest_ns > due_ns ? earliest_ns : due_ns;
    }
    if (due_ns > now_ns)
        sleep_until(timed, due_ns);
}

static void count_interval(struct pattern_timed *timed, uint32_t len,
                           int64_t now_ns)
{
    double interval_ns = timed->part->options->interval_s * 1e9;
    int64_t i = (int64_t)((double)(now_ns - timed->begin_ns) / interval_ns);

    if (i >= PATTERN_INTERVALS)
        i = PATTERN_INTERVALS - 1;
    timed->part->interval_bytes[i] += len;
}

/* With the clock stopped. */
static void check_read(struct pattern_timed *timed, const struct pattern_op *op,
                       const char *buffer)
{
    int64_t begun_ns = pario_clock_ns(), took_ns;

    (void)pattern_contents_check(&timed->contents, op->offset, buffer, op->len,
                                 &timed->found);
    took_ns = pario_clock_ns() - begun_ns;
    timed->paused_ns += took_ns;
    if (timed->stop_ns < INT64_MAX)
        timed->stop_ns += took_ns;
}

/* What not all patterns need: it comes after the call, and is outside the time
 * of the call. Returns the clock. */
static int64_t afterwards(struct pattern_timed *timed,
                          const struct pattern_op *op, const char *buffer,
                          int64_t now_ns)
{
    struct pattern_part *part = timed->part;
    int64_t every = part->options->fsync_every;

    if (op->write && every > 0 && ++timed->since_sync == every) {
        pattern_timed_error(timed, part->backend->sync_mine(timed->file), op);
        timed->since_sync = 0;
    }
    if (part->interval_bytes != NULL)
        count_interval(timed, op->len, now_ns);
    if (!op->write && timed->full && !timed->unknown && timed->code == 0)
        check_read(timed, op, buffer);
    if (timed->depth <= 1) /* else when nothing is under way */
        wait_after(timed, 1, now_ns);
    return pario_clock_ns();
}

static int has_afterwards(const struct pattern_timed *timed)
{
    const struct pattern_options *options = timed->part->options;

    return timed->access != PATTERN_PREPARE &&
           (timed->full || options->fsync_every > 0 || options->rate > 0 ||
            options->think_s > 0 || options->interval_s > 0);
}

static int waits(const struct pattern_timed *timed)
{
    const struct pattern_options *options = timed->part->options;

    return timed->access != PATTERN_PREPARE &&
           (options->rate > 0 || options->think_s > 0);
}

/* One clock reading per call: the time of a call reaches from the end of the
 * one before it to its own end. */
static void move_blocking(struct pattern_timed *timed, int64_t end)
{
    int extras = has_afterwards(timed), view = timed->part->options->view;
    int64_t last_ns = pario_clock_ns(), i = timed->done;

    while (i < end && last_ns < timed->stop_ns) {
        struct pattern_op op = next_op(timed, i);
        char *buffer = buffer_of(timed, 0, &op);
        int64_t now_ns;
        int code;

        pario_position_at(op.offset);
        code = timed->io[op.write](timed->file, buffer, op.len,
                                   view ? pattern_timed_place(timed, i) *
                                              timed->plan->transfer
                                        : op.offset);
        now_ns = pario_clock_ns();
        if (code != 0)
            pattern_timed_error(timed, code, &op);
        if (timed->code != 0 && !timed->collective)
            break;
        account(timed, &op, buffer, i, now_ns - last_ns);
        last_ns = extras ? afterwards(timed, &op, buffer, now_ns) : now_ns;
        i++;
    }
    timed->done = timed->last_in[0] = i;
}

/* A request under way; the request comes first: it is what is given back. */
struct slot {
    struct pario_request request;
    int place; /* of its buffers */
    struct pattern_op op;
    char *buffer;
    int64_t number, begun_ns;
};

static void start(struct pattern_timed *timed, struct slot *slot, int64_t i,
                  int64_t now_ns)
{
    slot->op = next_op(timed, i);
    slot->buffer = buffer_of(timed, slot->place, &slot->op);
    slot->number = i;
    timed->last_in[slot->place] = i + 1;
    slot->begun_ns = now_ns;
    pario_position_at(slot->op.offset);
    pattern_timed_error(
        timed,
        timed->part->backend->start(
            timed->file, slot->op.write ? PARIO_WRITE : PARIO_READ,
            slot->buffer, slot->op.len, slot->op.offset, &slot->request),
        &slot->op);
}

/* Whichever is done first; 0: the queue itself has failed. */
static int finish_one(struct pattern_timed *timed, int extras,
                      struct slot **slot_p, int64_t *now_p)
{
    struct pario_request *request = NULL;
    struct slot *slot;
    int code = timed->part->backend->next(timed->file, 1, &request);

    if (code != 0 || request == NULL) {
        pattern_timed_error(timed, code != 0 ? code : -EIO,
                            &(struct pattern_op){.write = 0});
        return 0;
    }
    slot = (struct slot *)(void *)request;
    pattern_timed_error(timed, request->result, &slot->op);
    *now_p = pario_clock_ns();
    account(timed, &slot->op, slot->buffer, slot->number,
            *now_p - slot->begun_ns);
    if (extras)
        *now_p = afterwards(timed, &slot->op, slot->buffer, *now_p);
    timed->done++;
    *slot_p = slot;
    return 1;
}

/* The time of a request reaches from its start until its end is seen. Nothing
 * is under way while the pattern waits, or that would be in it. */
static void move_queued(struct pattern_timed *timed, int64_t end)
{
    struct slot slots[PATTERN_DEPTH], *idle[PATTERN_DEPTH];
    int extras = has_afterwards(timed), nidle = timed->depth;
    int64_t now_ns = pario_clock_ns(), started = timed->done, ended = 0;

    for (int i = 0; i < timed->depth; i++) {
        slots[i].place = i;
        idle[i] = &slots[i];
    }
    for (;;) {
        int more = started < end && now_ns < timed->stop_ns && timed->code == 0;

        if (ended > 0 && nidle == timed->depth && timed->code == 0) {
            wait_after(timed, ended, now_ns);
            now_ns = pario_clock_ns();
            ended = 0;
        } else if (more && nidle > 0 && ended == 0) {
            start(timed, idle[nidle - 1], started, now_ns);
            if (timed->code != 0)
                continue;
            nidle--;
            started++;
            if (nidle > 0)
                now_ns = pario_clock_ns();
        } else if (nidle == timed->depth ||
                   !finish_one(timed, extras, &idle[nidle], &now_ns)) {
            return;
        } else {
            nidle++;
            ended += waits(timed);
        }
    }
}

void pattern_move(struct pattern_timed *timed, int64_t end)
{
    if (timed->depth > 1)
        move_queued(timed, end);
    else
        move_blocking(timed, end);
}
