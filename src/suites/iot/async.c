/* suites/iot/async.c - singleI and multipleI (5.4): nonblocking or
 * split-collective I/O beside a matrix-vector task. */
#include "core/clock.h"
#include "io/mpiio_wait.h"
#include "par/watchdog.h"
#include "suites/iot/lowlevel.h"
#include "suites/iot/task.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ALONE 100 /* tasks timed without I/O */
#define ALONE_NS 2000000000
#define RECOMPUTED 4 /* at least, of a window's results are computed again */
#define MOST_STEP 8  /* ... and at least one in so many */

struct async {
    struct iot_low low;
    struct iot_task task;
    double *scratch[2]; /* a block each */
    MPI_Request handle; /* the I/O under way */
    double alone_s;     /* mean time of a task without I/O */
};

/* Waits for request, if any: the I/O of one call is over. */
static int finish(struct async *async, const struct iot_request *request,
                  int writing)
{
    struct iot_file *file = &async->low.file;
    const char *verb = writing ? "write" : "read";
    MPI_Request handle = async->handle;
    MPI_Status status;
    int err;

    if (request == NULL)
        return 0;
    async->handle = MPI_REQUEST_NULL;
    if (!async->low.collective)
        err = pario_mpiio_wait(&handle, (int64_t)request->count * 8, &status);
    else if (writing)
        err = MPI_File_write_at_all_end(file->handle, request->buf, &status);
    else
        err = MPI_File_read_at_all_end(file->handle, request->buf, &status);
    return iot_io_check(file, err, &status, MPI_DOUBLE, request->count, verb);
}

static int start(struct async *async, const struct iot_request *request,
                 int writing)
{
    struct iot_file *file = &async->low.file;
    MPI_File fh = file->handle;
    int err;

    pario_position_at(request->first * 8);
    if (async->low.collective && writing)
        err = MPI_File_write_at_all_begin(fh, request->first, request->buf,
                                          request->count, MPI_DOUBLE);
    else if (async->low.collective)
        err = MPI_File_read_at_all_begin(fh, request->first, request->buf,
                                         request->count, MPI_DOUBLE);
    else if (writing)
        err = MPI_File_iwrite_at(fh, request->first, request->buf,
                                 request->count, MPI_DOUBLE, &async->handle);
    else
        err = MPI_File_iread_at(fh, request->first, request->buf,
                                request->count, MPI_DOUBLE, &async->handle);
    return iot_io_check(file, err, MPI_STATUS_IGNORE, MPI_DOUBLE, -1,
                        writing ? "write" : "read");
}

static void note(struct async *async, int failed, int *code)
{
    if (failed == 0 || *code != 0)
        return;
    *code = failed;
    snprintf(async->low.message, sizeof(async->low.message), "%s",
             pario_error_message());
}

/* Each write depends on the task before it, and has the next task's time to
 * be done: wI is the time the write itself keeps the process, wtI the task's
 * beside it. */
static int write_loop(struct async *async)
{
    struct iot_request *request = async->low.request, *under_way = NULL;
    int64_t n = async->low.nrequests, told = pario_clock_ns();
    int code = 0;

    for (int64_t j = 0; j < n && (code == 0 || async->low.collective); j++) {
        int64_t tnew;

        iot_task_apply(&async->task, request[j].buf, request[j].buf,
                       request[j].count);
        tnew = pario_clock_ns();
        request[j].task_ns = tnew - told;
        told = tnew;
        note(async, finish(async, under_way, 1), &code);
        note(async, start(async, &request[j], 1), &code);
        under_way = &request[j];
        tnew = pario_clock_ns();
        request[j].ns = tnew - told;
        told = tnew;
    }
    note(async, finish(async, under_way, 1), &code);
    if (n > 0)
        request[n - 1].ns += pario_clock_ns() - told;
    return code;
}

/* The next block is read while the task works on the last. */
static int read_loop(struct async *async)
{
    struct iot_request *request = async->low.request;
    int64_t n = async->low.nrequests, told = pario_clock_ns();
    int code = 0;

    if (n > 0)
        note(async, start(async, &request[0], 0), &code);
    for (int64_t j = 0; j < n && (code == 0 || async->low.collective); j++) {
        int64_t tnew;

        note(async, finish(async, &request[j], 0), &code);
        /* Collectively the others would wait for us. */
        if (j + 1 < n && (code == 0 || async->low.collective))
            note(async, start(async, &request[j + 1], 0), &code);
        tnew = pario_clock_ns();
        request[j].ns = tnew - told;
        told = tnew;
        iot_task_apply(&async->task, request[j].buf, async->scratch[0],
                       request[j].count);
        tnew = pario_clock_ns();
        request[j].task_ns = tnew - told;
        told = tnew;
    }
    return code;
}

/* The result of the task must be what the same task gives again; the rest of
 * the block is as in the blocking tests. */
static void check_block(struct async *async, const struct iot_request *request,
                        int recompute, struct iot_figures *figures)
{
    const struct iot_context *context = async->low.context;
    int64_t results =
        async->task.order < request->count ? async->task.order : request->count;

    if (context->run->common.verify == PARIO_VERIFY_OFF || request->count == 0)
        return;
    iot_values_sample(context, request->first + results, request->buf + results,
                      request->count - results, &async->low.rng, figures);
    if (!recompute && context->run->common.verify != PARIO_VERIFY_FULL)
        return;
    iot_values_fill(&context->data, request->first, async->scratch[0],
                    request->count);
    iot_task_apply(&async->task, async->scratch[0], async->scratch[1],
                   request->count);
    figures->checked_bytes += results * 8;
    for (int64_t i = 0; i < results; i++) {
        if (iot_same_bits(async->scratch[1][i], request->buf[i]))
            continue;
        if (figures->wrong_bytes == 0)
            snprintf(figures->wrong, sizeof(figures->wrong),
                     "element %lld is %.17g, not the task's result %.17g",
                     (long long)request->first + i, request->buf[i],
                     async->scratch[1][i]);
        figures->wrong_bytes += 8;
    }
}

/* The task is applied again to blocks spread over the whole window, others
 * in each: where it begins is left to chance. */
static void check_window(struct async *async, struct iot_figures *figures)
{
    struct iot_low *low = &async->low;
    int64_t step = low->nrequests / RECOMPUTED;
    int64_t place;

    step = step < 1 ? 1 : step > MOST_STEP ? MOST_STEP : step;
    place = (int64_t)pario_rng_below(&low->rng, (uint64_t)step);
    for (int64_t j = 0; j < low->nrequests; j++)
        check_block(async, &low->request[j], j % step == place, figures);
}

static int loop_over(struct async *async, int writing, struct iot_loop loops[2],
                     struct iot_figures *figures)
{
    struct iot_low *low = &async->low;
    int code = 0, kept = 0;

    for (int64_t first = 0; kept == 0 && first < low->rounds;
         first += low->window) {
        iot_low_window(low, first, writing);
        if (code != 0 && !low->collective)
            low->nrequests = 0;
        MPI_Barrier(low->context->comm);
        if (low->nrequests > 0) {
            int failed = writing ? write_loop(async) : read_loop(async);

            code = code != 0 ? code : failed;
        }
        if (!writing && code == 0)
            check_window(async, figures);
        kept = iot_low_keep(low, writing ? "wI" : "rI", 0, &loops[0]);
        if (kept == 0)
            kept = iot_low_keep(low, writing ? "wtI" : "rtI", 1, &loops[1]);
    }
    if (code != 0)
        pario_error_replace(low->message);
    return code != 0 ? code : kept;
}

/* Collective. The first cycles: the task without any I/O. */
static int task_alone(struct async *async)
{
    struct iot_context *context = async->low.context;
    struct pario_samples samples = {0};
    struct pario_moments moments;
    int code = pario_samples_init(&samples, MOST_ALONE);
    int64_t begin, told;

    pario_moments_init(&moments);
    if (code == 0 && async->low.active) {
        iot_low_window(&async->low, 0, 1);
        begin = told = pario_clock_ns();
        for (int64_t j = 0; async->low.nrequests > 0 && j < MOST_ALONE &&
                            told - begin < ALONE_NS;
             j++) {
            struct iot_request *request =
                &async->low.request[j % async->low.nrequests];
            int64_t tnew;

            iot_task_apply(&async->task, request->buf, async->scratch[0],
                           request->count);
            tnew = pario_clock_ns();
            pario_samples_add(&samples, tnew - told);
            pario_moments_add(&moments, (double)(tnew - told) * 1e-9);
            told = tnew;
        }
        async->alone_s = moments.mean;
    }
    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = iot_timings_samples(context, "t", &samples);
    pario_samples_fini(&samples);
    return code;
}

/* Collective. */
static json_t *extra_of(struct async *async, const struct iot_loop loops[2])
{
    const struct iot_context *context = async->low.context;
    double io_s = iot_max(context, loops[0].seconds);
    double task_s = iot_max(context, loops[1].seconds);
    double alone_s =
        iot_max(context, async->alone_s * (double)loops[1].latency.count);

    return json_pack(
        "{s:f, s:f, s:f, s:f}", "io_call_seconds", io_s, "task_seconds", task_s,
        "task_alone_seconds", alone_s, "sync_seconds",
        iot_max(context, async->low.active ? async->low.file.sync_s : 0));
}

static int append_and_record(struct async *async, int writing,
                             struct iot_loop loops[2],
                             const struct iot_figures *checked)
{
    struct iot_context *context = async->low.context;
    struct iot_figures figures = *checked;
    int code =
        iot_timings_samples(context, writing ? "wI" : "rI", &loops[0].samples);

    if (code == 0)
        code = iot_loop_slowest(&async->low, &loops[0], &loops[1],
                                &figures.slowest_s);
    if (code == 0)
        code = iot_timings_samples(context, writing ? "wtI" : "rtI",
                                   &loops[1].samples);
    if (code != 0)
        return code;
    figures.access = writing ? "write" : "read";
    figures.active = async->low.active;
    figures.partition = async->low.partition;
    figures.bytes = loops[0].bytes;
    figures.operations = loops[0].operations;
    figures.seconds = loops[0].seconds + loops[1].seconds;
    figures.latency = &loops[0].latency;
    figures.synced = writing;
    figures.reading = !writing;
    figures.extra = extra_of(async, loops);
    if (writing) {
        figures.seconds += async->low.file.sync_s;
        figures.slowest_s += iot_max(context, async->low.file.sync_s);
    }
    return iot_record(context, &figures);
}

/* Collective. The tasks, those that are computed again to check, the calls. */
static double work_s(const struct async *async, int writing)
{
    const struct iot_low *low = &async->low;
    double task_s = iot_max(low->context, async->alone_s);

    return (double)low->rounds * task_s * (writing ? 1 : 2) +
           (double)low->blocks.count * IOT_CALL_S;
}

static int part(struct async *async, int writing)
{
    struct iot_context *context = async->low.context;
    struct iot_figures checked = {0};
    struct iot_loop loops[2];
    int code = iot_loop_init(&loops[0], &async->low);
    int second = iot_loop_init(&loops[1], &async->low), sync_code = 0;

    code = pario_agree(context->run->world, code != 0 ? code : second);
    if (code == 0 && !writing)
        code = iot_file_prepare_read(context);
    if (code == 0) {
        iot_phase(context, context->set->file_bytes, work_s(async, writing),
                  writing ? "write" : "read");
        code = pario_agree(context->run->world,
                           loop_over(async, writing, loops, &checked));
    }
    if (code == 0 && writing) {
        if (async->low.active)
            sync_code = iot_file_sync(&async->low.file);
        code = pario_agree(context->run->world, sync_code);
        if (code == 0)
            code = iot_file_check_size(context, context->set->file_bytes);
    }
    if (code == 0)
        code = append_and_record(async, writing, loops, &checked);
    iot_loop_fini(&loops[0]);
    iot_loop_fini(&loops[1]);
    return code;
}

int iot_run_async(struct iot_context *context)
{
    const struct iot_set *set = context->set;
    struct async async = {.handle = MPI_REQUEST_NULL};
    int code =
        iot_low_init(&async.low, context, context->test->kind == IOT_SINGLEI);

    if (code == 0)
        code = iot_task_init(&async.task, set->task_order, set->task_repeat);
    for (int i = 0; code == 0 && i < 2; i++) {
        async.scratch[i] = malloc((size_t)async.low.stride * 8);
        if (async.scratch[i] == NULL)
            code = pario_fail_errno(-ENOMEM, "no memory for a block");
    }
    code = pario_agree(context->run->world, code);
    if (code == 0) {
        iot_phase(context, 0,
                  ALONE_NS * 1e-9 +
                      iot_schedule_task_s(set->task_order, set->task_repeat),
                  "task alone");
        code = task_alone(&async);
    }
    if (code == 0)
        code = iot_file_begin(context, async.low.comm, async.low.active,
                              IOT_MPI, &async.low.file);
    if (code == 0)
        code = part(&async, 1);
    if (code == 0)
        code = part(&async, 0);
    code = iot_file_end(context, &async.low.file, async.low.active, code);
    for (int i = 0; i < 2; i++)
        free(async.scratch[i]);
    iot_task_fini(&async.task);
    iot_low_fini(&async.low);
    return code;
}
