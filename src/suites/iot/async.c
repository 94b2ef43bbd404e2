/* suites/iot/async.c - singleI and multipleI (5.4): nonblocking or
 * split-collective I/O beside a matrix-vector task. */
#include "core/clock.h"
#include "core/stats.h"
#include "io/mpiio_wait.h"
#include "par/watchdog.h"
#include "suites/iot/lowlevel.h"
#include "suites/iot/task.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ALONE 100 /* tasks timed without I/O */
#define ALONE_NS 2000000000
#define RECOMPUTED 8        /* one result in so many is computed again */
#define CHECKED 64          /* values of the rest of a block */
#define BLOCKING (1u << 19) /* file number of the data of blocking calls */
#define WRITE_BUFFERS 2
#define READ_BUFFERS 8 /* at least: where the window ends nothing overlaps */

struct async {
    struct iot_low low; /* first: the checks get it */
    struct iot_task task;
    struct iot_loop tasks; /* the task beside I/O */
    double *input;         /* of the task: the base and one stamp */
    double *result;
    MPI_Request handle;   /* the I/O under way */
    double alone_s;       /* mean time of a task without I/O */
    double blocking_s[2]; /* of the same loop without tasks: read, write */
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

/* What is written depends on what was computed, and that on the place. */
static void compute(struct async *async, const struct iot_request *request,
                    double *out)
{
    async->input[0] = iot_element(&async->low.context->data, request->first);
    iot_task_apply(&async->task, async->input, out, request->count);
}

static void take_task(struct async *async, const struct iot_request *request,
                      int64_t *last_ns)
{
    if (request->count > 0)
        *last_ns = iot_loop_take(&async->tasks, *last_ns, pario_clock_ns());
}

static void take_io(struct async *async, const struct iot_request *request,
                    int64_t *last_ns)
{
    if (request->count > 0)
        *last_ns = iot_loop_take(&async->low.loop, *last_ns, pario_clock_ns());
}

/* Each write depends on the task before it, and has the next task's time to
 * be done: wI is the time the write itself keeps the process, wtI the task's
 * beside it. */
static int write_loop(struct async *async, struct pario_phase *phase)
{
    struct iot_low *low = &async->low;
    struct iot_request *request, *under_way = NULL;
    int64_t last_ns = pario_clock_ns();

    for (int64_t j = 0; (low->code == 0 || low->collective) &&
                        (request = iot_low_next(low, j)) != NULL;
         j++) {
        iot_values_stamp(&low->context->data, request->first, request->buf,
                         request->count);
        compute(async, request, request->buf);
        take_task(async, request, &last_ns);
        iot_low_note(low, request, finish(async, under_way, 1));
        iot_low_note(low, request, start(async, request, 1));
        under_way = request;
        take_io(async, request, &last_ns);
    }
    if (under_way != NULL)
        iot_low_note(low, under_way, finish(async, under_way, 1));
    low->loop.total_ns += pario_clock_ns() - last_ns;
    return iot_low_done(low, phase);
}

static void recompute(struct async *async, const struct iot_request *request,
                      struct pario_figures *figures)
{
    int64_t results =
        async->task.order < request->count ? async->task.order : request->count;

    compute(async, request, async->result);
    figures->checked_bytes += results * 8;
    for (int64_t i = 0; i < results; i++) {
        if (iot_same_bits(async->result[i], request->buf[i]))
            continue;
        if (figures->wrong_bytes == 0)
            snprintf(figures->wrong, sizeof(figures->wrong),
                     "element %lld is %.17g, not the task's result %.17g",
                     (long long)request->first + i, request->buf[i],
                     async->result[i]);
        figures->wrong_bytes += 8;
    }
}

/* The result of the task must be what the same task gives again; the rest of
 * the block is as in the blocking tests. */
static void check_block(struct iot_low *low, const struct iot_request *request,
                        struct pario_figures *figures)
{
    struct async *async = (struct async *)low;
    int verify = low->context->run->common.verify;
    int64_t results =
        async->task.order < request->count ? async->task.order : request->count;
    struct iot_expected expected = {.stamps = low->context->data,
                                    .base = low->base,
                                    .first = request->first};

    if (verify == PARIO_VERIFY_OFF || request->count == 0)
        return;
    if (verify == PARIO_VERIFY_FULL ||
        pario_rng_below(&low->rng, RECOMPUTED) == 0 || low->rounds < RECOMPUTED)
        recompute(async, request, figures);
    if (verify == PARIO_VERIFY_FULL)
        iot_values_check(&expected, results, request->buf + results,
                         request->count - results, figures);
    else if (results < request->count) {
        int64_t left = request->count - results;
        int64_t at =
            results + (int64_t)pario_rng_below(&low->rng, (uint64_t)left);

        iot_values_check(&expected, at, request->buf + at,
                         request->count - at < CHECKED ? request->count - at
                                                       : CHECKED,
                         figures);
    }
}

/* The next block is read while the task works on the last. */
static int read_loop(struct async *async, struct pario_phase *phase)
{
    struct iot_low *low = &async->low;
    struct iot_request *request = iot_low_next(low, 0), *next;
    int64_t last_ns = pario_clock_ns();

    if (request != NULL)
        iot_low_note(low, request, start(async, request, 0));
    for (int64_t j = 0; request != NULL && (low->code == 0 || low->collective);
         j++, request = next) {
        int full = (j + 1) % low->slots == 0 && j + 1 < low->rounds;

        iot_low_note(low, request, finish(async, request, 0));
        next = full ? NULL : iot_low_next(low, j + 1);
        if (next != NULL && (low->code == 0 || low->collective))
            iot_low_note(low, next, start(async, next, 0));
        take_io(async, request, &last_ns);
        iot_task_apply(&async->task, request->buf, async->result,
                       request->count);
        take_task(async, request, &last_ns);
        if (!full)
            continue;
        last_ns = iot_low_pause(low, phase, check_block);
        next = iot_low_next(low, j + 1);
        if (next != NULL && (low->code == 0 || low->collective))
            iot_low_note(low, next, start(async, next, 0));
    }
    return iot_low_done(low, phase);
}

/* Collective. The first cycles: the task without any I/O. */
static int task_alone(struct async *async)
{
    struct iot_context *context = async->low.context;
    struct pario_samples samples = {0};
    struct pario_moments moments;
    int code = pario_samples_init(&samples, MAX_ALONE);
    int64_t begin, last_ns;

    pario_moments_init(&moments);
    if (code == 0 && async->low.active) {
        struct iot_request first = {.count = (int)async->low.blocks.mean};

        begin = last_ns = pario_clock_ns();
        for (int j = 0; j < MAX_ALONE && last_ns - begin < ALONE_NS; j++) {
            int64_t now_ns;

            compute(async, &first, async->result);
            now_ns = pario_clock_ns();
            pario_samples_add(&samples, now_ns - last_ns);
            pario_moments_add(&moments, (double)(now_ns - last_ns) * 1e-9);
            last_ns = now_ns;
        }
        async->alone_s = moments.mean;
    }
    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = iot_timings_samples(context, "t", &samples);
    pario_samples_fini(&samples);
    return code;
}

/* Collective. loop_s: of the tasks with the I/O. */
static json_t *extra_of(struct async *async, int writing, double loop_s)
{
    const struct iot_context *context = async->low.context;
    const struct iot_file *file = &async->low.file;
    double blocking_s = async->blocking_s[writing];
    double alone_s =
        iot_max(context, async->alone_s * (double)async->tasks.latency.count);
    const struct iot_extra extras[] = {
        {"loop_seconds", loop_s},
        {"io_call_seconds", (double)async->low.loop.total_ns * 1e-9},
        {"task_seconds", (double)async->tasks.total_ns * 1e-9},
        {"task_alone_seconds", alone_s},
        {"blocking_seconds", blocking_s},
        {"overlap", pario_overlap(blocking_s, alone_s, loop_s)},
        {"sync_seconds", writing ? file->sync_s : 0},
        {.name = NULL},
    };

    return iot_extra_preallocated(file, iot_greatest(context, extras));
}

/* Collective. The tasks, those that are computed again to check, the calls. */
static double work_s(const struct async *async, int writing)
{
    const struct iot_low *low = &async->low;
    double task_s = iot_max(low->context, async->alone_s);

    return (double)low->rounds * task_s * (writing ? 1 : 2) +
           (double)low->blocks.count * IOT_CALL_S;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct async *async = arg;

    if (!async->low.active)
        return 0;
    return async->low.writing ? write_loop(async, phase)
                              : read_loop(async, phase);
}

static int sync_file(void *arg)
{
    struct async *async = arg;
    int code = async->low.active ? iot_file_sync(&async->low.file) : 0;

    if (code == 0 && async->low.active)
        code = iot_file_sync_rest(&async->low.file);
    return code;
}

static int check(void *arg, struct pario_phase *phase)
{
    struct async *async = arg;
    struct iot_low *low = &async->low;

    pario_samples_fold(&low->loop.samples, &low->loop.latency);
    pario_samples_fold(&async->tasks.samples, &async->tasks.latency);
    if (low->writing)
        return iot_file_check_size(low->context, low->context->set->file_bytes);
    iot_low_check_rest(low, phase, check_block);
    return 0;
}

/* The struct iot_low stands first. */
static const struct pario_phase_calls calls = {.open = iot_low_open,
                                               .loop = loop,
                                               .sync = sync_file,
                                               .close = iot_low_close,
                                               .check = check};

static int part(struct async *async, int writing)
{
    struct iot_low *low = &async->low;
    struct iot_context *context = low->context;
    struct pario_phase phase = iot_phase_of(context, writing);
    int code;

    phase.read_later = writing;
    phase.idle = !low->active;
    phase.idlers = low->alone;
    phase.latency = &low->loop.latency;
    iot_phase(context, context->set->file_bytes, work_s(async, writing),
              writing ? "write" : "read");
    iot_low_begin(low, writing, writing ? WRITE_BUFFERS : low->window);
    iot_loop_begin(&async->tasks);
    code = pario_phase_run(&phase, &calls, async);
    if (code == 0)
        code = iot_timings_samples(context, writing ? "wI" : "rI",
                                   &low->loop.samples);
    if (code == 0)
        code = iot_timings_samples(context, writing ? "wtI" : "rtI",
                                   &async->tasks.samples);
    if (code != 0)
        return code;
    return iot_record(context, &phase, writing ? "write" : "read",
                      extra_of(async, writing, phase.figures.loop_s));
}

/* Collective. What the calls take when nothing runs beside them; other data,
 * so that what the nonblocking writes leave out is seen. */
static int blocking(struct async *async)
{
    struct iot_low *low = &async->low;
    struct pario_data data = low->context->data;
    int code;

    low->context->data.file |= BLOCKING;
    code = iot_low_blocking(low, 1, "write_blocking", &async->blocking_s[1]);
    if (code == 0)
        code = iot_low_blocking(low, 0, "read_blocking", &async->blocking_s[0]);
    low->context->data = data;
    return code;
}

static int prepare(struct async *async, struct iot_context *context)
{
    const struct iot_set *set = context->set;
    int code = iot_low_init(&async->low, context,
                            (context->test->bench->abilities & IOT_ALONE) != 0,
                            READ_BUFFERS);

    if (code == 0)
        code = iot_loop_init(&async->tasks,
                             async->low.active ? async->low.rounds : 1);
    if (code == 0)
        code = iot_task_init(&async->task, set->task_order, set->task_repeat);
    if (code != 0)
        return code;
    async->input = malloc((size_t)async->low.stride * 8);
    async->result = malloc((size_t)async->low.stride * 8);
    if (async->input == NULL || async->result == NULL)
        return pario_fail_errno(-ENOMEM, "no memory for a block");
    iot_values_fill(&async->low.base, 0, async->input, async->low.stride);
    return 0;
}

static void clean_up(struct async *async)
{
    free(async->input);
    free(async->result);
    iot_task_fini(&async->task);
    iot_loop_fini(&async->tasks);
    iot_low_fini(&async->low);
}

int iot_run_async(struct iot_context *context)
{
    const struct iot_set *set = context->set;
    struct async async = {.handle = MPI_REQUEST_NULL};
    int code = pario_agree(context->run->world, prepare(&async, context));

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
        code = blocking(&async);
    if (code == 0)
        code = part(&async, 1);
    if (code == 0)
        code = part(&async, 0);
    code = iot_file_end(context, &async.low.file, async.low.active, code);
    clean_up(&async);
    return code;
}
