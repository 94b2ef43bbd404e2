/* suites/iot/lowlevel.c - single, multiple, and the same through UNIX calls
 * (5.2, 5.3, 5.1.1): a stream of blocks, each call timed. */
#include "suites/iot/lowlevel.h"

#include "core/clock.h"
#include "core/rng.h"
#include "core/units.h"
#include "par/watchdog.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_BYTES (16 << 20) /* of each rank's buffer */
#define MOST_WINDOW 65536       /* blocks in it */
#define MOST_SAMPLES (1 << 20)  /* before they go to the timings file */

int64_t iot_block_begin(const struct iot_blocks *blocks, int64_t k)
{
    struct pario_rng rng;
    int64_t begin = k * blocks->mean;

    if (blocks->fuzzy == 0 || k == 0 || k >= blocks->count)
        return begin;
    pario_rng_init(&rng, blocks->seed + (uint64_t)k);
    return begin + (int64_t)((pario_rng_unit(&rng) - 0.5) * blocks->fuzzy *
                             (double)blocks->mean);
}

int iot_low_init(struct iot_low *low, struct iot_context *context, int alone)
{
    const struct iot_set *set = context->set;
    int64_t longest;

    *low = (struct iot_low){.context = context, .file.fd = -1};
    low->file.handle = MPI_FILE_NULL;
    low->active = !alone || context->rank == 0;
    low->partition = alone ? 1 : context->size;
    low->comm = alone ? MPI_COMM_SELF : context->comm;
    low->collective = !alone && set->collective;
    low->blocks = (struct iot_blocks){
        .mean = set->block_bytes / 8,
        .count = set->file_bytes / set->block_bytes,
        .fuzzy = set->fuzzy,
        .seed = (uint64_t)context->run->common.seed,
    };
    low->rounds = (low->blocks.count + low->partition - 1) / low->partition;
    longest = (int64_t)((double)low->blocks.mean * (1 + set->fuzzy)) + 1;
    low->window = WINDOW_BYTES / 8 / longest;
    if (low->window > MOST_WINDOW)
        low->window = MOST_WINDOW;
    if (low->window > low->rounds)
        low->window = low->rounds;
    if (low->window < 1)
        low->window = 1;
    low->stride = longest;
    pario_rng_init(&low->rng, (uint64_t)context->run->common.seed);
    low->request = calloc((size_t)low->window, sizeof(*low->request));
    if (low->active)
        low->buffer = malloc((size_t)(low->window * longest) * 8);
    if (low->request == NULL || (low->active && low->buffer == NULL))
        return pario_fail_errno(-ENOMEM, "no memory for %lld blocks",
                                (long long)low->window);
    return 0;
}

void iot_low_fini(struct iot_low *low)
{
    free(low->request);
    free(low->buffer);
}

/* This rank's part of the next rounds: block k = round * partition + rank. */
void iot_low_window(struct iot_low *low, int64_t first, int writing)
{
    int64_t rounds = low->rounds - first;
    int rank = low->partition == 1 ? 0 : low->context->rank;

    low->nrequests = 0;
    if (rounds > low->window)
        rounds = low->window;
    for (int64_t j = 0; low->active && j < rounds; j++) {
        int64_t k = (first + j) * low->partition + rank;
        struct iot_request *request = &low->request[low->nrequests];

        /* In the last round some have no block: collectively they bring
         * nothing, otherwise they are done. */
        if (k >= low->blocks.count && !low->collective)
            break;
        if (k > low->blocks.count)
            k = low->blocks.count;
        request->first = iot_block_begin(&low->blocks, k);
        request->count =
            k == low->blocks.count
                ? 0
                : (int)(iot_block_begin(&low->blocks, k + 1) - request->first);
        request->buf = low->buffer + j * low->stride;
        low->nrequests++;
        if (writing)
            iot_values_fill(&low->context->data, request->first, request->buf,
                            request->count);
        else /* nothing stale passes for data read */
            memset(request->buf, 0xff, (size_t)request->count * 8);
    }
}

static int mpi_write(struct iot_file *file, const struct iot_request *request)
{
    MPI_Status status;
    int err = MPI_File_write_at(file->handle, request->first, request->buf,
                                request->count, MPI_DOUBLE, &status);

    return iot_io_check(file, err, &status, MPI_DOUBLE, request->count,
                        "write");
}

static int mpi_write_all(struct iot_file *file,
                         const struct iot_request *request)
{
    MPI_Status status;
    int err = MPI_File_write_at_all(file->handle, request->first, request->buf,
                                    request->count, MPI_DOUBLE, &status);

    return iot_io_check(file, err, &status, MPI_DOUBLE, request->count,
                        "write");
}

static int mpi_read(struct iot_file *file, const struct iot_request *request)
{
    MPI_Status status;
    int err = MPI_File_read_at(file->handle, request->first, request->buf,
                               request->count, MPI_DOUBLE, &status);

    return iot_io_check(file, err, &status, MPI_DOUBLE, request->count, "read");
}

static int mpi_read_all(struct iot_file *file,
                        const struct iot_request *request)
{
    MPI_Status status;
    int err = MPI_File_read_at_all(file->handle, request->first, request->buf,
                                   request->count, MPI_DOUBLE, &status);

    return iot_io_check(file, err, &status, MPI_DOUBLE, request->count, "read");
}

/* sinunix: no MPI in the loop. */
static int unix_write(struct iot_file *file, const struct iot_request *request)
{
    const char *pos = (const char *)request->buf;
    size_t left = (size_t)request->count * 8;
    int64_t offset = request->first * 8;

    while (left > 0) {
        ssize_t n = pwrite(file->fd, pos, left, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return pario_fail_errno(n < 0 ? -errno : -EIO, "cannot write %s",
                                    file->path);
        pos += n;
        left -= (size_t)n;
        offset += n;
    }
    return 0;
}

static int unix_read(struct iot_file *file, const struct iot_request *request)
{
    char *pos = (char *)request->buf;
    size_t left = (size_t)request->count * 8;
    int64_t offset = request->first * 8;

    while (left > 0) {
        ssize_t n = pread(file->fd, pos, left, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return pario_fail_errno(-errno, "cannot read %s", file->path);
        if (n == 0)
            return pario_fail(PARIO_ESHORT,
                              "cannot read %s: it ends at byte %lld (was it "
                              "truncated?)",
                              file->path, (long long)offset);
        pos += n;
        left -= (size_t)n;
        offset += n;
    }
    return 0;
}

typedef int call_fn(struct iot_file *file, const struct iot_request *request);

/* The heart of the test (5.2): one clock reading a call. */
static int timed_loop(struct iot_low *low, call_fn *call)
{
    struct iot_request *request = low->request;
    int64_t told = pario_clock_ns();
    int code = 0;

    for (int64_t j = 0; j < low->nrequests; j++) {
        int64_t tnew;
        int failed;

        pario_position_at(request[j].first * 8);
        failed = call(&low->file, &request[j]);
        tnew = pario_clock_ns();
        request[j].ns = tnew - told;
        told = tnew;
        if (failed != 0 && code == 0) {
            code = failed;
            snprintf(low->message, sizeof(low->message), "%s (at byte %lld)",
                     pario_error_message(), (long long)request[j].first * 8);
            if (!low->collective) /* else the others would wait for us */
                break;
        }
    }
    return code;
}

int iot_low_keep(struct iot_low *low, const char *keyword, int task,
                 struct iot_loop *loop)
{
    double window_s = 0;

    for (int64_t j = 0; j < low->nrequests; j++) {
        int64_t ns = task ? low->request[j].task_ns : low->request[j].ns;

        window_s += (double)ns * 1e-9;
        if (low->request[j].count == 0)
            continue; /* it was there for the others' sake */
        pario_hist_add(&loop->latency, ns);
        pario_samples_add(&loop->samples, ns);
        loop->bytes += (int64_t)low->request[j].count * 8;
        loop->operations++;
    }
    loop->seconds += window_s;
    if (loop->nwindows < loop->capacity)
        loop->window_s[loop->nwindows++] = window_s;
    loop->rounds += low->window;
    /* Full before the next window is: all ranks count rounds alike. */
    if (loop->rounds + low->window <= (int64_t)loop->samples.capacity)
        return 0;
    loop->rounds = 0;
    return iot_timings_samples(low->context, keyword, &loop->samples);
}

int iot_loop_init(struct iot_loop *loop, const struct iot_low *low)
{
    int64_t capacity = low->rounds + low->window;

    *loop = (struct iot_loop){0};
    pario_hist_init(&loop->latency);
    loop->capacity = (size_t)((low->rounds + low->window - 1) / low->window);
    loop->window_s = calloc(loop->capacity + 1, sizeof(*loop->window_s));
    if (loop->window_s == NULL)
        return pario_fail_errno(-ENOMEM, "no memory for the times of windows");
    return pario_samples_init(
        &loop->samples,
        (size_t)(capacity < MOST_SAMPLES ? capacity : MOST_SAMPLES));
}

void iot_loop_fini(struct iot_loop *loop)
{
    pario_samples_fini(&loop->samples);
    free(loop->window_s);
    loop->window_s = NULL;
}

int iot_loop_slowest(const struct iot_low *low, const struct iot_loop *loop,
                     const struct iot_loop *beside, double *seconds_p)
{
    const struct pario_group *world = low->context->run->world;
    double *times = calloc(loop->nwindows + 1, sizeof(*times));
    int code = times != NULL
                   ? 0
                   : pario_fail_errno(-ENOMEM, "no memory for the times");

    code = pario_agree(world, code);
    for (size_t w = 0; times != NULL && w < loop->nwindows; w++)
        times[w] =
            loop->window_s[w] + (beside != NULL ? beside->window_s[w] : 0);
    if (code == 0)
        code = pario_reduce_f64(world, PARIO_MAX, times, loop->nwindows);
    *seconds_p = 0;
    for (size_t w = 0; code == 0 && times != NULL && w < loop->nwindows; w++)
        *seconds_p += times[w];
    free(times);
    return code;
}

void iot_low_check(struct iot_low *low, struct iot_figures *figures)
{
    for (int64_t j = 0; j < low->nrequests; j++)
        iot_values_sample(low->context, low->request[j].first,
                          low->request[j].buf, low->request[j].count, &low->rng,
                          figures);
}

/* All windows of one direction. All ranks come here, active or not. */
static int loop_over(struct iot_low *low, int writing, struct iot_loop *loop,
                     struct iot_figures *figures)
{
    static call_fn *const calls[2][2][2] = {
        /* [interface][collective][writing] */
        [IOT_MPI] = {{mpi_read, mpi_write}, {mpi_read_all, mpi_write_all}},
        [IOT_UNIX] = {{unix_read, unix_write}, {unix_read, unix_write}},
    };
    call_fn *call = calls[low->file.interface][low->collective][writing];
    int code = 0, kept = 0;

    for (int64_t first = 0; kept == 0 && first < low->rounds;
         first += low->window) {
        iot_low_window(low, first, writing);
        if (code != 0 && !low->collective)
            low->nrequests = 0;
        MPI_Barrier(low->context->comm);
        if (low->nrequests > 0) {
            int failed = timed_loop(low, call);

            code = code != 0 ? code : failed;
        }
        if (!writing && code == 0)
            iot_low_check(low, figures);
        kept = iot_low_keep(low, writing ? "w" : "r", 0, loop);
    }
    if (code != 0)
        pario_error_replace(low->message);
    return code != 0 ? code : kept;
}

static struct iot_figures figures_of(const struct iot_low *low,
                                     const struct iot_loop *loop, int writing)
{
    return (struct iot_figures){
        .access = writing ? "write" : "read",
        .active = low->active,
        .partition = low->partition,
        .bytes = loop->bytes,
        .operations = loop->operations,
        .seconds = loop->seconds,
        .latency = &loop->latency,
        .synced = writing,
        .reading = !writing,
    };
}

/* Collective. The loop alone, without the sync, is the seed's bandwidth. */
static json_t *extra_of(struct iot_low *low, double loop_s)
{
    double sync_s = iot_max(low->context, low->active ? low->file.sync_s : 0);
    double pre_s = iot_max(low->context, low->active ? low->file.pre_s : 0);
    double palloc_s =
        iot_max(low->context, low->active ? low->file.palloc_s : 0);

    return json_pack("{s:f, s:f, s:f, s:f}", "loop_seconds", loop_s,
                     "sync_seconds", sync_s, "pre_seconds", pre_s,
                     "palloc_seconds", palloc_s);
}

static int write_part(struct iot_low *low)
{
    struct iot_context *context = low->context;
    struct iot_loop loop;
    struct iot_figures figures;
    double loop_s = 0;
    int code = iot_loop_init(&loop, low), sync_code = 0;

    code = pario_agree(context->run->world, code);
    if (code == 0) {
        iot_phase(context, context->set->file_bytes,
                  (double)low->blocks.count * IOT_CALL_S, "write");
        code = pario_agree(context->run->world, loop_over(low, 1, &loop, NULL));
    }
    if (code == 0 && low->active)
        sync_code = iot_file_sync(&low->file);
    if (code == 0)
        code = pario_agree(context->run->world, sync_code);
    if (code == 0)
        code = iot_file_check_size(context, context->set->file_bytes);
    if (code == 0)
        code = iot_timings_samples(context, "w", &loop.samples);
    if (code == 0)
        code = iot_loop_slowest(low, &loop, NULL, &loop_s);
    if (code == 0) {
        figures = figures_of(low, &loop, 1);
        figures.extra = extra_of(low, loop_s);
        figures.seconds += low->file.sync_s;
        figures.slowest_s = loop_s + iot_max(context, low->file.sync_s);
        context->loop_mbps = pario_mbps(context->set->file_bytes, loop_s);
        code = iot_record(context, &figures);
    }
    iot_loop_fini(&loop);
    return code;
}

static int read_part(struct iot_low *low)
{
    struct iot_context *context = low->context;
    struct iot_figures checked = {0}, figures;
    struct iot_loop loop;
    double loop_s = 0;
    int code = iot_loop_init(&loop, low);

    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = iot_file_prepare_read(context);
    if (code == 0) {
        iot_phase(context, context->set->file_bytes,
                  (double)low->blocks.count * IOT_CALL_S, "read");
        code = pario_agree(context->run->world,
                           loop_over(low, 0, &loop, &checked));
    }
    if (code == 0)
        code = iot_timings_samples(context, "r", &loop.samples);
    if (code == 0)
        code = iot_loop_slowest(low, &loop, NULL, &loop_s);
    if (code == 0) {
        figures = figures_of(low, &loop, 0);
        figures.slowest_s = loop_s;
        figures.checked_bytes = checked.checked_bytes;
        figures.wrong_bytes = checked.wrong_bytes;
        memcpy(figures.wrong, checked.wrong, sizeof(figures.wrong));
        code = iot_record(context, &figures);
    }
    iot_loop_fini(&loop);
    return code;
}

int iot_run_blocking(struct iot_context *context)
{
    enum iot_kind kind = context->test->kind;
    struct iot_low low;
    int code =
        iot_low_init(&low, context, kind == IOT_SINGLE || kind == IOT_SINUNIX);

    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = iot_file_begin(
            context, low.comm, low.active,
            kind == IOT_SINUNIX || kind == IOT_MULUNIX ? IOT_UNIX : IOT_MPI,
            &low.file);
    if (code == 0)
        code = write_part(&low);
    if (code == 0)
        code = read_part(&low);
    code = iot_file_end(context, &low.file, low.active, code);
    iot_low_fini(&low);
    return code;
}
