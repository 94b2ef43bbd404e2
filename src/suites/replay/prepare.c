/* suites/replay/prepare.c - what was there before the program began: files
 * that it opened without creating them, or read before writing them. */
#include "suites/replay/prepare.h"
#include "core/cleanup.h"
#include "core/storage.h"
#include "trace/names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 20)

struct planning {
    struct replay_plan *plan;
    struct pario_names names; /* of the targets */
    struct pario_places_budget budget;
};

/* What is known of a path; NULL: no memory. */
static struct replay_target *find(struct planning *planning, const char *path)
{
    struct replay_plan *plan = planning->plan;
    size_t number, n = plan->count;

    if (pario_names_find(&planning->names, path, 0, &number) != 0)
        return NULL;
    if (number < n)
        return &plan->targets[number];
    if ((n & (n - 1)) == 0) {
        struct replay_target *targets =
            realloc(plan->targets, (n > 0 ? 2 * n : 1) * sizeof(*targets));

        if (targets == NULL)
            return NULL;
        plan->targets = targets;
    }
    plan->targets[n] =
        (struct replay_target){.path = path, .cut_size = INT64_MAX};
    plan->count++;
    return &plan->targets[n];
}

static int creates(const struct pario_event *event)
{
    int64_t flags = pario_trace_value(event, PARIO_ARG_FLAGS, 0);

    return event->op == PARIO_OP_mkdir ||
           ((event->op == PARIO_OP_open || event->op == PARIO_OP_fopen ||
             event->op == PARIO_OP_File_open) &&
            (flags & PARIO_TRACE_CREATE) != 0);
}

/* mkdir and exclusive creation succeed only where there is nothing. */
static int makes_alone(const struct pario_event *event)
{
    int64_t flags = pario_trace_value(event, PARIO_ARG_FLAGS, 0);

    return event->result == 0 && creates(event) &&
           (event->op == PARIO_OP_mkdir || (flags & PARIO_TRACE_EXCL) != 0);
}

/* The first call on a path tells whether it was there. The clocks of two
 * processes do not tell which of two calls a moment apart was first: a process
 * that begins by making it alone is believed, whatever the others' times. */
static void meet(struct replay_target *target, const struct pario_event *event,
                 size_t process, int64_t utc_ns)
{
    int64_t flags = pario_trace_value(event, PARIO_ARG_FLAGS, 0);
    int first_of_process = target->met_by != process + 1;

    target->met_by = process + 1;
    target->folder |=
        event->op == PARIO_OP_mkdir || event->op == PARIO_OP_rmdir ||
        event->op == PARIO_OP_readdir ||
        (event->op == PARIO_OP_open && (flags & PARIO_TRACE_DIRECTORY) != 0);
    if (first_of_process && makes_alone(event)) {
        target->first_ns = INT64_MIN; /* nobody comes before */
        target->absent = target->made = 1;
        target->needed = 0;
    }
    if (target->first_ns != 0 && utc_ns >= target->first_ns)
        return;
    target->first_ns = utc_ns;
    target->absent = event->result == -ENOENT || makes_alone(event);
    target->made = target->absent || (event->result == 0 && creates(event));
    target->needed =
        (event->result == 0 && !creates(event)) || event->result == -EEXIST;
}

static int is_irregular(const struct pario_trace *trace, size_t process,
                        const struct pario_event *event,
                        const struct pario_place *place)
{
    const char *type = pario_trace_text(trace, process, event, PARIO_ARG_TYPE);
    int plain = type[strspn(type, "0123456789")] == '\0';

    if (pario_trace_op_table[event->op].data == PARIO_DATA_READ)
        return !plain; /* the buffer's first word is not the file's */
    return place->offset < 0 || place->offset % 8 != 0 || place->pieces != 1 ||
           place->bytes % 8 != 0 || event->result != 0 || !plain;
}

int64_t replay_utc_ns(const struct pario_trace *trace, size_t process,
                      const struct pario_event *event)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(trace, process);

    return pario_trace_sum(pario_trace_less(event->begin_ns, facts->clock_ns),
                           pario_trace_sum(facts->utc_ns, 1));
}

static void cut(struct replay_target *target, int64_t size, size_t process,
                int64_t utc_ns)
{
    if (size < target->cut_size)
        target->cut_size = size;
    if (utc_ns > target->cut_ns)
        target->cut_ns = utc_ns;
    target->cut_by = target->cut_by == 0 || target->cut_by == process + 1
                         ? process + 1
                         : SIZE_MAX;
}

static int opens(enum pario_trace_op op)
{
    return op == PARIO_OP_open || op == PARIO_OP_fopen ||
           op == PARIO_OP_inherit || op == PARIO_OP_File_open;
}

/* What takes data away again, or makes it durable. */
static void follow_data(struct replay_target *target,
                        const struct pario_event *event, size_t process,
                        int64_t utc_ns)
{
    const int64_t past_cache =
        PARIO_TRACE_SYNC | PARIO_TRACE_DSYNC | PARIO_TRACE_DIRECT;
    int64_t flags = pario_trace_value(event, PARIO_ARG_FLAGS, 0);
    int64_t size = pario_trace_value(event, PARIO_ARG_SIZE, 0);

    if (event->result != 0)
        return;
    if (opens(event->op)) {
        target->gone |= (flags & PARIO_TRACE_DELETE) != 0;
        target->cached |=
            (flags & PARIO_TRACE_WRITE) != 0 && (flags & past_cache) == 0;
        if ((flags & (PARIO_TRACE_TRUNC | PARIO_TRACE_DELETE)) != 0)
            cut(target, 0, process, utc_ns);
        return;
    }
    switch (event->op) {
    case PARIO_OP_fsync:
    case PARIO_OP_fdatasync:
    case PARIO_OP_File_sync:
        target->syncs++;
        if (utc_ns > target->last_sync_ns)
            target->last_sync_ns = utc_ns;
        break;
    case PARIO_OP_truncate:
    case PARIO_OP_ftruncate:
    case PARIO_OP_File_set_size:
        cut(target, size, process, utc_ns);
        break;
    case PARIO_OP_fallocate:
        if (pario_trace_value(event, PARIO_ARG_MODE, 0) != 0)
            cut(target, 0, process, utc_ns);
        break;
    case PARIO_OP_unlink:
    case PARIO_OP_File_delete:
    case PARIO_OP_rename:
        target->gone = 1;
        cut(target, 0, process, utc_ns);
        break;
    default:
        break;
    }
}

/* Calls of one process may have the same time, and come in their order. */
static void follow_name(struct replay_target *target, int unnamed,
                        int64_t utc_ns)
{
    if (utc_ns < target->named_ns)
        return;
    target->named_ns = utc_ns;
    target->unnamed = unnamed;
}

static int removes(enum pario_trace_op op)
{
    return op == PARIO_OP_unlink || op == PARIO_OP_File_delete ||
           op == PARIO_OP_rename;
}

static void add_data(struct replay_plan *plan, struct replay_target *target,
                     enum pario_trace_data way, const struct pario_place *place,
                     int64_t utc_ns)
{
    int64_t bytes = place->bytes;
    int64_t loose = place->offset < 0 || place->pieces != 1 ? bytes : 0;

    target->bytes = pario_trace_sum(target->bytes, bytes);
    target->loose_bytes = pario_trace_sum(target->loose_bytes, loose);
    plan->reads += way == PARIO_DATA_READ;
    if (way == PARIO_DATA_READ)
        return;
    plan->writes++;
    target->written_bytes = pario_trace_sum(target->written_bytes, bytes);
    target->loose_written_bytes =
        pario_trace_sum(target->loose_written_bytes, loose);
    if (utc_ns > target->last_write_ns)
        target->last_write_ns = utc_ns;
}

static int take_event(struct planning *planning,
                      const struct pario_trace *trace, size_t process,
                      const struct pario_event *event,
                      const struct pario_place *place)
{
    int64_t utc_ns = replay_utc_ns(trace, process, event);
    enum pario_trace_data way = pario_trace_op_table[event->op].data;
    struct replay_target *target;
    int64_t end;

    if (strncmp(pario_trace_op_table[event->op].name, "File_", 5) == 0 ||
        event->op == PARIO_OP_collective)
        planning->plan->mpi = 1;
    if (pario_trace_is_message(event->op)) {
        planning->plan->mpi = 1;
        return replay_messages_count(&planning->plan->messages, trace, process,
                                     event);
    }
    if (place->path[0] == '\0')
        return 0;
    target = find(planning, place->path);
    if (target == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the trace");
    if (pario_trace_arg_find(event->op, PARIO_ARG_PATH) >= 0)
        meet(target, event, process, utc_ns);
    follow_data(target, event, process, utc_ns);
    if (event->result == 0 && (removes(event->op) || creates(event)))
        follow_name(target, removes(event->op), utc_ns);
    if (event->op == PARIO_OP_rename && event->result == 0) {
        target = find(planning,
                      pario_trace_text(trace, process, event, PARIO_ARG_TO));
        if (target == NULL)
            return pario_fail_errno(-ENOMEM, "cannot read the trace");
        follow_data(target, event, process, utc_ns);
        follow_name(target, 0, utc_ns);
        if (target->first_ns == 0) {
            target->first_ns = utc_ns;
            target->made = 1;
        }
    }
    if (way == PARIO_DATA_NONE || event->result < 0)
        return 0;
    planning->plan->nowhere += place->offset < 0 && place->bytes > 0;
    add_data(planning->plan, target, way, place, utc_ns);
    target->irregular |= is_irregular(trace, process, event, place);
    /* The end of the last piece, as if there were gaps between all. */
    if (place->offset < 0 ||
        __builtin_add_overflow(
            place->offset, event->result > 0 ? event->result - 1 : place->bytes,
            &end))
        return 0;
    if (way == PARIO_DATA_READ && end > target->read_end)
        target->read_end = end;
    if (way == PARIO_DATA_WRITE && end > target->write_end)
        target->write_end = end;
    return 0;
}

static int read_process(struct planning *planning,
                        const struct pario_trace *trace, size_t process)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(trace, process);
    struct pario_places *places = NULL;
    int code = pario_places_create(trace, process, &planning->budget, &places);

    for (size_t s = 0; s < facts->nstreams && code == 0; s++) {
        struct pario_cursor *cursor = NULL;
        struct pario_event event = {0};
        struct pario_place place;
        int64_t first_ns = 0;

        code = pario_cursor_open(trace, process, s, &cursor);
        while (code == 0 && (code = pario_cursor_next(cursor, &event)) > 0) {
            first_ns = first_ns != 0 ? first_ns : event.begin_ns;
            code = pario_places_next(places, &event, &place);
            if (code == 0)
                code = take_event(planning, trace, process, &event, &place);
        }
        first_ns = pario_trace_less(event.end_ns, first_ns);
        if (first_ns > planning->plan->seconds_ns)
            planning->plan->seconds_ns = first_ns;
        pario_cursor_close(cursor);
    }
    pario_places_destroy(places);
    return code;
}

/* A file that is created and read where it was not written was there, too. */
static int is_prepared(const struct replay_target *target)
{
    return !target->folder && !target->absent &&
           (target->needed || target->read_end > target->write_end);
}

static int by_path(const void *a, const void *b)
{
    const struct replay_target *x = a, *y = b;

    return strcmp(x->path, y->path);
}

/* Paths that others begin with are folders; one that was renamed or deleted
 * took with it what lies below. */
static void find_folders(struct replay_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct replay_target *target = &plan->targets[i];
        size_t len = strlen(target->path);

        for (size_t k = i + 1;
             k < plan->count && (!target->folder || target->gone) &&
             strncmp(plan->targets[k].path, target->path, len) == 0;
             k++) {
            int below = plan->targets[k].path[len] == '/';

            target->folder |= below;
            plan->targets[k].gone |= below && target->gone;
        }
    }
}

/* Of each file that is written: between two syncs a place reaches the device
 * once, however often it was written. */
static void sum_up_writes(struct replay_plan *plan,
                          const struct replay_target *target)
{
    int64_t passes = target->syncs > 1 ? target->syncs : 1;
    int64_t once = pario_trace_sum(pario_trace_times(target->write_end, passes),
                                   target->loose_written_bytes);

    if (target->written_bytes <= 0)
        return;
    plan->nwritten++;
    plan->unsynced |=
        target->cached && target->last_sync_ns < target->last_write_ns;
    plan->once_bytes = pario_trace_sum(
        plan->once_bytes, target->cached && once < target->written_bytes
                              ? once
                              : target->written_bytes);
}

static void sum_up(struct replay_plan *plan)
{
    int64_t most = 0;

    if (plan->count > 0)
        qsort(plan->targets, plan->count, sizeof(plan->targets[0]), by_path);
    find_folders(plan);
    plan->largest = "";
    for (size_t i = 0; i < plan->count; i++) {
        const struct replay_target *target = &plan->targets[i];
        int64_t end = target->read_end > target->write_end ? target->read_end
                                                           : target->write_end;
        int64_t different = pario_trace_sum(end, target->loose_bytes);

        sum_up_writes(plan, target);
        plan->need_bytes = pario_trace_sum(plan->need_bytes, end);
        plan->data_bytes = pario_trace_sum(
            plan->data_bytes,
            different < target->bytes ? different : target->bytes);
        if (target->bytes > most) {
            most = target->bytes;
            plan->largest = target->path;
        }
    }
}

int replay_plan_init(struct replay_plan *plan, const struct pario_trace *trace)
{
    struct planning *planning = calloc(1, sizeof(*planning));
    int code = 0;

    memset(plan, 0, sizeof(*plan));
    if (planning == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the trace");
    planning->plan = plan;
    planning->budget = pario_places_budget_of(trace);
    for (size_t p = 0; p < pario_trace_processes(trace) && code == 0; p++)
        code = read_process(planning, trace, p);
    pario_names_fini(&planning->names);
    free(planning);
    if (code == 0)
        sum_up(plan);
    else
        replay_plan_fini(plan);
    return code;
}

void replay_plan_fini(struct replay_plan *plan)
{
    replay_messages_fini(&plan->messages);
    free(plan->targets);
    plan->targets = NULL;
    plan->count = 0;
}

static const struct replay_target *find_target(const struct replay_plan *plan,
                                               const char *path)
{
    struct replay_target like = {.path = path};

    return plan->count > 0 ? bsearch(&like, plan->targets, plan->count,
                                     sizeof(like), by_path)
                           : NULL;
}

size_t replay_plan_number(const struct replay_plan *plan, const char *path)
{
    const struct replay_target *found = find_target(plan, path);

    return found != NULL ? (size_t)(found - plan->targets) : plan->count;
}

int replay_plan_is_gone(const struct replay_plan *plan, const char *path,
                        int64_t utc_ns)
{
    const struct replay_target *found = find_target(plan, path);

    return found != NULL && found->unnamed && found->named_ns <= utc_ns;
}

/* Calls of other processes do not come in the order of their times again. */
int replay_plan_stays(const struct replay_target *target, size_t process,
                      int64_t utc_ns, int64_t end)
{
    return !target->gone &&
           (end <= target->cut_size ||
            (target->cut_by == process + 1 && utc_ns > target->cut_ns));
}

int replay_plan_is_regular(const struct replay_plan *plan, const char *path)
{
    const struct replay_target *found = find_target(plan, path);

    return found != NULL && !found->irregular;
}

int replay_plan_is_folder(const struct replay_plan *plan, const char *path)
{
    const struct replay_target *found = find_target(plan, path);

    return found != NULL && found->folder;
}

/* A folder that the trace makes itself is left to it, with what is in it: 1. */
static int make_parents(const struct replay_plan *plan,
                        const struct replay *replay, const char *path)
{
    char now[2 * PATH_MAX], part[PATH_MAX];

    for (const char *slash = strchr(path + strlen(replay->folder), '/');
         slash != NULL; slash = strchr(slash + 1, '/')) {
        size_t len = (size_t)(slash - path);
        const struct replay_target *target;

        if (len >= sizeof(part))
            return 0;
        snprintf(part, sizeof(part), "%.*s", (int)len, path);
        target = find_target(plan, part);
        if (target != NULL && target->folder && target->made)
            return 1;
        replay_path(replay, part, now, sizeof(now));
        if (pario_own_mkdir(now, 0755) != 0 && errno != EEXIST)
            return pario_fail_errno(-errno, "cannot make %s", now);
    }
    return 0;
}

static int fill_file(const struct replay *replay,
                     const struct replay_target *target)
{
    struct pario_data data = {.key = replay->key,
                              .file = replay_file_number(replay, target->path)};
    char now[2 * PATH_MAX];
    char *piece = malloc(PIECE);
    int64_t at = 0;
    int fd, code = 0;

    replay_path(replay, target->path, now, sizeof(now));
    fd = pario_own_open(now, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || piece == NULL)
        code = pario_fail_errno(fd < 0 ? -errno : -ENOMEM, "cannot prepare %s",
                                now);
    while (code == 0 && at < target->read_end) {
        size_t len = target->read_end - at < (int64_t)PIECE
                         ? (size_t)(target->read_end - at)
                         : PIECE;

        pario_data_fill(&data, at, piece, len);
        code = pario_pwrite_all(fd, piece, len, at);
        if (code != 0)
            code = pario_fail_errno(code, "cannot prepare %s", now);
        at += (int64_t)len;
    }
    if (code == 0 && fsync(fd) != 0)
        code = pario_fail_errno(-errno, "cannot prepare %s", now);
    if (fd >= 0)
        close(fd);
    free(piece);
    return code;
}

int replay_prepare(const struct replay_plan *plan, const struct replay *replay)
{
    char now[2 * PATH_MAX];
    int code = 0;

    for (size_t i = 0; i < plan->count && code == 0; i++) {
        const struct replay_target *target = &plan->targets[i];

        if (strncmp(target->path, replay->folder, strlen(replay->folder)) != 0)
            continue; /* the folder of all itself */
        code = make_parents(plan, replay, target->path);
        if (code == 1) {
            code = 0;
            continue;
        }
        replay_path(replay, target->path, now, sizeof(now));
        if (code == 0 && target->folder && target->needed) {
            if (pario_own_mkdir(now, 0755) != 0 && errno != EEXIST)
                code = pario_fail_errno(-errno, "cannot make %s", now);
        } else if (code == 0 && is_prepared(target)) {
            code = fill_file(replay, target);
        }
    }
    return code;
}
