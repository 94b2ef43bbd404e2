/* diff_model.c - the byte array that stands for the file. */
#include "diff_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return memory;
}

void diff_model_init(struct diff_model *model, int64_t base, int64_t span,
                     int ranks)
{
    size_t n = (size_t)span;

    memset(model, 0, sizeof(*model));
    model->base = base;
    model->span = span;
    model->ranks = ranks;
    model->data = need(calloc(n, 1));
    model->written = need(calloc(n, 1));
    model->writer = need(calloc(n, 1));
    model->readers = need(calloc(n, sizeof(*model->readers)));
    model->pending = need(calloc(n, 1));
    model->mark = need(calloc(n, 1));
}

static void view_clear(struct diff_view *view)
{
    free(view->segs);
    free(view->before);
    memset(view, 0, sizeof(*view));
}

void diff_model_fini(struct diff_model *model)
{
    for (int r = 0; r < model->ranks; r++)
        view_clear(&model->view[r]);
    free(model->data);
    free(model->written);
    free(model->writer);
    free(model->readers);
    free(model->pending);
    free(model->mark);
}

void diff_model_set_view(struct diff_model *model, int rank, int64_t disp,
                         const struct diff_type *etype,
                         const struct diff_type *filetype)
{
    struct diff_view *view = &model->view[rank];
    size_t n = (size_t)filetype->nsegs;
    int64_t before = 0;

    view_clear(view);
    view->disp = disp;
    view->etype_size = etype->size;
    view->tile_size = filetype->size;
    view->tile_extent = diff_extent(filetype);
    view->nsegs = filetype->nsegs;
    view->segs = need(calloc(n + 1, sizeof(*view->segs)));
    view->before = need(calloc(n + 1, sizeof(*view->before)));
    for (int s = 0; s < view->nsegs; s++) {
        view->segs[s] = filetype->segs[s];
        view->before[s] = before;
        before += view->segs[s].len;
    }
    model->position[rank] = 0;
}

void diff_model_completed(struct diff_model *model)
{
    if (model->any_pending)
        memset(model->pending, 0, (size_t)model->span);
    model->any_pending = false;
    model->pending_past_end = 0;
    model->pending_extends = 0;
}

void diff_model_synced(struct diff_model *model)
{
    size_t n = (size_t)model->span;

    memset(model->writer, 0, n);
    memset(model->readers, 0, n * sizeof(*model->readers));
    model->synced_size = model->size;
    model->extended_by = 0;
    model->past_end_by = 0;
}

/* The segment of the tile that holds byte `rest` of its data. */
static int find_segment(const struct diff_view *view, int64_t rest)
{
    int low = 0, high = view->nsegs - 1;

    while (low < high) {
        int mid = (low + high + 1) / 2;

        if (view->before[mid] <= rest)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

int64_t diff_view_offset(const struct diff_view *view, int64_t pos)
{
    if (view->tile_size == 0)
        return view->disp;
    int64_t tile = pos / view->tile_size;
    int64_t rest = pos % view->tile_size;
    int s = find_segment(view, rest);

    return view->disp + tile * view->tile_extent + view->segs[s].off + rest -
           view->before[s];
}

int64_t diff_view_end(const struct diff_view *view, int64_t file_size)
{
    int64_t low = 0, high = 1;

    if (view->tile_size == 0)
        return 0;
    while (diff_view_offset(view, high * view->etype_size) < file_size)
        high *= 2;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;

        if (diff_view_offset(view, mid * view->etype_size) < file_size)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct walk {
    int64_t pos;
    int64_t left;
};

/* The next piece of an access in the file; false at its end. */
static bool next_piece(const struct diff_view *view, struct walk *walk,
                       int64_t *off_p, int64_t *len_p)
{
    if (walk->left <= 0)
        return false;
    int64_t rest = walk->pos % view->tile_size;
    int s = find_segment(view, rest);
    int64_t len = view->before[s] + view->segs[s].len - rest;

    if (len > walk->left)
        len = walk->left;
    *off_p = diff_view_offset(view, walk->pos);
    *len_p = len;
    walk->pos += len;
    walk->left -= len;
    return true;
}

static int64_t access_end(const struct diff_model *model,
                          const struct diff_access *access)
{
    return diff_view_offset(&model->view[access->rank],
                            access->pos + access->len - 1) +
           1;
}

static int byte_conflicts(const struct diff_model *model,
                          const struct diff_access *access, int64_t i)
{
    uint64_t mine = UINT64_C(1) << access->rank;
    int found = 0;

    if (access->write) {
        if (model->pending[i])
            found |= DIFF_WAIT;
        if ((model->writer[i] && model->writer[i] != access->rank + 1) ||
            (model->readers[i] & ~mine))
            found |= DIFF_SYNC;
        if (model->mark[i])
            found |= DIFF_OVERLAP;
    } else {
        if (model->pending[i] & DIFF_PENDING_WRITE)
            found |= DIFF_WAIT;
        if (model->writer[i] && model->writer[i] != access->rank + 1)
            found |= DIFF_SYNC;
    }
    return found;
}

/* Whether the end of the file may move under a read past it. */
static int end_conflicts(const struct diff_model *model,
                         const struct diff_access *access, int64_t end)
{
    uint64_t others = ~(UINT64_C(1) << access->rank);
    int found = 0;

    if (access->write && end > model->size) {
        if (model->past_end_by & others)
            found |= DIFF_SYNC;
        if (model->pending_past_end)
            found |= DIFF_WAIT;
    }
    if (!access->write && end > model->synced_size) {
        if (model->extended_by & others)
            found |= DIFF_SYNC;
        if (model->pending_extends)
            found |= DIFF_WAIT;
    }
    return found;
}

int diff_model_conflicts(const struct diff_model *model,
                         const struct diff_access *access)
{
    const struct diff_view *view = &model->view[access->rank];
    struct walk walk = {.pos = access->pos, .left = access->len};
    int64_t off = 0, len = 0;
    int found = 0;

    if (access->len == 0)
        return DIFF_OK;
    if (view->tile_size == 0)
        return DIFF_OUTSIDE;
    int64_t end = access_end(model, access);
    if (diff_view_offset(view, access->pos) < model->base ||
        end > model->base + model->span)
        return DIFF_OUTSIDE;
    found |= end_conflicts(model, access, end);
    while (next_piece(view, &walk, &off, &len)) {
        for (int64_t i = 0; i < len; i++)
            found |= byte_conflicts(model, access, off - model->base + i);
    }
    return found;
}

void diff_model_mark(struct diff_model *model, const struct diff_access *access,
                     bool set)
{
    struct walk walk = {.pos = access->pos, .left = access->len};
    int64_t off = 0, len = 0;

    while (next_piece(&model->view[access->rank], &walk, &off, &len))
        memset(model->mark + off - model->base, set, (size_t)len);
}

static void note(struct diff_model *model, const struct diff_access *access,
                 int64_t i, int64_t len)
{
    uint8_t pending = 0;

    if (access->stays_pending)
        pending = access->write ? DIFF_PENDING_WRITE : DIFF_PENDING_READ;
    for (int64_t k = i; k < i + len; k++) {
        if (access->write)
            model->writer[k] = (uint8_t)(access->rank + 1);
        else
            model->readers[k] |= UINT64_C(1) << access->rank;
        model->pending[k] |= pending;
    }
    model->any_pending |= access->stays_pending;
}

void diff_model_apply(struct diff_model *model,
                      const struct diff_access *access,
                      const unsigned char *data)
{
    struct walk walk = {.pos = access->pos, .left = access->len};
    uint64_t mine = UINT64_C(1) << access->rank;
    uint64_t mine_pending = access->stays_pending ? mine : 0;
    int64_t off = 0, len = 0;

    if (access->len == 0)
        return;
    while (next_piece(&model->view[access->rank], &walk, &off, &len)) {
        note(model, access, off - model->base, len);
        if (access->write) {
            memcpy(model->data + off - model->base, data, (size_t)len);
            memset(model->written + off - model->base, 1, (size_t)len);
            data += len;
        }
    }
    int64_t end = access_end(model, access);
    if (access->write && end > model->size) {
        model->size = end;
        model->extended_by |= mine;
        model->pending_extends |= mine_pending;
    }
    if (!access->write && end > model->size) {
        model->past_end_by |= mine;
        model->pending_past_end |= mine_pending;
    }
}

int64_t diff_model_read(const struct diff_model *model,
                        const struct diff_access *access,
                        unsigned char *expected, uint8_t *known)
{
    struct walk walk = {.pos = access->pos, .left = access->len};
    int64_t off = 0, len = 0, total = 0;

    while (next_piece(&model->view[access->rank], &walk, &off, &len)) {
        int64_t there = model->size - off;

        if (there <= 0)
            break;
        if (there > len)
            there = len;
        memcpy(expected + total, model->data + off - model->base,
               (size_t)there);
        memcpy(known + total, model->written + off - model->base,
               (size_t)there);
        total += there;
    }
    return total;
}

void diff_model_resize(struct diff_model *model, int64_t size)
{
    if (size < model->size) {
        int64_t from = size > model->base ? size - model->base : 0;

        memset(model->data + from, 0, (size_t)(model->span - from));
        memset(model->written + from, 0, (size_t)(model->span - from));
    }
    model->size = size;
}
