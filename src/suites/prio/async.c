/* suites/prio/async.c - the whole data in one nonblocking request beside a
 * computation: what each loses by the other (PRIOmark, Sect. 4.1). */
#include "suites/prio/async.h"
#include "core/cleanup.h"

#include "core/clock.h"
#include "core/stats.h"
#include "io/backend.h"
#include "par/watchdog.h"
#include "pario_config.h"
#include "suites/prio/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VECTOR ((size_t)1 << 19) /* doubles: 4 MiB, beyond most L2 caches */
#define SLICE ((size_t)1 << 13)  /* of one unit of work */
#define CLEARLY 0.7

static const char *const backends[PRIO_METHODS] = {
    [PRIO_URING] = "uring",
    [PRIO_INDIVIDUAL] = "mpiio",
    [PRIO_EXPLICIT] = "mpiio",
};

double prio_async_acl(const struct prio_async_times *times)
{
    return times->calculation_c > 0
               ? 1 - times->calculation / times->calculation_c
               : NAN;
}

double prio_async_abl(const struct prio_async_times *times)
{
    return times->together > 0 ? 1 - times->io / times->together : NAN;
}

double prio_async_overlap(const struct prio_async_times *times)
{
    return pario_overlap(times->io, times->calculation, times->together);
}

const char *prio_async_verdict(const struct prio_async_times *times)
{
    if (prio_async_overlap(times) >= CLEARLY)
        return "overlapped";
    if (times->start >= CLEARLY * times->io)
        return "in start";
    if (times->wait >= CLEARLY * times->io)
        return "in wait";
    return "partly";
}

/* The computation: a sum of vectors, slice by slice, so that it and the
 * transfer meet on the memory bus. */
struct calculation {
    double *a, *b;
    size_t at;
};

static int calculation_init(struct calculation *calculation)
{
    void *a = NULL, *b = NULL;
    int code = pario_buffer_alloc(VECTOR * sizeof(double), &a);

    if (code == 0)
        code = pario_buffer_alloc(VECTOR * sizeof(double), &b);
    *calculation = (struct calculation){.a = a, .b = b};
    for (size_t i = 0; b != NULL && i < VECTOR; i++)
        calculation->b[i] = (double)i;
    return code;
}

static void calculation_fini(struct calculation *calculation)
{
    free(calculation->a);
    free(calculation->b);
}

static void calculate(struct calculation *calculation, int64_t units)
{
    for (int64_t n = 0; calculation->b != NULL && n < units; n++) {
        double *a = calculation->a + calculation->at;
        const double *b = calculation->b + calculation->at;

        for (size_t i = 0; i < SLICE; i++)
            a[i] = 0.5 * a[i] + b[i];
        calculation->at = (calculation->at + SLICE) % VECTOR;
    }
}

/* As many units as fill seconds on this process. */
static int64_t units_for(struct calculation *calculation, double seconds)
{
    int64_t begin_ns = pario_clock_ns(), units = 0;

    do {
        calculate(calculation, 1);
        units++;
    } while (pario_clock_since_s(begin_ns) < seconds);
    return units;
}

/* All that the measured part touches. */
struct async {
    struct prio_env *env;
    const struct prio_case *what;
    int generation; /* of the data that was written last */
    struct prio_layout layout;
    const struct pario_backend *backend;
    struct pario_file *file;
    struct pario_request request;
    struct calculation calculation;
    int64_t units; /* of the computation */
    char *buffer;
    struct prio_async_times times;
    struct pario_figures before; /* what the first request's check found */
};

/* The pointer is moved before: that is local and moves no data. */
static int start(struct async *async)
{
    enum pario_direction direction =
        async->what->writes > 0 ? PARIO_WRITE : PARIO_READ;
    size_t len = (size_t)async->what->data_bytes;
    int code = 0;

    pario_position_at(async->layout.base);
    if (async->what->method != PRIO_INDIVIDUAL)
        return async->backend->start(async->file, direction, async->buffer, len,
                                     async->layout.base, &async->request);
    code = async->backend->seek(async->file, async->layout.base);
    return code != 0 ? code
                     : async->backend->start_pointer(async->file, direction,
                                                     async->buffer, len,
                                                     &async->request);
}

static int serial_io(struct async *async)
{
    int64_t begin_ns = pario_clock_ns();
    int code = start(async);

    if (code == 0)
        code = async->backend->wait(async->file, &async->request);
    async->times.io = pario_clock_since_s(begin_ns);
    return code;
}

/* The timed part: begins with the phase. */
static int together(struct async *async, int64_t begin_ns)
{
    struct prio_async_times *times = &async->times;
    int64_t mark_ns;
    int code = start(async);

    times->start = pario_clock_since_s(begin_ns);
    mark_ns = pario_clock_ns();
    calculate(&async->calculation, async->units);
    times->calculation_c = pario_clock_since_s(mark_ns);
    mark_ns = pario_clock_ns();
    if (code == 0)
        code = async->backend->wait(async->file, &async->request);
    times->wait = pario_clock_since_s(mark_ns);
    times->together = pario_clock_since_s(begin_ns);
    return code;
}

/* Is there what the last request wrote? */
static int check_written(struct async *async, struct pario_figures *figures)
{
    struct prio_case what = prio_generation(async->what, async->generation);
    struct prio_request request = {
        .len = (uint32_t)what.data_bytes,
        .write = 1,
    };
    struct prio_done done = {.request = &request, .count = 1, .done = 1};

    if (async->generation == 0 ||
        async->env->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    return prio_read_back(async->env, &what, &async->layout, &done, figures);
}

/* Other data than in the file. */
static void fill_next(struct async *async)
{
    struct prio_case what = prio_generation(async->what, ++async->generation);

    prio_fill(async->env, &what, &async->layout, 0, async->buffer,
              (size_t)what.data_bytes);
}

/* Collective. Both requests find the file in the same state; what reads finds
 * the page cache as the phase will. */
static int settle(struct async *async)
{
    const struct pario_group *group = async->env->group;
    int fd = pario_own_open(async->layout.path, O_RDWR | O_CLOEXEC, 0);
    int64_t left;
    int code = 0;

    if (fd < 0 || fsync(fd) != 0)
        code = pario_fail_errno(-errno, "cannot sync %s", async->layout.path);
    if (fd >= 0)
        close(fd);
    code = pario_agree(group, code);
    if (code == 0 && async->what->writes == 0)
        code = pario_residency(group, async->layout.path,
                               async->env->run->common.cold, &left);
    if (code == 0 && async->buffer != NULL) {
        if (async->what->writes > 0)
            fill_next(async);
        else
            memset(async->buffer, 0, (size_t)async->what->data_bytes);
    }
    return pario_agree(group, code);
}

static int describe(const struct async *async, int code)
{
    const char *verb = async->what->writes > 0 ? "write" : "read";

    if (code == 0 || code == PARIO_EMPI)
        return code;
    return pario_fail_errno(code, "cannot %s %s (%s)", verb, async->layout.path,
                            prio_method_names[async->what->method]);
}

static void check_read(struct async *async, struct pario_figures *figures)
{
    if (async->what->writes == 0 &&
        async->env->run->common.verify != PARIO_VERIFY_OFF)
        prio_check(async->env, async->what, &async->layout, 0, async->buffer,
                   (size_t)async->what->data_bytes, figures);
}

/* Collective. Both alone: the request, and a computation that takes its share
 * of the slowest process's time. */
static int serialised(struct async *async, struct pario_figures *figures)
{
    const struct pario_group *group = async->env->group;
    double slowest = 0;
    int64_t begin_ns;
    int code = pario_barrier(group);

    if (code == 0)
        code = describe(async, serial_io(async));
    code = pario_agree(group, code);
    if (code != 0)
        return code;
    check_read(async, figures);
    code = pario_agree(group, check_written(async, figures));
    if (code != 0)
        return code;
    slowest = async->times.io;
    code = pario_reduce_f64(group, PARIO_MAX, &slowest, 1);
    if (code == 0)
        async->units =
            units_for(&async->calculation, slowest * async->what->computation);
    if (code == 0)
        code = pario_barrier(group);
    begin_ns = pario_clock_ns();
    calculate(&async->calculation, async->units);
    async->times.calculation = pario_clock_since_s(begin_ns);
    return code == 0 ? settle(async) : code;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct async *async = arg;
    int code = together(async, phase->begin_ns);

    phase->figures.bytes = async->what->data_bytes;
    phase->figures.written_bytes =
        async->what->writes > 0 ? phase->figures.bytes : 0;
    phase->figures.operations = 1;
    pario_hist_add(phase->latency, (int64_t)(async->times.together * 1e9));
    return describe(async, code);
}

/* Collective. The file is closed first: a library may write late. */
static int check(void *arg, struct pario_phase *phase)
{
    struct async *async = arg;
    struct pario_figures *figures = &phase->figures;
    int code = async->backend->close(async->file);

    async->file = NULL;
    code = pario_agree(async->env->group, code);
    figures->checked_bytes += async->before.checked_bytes;
    figures->wrong_bytes += async->before.wrong_bytes;
    memcpy(figures->wrong, async->before.wrong, sizeof(figures->wrong));
    if (code == 0)
        check_read(async, figures);
    return code == 0 ? check_written(async, figures) : code;
}

static const struct pario_phase_calls calls = {.loop = loop, .check = check};

static int open_file(struct async *async)
{
    const struct prio_case *what = async->what;
    struct pario_target target = {
        .path = async->layout.path,
        .group = async->env->group,
        .flags = PARIO_OPEN_READ | (what->writes > 0 ? PARIO_OPEN_WRITE : 0) |
                 (what->direct ? PARIO_OPEN_DIRECT : 0),
    };
    int code = 0;

    async->backend = &pario_backend_aio;
    if (what->method != PRIO_AIO)
        code = pario_backend_find(backends[what->method], &async->backend);
    return code != 0 ? code : async->backend->open(&target, &async->file);
}

static int set_up(struct async *async)
{
    const struct prio_case *what = async->what;
    void *buffer = NULL;
    int code = calculation_init(&async->calculation);

    if (code == 0)
        code = pario_buffer_alloc((size_t)what->data_bytes, &buffer);
    async->buffer = buffer;
    code = pario_agree(async->env->group, code);
    if (code == 0 && async->buffer != NULL)
        code = prio_prepare(async->env, what, &async->layout);
    if (code != 0 || async->buffer == NULL)
        return code;
    code = settle(async);
    if (code == 0)
        code = open_file(async);
    return pario_agree(async->env->group, code);
}

/* Collective. All six of the process that took longest, so that they belong
 * together; *io_p: the longest request alone. */
static int slowest_times(const struct pario_group *group,
                         struct prio_async_times *times, double *io_p)
{
    double longest[2] = {times->together, times->io};
    int64_t first = pario_group_size(group);
    double all[6] = {0};
    int code = pario_reduce_f64(group, PARIO_MAX, longest, 2);

    if (times->together >= longest[0])
        first = pario_group_rank(group);
    if (code == 0)
        code = pario_reduce_i64(group, PARIO_MIN, &first, 1);
    if (first == pario_group_rank(group)) {
        all[0] = times->io;
        all[1] = times->calculation;
        all[2] = times->start;
        all[3] = times->calculation_c;
        all[4] = times->wait;
        all[5] = times->together;
    }
    if (code == 0)
        code = pario_reduce_f64(group, PARIO_MAX, all, 6);
    *times = (struct prio_async_times){all[0], all[1], all[2],
                                       all[3], all[4], all[5]};
    *io_p = longest[1];
    return code;
}

static int report(struct async *async, struct prio_figures *figures)
{
    struct prio_async_times *times = &async->times;
    double bytes = (double)figures->phase->figures.bytes;
    double io = 0;
    int code = slowest_times(async->env->group, times, &io);

    figures->losses[0] = prio_async_acl(times);
    figures->losses[1] = prio_async_abl(times);
    figures->extra =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s}", "serial_mbps",
                  bytes / 1e6 / io, "serial_io_s", times->io, "calculation_s",
                  times->calculation, "calculation_beside_io_s",
                  times->calculation_c, "start_s", times->start, "wait_s",
                  times->wait, "overlap", prio_async_overlap(times),
                  "overlap_verdict", prio_async_verdict(times));
    return code;
}

/* The request alone is timed: neither sync nor close (docs/prio.md). */
static void describe_phase(const struct async *async, struct pario_phase *phase,
                           const struct pario_range *mine)
{
    phase->path = async->layout.path;
    phase->shared = 1;
    phase->writing = async->what->writes > 0;
    phase->reading = !phase->writing;
    phase->direct = async->what->direct;
    phase->unsynced = 1;
    phase->ranges = mine;
    phase->nranges = 1;
}

static void add_sample(const struct async *async, struct prio_figures *figures)
{
    struct pario_samples *samples = figures->samples[async->what->writes > 0];

    if (samples != NULL)
        pario_samples_add(samples, (int64_t)(async->times.together * 1e9));
}

static int async_run(struct prio_env *env, const struct prio_case *what,
                     struct prio_figures *figures)
{
    struct prio_case unsynced = *what; /* only the request is timed */
    struct async async = {.env = env, .what = &unsynced};
    struct pario_range mine;
    int code;

    unsynced.sync = PRIO_SYNC_NONE;
    prio_layout_file(&async.layout, env, what, 1);
    mine = (struct pario_range){async.layout.base, what->data_bytes};
    code = set_up(&async);
    if (code == 0)
        code = serialised(&async, &async.before);
    describe_phase(&async, figures->phase, &mine);
    code = prio_measure(env, code, figures, &calls, &async);
    figures->phase->path = NULL; /* both were ours */
    figures->phase->ranges = NULL;
    if (async.file != NULL)
        (void)async.backend->close(async.file);
    if (code == 0) {
        add_sample(&async, figures);
        code = pario_agree(env->group, report(&async, figures));
    }
    if (code != 0 || what->writes > 0)
        env->prepared->exact = 0;
    calculation_fini(&async.calculation);
    free(async.buffer);
    return code;
}

extern const struct prio_bench prio_bench_async;
const struct prio_bench prio_bench_async = {
    .test = {"async",
             "the data in one nonblocking request beside a computation"},
    .patterns = 1u << PRIO_WRITE | 1u << PRIO_READ,
    .methods = 1u << PRIO_AIO | 1u << PRIO_URING | 1u << PRIO_INDIVIDUAL |
               1u << PRIO_EXPLICIT,
    .abilities = PRIO_ONE_FILE | PRIO_COUNTS | PRIO_WHOLE,
    .run = async_run,
};
