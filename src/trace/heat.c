/* trace/heat.c - offset by time, and reads of what was written before. */
#include "trace/heat.h"
#include "trace/profile_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PIECES 256          /* of a call that are looked at */
#define WORK ((int64_t)1 << 24) /* pieces of a trace that are */

struct reading {
    struct pario_heat *heat;
    const struct pario_trace *trace;
    const struct pario_profile *profile;
    enum pario_trace_data way; /* of this pass */
};

static int by_bytes(const void *a, const void *b)
{
    const struct pario_profile_file *const *x = a, *const *y = b;
    int64_t m = pario_trace_sum((*x)->bytes[1], (*x)->bytes[2]);
    int64_t n = pario_trace_sum((*y)->bytes[1], (*y)->bytes[2]);

    if (m != n)
        return m > n ? -1 : 1;
    return strcmp((*x)->path, (*y)->path);
}

static int choose_files(struct pario_heat *heat,
                        const struct pario_profile *profile)
{
    const struct pario_profile_file **files =
        calloc(profile->nfiles + 1, sizeof(struct pario_profile_file *));
    size_t n = 0;

    heat->files = calloc(PARIO_HEAT_FILES, sizeof(*heat->files));
    if (files == NULL || heat->files == NULL) {
        free(files);
        return pario_fail_errno(-ENOMEM, "cannot read a trace");
    }
    for (size_t i = 0; i < profile->nfiles; i++)
        if (profile->files[i].end > profile->files[i].begin &&
            profile->files[i].begin >= 0)
            files[n++] = &profile->files[i];
    if (n > 0)
        qsort(files, n, sizeof(struct pario_profile_file *), by_bytes);
    for (size_t i = 0; i < n && i < PARIO_HEAT_FILES; i++) {
        struct pario_heat_file *file = &heat->files[heat->nfiles++];

        file->path = files[i]->path;
        file->begin = files[i]->begin;
        file->end = files[i]->end;
        for (int b = 0; b < PARIO_HEAT_BINS; b++)
            file->first_write_ns[b] = INT64_MAX;
    }
    free(files);
    return 0;
}

static int share_of(int64_t at, int64_t begin, int64_t end, int parts)
{
    double share = (double)pario_trace_less(at, begin) /
                   (double)pario_trace_less(end, begin) * parts;

    if (!(share > 0))
        return 0;
    return share < parts ? (int)share : parts - 1;
}

/* One piece of a call: len bytes of it stand there, or stand for more. */
static void add_piece(const struct reading *reading,
                      struct pario_heat_file *file, int64_t offset, int64_t len,
                      double bytes, int64_t when_ns)
{
    int64_t last = pario_trace_sum(offset, len > 0 ? len - 1 : 0);
    int column = share_of(when_ns, reading->profile->begin_ns,
                          reading->profile->end_ns, PARIO_PROFILE_COLUMNS);
    int row = share_of(offset, file->begin, file->end, PARIO_HEAT_ROWS);
    int rows = share_of(last, file->begin, file->end, PARIO_HEAT_ROWS) + 1;
    int bin = share_of(offset, file->begin, file->end, PARIO_HEAT_BINS);
    int bins = share_of(last, file->begin, file->end, PARIO_HEAT_BINS) + 1;
    int before = 0;

    for (int r = row; r < rows; r++)
        file->cell[reading->way][r][column] += (float)(bytes / (rows - row));
    for (int b = bin; b < bins; b++)
        if (reading->way == PARIO_DATA_READ)
            before += file->first_write_ns[b] <= when_ns;
        else if (when_ns < file->first_write_ns[b])
            file->first_write_ns[b] = when_ns;
    if (reading->way == PARIO_DATA_READ) {
        file->read_bytes += bytes;
        file->reread_bytes += bytes * before / (bins - bin);
    }
}

static void add_call(const struct reading *reading,
                     struct pario_heat_file *file,
                     const struct pario_place *place, int64_t when_ns)
{
    int64_t n = place->pieces < MAX_PIECES ? place->pieces : MAX_PIECES;
    int64_t offset, len;

    if (n > reading->heat->work)
        n = 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t done = (int64_t)((double)place->bytes * (double)i / (double)n);

        if (pario_place_piece(place, done, &offset, &len) == 0)
            add_piece(reading, file, offset, n == 1 ? place->piece : len,
                      (double)place->bytes / (double)n, when_ns);
    }
    reading->heat->work -= n;
}

static void add_event(const struct reading *reading, size_t process,
                      const struct pario_event *event,
                      const struct pario_place *place)
{
    struct pario_heat *heat = reading->heat;

    if (pario_trace_op_table[event->op].data != reading->way ||
        event->result < 0 || place->offset < 0 || place->bytes <= 0)
        return;
    for (size_t f = 0; f < heat->nfiles; f++)
        if (heat->files[f].path != NULL &&
            (heat->files[f].path == place->path ||
             strcmp(heat->files[f].path, place->path) == 0)) {
            add_call(reading, &heat->files[f], place,
                     pario_profile_utc(
                         pario_trace_process_of(reading->trace, process),
                         event->begin_ns));
            return;
        }
}

static int read_process(const struct reading *reading, size_t process,
                        struct pario_places_budget *budget)
{
    const struct pario_trace_process *facts =
        pario_trace_process_of(reading->trace, process);
    struct pario_places *places = NULL;
    int code = pario_places_create(reading->trace, process, budget, &places);

    for (size_t s = 0; s < facts->nstreams && code == 0; s++) {
        struct pario_cursor *cursor = NULL;
        struct pario_event event;
        struct pario_place place;

        code = pario_cursor_open(reading->trace, process, s, &cursor);
        while (code == 0 && (code = pario_cursor_next(cursor, &event)) > 0) {
            code = pario_places_next(places, &event, &place);
            if (code == 0)
                add_event(reading, process, &event, &place);
        }
        pario_cursor_close(cursor);
    }
    pario_places_destroy(places);
    return code;
}

int pario_heat_init(struct pario_heat *heat, const struct pario_trace *trace,
                    const struct pario_profile *profile)
{
    static const enum pario_trace_data ways[] = {PARIO_DATA_WRITE,
                                                 PARIO_DATA_READ};
    struct reading reading = {heat, trace, profile, PARIO_DATA_NONE};
    int code;

    *heat = (struct pario_heat){.work = WORK};
    code = choose_files(heat, profile);
    for (int i = 0; i < 2; i++) {
        struct pario_places_budget budget = pario_places_budget_of(trace);

        reading.way = ways[i];
        for (size_t p = 0; p < profile->nprocesses && code == 0; p++)
            code = read_process(&reading, p, &budget);
    }
    if (code != 0)
        pario_heat_fini(heat);
    return code;
}

void pario_heat_fini(struct pario_heat *heat)
{
    free(heat->files);
    *heat = (struct pario_heat){0};
}
