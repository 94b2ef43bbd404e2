/* trace/profile.c - one pass over all calls. */
#include "trace/names.h"
#include "trace/profile_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where a process is in a file; for a line of the profile. */
struct trail {
    int64_t begin, end, stride;
    int known;
};

/* What is only needed while the calls are read. */
struct reading {
    struct pario_profile *profile;
    const struct pario_trace *trace;
    struct pario_names names; /* path and call of each line */
    struct trail *trails;     /* of this process, by line */
    struct pario_places_budget budget;
    struct pario_under_way moments;
};

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "cannot read a trace");
}

static int grow(struct reading *reading, size_t count)
{
    struct pario_profile *profile = reading->profile;
    struct pario_profile_line *lines =
        realloc(profile->lines, count * sizeof(*lines));
    struct trail *trails = realloc(reading->trails, count * sizeof(*trails));

    profile->lines = lines != NULL ? lines : profile->lines;
    reading->trails = trails != NULL ? trails : reading->trails;
    return lines != NULL && trails != NULL ? 0 : no_memory();
}

/* The line of these calls; its number is set. */
static int find_line(struct reading *reading, const char *path,
                     enum pario_trace_op op, size_t *line_p)
{
    struct pario_profile *profile = reading->profile;
    size_t n = profile->nlines;
    int code = pario_names_find(&reading->names, path, (int)op, line_p);

    if (code != 0 || *line_p < n)
        return code;
    if ((n & (n - 1)) == 0) {
        code = grow(reading, n > 0 ? 2 * n : 1);
        if (code != 0)
            return code;
    }
    profile->lines[n] = (struct pario_profile_line){
        .path = path, .op = op, .smallest = INT64_MAX, .begin = -1};
    profile->lines[n].last_process = SIZE_MAX;
    memset(&reading->trails[n], 0, sizeof(reading->trails[n]));
    profile->nlines++;
    return 0;
}

static int size_class(int64_t bytes)
{
    int class = 0;

    while (class < PARIO_PROFILE_SIZES - 1 && bytes > 0) {
        bytes >>= 1;
        class ++;
    }
    return class;
}

static enum pario_follow follow(struct trail *trail,
                                const struct pario_place *place)
{
    enum pario_follow how = PARIO_FOLLOW_FIRST;
    int64_t stride;

    if (place->offset < 0)
        return PARIO_FOLLOW_UNKNOWN;
    stride = (int64_t)((uint64_t)place->offset - (uint64_t)trail->begin);
    if (trail->known)
        how = place->offset == trail->end ? PARIO_FOLLOW_END
              : trail->known > 1 && stride == trail->stride
                  ? PARIO_FOLLOW_STRIDE
                  : PARIO_FOLLOW_ELSEWHERE;
    trail->stride = stride;
    trail->known = trail->known ? 2 : 1;
    trail->begin = place->offset;
    if (__builtin_add_overflow(place->offset, place->bytes, &trail->end))
        trail->end = trail->begin;
    return how;
}

static void add_data(struct reading *reading, size_t number,
                     const struct pario_event *event,
                     const struct pario_place *place)
{
    struct pario_profile *profile = reading->profile;
    struct pario_profile_line *line = &profile->lines[number];
    enum pario_trace_data way = pario_trace_op_table[event->op].data;
    int64_t moved = event->result > 0    ? event->result - 1
                    : event->result == 0 ? place->bytes
                                         : 0;

    line->bytes = pario_trace_sum(line->bytes, moved);
    line->pieces = pario_trace_sum(line->pieces, place->pieces);
    line->short_ones += event->result > 0;
    if (place->bytes < line->smallest)
        line->smallest = place->bytes;
    if (place->bytes > line->largest)
        line->largest = place->bytes;
    line->follows[follow(&reading->trails[number], place)]++;
    if (place->offset >= 0) {
        int64_t end = reading->trails[number].end;

        if (line->begin < 0 || place->offset < line->begin)
            line->begin = place->offset;
        if (end > line->end)
            line->end = end;
    }
    profile->sizes[way][size_class(place->bytes)]++;
    profile->bytes[way] = pario_trace_sum(profile->bytes[way], moved);
    profile->collective_calls += pario_trace_is_collective(event->op);
}

/* The share of each column that a call took. */
static void add_columns(struct pario_profile *profile, size_t process,
                        int64_t begin, int64_t end)
{
    int64_t first = profile->begin_ns;
    double width = (double)pario_trace_less(profile->end_ns, first) /
                   PARIO_PROFILE_COLUMNS;
    double from = (double)pario_trace_less(begin, first) / width;
    double to = (double)pario_trace_less(end, first) / width;

    if (!(width > 0) || !(from < PARIO_PROFILE_COLUMNS))
        return; /* also where the clocks of a hostile trace disagree */
    for (int i = from > 0 ? (int)from : 0; i < PARIO_PROFILE_COLUMNS && i < to;
         i++) {
        double low = from > i ? from : i;
        double high = to < i + 1 ? to : i + 1;

        if (high > low)
            profile->processes[process].column[i] += (float)(high - low);
    }
}

int64_t pario_profile_utc(const struct pario_trace_process *facts, int64_t ns)
{
    return facts->utc_ns != 0
               ? pario_trace_sum(pario_trace_less(ns, facts->clock_ns),
                                 facts->utc_ns)
               : ns;
}

static int add_event(struct reading *reading, size_t process,
                     const struct pario_event *event,
                     const struct pario_place *place)
{
    struct pario_profile *profile = reading->profile;
    struct pario_profile_process *sums = &profile->processes[process];
    enum pario_trace_data way = pario_trace_op_table[event->op].data;
    const struct pario_trace_process *facts =
        pario_trace_process_of(reading->trace, process);
    int64_t busy = pario_trace_less(event->end_ns, event->begin_ns);
    struct pario_profile_line *line;
    size_t number;
    int code = find_line(reading, place->path, event->op, &number);

    if (code != 0)
        return code;
    line = &profile->lines[number];
    line->calls++;
    line->errors += event->result < 0;
    line->busy_ns = pario_trace_sum(line->busy_ns, busy);
    if (busy > line->longest_ns)
        line->longest_ns = busy;
    if (line->last_process != process) {
        line->last_process = process;
        line->processes++;
        memset(&reading->trails[number], 0, sizeof(struct trail));
    }
    if (way != PARIO_DATA_NONE)
        add_data(reading, number, event, place);
    sums->waiting_ns = pario_trace_sum(sums->waiting_ns, event->waiting_ns);
    profile->inexact += !event->exact;
    if (event->op == PARIO_OP_collective) {
        sums->collective_ns = pario_trace_sum(sums->collective_ns, busy);
        return 0;
    }
    if (pario_trace_is_message(event->op)) {
        sums->waiting_ns = pario_trace_sum(sums->waiting_ns, busy);
        return 0;
    }
    sums->data_ns[way] = pario_trace_sum(sums->data_ns[way], busy);
    sums->calls[way]++;
    if (way != PARIO_DATA_NONE)
        sums->bytes[way] = pario_trace_sum(sums->bytes[way], place->bytes);
    profile->calls[way]++;
    profile->busy_ns[way] = pario_trace_sum(profile->busy_ns[way], busy);
    add_columns(profile, process, pario_profile_utc(facts, event->begin_ns),
                pario_profile_utc(facts, event->end_ns));
    pario_under_way_add(&reading->moments, profile,
                        pario_profile_utc(facts, event->begin_ns),
                        pario_profile_utc(facts, event->end_ns));
    return 0;
}

typedef int event_fn(struct reading *reading, size_t process,
                     const struct pario_event *event,
                     const struct pario_place *place);

/* First the times, so that the columns are known. */
static int add_time(struct reading *reading, size_t process,
                    const struct pario_event *event,
                    const struct pario_place *place)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(reading->trace, process);
    struct pario_profile_process *sums = &reading->profile->processes[process];
    int64_t begin = pario_profile_utc(facts, event->begin_ns);
    int64_t end = pario_profile_utc(facts, event->end_ns);

    (void)place;
    if (begin < sums->begin_ns)
        sums->begin_ns = begin;
    if (end > sums->end_ns)
        sums->end_ns = end;
    return 0;
}

static int read_process(struct reading *reading, size_t process, event_fn *each)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(reading->trace, process);
    struct pario_places *places = NULL;
    int code =
        pario_places_create(reading->trace, process, &reading->budget, &places);

    for (size_t s = 0; s < facts->nstreams && code == 0; s++) {
        struct pario_cursor *cursor = NULL;
        struct pario_event event;
        struct pario_place place = {.path = "", .offset = -1};

        code = pario_cursor_open(reading->trace, process, s, &cursor);
        while (code == 0 && (code = pario_cursor_next(cursor, &event)) > 0) {
            if (each != add_time)
                code = pario_places_next(places, &event, &place);
            else
                code = 0;
            if (code == 0)
                code = each(reading, process, &event, &place);
        }
        pario_cursor_close(cursor);
    }
    pario_places_destroy(places);
    return code;
}

static int by_time(const void *a, const void *b)
{
    const struct pario_profile_line *x = a, *y = b;

    if (x->busy_ns != y->busy_ns)
        return x->busy_ns > y->busy_ns ? -1 : 1;
    return strcmp(x->path, y->path);
}

int pario_profile_init(struct pario_profile *profile,
                       const struct pario_trace *trace)
{
    struct reading *reading = calloc(1, sizeof(*reading));
    int code = 0;

    memset(profile, 0, sizeof(*profile));
    profile->nprocesses = pario_trace_processes(trace);
    profile->processes =
        calloc(profile->nprocesses + 1, sizeof(*profile->processes));
    if (reading == NULL || profile->processes == NULL) {
        free(reading);
        pario_profile_fini(profile);
        return no_memory();
    }
    profile->begin_ns = INT64_MAX;
    reading->profile = profile;
    reading->trace = trace;
    reading->budget = pario_places_budget_of(trace);
    for (size_t p = 0; p < profile->nprocesses && code == 0; p++) {
        struct pario_profile_process *sums = &profile->processes[p];

        sums->begin_ns = INT64_MAX;
        code = read_process(reading, p, add_time);
        if (sums->end_ns > profile->end_ns)
            profile->end_ns = sums->end_ns;
        if (sums->begin_ns < profile->begin_ns)
            profile->begin_ns = sums->begin_ns;
        if (sums->begin_ns == INT64_MAX)
            sums->begin_ns = 0; /* no calls */
    }
    if (profile->begin_ns == INT64_MAX)
        profile->begin_ns = 0;
    for (size_t p = 0; p < profile->nprocesses && code == 0; p++)
        code = read_process(reading, p, add_event);
    if (code == 0 && profile->nlines > 0)
        qsort(profile->lines, profile->nlines, sizeof(profile->lines[0]),
              by_time);
    if (code == 0)
        code = pario_profile_add_files(profile);
    profile->concurrency = pario_under_way_sum(&reading->moments);
    pario_names_fini(&reading->names);
    free(reading->trails);
    free(reading);
    if (code != 0)
        pario_profile_fini(profile);
    return code;
}

void pario_profile_fini(struct pario_profile *profile)
{
    free(profile->lines);
    free(profile->files);
    free(profile->processes);
    memset(profile, 0, sizeof(*profile));
}
