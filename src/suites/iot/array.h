/* suites/iot/array.h - one process's part of a distributed 2D, 3D or 4D array
 * (6.2): x varies fastest in the file, as a single process would write it in
 * column order. In memory the part may lie between ghost cells, which are
 * neither written nor read. */
#ifndef PARIO_IOT_ARRAY_H
#define PARIO_IOT_ARRAY_H

#include "suites/iot/file.h"

struct iot_array {
    int ndims;
    int64_t size[IOT_MAX_DIMS], local[IOT_MAX_DIMS]; /* 1 beyond ndims */
    int64_t start[IOT_MAX_DIMS];                     /* 0 beyond ndims */
    int64_t ghost[IOT_MAX_DIMS];  /* cells on each side; 0 beyond ndims */
    int64_t stride[IOT_MAX_DIMS]; /* in memory, elements */
    int64_t count;                /* local elements */
    int64_t held;                 /* in memory, with the ghost cells */
    double *values;               /* held of them, x fastest */
    MPI_Datatype filetype;        /* this part within the file */
    MPI_Datatype column;          /* local[0] doubles in memory */
    int columns;                  /* of them */
    MPI_Datatype memory;          /* what a call moves: parts of it, the */
    int parts;                    /* columns or one subarray */
};

/* Local. The part of `rank` in the grid, x fastest. Frees with _fini. */
int iot_array_init(struct iot_array *array, const struct iot_set *set,
                   int rank) PARIO_MUST_USE;
void iot_array_fini(struct iot_array *array);

/* Local. Element of the file at which local column c begins. */
int64_t iot_array_column(const struct iot_array *array, int64_t c);

/* Local. Values that tell their place; nothing stale, nor in ghost cells;
 * checked as --verify, and that ghost cells are as they were. */
void iot_array_fill(const struct iot_context *context, struct iot_array *array);
void iot_array_poison(struct iot_array *array);
void iot_array_check(const struct iot_context *context,
                     const struct iot_array *array,
                     struct pario_figures *figures);

#endif
