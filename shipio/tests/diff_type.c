/* diff_type.c - random MPI datatypes and their type maps. */
#include "diff_type.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS 8

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return memory;
}

static struct diff_type *type_new(void)
{
    struct diff_type *type = need(calloc(1, sizeof(*type)));

    type->mpi = MPI_DATATYPE_NULL;
    return type;
}

void diff_type_free(struct diff_type *type)
{
    if (!type)
        return;
    if (!type->predefined && type->mpi != MPI_DATATYPE_NULL)
        MPI_Type_free(&type->mpi);
    free(type->segs);
    free(type);
}

__attribute__((format(printf, 2, 3))) static void
describe(struct diff_type *type, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is started */
    vsnprintf(type->text, sizeof(type->text), format, args);
    va_end(args);
}

static void append(struct diff_type *type, int64_t off, int64_t len)
{
    struct diff_seg *last =
        type->nsegs > 0 ? &type->segs[type->nsegs - 1] : NULL;

    if (len == 0)
        return;
    type->size += len;
    if (last != NULL && last->off + last->len == off) {
        last->len += len;
        return;
    }
    if (type->nsegs == type->room) {
        type->room = type->room ? 2 * type->room : 8;
        type->segs =
            need(realloc(type->segs, (size_t)type->room * sizeof(*type->segs)));
    }
    type->segs[type->nsegs++] = (struct diff_seg){.off = off, .len = len};
}

/* One block of n children at byte displacement disp; widens the bounds. */
static void append_block(struct diff_type *type, const struct diff_type *child,
                         int64_t disp, int64_t n, bool *first_p)
{
    int64_t extent = diff_extent(child);

    for (int64_t i = 0; i < n; i++) {
        int64_t at = disp + i * extent;

        for (int s = 0; s < child->nsegs; s++)
            append(type, at + child->segs[s].off, child->segs[s].len);
        if (*first_p || at + child->lb < type->lb)
            type->lb = at + child->lb;
        if (*first_p || at + child->ub > type->ub)
            type->ub = at + child->ub;
        *first_p = false;
    }
}

static const struct {
    const char *name;
    int64_t size;
} named[] = {
    {"BYTE", 1}, {"CHAR", 1}, {"SHORT", 2}, {"INT", 4}, {"DOUBLE", 8},
};

int diff_type_named_count(void)
{
    return (int)(sizeof(named) / sizeof(named[0]));
}

struct diff_type *diff_type_named(int which, bool real)
{
    struct diff_type *type = type_new();
    const MPI_Datatype mpi[] = {MPI_BYTE, MPI_CHAR, MPI_SHORT, MPI_INT,
                                MPI_DOUBLE};

    append(type, 0, named[which].size);
    type->ub = named[which].size;
    type->predefined = true;
    if (real)
        type->mpi = mpi[which];
    describe(type, "%s", named[which].name);
    return type;
}

struct diff_type *diff_type_copy(const struct diff_type *from)
{
    struct diff_type *type = type_new();

    for (int s = 0; s < from->nsegs; s++)
        append(type, from->segs[s].off, from->segs[s].len);
    type->lb = from->lb;
    type->ub = from->ub;
    type->predefined = from->predefined;
    snprintf(type->text, sizeof(type->text), "%s", from->text);
    if (from->predefined || from->mpi == MPI_DATATYPE_NULL) {
        type->mpi = from->mpi;
    } else {
        MPI_Type_dup(from->mpi, &type->mpi);
    }
    return type;
}

struct diff_type *diff_type_contiguous(const struct diff_gen *gen, int n,
                                       const struct diff_type *child)
{
    struct diff_type *type = type_new();
    bool first = true;

    append_block(type, child, 0, n, &first);
    if (gen->real) {
        MPI_Type_contiguous(n, child->mpi, &type->mpi);
        MPI_Type_commit(&type->mpi);
    }
    describe(type, "contiguous(%d, %.400s)", n, child->text);
    return type;
}

/* How many children fit in the wished size: 1 .. most. */
static int some(const struct diff_gen *gen, const struct diff_type *child,
                int most)
{
    int64_t fit = child->size > 0 ? gen->max_bytes / child->size : most;

    if (fit > most)
        fit = most;
    return (int)diff_range(gen->rng, 1, fit < 1 ? 1 : fit);
}

static struct diff_type *make_vector(const struct diff_gen *gen,
                                     const struct diff_type *child)
{
    struct diff_type *type = type_new();
    int blocklen = some(gen, child, 5);
    int count = some(gen, child, 6);
    bool bytes = diff_chance(gen->rng, 40);
    int64_t extent = diff_extent(child);
    int64_t stride = blocklen + diff_below(gen->rng, 4);
    bool first = true;

    if (gen->role == DIFF_MEMORY && !gen->plain && diff_chance(gen->rng, 25))
        stride = -stride - 1; /* -blocklen would undo Open MPI's packing */
    int64_t step = stride * extent;
    if (bytes && gen->role == DIFF_MEMORY && !gen->plain)
        step += stride < 0 ? -diff_below(gen->rng, 7) : diff_below(gen->rng, 7);
    else if (bytes)
        step += diff_below(gen->rng, 3) * diff_extent(gen->leaf);
    for (int i = 0; i < count; i++)
        append_block(type, child, i * step, blocklen, &first);
    if (bytes && gen->real)
        MPI_Type_create_hvector(count, blocklen, step, child->mpi, &type->mpi);
    else if (gen->real)
        MPI_Type_vector(count, blocklen, (int)stride, child->mpi, &type->mpi);
    describe(type, "%s(%d, %d, %lld, %.400s)", bytes ? "hvector" : "vector",
             count, blocklen, (long long)(bytes ? step : stride), child->text);
    return type;
}

struct blocks {
    int count;
    int len[MAX_BLOCKS];
    MPI_Aint disp[MAX_BLOCKS]; /* bytes */
};

static void swap_blocks(struct blocks *b, int i, int j)
{
    int len = b->len[i];
    MPI_Aint disp = b->disp[i];

    b->len[i] = b->len[j];
    b->disp[i] = b->disp[j];
    b->len[j] = len;
    b->disp[j] = disp;
}

/*
 * Blocks that do not overlap, unit: displacements are its multiples. In memory
 * they may come in any order and lie before the buffer's address.
 */
static struct blocks place_blocks(const struct diff_gen *gen,
                                  const struct diff_type *child, int64_t unit,
                                  bool equal)
{
    struct blocks b = {.count = some(gen, child, MAX_BLOCKS)};
    int64_t extent = diff_extent(child);
    int64_t gap = diff_chance(gen->rng, 40) ? diff_below(gen->rng, 3) : 0;
    int64_t at = gen->plain ? 0 : gap * unit;
    int same = some(gen, child, 4);

    for (int i = 0; i < b.count; i++) {
        b.len[i] = equal ? same : some(gen, child, 4);
        if (!equal && i > 0 && !gen->plain && diff_chance(gen->rng, 10))
            b.len[i] = 0;
        b.disp[i] = at;
        at += b.len[i] * extent;
        at = (at + unit - 1) / unit * unit + diff_below(gen->rng, 4) * unit;
    }
    if (gen->role == DIFF_MEMORY && diff_chance(gen->rng, 40)) {
        for (int i = 0; i < b.count; i++)
            swap_blocks(&b, i, (int)diff_below(gen->rng, b.count));
    }
    if (gen->role == DIFF_MEMORY && !gen->plain && diff_chance(gen->rng, 25)) {
        for (int i = 0; i < b.count; i++)
            b.disp[i] -= 5 * unit;
    }
    return b;
}

static void describe_blocks(struct diff_type *type, const char *name,
                            const struct blocks *b, int64_t unit,
                            const struct diff_type *child)
{
    char list[240];
    size_t used = 0;

    for (int i = 0; i < b->count && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%dx@%lld",
                                 i ? " " : "", b->len[i],
                                 (long long)(b->disp[i] / unit));
    describe(type, "%s([%s], %.200s)", name, list, child->text);
}

enum indexed_kind { INDEXED, HINDEXED, INDEXED_BLOCK, HINDEXED_BLOCK };

static void commit_indexed(enum indexed_kind kind, const struct blocks *b,
                           int64_t unit, MPI_Datatype child, MPI_Datatype *mpi)
{
    int disp[MAX_BLOCKS];

    for (int i = 0; i < b->count; i++)
        disp[i] = (int)(b->disp[i] / unit);
    if (kind == INDEXED)
        MPI_Type_indexed(b->count, b->len, disp, child, mpi);
    else if (kind == HINDEXED)
        MPI_Type_create_hindexed(b->count, b->len, b->disp, child, mpi);
    else if (kind == INDEXED_BLOCK)
        MPI_Type_create_indexed_block(b->count, b->len[0], disp, child, mpi);
    else
        MPI_Type_create_hindexed_block(b->count, b->len[0], b->disp, child,
                                       mpi);
}

static struct diff_type *make_indexed(const struct diff_gen *gen,
                                      const struct diff_type *child)
{
    static const char *const names[] = {"indexed", "hindexed", "indexed_block",
                                        "hindexed_block"};
    struct diff_type *type = type_new();
    enum indexed_kind kind = (enum indexed_kind)diff_below(gen->rng, 4);
    bool bytes = kind == HINDEXED || kind == HINDEXED_BLOCK;
    bool equal = kind == INDEXED_BLOCK || kind == HINDEXED_BLOCK;
    int64_t unit = diff_extent(child);
    bool first = true;

    if (bytes)
        unit =
            gen->role == DIFF_FILE || gen->plain ? diff_extent(gen->leaf) : 1;
    struct blocks b = place_blocks(gen, child, unit, equal);
    for (int i = 0; i < b.count; i++)
        append_block(type, child, b.disp[i], b.len[i], &first);
    if (gen->real)
        commit_indexed(kind, &b, unit, child->mpi, &type->mpi);
    describe_blocks(type, names[kind], &b, unit, child);
    return type;
}

static struct diff_type *make_struct(const struct diff_gen *gen,
                                     const struct diff_type *child)
{
    struct diff_type *type = type_new();
    int64_t unit = gen->role == DIFF_FILE ? diff_extent(gen->leaf) : 1;
    struct blocks b = place_blocks(gen, child, unit, false);
    MPI_Datatype types[MAX_BLOCKS];
    bool first = true;

    for (int i = 0; i < b.count; i++) {
        /* A leaf is never larger than the child whose room it takes. */
        const struct diff_type *part =
            i % 2 && child->lb == 0 && child->size > 0 ? gen->leaf : child;

        append_block(type, part, b.disp[i], b.len[i], &first);
        types[i] = part->mpi;
    }
    if (gen->real)
        MPI_Type_create_struct(b.count, b.len, b.disp, types, &type->mpi);
    describe_blocks(type, "struct", &b, 1, child);
    return type;
}

static struct diff_type *make_resized(const struct diff_gen *gen,
                                      const struct diff_type *child)
{
    struct diff_type *type = type_new();
    int64_t unit = gen->role == DIFF_FILE ? diff_extent(gen->leaf) : 1;
    int64_t lb = child->lb;
    int64_t extent = diff_extent(child) + diff_below(gen->rng, 5) * unit;

    if (gen->role == DIFF_MEMORY && !gen->plain && diff_chance(gen->rng, 50)) {
        int64_t before = diff_below(gen->rng, 3);

        lb -= before;
        extent += before;
    }
    for (int s = 0; s < child->nsegs; s++)
        append(type, child->segs[s].off, child->segs[s].len);
    type->lb = lb;
    type->ub = lb + extent;
    if (gen->real)
        MPI_Type_create_resized(child->mpi, lb, extent, &type->mpi);
    describe(type, "resized(%lld, %lld, %.400s)", (long long)lb,
             (long long)extent, child->text);
    return type;
}

static struct diff_type *make_dup(const struct diff_gen *gen,
                                  const struct diff_type *child)
{
    struct diff_type *type = diff_type_copy(child);

    if (child->predefined)
        type->mpi = MPI_DATATYPE_NULL;
    if (child->predefined && gen->real)
        MPI_Type_dup(child->mpi, &type->mpi);
    type->predefined = false;
    describe(type, "dup(%.400s)", child->text);
    return type;
}

/* Arrays: which elements of a dimension are ours. */
struct dimension {
    int global;
    int procs;
    int distrib;
    int darg;
    int coord;
    int start; /* subarray */
    int sub;
};

static bool owns(const struct dimension *d, int i)
{
    int block = d->darg;

    if (d->sub > 0)
        return i >= d->start && i < d->start + d->sub;
    if (d->distrib == MPI_DISTRIBUTE_NONE)
        return true;
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = d->distrib == MPI_DISTRIBUTE_BLOCK
                    ? (d->global + d->procs - 1) / d->procs
                    : 1;
    return block > 0 && i / block % d->procs == d->coord;
}

/* Appends the owned elements in the order of memory. */
static void append_array(struct diff_type *type, const struct diff_type *child,
                         const struct dimension *dims, int ndims, int order)
{
    int64_t total = 1;
    bool first = true;

    for (int d = 0; d < ndims; d++)
        total *= dims[d].global;
    for (int64_t i = 0; i < total; i++) {
        int64_t rest = i;
        bool mine = true;

        for (int k = 0; k < ndims; k++) {
            int d = order == MPI_ORDER_C ? ndims - 1 - k : k;

            mine = mine && owns(&dims[d], (int)(rest % dims[d].global));
            rest /= dims[d].global;
        }
        if (mine)
            append_block(type, child, i * diff_extent(child), 1, &first);
    }
    type->lb = 0;
    type->ub = total * diff_extent(child);
}

static struct diff_type *make_subarray(const struct diff_gen *gen,
                                       const struct diff_type *child)
{
    struct diff_type *type = type_new();
    struct dimension dims[3];
    int ndims = (int)diff_range(gen->rng, 1, 3);
    int sizes[3], subs[3], starts[3];
    int order = diff_chance(gen->rng, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    char list[120] = "";
    size_t used = 0;

    for (int d = 0; d < ndims; d++) {
        sizes[d] = some(gen, child, 7);
        subs[d] = (int)diff_range(gen->rng, 1, sizes[d]);
        starts[d] = (int)diff_range(gen->rng, 0, sizes[d] - subs[d]);
        dims[d] = (struct dimension){
            .global = sizes[d], .start = starts[d], .sub = subs[d]};
        used += (size_t)snprintf(list + used, sizeof(list) - used, " %d+%d/%d",
                                 starts[d], subs[d], sizes[d]);
    }
    append_array(type, child, dims, ndims, order);
    if (gen->real)
        MPI_Type_create_subarray(ndims, sizes, subs, starts, order, child->mpi,
                                 &type->mpi);
    describe(type, "subarray_%s([%s ], %.300s)",
             order == MPI_ORDER_C ? "c" : "f", list, child->text);
    return type;
}

/* Splits count processes over ndims dimensions; coords of `which`, row-major */
static void spread(const struct diff_gen *gen, struct dimension *dims,
                   int ndims, int which, int count)
{
    for (int d = 0; d < ndims; d++)
        dims[d] = (struct dimension){.procs = 1};
    for (int p = 2; count > 1; p++) {
        while (count % p == 0) {
            dims[diff_below(gen->rng, ndims)].procs *= p;
            count /= p;
        }
    }
    for (int d = ndims - 1; d >= 0; d--) {
        dims[d].coord = which % dims[d].procs;
        which /= dims[d].procs;
    }
}

static void distribute(const struct diff_gen *gen, struct dimension *d)
{
    int kind = (int)diff_below(gen->rng, d->procs == 1 ? 3 : 2);

    /* Every process owns something: g >= p * b - (b - 1). */
    d->darg = MPI_DISTRIBUTE_DFLT_DARG;
    d->distrib = kind == 0   ? MPI_DISTRIBUTE_BLOCK
                 : kind == 1 ? MPI_DISTRIBUTE_CYCLIC
                             : MPI_DISTRIBUTE_NONE;
    int factor = (int)diff_range(gen->rng, 1, 3);
    int slack = (int)diff_below(gen->rng, factor);
    d->global = d->procs * factor - (d->procs > 1 ? 0 : slack);
    if (kind == 0 && diff_chance(gen->rng, 50))
        d->darg = factor;
    if (kind == 1 && diff_chance(gen->rng, 60)) {
        d->darg = (int)diff_range(gen->rng, 1, factor);
        d->global += (int)diff_below(gen->rng, d->procs);
    }
}

struct diff_type *diff_type_darray(const struct diff_gen *gen, int which,
                                   int count)
{
    struct diff_type *type = type_new();
    struct dimension dims[3];
    int ndims = (int)diff_range(gen->rng, 1, 3);
    int gsizes[3], distribs[3], dargs[3], psizes[3];
    int order = diff_chance(gen->rng, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    char list[160] = "";
    size_t used = 0;

    spread(gen, dims, ndims, which, count);
    for (int d = 0; d < ndims; d++) {
        distribute(gen, &dims[d]);
        gsizes[d] = dims[d].global;
        distribs[d] = dims[d].distrib;
        dargs[d] = dims[d].darg;
        psizes[d] = dims[d].procs;
        used += (size_t)snprintf(
            list + used, sizeof(list) - used, " %d/%d%c%d", gsizes[d],
            psizes[d],
            distribs[d] == MPI_DISTRIBUTE_BLOCK    ? 'b'
            : distribs[d] == MPI_DISTRIBUTE_CYCLIC ? 'c'
                                                   : 'n',
            dargs[d] == MPI_DISTRIBUTE_DFLT_DARG ? 0 : dargs[d]);
    }
    append_array(type, gen->leaf, dims, ndims, order);
    if (gen->real)
        MPI_Type_create_darray(count, which, ndims, gsizes, distribs, dargs,
                               psizes, order, gen->leaf->mpi, &type->mpi);
    if (gen->real)
        MPI_Type_commit(&type->mpi);
    describe(type, "darray_%s(%d of %d, [%s ], %.300s)",
             order == MPI_ORDER_C ? "c" : "f", which, count, list,
             gen->leaf->text);
    return type;
}

struct diff_type *diff_type_strided(const struct diff_gen *gen, int blocklen,
                                    int count)
{
    struct diff_type *block = diff_type_contiguous(gen, blocklen, gen->leaf);
    struct diff_type *type = type_new();

    for (int s = 0; s < block->nsegs; s++)
        append(type, block->segs[s].off, block->segs[s].len);
    type->lb = block->lb;
    type->ub = type->lb + count * diff_extent(block);
    if (gen->real) {
        MPI_Type_create_resized(block->mpi, type->lb, diff_extent(type),
                                &type->mpi);
        MPI_Type_commit(&type->mpi);
    }
    describe(type, "resized(%lld, %lld, %.300s)", (long long)type->lb,
             (long long)diff_extent(type), block->text);
    diff_type_free(block);
    return type;
}

static struct diff_type *construct(const struct diff_gen *gen,
                                   const struct diff_type *child)
{
    int64_t kind = diff_below(gen->rng, 8);

    if (gen->plain && (kind == 4 || kind == 6))
        kind = 2;
    switch (kind) {
    case 0:
        return diff_type_contiguous(gen, some(gen, child, 9), child);
    case 1:
        return make_vector(gen, child);
    case 2:
    case 3:
        return make_indexed(gen, child);
    case 4:
        return make_struct(gen, child);
    case 5:
        return make_subarray(gen, child);
    case 6:
        return make_resized(gen, child);
    default:
        return make_dup(gen, child);
    }
}

static struct diff_type *random_darray(const struct diff_gen *gen)
{
    int count = (int)diff_range(gen->rng, 1, 6);

    return diff_type_darray(gen, (int)diff_below(gen->rng, count), count);
}

/*
 * Libraries may pad the extent for alignment, each in its own way; an explicit
 * extent makes the type the same everywhere.
 */
static void undo_padding(struct diff_type *type)
{
    MPI_Datatype padded = type->mpi;
    MPI_Aint lb = 0, extent = 0;

    MPI_Type_get_extent(padded, &lb, &extent);
    if (type->predefined || (lb == type->lb && extent == diff_extent(type)))
        return;
    MPI_Type_create_resized(padded, type->lb, diff_extent(type), &type->mpi);
    MPI_Type_free(&padded);
}

struct diff_type *diff_type_random(const struct diff_gen *gen, int depth)
{
    struct diff_type *child = NULL;
    struct diff_type *type = NULL;

    if (depth <= 0)
        return diff_type_copy(gen->leaf);
    if (diff_chance(gen->rng, 8)) {
        type = random_darray(gen);
    } else {
        child = diff_type_random(gen, (int)diff_below(gen->rng, depth));
        type = construct(gen, child);
        diff_type_free(child);
    }
    if (gen->real) {
        undo_padding(type);
        MPI_Type_commit(&type->mpi);
    }
    return type;
}

void diff_type_each(const struct diff_type *type, int count, diff_piece_fn fn,
                    void *arg)
{
    for (int i = 0; i < count; i++) {
        for (int s = 0; s < type->nsegs; s++)
            fn(arg, i * diff_extent(type) + type->segs[s].off,
               type->segs[s].len);
    }
}

static int check_packing(const struct diff_type *type, char *message,
                         size_t len)
{
    int64_t low = 0, high = 1;
    int position = 0;
    int bad = 0;

    for (int s = 0; s < type->nsegs; s++) {
        if (type->segs[s].off < low)
            low = type->segs[s].off;
        if (type->segs[s].off + type->segs[s].len > high)
            high = type->segs[s].off + type->segs[s].len;
    }
    unsigned char *memory = need(malloc((size_t)(high - low)));
    unsigned char *packed = need(malloc((size_t)type->size + 64));
    for (int64_t i = 0; i < high - low; i++)
        memory[i] = (unsigned char)diff_mix((uint64_t)i);
    MPI_Pack(memory - low, 1, type->mpi, packed, (int)type->size + 64,
             &position, MPI_COMM_SELF);
    int64_t k = 0;
    for (int s = 0; s < type->nsegs; s++) {
        for (int64_t i = 0; i < type->segs[s].len; i++)
            bad |= packed[k++] != memory[type->segs[s].off + i - low];
    }
    free(memory);
    free(packed);
    if (bad)
        snprintf(message, len, "the library packs %s otherwise", type->text);
    return bad ? -1 : 0;
}

int diff_type_check(const struct diff_type *type, char *message, size_t len)
{
    MPI_Aint lb = 0, extent = 0;
    int size = 0;

    MPI_Type_get_extent(type->mpi, &lb, &extent);
    MPI_Type_size(type->mpi, &size);
    if (size != type->size || lb != type->lb || extent != diff_extent(type)) {
        snprintf(message, len,
                 "%s: size %d lb %lld extent %lld, model %lld %lld %lld",
                 type->text, size, (long long)lb, (long long)extent,
                 (long long)type->size, (long long)type->lb,
                 (long long)diff_extent(type));
        return -1;
    }
    return type->size > 0 ? check_packing(type, message, len) : 0;
}
