/* diff_access.c - data access and the races between ranks. */
#include "diff_native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *room(int64_t len)
{
    unsigned char *memory = malloc((size_t)(len > 0 ? len : 1));

    if (!memory) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return memory;
}

/* What the ranks do in one operation, after all rules have been applied. */
struct plan {
    struct diff_op op;
    bool calls[DIFF_MAX_RANKS];
    int count[DIFF_MAX_RANKS];
    int64_t offset[DIFF_MAX_RANKS]; /* etypes */
    struct diff_access access[DIFF_MAX_RANKS];
    bool past_end[DIFF_MAX_RANKS];
    bool any_past_end;
    int64_t shared_position; /* afterwards */
    int conflicts;
};

static bool is_called(const struct diff_run *run, const struct diff_op *op,
                      int r)
{
    bool solo = op->pointer == DIFF_SHARED && !op->collective;

    if (op->collective)
        return true;
    if (run->dropped->part[run->op_index][r])
        return false;
    return solo ? r == op->solo : op->part[r].takes_part;
}

static void plan_rank(struct diff_run *run, struct plan *plan, int r)
{
    struct diff_model *m = &run->model;
    const struct diff_part *part = &plan->op.part[r];
    struct diff_access *access = &plan->access[r];
    int64_t unit = m->view[r].etype_size;

    *access =
        (struct diff_access){.rank = r,
                             .write = plan->op.write,
                             .stays_pending = plan->op.mode != DIFF_BLOCKING};
    plan->offset[r] = plan->op.pointer == DIFF_EXPLICIT ? part->offset
                      : plan->op.pointer == DIFF_INDIVIDUAL
                          ? m->position[r]
                          : plan->shared_position;
    plan->calls[r] = is_called(run, &plan->op, r);
    if (!plan->calls[r] || run->dropped->part[run->op_index][r])
        return;
    access->pos = plan->offset[r] * unit;
    access->len = part->count * part->type->size;
    if (access->len % unit != 0)
        access->len = 0;
    int conflicts = diff_model_conflicts(m, access);
    if (conflicts & (DIFF_OUTSIDE | DIFF_OVERLAP)) {
        access->len = 0;
        return;
    }
    plan->conflicts |= conflicts;
    plan->count[r] = access->len == 0 && part->type->size > 0 ? 0 : part->count;
    plan->shared_position += access->len / unit;
    if (access->write)
        diff_model_mark(m, access, true);
}

static void make_plan(struct diff_run *run, const struct diff_op *op,
                      struct plan *plan)
{
    memset(plan, 0, sizeof(*plan));
    plan->op = *op;
    if (run->c->amode & MPI_MODE_RDONLY)
        plan->op.write = false;
    if (run->c->amode & MPI_MODE_WRONLY)
        plan->op.write = true;
    if (op->mode != DIFF_BLOCKING &&
        ((op->collective && diff_native_avoids(run, DIFF_FLAW_SPLIT)) ||
         diff_native_avoids(run, DIFF_FLAW_NONBLOCKING)))
        plan->op.mode = DIFF_BLOCKING;
    plan->shared_position = run->model.shared_position;
    for (int r = 0; r < run->c->ranks; r++)
        plan_rank(run, plan, r);
    for (int r = 0; r < run->c->ranks; r++) {
        if (plan->access[r].write && plan->access[r].len > 0)
            diff_model_mark(&run->model, &plan->access[r], false);
    }
}

/* After the end of the file is settled: who will read past it. */
static void plan_ends(struct diff_run *run, struct plan *plan)
{
    for (int r = 0; r < run->c->ranks; r++) {
        const struct diff_access *access = &plan->access[r];

        if (access->write || access->len == 0)
            continue;
        int64_t last = diff_view_offset(&run->model.view[r],
                                        access->pos + access->len - 1);
        plan->past_end[r] = last >= run->model.size;
        plan->any_past_end |= plan->past_end[r];
    }
    /* The pointer is put right after such a read, so it must be complete. */
    bool complete = plan->op.pointer != DIFF_EXPLICIT;
    if (plan->any_past_end && plan->op.mode == DIFF_NONBLOCKING)
        complete |= diff_native_avoids(run, DIFF_FLAW_IREAD_PAST_END);
    if (plan->any_past_end && complete) {
        plan->op.mode = DIFF_BLOCKING;
        for (int r = 0; r < run->c->ranks; r++)
            plan->access[r].stays_pending = false;
    }
}

static void check_count(struct diff_run *run, const struct diff_pending *p,
                        MPI_Status *status, bool past_end)
{
    int bytes = -1, items = -1;
    int64_t size = p->buffer.type->size;
    int64_t wanted = p->got;

    if (past_end && diff_native_avoids(run, DIFF_FLAW_COUNT_PAST_END))
        return;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    if (bytes != wanted) {
        diff_fail(run, "%s of op %d: count is %d bytes, wanted %lld",
                  p->expected ? "read" : "write", p->op_index, bytes,
                  (long long)wanted);
        return;
    }
    if (size == 0)
        return;
    MPI_Get_count(status, p->buffer.type->mpi, &items);
    int64_t whole = wanted % size ? MPI_UNDEFINED : wanted / size;
    if (items != whole)
        diff_fail(run, "op %d: MPI_Get_count is %d, wanted %lld", p->op_index,
                  items, (long long)whole);
}

void diff_finish_access(struct diff_run *run, struct diff_pending *p,
                        MPI_Status *status)
{
    bool past_end = p->expected && p->got < p->buffer.data_len;

    check_count(run, p, status, past_end);
    if (p->expected) {
        int64_t wrong =
            diff_buffer_check(&p->buffer, p->expected,
                              run->options->native ? p->known : NULL, p->got);

        if (wrong == -2)
            diff_fail(run, "read of op %d touched memory between its data",
                      p->op_index);
        else if (wrong >= 0)
            diff_fail(run, "read of op %d: byte %lld of %lld is wrong",
                      p->op_index, (long long)wrong, (long long)p->got);
    } else if (memcmp(p->buffer.memory, p->buffer.image, p->buffer.len) != 0) {
        diff_fail(run, "write of op %d changed its buffer", p->op_index);
    }
    free(p->expected);
    free(p->known);
    diff_buffer_fini(&p->buffer);
}

/* This rank's call. */
static void call_access(struct diff_run *run, const struct plan *plan)
{
    const struct diff_op *op = &plan->op;
    const struct diff_part *part = &op->part[run->me];
    const struct diff_access *access = &plan->access[run->me];
    struct diff_pending now = {.op = *op, .op_index = run->op_index};
    char problem[600];
    MPI_Status status;

    if (diff_type_check(part->type, problem, sizeof(problem)))
        diff_fail(run, "%s", problem);
    diff_buffer_init(&now.buffer, part->type, plan->count[run->me],
                     part->misalign);
    unsigned char *data = room(access->len);
    if (access->write) {
        diff_make_data(run, run->me, data, access->len);
        diff_buffer_scatter(&now.buffer, data);
        now.got = access->len;
        free(data);
    } else {
        now.known = room(access->len);
        now.got = diff_model_read(&run->model, access, data, now.known);
        now.expected = data;
    }
    struct diff_pending *p = &now;
    if (op->mode == DIFF_SPLIT)
        p = &run->split;
    else if (op->mode == DIFF_NONBLOCKING)
        p = &run->pending[run->npending++];
    *p = now;
    struct diff_call call = {.fh = run->fh,
                             .offset = plan->offset[run->me],
                             .buf = p->buffer.address,
                             .count = plan->count[run->me],
                             .type = part->type->mpi,
                             .request = &p->request,
                             .status = &status};
    diff_check_code(run, diff_call_begin(op, &call), "data access");
    run->split_active |= op->mode == DIFF_SPLIT;
    if (op->mode == DIFF_BLOCKING)
        diff_finish_access(run, p, &status);
}

static void apply_plan(struct diff_run *run, const struct plan *plan)
{
    struct diff_model *m = &run->model;

    for (int r = 0; r < run->c->ranks; r++) {
        const struct diff_access *access = &plan->access[r];
        unsigned char *data = room(access->len);

        if (access->write)
            diff_make_data(run, r, data, access->len);
        diff_model_apply(m, access, data);
        free(data);
        if (plan->op.pointer == DIFF_INDIVIDUAL)
            m->position[r] += access->len / m->view[r].etype_size;
    }
    if (plan->op.pointer == DIFF_SHARED)
        m->shared_position = plan->shared_position;
}

/*
 * After a read past the end the pointer stands after all that was asked for
 * (MPI 4.0, 14.4.1). The MPI libraries differ, so it is put there by a seek.
 */
static void settle_pointer(struct diff_run *run, const struct plan *plan)
{
    struct diff_model *m = &run->model;
    MPI_Offset position = 0;

    if (!plan->any_past_end || plan->op.pointer == DIFF_EXPLICIT)
        return;
    if (plan->op.pointer == DIFF_INDIVIDUAL) {
        MPI_File_get_position(run->fh, &position);
        if (position != m->position[run->me] &&
            !diff_native_avoids(run, DIFF_FLAW_POINTER_PAST_END))
            diff_fail(run, "pointer after the end is %lld, wanted %lld",
                      (long long)position, (long long)m->position[run->me]);
        MPI_File_seek(run->fh, m->position[run->me], MPI_SEEK_SET);
        return;
    }
    MPI_Barrier(run->comm);
    MPI_File_get_position_shared(run->fh, &position);
    if (position != m->shared_position &&
        !diff_native_avoids(run, DIFF_FLAW_POINTER_PAST_END))
        diff_fail(run, "shared pointer after the end is %lld, wanted %lld",
                  (long long)position, (long long)m->shared_position);
    MPI_Barrier(run->comm);
    MPI_File_seek_shared(run->fh, m->shared_position, MPI_SEEK_SET);
}

void diff_step_access(struct diff_run *run, const struct diff_op *op)
{
    struct diff_model *m = &run->model;
    struct plan *plan = malloc(sizeof(*plan));

    if (!plan)
        abort();
    if (op->pointer == DIFF_SHARED && !m->uniform_view)
        goto out;
    if (run->split_active && (op->collective || op->pointer != DIFF_EXPLICIT))
        diff_flush(run);
    make_plan(run, op, plan);
    if (plan->conflicts & DIFF_SYNC)
        diff_end_epoch(run);
    else if (plan->conflicts & DIFF_WAIT)
        diff_flush(run);
    plan_ends(run, plan);
    if (plan->calls[run->me])
        call_access(run, plan);
    apply_plan(run, plan);
    settle_pointer(run, plan);
    if (op->pointer == DIFF_SHARED && !op->collective)
        MPI_Barrier(run->comm);
out:
    free(plan);
}

/* Reads what all ranks have written together; equal on all ranks. */
static void read_back(struct diff_run *run, int64_t offset, unsigned char *data,
                      int64_t len)
{
    MPI_Status status;
    int count = -1;

    memset(data, 0, (size_t)len);
    diff_check_code(
        run,
        MPI_File_read_at(run->fh, offset, data, (int)len, MPI_BYTE, &status),
        "MPI_File_read_at");
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (count != len)
        diff_fail(run, "read %d of %lld bytes back after a race", count,
                  (long long)len);
    MPI_Bcast(data, (int)len, MPI_BYTE, 0, run->comm);
}

/* Which rank's data stands in a slot, or -1. */
static int owner_of(const struct diff_run *run, const unsigned char *slot,
                    int64_t len)
{
    unsigned char *data = room(len);
    int owner = -1;

    for (int r = 0; r < run->c->ranks && owner < 0; r++) {
        diff_make_data(run, r, data, len);
        if (!memcmp(data, slot, (size_t)len))
            owner = r;
    }
    free(data);
    return owner;
}

static void check_slots(struct diff_run *run, const unsigned char *all,
                        int slots, int64_t len)
{
    uint64_t seen = 0;

    for (int s = 0; s < slots; s++) {
        int owner = owner_of(run, all + s * len, len);

        if (owner < 0)
            diff_fail(run, "slot %d of the race holds no rank's data", s);
        else if (seen & UINT64_C(1) << owner && len >= 8)
            diff_fail(run, "rank %d's data stands twice after the race", owner);
        if (owner >= 0)
            seen |= UINT64_C(1) << owner;
    }
}

static void race_write(struct diff_run *run, const struct diff_op *op,
                       int64_t len)
{
    const struct diff_part *part = &op->part[run->me];
    struct diff_op access = {
        .kind = DIFF_ACCESS,
        .write = true,
        .pointer = op->kind == DIFF_SHARED_RACE ? DIFF_SHARED : DIFF_EXPLICIT,
        .mode = op->flag && op->kind == DIFF_SHARED_RACE ? DIFF_NONBLOCKING
                                                         : DIFF_BLOCKING};
    struct diff_buffer buffer;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    unsigned char *data = room(len);
    int count = -1;

    diff_buffer_init(&buffer, part->type, part->count, part->misalign);
    diff_make_data(run, run->me, data, len);
    diff_buffer_scatter(&buffer, data);
    struct diff_call call = {.fh = run->fh,
                             .offset = part->offset,
                             .buf = buffer.address,
                             .count = part->count,
                             .type = part->type->mpi,
                             .request = &request,
                             .status = &status};
    diff_check_code(run, diff_call_begin(&access, &call), "race");
    if (access.mode == DIFF_NONBLOCKING)
        /* NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): in call */
        diff_check_code(run, MPI_Wait(&request, &status), "MPI_Wait");
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (count != len)
        diff_fail(run, "race wrote %d of %lld bytes", count, (long long)len);
    diff_buffer_fini(&buffer);
    free(data);
}

void diff_step_race(struct diff_run *run, const struct diff_op *op)
{
    struct diff_model *m = &run->model;
    int slots = op->kind == DIFF_SHARED_RACE ? run->c->ranks : 1;
    int64_t unit = m->view[run->me].etype_size;
    int64_t len = op->part[0].count * op->part[0].type->size;
    int64_t start =
        op->kind == DIFF_SHARED_RACE ? m->shared_position : op->part[0].offset;
    struct diff_access all = {
        .rank = 0, .write = true, .pos = start * unit, .len = slots * len};

    if (!m->uniform_view || len == 0 || len % unit || slots * len > 1 << 20 ||
        !(run->c->amode & MPI_MODE_RDWR))
        return;
    if (op->kind == DIFF_ATOMIC_RACE && !m->atomic)
        return;
    diff_end_epoch(run);
    if (diff_model_conflicts(m, &all) & DIFF_OUTSIDE)
        return;
    race_write(run, op, len);
    diff_make_visible(run);
    unsigned char *data = room(all.len);
    read_back(run, start, data, all.len);
    check_slots(run, data, slots, len);
    diff_model_apply(m, &all, data);
    diff_model_synced(m);
    free(data);
    if (op->kind == DIFF_SHARED_RACE)
        m->shared_position += slots * len / unit;
    /* Nobody may write before all have read. */
    MPI_Barrier(run->comm);
}
