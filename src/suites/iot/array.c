/* suites/iot/array.c - parts of a distributed array. */
#include "suites/iot/array.h"

#include "core/rng.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int make_types(struct iot_array *array)
{
    int sizes[3] = {0}, locals[3] = {0}, starts[3] = {0}, err;

    for (int d = 0; d < array->ndims; d++) {
        sizes[d] = (int)array->size[d];
        locals[d] = (int)array->local[d];
        starts[d] = (int)array->start[d];
    }
    err = MPI_Type_create_subarray(array->ndims, sizes, locals, starts,
                                   MPI_ORDER_FORTRAN, MPI_DOUBLE,
                                   &array->filetype);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&array->filetype);
    if (err == MPI_SUCCESS)
        err = MPI_Type_contiguous(locals[0], MPI_DOUBLE, &array->column);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&array->column);
    return pario_mpi_check(err, "making the types of a subarray");
}

int iot_array_init(struct iot_array *array, const struct iot_set *set, int rank)
{
    *array = (struct iot_array){.ndims = set->ndims,
                                .filetype = MPI_DATATYPE_NULL,
                                .column = MPI_DATATYPE_NULL,
                                .count = 1};
    for (int d = 0; d < 3; d++) {
        int inside = d < set->ndims, parts = inside ? (int)set->grid[d] : 1;

        array->size[d] = inside ? set->size[d] : 1;
        array->local[d] = array->size[d] / parts;
        array->start[d] = rank % parts * array->local[d];
        rank /= parts;
        array->count *= array->local[d];
    }
    if (array->count / array->local[0] > INT_MAX)
        return pario_fail(-EINVAL,
                          "a process's part of the array is too large");
    array->columns = (int)(array->count / array->local[0]);
    array->values = malloc((size_t)array->count * 8);
    if (array->values == NULL)
        return pario_fail_errno(-ENOMEM, "no memory for %lld elements",
                                (long long)array->count);
    return make_types(array);
}

void iot_array_fini(struct iot_array *array)
{
    free(array->values);
    if (array->filetype != MPI_DATATYPE_NULL)
        MPI_Type_free(&array->filetype);
    if (array->column != MPI_DATATYPE_NULL)
        MPI_Type_free(&array->column);
    array->values = NULL;
}

int64_t iot_array_column(const struct iot_array *array, int64_t c)
{
    int64_t y = array->start[1] + c % array->local[1];
    int64_t z = array->start[2] + c / array->local[1];

    return array->start[0] + array->size[0] * (y + array->size[1] * z);
}

void iot_array_fill(const struct iot_context *context, struct iot_array *array)
{
    for (int64_t c = 0; c < array->columns; c++)
        iot_values_fill(&context->data, iot_array_column(array, c),
                        array->values + c * array->local[0], array->local[0]);
}

void iot_array_poison(struct iot_array *array)
{
    memset(array->values, 0xff, (size_t)array->count * 8);
}

void iot_array_check(const struct iot_context *context,
                     const struct iot_array *array,
                     struct pario_figures *figures)
{
    struct pario_rng rng;

    pario_rng_init(&rng, (uint64_t)context->run->common.seed);
    for (int64_t c = 0; c < array->columns; c++) {
        struct iot_expected column =
            iot_expect(&context->data, iot_array_column(array, c));

        iot_values_sample(context->run->common.verify, &column,
                          array->values + c * array->local[0], array->local[0],
                          &rng, figures);
    }
}
