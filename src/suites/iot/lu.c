/* suites/iot/lu.c - dense kernels by LAPACK and BLAS. */
#include "suites/iot/lu.h"

#include <cblas.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int iot_lu_init(struct iot_lu *lu, int64_t n, int64_t width)
{
    *lu = (struct iot_lu){.n = n, .width = width, .panels = n / width};
    lu->pivots = calloc((size_t)n, sizeof(*lu->pivots));
    return lu->pivots != NULL ? 0
                              : pario_fail_errno(-ENOMEM, "no memory for the "
                                                          "pivots");
}

void iot_lu_fini(struct iot_lu *lu)
{
    free(lu->pivots);
    lu->pivots = NULL;
}

void iot_lu_threads(int processes_on_node)
{
    if (processes_on_node > 1)
        openblas_set_num_threads(1);
}

int iot_lu_factor(struct iot_lu *lu, int64_t k, double *panel)
{
    lapack_int info = LAPACKE_dgetrf_work(
        LAPACK_COL_MAJOR, (lapack_int)iot_lu_rows(lu, k), (lapack_int)lu->width,
        panel + k * lu->width, (lapack_int)lu->n, lu->pivots + k * lu->width);

    if (info != 0)
        return pario_fail(PARIO_EVERIFY, "the matrix is singular (panel %lld)",
                          (long long)k);
    return 0;
}

void iot_lu_apply(const struct iot_lu *lu, int64_t k, const double *low,
                  int64_t stride, double *panel)
{
    int64_t first = k * lu->width, below = lu->n - first - lu->width;
    int n = (int)lu->n, w = (int)lu->width;

    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, w, panel + first, n, 1, w,
                        lu->pivots + first, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit,
                w, w, 1, low, (int)stride, panel + first, n);
    if (below > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)below, w, w,
                    -1, low + w, (int)stride, panel + first, n, 1,
                    panel + first + w, n);
}

/* rows x width between leading dimensions. */
static void copy_rows(const double *from, int64_t from_stride, double *to,
                      int64_t to_stride, int64_t rows, int64_t width)
{
    for (int64_t c = 0; c < width; c++)
        memcpy(to + c * to_stride, from + c * from_stride, (size_t)rows * 8);
}

void iot_lu_pack(const struct iot_lu *lu, const double *panel, int64_t from,
                 int64_t final, double *slot)
{
    int64_t w = lu->width, rest = lu->n - final * w;

    for (int64_t b = from; b < final; b++, slot += w * w)
        copy_rows(panel + b * w, lu->n, slot, w, w, w);
    copy_rows(panel + final * w, lu->n, slot, rest, rest, w);
}

void iot_lu_unpack(const struct iot_lu *lu, const double *slot, int64_t from,
                   int64_t final, double *panel)
{
    int64_t w = lu->width, rest = lu->n - final * w;

    for (int64_t b = from; b < final; b++, slot += w * w)
        copy_rows(slot, w, panel + b * w, lu->n, w, w);
    copy_rows(slot, rest, panel + final * w, lu->n, rest, w);
}

void iot_lu_multiply_upper(const struct iot_lu *lu, int64_t k,
                           const double *slot, const double *x, int64_t m,
                           double *y)
{
    int64_t w = lu->width, rows = iot_lu_rows(lu, k);
    const double *mine = x + k * w, *low = slot + k * w * w;
    int n = (int)lu->n;

    for (int64_t b = 0; b < k; b++)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)w, (int)m,
                    (int)w, 1, slot + b * w * w, (int)w, mine, n, 1, y + b * w,
                    n);
    for (int64_t c = 0; c < m; c++)
        for (int64_t j = 0; j < w; j++)
            for (int64_t i = 0; i <= j; i++)
                y[k * w + i + c * n] += low[i + j * rows] * mine[j + c * n];
}

void iot_lu_multiply_lower(const struct iot_lu *lu, int64_t k,
                           const double *low, int64_t m, double *y)
{
    int64_t w = lu->width, rows = iot_lu_rows(lu, k);
    double *mine = y + k * w;
    int n = (int)lu->n;

    if (rows > w)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)(rows - w),
                    (int)m, (int)w, 1, low + w, (int)rows, mine, n, 1, mine + w,
                    n);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit,
                (int)w, (int)m, 1, low, (int)rows, mine, n);
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, (lapack_int)m, mine, n, 1,
                        (lapack_int)w, lu->pivots + k * w, -1);
}

void iot_lu_subtract(const struct iot_lu *lu, int64_t k, const double *a,
                     const double *x, int64_t m, double *r)
{
    int n = (int)lu->n, w = (int)lu->width;

    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, (int)m, w, -1, a,
                n, x + k * w, n, 1, r, n);
}
