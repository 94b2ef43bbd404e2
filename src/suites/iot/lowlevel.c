/* suites/iot/lowlevel.c - single, multiple, and the same through UNIX calls
 * (5.2, 5.3, 5.1.1): a stream of blocks, each call timed. */
#include "suites/iot/lowlevel.h"

#include "core/clock.h"
#include "core/storage.h"
#include "core/units.h"
#include "par/watchdog.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_BYTES (16 << 20) /* of blocks that were read and not checked */
#define MAX_WINDOW 65536        /* blocks in it */
#define MAX_SAMPLES (1 << 26)   /* of a rank; further calls are counted only */
#define BASE (1u << 18)         /* file number of what is between stamps */

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

static int64_t window_of(const struct iot_low *low, int64_t buffers)
{
    int64_t window = WINDOW_BYTES / 8 / low->stride;

    if (window > MAX_WINDOW)
        window = MAX_WINDOW;
    if (window > low->rounds)
        window = low->rounds;
    return window < buffers ? buffers : window;
}

int iot_low_init(struct iot_low *low, struct iot_context *context, int alone,
                 int64_t buffers)
{
    const struct iot_set *set = context->set;

    *low = (struct iot_low){.context = context,
                            .file = {.handle = MPI_FILE_NULL, .fd = -1}};
    low->alone = alone && !set->separate;
    low->active = !low->alone || context->rank == 0;
    low->ranks = alone ? 1 : context->size;
    low->place = alone ? 0 : context->rank;
    low->comm = alone ? MPI_COMM_SELF : context->comm;
    low->collective = !alone && set->collective;
    low->base = context->data;
    low->base.file |= BASE;
    low->blocks = (struct iot_blocks){
        .mean = set->block_bytes / 8,
        .count = set->file_bytes / set->block_bytes,
        .fuzzy = set->fuzzy,
        .seed = (uint64_t)context->run->common.seed,
    };
    low->rounds = (low->blocks.count + low->ranks - 1) / low->ranks;
    low->stride = (int64_t)((double)low->blocks.mean * (1 + set->fuzzy)) + 1;
    low->window = window_of(low, buffers);
    pario_rng_init(&low->rng, (uint64_t)context->run->common.seed);
    low->request = calloc((size_t)low->window, sizeof(*low->request));
    if (low->active)
        low->buffer = malloc((size_t)(low->window * low->stride) * 8);
    if (low->request == NULL || (low->active && low->buffer == NULL))
        return pario_fail_errno(-ENOMEM, "no memory for %lld blocks",
                                (long long)low->window);
    return iot_loop_init(&low->loop, low->active ? low->rounds : 1);
}

void iot_low_fini(struct iot_low *low)
{
    iot_loop_fini(&low->loop);
    free(low->request);
    free(low->buffer);
}

int iot_loop_init(struct iot_loop *loop, int64_t rounds)
{
    pario_hist_init(&loop->latency);
    return pario_samples_init(
        &loop->samples, (size_t)(rounds < MAX_SAMPLES ? rounds : MAX_SAMPLES));
}

void iot_loop_begin(struct iot_loop *loop)
{
    pario_hist_init(&loop->latency);
    loop->samples.count = 0;
    loop->samples.lost = 0;
    loop->total_ns = 0;
}

void iot_loop_fini(struct iot_loop *loop)
{
    pario_samples_fini(&loop->samples);
}

/* Once, before the time: later on what is left of a window before has the
 * stamps of other places, and refilling would be a long pause. */
static void poison(struct iot_low *low)
{
    memset(low->buffer, 0xff, (size_t)(low->slots * low->stride) * 8);
}

void iot_low_begin(struct iot_low *low, int writing, int64_t slots)
{
    low->writing = writing;
    low->slots = slots;
    low->bytes = low->operations = 0;
    low->code = 0;
    iot_loop_begin(&low->loop);
    if (!low->active)
        return;
    if (!writing)
        poison(low);
    for (int64_t s = 0; writing && s < slots; s++)
        iot_values_fill(&low->base, 0, low->buffer + s * low->stride,
                        low->stride);
}

struct iot_request *iot_low_next(struct iot_low *low, int64_t j)
{
    struct iot_request *request = &low->request[j % low->slots];
    int64_t k = j * low->ranks + low->place, end = low->blocks.count;

    if (j >= low->rounds || (k >= end && !low->collective))
        return NULL;
    if (k > end)
        k = end;
    request->first = iot_block_begin(&low->blocks, k);
    request->count =
        k == end ? 0
                 : (int)(iot_block_begin(&low->blocks, k + 1) - request->first);
    request->buf = low->buffer + j % low->slots * low->stride;
    low->bytes += (int64_t)request->count * 8;
    low->operations += request->count > 0;
    pario_position_at(request->first * 8);
    return request;
}

void iot_low_note(struct iot_low *low, const struct iot_request *request,
                  int code)
{
    if (code == 0 || low->code != 0)
        return;
    low->code = code;
    snprintf(low->message, sizeof(low->message), "%s (at byte %lld)",
             pario_error_message(), (long long)request->first * 8);
}

static void check_slots(struct iot_low *low, int64_t count,
                        struct pario_figures *figures, iot_check_fn *check)
{
    for (int64_t s = 0; s < count; s++)
        check(low, &low->request[s], figures);
}

int64_t iot_low_pause(struct iot_low *low, struct pario_phase *phase,
                      iot_check_fn *check)
{
    if (low->context->run->common.verify == PARIO_VERIFY_OFF)
        return pario_clock_ns();
    pario_phase_pause(phase);
    if (low->code == 0)
        check_slots(low, low->slots, &phase->figures, check);
    if (low->collective) /* else the others would wait within their time */
        MPI_Barrier(low->comm);
    (void)pario_phase_resume(phase, !pario_phase_reads_ahead(phase));
    return pario_clock_ns();
}

void iot_low_check_rest(struct iot_low *low, struct pario_phase *phase,
                        iot_check_fn *check)
{
    int64_t mine = low->rounds;

    if (!low->active)
        return;
    if (!low->collective &&
        (mine - 1) * low->ranks + low->place >= low->blocks.count)
        mine--;
    check_slots(low, mine - (mine - 1) / low->slots * low->slots,
                &phase->figures, check);
}

int iot_low_done(struct iot_low *low, struct pario_phase *phase)
{
    phase->figures.bytes = low->bytes;
    phase->figures.written_bytes = low->writing ? low->bytes : 0;
    phase->figures.operations = low->operations;
    if (low->code != 0)
        pario_error_replace(low->message);
    return low->code;
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
    int code = pario_pwrite_all(file->fd, request->buf,
                                (size_t)request->count * 8, request->first * 8);

    return code != 0 ? pario_fail_errno(code, "cannot write %s", file->path)
                     : 0;
}

static int unix_read(struct iot_file *file, const struct iot_request *request)
{
    int code = pario_pread_all(file->fd, request->buf,
                               (size_t)request->count * 8, request->first * 8);

    if (code == PARIO_ESHORT)
        return pario_fail(code,
                          "cannot read %s: it ends before byte %lld (was it "
                          "truncated?)",
                          file->path,
                          (long long)(request->first + request->count) * 8);
    return code != 0 ? pario_fail_errno(code, "cannot read %s", file->path) : 0;
}

typedef int call_fn(struct iot_file *file, const struct iot_request *request);

static call_fn *const calls[2][2][2] = {
    /* [interface][collective][writing] */
    [IOT_MPI] = {{mpi_read, mpi_write}, {mpi_read_all, mpi_write_all}},
    [IOT_UNIX] = {{unix_read, unix_write}, {unix_read, unix_write}},
};

static void check_block(struct iot_low *low, const struct iot_request *request,
                        struct pario_figures *figures)
{
    struct iot_expected expected = {.stamps = low->context->data,
                                    .base = low->base,
                                    .first = request->first};

    iot_values_sample(low->context->run->common.verify, &expected, request->buf,
                      request->count, &low->rng, figures);
}

/* The heart of the test (5.2): one clock reading a call. */
static int timed_loop(void *arg, struct pario_phase *phase)
{
    struct iot_low *low = arg;
    call_fn *call = calls[low->file.interface][low->collective][low->writing];
    const struct iot_request *request;
    int64_t last_ns = pario_clock_ns();

    for (int64_t j = 0; (request = iot_low_next(low, j)) != NULL; j++) {
        int code;

        if (low->writing)
            iot_values_stamp(&low->context->data, request->first, request->buf,
                             request->count);
        code = call(&low->file, request);
        if (request->count > 0)
            last_ns = iot_loop_take(&low->loop, last_ns, pario_clock_ns());
        if (code != 0)
            iot_low_note(low, request, code);
        if (low->code != 0 && !low->collective)
            break; /* else the others would wait for us */
        if (!low->writing && (j + 1) % low->slots == 0 && j + 1 < low->rounds)
            last_ns = iot_low_pause(low, phase, check_block);
    }
    return iot_low_done(low, phase);
}

/* Those who only wait have nothing to do. */
static int loop(void *arg, struct pario_phase *phase)
{
    return ((struct iot_low *)arg)->active ? timed_loop(arg, phase) : 0;
}

static int sync_file(void *arg)
{
    struct iot_low *low = arg;

    return low->active ? iot_file_sync(&low->file) : 0;
}

static int check(void *arg, struct pario_phase *phase)
{
    struct iot_low *low = arg;

    pario_samples_fold(&low->loop.samples, &low->loop.latency);
    if (low->writing)
        return iot_file_check_size(low->context, low->context->set->file_bytes);
    iot_low_check_rest(low, phase, check_block);
    return 0;
}

int iot_low_open(void *arg)
{
    struct iot_low *low = arg;

    return low->active ? iot_file_open_again(low->context, &low->file) : 0;
}

int iot_low_close(void *arg)
{
    struct iot_low *low = arg;

    return low->active ? iot_file_close(&low->file) : 0;
}

static const struct pario_phase_calls blocking_calls = {.open = iot_low_open,
                                                        .loop = loop,
                                                        .sync = sync_file,
                                                        .close = iot_low_close,
                                                        .check = check};

/* Collective. The loop alone, without sync and close, is the seed's
 * bandwidth. */
static json_t *extra_of(struct iot_low *low, double loop_s)
{
    const struct iot_file *file = &low->file;
    const struct iot_extra extras[] = {
        {"loop_seconds", loop_s},
        {"sync_seconds", low->writing ? file->sync_s : 0},
        {"close_seconds", file->post_s},
        {"pre_seconds", file->pre_s},
        {"palloc_seconds", file->palloc_s},
        {.name = NULL},
    };

    return iot_extra_preallocated(file, iot_greatest(low->context, extras));
}

int iot_low_blocking(struct iot_low *low, int writing, const char *access,
                     double *loop_s_p)
{
    struct iot_context *context = low->context;
    struct pario_phase phase = iot_phase_of(context, writing);
    int code;

    phase.read_later = writing;
    phase.idle = !low->active;
    phase.idlers = low->alone;
    phase.latency = &low->loop.latency;
    iot_phase(context, context->set->file_bytes,
              (double)low->blocks.count * IOT_CALL_S, access);
    iot_low_begin(low, writing, writing ? 1 : low->window);
    code = pario_phase_run(&phase, &blocking_calls, low);
    if (code == 0)
        code = iot_timings_samples(context, writing ? "w" : "r",
                                   &low->loop.samples);
    if (code != 0)
        return code;
    if (writing)
        context->loop_mbps =
            pario_mbps(phase.figures.bytes, phase.figures.loop_s);
    *loop_s_p = phase.figures.loop_s;
    return iot_record(context, &phase, access,
                      extra_of(low, phase.figures.loop_s));
}

int iot_run_blocking(struct iot_context *context)
{
    unsigned abilities = context->test->bench->abilities;
    struct iot_low low;
    double loop_s;
    int code = iot_low_init(&low, context, (abilities & IOT_ALONE) != 0, 1);

    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = iot_file_begin(context, low.comm, low.active,
                              abilities & IOT_UNIX_CALLS ? IOT_UNIX : IOT_MPI,
                              &low.file);
    if (code == 0)
        code = iot_low_blocking(&low, 1, "write", &loop_s);
    if (code == 0)
        code = iot_low_blocking(&low, 0, "read", &loop_s);
    code = iot_file_end(context, &low.file, low.active, code);
    iot_low_fini(&low);
    return code;
}
