/* suites/quick/phase.c - one timed phase of `pario quick`. */
#include "suites/quick/phase.h"

#include "core/clock.h"
#include "core/data.h"
#include "core/storage.h"
#include "par/series.h"
#include "par/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 64
#define SAMPLE_BYTES PARIO_DATA_STAMP /* of each read: --verify sample */
#define SAMPLES 256                   /* pieces of a write that are read back */
#define MAX_FILES 1024                /* numbers of data: two for each file */

/* All that the timed loops touch. */
struct timed {
    const struct pario_backend *backend;
    struct pario_file *file;
    pario_io_fn *io;
    enum pario_direction direction;
    enum quick_access access;
    struct pario_run *run;
    struct quick_part *part;
    struct pario_phase *phase;
    struct pario_series series;
    double seconds;         /* to fill */
    int64_t limit;          /* most chunks; 0: no limit */
    int64_t rank, size;     /* shared file: chunk c of rank r is c * size + r */
    int64_t request, piece; /* of a call, and the pieces it consists of */
    int64_t cycle; /* after so many chunks a rewrite or read begins anew */
    int64_t done;  /* chunks moved by this rank, passes and all */
    int64_t pass;  /* the one that goes on, from 0 */
    int code;      /* the first error; the rank goes on deciding with others */
    char message[512]; /* where what failed has explained itself; "": not */
    int collective;    /* then it goes on calling, too */
    int64_t failed_offset;
};

static int64_t piece_of(const struct quick_case *what)
{
    return what->piece_bytes > 0 ? what->piece_bytes : what->request_bytes;
}

static int64_t chunk_of(const struct quick_part *part, int64_t i)
{
    return part->what->random
               ? (int64_t)pario_perm_at(&part->order, (uint64_t)i)
               : i;
}

/* Where piece i stands in the file. */
static int64_t file_offset(const struct timed *timed, int64_t i)
{
    return (chunk_of(timed->part, i) * timed->size + timed->rank) *
           timed->piece;
}

/* Where the calls are: the i-th at first + step * (order of i). */
struct places {
    const struct pario_perm *order; /* NULL: one after the other */
    int64_t first, step;
};

/* With a view it is the place in what is seen of the file. */
static struct places places_of_calls(const struct timed *timed)
{
    if (timed->piece < timed->request)
        return (struct places){.step = timed->request};
    return (struct places){
        .order = timed->part->what->random ? &timed->part->order : NULL,
        .first = timed->rank * timed->piece,
        .step = timed->size * timed->piece,
    };
}

static int64_t place_at(const struct places *places, int64_t i)
{
    if (places->order != NULL)
        i = (int64_t)pario_perm_at(places->order, (uint64_t)i);
    return places->first + i * places->step;
}

static int describe_error(const struct timed *timed)
{
    if (timed->code == 0)
        return 0;
    if (timed->message[0] != '\0')
        return pario_fail(timed->code, "%s", timed->message);
    return pario_io_fail(timed->code, timed->direction, timed->part->path,
                         timed->failed_offset, timed->backend->name);
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

/* Collective. The page cache may not serve the next pass. */
static int evict(struct timed *timed)
{
    const struct quick_part *part = timed->part;
    int evicts =
        part->what->separate || pario_group_node_rank(timed->run->world) == 0;
    int code = pario_barrier(timed->run->world);
    int64_t left = 0;

    if (code == 0 && evicts)
        code = pario_cache_evict(part->path, &left);
    return pario_agree(timed->run->world, code);
}

/* A rewrite writes other data: one that was lost must be seen. */
static struct pario_data data_of(const struct pario_run *run,
                                 const struct quick_part *part, int again)
{
    return (struct pario_data){.key = run->data_key,
                               .file = part->what->file_number * 2 +
                                       (uint64_t)again};
}

/* Of a pass. They count along the buffers of all processes: in a random order
 * it would take longer to find the places of the pieces. */
static struct pario_data stamps_of(const struct timed *timed, int again,
                                   int64_t pass)
{
    struct pario_data data = data_of(timed->run, timed->part, again);

    return pario_data_of_pass(&data, MAX_FILES, pass);
}

static int64_t stamp_offset(const struct timed *timed, int64_t at)
{
    return pario_group_rank(timed->run->world) *
               (int64_t)timed->part->buffer_len +
           at;
}

/* Every pass writes other data: a device that finds duplicates would write
 * less. It takes some 20 ns for each 4 KiB, within the time: were the clock to
 * stand still, the device could work unseen. */
static void stamp_pass(struct timed *timed)
{
    struct pario_data stamps =
        stamps_of(timed, timed->access == QUICK_REWRITE, timed->pass);
    int64_t len = timed->cycle * timed->request;
    /* Pieces of so many whole stamps are stamped like one. */
    int64_t step = timed->piece % PARIO_DATA_STAMP == 0 ? len : timed->piece;

    for (int64_t at = 0; at < len; at += step)
        pario_data_stamp(&stamps, stamp_offset(timed, at),
                         timed->part->buffer + at, (size_t)step);
}

/* Between two passes over the same chunks; all processes come here after the
 * same number of calls. What is overwritten before it reached the device would
 * not have been written: it is synced, within the time. Returns the clock. */
static int64_t next_pass(struct timed *timed)
{
    int code = 0;

    timed->pass++;
    if (timed->direction == PARIO_WRITE) {
        code = timed->backend->sync(timed->file);
        stamp_pass(timed);
    } else if (timed->run->common.cold) {
        /* Waiting for the slowest is part of the time. */
        code = pario_barrier(timed->run->world);
        pario_phase_pause(timed->phase);
        if (code == 0)
            code = evict(timed);
        pario_series_pause(&timed->series, pario_phase_resume(timed->phase, 1));
    }
    if (code != 0 && timed->code == 0)
        snprintf(timed->message, sizeof(timed->message), "%s",
                 pario_error_message());
    note_error(timed, code, 0);
    return pario_clock_ns();
}

/* The timed loop: one clock reading per call (test suite, Sect. 7.2). What it
 * needs is its own: behind pointers it would lie in as many lines of the first
 * cache, which every call of the kernel's empties. */
static void blocking_loop(struct timed *timed)
{
    const struct places places = places_of_calls(timed);
    struct pario_samples samples = *timed->part->samples;
    struct pario_file *file = timed->file;
    pario_io_fn *io = timed->io;
    const int64_t request = timed->request, cycle = timed->cycle;
    char *buffer = timed->part->buffer;
    _Atomic int64_t place = 0;
    int64_t n, i = 0, c = 0;

    pario_watchdog_follow(&place);
    while ((n = pario_series_next(&timed->series)) > 0) {
        int64_t last_ns = pario_clock_ns();

        for (; n > 0; n--, i++) {
            int64_t offset, now_ns;
            int code;

            if (c == cycle) {
                last_ns = next_pass(timed);
                c = 0;
            }
            if (timed->code != 0 && !timed->collective) {
                c++; /* it counts on: the others come to the next pass */
                continue;
            }
            offset = place_at(&places, c);
            atomic_store_explicit(&place, offset, memory_order_relaxed);
            code = io(file, buffer + c * request, (size_t)request, offset);
            c++;
            now_ns = pario_clock_ns();
            pario_samples_take(&samples, &timed->part->latency,
                               now_ns - last_ns);
            last_ns = now_ns;
            if (code != 0)
                note_error(timed, code, offset);
        }
        timed->series.failed = timed->code != 0;
    }
    pario_watchdog_follow(NULL);
    *timed->part->samples = samples;
    timed->done = i;
}

/* One more request under way. */
static void start_next(struct timed *timed, int64_t started,
                       struct pario_request *request, int64_t *begun_ns)
{
    int64_t c = started % timed->cycle;
    int64_t offset = file_offset(timed, c);

    pario_position_at(offset);
    *begun_ns = pario_clock_ns();
    note_error(timed,
               timed->backend->start(timed->file, timed->direction,
                                     timed->part->buffer + c * timed->request,
                                     (size_t)timed->request, offset, request),
               offset);
}

/* The same with up to `depth` requests under way; a sample is the time from
 * the start of a request until its completion is seen, in order. */
static void queued_loop(struct timed *timed)
{
    struct pario_request request[MAX_DEPTH];
    int64_t begun_ns[MAX_DEPTH];
    int64_t depth = timed->part->what->depth;
    int64_t n, started = 0, finished = 0, end = 0, passed = 0;

    while ((n = pario_series_next(&timed->series)) > 0) {
        end += n;
        while (finished < started || (started < end && timed->code == 0)) {
            int drained = started > 0 && started % timed->cycle == 0 &&
                          started < end && timed->code == 0;

            if (drained && finished == started && passed != started) {
                (void)next_pass(timed);
                passed = started;
            }
            if (timed->code == 0 && started < end &&
                started - finished < depth &&
                (!drained || finished == started)) {
                int slot = (int)(started % depth);

                start_next(timed, started, &request[slot], &begun_ns[slot]);
                started += timed->code == 0;
            } else if (finished < started) {
                int slot = (int)(finished % depth);

                note_error(timed,
                           timed->backend->wait(timed->file, &request[slot]),
                           file_offset(timed, finished % timed->cycle));
                pario_samples_take(timed->part->samples, &timed->part->latency,
                                   pario_clock_ns() - begun_ns[slot]);
                finished++;
            }
        }
        /* After an error it counts on: the others come to the next pass. */
        for (; started < end; started++)
            if (started > 0 && started % timed->cycle == 0 &&
                passed != started) {
                (void)next_pass(timed);
                passed = started;
            }
        finished = started;
        timed->series.failed = timed->code != 0;
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
           piece_of(part->what);
}

static void fill(const struct pario_run *run, struct quick_part *part,
                 int again)
{
    struct pario_data data = data_of(run, part, again);
    int64_t len = piece_of(part->what);
    int64_t count = (int64_t)part->buffer_len / len;

    for (int64_t i = 0; i < count; i++)
        pario_data_fill(&data, data_offset(run, part, i),
                        part->buffer + i * len, (size_t)len);
}

/* A sample of a piece, or all of it. */
struct sample {
    int64_t at, len;
};

static struct sample choose_sample(const struct timed *timed,
                                   struct pario_rng *rng)
{
    int64_t len = timed->piece;

    if (timed->run->common.verify == PARIO_VERIFY_FULL || len <= SAMPLE_BYTES)
        return (struct sample){0, len};
    return (struct sample){
        SAMPLE_BYTES *
            (int64_t)pario_rng_below(rng, (uint64_t)(len / SAMPLE_BYTES)),
        SAMPLE_BYTES};
}

/* Calls of one pass of the first write, or of the rewrite. */
static int64_t calls_of_pass(const struct quick_part *part, int again)
{
    int64_t all = (int64_t)part->buffer_len / part->what->request_bytes;

    return again && part->written < all ? part->written : all;
}

/* The chunks in the file. */
static int64_t chunks_of(const struct quick_part *part)
{
    return calls_of_pass(part, 1);
}

/* Of the pass that has written the piece last. */
static int check_bytes(const struct timed *timed, int64_t i,
                       struct sample sample, const char *bytes,
                       struct pario_data_chunk *chunk_p,
                       struct pario_data_error *error_p)
{
    const struct quick_part *part = timed->part;
    int64_t call = i / (timed->request / timed->piece);
    int again = call < part->rewritten;
    int64_t calls = again ? part->rewritten : part->written;
    int64_t pass = (calls - 1 - call) / calls_of_pass(part, again);
    int64_t offset = data_offset(timed->run, part, i) + sample.at;
    struct pario_data_chunk chunk = {
        .data = stamps_of(timed, again, pass),
        .offset = stamp_offset(timed, i * timed->piece + sample.at),
        .base = data_of(timed->run, part, again),
        .base_offset = offset,
    };
    int code;

    *chunk_p = chunk;
    if (pass == 0)
        return pario_data_check(&chunk.base, offset, bytes, (size_t)sample.len,
                                error_p);
    code = pario_data_check_stamped(&chunk, bytes, (size_t)sample.len, error_p);
    if (code != 0)
        error_p->offset += chunk.base_offset - chunk.offset;
    return code;
}

/* bytes stands in the file where the sample of piece i should. */
static void check_sample(const struct timed *timed, int64_t i,
                         struct sample sample, const char *bytes,
                         struct pario_figures *figures)
{
    struct pario_data_chunk chunk;
    struct pario_data_error error;

    figures->checked_bytes += sample.len;
    if (check_bytes(timed, i, sample, bytes, &chunk, &error) == 0)
        return;
    if (figures->wrong_bytes == 0)
        pario_data_describe(&chunk.base, chunk.data.file + 1, &error,
                            figures->wrong, sizeof(figures->wrong));
    figures->wrong_bytes += error.wrong_bytes;
}

/* Calls of different places: pass after pass goes over the same. */
static int64_t calls_moved(const struct timed *timed)
{
    return timed->done < timed->cycle ? timed->done : timed->cycle;
}

static int64_t pieces_moved(const struct timed *timed)
{
    return calls_moved(timed) * (timed->request / timed->piece);
}

/* Of what lies in memory after a read. */
static void check_read(const struct timed *timed, struct pario_figures *figures)
{
    int64_t count = pieces_moved(timed);
    struct pario_rng rng;

    pario_rng_init(&rng, (uint64_t)timed->run->common.seed);
    for (int64_t i = 0; i < count; i++) {
        struct sample sample = choose_sample(timed, &rng);

        check_sample(timed, i, sample,
                     timed->part->buffer + i * timed->piece + sample.at,
                     figures);
    }
}

/* Of what a first write left in the file, before the rewrite covers it: a
 * write that was lost must not pass. All of it, or about SAMPLES pieces. */
static int read_back(const struct timed *timed, int fd,
                     struct pario_figures *figures)
{
    int full = timed->run->common.verify == PARIO_VERIFY_FULL;
    int64_t count = pieces_moved(timed);
    int64_t step = full || count < SAMPLES ? 1 : count / SAMPLES;
    char *bytes = malloc((size_t)timed->piece);
    struct pario_rng rng;
    int code = 0;

    if (bytes == NULL)
        return pario_fail_errno(-ENOMEM, "cannot check");
    pario_rng_init(&rng, (uint64_t)timed->run->common.seed);
    for (int64_t i = 0; code == 0 && i < count; i += step) {
        struct sample sample = choose_sample(timed, &rng);
        int64_t offset = file_offset(timed, i) + sample.at;

        code = pario_pread_there(fd, bytes, (size_t)sample.len, offset);
        if (code != 0)
            (void)pario_fail_errno(code, "cannot read %s back",
                                   timed->part->path);
        else
            check_sample(timed, i, sample, bytes, figures);
    }
    free(bytes);
    return code;
}

static int check_size(const struct timed *timed, int fd)
{
    int64_t end = 0, count = pieces_moved(timed);

    for (int64_t i = 0; i < count; i++) {
        int64_t piece_end = file_offset(timed, i) + timed->piece;

        end = piece_end > end ? piece_end : end;
    }
    return pario_io_check_size(fd, timed->part->path, end,
                               timed->backend->name);
}

/* The size of what was written, and the data of a first write. */
static int check_written(const struct timed *timed,
                         struct pario_figures *figures)
{
    int fd = open(timed->part->path, O_RDONLY | O_CLOEXEC);
    int code;

    if (fd < 0)
        return pario_fail_errno(-errno, "cannot open %s", timed->part->path);
    code = check_size(timed, fd);
    if (code == 0 && timed->access == QUICK_WRITE &&
        timed->run->common.verify != PARIO_VERIFY_OFF)
        code = read_back(timed, fd, figures);
    close(fd);
    return code;
}

static int open_part(void *arg)
{
    struct timed *timed = arg;
    const struct quick_case *what = timed->part->what;
    struct pario_target target = {
        .path = timed->part->path,
        .group = what->separate ? NULL : timed->run->world,
        .flags = timed->access == QUICK_READ ? PARIO_OPEN_READ
                 : timed->access == QUICK_WRITE
                     ? PARIO_OPEN_WRITE | PARIO_OPEN_CREATE
                     : PARIO_OPEN_WRITE,
        .queue_depth = what->depth,
    };

    int code;

    if (what->direct)
        target.flags |= PARIO_OPEN_DIRECT;
    code = what->backend->open(&target, &timed->file);
    if (code == 0 && timed->piece < timed->request)
        code =
            what->backend->set_view(timed->file, timed->rank * timed->piece,
                                    timed->piece, timed->size * timed->piece);
    return code;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct timed *timed = arg;
    const struct quick_case *what = timed->part->what;

    timed->phase = phase;
    pario_series_start(&timed->series, timed->run->world, timed->seconds,
                       timed->limit);
    if (timed->backend->start != NULL && what->depth > 1)
        queued_loop(timed);
    else
        blocking_loop(timed);
    phase->figures.bytes = timed->done * timed->request;
    phase->figures.operations = timed->done;
    if (timed->direction == PARIO_WRITE)
        phase->figures.written_bytes = phase->figures.bytes;
    return describe_error(timed);
}

static int sync_part(void *arg)
{
    struct timed *timed = arg;

    return timed->backend->sync(timed->file);
}

static int close_part(void *arg)
{
    struct timed *timed = arg;

    return timed->backend->close(timed->file);
}

static int check(void *arg, struct pario_phase *phase)
{
    struct timed *timed = arg;
    struct quick_part *part = timed->part;

    pario_samples_fold(part->samples, &part->latency);
    if (timed->access == QUICK_WRITE)
        part->written = timed->done;
    if (timed->access == QUICK_REWRITE)
        part->rewritten = timed->done;
    /* Cold passes begin with an empty cache each: nothing is read again. */
    if (!timed->run->common.cold)
        phase->figures.data_bytes = chunks_of(part) * timed->request;
    if (timed->direction == PARIO_WRITE)
        return check_written(timed, &phase->figures);
    if (timed->run->common.verify != PARIO_VERIFY_OFF)
        check_read(timed, &phase->figures);
    return 0;
}

static const struct pario_phase_calls calls = {
    .open = open_part,
    .loop = loop,
    .sync = sync_part,
    .close = close_part,
    .check = check,
};

/* The first write ends with its data; rewrite and read go round, and then the
 * last pass is checked; to check every call there is one pass. */
static struct timed describe(struct pario_run *run, struct quick_part *part,
                             enum quick_access access)
{
    const struct quick_case *what = part->what;
    struct timed timed = {
        .backend = what->backend,
        .access = access,
        .direction = access == QUICK_READ ? PARIO_READ : PARIO_WRITE,
        .run = run,
        .part = part,
        .rank = what->separate ? 0 : pario_group_rank(run->world),
        .size = what->separate ? 1 : pario_group_size(run->world),
        .request = what->request_bytes,
        .piece = piece_of(what),
    };
    int64_t all = (int64_t)part->buffer_len / what->request_bytes;

    if (access == QUICK_WRITE &&
        (!what->goes_round || run->common.verify == PARIO_VERIFY_FULL))
        timed.limit = all;
    else if (access != QUICK_WRITE && run->common.verify == PARIO_VERIFY_FULL)
        timed.limit = chunks_of(part);
    timed.cycle = calls_of_pass(part, access != QUICK_WRITE);
    timed.collective =
        !what->separate &&
        what->backend->io[timed.direction][PARIO_FORM_AT_ALL] != NULL;
    timed.io =
        what->backend->io[timed.direction]
                         [timed.collective ? PARIO_FORM_AT_ALL : PARIO_FORM_AT];
    return timed;
}

int quick_phase(struct pario_run *run, struct quick_part *part,
                enum quick_access access, double seconds,
                struct pario_phase *phase_p)
{
    struct timed timed = describe(run, part, access);

    timed.seconds = seconds;
    *phase_p = (struct pario_phase){
        .run = run,
        .group = run->world,
        .path = part->path,
        .shared = !part->what->separate,
        .writing = access != QUICK_READ,
        .reading = access == QUICK_READ,
        .direct = part->what->direct,
        .scattered = part->what->random && !timed.collective,
        .read_later = access == QUICK_REWRITE,
        .latency = &part->latency,
    };
    part->samples->count = 0;
    part->samples->lost = 0;
    if (access == QUICK_READ)
        memset(part->buffer, 0, part->buffer_len); /* nothing stale passes */
    else
        fill(run, part, access == QUICK_REWRITE);
    return pario_phase_run(phase_p, &calls, &timed);
}
