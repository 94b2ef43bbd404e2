/*
 * The line solves of BT, one direction at a time.
 *
 * Lines of a cell are taken in batches of as many as the kernel has lanes.
 * Where the lines are cut (more than one part along the direction) each cell
 * eliminates its part after the cell before it, and hands on C and r; back
 * substitution goes the other way. In the multi-partition scheme every
 * process has one cell at each stage; in the block scheme the lines are
 * handed on in portions, so that the processes work as a pipeline.
 */
#include "apps/bt/bt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAG_FORWARD = 2,
    TAG_BACKWARD = 3,
    PORTIONS = 8, /* portions per part along a pipeline */
    SOLUTION = 5, /* vectors handed back along a line */
};

/* The lines of one cell along one direction. */
struct lines {
    const struct pario_bt_cell *cell;
    int dir;
    int rows;    /* block rows of this cell */
    int outer;   /* direction the groups are repeated in */
    int across;  /* direction the lanes lie in */
    int from;    /* first lane of the first group */
    int ngroups; /* batches for each outer index */
    int nouter;
};

static void lines_init(const struct pario_bt *bt,
                       const struct pario_bt_cell *cell, int dir,
                       struct lines *ln)
{
    int lanes = bt->kernel->lanes;
    int width;

    ln->cell = cell;
    ln->dir = dir;
    ln->rows = cell->in1[dir] - cell->in0[dir];
    ln->outer = dir == 2 ? 1 : 2;
    ln->across = dir == 0 ? 1 : 0;
    /* Along x whole rows are taken: padding and faces have residual 0. */
    ln->from = dir == 0 ? cell->in0[1] : 0;
    width = dir == 0 ? cell->in1[1] - cell->in0[1] : cell->n[0];
    ln->ngroups = (width + lanes - 1) / lanes;
    ln->nouter = cell->in1[ln->outer] - cell->in0[ln->outer];
}

static size_t state_size(const struct pario_bt *bt)
{
    return PARIO_BT_STATE * (size_t)bt->kernel->lanes;
}

/* Scratch of x sweeps: U and residual of one batch, lanes side by side. */
static size_t turned_size(const struct pario_bt *bt)
{
    return (size_t)(2 * bt->dec.n + 2) * 5 * (size_t)bt->kernel->lanes;
}

static int staging_init(struct pario_bt *bt, int c)
{
    size_t blocks = 0, states = 0;

    for (int dir = 0; dir < 3; dir++) {
        struct lines ln;
        size_t batches;

        if (bt->dec.parts[dir] == 1)
            continue;
        lines_init(bt, &bt->cells[c], dir, &ln);
        batches = (size_t)ln.ngroups * (size_t)ln.nouter;
        if (batches > states)
            states = batches;
        if (batches * (size_t)ln.rows > blocks)
            blocks = batches * (size_t)ln.rows;
    }
    if (states == 0)
        return 0;
    bt->staging[c].blocks = aligned_alloc(
        64,
        (blocks + 1) * state_size(bt) * sizeof(double) +
            (64 - (blocks + 1) * state_size(bt) * sizeof(double) % 64) % 64);
    bt->staging[c].in = calloc(2 * states, state_size(bt) * sizeof(double));
    if (bt->staging[c].blocks == NULL || bt->staging[c].in == NULL)
        return -ENOMEM;
    bt->staging[c].out = bt->staging[c].in + states * state_size(bt);
    return 0;
}

int pario_bt_sweep_create(struct pario_bt *bt)
{
    size_t doubles = (size_t)bt->dec.n * state_size(bt) + turned_size(bt) + 8;
    int err = 0;

    bt->lines = aligned_alloc(64, (doubles + 7) / 8 * 8 * sizeof(double));
    bt->staging = calloc((size_t)bt->ncells + 1, sizeof(*bt->staging));
    if (bt->lines == NULL || bt->staging == NULL)
        return -ENOMEM;
    for (int c = 0; c < bt->ncells && !err; c++)
        err = staging_init(bt, c);
    return err;
}

void pario_bt_sweep_destroy(struct pario_bt *bt)
{
    for (int c = 0; bt->staging != NULL && c < bt->ncells; c++) {
        free(bt->staging[c].blocks);
        free(bt->staging[c].in);
    }
    free(bt->staging);
    free(bt->lines);
}

/* The y of a lane in an x sweep; lanes past the end repeat the last line. */
static int lane_y(const struct lines *ln, int group, int lane, int lanes)
{
    int y = ln->from + group * lanes + lane;

    return y < ln->cell->in1[1] ? y : ln->cell->in1[1] - 1;
}

/* out[i][component][lane] <- lane[lane][component][i]. */
static inline __attribute__((always_inline)) void
turn(const double *const lane[], const int lanes, ptrdiff_t comp, int count,
     double *out)
{
    for (ptrdiff_t i = 0; i < count; i++)
        for (int m = 0; m < 5; m++)
            for (int l = 0; l < lanes; l++)
                *out++ = lane[l][m * comp + i];
}

/* The same with the number of lanes known when it is compiled. */
static void turn_lanes(const double *const lane[], int lanes, ptrdiff_t comp,
                       int count, double *out)
{
    if (lanes == 8)
        turn(lane, 8, comp, count, out);
    else if (lanes == 4)
        turn(lane, 4, comp, count, out);
    else
        turn(lane, lanes, comp, count, out);
}

/* Where an x batch lies once its lines are turned: lanes side by side. */
static void place_turned(const struct pario_bt *bt,
                         struct pario_bt_batch *batch, double **u_p)
{
    const int lanes = bt->kernel->lanes;

    *u_p = bt->lines + (size_t)bt->dec.n * state_size(bt);
    batch->u = *u_p;
    batch->rhs = *u_p + (size_t)(bt->dec.n + 2) * 5 * (size_t)lanes;
    batch->u_step = batch->r_step = (ptrdiff_t)5 * lanes;
    batch->u_comp = batch->r_comp = lanes;
}

static void turn_in(const struct pario_bt *bt, const struct lines *ln,
                    int group, int z, struct pario_bt_batch *batch)
{
    const struct pario_bt_cell *cell = ln->cell;
    const double *u[PARIO_BT_LANES], *r[PARIO_BT_LANES];
    const int lanes = bt->kernel->lanes;
    double *turned;

    place_turned(bt, batch, &turned);
    for (int l = 0; l < lanes; l++) {
        int y = lane_y(ln, group, l, lanes);

        u[l] = pario_bt_u_at(cell, cell->in0[0] - 1, y, z);
        r[l] = cell->rhs + pario_bt_r_offset(cell, cell->in0[0], y, z);
    }
    turn_lanes(u, lanes, cell->u_row, ln->rows + 2, turned);
    turn_lanes(r, lanes, cell->r_row, ln->rows, batch->rhs);
}

static void turn_out(const struct pario_bt *bt, const struct lines *ln,
                     int group, int z)
{
    const struct pario_bt_cell *cell = ln->cell;
    const int lanes = bt->kernel->lanes;
    const double *rt = bt->lines + (size_t)bt->dec.n * state_size(bt) +
                       (size_t)(bt->dec.n + 2) * 5 * (size_t)lanes;

    for (int l = 0; l < lanes; l++) {
        int y = ln->from + group * lanes + l;
        double *r;

        if (y >= cell->in1[1])
            break;
        r = cell->rhs + pario_bt_r_offset(cell, cell->in0[0], y, z);
        for (int m = 0; m < 5; m++)
            for (int i = 0; i < ln->rows; i++)
                r[m * cell->r_row + i] = rt[((ptrdiff_t)i * 5 + m) * lanes + l];
    }
}

/* Where a batch of a y or z sweep lies in the fields. */
static void place_batch(const struct lines *ln, int group, int o, int lanes,
                        struct pario_bt_batch *batch)
{
    const struct pario_bt_cell *cell = ln->cell;
    int at[3] = {group * lanes, 0, 0};

    at[ln->outer] = cell->in0[ln->outer] + o;
    at[ln->dir] = cell->in0[ln->dir];
    batch->u_step = ln->dir == 1 ? cell->u_line : cell->u_plane;
    batch->r_step = ln->dir == 1 ? cell->r_line : cell->r_plane;
    batch->u_comp = cell->u_row;
    batch->r_comp = cell->r_row;
    batch->add = pario_bt_u_at(cell, at[0], at[1], at[2]);
    batch->u = batch->add - batch->u_step;
    batch->rhs = cell->rhs + pario_bt_r_offset(cell, at[0], at[1], at[2]);
}

/* What a sweep does with a batch. */
enum phase { FORWARD = 1, BACKWARD = 2 };

static void do_batch(const struct pario_bt *bt, const struct lines *ln,
                     const struct pario_bt_batch *given, int index,
                     unsigned phases)
{
    struct pario_bt_batch batch = *given;
    int group = index % ln->ngroups, o = index / ln->ngroups;
    int z = ln->cell->in0[2] + o;
    bool add = given->add != NULL;
    double *turned;

    batch.rows = ln->rows;
    if (ln->dir != 0)
        place_batch(ln, group, o, bt->kernel->lanes, &batch);
    else if (phases & FORWARD)
        turn_in(bt, ln, group, z, &batch);
    else
        place_turned(bt, &batch, &turned);
    if (!add)
        batch.add = NULL;
    if (phases & FORWARD)
        bt->kernel->forward[ln->dir](&batch, &bt->coef);
    if (phases & BACKWARD) {
        if (phases & FORWARD)
            batch.in = batch.out = NULL;
        bt->kernel->backward(&batch);
        if (ln->dir == 0)
            turn_out(bt, ln, group, z);
    }
}

/* One direction that is not cut. */
static void sweep_whole(struct pario_bt *bt, int dir, bool add)
{
    struct pario_bt_batch batch = {.blocks = bt->lines,
                                   .add = add ? bt->lines : NULL};

    for (int c = 0; c < bt->ncells; c++) {
        struct lines ln;

        lines_init(bt, &bt->cells[c], dir, &ln);
        for (int i = 0; i < ln.ngroups * ln.nouter; i++)
            do_batch(bt, &ln, &batch, i, FORWARD | BACKWARD);
    }
}

/* Own cell with position pos along dir, or -1. */
static int cell_at(const struct pario_bt *bt, int dir, int pos)
{
    for (int c = 0; c < bt->ncells; c++)
        if (bt->cells[c].pos[dir] == pos)
            return c;
    return -1;
}

static int neighbour(const struct pario_bt *bt, int c, int dir, int shift)
{
    int pos[3];

    memcpy(pos, bt->cells[c].pos, sizeof(pos));
    pos[dir] += shift;
    if (pos[dir] < 0 || pos[dir] >= bt->dec.parts[dir])
        return -1;
    return pario_bt_decomp_owner(&bt->dec, pos);
}

/* One phase of a cut direction on one cell, in portions of its lines. */
static int sweep_cell(struct pario_bt *bt, int dir, int c, enum phase phase,
                      bool add)
{
    int shift = phase == FORWARD ? 1 : -1;
    int from = neighbour(bt, c, dir, -shift), to = neighbour(bt, c, dir, shift);
    int tag = phase == FORWARD ? TAG_FORWARD : TAG_BACKWARD;
    size_t lanes = (size_t)bt->kernel->lanes;
    size_t each = (phase == FORWARD ? PARIO_BT_STATE : SOLUTION) * lanes;
    struct pario_bt_staging *stage = &bt->staging[c];
    int total, portion, err = 0;
    struct lines ln;

    lines_init(bt, &bt->cells[c], dir, &ln);
    total = ln.ngroups * ln.nouter;
    portion = total;
    if (bt->dec.scheme == PARIO_BT_BLOCK)
        portion = total / (PORTIONS * bt->dec.parts[dir]) + 1;
    for (int done = 0; done < total && !err; done += portion) {
        int count = total - done < portion ? total - done : portion;
        double *in = stage->in + (size_t)done * each;
        double *out = stage->out + (size_t)done * each;

        if (from >= 0)
            err = pario_bt_comm_recv(&bt->comm, in, (size_t)count * each, from,
                                     tag);
        for (int i = 0; i < count && !err; i++) {
            struct pario_bt_batch batch = {
                .blocks = stage->blocks +
                          (size_t)(done + i) * (size_t)ln.rows * state_size(bt),
                .add = add ? stage->blocks : NULL,
                .in = from >= 0 ? in + (size_t)i * each : NULL,
                .out = to >= 0 ? out + (size_t)i * each : NULL,
            };

            do_batch(bt, &ln, &batch, done + i, phase);
        }
        if (to >= 0 && !err)
            err = pario_bt_comm_send(&bt->comm, out, (size_t)count * each, to,
                                     tag);
    }
    return err;
}

int pario_bt_sweep(struct pario_bt *bt, int dir, bool add)
{
    int parts = bt->dec.parts[dir];
    int err = 0;

    if (parts == 1) {
        sweep_whole(bt, dir, add);
        return 0;
    }
    for (int pos = 0; pos < parts && !err; pos++) {
        int c = cell_at(bt, dir, pos);

        if (c >= 0)
            err = sweep_cell(bt, dir, c, FORWARD, add);
    }
    if (!err)
        err = pario_bt_comm_wait(&bt->comm);
    for (int pos = parts - 1; pos >= 0 && !err; pos--) {
        int c = cell_at(bt, dir, pos);

        if (c >= 0)
            err = sweep_cell(bt, dir, c, BACKWARD, add);
    }
    if (!err)
        err = pario_bt_comm_wait(&bt->comm);
    return err;
}
