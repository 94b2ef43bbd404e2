/* trace/type_layout.c - which bytes a datatype touches. */
#include "trace/type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SEGMENTS ((size_t)1 << 20)

static int wrong(void)
{
    return pario_fail(PARIO_EFORMAT, "a datatype of the trace is too large");
}

static int64_t times(int64_t a, int64_t b, int *bad)
{
    int64_t product = 0;

    *bad |= __builtin_mul_overflow(a, b, &product);
    return product;
}

static int64_t plus(int64_t a, int64_t b, int *bad)
{
    int64_t sum = 0;

    *bad |= __builtin_add_overflow(a, b, &sum);
    return sum;
}

/* What has been put together, and its bounds. */
struct builder {
    struct pario_layout layout;
    int64_t *work; /* steps that are left to lay out this type and others */
    int64_t ub;
    int empty, bad;
};

static void builder_init(struct builder *builder, int64_t *work)
{
    memset(builder, 0, sizeof(*builder));
    builder->work = work;
    builder->empty = 1;
}

static void add_segment(struct builder *builder, int64_t offset, int64_t len)
{
    struct pario_layout *layout = &builder->layout;
    struct pario_segment *last =
        layout->count > 0 ? &layout->segments[layout->count - 1] : NULL;

    if (len == 0 || layout->too_many)
        return;
    /* Joined ones are work, too. */
    layout->too_many = --*builder->work <= 0;
    if (last != NULL && last->offset + last->len == offset) {
        last->len = plus(last->len, len, &builder->bad);
        return;
    }
    if (layout->count >= MAX_SEGMENTS) {
        layout->too_many = 1;
        return;
    }
    if ((layout->count & (layout->count - 1)) == 0) {
        struct pario_segment *more = realloc(
            layout->segments,
            (layout->count > 0 ? 2 * layout->count : 1) * sizeof(*more));

        if (more == NULL) {
            layout->too_many = 1;
            return;
        }
        layout->segments = more;
    }
    layout->segments[layout->count++] =
        (struct pario_segment){.offset = offset, .len = len};
}

/* The bounds of count instances of a part, stride apart, the first at disp. */
static void add_bounds(struct builder *builder, const struct pario_layout *part,
                       int64_t disp, int64_t count, int64_t stride)
{
    struct pario_layout *layout = &builder->layout;
    int *bad = &builder->bad;
    int64_t last = plus(disp, times(count - 1, stride, bad), bad);
    int64_t below = disp < last ? disp : last;
    int64_t above = disp < last ? last : disp;
    int64_t lb = plus(below, part->lb, bad);
    int64_t ub = plus(plus(above, part->lb, bad), part->extent, bad);
    int64_t low = plus(below, part->low, bad);
    int64_t high = plus(above, part->high, bad);

    if (*bad)
        return;
    if (builder->empty || lb < layout->lb)
        layout->lb = lb;
    if (builder->empty || ub > builder->ub)
        builder->ub = ub;
    if (builder->empty || low < layout->low)
        layout->low = low;
    if (builder->empty || high > layout->high)
        layout->high = high;
    builder->empty = 0;
    layout->too_many |= part->too_many;
}

static void add_pieces(struct builder *builder, const struct pario_layout *part,
                       int64_t disp, int64_t count, int64_t stride)
{
    struct pario_layout *layout = &builder->layout;
    int *bad = &builder->bad;

    if (part->count == 1 && part->segments[0].len == stride && !*bad) {
        add_segment(builder, plus(disp, part->segments[0].offset, bad),
                    times(count, stride, bad));
        return;
    }
    for (int64_t i = 0;
         i < count && part->count > 0 && !layout->too_many && !*bad; i++)
        for (size_t k = 0; k < part->count; k++)
            add_segment(builder,
                        plus(plus(disp, times(i, stride, bad), bad),
                             part->segments[k].offset, bad),
                        part->segments[k].len);
}

static void add_instances(struct builder *builder,
                          const struct pario_layout *part, int64_t disp,
                          int64_t count, int64_t stride)
{
    int *bad = &builder->bad;

    if (count <= 0 || *bad)
        return;
    add_bounds(builder, part, disp, count, stride);
    builder->layout.size =
        plus(builder->layout.size, times(count, part->size, bad), bad);
    add_pieces(builder, part, disp, count, stride);
}

static int finish(struct builder *builder, struct pario_layout *layout_p)
{
    if (!builder->empty)
        builder->layout.extent =
            plus(builder->ub, -builder->layout.lb, &builder->bad);
    if (builder->bad) {
        pario_layout_fini(&builder->layout);
        return wrong();
    }
    for (size_t i = 1; i < builder->layout.count; i++) {
        struct pario_segment *segment = &builder->layout.segments[i];

        /* No more than the size, which is no overflow. */
        segment->data = segment[-1].data + segment[-1].len;
    }
    *layout_p = builder->layout;
    return 0;
}

static void add_vector(struct builder *builder, const struct pario_type *type,
                       const struct pario_layout *part)
{
    int *bad = &builder->bad;
    int64_t count = type->count, blocklength = type->blocklength;

    if (count <= 0 || blocklength <= 0)
        return;
    add_bounds(builder, part, 0, blocklength, part->extent);
    add_bounds(builder, part, times(count - 1, type->stride, bad), blocklength,
               part->extent);
    builder->layout.size =
        times(times(count, blocklength, bad), part->size, bad);
    for (int64_t i = 0;
         i < count && part->count > 0 && !*bad && !builder->layout.too_many;
         i++)
        add_pieces(builder, part, times(i, type->stride, bad), blocklength,
                   part->extent);
}

static int layout_blocks(const struct pario_type *type,
                         const struct pario_layout *part, int64_t *work,
                         struct pario_layout *layout_p)
{
    struct builder builder;

    builder_init(&builder, work);
    if (type->kind == 'c') {
        add_instances(&builder, part, 0, type->count, part->extent);
    } else if (type->kind == 'v') {
        add_vector(&builder, type, part);
    } else {
        *work -= (int64_t)type->lists[0].count;
        for (size_t i = 0; i < type->lists[0].count; i++)
            add_instances(&builder, part, type->lists[1].values[i],
                          type->lists[0].values[i], part->extent);
    }
    return finish(&builder, layout_p);
}

static int layout_struct(const struct pario_type *type, int64_t *work,
                         struct pario_layout *layout_p)
{
    struct builder builder;
    int code = 0;

    builder_init(&builder, work);
    for (size_t i = 0; i < type->nparts && code == 0; i++) {
        struct pario_layout part = {0};

        code = pario_type_layout(type->parts[i], work, &part);
        if (code == 0)
            add_instances(&builder, &part, type->lists[1].values[i],
                          type->lists[0].values[i], part.extent);
        pario_layout_fini(&part);
    }
    if (code != 0) {
        pario_layout_fini(&builder.layout);
        return code;
    }
    return finish(&builder, layout_p);
}

/* The part of one dimension that a process of a distributed array has. */
struct share {
    int64_t begin, block, cycle, end; /* blocks from begin, cycle apart */
};

static int find_share(const struct pario_type *type, size_t dimension,
                      int64_t coordinate, struct share *share_p)
{
    int64_t size = type->lists[0].values[dimension];
    int64_t distribution = type->lists[1].values[dimension];
    int64_t block = type->lists[2].values[dimension];
    int64_t processes = type->lists[3].values[dimension];
    int bad = 0;

    if (distribution == 2) { /* none */
        *share_p = (struct share){0, size, size, size};
        return 0;
    }
    if (block < 0)
        block = distribution == 0 ? (size + processes - 1) / processes : 1;
    if (block <= 0)
        return wrong();
    share_p->begin = times(coordinate, block, &bad);
    share_p->block = block;
    share_p->cycle = distribution == 0 ? plus(size, block, &bad)
                                       : times(block, processes, &bad);
    share_p->end = size;
    return bad ? wrong() : 0;
}

static int layout_dimension(const struct pario_layout *inner,
                            const struct share *share, int64_t stride,
                            int64_t *work, struct pario_layout *layout_p)
{
    struct builder builder;
    int64_t span = share->end - share->begin;

    builder_init(&builder, work);
    if (span > 0) { /* also of blocks that are too many to be visited */
        int64_t rest = span % share->cycle;
        int64_t count =
            plus(times(span / share->cycle, share->block, &builder.bad),
                 rest < share->block ? rest : share->block, &builder.bad);

        builder.layout.size = times(count, inner->size, &builder.bad);
        add_bounds(&builder, inner, times(share->begin, stride, &builder.bad),
                   span, stride);
    }
    for (int64_t at = share->begin;
         at < share->end && !builder.bad && !builder.layout.too_many;) {
        int64_t len =
            share->end - at < share->block ? share->end - at : share->block;

        add_pieces(&builder, inner, times(at, stride, &builder.bad), len,
                   stride);
        at = plus(at, share->cycle, &builder.bad);
        builder.layout.too_many |= --*work <= 0;
    }
    return finish(&builder, layout_p);
}

/* Process grids are in C's order whatever the array's is. */
static int64_t coordinate(const struct pario_type *type, size_t dimension)
{
    int64_t rank = type->count;

    for (size_t d = type->lists[3].count - 1; d > dimension; d--)
        rank /= type->lists[3].values[d] > 0 ? type->lists[3].values[d] : 1;
    return type->lists[3].values[dimension] > 0
               ? rank % type->lists[3].values[dimension]
               : 0;
}

static int get_share(const struct pario_type *type, size_t dimension,
                     struct share *share_p)
{
    int64_t size = type->lists[0].values[dimension];
    int64_t start, len;

    if (type->kind == 'd')
        return type->lists[3].values[dimension] > 0
                   ? find_share(type, dimension, coordinate(type, dimension),
                                share_p)
                   : wrong();
    start = type->lists[2].values[dimension];
    len = type->lists[1].values[dimension];
    if (start < 0 || len < 0 || len > size || start > size - len)
        return wrong();
    *share_p = (struct share){start, len, len + 1, start + len};
    return 0;
}

static int layout_array(const struct pario_type *type, int64_t *work,
                        struct pario_layout *layout_p)
{
    struct pario_layout layout = {0}, outer = {0};
    size_t ndims = type->lists[0].count;
    int64_t stride;
    int bad = 0, code = pario_type_layout(type->parts[0], work, &layout);

    stride = layout.extent;
    for (size_t i = 0; i < ndims && code == 0; i++) {
        size_t d = type->fortran_order ? i : ndims - 1 - i;
        struct share share = {0};

        code = type->lists[0].values[d] >= 0 ? get_share(type, d, &share)
                                             : wrong();
        if (code == 0)
            code = layout_dimension(&layout, &share, stride, work, &outer);
        pario_layout_fini(&layout);
        layout = outer;
        outer = (struct pario_layout){0};
        stride = times(stride, type->lists[0].values[d], &bad);
        if (code == 0 && bad)
            code = wrong();
    }
    if (code != 0) {
        pario_layout_fini(&layout);
        return code;
    }
    layout.lb = 0;
    layout.extent = stride;
    *layout_p = layout;
    return 0;
}

static int layout_bytes(const struct pario_type *type, int64_t *work,
                        struct pario_layout *layout_p)
{
    struct builder builder;
    struct pario_layout one = {
        .size = type->count, .extent = type->count, .high = type->count};
    struct pario_segment all = {.len = type->count};

    builder_init(&builder, work);
    one.segments = &all;
    one.count = type->count > 0;
    add_instances(&builder, &one, 0, 1, type->count);
    if (type->kind == 'x') {
        builder.layout.too_many = 1;
        builder.ub = type->extent;
        builder.layout.lb = 0;
    }
    return finish(&builder, layout_p);
}

int pario_type_layout(const struct pario_type *type, int64_t *work,
                      struct pario_layout *layout_p)
{
    struct pario_layout part = {0};
    int code;

    if (type->kind == 'b' || type->kind == 'x')
        return layout_bytes(type, work, layout_p);
    if (type->kind == 's')
        return layout_struct(type, work, layout_p);
    if (type->kind == 'a' || type->kind == 'd')
        return layout_array(type, work, layout_p);
    code = pario_type_layout(type->parts[0], work, &part);
    if (code != 0)
        return code;
    if (type->kind == 'r') {
        part.lb = type->lb;
        part.extent = type->extent;
        *layout_p = part;
        return 0;
    }
    code = layout_blocks(type, &part, work, layout_p);
    pario_layout_fini(&part);
    return code;
}

void pario_layout_fini(struct pario_layout *layout)
{
    free(layout->segments);
    memset(layout, 0, sizeof(*layout));
}

int pario_layout_locate(const struct pario_layout *layout, int64_t disp,
                        int64_t position, struct pario_segment *piece_p)
{
    const struct pario_segment *segment;
    size_t first = 0, last = layout->count;
    int64_t tile, within;
    int bad = 0;

    if (layout->size <= 0 || layout->too_many || layout->count == 0 ||
        position < 0)
        return PARIO_EFORMAT;
    if (layout->count == 1 && layout->segments[0].len == layout->extent) {
        piece_p->offset =
            plus(plus(disp, layout->segments[0].offset, &bad), position, &bad);
        piece_p->len = INT64_MAX; /* no gaps at all */
        return bad ? PARIO_EFORMAT : 0;
    }
    tile = position / layout->size;
    within = position % layout->size;
    while (last - first > 1) { /* the last one that begins there or before */
        size_t middle = first + (last - first) / 2;

        if (layout->segments[middle].data <= within)
            first = middle;
        else
            last = middle;
    }
    segment = &layout->segments[first];
    within -= segment->data;
    piece_p->offset = plus(plus(disp, times(tile, layout->extent, &bad), &bad),
                           plus(segment->offset, within, &bad), &bad);
    piece_p->len = segment->len - within;
    return bad || within >= segment->len ? PARIO_EFORMAT : 0;
}
