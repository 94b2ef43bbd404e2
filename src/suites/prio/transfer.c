/* suites/prio/transfer.c - one case of block-by-block access. */
#include "suites/prio/transfer.h"

#include "core/rng.h"
#include "suites/prio/loop.h"
#include "suites/prio/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_BYTES 4096 /* of each read, with --verify sample */

struct transfer {
    struct prio_env *env;
    const struct prio_case *what;
    struct prio_case writing; /* the same with the data that is written */
    const struct prio_layout *layout;
    struct pario_figures *figures; /* the phase's */
    struct prio_figures *made;
    struct prio_plan plan;
    const struct pario_backend *backend;
    struct pario_file *file;
    struct prio_queue *queue; /* NULL: one request after the other */
    enum pario_form form;
    /* Data that memory does not hold at once goes window by window. */
    int64_t first, window; /* requests */
    int64_t moved;         /* in the windows before */
    void *buffer;
    size_t buffer_len;
    struct prio_loop loop;
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

/* Pass after pass writes to the same places. */
static int goes_round(const struct transfer *t)
{
    return t->what->time_s > 0 && writes(t);
}

static int is_queued(const struct transfer *t)
{
    return t->what->method == PRIO_URING;
}

/* Nothing of a window is left to be written once it is done. O_DIRECT alone
 * does not promise that: the device has a cache of its own. */
static int is_durable(const struct transfer *t)
{
    return !writes(t) || t->what->sync != PRIO_SYNC_NONE;
}

int prio_measure(const struct prio_env *env, int code,
                 const struct prio_figures *figures,
                 const struct pario_phase_calls *calls, void *part)
{
    code = pario_agree(env->all, code);
    return code != 0 ? code : pario_phase_run(figures->phase, calls, part);
}

static int make_buffer(struct transfer *t)
{
    int64_t longest = t->plan.longest, budget = t->env->memory_bytes;
    int64_t len;

    t->window = t->plan.count;
    if (t->what->reuse_buffer) {
        len = longest * (is_queued(t) ? t->what->depth : 1);
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

static int open_backend(struct transfer *t)
{
    const struct prio_case *what = t->what;
    struct pario_target target = {
        .path = t->layout->path,
        .group = t->layout->shared ? t->env->group : NULL,
        .flags = PARIO_OPEN_READ | (writes(t) ? PARIO_OPEN_WRITE : 0),
        .queue_depth = (int)what->depth,
    };
    const char *name = is_queued(t)                         ? "uring"
                       : prio_method_is_mpiio(what->method) ? "mpiio"
                                                            : "posix";
    int code = pario_backend_find(name, &t->backend);

    if (code != 0)
        return code;
    if (is_queued(t))
        target.flags |= PARIO_OPEN_POLLED;
    if (what->pattern == PRIO_WRITE && !t->layout->device)
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
    if (code == 0 && is_queued(t))
        code = prio_queue_create(t->backend, t->file, (unsigned)what->depth,
                                 &t->queue);
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

/* Nothing is known about a device that is only read, nor of what one buffer
 * leaves in many places. */
static int unchecked(const struct transfer *t)
{
    return t->what->reuse_buffer || (t->layout->device && t->what->writes == 0);
}

static int checks(const struct transfer *t)
{
    return t->env->run->common.verify != PARIO_VERIFY_OFF && !unchecked(t);
}

static void check_window(struct transfer *t)
{
    const struct prio_request *request = t->plan.request + t->first;
    int64_t count = t->loop.done < t->loop.count ? t->loop.done : t->loop.count;
    const char *buffer = t->buffer;
    struct pario_rng rng;

    if (!checks(t))
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

    if (loop->code == 0 || loop->failed_sync)
        return loop->code;
    return pario_io_fail(
        loop->code, loop->failed_write ? PARIO_WRITE : PARIO_READ,
        t->layout->path, loop->failed_at, prio_method_names[t->what->method]);
}

/* Collective where the file is shared. */
static int close_file(struct transfer *t)
{
    int code = 0;

    prio_queue_destroy(t->queue);
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
    return t->backend->sync(t->file);
}

static void take_window(struct transfer *t, int64_t first)
{
    int64_t left = t->plan.count - first;

    t->first = first;
    t->loop.request = t->plan.request + first;
    t->loop.count = left < t->window ? left : t->window;
    t->loop.done = 0;
    fill_window(t);
}

static int open_part(void *arg)
{
    struct transfer *t = arg;

    take_window(t, 0);
    return open_backend(t);
}

/* Collective over the group. What was written is durable first, so that the
 * device has nothing to do while the next window is filled; and all wait for
 * the slowest, within the time. */
static int next_window(struct transfer *t, struct pario_phase *phase)
{
    int code = describe_error(t), sync_code = sync_file(t);

    code = pario_agree(t->env->group, code != 0 ? code : sync_code);
    if (code != 0)
        return code;
    pario_phase_pause(phase);
    check_window(t);
    t->moved += t->loop.done;
    take_window(t, t->first + t->loop.count);
    code = pario_barrier(t->env->group);
    prio_think_paused(
        &t->loop.think,
        pario_phase_resume(phase,
                           !pario_phase_reads_ahead(phase) && is_durable(t)));
    return code;
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct transfer *t = arg;
    int code = 0;

    if (t->what->time_s > 0)
        t->loop.stop_ns = phase->begin_ns + (int64_t)(t->what->time_s * 1e9);
    for (;;) {
        if (t->queue != NULL)
            prio_loop_queued(&t->loop, t->queue);
        else
            prio_loop_blocking(&t->loop, t->backend, t->file, t->form);
        if (t->first + t->loop.count >= t->plan.count)
            break;
        code = next_window(t, phase);
        if (code != 0)
            return code;
    }
    prio_think_end(&t->loop.think, t->loop.stop_ns);
    /* Thinking is no I/O; but meanwhile the system may write what it has and
     * read ahead, and the device empty its cache or save up its credit. */
    pario_phase_paused(phase, t->loop.think.slept_ns, 0);
    phase->figures.bytes = t->loop.bytes;
    phase->figures.written_bytes = t->loop.written_bytes;
    phase->figures.operations = t->moved + t->loop.done;
    phase->figures.data_bytes = t->what->data_bytes - t->plan.written_bytes;
    if (goes_round(t) && !t->loop.sync_passes &&
        t->what->sync != PRIO_SYNC_DSYNC)
        phase->figures.written_data_bytes = t->plan.written_bytes;
    return describe_error(t);
}

static int sync_part(void *arg)
{
    return sync_file(arg);
}

static int close_part(void *arg)
{
    return close_file(arg);
}

/* Collective over the group. How much of its time the program computed: MLPerf
 * Storage's accelerator utilisation, which leaves out the wait for the first
 * sample. What this process does with the clock stopped, checking, is no part
 * of that time. */
static int note_computing(struct transfer *t, const struct pario_phase *phase)
{
    const struct prio_think *think = &t->loop.think;
    int64_t wall_ns =
        phase->end_ns - phase->begin_ns - phase->pause_ns + think->slept_ns;
    int64_t first_ns =
        think->requests > 0 ? think->first_ns - phase->begin_ns : 0;
    double most_s[] = {(double)wall_ns * 1e-9,
                       (double)(wall_ns - first_ns) * 1e-9};
    double computed_s = (double)think->requests * t->what->think_s -
                        (double)think->left_ns * 1e-9;
    int code = pario_reduce_f64(t->env->group, PARIO_MAX, most_s, 2);

    if (code == 0)
        code = pario_reduce_f64(t->env->group, PARIO_SUM, &computed_s, 1);
    if (code != 0)
        return code;
    computed_s /= pario_group_size(t->env->group);
    t->made->extra = json_pack("{s:f, s:f}", "wall_s", most_s[0], "utilisation",
                               most_s[1] > 0 ? computed_s / most_s[1] : 0);
    return t->made->extra != NULL
               ? 0
               : pario_fail_errno(-ENOMEM, "cannot keep a figure");
}

/* The last window's reads, and what all writes left in the file. */
static int check(void *arg, struct pario_phase *phase)
{
    struct transfer *t = arg;
    struct prio_done done = {.request = t->plan.request,
                             .count = t->plan.count,
                             .done = phase->figures.operations};
    int code = t->what->think_s > 0 ? note_computing(t, phase) : 0;

    t->moved = phase->figures.operations;
    check_window(t);
    if (code != 0 || !writes(t) || !checks(t))
        return code;
    return prio_read_back(t->env, &t->writing, t->layout, &done,
                          &phase->figures);
}

static const struct pario_phase_calls calls = {
    .open = open_part,
    .loop = loop,
    .sync = sync_part,
    .close = close_part,
    .check = check,
};

/* What the file holds now. */
static void note_contents(struct transfer *t, int code)
{
    struct prio_prepared *prepared = t->env->prepared;

    if (code != 0)
        prepared->exact = 0;
    if (code != 0 || !writes(t))
        return;
    if (t->what->pattern == PRIO_WRITE)
        prio_prepared_note(prepared, t->what, t->layout,
                           t->moved == t->plan.count && !t->what->reuse_buffer);
    else
        prepared->exact = 0;
}

/* Passes that write go round only where each process can sync by itself: of
 * MPI-IO the verdict says what never reached the device. */
static struct prio_loop describe_loop(const struct transfer *t,
                                      const struct prio_figures *figures)
{
    const struct prio_case *what = t->what;

    return (struct prio_loop){
        .reuse = what->reuse_buffer,
        .base = t->layout->block > 0 ? 0 : t->layout->base,
        .think = {.think_ns = (int64_t)(what->think_s * 1e9),
                  .prefetch = what->prefetch},
        .stop_ns = INT64_MAX,
        .sync_passes = goes_round(t) && what->sync == PRIO_SYNC_END &&
                       !what->direct && !prio_method_is_mpiio(what->method),
        .stamps = goes_round(t) && !what->reuse_buffer,
        .data = {.key = t->env->run->data_key, .file = t->writing.file_number},
        .data_offset = prio_data_offset(t->env, what),
        .keep_step = prio_method_is_collective(what->method),
        .latency = figures->phase->latency,
        .samples = {figures->samples[0], figures->samples[1]},
    };
}

static void describe_phase(const struct transfer *t, struct pario_phase *phase,
                           const struct pario_range *mine)
{
    const struct prio_layout *layout = t->layout;

    phase->path = layout->path;
    phase->shared = layout->shared || layout->device;
    phase->writing = writes(t);
    phase->reading = t->what->reads > 0;
    phase->direct = t->what->direct;
    phase->unchecked = unchecked(t);
    phase->unsynced = t->what->sync == PRIO_SYNC_NONE;
    phase->scattered = t->what->pattern == PRIO_RANDOM &&
                       !prio_method_is_collective(t->what->method);
    /* A request of less has no room for the stamp of its pass. */
    phase->repeats_data =
        (t->what->reuse_buffer && writes(t)) ||
        (goes_round(t) && t->what->request_low < (int64_t)sizeof(uint64_t));
    phase->ranges = mine;
    phase->nranges = phase->shared && layout->block == 0;
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
        .figures = &figures->phase->figures,
        .made = figures,
    };
    struct pario_range mine = {layout->base, what->data_bytes};
    int code = set_up(&t);

    t.loop = describe_loop(&t, figures);
    t.loop.buffer = t.buffer;
    t.loop.longest = t.plan.longest;
    describe_phase(&t, figures->phase, &mine);
    code = prio_measure(env, code, figures, &calls, &t);
    figures->phase->path = NULL; /* both were ours */
    figures->phase->ranges = NULL;
    if (t.file != NULL)
        (void)close_file(&t);
    note_contents(&t, code);
    free(t.buffer);
    prio_plan_fini(&t.plan);
    return code;
}
