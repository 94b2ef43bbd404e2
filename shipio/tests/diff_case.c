/* diff_case.c - generate and describe random MPI-IO programs. */
#include "diff_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
    struct diff_case *c;
    struct diff_rng rng;
    int me;
    bool large;
    bool plain;
    bool empty;
    const struct diff_type *etype; /* of the current view */
    struct diff_type *byte;
};

int diff_case_rank(const struct diff_case *c, int world_rank)
{
    if (world_rank >= c->ranks)
        return -1;
    return c->reversed ? c->ranks - 1 - world_rank : world_rank;
}

static void add_hint(struct diff_case *c, const char *key, const char *value)
{
    struct diff_hint *hint = &c->hints[c->nhints++];

    snprintf(hint->key, sizeof(hint->key), "%s", key);
    snprintf(hint->value, sizeof(hint->value), "%s", value);
}

static const char *pick(struct diff_rng *rng, const char *const *values, int n)
{
    return values[diff_below(rng, n)];
}

static const char *const stripes[] = {"512",   "4096",  "1000",
                                      "65536", "16384", "262144"};
static const char *const large_block[] = {"true", "false", "switchable",
                                          "auto"};
static const char *const agents[] = {"1", "2", "3", "5"};
static const char *const truth[] = {"true", "false"};
static const char *const romio_switch[] = {"enable", "disable", "automatic"};

static const char *const modes[] = {"auto", "ship", "direct"};
static const char *const agreements[] = {"auto", "strict", "deferred"};
static const char *const max_accs[] = {"0", "1", "2", "5"};
static const char *const leaders[] = {"1", "2", "3", "8"};
static const char *const config_lists[] = {"*:1", "*:2", "*:*"};

/* shipio's own: the MPI library lets them pass. */
static void generate_own_hints(struct state *s)
{
    struct diff_case *c = s->c;
    struct diff_rng *rng = &s->rng;

    if (diff_chance(rng, 30))
        add_hint(c, "shipio_mode", pick(rng, modes, 3));
    if (diff_chance(rng, 30))
        add_hint(c, "shipio_agree", pick(rng, agreements, 3));
    if (diff_chance(rng, 30))
        add_hint(c, "shipio_map", pick(rng, truth, 2));
    if (diff_chance(rng, 25))
        add_hint(c, "shipio_double_buffer", pick(rng, truth, 2));
    if (diff_chance(rng, 25))
        add_hint(c, "shipio_max_acc", pick(rng, max_accs, 4));
    if (diff_chance(rng, 20))
        add_hint(c, "shipio_noncollective", pick(rng, truth, 2));
    if (diff_chance(rng, 30))
        add_hint(c, "shipio_leaders", pick(rng, leaders, 4));
    if (diff_chance(rng, 20))
        add_hint(c, "cb_config_list", pick(rng, config_lists, 3));
    if (diff_chance(rng, 30))
        add_hint(c, "shipio_write_behind", pick(rng, truth, 2));
}

static void generate_hints(struct state *s)
{
    struct diff_case *c = s->c;
    struct diff_rng *rng = &s->rng;

    if (diff_chance(rng, 60))
        add_hint(c, "IBM_largeblock_io", pick(rng, large_block, 4));
    if (diff_chance(rng, 60))
        add_hint(c, "IBM_io_buffer_size", pick(rng, stripes, 6));
    if (diff_chance(rng, 25))
        add_hint(c, "IBM_sparse_access", pick(rng, truth, 2));
    if (diff_chance(rng, 30))
        add_hint(c, "cb_nodes", pick(rng, agents, 4));
    if (diff_chance(rng, 20))
        add_hint(c, "cb_buffer_size", pick(rng, stripes, 6));
    if (diff_chance(rng, 30))
        add_hint(c, "shipio_storage", "remote");
    if (diff_chance(rng, 30))
        add_hint(c, "shipio_sieve", pick(rng, truth, 2));
    if (diff_chance(rng, 15))
        add_hint(c, "romio_cb_write", pick(rng, romio_switch, 3));
    if (diff_chance(rng, 15))
        add_hint(c, "romio_cb_read", pick(rng, romio_switch, 3));
    if (diff_chance(rng, 15))
        add_hint(c, "romio_ds_write", pick(rng, romio_switch, 3));
    if (diff_chance(rng, 15))
        add_hint(c, "striping_unit", pick(rng, stripes, 6));
    generate_own_hints(s);
}

static int64_t access_bytes(struct state *s)
{
    int64_t kind = diff_below(&s->rng, 100);

    if (kind < 60)
        return diff_range(&s->rng, 1, 256);
    if (kind < 90 || !s->large)
        return diff_range(&s->rng, 1, 6000);
    return diff_range(&s->rng, 1, 400000);
}

/* An etype starts at 0 and may have holes. */
static struct diff_type *generate_etype(struct state *s)
{
    int which = (int)diff_below(&s->rng, diff_type_named_count());
    struct diff_type *basic = diff_type_named(which, true);
    struct diff_gen gen = {.rng = &s->rng,
                           .role = DIFF_FILE,
                           .plain = s->plain,
                           .real = true,
                           .max_bytes = 48,
                           .leaf = basic};

    if (diff_chance(&s->rng, 60) || s->plain)
        return basic;
    struct diff_type *type = diff_type_random(&gen, 1);
    if (type->lb == 0 && type->segs[0].off == 0 && type->size <= 200) {
        diff_type_free(basic);
        return type;
    }
    diff_type_free(type);
    return basic;
}

static bool begins_at_zero(const struct diff_type *type)
{
    return type->lb == 0 && (type->nsegs == 0 || type->segs[0].off == 0);
}

static struct diff_type *
generate_filetype(struct state *s, const struct diff_type *etype, bool real)
{
    struct diff_gen gen = {.rng = &s->rng,
                           .role = DIFF_FILE,
                           .plain = s->plain,
                           .real = real,
                           .max_bytes = s->large ? 20000 : 800,
                           .leaf = etype};

    if (s->empty && diff_chance(&s->rng, 4))
        return diff_type_contiguous(&gen, 0, etype);
    struct diff_type *type =
        diff_type_random(&gen, (int)diff_range(&s->rng, 0, s->plain ? 1 : 3));

    if ((type->size > 0 || s->empty) && (!s->plain || begins_at_zero(type)))
        return type;
    diff_type_free(type);
    return diff_type_copy(etype);
}

/* A part of one array or of a strided file for each rank. */
static void partition_view(struct state *s, struct diff_op *op)
{
    bool darray = diff_chance(&s->rng, 50);
    int blocklen =
        (int)diff_range(&s->rng, 1, 1 + 1000 / diff_extent(op->etype));
    int64_t disp = diff_below(&s->rng, 3) * diff_below(&s->rng, 500);
    struct diff_rng start = s->rng;

    for (int r = 0; r < s->c->ranks; r++) {
        struct diff_gen gen = {.rng = &s->rng,
                               .role = DIFF_FILE,
                               .real = r == s->me,
                               .leaf = op->etype};

        s->rng = start; /* the same array on every rank */
        op->part[r].disp = disp;
        if (darray) {
            op->part[r].filetype = diff_type_darray(&gen, r, s->c->ranks);
        } else {
            op->part[r].filetype =
                diff_type_strided(&gen, blocklen, s->c->ranks);
            op->part[r].disp += diff_extent(op->etype) * blocklen * r;
        }
    }
}

static void generate_view(struct state *s, struct diff_op *op)
{
    int way = (int)diff_below(&s->rng, 4);
    int64_t disp = diff_chance(&s->rng, 50) ? diff_below(&s->rng, 2000) : 0;
    int64_t share = s->c->span / 4 / s->c->ranks;

    op->kind = DIFF_SET_VIEW;
    op->etype = generate_etype(s);
    s->etype = op->etype;
    if (way == 0) {
        partition_view(s, op);
        return;
    }
    struct diff_rng start = s->rng;
    for (int r = 0; r < s->c->ranks; r++) {
        struct diff_part *part = &op->part[r];

        if (way <= 2) /* all alike, as the shared pointer demands */
            s->rng = start;
        part->filetype = generate_filetype(s, op->etype, r == s->me);
        part->disp = way <= 2 ? disp : disp + r * share;
    }
    if (diff_chance(&s->rng, 30)) {
        snprintf(op->hint.key, sizeof(op->hint.key), "IBM_largeblock_io");
        snprintf(op->hint.value, sizeof(op->hint.value), "%s",
                 pick(&s->rng, truth, 2));
    }
}

/* A memory type and a count whose bytes are whole etypes. */
static void generate_memory(struct state *s, struct diff_part *part, bool real)
{
    int64_t bytes = access_bytes(s);
    int depth = (int)diff_range(&s->rng, 0, s->plain ? 1 : 3);
    bool same = depth == 0 && diff_chance(&s->rng, 50);
    struct diff_gen gen = {.rng = &s->rng,
                           .role = DIFF_MEMORY,
                           .plain = s->plain,
                           .real = real,
                           .max_bytes = bytes / 2 + 1,
                           .leaf = s->etype};

    if (same)
        part->type = diff_type_copy(s->byte);
    else
        part->type = diff_type_random(&gen, depth);
    if (s->plain && !begins_at_zero(part->type)) {
        diff_type_free(part->type);
        part->type = diff_type_copy(s->etype);
    }
    int64_t unit = part->type->size > 0 ? part->type->size : 1;
    int64_t count = bytes / unit;
    if (count == 0)
        count = 1;
    if (diff_chance(&s->rng, 8))
        count = 0;
    while (count * part->type->size % s->etype->size != 0)
        count++;
    part->count = (int)count;
    part->misalign = (int)diff_below(&s->rng, 9);
}

static void generate_access(struct state *s, struct diff_op *op)
{
    struct diff_rng *rng = &s->rng;
    int64_t kind = diff_below(rng, 100);
    int64_t common = diff_below(rng, 12);

    op->kind = DIFF_ACCESS;
    op->write = diff_chance(rng, 60);
    op->pointer = kind < 50   ? DIFF_EXPLICIT
                  : kind < 80 ? DIFF_INDIVIDUAL
                              : DIFF_SHARED;
    op->collective = diff_chance(rng, 60);
    op->mode = diff_chance(rng, 60)   ? DIFF_BLOCKING
               : diff_chance(rng, 50) ? DIFF_NONBLOCKING
                                      : DIFF_SPLIT;
    if (!op->collective && op->mode == DIFF_SPLIT)
        op->mode = DIFF_NONBLOCKING;
    if (op->pointer == DIFF_SHARED && op->collective &&
        op->mode == DIFF_NONBLOCKING)
        op->mode = DIFF_SPLIT; /* there is no iwrite_ordered */
    op->solo = (int)diff_below(rng, s->c->ranks);
    op->large = diff_chance(rng, 30);
    for (int r = 0; r < s->c->ranks; r++) {
        struct diff_part *part = &op->part[r];

        part->takes_part = op->collective || diff_chance(rng, 70);
        generate_memory(s, part, r == s->me);
        part->offset = common;
        if (diff_chance(rng, 40))
            part->offset = diff_below(rng, 1 + s->c->span / 6 / s->etype->size);
    }
}

static void generate_race(struct state *s, struct diff_op *op)
{
    op->kind = diff_chance(&s->rng, 50) ? DIFF_SHARED_RACE : DIFF_ATOMIC_RACE;
    struct diff_rng start = s->rng;
    for (int r = 0; r < s->c->ranks; r++) {
        s->rng = start;
        op->part[r].takes_part = true;
        generate_memory(s, &op->part[r], r == s->me);
        op->part[r].offset = diff_below(&s->rng, 50);
    }
    op->flag = diff_chance(&s->rng, 30); /* nonblocking */
}

static void generate_seek(struct state *s, struct diff_op *op)
{
    static const int whences[] = {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END};
    int whence = whences[diff_below(&s->rng, 3)];
    int64_t offset = diff_range(&s->rng, -20, 60);

    op->kind = diff_chance(&s->rng, 65) ? DIFF_SEEK : DIFF_SEEK_SHARED;
    for (int r = 0; r < s->c->ranks; r++) {
        op->part[r].takes_part = diff_chance(&s->rng, 80);
        op->part[r].whence = whence;
        op->part[r].offset = offset;
        if (op->kind == DIFF_SEEK) {
            op->part[r].whence = whences[diff_below(&s->rng, 3)];
            op->part[r].offset = diff_range(&s->rng, -20, 60);
        }
    }
}

static void generate_other(struct state *s, struct diff_op *op)
{
    static const enum diff_kind kinds[] = {
        DIFF_CHECK_POSITION, DIFF_CHECK_SIZE, DIFF_SET_SIZE,
        DIFF_PREALLOCATE,    DIFF_DO_SYNC,    DIFF_DO_WAIT,
        DIFF_SET_INFO,       DIFF_REOPEN,     DIFF_SET_ATOMICITY,
    };

    op->kind = kinds[diff_below(&s->rng, 9)];
    op->size = diff_below(&s->rng, s->c->span / 2);
    op->flag = diff_chance(&s->rng, 50);
    if (diff_chance(&s->rng, 50)) {
        snprintf(op->hint.key, sizeof(op->hint.key), "IBM_largeblock_io");
        snprintf(op->hint.value, sizeof(op->hint.value), "%s",
                 pick(&s->rng, truth, 2));
    } else {
        snprintf(op->hint.key, sizeof(op->hint.key), "IBM_sparse_access");
        snprintf(op->hint.value, sizeof(op->hint.value), "%s",
                 pick(&s->rng, truth, 2));
    }
}

static void generate_op(struct state *s, struct diff_op *op)
{
    int64_t kind = diff_below(&s->rng, 100);

    if (kind < 15)
        generate_view(s, op);
    else if (kind < 75)
        generate_access(s, op);
    else if (kind < 83)
        generate_seek(s, op);
    else if (kind < 88)
        generate_race(s, op);
    else
        generate_other(s, op);
}

static int generate_amode(struct diff_rng *rng)
{
    int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    int64_t kind = diff_below(rng, 100);

    if (kind < 10)
        amode = MPI_MODE_RDONLY;
    else if (kind < 18)
        amode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    if (amode != MPI_MODE_RDONLY && diff_chance(rng, 6))
        amode |= MPI_MODE_APPEND;
    if (amode != MPI_MODE_RDONLY && diff_chance(rng, 5))
        amode |= MPI_MODE_DELETE_ON_CLOSE;
    if (diff_chance(rng, 5))
        amode |= MPI_MODE_UNIQUE_OPEN;
    return amode;
}

void diff_case_generate(struct diff_case *c, uint64_t seed,
                        const struct diff_limits *limits, int world_rank)
{
    struct state s = {.c = c,
                      .rng = {.state = seed},
                      .large = limits->large,
                      .plain = limits->plain,
                      .empty = limits->empty};
    struct diff_rng *rng = &s.rng;

    memset(c, 0, sizeof(*c));
    c->seed = seed;
    c->ranks = limits->max_ranks;
    if (diff_chance(rng, 20))
        c->ranks = (int)diff_range(rng, 1, limits->max_ranks);
    c->reversed = diff_chance(rng, 20);
    c->span = limits->large ? 4 << 20 : 128 << 10;
    c->base = diff_chance(rng, 6) ? (INT64_C(5) << 30) + 777 : 0;
    c->initial_size = diff_chance(rng, 30) ? 0 : diff_below(rng, c->span / 3);
    c->amode = generate_amode(rng);
    s.me = diff_case_rank(c, world_rank);
    s.byte = diff_type_named(0, true);
    s.etype = s.byte;
    generate_hints(&s);
    c->nops = (int)diff_range(rng, 1, diff_chance(rng, 20) ? 24 : 9);
    for (int i = 0; i < c->nops; i++) {
        rng->state = diff_mix(seed + 1000 + (uint64_t)i);
        /* Offsets below the base are not modelled: a view comes first. */
        if (i == 0 && c->base > 0)
            generate_view(&s, &c->ops[i]);
        else
            generate_op(&s, &c->ops[i]);
    }
    diff_type_free(s.byte);
}

void diff_case_free(struct diff_case *c)
{
    for (int i = 0; i < c->nops; i++) {
        diff_type_free(c->ops[i].etype);
        for (int r = 0; r < c->ranks; r++) {
            diff_type_free(c->ops[i].part[r].type);
            diff_type_free(c->ops[i].part[r].filetype);
        }
    }
}

static const char *access_name(const struct diff_op *op, char *name, size_t len)
{
    static const char *const pointers[] = {"_at", "", "_shared"};

    snprintf(name, len, "%s%s%s%s%s%s", op->mode == DIFF_NONBLOCKING ? "i" : "",
             op->write ? "write" : "read",
             op->collective && op->pointer == DIFF_SHARED
                 ? "_ordered"
                 : pointers[op->pointer],
             op->collective && op->pointer != DIFF_SHARED ? "_all" : "",
             op->mode == DIFF_SPLIT ? "_begin" : "",
             op->large && MPI_VERSION >= 4 ? "_c" : "");
    return name;
}

static size_t describe_part(const struct diff_op *op, int r, char *text,
                            size_t len)
{
    const struct diff_part *part = &op->part[r];
    int n = 0;

    if (op->kind == DIFF_SET_VIEW)
        n = snprintf(text, len, "\n    rank %d: disp %lld, %s", r,
                     (long long)part->disp, part->filetype->text);
    else if (op->kind == DIFF_SEEK || op->kind == DIFF_SEEK_SHARED)
        n = snprintf(text, len, " %d:%s%+lld", r,
                     part->whence == MPI_SEEK_SET   ? "set"
                     : part->whence == MPI_SEEK_CUR ? "cur"
                                                    : "end",
                     (long long)part->offset);
    else if (part->type)
        n = snprintf(text, len, "\n    rank %d: offset %lld, %d x %s", r,
                     (long long)part->offset, part->count, part->type->text);
    return n > 0 && (size_t)n < len ? (size_t)n : 0;
}

void diff_op_describe(const struct diff_op *op, int ranks, char *text,
                      size_t len)
{
    static const char *const names[] = {
        "set_view",      "",
        "seek",          "seek_shared",
        "get_position",  "get_size",
        "set_size",      "preallocate",
        "sync",          "wait",
        "set_atomicity", "set_info",
        "reopen",        "shared race",
        "atomic race",
    };
    char name[64];
    size_t used = (size_t)snprintf(text, len, "%s",
                                   op->kind == DIFF_ACCESS
                                       ? access_name(op, name, sizeof(name))
                                       : names[op->kind]);

    if (op->kind == DIFF_SET_SIZE || op->kind == DIFF_PREALLOCATE)
        used += (size_t)snprintf(text + used, len - used, " base+%lld",
                                 (long long)op->size);
    if (op->kind == DIFF_SET_ATOMICITY)
        used += (size_t)snprintf(text + used, len - used, " %d", op->flag);
    if (op->kind == DIFF_SET_VIEW)
        used += (size_t)snprintf(text + used, len - used, " etype %s",
                                 op->etype->text);
    if (op->hint.key[0] &&
        (op->kind == DIFF_SET_VIEW || op->kind == DIFF_SET_INFO))
        used += (size_t)snprintf(text + used, len - used, " {%s=%s}",
                                 op->hint.key, op->hint.value);
    for (int r = 0; r < ranks && used < len; r++) {
        bool solo = op->kind == DIFF_ACCESS && !op->collective &&
                    op->pointer == DIFF_SHARED;

        if (solo ? r == op->solo
                 : op->part[r].takes_part || op->kind == DIFF_SET_VIEW)
            used += describe_part(op, r, text + used, len - used);
    }
}
