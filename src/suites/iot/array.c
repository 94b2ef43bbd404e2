/* suites/iot/array.c - parts of a distributed array. */
#include "suites/iot/array.h"

#include "core/rng.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_subarray(const struct iot_array *array, const int64_t *size,
                         const int64_t *start, MPI_Datatype *type_p)
{
    int sizes[IOT_MAX_DIMS], locals[IOT_MAX_DIMS], starts[IOT_MAX_DIMS], err;

    for (int d = 0; d < array->ndims; d++) {
        sizes[d] = (int)size[d];
        locals[d] = (int)array->local[d];
        starts[d] = (int)start[d];
    }
    err = MPI_Type_create_subarray(array->ndims, sizes, locals, starts,
                                   MPI_ORDER_FORTRAN, MPI_DOUBLE, type_p);
    return err == MPI_SUCCESS ? MPI_Type_commit(type_p) : err;
}

static int make_types(struct iot_array *array)
{
    int64_t held[IOT_MAX_DIMS];
    int err = make_subarray(array, array->size, array->start, &array->filetype);

    for (int d = 0; d < IOT_MAX_DIMS; d++)
        held[d] = array->local[d] + 2 * array->ghost[d];
    if (err == MPI_SUCCESS)
        err = MPI_Type_contiguous((int)array->local[0], MPI_DOUBLE,
                                  &array->column);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&array->column);
    array->memory = array->column;
    array->parts = array->columns;
    if (err == MPI_SUCCESS && array->held > array->count) {
        array->memory = MPI_DATATYPE_NULL;
        array->parts = 1;
        err = make_subarray(array, held, array->ghost, &array->memory);
    }
    return pario_mpi_check(err, "making the types of a subarray");
}

int iot_array_init(struct iot_array *array, const struct iot_set *set, int rank)
{
    *array = (struct iot_array){.ndims = set->ndims,
                                .filetype = MPI_DATATYPE_NULL,
                                .column = MPI_DATATYPE_NULL,
                                .memory = MPI_DATATYPE_NULL,
                                .count = 1,
                                .held = 1};
    for (int d = 0; d < IOT_MAX_DIMS; d++) {
        int inside = d < set->ndims, parts = inside ? (int)set->grid[d] : 1;

        array->size[d] = inside ? set->size[d] : 1;
        array->local[d] = array->size[d] / parts;
        array->start[d] = rank % parts * array->local[d];
        array->ghost[d] = inside ? set->ghost : 0;
        array->stride[d] = array->held;
        rank /= parts;
        array->count *= array->local[d];
        array->held *= array->local[d] + 2 * array->ghost[d];
    }
    if (array->count / array->local[0] > INT_MAX)
        return pario_fail(-EINVAL,
                          "a process's part of the array is too large");
    array->columns = (int)(array->count / array->local[0]);
    array->values = malloc((size_t)array->held * 8);
    if (array->values == NULL)
        return pario_fail_errno(-ENOMEM, "no memory for %lld elements",
                                (long long)array->held);
    iot_array_poison(array);
    return make_types(array);
}

void iot_array_fini(struct iot_array *array)
{
    free(array->values);
    if (array->filetype != MPI_DATATYPE_NULL)
        MPI_Type_free(&array->filetype);
    if (array->memory != MPI_DATATYPE_NULL && array->memory != array->column)
        MPI_Type_free(&array->memory);
    if (array->column != MPI_DATATYPE_NULL)
        MPI_Type_free(&array->column);
    array->values = NULL;
}

/* Element of an array with these strides at which local column c begins. */
static int64_t column_at(const struct iot_array *array, int64_t c,
                         const int64_t *start, const int64_t *stride)
{
    int64_t element = start[0];

    for (int d = 1; d < IOT_MAX_DIMS; d++) {
        element += (start[d] + c % array->local[d]) * stride[d];
        c /= array->local[d];
    }
    return element;
}

int64_t iot_array_column(const struct iot_array *array, int64_t c)
{
    int64_t stride[IOT_MAX_DIMS] = {1};

    for (int d = 1; d < IOT_MAX_DIMS; d++)
        stride[d] = stride[d - 1] * array->size[d - 1];
    return column_at(array, c, array->start, stride);
}

/* The same in memory. */
static double *column_in_memory(const struct iot_array *array, int64_t c)
{
    return array->values + column_at(array, c, array->ghost, array->stride);
}

void iot_array_fill(const struct iot_context *context, struct iot_array *array)
{
    for (int64_t c = 0; c < array->columns; c++)
        iot_values_fill(&context->data, iot_array_column(array, c),
                        column_in_memory(array, c), array->local[0]);
}

void iot_array_poison(struct iot_array *array)
{
    memset(array->values, 0xff, (size_t)array->held * 8);
}

/* Is the element of memory, counted from 0, none of the part's own? */
static int is_ghost(const struct iot_array *array, int64_t element)
{
    for (int d = IOT_MAX_DIMS - 1; d >= 0; d--) {
        int64_t at = element / array->stride[d];

        if (at < array->ghost[d] || at >= array->ghost[d] + array->local[d])
            return 1;
        element -= at * array->stride[d];
    }
    return 0;
}

/* No call may touch what its memory type leaves out. */
static void check_ghosts(const struct iot_array *array,
                         struct pario_figures *figures)
{
    for (int64_t i = 0; i < array->held; i++) {
        uint64_t word;

        memcpy(&word, &array->values[i], sizeof(word));
        if (word == UINT64_MAX || !is_ghost(array, i))
            continue;
        if (figures->wrong_bytes == 0)
            snprintf(figures->wrong, sizeof(figures->wrong),
                     "a read changed a ghost cell, element %lld of the "
                     "process's memory",
                     (long long)i);
        figures->wrong_bytes += 8;
    }
    figures->checked_bytes += (array->held - array->count) * 8;
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
                          column_in_memory(array, c), array->local[0], &rng,
                          figures);
    }
    if (context->run->common.verify != PARIO_VERIFY_OFF &&
        array->held > array->count)
        check_ghosts(array, figures);
}
