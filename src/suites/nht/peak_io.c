/* The transfers of the peak benchmark. */
#include "suites/nht/peak_io.h"
#include "core/cleanup.h"
#include "core/storage.h"

#include "core/clock.h"
#include "core/units.h"
#include "par/watchdog.h"
#include "result/parameters.h"
#include "suites/shared_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = 64 };

/* Data of one process in a calibration run. */
#define CALIBRATION_BYTES (64 * NHT_BLOCK)

static const struct nht_way ways[] = {
    {.backend = "posix", .request_bytes = NHT_BLOCK, .depth = 1},
    {.backend = "posix", .request_bytes = 8 * NHT_BLOCK, .depth = 1},
    {.backend = "posix",
     .direct = 1,
     .request_bytes = 8 * NHT_BLOCK,
     .depth = 1},
    {.backend = "posix",
     .direct = 1,
     .request_bytes = 32 * NHT_BLOCK,
     .depth = 1},
    {.backend = "uring", .direct = 1, .request_bytes = NHT_BLOCK, .depth = 16},
    {.backend = "uring",
     .direct = 1,
     .request_bytes = 4 * NHT_BLOCK,
     .depth = 8},
    {.backend = "uring", .request_bytes = 4 * NHT_BLOCK, .depth = 4},
};

/* The parameters of its measures. */
static const struct pario_field way_fields[] = {
    {PARIO_FIELD("interface", STRING, offsetof(struct nht_way, backend))},
    {PARIO_SHARED_DIRECT(offsetof(struct nht_way, direct))},
    {PARIO_SHARED_REQUEST_BYTES(offsetof(struct nht_way, request_bytes))},
    {PARIO_SHARED_QUEUE_DEPTH(offsetof(struct nht_way, depth), 256)},
    {.name = NULL},
};
static const struct pario_field amount_fields[] = {
    {PARIO_FIELD("share_bytes", SIZE,
                 offsetof(struct nht_amount, share_bytes))},
    {PARIO_FIELD("memory_per_node_bytes", SIZE,
                 offsetof(struct nht_amount, memory_bytes))},
    {.name = NULL},
};

/* An open file and the data that goes through it. */
struct stream {
    struct nht_peak *peak;
    const struct nht_way *way;
    int (*check)(void *peak, struct pario_phase *phase);
    const struct pario_backend *backend;
    struct pario_file *file;
    enum pario_direction direction;
    char *buf;
    int64_t len, request_bytes;
    int depth;
    struct pario_hist *latency;
};

static size_t piece(const struct stream *st, int64_t offset)
{
    int64_t left = st->len - offset;

    return (size_t)(left < st->request_bytes ? left : st->request_bytes);
}

static int move_blocking(const struct stream *st)
{
    pario_io_fn *io = st->backend->io[st->direction][PARIO_FORM_AT];
    int64_t last_ns = pario_clock_ns(), now_ns;
    int code = 0;

    for (int64_t at = 0; at < st->len && code == 0; at += st->request_bytes) {
        pario_position_at(at);
        code = io(st->file, st->buf + at, piece(st, at), at);
        now_ns = pario_clock_ns();
        pario_hist_add(st->latency, now_ns - last_ns);
        last_ns = now_ns;
    }
    return code;
}

/* Keeps depth requests under way, oldest first. */
static int move_queued(const struct stream *st)
{
    struct pario_request requests[MAX_DEPTH];
    int64_t started[MAX_DEPTH], next = 0;
    int64_t first = 0, last = 0; /* requests first..last-1 are under way */
    int code = 0;

    while ((next < st->len && code == 0) || first < last) {
        int slot = (int)(last % st->depth), one;

        if (next < st->len && code == 0 && last - first < st->depth) {
            started[slot] = pario_clock_ns();
            pario_position_at(next);
            code = st->backend->start(st->file, st->direction, st->buf + next,
                                      piece(st, next), next, &requests[slot]);
            if (code == 0) {
                last++;
                next += st->request_bytes;
            }
            continue;
        }
        if (first == last)
            break;
        slot = (int)(first++ % st->depth);
        one = st->backend->wait(st->file, &requests[slot]);
        pario_hist_add(st->latency, pario_clock_ns() - started[slot]);
        if (code == 0)
            code = one;
    }
    return code;
}

/* Local: opens, moves, syncs, closes: all of it is in NHT-1's time (3.3). */
static int move_one(struct stream *st)
{
    struct nht_peak *peak = st->peak;
    const struct nht_way *way = st->way;
    int writing = st->direction == PARIO_WRITE;
    struct pario_target target = {
        .path = peak->path,
        .flags =
            (writing ? PARIO_OPEN_WRITE | PARIO_OPEN_CREATE : PARIO_OPEN_READ) |
            (way->direct ? PARIO_OPEN_DIRECT : 0),
        .queue_depth = (int)way->depth,
    };
    int code = st->backend->open(&target, &st->file), close_code;

    if (code != 0)
        return code;
    code = way->depth > 1 && st->backend->start != NULL ? move_queued(st)
                                                        : move_blocking(st);
    if (code != 0) {
        if (code > PARIO_EUSAGE)
            pario_fail_errno(code, "cannot %s %s", writing ? "write" : "read",
                             peak->path);
        else
            pario_fail(code, "cannot %s %s: %s", writing ? "write" : "read",
                       peak->path, pario_error_name(code));
    }
    if (code == 0 && writing)
        code = st->backend->sync(st->file);
    close_code = st->backend->close(st->file);
    if (code == 0)
        code = close_code;
    /* The name must survive a power cut too. */
    if (code == 0 && writing)
        code = pario_sync_path(peak->run->directory);
    return code;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct stream *st = arg;
    int code = move_one(st);

    phase->figures.bytes = st->len;
    phase->figures.written_bytes = phase->writing ? st->len : 0;
    phase->figures.operations = st->latency->count;
    return code;
}

static int check(void *arg, struct pario_phase *phase)
{
    struct stream *st = arg;

    return st->check != NULL ? st->check(st->peak, phase) : 0;
}

int nht_peak_move(struct nht_peak *peak, const struct nht_way *way,
                  enum pario_direction direction, int64_t len,
                  int (*check_data)(void *peak, struct pario_phase *phase))
{
    static const struct pario_phase_calls calls = {.loop = loop,
                                                   .check = check};
    struct pario_phase *phase = &peak->phase[direction];
    struct stream st = {
        .peak = peak,
        .way = way,
        .check = check_data,
        .direction = direction,
        .buf = peak->buf,
        .len = len,
        .request_bytes = way->request_bytes,
        .depth = (int)way->depth,
        .latency = &peak->latency[direction],
    };
    int code = pario_backend_find(way->backend, &st.backend);

    code = pario_agree(peak->run->world, code);
    if (code != 0)
        return code;
    *phase = (struct pario_phase){
        .run = peak->run,
        .group = peak->run->world,
        .path = peak->path,
        .writing = direction == PARIO_WRITE,
        .reading = direction == PARIO_READ,
        .direct = way->direct,
        .unchecked = check_data == NULL,
        .latency = st.latency,
    };
    return pario_phase_run(phase, &calls, &st);
}

int nht_peak_evict(struct nht_peak *peak, int64_t *left_p)
{
    int64_t left = 0;
    int code =
        pario_agree(peak->run->world, pario_cache_evict(peak->path, &left));

    if (code == 0)
        code = pario_reduce_i64(peak->run->world, PARIO_SUM, &left, 1);
    if (code == 0)
        *left_p = left;
    return code;
}

int nht_way_is_possible(const struct nht_peak *peak, const struct nht_way *way)
{
    const struct pario_backend *backend = NULL;
    int64_t bad = pario_backend_find(way->backend, &backend) != 0 ||
                  pario_backend_check(backend, peak->run->directory,
                                      way->direct ? PARIO_OPEN_DIRECT : 0,
                                      way->request_bytes) != 0;

    pario_error_clear();
    return pario_reduce_i64(peak->run->world, PARIO_MAX, &bad, 1) == 0 &&
           bad == 0;
}

int nht_peak_record(struct nht_peak *peak, enum pario_direction direction,
                    const struct nht_way *way, const char *access)
{
    struct pario_measure measure = {
        .test = "peak",
        .access = access,
        .partition = pario_group_size(peak->run->world),
        .parameters = json_object(),
    };

    (void)pario_parameters_set(measure.parameters, way_fields, 0, way);
    (void)pario_parameters_set(measure.parameters, amount_fields, 0,
                               &peak->amount);
    return pario_phase_record(&peak->phase[direction], &measure);
}

/* Collective. One way with len bytes a process; the file is removed. */
static int try_way(struct nht_peak *peak, const struct nht_way *way,
                   int64_t len, double *seconds_p)
{
    int64_t left;
    int code = nht_peak_move(peak, way, PARIO_WRITE, len, NULL);

    if (code == 0)
        code = nht_peak_evict(peak, &left);
    if (code == 0)
        code = nht_peak_move(peak, way, PARIO_READ, len, NULL);
    if (pario_own_unlink(peak->path) != 0 && errno != ENOENT && code == 0)
        code = pario_fail_errno(-errno, "cannot remove %s", peak->path);
    code = pario_agree(peak->run->world, code);
    if (code == 0)
        code = nht_peak_record(peak, PARIO_WRITE, way, "calibrate_write");
    if (code == 0)
        code = nht_peak_record(peak, PARIO_READ, way, "calibrate_read");
    *seconds_p = peak->phase[PARIO_WRITE].figures.seconds +
                 peak->phase[PARIO_READ].figures.seconds;
    return code;
}

/* Collective. 0: io_uring is forbidden, or not compiled in. */
static int ask_for_uring(struct nht_peak *peak, int *may_p)
{
    const struct pario_backend *uring;

    *may_p = pario_backend_find("uring", &uring) == 0;
    if (*may_p)
        return pario_run_may_use(peak->run, uring, may_p);
    pario_error_clear();
    return 0;
}

int nht_peak_calibrate(struct nht_peak *peak)
{
    int64_t len = CALIBRATION_BYTES;
    double best_s = 0.0;
    int code, found = 0, uring = 0;

    /* The same on all ranks, within the smallest share. */
    if (peak->amount.share_bytes < len)
        len = peak->amount.share_bytes;
    if (pario_reduce_i64(peak->run->world, PARIO_MIN, &len, 1) != 0)
        return -EIO;
    peak->way = ways[0];
    if (!((const struct nht_options *)peak->run->options)->calibrate)
        return 0;
    code = ask_for_uring(peak, &uring);
    for (size_t i = 0; code == 0 && i < sizeof(ways) / sizeof(ways[0]); i++) {
        double seconds;

        if ((!uring && strcmp(ways[i].backend, "uring") == 0) ||
            !nht_way_is_possible(peak, &ways[i]))
            continue;
        pario_run_phase(
            peak->run, (double)len * pario_group_size(peak->run->world) / 5e6,
            "trying %s%s, %lld MiB x %d", ways[i].backend,
            ways[i].direct ? " O_DIRECT" : "",
            (long long)(ways[i].request_bytes / NHT_BLOCK), (int)ways[i].depth);
        code = try_way(peak, &ways[i], len, &seconds);
        if (code == 0 && (!found || seconds < best_s)) {
            best_s = seconds;
            peak->way = ways[i];
            found = 1;
        }
    }
    return code;
}
