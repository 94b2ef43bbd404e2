/* pieces.c - lists of runs: made, merged, counted, walked, encoded. */
#include "pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int64_t last_start(const struct shipio_series *item)
{
    return item->start + (item->count - 1) * item->stride;
}

static int64_t end_of(const struct shipio_series *item)
{
    return last_start(item) + item->len;
}

static void push(struct shipio_piece_list *list, struct shipio_series item)
{
    if (list->error != 0)
        return;
    if (list->n == list->room) {
        int64_t room = list->room > 0 ? 2 * list->room : 8;
        struct shipio_series *more = NULL;

        if (list->most == 0 || list->n < list->most)
            more = realloc(list->items, (size_t)room * sizeof(*more));
        if (more == NULL) {
            list->error = -ENOMEM;
            return;
        }
        list->items = more;
        list->room = room;
    }
    list->items[list->n++] = item;
}

/* Makes the last piece one of the run before it, where it fits. */
static void fold(struct shipio_piece_list *list)
{
    struct shipio_series *last;
    struct shipio_series *before;

    if (list->n < 2)
        return;
    last = &list->items[list->n - 1];
    before = last - 1;
    if (last->count != 1 || last->len != before->len)
        return;
    if (before->count == 1)
        before->stride = last->start - before->start;
    else if (before->start + before->count * before->stride != last->start)
        return;
    before->count++;
    list->n--;
}

/* The last piece becomes longer, be it one of a run. */
static void extend(struct shipio_piece_list *list, int64_t end)
{
    struct shipio_series *last = &list->items[list->n - 1];
    int64_t start = last_start(last);

    if (end <= start + last->len)
        return;
    if (last->count == 1) {
        last->len = end - start;
        return;
    }
    last->count--;
    push(list, (struct shipio_series){
                   .start = start, .len = end - start, .count = 1});
}

void shipio_pieces_add(struct shipio_piece_list *list, int64_t start,
                       int64_t len)
{
    if (len <= 0 || list->error != 0)
        return;
    if (list->n > 0 && start <= end_of(&list->items[list->n - 1])) {
        extend(list, start + len);
        return;
    }
    fold(list);
    push(list, (struct shipio_series){.start = start, .len = len, .count = 1});
}

void shipio_pieces_end(struct shipio_piece_list *list)
{
    if (list->error == 0)
        fold(list);
}

void shipio_pieces_free(struct shipio_piece_list *list)
{
    free(list->items);
    *list = (struct shipio_piece_list){.n = 0};
}

/* The first item that ends behind low; n: none. */
static int64_t find(const struct shipio_pieces *pieces, int64_t low)
{
    int64_t from = 0;
    int64_t to = pieces->n;

    while (from < to) {
        int64_t middle = from + (to - from) / 2;

        if (end_of(&pieces->items[middle]) > low)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

/* Pieces of an item that end at or before x. */
static int64_t passed(const struct shipio_series *item, int64_t x)
{
    int64_t n;

    if (x < item->start + item->len)
        return 0;
    if (item->count == 1)
        return 1;
    n = (x - item->start - item->len) / item->stride + 1;
    return n < item->count ? n : item->count;
}

/* Bytes of an item below x. */
static int64_t below(const struct shipio_series *item, int64_t x)
{
    int64_t n = passed(item, x);
    int64_t rest = n < item->count ? x - item->start - n * item->stride : 0;

    return n * item->len + (rest > 0 ? rest : 0);
}

int64_t shipio_pieces_count(const struct shipio_pieces *pieces, int64_t low,
                            int64_t high)
{
    int64_t sum = 0;

    for (int64_t i = find(pieces, low);
         i < pieces->n && pieces->items[i].start < high; i++)
        sum += below(&pieces->items[i], high) - below(&pieces->items[i], low);
    return sum;
}

void shipio_pieces_walk_init(struct shipio_pieces_walk *walk,
                             const struct shipio_pieces *pieces, int64_t low,
                             int64_t high)
{
    int64_t item = find(pieces, low);

    *walk = (struct shipio_pieces_walk){
        .pieces = pieces, .low = low, .high = high, .item = item};
    if (item < pieces->n)
        walk->index = passed(&pieces->items[item], low);
}

bool shipio_pieces_walk_next(struct shipio_pieces_walk *walk)
{
    const struct shipio_series *item;
    int64_t start;
    int64_t end;

    if (walk->item >= walk->pieces->n)
        return false;
    item = &walk->pieces->items[walk->item];
    start = item->start + walk->index * item->stride;
    end = start + item->len;
    if (start >= walk->high)
        return false;
    walk->start = start > walk->low ? start : walk->low;
    walk->len = (end < walk->high ? end : walk->high) - walk->start;
    if (++walk->index == item->count) {
        walk->index = 0;
        walk->item++;
    }
    return true;
}

/* The first item that begins at or behind high; n: none. */
static int64_t find_end(const struct shipio_pieces *pieces, int64_t high)
{
    int64_t from = 0;
    int64_t to = pieces->n;

    while (from < to) {
        int64_t middle = from + (to - from) / 2;

        if (pieces->items[middle].start >= high)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

struct shipio_range shipio_pieces_extent(const struct shipio_pieces *pieces,
                                         int64_t low, int64_t high)
{
    struct shipio_range extent = {.start = low, .len = 0};
    struct shipio_pieces_walk walk;
    const struct shipio_series *last;
    int64_t started;
    int64_t end;

    shipio_pieces_walk_init(&walk, pieces, low, high);
    if (!shipio_pieces_walk_next(&walk))
        return extent;
    /* Its last piece that begins below high. */
    last = &pieces->items[find_end(pieces, high) - 1];
    started =
        last->count == 1 ? 1 : (high - 1 - last->start) / last->stride + 1;
    started = started < last->count ? started : last->count;
    end = last->start + (started - 1) * last->stride + last->len;
    extent.start = walk.start;
    extent.len = (end < high ? end : high) - walk.start;
    return extent;
}

/*
 * Ranks that take turns: one run each, of one stride and count, all within the
 * first stride. Where their first pieces make one, so do the others.
 */
static bool merge_turns(struct shipio_piece_list *list,
                        const struct shipio_pieces *lists, int n)
{
    const struct shipio_series *first = &lists[0].items[0];
    int64_t start = first->start;
    int64_t end = first->start + first->len;
    bool grows = true;

    for (int i = 0; i < n; i++) {
        const struct shipio_series *item = &lists[i].items[0];

        if (lists[i].n != 1 || item->stride != first->stride ||
            item->count != first->count || item->count == 1)
            return false;
    }
    while (grows) {
        grows = false;
        for (int i = 0; i < n; i++) {
            int64_t from = lists[i].items[0].start;
            int64_t to = from + lists[i].items[0].len;

            if (from > end || to < start || (from >= start && to <= end))
                continue;
            start = from < start ? from : start;
            end = to > end ? to : end;
            grows = true;
        }
    }
    for (int i = 0; i < n; i++)
        if (lists[i].items[0].start < start || lists[i].items[0].start > end)
            return false;
    if (end - start > first->stride)
        return false;
    if (end - start == first->stride)
        push(list, (struct shipio_series){.start = start,
                                          .len = first->stride * first->count,
                                          .count = 1});
    else
        push(list, (struct shipio_series){.start = start,
                                          .len = end - start,
                                          .stride = first->stride,
                                          .count = first->count});
    return true;
}

/* The heap's first walk has the lowest piece. */
static void sink(struct shipio_pieces_walk *heap, int n, int at)
{
    for (;;) {
        int child = 2 * at + 1;
        struct shipio_pieces_walk swap;

        if (child + 1 < n && heap[child + 1].start < heap[child].start)
            child++;
        if (child >= n || heap[at].start <= heap[child].start)
            return;
        swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

static void merge_pieces(struct shipio_piece_list *list,
                         struct shipio_pieces_walk *heap, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sink(heap, n, i);
    while (n > 0 && list->error == 0) {
        shipio_pieces_add(list, heap[0].start, heap[0].len);
        if (!shipio_pieces_walk_next(&heap[0]))
            heap[0] = heap[--n];
        sink(heap, n, 0);
    }
}

void shipio_pieces_merge(struct shipio_piece_list *list,
                         const struct shipio_pieces *lists, int n)
{
    struct shipio_pieces_walk *heap;
    int live = 0;

    if (n > 0 && lists[0].n == 1 && merge_turns(list, lists, n))
        return;
    heap = calloc((size_t)n + 1, sizeof(*heap));
    if (heap == NULL) {
        list->error = -ENOMEM;
        return;
    }
    for (int i = 0; i < n; i++) {
        shipio_pieces_walk_init(&heap[live], &lists[i], INT64_MIN, INT64_MAX);
        live += shipio_pieces_walk_next(&heap[live]);
    }
    merge_pieces(list, heap, live);
    shipio_pieces_end(list);
    free(heap);
}

/* Seven bits in each byte, the last one below 128. */
static int64_t put(unsigned char *to, int64_t at, uint64_t value)
{
    do {
        uint64_t rest = value >> 7;

        if (to != NULL)
            to[at] = (unsigned char)((value & 127) | (rest != 0 ? 128 : 0));
        at++;
        value = rest;
    } while (value != 0);
    return at;
}

static bool get(const unsigned char *from, int64_t len, int64_t *at_p,
                int64_t *value_p)
{
    uint64_t value = 0;
    int shift = 0;

    while (*at_p < len && shift < 63) {
        unsigned char byte = from[(*at_p)++];

        value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        if (byte < 128) {
            *value_p = (int64_t)value;
            return true;
        }
    }
    return false;
}

int64_t shipio_pieces_encode(const struct shipio_pieces *pieces,
                             bool (*wanted)(const void *argument,
                                            const struct shipio_series *item),
                             const void *argument, unsigned char *to)
{
    int64_t before = 0;
    int64_t at = 0;

    for (int64_t i = 0; i < pieces->n; i++) {
        const struct shipio_series *item = &pieces->items[i];

        if (wanted != NULL && !wanted(argument, item))
            continue;
        at = put(to, at, (uint64_t)(item->start - before));
        at = put(to, at, (uint64_t)item->len << 1 | (item->count > 1 ? 1 : 0));
        if (item->count > 1) {
            at = put(to, at, (uint64_t)item->stride);
            at = put(to, at, (uint64_t)item->count);
        }
        before = end_of(item);
    }
    return at;
}

/* A list must be in order, and nowhere touch itself. */
static bool decode_item(const unsigned char *from, int64_t len, int64_t *at_p,
                        struct shipio_series *item)
{
    int64_t coded;

    if (!get(from, len, at_p, &item->start) || !get(from, len, at_p, &coded))
        return false;
    item->len = coded >> 1;
    item->count = 1;
    item->stride = 0;
    if ((coded & 1) != 0 && (!get(from, len, at_p, &item->stride) ||
                             !get(from, len, at_p, &item->count)))
        return false;
    return item->len > 0 && item->count > 0 &&
           (item->count == 1 || item->stride > item->len) &&
           item->count - 1 <= (INT64_MAX / 2 - item->len) /
                                  (item->stride > 0 ? item->stride : 1);
}

bool shipio_pieces_decode(struct shipio_piece_list *list,
                          const unsigned char *from, int64_t len)
{
    int64_t before = 0;
    int64_t at = 0;

    while (at < len) {
        struct shipio_series item;

        if (!decode_item(from, len, &at, &item) ||
            item.start > INT64_MAX / 2 - before)
            return false;
        item.start += before;
        push(list, item);
        before = end_of(&item);
    }
    return true;
}
