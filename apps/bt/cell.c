/* Storage of one BT cell. */
#include "apps/bt/cell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

void pario_bt_coef_init(int n, double dt, struct pario_bt_coef *coef)
{
    double t = n - 1;
    double kappa = 0.1;

    *coef = (struct pario_bt_coef){
        .n = n,
        .dt = dt,
        .t1 = t * t,
        .t2 = t / 2.0,
        .con1 = kappa * (4.0 / 3.0) * t * t,
        .con2 = kappa * t * t,
        .con3 = kappa * (1.0 - 1.96) * t * t,
        .con4 = kappa * (1.0 / 6.0) * t * t,
        .con5 = kappa * 1.96 * t * t,
        .diff = {0.75, 0.75, 1.0},
        .dssp = 0.25,
    };
}

void pario_bt_d4(int n, int g, double out[5])
{
    static const double inner[5] = {1.0, -4.0, 6.0, -4.0, 1.0};

    if (g < 1 || g > n - 2) {
        memset(out, 0, 5 * sizeof(out[0]));
        return;
    }
    memcpy(out, inner, sizeof(inner));
    if (g == 1 || g == n - 2)
        out[2] = 5.0;
    for (int o = 0; o < 5; o++) /* points 0 and n-1 take no part */
        if (g + o - 2 < 1 || g + o - 2 > n - 2)
            out[o] = 0.0;
}

static ptrdiff_t padded(int n)
{
    ptrdiff_t lanes = PARIO_BT_LANES;

    return (n + lanes - 1) / lanes * lanes;
}

/* U is set to (1, 0, 0, 0, 1) everywhere, so that no padding divides by 0. */
static void fill_u(double *u, size_t lines, size_t row)
{
    for (size_t l = 0; l < lines; l++)
        for (size_t m = 0; m < 5; m++)
            for (size_t i = 0; i < row; i++)
                u[(l * 5 + m) * row + i] = m == 0 || m == 4 ? 1.0 : 0.0;
}

static void fill_x_tables(struct pario_bt_cell *cell, int total)
{
    for (int i = 0; i < cell->n[0]; i++) {
        int g = cell->lo[0] + i;
        double d4[5];

        cell->mask[i] = g >= 1 && g <= total - 2 ? 1.0 : 0.0;
        pario_bt_d4(total, g, d4);
        for (int o = 0; o < 5; o++)
            cell->d4x[o * cell->r_row + i] = d4[o];
    }
}

int pario_bt_cell_init(struct pario_bt_cell *cell, const int lo[3],
                       const int n[3], int total)
{
    size_t u_lines = (size_t)(n[1] + 4) * (size_t)(n[2] + 4);
    size_t r_size, u_size, row;
    double *store;

    memset(cell, 0, sizeof(*cell));
    for (int d = 0; d < 3; d++) {
        cell->lo[d] = lo[d];
        cell->n[d] = n[d];
        cell->in0[d] = lo[d] == 0 ? 1 : 0;
        cell->in1[d] = lo[d] + n[d] == total ? n[d] - 1 : n[d];
        if (cell->in1[d] < cell->in0[d])
            cell->in1[d] = cell->in0[d];
    }
    cell->r_row = padded(n[0]);
    cell->r_line = 5 * cell->r_row;
    cell->r_plane = n[1] * cell->r_line;
    cell->u_row = cell->r_row + (ptrdiff_t)2 * PARIO_BT_LANES;
    cell->u_line = 5 * cell->u_row;
    cell->u_plane = (n[1] + 4) * cell->u_line;

    row = (size_t)cell->r_row;
    u_size = u_lines * 5 * (size_t)cell->u_row;
    r_size = (size_t)n[1] * (size_t)n[2] * 5 * row;
    store =
        aligned_alloc(ALIGN, (u_size + 2 * r_size + 6 * row) * sizeof(double));
    if (store == NULL)
        return -ENOMEM;
    fill_u(store, u_lines, (size_t)cell->u_row);
    memset(store + u_size, 0, (2 * r_size + 6 * row) * sizeof(double));
    cell->store = store;
    cell->u =
        store + PARIO_BT_HALO * (cell->u_plane + cell->u_line) + PARIO_BT_LANES;
    cell->rhs = store + u_size;
    cell->forcing = cell->rhs + r_size;
    cell->mask = cell->forcing + r_size;
    cell->d4x = cell->mask + row;
    fill_x_tables(cell, total);
    return 0;
}

void pario_bt_cell_fini(struct pario_bt_cell *cell)
{
    free(cell->store);
    cell->store = NULL;
}
