/* seg.c - trees of blocks, repetitions and lists. */
#include "seg.h"

#include <stdlib.h>
#include <string.h>

static struct shipio_node *node_new(enum shipio_kind kind)
{
    struct shipio_node *node = calloc(1, sizeof(*node));

    if (node == NULL)
        return NULL;
    node->kind = kind;
    node->refs = 1;
    node->depth = 1;
    node->monotone = true;
    return node;
}

struct shipio_node *shipio_node_get(struct shipio_node *node)
{
    __atomic_add_fetch(&node->refs, 1, __ATOMIC_RELAXED);
    return node;
}

void shipio_node_put(struct shipio_node *node)
{
    if (node == NULL || __atomic_sub_fetch(&node->refs, 1, __ATOMIC_ACQ_REL))
        return;
    shipio_node_put(node->child);
    if (node->items != NULL)
        for (int64_t i = 0; i < node->count; i++)
            shipio_node_put(node->items[i]);
    free(node->items);
    free(node->disp);
    free(node->before);
    free(node);
}

struct shipio_node *shipio_node_block(int64_t size)
{
    struct shipio_node *node = node_new(SHIPIO_BLOCK);

    if (node == NULL)
        return NULL;
    node->size = size;
    node->nseg = size > 0;
    node->last = size;
    return node;
}

static struct shipio_node *list_new(int64_t n)
{
    struct shipio_node *node = node_new(SHIPIO_LIST);

    if (node == NULL)
        return NULL;
    node->disp = calloc((size_t)n, sizeof(*node->disp));
    node->before = calloc((size_t)n + 1, sizeof(*node->before));
    if (node->disp == NULL || node->before == NULL) {
        shipio_node_put(node);
        return NULL;
    }
    return node;
}

static void list_bounds(struct shipio_node *node)
{
    node->size = node->before[node->count];
    node->first = INT64_MAX;
    node->last = INT64_MIN;
    for (int64_t i = 0; i < node->count; i++) {
        const struct shipio_node *item = node->items ? node->items[i] : NULL;
        int64_t first = node->disp[i] + (item ? item->first : 0);
        int64_t last =
            item ? node->disp[i] + item->last
                 : node->disp[i] + node->before[i + 1] - node->before[i];

        if (first < node->last || (item && !item->monotone))
            node->monotone = false;
        node->first = first < node->first ? first : node->first;
        node->last = last > node->last ? last : node->last;
        node->nseg += item ? item->nseg : 1;
        if (item && item->depth >= node->depth)
            node->depth = item->depth + 1;
    }
}

/* Turns a tree that grew too deep for a cursor into one plain list. */
static struct shipio_node *node_flatten(struct shipio_node *node)
{
    int64_t n = node->nseg;
    int64_t *disp = calloc((size_t)n, sizeof(*disp));
    int64_t *lens = calloc((size_t)n, sizeof(*lens));
    struct shipio_node *flat = NULL;

    if (disp != NULL && lens != NULL) {
        struct shipio_tiling tiling = {.node = node, .extent = 0};
        struct shipio_cursor cursor;
        int64_t done = 0;
        int64_t i = 0;

        shipio_cursor_init(&cursor, &tiling, 0);
        while (done < node->size && i < n) {
            lens[i] = shipio_cursor_peek(&cursor);
            disp[i] = cursor.off;
            shipio_cursor_take(&cursor, lens[i]);
            done += lens[i++];
        }
        flat = shipio_node_blocks(i, disp, lens);
    }
    free(disp);
    free(lens);
    shipio_node_put(node);
    return flat;
}

static struct shipio_node *node_limit_depth(struct shipio_node *node)
{
    if (node == NULL || node->depth < SHIPIO_DEPTH_MAX)
        return node;
    return node_flatten(node);
}

struct shipio_node *shipio_node_repeat(struct shipio_node *child, int64_t count,
                                       int64_t stride)
{
    struct shipio_node *node;
    int64_t reach;

    if (child == NULL || (count == 1 && child->size > 0))
        return child;
    if (count <= 0 || child->size == 0) {
        shipio_node_put(child);
        return shipio_node_block(0);
    }
    if (child->kind == SHIPIO_BLOCK && stride == child->size) {
        int64_t size = child->size * count;

        shipio_node_put(child);
        return shipio_node_block(size);
    }
    node = node_new(SHIPIO_REPEAT);
    if (node == NULL) {
        shipio_node_put(child);
        return NULL;
    }
    reach = stride * (count - 1);
    node->child = child;
    node->count = count;
    node->stride = stride;
    node->size = child->size * count;
    node->nseg = child->nseg * count;
    node->depth = child->depth + 1;
    node->first = child->first + (reach < 0 ? reach : 0);
    node->last = child->last + (reach > 0 ? reach : 0);
    node->monotone = child->monotone && stride >= child->last - child->first;
    return node_limit_depth(node);
}

struct shipio_node *shipio_node_shift(struct shipio_node *child, int64_t disp)
{
    struct shipio_node *node;

    if (child == NULL || disp == 0 || child->size == 0)
        return child;
    node = list_new(1);
    if (node == NULL) {
        shipio_node_put(child);
        return NULL;
    }
    node->count = 1;
    node->disp[0] = disp;
    node->before[1] = child->size;
    if (child->kind == SHIPIO_BLOCK) {
        shipio_node_put(child);
    } else {
        node->items = calloc(1, sizeof(struct shipio_node *));
        if (node->items == NULL) {
            shipio_node_put(child);
            shipio_node_put(node);
            return NULL;
        }
        node->items[0] = child;
    }
    list_bounds(node);
    return node_limit_depth(node);
}

/* A list of equal blocks at equal distances is a shifted repetition. */
static struct shipio_node *list_simplify(struct shipio_node *node)
{
    int64_t n = node->count;
    int64_t len = node->before[1];
    int64_t first = node->disp[0];
    int64_t stride = n > 1 ? node->disp[1] - first : len;

    for (int64_t i = 0; i < n; i++)
        if (node->before[i + 1] - node->before[i] != len ||
            node->disp[i] != first + i * stride)
            return node;
    shipio_node_put(node);
    return shipio_node_shift(
        shipio_node_repeat(shipio_node_block(len), n, stride), first);
}

struct shipio_node *shipio_node_blocks(int64_t n, const int64_t *disp,
                                       const int64_t *lens)
{
    struct shipio_node *node = list_new(n > 0 ? n : 1);
    int64_t k = 0;

    if (node == NULL)
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        if (lens[i] == 0)
            continue;
        if (k > 0 &&
            node->disp[k - 1] + node->before[k] - node->before[k - 1] ==
                disp[i]) {
            node->before[k] += lens[i];
            continue;
        }
        node->disp[k] = disp[i];
        node->before[k + 1] = node->before[k] + lens[i];
        k++;
    }
    node->count = k;
    if (k == 0) {
        shipio_node_put(node);
        return shipio_node_block(0);
    }
    list_bounds(node);
    return list_simplify(node);
}

static struct shipio_node *join_blocks(int64_t n, const int64_t *disp,
                                       struct shipio_node **children)
{
    int64_t *lens = calloc((size_t)n, sizeof(*lens));
    struct shipio_node *node = NULL;

    if (lens != NULL) {
        for (int64_t i = 0; i < n; i++)
            lens[i] = children[i]->size;
        node = shipio_node_blocks(n, disp, lens);
    }
    for (int64_t i = 0; i < n; i++)
        shipio_node_put(children[i]);
    free(lens);
    return node;
}

struct shipio_node *shipio_node_join(int64_t n, const int64_t *disp,
                                     struct shipio_node **children)
{
    struct shipio_node *node;
    bool plain = true;
    bool whole = true;
    int64_t k = 0;

    for (int64_t i = 0; i < n; i++) {
        whole = whole && children[i] != NULL;
        plain = plain && children[i] && children[i]->kind == SHIPIO_BLOCK;
    }
    if (n > 0 && plain)
        return join_blocks(n, disp, children);
    node = whole ? list_new(n > 0 ? n : 1) : NULL;
    if (node != NULL)
        node->items =
            calloc((size_t)(n > 0 ? n : 1), sizeof(struct shipio_node *));
    if (node == NULL || node->items == NULL) {
        for (int64_t i = 0; i < n; i++)
            shipio_node_put(children[i]);
        shipio_node_put(node);
        return NULL;
    }
    for (int64_t i = 0; i < n; i++) {
        if (children[i]->size == 0) {
            shipio_node_put(children[i]);
            continue;
        }
        node->disp[k] = disp[i];
        node->before[k + 1] = node->before[k] + children[i]->size;
        node->items[k++] = children[i];
    }
    node->count = k;
    if (k == 0) {
        shipio_node_put(node);
        return shipio_node_block(0);
    }
    list_bounds(node);
    return node_limit_depth(node);
}

/* The last item whose before[] is not above pos. */
static int64_t list_find(const struct shipio_node *node, int64_t pos)
{
    int64_t low = 0;
    int64_t high = node->count - 1;

    while (low < high) {
        int64_t mid = low + (high - low + 1) / 2;

        if (node->before[mid] <= pos)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static int64_t list_below(const struct shipio_node *node, int64_t x)
{
    int64_t low = 0;
    int64_t high = node->count - 1;

    while (low < high) {
        int64_t mid = low + (high - low + 1) / 2;
        int64_t first =
            node->disp[mid] + (node->items ? node->items[mid]->first : 0);

        if (first < x)
            low = mid;
        else
            high = mid - 1;
    }
    if (node->items != NULL)
        return node->before[low] +
               shipio_node_below(node->items[low], x - node->disp[low]);
    x -= node->disp[low];
    if (x > node->before[low + 1] - node->before[low])
        x = node->before[low + 1] - node->before[low];
    return node->before[low] + (x > 0 ? x : 0);
}

int64_t shipio_node_below(const struct shipio_node *node, int64_t x)
{
    int64_t i;

    if (x <= node->first)
        return 0;
    if (x >= node->last)
        return node->size;
    switch (node->kind) {
    case SHIPIO_REPEAT:
        i = (x - 1 - node->child->first) / node->stride;
        if (i >= node->count)
            i = node->count - 1;
        return i * node->child->size +
               shipio_node_below(node->child, x - i * node->stride);
    case SHIPIO_LIST:
        return list_below(node, x);
    case SHIPIO_BLOCK:
    default:
        return x;
    }
}

/* The first copy of a repetition that reaches beyond x; count if none does. */
static int64_t repeat_reach(const struct shipio_node *node, int64_t x)
{
    int64_t beyond = x - node->child->last;

    if (beyond < 0)
        return 0;
    if (node->stride <= 0 || beyond / node->stride >= node->count)
        return node->count;
    return beyond / node->stride + 1;
}

int64_t shipio_node_reach(const struct shipio_node *node, int64_t x)
{
    int64_t i = 0;

    if (x >= node->last)
        return node->size;
    switch (node->kind) {
    case SHIPIO_REPEAT:
        i = repeat_reach(node, x);
        if (i >= node->count)
            return node->size;
        return i * node->child->size +
               shipio_node_reach(node->child, x - i * node->stride);
    case SHIPIO_LIST:
        for (; i < node->count; i++) {
            int64_t len = node->before[i + 1] - node->before[i];
            int64_t at = x - node->disp[i];
            int64_t n = node->items ? shipio_node_reach(node->items[i], at)
                                    : (at < 0 ? 0 : at);

            if (n < len)
                return node->before[i] + n;
        }
        return node->size;
    case SHIPIO_BLOCK:
    default:
        return x > 0 ? x : 0;
    }
}

void shipio_tiling_init(struct shipio_tiling *tiling,
                        const struct shipio_node *node, int64_t base,
                        int64_t extent)
{
    tiling->node = node;
    tiling->base = base;
    tiling->extent = extent;
    tiling->contig = node->nseg == 1 && node->size == extent;
    if (tiling->contig)
        tiling->base += node->first;
}

int64_t shipio_tiling_offset(const struct shipio_tiling *tiling, int64_t pos)
{
    struct shipio_cursor cursor;

    if (tiling->contig)
        return tiling->base + pos;
    shipio_cursor_init(&cursor, tiling, pos);
    return cursor.off;
}

int64_t shipio_tiling_end(const struct shipio_tiling *tiling, int64_t pos)
{
    return shipio_tiling_offset(tiling, pos - 1) + 1;
}

/* The same as below without order; x counts from the tiling's base. */
static int64_t tiling_reach(const struct shipio_tiling *tiling, int64_t x)
{
    const struct shipio_node *node = tiling->node;
    int64_t tile = 0;

    /* Tiles before the first one that reaches beyond x lie below it. */
    if (tiling->extent > 0 && x >= node->last)
        tile = (x - node->last) / tiling->extent + 1;
    return tile * node->size +
           shipio_node_reach(node, x - tile * tiling->extent);
}

static bool tiles_interleave(const struct shipio_tiling *tiling)
{
    return tiling->extent < tiling->node->last - tiling->node->first;
}

int64_t shipio_tiling_below(const struct shipio_tiling *tiling, int64_t x)
{
    int64_t tile;

    x -= tiling->base;
    if (tiling->contig)
        return x > 0 ? x : 0;
    if (x <= tiling->node->first || tiling->node->size == 0)
        return 0;
    if (!tiling->node->monotone || tiles_interleave(tiling))
        return tiling_reach(tiling, x);
    tile = (x - 1 - tiling->node->first) / tiling->extent;
    return tile * tiling->node->size +
           shipio_node_below(tiling->node, x - tile * tiling->extent);
}

int64_t shipio_tiling_below_from(const struct shipio_tiling *tiling,
                                 int64_t pos, int64_t x)
{
    const struct shipio_node *node = tiling->node;
    int64_t tile;

    if (tiling->contig || node->size == 0 || !tiles_interleave(tiling))
        return shipio_tiling_below(tiling, x);
    tile = pos / node->size;
    return tile * node->size +
           shipio_node_below(node, x - tiling->base - tile * tiling->extent);
}

bool shipio_tiling_ordered(const struct shipio_tiling *tiling, int64_t pos,
                           int64_t len)
{
    const struct shipio_node *node = tiling->node;

    if (tiling->contig || len == 0)
        return true;
    if (!node->monotone)
        return false;
    return !tiles_interleave(tiling) ||
           pos / node->size == (pos + len - 1) / node->size;
}

int64_t shipio_tiling_pieces(const struct shipio_tiling *tiling, int64_t pos,
                             int64_t len)
{
    const struct shipio_node *node = tiling->node;
    int64_t mean;

    (void)pos;
    if (tiling->contig || node->size == 0)
        return len > 0;
    mean = node->size / node->nseg;
    return mean > 0 ? (len + mean - 1) / mean : len;
}

static void cursor_descend(struct shipio_cursor *cursor,
                           const struct shipio_node *node, int64_t base,
                           int64_t pos)
{
    for (;;) {
        struct shipio_frame *frame = &cursor->frames[cursor->depth];
        int64_t i;

        if (node->kind == SHIPIO_BLOCK) {
            cursor->off = base + pos;
            cursor->left = node->size - pos;
            return;
        }
        frame->node = node;
        frame->base = base;
        cursor->depth++;
        if (node->kind == SHIPIO_REPEAT) {
            i = pos > 0 ? pos / node->child->size : 0;
            frame->index = i;
            pos -= i * node->child->size;
            base += i * node->stride;
            node = node->child;
            continue;
        }
        i = pos > 0 ? list_find(node, pos) : 0;
        frame->index = i;
        pos -= node->before[i];
        base += node->disp[i];
        if (node->items == NULL) {
            cursor->off = base + pos;
            cursor->left = node->before[i + 1] - node->before[i] - pos;
            return;
        }
        node = node->items[i];
    }
}

void shipio_cursor_init(struct shipio_cursor *cursor,
                        const struct shipio_tiling *tiling, int64_t pos)
{
    cursor->tiling = *tiling;
    cursor->depth = 0;
    cursor->tile = 0;
    if (tiling->contig) {
        cursor->off = tiling->base + pos;
        cursor->left = INT64_MAX / 2; /* without end */
        return;
    }
    if (tiling->node->size == 0) {
        cursor->off = tiling->base;
        cursor->left = 0;
        return;
    }
    cursor->tile = pos / tiling->node->size;
    cursor_descend(cursor, tiling->node,
                   tiling->base + cursor->tile * tiling->extent,
                   pos - cursor->tile * tiling->node->size);
}

void shipio_cursor_advance(struct shipio_cursor *cursor)
{
    while (cursor->depth > 0) {
        struct shipio_frame *frame = &cursor->frames[cursor->depth - 1];
        const struct shipio_node *node = frame->node;
        int64_t i = ++frame->index;

        if (i >= node->count) {
            cursor->depth--;
            continue;
        }
        if (node->kind == SHIPIO_REPEAT) {
            if (node->child->kind == SHIPIO_BLOCK) {
                cursor->off = frame->base + i * node->stride;
                cursor->left = node->child->size;
                return;
            }
            cursor_descend(cursor, node->child, frame->base + i * node->stride,
                           0);
            return;
        }
        if (node->items == NULL) {
            cursor->off = frame->base + node->disp[i];
            cursor->left = node->before[i + 1] - node->before[i];
            return;
        }
        cursor_descend(cursor, node->items[i], frame->base + node->disp[i], 0);
        return;
    }
    cursor->tile++;
    cursor_descend(cursor, cursor->tiling.node,
                   cursor->tiling.base + cursor->tile * cursor->tiling.extent,
                   0);
}
