/* suites/quick/phase.c - one timed phase of `pario quick`. */
#include "suites/quick/phase.h"

#include "core/clock.h"
#include "core/data.h"
#include "measure/residency.h"
#include "par/series.h"
#include "par/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 64
#define SAMPLE_BYTES 4096 /* of each read, with --verify sample */

/* All that the timed loops touch. */
struct timed {
    const struct pario_backend *backend;
    struct pario_file *file;
    pario_io_fn *io;
    enum pario_direction direction;
    struct quick_part *part;
    int64_t rank, size; /* shared file: chunk c of rank r is c * size + r */
    int64_t request;
    int64_t cycle;  /* after so many chunks a rewrite or read begins anew */
    int64_t done;   /* chunks moved by this rank, passes and all */
    int code;       /* the first error; the rank goes on deciding with others */
    int collective; /* then it goes on calling, too */
    int64_t failed_offset;
};

static int64_t chunk_of(const struct quick_part *part, int64_t i)
{
    return part->what->random
               ? (int64_t)pario_perm_at(&part->order, (uint64_t)i)
               : i;
}

static int64_t file_offset(const struct timed *timed, int64_t i)
{
    return (chunk_of(timed->part, i) * timed->size + timed->rank) *
           timed->request;
}

static int describe_error(const struct timed *timed)
{
    const char *verb = timed->direction == PARIO_WRITE ? "write" : "read";

    if (timed->code == 0)
        return 0;
    if (timed->code == PARIO_EMPI)
        return pario_fail(timed->code, "cannot %s %s at offset %lld (%s): %s",
                          verb, timed->part->path,
                          (long long)timed->failed_offset, timed->backend->name,
                          pario_error_message());
    return pario_fail_errno(timed->code, "cannot %s %s at offset %lld (%s)",
                            verb, timed->part->path,
                            (long long)timed->failed_offset,
                            timed->backend->name);
}

static void note_error(struct timed *timed, int code, int64_t offset)
{
    if (code != 0 && timed->code == 0) {
        timed->code = code;
        timed->failed_offset = offset;
        (void)describe_error(timed);
        pario_watchdog_error();
    }
}

/* One store a call; the histogram is made of them afterwards. What does not
 * fit, by number or size, goes there at once. */
static inline void take_sample(struct quick_part *part, int64_t elapsed_ns)
{
    if (part->samples->count == part->samples->capacity ||
        elapsed_ns >= UINT32_MAX)
        pario_hist_add(&part->latency, elapsed_ns);
    pario_samples_add(part->samples, elapsed_ns);
}

static void fold_samples(struct quick_part *part)
{
    for (size_t i = 0; i < part->samples->count; i++)
        if (part->samples->ns[i] < UINT32_MAX)
            pario_hist_add(&part->latency, part->samples->ns[i]);
}

/* The timed loop: one clock reading a call (test suite, Sect. 7.2). */
static void blocking_loop(struct timed *timed, struct pario_series *series)
{
    char *buffer = timed->part->buffer;
    int64_t n, i = 0, c = 0;

    while ((n = pario_series_next(series)) > 0) {
        int64_t told = pario_clock_ns();

        for (; n > 0 && (timed->code == 0 || timed->collective); n--, i++) {
            int64_t offset = file_offset(timed, c);
            int64_t tnew;
            int code;

            pario_position_at(offset);
            code = timed->io(timed->file, buffer + c * timed->request,
                             (size_t)timed->request, offset);
            c = c + 1 < timed->cycle ? c + 1 : 0;
            tnew = pario_clock_ns();
            take_sample(timed->part, tnew - told);
            told = tnew;
            note_error(timed, code, offset);
        }
        series->failed = timed->code != 0;
    }
    timed->done = i;
}

/* The same with up to `depth` requests under way; a sample is the time from
 * the start of a request until its completion is seen, in order. */
static void queued_loop(struct timed *timed, struct pario_series *series)
{
    struct pario_request request[MOST_DEPTH];
    int64_t begun[MOST_DEPTH];
    int64_t depth = timed->part->what->depth;
    char *buffer = timed->part->buffer;
    int64_t n, started = 0, finished = 0, end = 0;

    while ((n = pario_series_next(series)) > 0) {
        end += n;
        while (finished < started || (started < end && timed->code == 0)) {
            if (timed->code == 0 && started < end &&
                started - finished < depth) {
                int64_t c = started % timed->cycle;
                int64_t offset = file_offset(timed, c);
                int slot = (int)(started % depth);

                pario_position_at(offset);
                begun[slot] = pario_clock_ns();
                note_error(timed,
                           timed->backend->start(timed->file, timed->direction,
                                                 buffer + c * timed->request,
                                                 (size_t)timed->request, offset,
                                                 &request[slot]),
                           offset);
                started += timed->code == 0;
            } else {
                int slot = (int)(finished % depth);

                note_error(timed,
                           timed->backend->wait(timed->file, &request[slot]),
                           file_offset(timed, finished % timed->cycle));
                take_sample(timed->part, pario_clock_ns() - begun[slot]);
                finished++;
            }
        }
        series->failed = timed->code != 0;
    }
    timed->done = finished;
}

/* Separate files hold the same bytes as the shared one would: the place in
 * the data is the place in the imagined shared file. */
static int64_t data_offset(const struct pario_run *run,
                           const struct quick_part *part, int64_t i)
{
    int64_t size = pario_group_size(run->world);

    return (chunk_of(part, i) * size + pario_group_rank(run->world)) *
           part->what->request_bytes;
}

/* A rewrite writes other data: one that was lost must be seen. */
static struct pario_data data_of(const struct pario_run *run,
                                 const struct quick_part *part, int again)
{
    return (struct pario_data){.key = run->data_key,
                               .file = part->what->file_number * 2 +
                                       (uint64_t)again};
}

static void fill(const struct pario_run *run, struct quick_part *part,
                 int again)
{
    struct pario_data data = data_of(run, part, again);
    int64_t request = part->what->request_bytes;
    int64_t count = (int64_t)part->buffer_len / request;

    for (int64_t i = 0; i < count; i++)
        pario_data_fill(&data, data_offset(run, part, i),
                        part->buffer + i * request, (size_t)request);
}

/* Outside the time: a piece of every read, or all of it. */
static void check(const struct pario_run *run, struct quick_part *part,
                  int64_t chunks_read, struct quick_figures *figures)
{
    int64_t request = part->what->request_bytes;
    struct pario_rng rng;

    if (run->common.verify == PARIO_VERIFY_OFF)
        return;
    pario_rng_init(&rng, (uint64_t)run->common.seed);
    for (int64_t i = 0; i < chunks_read; i++) {
        struct pario_data data = data_of(run, part, i < part->rewritten);
        int64_t piece = request, at = 0;
        struct pario_data_error error;

        if (run->common.verify == PARIO_VERIFY_SAMPLE &&
            request > SAMPLE_BYTES) {
            piece = SAMPLE_BYTES;
            at =
                (int64_t)pario_rng_below(&rng, (uint64_t)(request - piece + 1));
        }
        figures->checked_bytes += piece;
        if (pario_data_check(&data, data_offset(run, part, i) + at,
                             part->buffer + i * request + at, (size_t)piece,
                             &error) != 0) {
            if (figures->wrong_bytes == 0)
                pario_data_describe(&data, data.file + 1, &error,
                                    figures->wrong, sizeof(figures->wrong));
            figures->wrong_bytes += error.wrong_bytes;
        }
    }
}

/* A library that reports success for lost data is caught here. */
static int check_size(struct pario_run *run, const struct quick_part *part,
                      struct pario_file *file, const struct timed *timed)
{
    int64_t facts[2] = {0, timed->code != 0}; /* end of the data, an error */
    int64_t size = 0;
    int code = 0;

    for (int64_t i = 0; i < timed->done && i < timed->cycle; i++) {
        int64_t end = file_offset(timed, i) + timed->request;

        facts[0] = end > facts[0] ? end : facts[0];
    }
    if (!part->what->separate)
        code = pario_reduce_i64(run->world, PARIO_MAX, facts, 2);
    if (code == 0)
        code = part->what->backend->size(file, &size);
    if (code == 0 && !facts[1] && size < facts[0])
        code = pario_fail(PARIO_EVERIFY,
                          "%s has %lld bytes after writing %lld: %s reported "
                          "success for data that was not written (is the "
                          "file system full?)",
                          part->path, (long long)size, (long long)facts[0],
                          part->what->backend->name);
    return code;
}

static int residency(struct pario_run *run, const struct quick_part *part,
                     int64_t *bytes_p)
{
    int64_t facts[2] = {0, 0}; /* resident, unknown */
    int64_t left = 0;
    int code = 0;

    if (!part->what->separate)
        return pario_residency(run->world, part->path, run->common.cold,
                               bytes_p);
    if (run->common.cold)
        code = pario_cache_evict(part->path, &left);
    code = pario_agree(run->world, code);
    if (code != 0)
        return code;
    if (pario_cache_resident(part->path, 0, 0, &facts[0]) != 0)
        facts[1] = 1;
    code = pario_reduce_i64(run->world, PARIO_SUM, facts, 2);
    *bytes_p = facts[1] > 0 ? -1 : facts[0];
    return code;
}

static int open_part(struct pario_run *run, const struct quick_part *part,
                     enum quick_access access, struct pario_file **file_p)
{
    const struct quick_case *what = part->what;
    struct pario_target target = {
        .path = part->path,
        .group = what->separate ? NULL : run->world,
        .flags = access == QUICK_READ    ? PARIO_OPEN_READ
                 : access == QUICK_WRITE ? PARIO_OPEN_WRITE | PARIO_OPEN_CREATE
                                         : PARIO_OPEN_WRITE,
        .queue_depth = what->depth,
    };

    if (what->direct)
        target.flags |= PARIO_OPEN_DIRECT;
    return what->backend->open(&target, file_p);
}

/* From the first call until the data is durable and the file closed. */
static int timed_part(struct pario_run *run, struct timed *timed,
                      struct pario_series *series, double *elapsed_s)
{
    const struct quick_case *what = timed->part->what;
    int64_t begin = pario_clock_ns();
    int code, size_code = 0, close_code;

    if (timed->backend->start != NULL && what->depth > 1)
        queued_loop(timed, series);
    else
        blocking_loop(timed, series);
    code = describe_error(timed);
    if (timed->direction == PARIO_WRITE) {
        int sync_code = timed->backend->sync(timed->file);

        code = code != 0 ? code : sync_code;
    }
    *elapsed_s = (double)(pario_clock_ns() - begin) * 1e-9;
    if (timed->direction == PARIO_WRITE)
        size_code = check_size(run, timed->part, timed->file, timed);
    begin = pario_clock_ns();
    close_code = timed->backend->close(timed->file);
    *elapsed_s += (double)(pario_clock_ns() - begin) * 1e-9;
    return code != 0 ? code : size_code != 0 ? size_code : close_code;
}

static int reduce_figures(struct pario_run *run, struct quick_figures *figures,
                          double elapsed_s)
{
    int64_t sums[] = {figures->bytes, figures->operations,
                      figures->checked_bytes, figures->wrong_bytes,
                      figures->data_bytes};
    double slowest = elapsed_s, fastest = elapsed_s;
    int code = pario_reduce_i64(run->world, PARIO_SUM, sums, 5);

    if (code == 0)
        code = pario_reduce_f64(run->world, PARIO_MAX, &slowest, 1);
    if (code == 0)
        code = pario_reduce_f64(run->world, PARIO_MIN, &fastest, 1);
    figures->bytes = sums[0];
    figures->operations = sums[1];
    figures->checked_bytes = sums[2];
    /* Every rank learns the first wrong place through the agreement. */
    if (code == 0 && figures->wrong_bytes > 0)
        code = pario_fail(PARIO_EVERIFY, "%s", figures->wrong);
    code = pario_agree(run->world, code);
    if (code == PARIO_EVERIFY) {
        snprintf(figures->wrong, sizeof(figures->wrong), "%s",
                 pario_error_message());
        code = 0;
    }
    figures->wrong_bytes = sums[3];
    figures->data_bytes = sums[4];
    figures->seconds = slowest;
    figures->first_s = fastest;
    return code;
}

int quick_phase(struct pario_run *run, struct quick_part *part,
                enum quick_access access, double seconds,
                struct quick_figures *figures_p)
{
    const struct quick_case *what = part->what;
    struct quick_figures figures = {.resident_bytes = -1};
    struct timed timed = {
        .backend = what->backend,
        .direction = access == QUICK_READ ? PARIO_READ : PARIO_WRITE,
        .part = part,
        .rank = what->separate ? 0 : pario_group_rank(run->world),
        .size = what->separate ? 1 : pario_group_size(run->world),
        .request = what->request_bytes,
    };
    /* The first write ends with its data; rewrite and read go round, and then
     * the last pass is checked; to check every read there is one pass. */
    int64_t limit =
        access == QUICK_WRITE ? (int64_t)part->buffer_len / what->request_bytes
        : access == QUICK_READ && run->common.verify == PARIO_VERIFY_FULL
            ? part->chunks
            : 0;
    struct pario_series series;
    double elapsed_s = 0;
    int code = 0;

    timed.cycle = limit > 0 ? limit : part->chunks;
    pario_hist_init(&part->latency);
    part->samples->count = 0;
    part->samples->lost = 0;
    if (access == QUICK_READ) {
        memset(part->buffer, 0, part->buffer_len); /* nothing stale passes */
        code = residency(run, part, &figures.resident_bytes);
    } else {
        fill(run, part, access == QUICK_REWRITE);
    }
    if (code == 0)
        code = open_part(run, part, access, &timed.file);
    code = pario_agree(run->world, code);
    if (code != 0)
        return code;
    timed.collective =
        !what->separate &&
        what->backend->io[timed.direction][PARIO_FORM_AT_ALL] != NULL;
    timed.io =
        what->backend->io[timed.direction]
                         [timed.collective ? PARIO_FORM_AT_ALL : PARIO_FORM_AT];
    code = pario_barrier(run->world);
    pario_series_start(&series, run->world, seconds, limit);
    if (code == 0)
        code = timed_part(run, &timed, &series, &elapsed_s);
    code = pario_agree(run->world, code);
    if (code != 0)
        return code;
    fold_samples(part);
    if (access == QUICK_WRITE)
        part->chunks = timed.done;
    if (access == QUICK_REWRITE)
        part->rewritten = timed.done < timed.cycle ? timed.done : timed.cycle;
    figures.bytes = timed.done * what->request_bytes;
    figures.data_bytes = part->chunks * what->request_bytes;
    figures.operations = timed.done;
    figures.loop_s = (double)part->latency.sum * 1e-9;
    if (access == QUICK_READ)
        check(run, part, timed.done < timed.cycle ? timed.done : timed.cycle,
              &figures);
    code = reduce_figures(run, &figures, elapsed_s);
    if (code == 0)
        *figures_p = figures;
    return code;
}
