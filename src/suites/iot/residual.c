/* suites/iot/residual.c - is it a decomposition of the matrix? */
#include "suites/iot/outofcore.h"

#include "core/rng.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_ORDER 512
#define VECTORS 16

/* The unit vectors, or vectors of random signs. */
static void make_vectors(double *x, int64_t n, int64_t m)
{
    struct pario_rng rng;

    if (x == NULL) /* the caller has failed to allocate, and agrees later */
        return;
    pario_rng_init(&rng, 1);
    for (int64_t i = 0; i < n * m; i++)
        x[i] = pario_rng_next(&rng) >> 63 ? 1 : -1;
    if (m < n)
        return;
    memset(x, 0, (size_t)(n * m) * 8);
    for (int64_t i = 0; i < n; i++)
        x[i + i * n] = 1;
}

static int read_at(const struct iot_file *file, int64_t first, double *buffer,
                   int64_t count)
{
    MPI_Status status;
    int err;

    memset(buffer, 0xff, (size_t)count * 8);
    err = MPI_File_read_at(file->handle, first, buffer, (int)count, MPI_DOUBLE,
                           &status);
    return iot_io_check(file, err, &status, MPI_DOUBLE, (int)count,
                        "read back");
}

/* r = L U x, with the interchanges undone, from the file. */
static int multiply(struct iot_file *file, const struct iot_lu *lu,
                    double *buffer, const double *x, int64_t m, double *r)
{
    int64_t slot = lu->n * lu->width, w = lu->width;
    int code = 0;

    for (int64_t k = 0; code == 0 && k < lu->panels; k++) {
        code = read_at(file, k * slot, buffer, slot);
        if (code == 0)
            iot_lu_multiply_upper(lu, k, buffer, x, m, r);
    }
    for (int64_t k = lu->panels - 1; code == 0 && k >= 0; k--) {
        code =
            read_at(file, k * slot + k * w * w, buffer, iot_lu_rows(lu, k) * w);
        if (code == 0)
            iot_lu_multiply_lower(lu, k, buffer, m, r);
    }
    return code;
}

int iot_outofcore_residual(struct iot_context *context, struct iot_file *file,
                           const struct iot_lu *lu, double *buffer,
                           double *residual_p)
{
    int64_t n = lu->n, m = n <= EXACT_ORDER ? n : VECTORS;
    double *x = malloc((size_t)(n * m) * 8), *r = calloc((size_t)(n * m), 8);
    double norm = 0, residual = 0;
    int code = x != NULL && r != NULL
                   ? 0
                   : pario_fail_errno(-ENOMEM, "no memory for the residual");

    if (code == 0) {
        make_vectors(x, n, m);
        code = multiply(file, lu, buffer, x, m, r);
    }
    for (int64_t k = 0; code == 0 && k < lu->panels; k++) {
        iot_values_fill(&context->data, k * n * lu->width, buffer,
                        n * lu->width);
        for (int64_t i = 0; i < n * lu->width; i++)
            norm += buffer[i] * buffer[i];
        iot_lu_subtract(lu, k, buffer, x, m, r);
    }
    for (int64_t i = 0; code == 0 && r != NULL && i < n * m; i++)
        residual += r[i] * r[i];
    if (m < n)
        residual /= (double)m;
    free(x);
    free(r);
    if (code == 0)
        *residual_p = sqrt(residual) / (sqrt(norm) * (double)n * DBL_EPSILON);
    return code;
}
