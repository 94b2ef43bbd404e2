/* suites/prio/transfer.c - one case of block-by-block access. */
#include "suites/prio/transfer.h"

#include "core/clock.h"
#include "core/rng.h"
#include "suites/prio/loop.h"
#include "suites/prio/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_BYTES 4096 /* of each read, with --verify sample */

struct transfer {
    struct prio_env *env;
    const struct prio_case *what;
    struct prio_case writing; /* the same with the data that is written */
    const struct prio_layout *layout;
    struct prio_figures *figures;
    struct prio_plan plan;
    /* What is open: one of the two. */
    const struct pario_backend *backend;
    struct pario_file *file;
    struct prio_queue *queue;
    enum pario_form form;
    /* Data that memory does not hold at once goes window by window. */
    int64_t first, window; /* requests */
    void *buffer;
    size_t buffer_len;
    struct prio_loop loop;
    int64_t resident_bytes;
};

static const enum pario_form forms[PRIO_METHODS] = {
    [PRIO_POSIX] = PARIO_FORM_AT,
    [PRIO_INDIVIDUAL] = PARIO_FORM_POINTER,
    [PRIO_EXPLICIT] = PARIO_FORM_AT,
    [PRIO_INDIVIDUAL_ALL] = PARIO_FORM_POINTER_ALL,
    [PRIO_EXPLICIT_ALL] = PARIO_FORM_AT_ALL,
};

static int writes(const struct transfer *t)
{
    return t->what->writes > 0;
}

int prio_start(const struct prio_env *env, int code)
{
    code = pario_agree(env->all, code);
    return code != 0 ? code : pario_barrier(env->all);
}

static int make_buffer(struct transfer *t)
{
    int64_t longest = t->plan.longest, budget = t->env->memory_bytes;
    int64_t len;

    t->window = t->plan.count;
    if (t->what->reuse_buffer) {
        len = longest * (t->queue != NULL || t->what->method == PRIO_URING
                             ? t->what->depth
                             : 1);
    } else {
        /* The same number of requests on every process: windows match. */
        if (t->what->data_bytes > budget && t->what->time_s <= 0)
            t->window = budget / longest > 0 ? budget / longest : 1;
        len = t->window * longest < t->what->data_bytes ? t->window * longest
                                                        : t->what->data_bytes;
    }
    t->buffer_len = (size_t)len;
    return pario_buffer_alloc(t->buffer_len, &t->buffer);
}

static int open_queue(struct transfer *t)
{
    const struct prio_case *what = t->what;
    int flags = writes(t) ? O_RDWR : O_RDONLY;

    if (what->pattern == PRIO_WRITE && !t->layout->device)
        flags |= O_CREAT | O_EXCL;
    if (what->direct)
        flags |= O_DIRECT;
    if (what->sync == PRIO_SYNC_DSYNC)
        flags |= O_DSYNC;
    return prio_queue_open(t->layout->path, flags, (unsigned)what->depth,
                           &t->queue);
}

static int open_backend(struct transfer *t)
{
    const struct prio_case *what = t->what;
    struct pario_target target = {
        .path = t->layout->path,
        .group = t->layout->shared ? t->env->group : NULL,
        .flags = PARIO_OPEN_READ | (writes(t) ? PARIO_OPEN_WRITE : 0),
    };
    int code = pario_backend_find(
        prio_method_is_mpiio(what->method) ? "mpiio" : "posix", &t->backend);

    if (code != 0)
        return code;
    if (what->pattern == PRIO_WRITE)
        target.flags |= PARIO_OPEN_CREATE;
    if (what->direct)
        target.flags |= PARIO_OPEN_DIRECT;
    if (what->sync == PRIO_SYNC_DSYNC)
        target.flags |= PARIO_OPEN_DSYNC;
    t->form = forms[what->method];
    code = t->backend->open(&target, &t->file);
    if (code == 0 && t->layout->block > 0)
        code = t->backend->set_view(t->file, t->layout->base, t->layout->block,
                                    t->layout->stride);
    return code;
}

/* Collective over the group, which agrees on the outcome. Nothing here is
 * timed. */
static int set_up(struct transfer *t)
{
    const struct prio_case *what = t->what;
    int code = prio_plan_init(&t->plan, what, pario_group_rank(t->env->group));

    if (code == 0)
        code = make_buffer(t);
    code = pario_agree(t->env->group, code);
    if (code != 0)
        return code;
    if (what->pattern == PRIO_WRITE)
        code = prio_prepared_remove(t->env, t->layout);
    else if (!t->layout->device || writes(t))
        code = prio_prepare(t->env, what, t->layout);
    if (code == 0 && what->reads > 0)
        code = prio_residency(t->env, what, t->layout, &t->resident_bytes);
    if (code == 0)
        code = what->method == PRIO_URING ? open_queue(t) : open_backend(t);
    return pario_agree(t->env->group, code);
}

/* The data of the writes, and nothing stale where reads go. */
static void fill_window(struct transfer *t)
{
    const struct prio_request *request = t->plan.request + t->first;
    char *buffer = t->buffer;

    if (t->what->reads > 0)
        memset(t->buffer, 0, t->buffer_len);
    if (t->what->reuse_buffer) {
        for (size_t at = 0; writes(t) && at < t->buffer_len;
             at += t->plan.longest)
            prio_fill(t->env, &t->writing, t->layout, 0, buffer + at,
                      t->plan.longest);
        return;
    }
    for (int64_t i = 0; i < t->loop.count; i++) {
        if (request[i].write)
            prio_fill(t->env, &t->writing, t->layout, request[i].at, buffer,
                      request[i].len);
        buffer += request[i].len;
    }
}

static void check_window(struct transfer *t)
{
    const struct prio_request *request = t->plan.request + t->first;
    int64_t count = t->loop.done < t->loop.count ? t->loop.done : t->loop.count;
    const char *buffer = t->buffer;
    struct pario_rng rng;

    if (t->env->run->common.verify == PARIO_VERIFY_OFF ||
        t->figures->verify_off)
        return;
    pario_rng_init(&rng, t->what->seed);
    for (int64_t i = 0; i < count; i++) {
        int64_t piece = request[i].len, at = 0;

        if (t->env->run->common.verify == PARIO_VERIFY_SAMPLE &&
            piece > SAMPLE_BYTES) {
            at = (int64_t)pario_rng_below(&rng,
                                          (uint64_t)(piece - SAMPLE_BYTES + 1));
            piece = SAMPLE_BYTES;
        }
        if (!request[i].write)
            prio_check(t->env, t->what, t->layout, request[i].at + at,
                       buffer + at, (size_t)piece, t->figures);
        buffer += request[i].len;
    }
}

static int describe_error(const struct transfer *t)
{
    const struct prio_loop *loop = &t->loop;
    const char *verb = loop->failed_write ? "write" : "read";
    const char *method = prio_method_names[t->what->method];

    if (loop->code == 0)
        return 0;
    if (loop->code == PARIO_EMPI)
        return pario_fail(loop->code, "cannot %s %s at offset %lld (%s): %s",
                          verb, t->layout->path, (long long)loop->failed_at,
                          method, pario_error_message());
    return pario_fail_errno(loop->code, "cannot %s %s at offset %lld (%s)",
                            verb, t->layout->path, (long long)loop->failed_at,
                            method);
}

/* Collective where the file is shared. */
static int close_file(struct transfer *t)
{
    int code = 0;

    if (t->queue != NULL)
        code = prio_queue_close(t->queue);
    if (t->file != NULL)
        code = t->backend->close(t->file);
    t->queue = NULL;
    t->file = NULL;
    return code;
}

static int sync_file(struct transfer *t)
{
    if (!writes(t) || t->what->sync != PRIO_SYNC_END)
        return 0;
    return t->queue != NULL ? prio_queue_sync(t->queue)
                            : t->backend->sync(t->file);
}

/* From the first request until the data is durable and the file closed. */
static int timed_window(struct transfer *t, int last, double *elapsed_s,
                        double *wall_s)
{
    int64_t begin = pario_clock_ns(), thought = t->loop.thought_ns, elapsed;
    int code, next;

    if (t->what->time_s > 0)
        t->loop.stop_ns = begin + (int64_t)(t->what->time_s * 1e9);
    if (t->queue != NULL)
        prio_loop_queued(&t->loop, t->queue);
    else
        prio_loop_blocking(&t->loop, t->backend, t->file, t->form);
    code = describe_error(t);
    if (last) {
        next = sync_file(t);
        code = code != 0 ? code : next;
        next = close_file(t);
        code = code != 0 ? code : next;
    }
    elapsed = pario_clock_ns() - begin;
    *wall_s = (double)elapsed * 1e-9;
    *elapsed_s = (double)(elapsed - (t->loop.thought_ns - thought)) * 1e-9;
    return code;
}

/* With one window the host takes the slowest process; with several each
 * window's slowest counts, for all waited for it. */
static int add_time(struct transfer *t, double elapsed_s, double wall_s)
{
    double both[2] = {elapsed_s, wall_s};
    int code = 0;

    if (t->window < t->plan.count)
        code = pario_reduce_f64(t->env->group, PARIO_MAX, both, 2);
    t->figures->seconds += both[0];
    t->figures->wall_s += both[1];
    return code;
}

static int run_windows(struct transfer *t, int code)
{
    int64_t full = t->window;
    int last = 0;

    while (!last) {
        double elapsed_s = 0, wall_s = 0;
        int time_code;

        if (code == 0) {
            if (t->first + full >= t->plan.count) {
                last = 1;
                full = t->plan.count - t->first;
            }
            t->loop.request = t->plan.request + t->first;
            t->loop.count = full;
            fill_window(t);
        }
        code = prio_start(t->env, code);
        if (code != 0)
            return code;
        t->loop.done = 0;
        code = timed_window(t, last, &elapsed_s, &wall_s);
        time_code = add_time(t, elapsed_s, wall_s);
        code = code != 0 ? code : time_code;
        t->figures->operations += t->loop.done;
        if (code == 0)
            check_window(t);
        t->first += full;
    }
    return code;
}

/* What the file holds now. */
static void note_contents(struct transfer *t, int code)
{
    struct prio_prepared *prepared = t->env->prepared;
    int complete = t->figures->operations >= t->plan.count;

    if (code != 0 || !writes(t))
        return;
    if (t->what->pattern == PRIO_WRITE) {
        prio_prepared_note(prepared, t->what, t->layout,
                           complete && !t->what->reuse_buffer);
    } else {
        prepared->exact = 0;
    }
}

static int finish(struct transfer *t, int code)
{
    int verify = t->env->run->common.verify != PARIO_VERIFY_OFF;
    int64_t done = t->figures->operations < t->plan.count
                       ? t->figures->operations
                       : t->plan.count;

    if (code == 0 && writes(t) && verify && !t->figures->verify_off)
        code = prio_read_back(t->env, &t->writing, t->layout, t->plan.request,
                              done, t->figures);
    t->figures->bytes = t->loop.bytes;
    t->figures->written_bytes = t->loop.written_bytes;
    t->figures->cache =
        prio_verdict(t->env, t->what, t->layout, t->figures, t->resident_bytes,
                     t->what->data_bytes - t->plan.written_bytes);
    return code;
}

int prio_transfer(struct prio_env *env, const struct prio_case *what,
                  const struct prio_layout *layout,
                  struct prio_figures *figures)
{
    struct transfer t = {
        .env = env,
        .what = what,
        .writing = prio_generation(what, what->pattern != PRIO_WRITE),
        .layout = layout,
        .figures = figures,
        .resident_bytes = -1,
        .loop = {.reuse = what->reuse_buffer,
                 .base = layout->block > 0 ? 0 : layout->base,
                 .think_ns = (int64_t)(what->think_s * 1e9),
                 .stop_ns = INT64_MAX,
                 .keep_step = prio_method_is_collective(what->method),
                 .latency = figures->latency,
                 .samples = {figures->samples[0], figures->samples[1]}},
    };
    int code;

    /* Nothing is known about a device that is only read. */
    figures->verify_off =
        what->reuse_buffer || (layout->device && what->writes == 0);
    code = set_up(&t);
    t.loop.buffer = t.buffer;
    t.loop.longest = t.plan.longest;
    code = run_windows(&t, code);
    if (t.file != NULL || t.queue != NULL)
        (void)close_file(&t);
    code = pario_agree(env->group, code);
    code = finish(&t, code);
    code = pario_agree(env->group, code);
    note_contents(&t, code);
    if (code != 0)
        env->prepared->exact = 0;
    free(t.buffer);
    prio_plan_fini(&t.plan);
    return code;
}
