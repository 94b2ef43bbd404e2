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
    struct pattern_op op = timed->in_order ? pattern_op_in_order(timed->plan, i)
                                           : pattern_op_at(timed->plan, i);

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

/* A transfer is over. */
static inline void account(struct pattern_timed *timed,
                           const struct pattern_op *op, const char *buffer,
                           int64_t i, int64_t took_ns)
{
    struct pattern_part *part = timed->part;

    pario_samples_take(&part->samples, &part->latency, took_ns);
    timed->bytes += op->len;
    if (op->write)
        timed->written_bytes += op->len;
    else
        memcpy(&part->words[(size_t)i & (PATTERN_KEPT - 1)],
               buffer + pattern_word_at(timed->contents.grid, op->offset),
               sizeof(uint64_t));
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

/* Rate and think time are the pattern's own: the clock runs on. */
static void wait_after(const struct pattern_timed *timed, int64_t now_ns)
{
    const struct pattern_options *options = timed->part->options;
    int64_t due_ns = now_ns + (int64_t)(options->think_s * 1e9);

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
                          int64_t i, int64_t now_ns)
{
    struct pattern_part *part = timed->part;
    int64_t every = part->options->fsync_every;

    if (op->write && every > 0 && (i + 1) % every == 0)
        pattern_timed_error(timed, part->backend->sync_mine(timed->file), op);
    if (part->interval_bytes != NULL)
        count_interval(timed, op->len, now_ns);
    if (!op->write && timed->full && !timed->unknown && timed->code == 0)
        check_read(timed, op, buffer);
    wait_after(timed, now_ns);
    return pario_clock_ns();
}

static int has_afterwards(const struct pattern_timed *timed)
{
    const struct pattern_options *options = timed->part->options;

    return timed->access != PATTERN_PREPARE &&
           (timed->full || options->fsync_every > 0 || options->rate > 0 ||
            options->think_s > 0 || options->interval_s > 0);
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
        code =
            timed->io[op.write](timed->file, buffer, op.len,
                                view ? i * timed->plan->transfer : op.offset);
        now_ns = pario_clock_ns();
        if (code != 0)
            pattern_timed_error(timed, code, &op);
        if (timed->code != 0 && !timed->collective)
            break;
        account(timed, &op, buffer, i, now_ns - last_ns);
        last_ns = extras ? afterwards(timed, &op, buffer, i, now_ns) : now_ns;
        i++;
    }
    timed->done = i;
}

/* A request under way. */
struct slot {
    struct pario_request request;
    struct pattern_op op;
    char *buffer;
    int64_t number, begun_ns;
};

static void start(struct pattern_timed *timed, struct slot *slot, int place,
                  int64_t i, int64_t now_ns)
{
    slot->op = next_op(timed, i);
    slot->buffer = buffer_of(timed, place, &slot->op);
    slot->number = i;
    slot->begun_ns = now_ns;
    pario_position_at(slot->op.offset);
    pattern_timed_error(
        timed,
        timed->part->backend->start(
            timed->file, slot->op.write ? PARIO_WRITE : PARIO_READ,
            slot->buffer, slot->op.len, slot->op.offset, &slot->request),
        &slot->op);
}

/* The time of a request reaches from its start until its end is seen, in the
 * order of the starts. */
static void move_queued(struct pattern_timed *timed, int64_t end)
{
    struct slot slots[PATTERN_DEPTH];
    int extras = has_afterwards(timed);
    int64_t now_ns = pario_clock_ns(), started = timed->done;

    while (timed->done < started ||
           (started < end && now_ns < timed->stop_ns && timed->code == 0)) {
        struct slot *slot = &slots[timed->done % timed->depth];

        if (started < end && started - timed->done < timed->depth &&
            now_ns < timed->stop_ns && timed->code == 0) {
            int place = (int)(started % timed->depth);

            start(timed, &slots[place], place, started, now_ns);
            started += timed->code == 0;
            if (started - timed->done < timed->depth)
                now_ns = pario_clock_ns();
            continue;
        }
        pattern_timed_error(
            timed, timed->part->backend->wait(timed->file, &slot->request),
            &slot->op);
        now_ns = pario_clock_ns();
        account(timed, &slot->op, slot->buffer, slot->number,
                now_ns - slot->begun_ns);
        if (extras)
            now_ns = afterwards(timed, &slot->op, slot->buffer, slot->number,
                                now_ns);
        timed->done++;
    }
}

void pattern_move(struct pattern_timed *timed, int64_t end)
{
    if (timed->depth > 1)
        move_queued(timed, end);
    else
        move_blocking(timed, end);
}
