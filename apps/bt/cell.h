/*
 * One cell of the BT grid in memory, and the constants of a run.
 *
 * Fields are stored as [z][y][component][x]: rows of one component along x, so
 * that every kernel works on vectors of neighbouring x. U carries a halo of
 * two points a side; the residual and the forcing none. Index (0, 0, 0) is
 * the first point the cell owns.
 */
#ifndef PARIO_APPS_BT_CELL_H
#define PARIO_APPS_BT_CELL_H

#include <stddef.h>

enum {
    PARIO_BT_HALO = 2,
    PARIO_BT_LANES = 8,   /* rows are padded to the widest vector */
    PARIO_BT_STATE = 30,  /* vectors handed on along a line: C and r */
    PARIO_BT_TILE = 8,    /* lines the right-hand side takes at a time */
    PARIO_BT_DERIVED = 6, /* v1 v2 v3 q s e */
};

struct pario_bt_cell {
    int pos[3]; /* in the grid of cells */
    int lo[3];  /* first owned point */
    int n[3];   /* owned points */
    int in0[3]; /* owned points that are interior: [in0, in1), local index */
    int in1[3];
    ptrdiff_t u_row;   /* doubles from one component of U to the next */
    ptrdiff_t u_line;  /* ... from one y to the next */
    ptrdiff_t u_plane; /* ... from one z to the next */
    ptrdiff_t r_row;   /* the same of residual and forcing */
    ptrdiff_t r_line;
    ptrdiff_t r_plane;
    double *u; /* at point (0, 0, 0), component 0 */
    double *rhs;
    double *forcing;
    double *mask; /* 1 where x is interior, else 0; one row of r_row */
    double *d4x;  /* five rows: coefficients of the fourth difference in x */
    void *store;  /* what u, rhs, ... point into */
};

/* Constants of a run; t1 = 1/h^2, t2 = 1/(2h), per direction where it matters.
 */
struct pario_bt_coef {
    int n;
    double dt;
    double t1, t2;
    double con1, con2, con3, con4, con5; /* viscous terms */
    double diff[3];                      /* added diffusion, 0.75 0.75 1.0 */
    double dssp;                         /* fourth-difference dissipation */
};

/* Local. Fills in all constants. */
void pario_bt_coef_init(int n, double dt, struct pario_bt_coef *coef);

/* Local. The five coefficients of the fourth difference at grid index g. */
void pario_bt_d4(int n, int g, double out[5]);

/*
 * Local. Allocates a cell of n points from lo in a grid of total points a
 * side; every value outside the grid is harmless (finite, density 1).
 */
int pario_bt_cell_init(struct pario_bt_cell *cell, const int lo[3],
                       const int n[3], int total)
    __attribute__((warn_unused_result));
void pario_bt_cell_fini(struct pario_bt_cell *cell);

static inline double *pario_bt_u_at(const struct pario_bt_cell *cell, int i,
                                    int j, int k)
{
    return cell->u + k * cell->u_plane + j * cell->u_line + i;
}

static inline ptrdiff_t pario_bt_r_offset(const struct pario_bt_cell *cell,
                                          int i, int j, int k)
{
    return k * cell->r_plane + j * cell->r_line + i;
}

#endif
