/* suites/iot/lu.h - the dense kernels of a blocked LU decomposition with
 * partial pivoting, and the layout of a panel on disk. Local; needs LAPACKE
 * and CBLAS.
 *
 * A matrix of order n is n/width panels of `width` columns. In memory a panel
 * is column-major with n rows. On disk panel k has a slot of n * width
 * doubles: the `final` blocks of U above (width x width each, one after the
 * other), then the remaining rows, column-major. With final = 0 that is the
 * plain column-major matrix; a factored panel has final = k, so that its part
 * of L is contiguous and is read with one call and nothing besides.
 *
 * The part of L of panel k is stored in the order of rows that panel k left:
 * later interchanges are not applied to it. Whoever applies panels 0, 1, ...
 * in turn, interchanges first, has that order at that time.
 */
#ifndef PARIO_IOT_LU_H
#define PARIO_IOT_LU_H

#include "core/error.h"
#include <lapacke.h>
#include <stdint.h>

struct iot_lu {
    int64_t n, width, panels;
    lapack_int *pivots; /* n: of each panel, relative to its first row */
};

int iot_lu_init(struct iot_lu *lu, int64_t n, int64_t width) PARIO_MUST_USE;
void iot_lu_fini(struct iot_lu *lu);

/* One thread a process where processes share a node. */
void iot_lu_threads(int processes_on_node);

/* Rows below and including the diagonal block of panel k. */
static inline int64_t iot_lu_rows(const struct iot_lu *lu, int64_t k)
{
    return lu->n - k * lu->width;
}

/* Factors panel k in memory, to which all panels before it were applied;
 * sets its pivots. PARIO_EVERIFY if the matrix is singular. */
int iot_lu_factor(struct iot_lu *lu, int64_t k, double *panel) PARIO_MUST_USE;

/* Applies factored panel k, whose part of L is `low` (rows(k) x width,
 * leading dimension `stride`), to a panel in memory. */
void iot_lu_apply(const struct iot_lu *lu, int64_t k, const double *low,
                  int64_t stride, double *panel);

/* Rows from block `from` on, between memory and the order on disk with
 * `final` blocks of U. */
void iot_lu_pack(const struct iot_lu *lu, const double *panel, int64_t from,
                 int64_t final, double *slot);
void iot_lu_unpack(const struct iot_lu *lu, const double *slot, int64_t from,
                   int64_t final, double *panel);

/* y (n x m) += the part of U in the slot of factored panel k, times x. */
void iot_lu_multiply_upper(const struct iot_lu *lu, int64_t k,
                           const double *slot, const double *x, int64_t m,
                           double *y);
/* y = interchanges back, times the part of L of panel k, times y. */
void iot_lu_multiply_lower(const struct iot_lu *lu, int64_t k,
                           const double *low, int64_t m, double *y);
/* r -= a (n x width, plain) times rows of panel k of x. */
void iot_lu_subtract(const struct iot_lu *lu, int64_t k, const double *a,
                     const double *x, int64_t m, double *r);

#endif
