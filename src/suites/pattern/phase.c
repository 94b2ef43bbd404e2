/* suites/pattern/phase.c - one timed phase of a pattern. */
#include "core/clock.h"
#include "par/series.h"
#include "par/watchdog.h"
#include "result/value.h"
#include "suites/pattern/timed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_MBPS 5.0 /* what the watchdog waits for */

const char *const pattern_access_names[] = {
    [PATTERN_WRITE] = "write",
    [PATTERN_READ] = "read",
    [PATTERN_MIX] = "mix",
    [PATTERN_PREPARE] = "prepare",
};

static int describe_error(const struct pattern_timed *timed)
{
    if (timed->code == 0)
        return 0;
    if (timed->message[0] != '\0')
        return pario_fail(timed->code, "%s", timed->message);
    return pario_io_fail(
        timed->code, timed->failed_write ? PARIO_WRITE : PARIO_READ,
        timed->path, timed->failed_at, timed->part->backend->name);
}

void pattern_timed_error(struct pattern_timed *timed, int code,
                         const struct pattern_op *op)
{
    if (code == 0 || timed->code != 0)
        return;
    timed->code = code;
    timed->failed_at = op->offset;
    timed->failed_write = (int)op->write;
    (void)describe_error(timed);
    snprintf(timed->message, sizeof(timed->message), "%s",
             pario_error_message());
    pario_watchdog_error();
}

/* Rank 0, once: what is in force is part of what was measured. */
static int note_hints(struct pattern_timed *timed)
{
    struct pattern_part *part = timed->part;
    struct pario_hints *hints = &part->in_force;
    int code = 0;

    if (part->backend->hints_in_force == NULL || hints->count > 0)
        return 0;
    code = part->backend->hints_in_force(timed->file, hints);
    for (size_t i = 0;
         code == 0 && part->run->result != NULL && i < hints->count; i++)
        pario_result_set(part->run->result, "hints_in_force",
                         hints->hint[i].key,
                         pario_json_text(hints->hint[i].value));
    return code;
}

static int open_file(void *arg)
{
    struct pattern_timed *timed = arg;
    const struct pattern_options *options = timed->part->options;
    static const int flags[] = {
        [PATTERN_WRITE] = PARIO_OPEN_WRITE | PARIO_OPEN_CREATE,
        [PATTERN_READ] = PARIO_OPEN_READ,
        [PATTERN_MIX] = PARIO_OPEN_READ | PARIO_OPEN_WRITE,
        [PATTERN_PREPARE] = PARIO_OPEN_WRITE | PARIO_OPEN_CREATE,
    };
    struct pario_target target = {
        .path = timed->path,
        .group = options->file_per_process ? NULL : timed->part->run->world,
        .flags = flags[timed->access],
        .queue_depth = (int)options->queue_depth,
    };
    int code;

    if (timed->access == PATTERN_WRITE && pattern_draws(options))
        target.flags = PARIO_OPEN_WRITE; /* it was prepared */
    if (options->direct && timed->access != PATTERN_PREPARE)
        target.flags |= PARIO_OPEN_DIRECT;
    if (options->rate == 0 && options->think_s == 0)
        target.flags |= timed->part->backend->open_flags & PARIO_OPEN_POLLED;
    code = timed->part->backend->open(&target, &timed->file);
    if (code == 0 && options->view)
        code = timed->part->backend->set_view(timed->file, timed->plan->base,
                                              options->block_bytes,
                                              timed->plan->segment_stride);
    return code != 0 ? code : note_hints(timed);
}

/* All stop after the same transfer: collective calls need all. */
static void move_together(struct pattern_timed *timed)
{
    struct pario_series series;
    int64_t n, end = 0;

    pario_series_start(&series, timed->part->run->world,
                       timed->part->options->stonewall_s,
                       timed->cycle > 0 ? 0 : timed->limit);
    while ((n = pario_series_next(&series)) > 0) {
        end += n;
        pattern_move(timed, end);
        series.failed = timed->code != 0;
    }
}

/* Everybody does as many transfers as the fastest had done at the stonewall. */
static int wear_out(struct pattern_timed *timed)
{
    int64_t most = 0;
    int code =
        pario_stonewall_most(timed->part->run->world, timed->done, &most);

    timed->stop_ns = INT64_MAX;
    if (code == 0 && timed->code == 0)
        pattern_move(timed, most);
    return code;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct pattern_timed *timed = arg;
    const struct pattern_options *options = timed->part->options;
    int stonewall =
        options->stonewall_s > 0 && timed->access != PATTERN_PREPARE;
    int code = 0;

    timed->phase = phase;
    timed->begin_ns = pario_clock_ns();
    if (stonewall && !timed->collective)
        timed->stop_ns =
            timed->begin_ns + (int64_t)(options->stonewall_s * 1e9);
    if (stonewall && timed->collective)
        move_together(timed);
    else
        pattern_move(timed, timed->limit);
    timed->at_stonewall = timed->done;
    if (stonewall && options->wear_out && !timed->collective)
        code = wear_out(timed);
    /* Meanwhile other requests are under way, and other processes go on. */
    if (timed->paused_ns > 0)
        pario_phase_paused(phase, timed->paused_ns,
                           !phase->writing && !pario_phase_reads_ahead(phase) &&
                               timed->depth <= 1 &&
                               pario_group_size(timed->part->run->world) == 1);
    phase->figures.bytes = timed->bytes;
    phase->figures.written_bytes = timed->written_bytes;
    phase->figures.operations = timed->done;
    return timed->code != 0 ? describe_error(timed) : code;
}

static int sync_file(void *arg)
{
    struct pattern_timed *timed = arg;

    if (!timed->part->options->fsync && timed->access != PATTERN_PREPARE)
        return 0;
    return timed->part->backend->sync(timed->file);
}

static int close_file(void *arg)
{
    struct pattern_timed *timed = arg;

    return timed->part->backend->close(timed->file);
}

/* What all have written can be read by whoever plays whose part. */
static int note_counts(struct pattern_timed *timed)
{
    struct pattern_part *part = timed->part;
    const struct pario_group *world = part->run->world;
    int64_t fewest = pattern_timed_different(timed);
    int code =
        pario_stonewall_count(world, timed->at_stonewall, &part->stonewall);

    if (code == 0)
        code = pario_reduce_i64(world, PARIO_MIN, &fewest, 1);
    if (timed->access == PATTERN_WRITE)
        part->written = fewest;
    if (timed->access == PATTERN_PREPARE)
        part->written = INT64_MAX; /* all of it */
    return code;
}

static int check(void *arg, struct pario_phase *phase)
{
    struct pattern_timed *timed = arg;
    int code;

    pario_samples_fold(&timed->part->samples, &timed->part->latency);
    /* Every pass writes the same. */
    phase->repeats_data = timed->written_bytes > 0 &&
                          pattern_timed_different(timed) < timed->done;
    code = note_counts(timed);
    if (code == 0 && timed->part->interval_bytes != NULL)
        code = pario_reduce_i64(timed->part->run->world, PARIO_SUM,
                                timed->part->interval_bytes, PATTERN_INTERVALS);
    return code != 0 ? code : pattern_timed_check(timed, &phase->figures);
}

static const struct pario_phase_calls calls = {
    .open = open_file,
    .loop = loop,
    .sync = sync_file,
    .close = close_file,
    .check = check,
};

/* What stands in the file of a rank: as the one has written it whose file it
 * is. */
static struct pattern_contents contents_of(const struct pattern_part *part,
                                           int rank)
{
    const struct pattern_part *writer =
        part->writer != NULL ? part->writer : part;
    const struct pattern_plan *plan = &writer->plan;

    return (struct pattern_contents){
        .key = part->run->data_key,
        .generation = writer->generation,
        .data_base =
            writer->options->file_per_process ? rank * plan->file_bytes : 0,
        .grid = plan->grid,
        .period = plan->period,
    };
}

static struct pattern_timed describe(struct pattern_part *part,
                                     enum pattern_access access)
{
    const struct pattern_options *options = part->options;
    const struct pattern_plan *plan =
        access == PATTERN_READ ? &part->read : &part->plan;
    enum pario_form form =
        options->collective ? PARIO_FORM_AT_ALL : PARIO_FORM_AT;
    struct pattern_timed timed = {
        .part = part,
        .plan = plan,
        .access = access,
        .path = access == PATTERN_READ ? part->read_path : part->path,
        .in_order = access == PATTERN_PREPARE || plan->list == NULL,
        .collective = options->collective,
        .depth = access == PATTERN_PREPARE ? 1 : (int)options->queue_depth,
        .limit = access == PATTERN_PREPARE ? plan->places : plan->count,
        .stop_ns = INT64_MAX,
        .contents = contents_of(part, plan->rank),
        .full = part->run->common.verify == PARIO_VERIFY_FULL &&
                access != PATTERN_MIX,
        .older = access == PATTERN_MIX,
        .unknown = part->existing,
        .source_len = plan->period + plan->longest,
    };

    timed.io[0] = part->backend->io[PARIO_READ][form];
    timed.io[1] = part->backend->io[PARIO_WRITE][form];
    if (access == PATTERN_READ && !part->existing &&
        part->written < timed.limit)
        timed.limit = part->written;
    if (options->time_based && access != PATTERN_PREPARE) {
        timed.cycle = timed.limit;
        timed.limit = INT64_MAX;
    }
    timed.in_order = timed.in_order && (options->order == PATTERN_SEQUENTIAL ||
                                        access == PATTERN_PREPARE);
    return timed;
}

static double scheduled_s(const struct pattern_timed *timed)
{
    const struct pattern_options *options = timed->part->options;
    double bytes = (double)timed->plan->region_bytes * timed->plan->size;
    double moving_s = bytes / (SLOW_MBPS * 1e6);

    if (timed->access != PATTERN_PREPARE && options->rate > 0)
        moving_s += (double)timed->plan->region_bytes / (double)options->rate;
    if (timed->access != PATTERN_PREPARE)
        moving_s += (double)timed->plan->count * options->think_s;
    if (timed->access != PATTERN_PREPARE && options->stonewall_s > 0)
        moving_s = options->stonewall_s * (options->wear_out ? 10 : 2) + 60;
    return moving_s + 1;
}

int pattern_phase(struct pattern_part *part, enum pattern_access access,
                  struct pario_phase *phase_p)
{
    struct pattern_timed timed = describe(part, access);
    char label[512], text[544];

    *phase_p = (struct pario_phase){
        .run = part->run,
        .group = part->run->world,
        .path = timed.path,
        .shared = !part->options->file_per_process,
        .writing = access != PATTERN_READ,
        .reading = access == PATTERN_READ || access == PATTERN_MIX,
        .direct = part->options->direct,
        .unchecked = part->existing,
        .unsynced = !part->options->fsync && part->options->fsync_every != 1,
        .scattered = !timed.in_order && !timed.collective,
        .latency = &part->latency,
    };
    part->samples.count = 0;
    part->samples.lost = 0;
    if (part->interval_bytes != NULL)
        memset(part->interval_bytes, 0,
               PATTERN_INTERVALS * sizeof(*part->interval_bytes));
    if (part->title != NULL)
        snprintf(text, sizeof(text), "%s", part->title);
    else
        snprintf(text, sizeof(text), "%s %s", pattern_access_names[access],
                 pario_fields_label(pattern_fields, 0, part->options, label,
                                    sizeof(label)));
    pario_run_phase(part->run, scheduled_s(&timed), "%s", text);
    /* Nothing stale may pass for what was read. */
    memset(part->space, 0,
           (size_t)timed.plan->longest * (size_t)part->options->queue_depth);
    return pario_phase_run(phase_p, &calls, &timed);
}
