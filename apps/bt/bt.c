/* The BT solver: setting up, stepping, norms, packing. */
#include "apps/bt/bt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int create_cells(struct pario_bt *bt)
{
    size_t ring = 0;
    int rank = bt->comm.rank, want = pario_bt_decomp_cells(&bt->dec, rank);

    bt->cells = calloc((size_t)want + 1, sizeof(*bt->cells));
    if (bt->cells == NULL)
        return -ENOMEM;
    for (int c = 0; c < want; c++) {
        int pos[3], lo[3], n[3], err;

        pario_bt_decomp_cell(&bt->dec, rank, c, pos);
        for (int d = 0; d < 3; d++) {
            lo[d] = pario_bt_decomp_start(&bt->dec, d, pos[d]);
            n[d] = pario_bt_decomp_start(&bt->dec, d, pos[d] + 1) - lo[d];
        }
        err = pario_bt_cell_init(&bt->cells[c], lo, n, bt->dec.n);
        if (err)
            return err;
        memcpy(bt->cells[c].pos, pos, sizeof(pos));
        bt->ncells++;
        if (pario_bt_ring_size(&bt->cells[c]) > ring)
            ring = pario_bt_ring_size(&bt->cells[c]);
    }
    bt->ring = aligned_alloc(64, (ring + 8) * sizeof(double));
    return bt->ring == NULL ? -ENOMEM : 0;
}

/* U <- exact solution at all points of the cell and its halo. */
static void fill_exact(struct pario_bt_cell *cell, int n)
{
    for (int k = -2; k < cell->n[2] + 2; k++)
        for (int j = -2; j < cell->n[1] + 2; j++)
            for (int i = -2; i < cell->n[0] + 2; i++) {
                double *u = pario_bt_u_at(cell, i, j, k), value[5];

                pario_bt_exact((double)(cell->lo[0] + i) / (n - 1),
                               (double)(cell->lo[1] + j) / (n - 1),
                               (double)(cell->lo[2] + k) / (n - 1), value);
                for (int m = 0; m < 5; m++)
                    u[m * cell->u_row] = value[m];
            }
}

/* forcing <- -L(exact solution): the right-hand side with dt 1 and no forcing.
 */
static void create_forcing(struct pario_bt *bt)
{
    struct pario_bt_coef coef = bt->coef;

    coef.dt = 1.0;
    for (int c = 0; c < bt->ncells; c++) {
        struct pario_bt_cell *cell = &bt->cells[c];
        ptrdiff_t count = cell->n[2] * cell->r_plane;

        fill_exact(cell, bt->dec.n);
        bt->kernel->rhs(cell, &coef, bt->ring);
        for (ptrdiff_t i = 0; i < count; i++) {
            cell->forcing[i] = 0.0 - cell->rhs[i];
            cell->rhs[i] = 0.0;
        }
    }
}

/* Everything after bt->comm is there. Collective: all ranks fail together. */
static int create(struct pario_bt *bt, const struct pario_bt_setup *setup)
{
    int level = pario_bt_kernel_best();
    int err, ok;

    bt->cls = setup->cls;
    pario_bt_coef_init(setup->cls->n, setup->cls->dt, &bt->coef);
    if (setup->kernel >= 0 && setup->kernel < level)
        level = setup->kernel;
    err = pario_bt_comm_min(&bt->comm, &level);
    if (err)
        return err;
    bt->kernel = pario_bt_kernel_get(level);
    err = pario_bt_decomp_init(setup->cls->n, bt->comm.size, setup->scheme,
                               &bt->dec);
    if (err)
        return err;
    err = create_cells(bt);
    if (!err)
        err = pario_bt_halo_create(bt);
    if (!err)
        err = pario_bt_sweep_create(bt);
    ok = err == 0;
    if (pario_bt_comm_min(&bt->comm, &ok) || (!ok && !err))
        err = -ENOMEM;
    if (!err)
        create_forcing(bt);
    return err;
}

int64_t pario_bt_memory_bytes(const struct pario_bt_decomp *dec)
{
    int cut = dec->parts[0] * dec->parts[1] * dec->parts[2] > 1;
    int64_t doubles = 0;

    for (int c = 0; c < pario_bt_decomp_cells(dec, 0); c++) {
        int64_t n[3], row;
        int pos[3];

        pario_bt_decomp_cell(dec, 0, c, pos);
        for (int d = 0; d < 3; d++)
            n[d] = pario_bt_decomp_start(dec, d, pos[d] + 1) -
                   pario_bt_decomp_start(dec, d, pos[d]);
        row = (n[0] + PARIO_BT_LANES - 1) / PARIO_BT_LANES * PARIO_BT_LANES;
        /* U with its halo; residual, forcing and a packed dump; what is kept
         * of a line while it goes on elsewhere. */
        doubles +=
            (n[1] + 4) * (n[2] + 4) * 5 * (row + (int64_t)2 * PARIO_BT_LANES);
        doubles += 15 * n[1] * n[2] * row;
        doubles += cut ? PARIO_BT_STATE * n[1] * n[2] * row : 0;
    }
    return doubles * (int64_t)sizeof(double);
}

#if PARIO_HAVE_MPI
int pario_bt_create(MPI_Comm comm, const struct pario_bt_setup *setup,
                    struct pario_bt **bt_p)
{
    struct pario_bt *bt = calloc(1, sizeof(*bt));
    struct pario_bt_comm bc;
    int err;

    err = pario_bt_comm_init(&bc, comm);
    if (!err) {
        int ok = bt != NULL;

        if (pario_bt_comm_min(&bc, &ok) || !ok)
            err = -ENOMEM;
    }
    if (err || bt == NULL) {
        pario_bt_comm_fini(&bc);
        free(bt);
        return err ? err : -ENOMEM;
    }
    bt->comm = bc;
    err = create(bt, setup);
    if (err)
        pario_bt_destroy(bt);
    else
        *bt_p = bt;
    return err;
}
#endif

int pario_bt_create_alone(const struct pario_bt_setup *setup,
                          struct pario_bt **bt_p)
{
    struct pario_bt *bt = calloc(1, sizeof(*bt));
    int err;

    if (bt == NULL)
        return -ENOMEM;
    pario_bt_comm_init_alone(&bt->comm);
    err = create(bt, setup);
    if (err)
        pario_bt_destroy(bt);
    else
        *bt_p = bt;
    return err;
}

void pario_bt_destroy(struct pario_bt *bt)
{
    if (bt == NULL)
        return;
    pario_bt_sweep_destroy(bt);
    pario_bt_halo_destroy(bt->halo);
    for (int c = 0; c < bt->ncells; c++)
        pario_bt_cell_fini(&bt->cells[c]);
    free(bt->cells);
    free(bt->ring);
    pario_bt_comm_fini(&bt->comm);
    free(bt);
}

void pario_bt_start(struct pario_bt *bt)
{
    for (int c = 0; c < bt->ncells; c++) {
        struct pario_bt_cell *cell = &bt->cells[c];

        for (int k = 0; k < cell->n[2]; k++)
            for (int j = 0; j < cell->n[1]; j++)
                for (int i = 0; i < cell->n[0]; i++) {
                    int point[3] = {cell->lo[0] + i, cell->lo[1] + j,
                                    cell->lo[2] + k};
                    double *u = pario_bt_u_at(cell, i, j, k), value[5];

                    pario_bt_start_value(bt->dec.n, point, value);
                    for (int m = 0; m < 5; m++)
                        u[m * cell->u_row] = value[m];
                }
    }
}

void pario_bt_rhs(struct pario_bt *bt)
{
    for (int c = 0; c < bt->ncells; c++)
        bt->kernel->rhs(&bt->cells[c], &bt->coef, bt->ring);
}

int pario_bt_step(struct pario_bt *bt)
{
    int err = pario_bt_halo_exchange(bt);

    if (err)
        return err;
    pario_bt_rhs(bt);
    for (int dir = 0; dir < 3 && !err; dir++) {
        if (bt->between != NULL)
            bt->between(bt->between_arg);
        err = pario_bt_sweep(bt, dir, dir == 2);
    }
    return err;
}

static int finish_norm(struct pario_bt *bt, const double sum[5], double out[5])
{
    double inner = bt->dec.n - 2, all[5];
    int err;

    memcpy(all, sum, sizeof(all));
    err = pario_bt_comm_sum(&bt->comm, all, 5);
    if (err)
        return err;
    for (int m = 0; m < 5; m++)
        out[m] = sqrt(all[m] / (inner * inner * inner));
    return 0;
}

int pario_bt_error_norm(struct pario_bt *bt, double out[5])
{
    double sum[5] = {0.0};
    int n = bt->dec.n;

    for (int c = 0; c < bt->ncells; c++) {
        const struct pario_bt_cell *cell = &bt->cells[c];

        for (int k = 0; k < cell->n[2]; k++)
            for (int j = 0; j < cell->n[1]; j++)
                for (int i = 0; i < cell->n[0]; i++) {
                    const double *u = pario_bt_u_at(cell, i, j, k);
                    double value[5];

                    pario_bt_exact((double)(cell->lo[0] + i) / (n - 1),
                                   (double)(cell->lo[1] + j) / (n - 1),
                                   (double)(cell->lo[2] + k) / (n - 1), value);
                    for (int m = 0; m < 5; m++) {
                        double diff = u[m * cell->u_row] - value[m];

                        sum[m] += diff * diff;
                    }
                }
    }
    return finish_norm(bt, sum, out);
}

int pario_bt_residual_norm(struct pario_bt *bt, double out[5])
{
    double sum[5] = {0.0};
    int err = pario_bt_halo_exchange(bt);

    if (err)
        return err;
    pario_bt_rhs(bt);
    for (int c = 0; c < bt->ncells; c++) {
        const struct pario_bt_cell *cell = &bt->cells[c];

        for (ptrdiff_t line = 0; line < (ptrdiff_t)cell->n[1] * cell->n[2];
             line++)
            for (int m = 0; m < 5; m++) {
                const double *r =
                    cell->rhs + line * cell->r_line + m * cell->r_row;

                for (int i = cell->in0[0]; i < cell->in1[0]; i++)
                    sum[m] += r[i] * r[i];
            }
    }
    err = finish_norm(bt, sum, out);
    for (int m = 0; m < 5 && !err; m++)
        out[m] /= bt->coef.dt;
    return err;
}

size_t pario_bt_own_points(const struct pario_bt *bt)
{
    size_t points = 0;

    for (int c = 0; c < bt->ncells; c++)
        points += (size_t)bt->cells[c].n[0] * (size_t)bt->cells[c].n[1] *
                  (size_t)bt->cells[c].n[2];
    return points;
}

void pario_bt_pack(const struct pario_bt *bt, double *out)
{
    for (int c = 0; c < bt->ncells; c++) {
        const struct pario_bt_cell *cell = &bt->cells[c];

        for (int k = 0; k < cell->n[2]; k++)
            for (int j = 0; j < cell->n[1]; j++) {
                const double *u = pario_bt_u_at(cell, 0, j, k);

                for (int i = 0; i < cell->n[0]; i++)
                    for (int m = 0; m < 5; m++)
                        *out++ = u[m * cell->u_row + i];
            }
    }
}

void pario_bt_unpack(struct pario_bt *bt, const double *in)
{
    for (int c = 0; c < bt->ncells; c++) {
        const struct pario_bt_cell *cell = &bt->cells[c];

        for (int k = 0; k < cell->n[2]; k++)
            for (int j = 0; j < cell->n[1]; j++) {
                double *u = pario_bt_u_at(cell, 0, j, k);

                for (int i = 0; i < cell->n[0]; i++)
                    for (int m = 0; m < 5; m++)
                        u[m * cell->u_row + i] = *in++;
            }
    }
}
