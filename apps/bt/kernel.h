/*
 * The arithmetic of BT: right-hand side and block-tridiagonal line solves, on
 * vectors of `lanes` neighbouring lines. One table per instruction set; all
 * do the same operations in the same order on every grid point, without fused
 * multiply-add, so that results are bit-identical between them.
 */
#ifndef PARIO_APPS_BT_KERNEL_H
#define PARIO_APPS_BT_KERNEL_H

#include "apps/bt/cell.h"

/*
 * One batch of lines. Points of the batch are `step` doubles apart in a
 * field, components `comp`; the lanes are neighbours in memory.
 */
struct pario_bt_batch {
    int rows;        /* block rows to eliminate */
    const double *u; /* U at the point before the first row */
    ptrdiff_t u_step, u_comp;
    double *rhs; /* residual at the first row */
    ptrdiff_t r_step, r_comp;
    double *add;      /* U at the first row if the update is to be added */
    double *blocks;   /* rows x PARIO_BT_STATE vectors: C and r */
    const double *in; /* state from the line's earlier part, or NULL */
    double *out;      /* state for the later part, or NULL */
};

struct pario_bt_kernel {
    const char *name;
    int lanes;
    /* ring: 3 planes of derived values, see pario_bt_ring_size. */
    void (*rhs)(const struct pario_bt_cell *cell,
                const struct pario_bt_coef *coef, double *ring);
    /* Elimination forward: fills blocks; in and out hold C and r. */
    void (*forward[3])(const struct pario_bt_batch *batch,
                       const struct pario_bt_coef *coef);
    /* Back substitution: writes rhs or adds to U; in and out hold x. */
    void (*backward)(const struct pario_bt_batch *batch);
};

extern const struct pario_bt_kernel pario_bt_kernel_base;
#if defined(__x86_64__) && defined(__GNUC__)
#define PARIO_BT_X86 1
extern const struct pario_bt_kernel pario_bt_kernel_avx2;
extern const struct pario_bt_kernel pario_bt_kernel_avx512;
#else
#define PARIO_BT_X86 0
#endif

/* Local. Number of kernels this machine can run; 0 is always there. */
int pario_bt_kernel_best(void);

/* Local. Kernel number index, 0 <= index <= pario_bt_kernel_best(). */
const struct pario_bt_kernel *pario_bt_kernel_get(int index);

/* Local. Doubles of scratch that rhs needs for a cell. */
size_t pario_bt_ring_size(const struct pario_bt_cell *cell);

#endif
