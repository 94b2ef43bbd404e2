/* suites/replay/order.c - which process waits for which. */
#include "suites/replay/order.h"
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/recorder.h"
#include "suites/replay/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_PAUSE_NS 20000   /* between two looks at what is waited for ... */
#define LAST_PAUSE_NS 20000000 /* ... and when that takes longer */

int replay_lives_init(struct replay_lives *lives,
                      const struct pario_trace *trace)
{
    lives->count = pario_trace_processes(trace);
    lives->items = calloc(lives->count + 1, sizeof(*lives->items));
    if (lives->items == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the trace");
    lives->begin_ns = INT64_MAX;
    lives->end_ns = INT64_MIN;
    for (size_t p = 0; p < lives->count; p++) {
        const struct pario_trace_process *facts =
            pario_trace_process_of(trace, p);

        lives->items[p] =
            (struct replay_life){INT64_MAX, INT64_MIN,   INT64_MAX, INT64_MIN,
                                 SIZE_MAX,  facts->host, facts->job};
    }
    return 0;
}

void replay_lives_fini(struct replay_lives *lives)
{
    free(lives->items);
    lives->items = NULL;
    lives->count = 0;
}

static void widen(int64_t *begin_p, int64_t *end_p, int64_t begin_ns,
                  int64_t end_ns)
{
    if (begin_ns < *begin_p)
        *begin_p = begin_ns;
    if (end_ns > *end_p)
        *end_p = end_ns;
}

void replay_lives_see(struct replay_lives *lives, size_t process,
                      int64_t begin_ns, int64_t end_ns)
{
    struct replay_life *life = &lives->items[process];

    widen(&life->begin_ns, &life->end_ns, begin_ns, end_ns);
    widen(&lives->begin_ns, &lives->end_ns, begin_ns, end_ns);
}

static int is_alive(const struct replay_life *life)
{
    return life->begin_ns <= life->end_ns;
}

/* Jobs stand together in a trace, those without one at its end. */
static void join_jobs(struct replay_lives *lives,
                      const struct pario_trace *trace)
{
    size_t first = 0;

    for (size_t p = 0; p <= lives->count; p++) {
        int job = p < lives->count ? pario_trace_process_of(trace, p)->job : -1;
        int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;

        if (p < lives->count && p > first && job >= 0 &&
            job == pario_trace_process_of(trace, first)->job)
            continue;
        for (size_t q = first; q < p; q++)
            widen(&begin_ns, &end_ns, lives->items[q].begin_ns,
                  lives->items[q].end_ns);
        for (size_t q = first; q < p; q++) {
            lives->items[q].job_begin_ns = begin_ns;
            lives->items[q].job_end_ns = end_ns;
        }
        first = p;
    }
}

/* A process that had that number on that host. */
struct holder {
    const char *host;
    int64_t pid, utc_ns;
    size_t process;
};

static int by_pid(const void *a, const void *b)
{
    const struct holder *x = a, *y = b;
    int hosts = strcmp(x->host, y->host);

    if (hosts != 0)
        return hosts;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->utc_ns < y->utc_ns ? -1 : x->utc_ns > y->utc_ns;
}

/* The last one of that number that was there when the child began. */
static size_t find_holder(const struct holder *holders, size_t count,
                          const struct holder *like)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (by_pid(&holders[middle], like) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || holders[low - 1].pid != like->pid ||
        strcmp(holders[low - 1].host, like->host) != 0)
        return SIZE_MAX;
    return holders[low - 1].process;
}

static size_t find_parent(const struct pario_trace *trace, size_t process,
                          const struct holder *holders, size_t count)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(trace, process);
    const char *at = facts->parents;
    size_t found = SIZE_MAX;

    while (found == SIZE_MAX && *at != '\0') {
        char *end;
        struct holder like = {facts->host, strtoll(at, &end, 10), facts->utc_ns,
                              0};

        if (end == at)
            break;
        if (like.pid > 1)
            found = find_holder(holders, count, &like);
        at = end;
    }
    return found == process ? SIZE_MAX : found;
}

static int join_parents(struct replay_lives *lives,
                        const struct pario_trace *trace)
{
    struct holder *holders = calloc(lives->count + 1, sizeof(*holders));
    size_t count = 0;

    if (holders == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the trace");
    for (size_t p = 0; p < lives->count; p++) {
        const struct pario_trace_process *facts =
            pario_trace_process_of(trace, p);

        if (facts->pid > 1 && is_alive(&lives->items[p]))
            holders[count++] =
                (struct holder){facts->host, facts->pid, facts->utc_ns, p};
    }
    qsort(holders, count, sizeof(*holders), by_pid);
    for (size_t p = 0; p < lives->count; p++)
        if (is_alive(&lives->items[p])) {
            lives->items[p].parent = find_parent(trace, p, holders, count);
            lives->ordered |= lives->items[p].parent != SIZE_MAX;
        }
    free(holders);
    return 0;
}

int replay_lives_join(struct replay_lives *lives,
                      const struct pario_trace *trace)
{
    int64_t first_end_ns = INT64_MAX, last_begin_ns = INT64_MIN;

    join_jobs(lives, trace);
    for (size_t p = 0; p < lives->count; p++) {
        const struct replay_life *life = &lives->items[p];

        if (is_alive(life) && life->job_end_ns < first_end_ns)
            first_end_ns = life->job_end_ns;
        if (is_alive(life) && life->job_begin_ns > last_begin_ns)
            last_begin_ns = life->job_begin_ns;
    }
    lives->ordered = first_end_ns < last_begin_ns;
    return join_parents(lives, trace);
}

int replay_marks_init(struct replay_marks *marks, size_t count, int shared,
                      const char *directory)
{
    *marks = (struct replay_marks){.marks = calloc(count + 1, 1),
                                   .count = count,
                                   .shared = shared,
                                   .directory = directory};
    return marks->marks != NULL ? 0
                                : pario_fail_errno(-ENOMEM, "cannot replay");
}

void replay_marks_fini(struct replay_marks *marks)
{
    free(marks->marks);
    marks->marks = NULL;
}

static void name_mark(const struct replay_marks *marks, size_t unit,
                      enum replay_mark mark, char path[PATH_MAX + 64])
{
    snprintf(path, PATH_MAX + 64, "%s/.%zu.%s", marks->directory, unit,
             mark == REPLAY_ENDED ? "ended" : "begin");
}

/* 0, or a negative errno. */
static int open_mark(const struct replay_marks *marks, size_t unit,
                     enum replay_mark mark, int flags)
{
    char path[PATH_MAX + 64];
    int fd;

    name_mark(marks, unit, mark, path);
    fd = pario_own_open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

int replay_marks_make(const struct replay_marks *marks,
                      const struct replay_lives *lives)
{
    int code = 0;

    if (!marks->shared || !lives->ordered)
        return 0;
    for (size_t unit = 0; unit < marks->count && code == 0; unit++) {
        code =
            open_mark(marks, unit, REPLAY_ENDED, O_WRONLY | O_CREAT | O_EXCL);
        if (code == 0 && lives->items[unit % lives->count].parent != SIZE_MAX)
            code = open_mark(marks, unit, REPLAY_MAY_BEGIN,
                             O_WRONLY | O_CREAT | O_EXCL);
    }
    return code == 0 ? 0
                     : pario_fail_errno(code,
                                        "cannot make files in %s by which the "
                                        "processes wait for each other",
                                        marks->directory);
}

static void fail_mark(struct replay_marks *marks, int code)
{
    int none = 0;

    (void)__atomic_compare_exchange_n(&marks->code, &none, code, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

int replay_marks_check(const struct replay_marks *marks)
{
    return marks->code == 0
               ? 0
               : pario_fail_errno(marks->code,
                                  "the files in %s by which the processes "
                                  "wait for each other",
                                  marks->directory);
}

static void set_mark(struct replay_marks *marks, size_t unit,
                     enum replay_mark mark)
{
    unsigned char before = __atomic_fetch_or(
        &marks->marks[unit], (unsigned char)mark, __ATOMIC_ACQ_REL);
    char path[PATH_MAX + 64];
    int code;

    if (!marks->shared || (before & mark) != 0)
        return;
    name_mark(marks, unit, mark, path);
    pario_recorder_pause(1);
    code = pario_own_unlink(path) == 0 ? 0 : -errno;
    pario_recorder_pause(0);
    if (code != 0)
        fail_mark(marks, code);
}

static int has_mark(struct replay_marks *marks, size_t unit,
                    enum replay_mark mark)
{
    int code;

    if ((__atomic_load_n(&marks->marks[unit], __ATOMIC_ACQUIRE) & mark) != 0)
        return 1;
    if (!marks->shared)
        return 0;
    pario_recorder_pause(1);
    code = open_mark(marks, unit, mark, O_RDONLY);
    pario_recorder_pause(0);
    if (code == 0)
        return 0;
    if (code != -ENOENT && code != -ESTALE)
        fail_mark(marks, code);
    __atomic_or_fetch(&marks->marks[unit], (unsigned char)mark,
                      __ATOMIC_RELEASE);
    return 1;
}

/* 1: it was not there yet. Looks again when it has waited a 32nd longer: few
 * looks, on the storage that is measured, and little time lost. */
static int wait_for_mark(const struct replay_order *order, size_t process,
                         enum replay_mark mark, const int *stop_p)
{
    struct timespec pause = {.tv_nsec = FIRST_PAUSE_NS};
    int64_t begin_ns = pario_clock_ns(), pause_ns;
    int waited = 0;

    while (!has_mark(order->marks, order->first_unit + process, mark) &&
           !__atomic_load_n(stop_p, __ATOMIC_RELAXED) &&
           !pario_cleanup_interrupted()) {
        nanosleep(&pause, NULL);
        pause_ns = (pario_clock_ns() - begin_ns) / 32;
        pause.tv_nsec = pause_ns < FIRST_PAUSE_NS  ? FIRST_PAUSE_NS
                        : pause_ns > LAST_PAUSE_NS ? LAST_PAUSE_NS
                                                   : (long)pause_ns;
        waited = 1;
    }
    return waited;
}

static int begins_earlier(const struct replay_lives *lives, size_t a, size_t b)
{
    return lives->items[a].begin_ns < lives->items[b].begin_ns;
}

static int ends_earlier(const struct replay_lives *lives, size_t a, size_t b)
{
    return lives->items[a].end_ns < lives->items[b].end_ns;
}

static const struct replay_lives *sorted; /* qsort takes no context */

static int by_begin(const void *a, const void *b)
{
    const struct replay_child *x = a, *y = b;

    return begins_earlier(sorted, x->process, y->process)   ? -1
           : begins_earlier(sorted, y->process, x->process) ? 1
                                                            : 0;
}

static int by_end(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return ends_earlier(sorted, *x, *y)   ? -1
           : ends_earlier(sorted, *y, *x) ? 1
                                          : 0;
}

static int find_children(struct replay_order *order)
{
    const struct replay_lives *lives = order->lives;

    for (size_t p = 0; p < lives->count; p++)
        order->nchildren += lives->items[p].parent == order->process;
    order->children = calloc(order->nchildren + 1, sizeof(*order->children));
    order->ended = calloc(order->nchildren + 1, sizeof(*order->ended));
    if (order->children == NULL || order->ended == NULL)
        return pario_fail_errno(-ENOMEM, "cannot replay");
    order->nchildren = 0;
    for (size_t p = 0; p < lives->count; p++)
        if (lives->items[p].parent == order->process) {
            order->children[order->nchildren].process = p;
            order->ended[order->nchildren++] = p;
        }
    sorted = lives;
    qsort(order->children, order->nchildren, sizeof(*order->children),
          by_begin);
    qsort(order->ended, order->nchildren, sizeof(*order->ended), by_end);
    return 0;
}

/* Had all of it ended when this process began? Not at the same moment: neither
 * is first then, and no two may wait for each other. Clocks of two hosts are
 * not the same: there only whole jobs are told apart. */
static int came_before(const struct replay_lives *lives, size_t p, size_t q)
{
    const struct replay_life *x = &lives->items[p], *y = &lives->items[q];

    return is_alive(x) && p != q && x->job_end_ns < y->job_begin_ns &&
           ((x->job >= 0 && y->job >= 0) || strcmp(x->host, y->host) == 0);
}

/* The last beginning among those that came before: who ended before that one
 * began is waited for by it. */
static int64_t last_before(const struct replay_order *order)
{
    const struct replay_lives *lives = order->lives;
    int64_t begin_ns = INT64_MIN;

    for (size_t p = 0; p < lives->count; p++)
        if (came_before(lives, p, order->process) &&
            lives->items[p].job_begin_ns > begin_ns)
            begin_ns = lives->items[p].job_begin_ns;
    return begin_ns;
}

/* When the parent, which was there, was done with its last call before. */
static int find_last_call(const struct pario_trace *trace, size_t parent,
                          int64_t before_ns, int64_t *last_p)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(trace, parent);
    int code = 0;

    for (size_t s = 0; s < facts->nstreams && code == 0; s++) {
        struct pario_cursor *cursor = NULL;
        struct pario_event event;

        code = pario_cursor_open(trace, parent, s, &cursor);
        while (code == 0 && (code = pario_cursor_next(cursor, &event)) > 0) {
            int64_t end_ns = replay_end_ns(trace, parent, &event);

            code = end_ns > before_ns;
            if (code == 0 && end_ns > *last_p)
                *last_p = end_ns;
            if (code != 0)
                break;
        }
        code = code > 0 ? 0 : code;
        pario_cursor_close(cursor);
    }
    return code;
}

/* What the process began after, the last of it. */
static int find_start(struct replay_order *order, const struct replay *replay)
{
    const struct replay_lives *lives = order->lives;
    const struct replay_life *life = &lives->items[order->process];
    int64_t from_ns = lives->begin_ns;
    int code = 0;

    for (size_t p = 0; p < lives->count; p++)
        if (came_before(lives, p, order->process) &&
            lives->items[p].job_end_ns > from_ns)
            from_ns = lives->items[p].job_end_ns;
    if (life->parent != SIZE_MAX && replay->scale > 0)
        code = find_last_call(replay->trace, life->parent, life->begin_ns,
                              &from_ns);
    order->pause_ns =
        is_alive(life) ? pario_trace_less(life->job_begin_ns, from_ns) : 0;
    return code;
}

int replay_order_init(struct replay_order *order, struct replay_marks *marks,
                      const struct replay_lives *lives,
                      const struct replay *replay)
{
    int code;

    *order = (struct replay_order){
        .marks = lives->ordered ? marks : NULL,
        .lives = lives,
        .process = replay->process,
        .first_unit = (size_t)replay->copy * lives->count,
        .nstreams = replay->nstreams,
    };
    if (order->marks == NULL)
        return 0;
    code = find_children(order);
    return code == 0 ? find_start(order, replay) : code;
}

void replay_order_fini(struct replay_order *order)
{
    free(order->children);
    free(order->ended);
    *order = (struct replay_order){0};
}

void replay_order_begin(const struct replay_order *order, const int *stop_p)
{
    const struct replay_lives *lives = order->lives;
    int64_t last_ns;

    if (order->marks == NULL)
        return;
    /* Those that were there before it made its first call. */
    for (size_t i = 0; i < order->nchildren; i++)
        if (!begins_earlier(lives, order->process, order->children[i].process))
            set_mark(order->marks,
                     order->first_unit + order->children[i].process,
                     REPLAY_MAY_BEGIN);
    last_ns = last_before(order);
    for (size_t p = 0; p < lives->count; p++)
        if (came_before(lives, p, order->process) &&
            lives->items[p].job_end_ns > last_ns)
            (void)wait_for_mark(order, p, REPLAY_ENDED, stop_p);
    if (lives->items[order->process].parent != SIZE_MAX)
        (void)wait_for_mark(order, order->process, REPLAY_MAY_BEGIN, stop_p);
}

int replay_order_step(const struct replay_order *order, size_t next[2],
                      int64_t utc_ns, int64_t until_ns, const int *stop_p)
{
    const struct replay_lives *lives = order->lives;
    int waited = 0;

    if (order->marks == NULL)
        return 0;
    for (; next[0] < order->nchildren &&
           lives->items[order->children[next[0]].process].begin_ns <= until_ns;
         next[0]++) {
        struct replay_child *child = &order->children[next[0]];

        if (__atomic_add_fetch(&child->passed, 1, __ATOMIC_ACQ_REL) ==
            order->nstreams)
            set_mark(order->marks, order->first_unit + child->process,
                     REPLAY_MAY_BEGIN);
    }
    for (; utc_ns != INT64_MAX && next[1] < order->nchildren &&
           lives->items[order->ended[next[1]]].end_ns < utc_ns;
         next[1]++)
        waited |=
            wait_for_mark(order, order->ended[next[1]], REPLAY_ENDED, stop_p);
    return waited;
}

void replay_order_end(const struct replay_order *order)
{
    if (order->marks == NULL)
        return;
    for (size_t i = 0; i < order->nchildren; i++)
        set_mark(order->marks, order->first_unit + order->children[i].process,
                 REPLAY_MAY_BEGIN);
    set_mark(order->marks, order->first_unit + order->process, REPLAY_ENDED);
}
