/* suites/iot/gatherscat.c - gatherscat2D (6.4): one process does the I/O for
 * all; gather, write, read and scatter are timed apart. */
#include "core/clock.h"
#include "suites/iot/array.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gatherscat {
    struct iot_context *context;
    struct iot_file file;   /* rank 0 */
    struct iot_array array; /* this process's part */
    double *whole;          /* rank 0: all of it, as in the file */
    int *counts, *places;   /* rank 0 */
    MPI_Datatype part;      /* a part within whole, of the extent of a double */
};

/* All parts have one shape: they differ in the place where they begin. */
static int prepare(struct gatherscat *gs)
{
    const struct iot_set *set = gs->context->set;
    int sizes[2] = {(int)set->size[0], (int)set->size[1]};
    int locals[2] = {sizes[0] / set->grid[0], sizes[1] / set->grid[1]};
    int starts[2] = {0, 0}, err, size = gs->context->size;
    MPI_Datatype shape = MPI_DATATYPE_NULL;

    if (gs->context->rank == 0) {
        gs->whole = malloc((size_t)set->file_bytes);
        gs->counts = calloc((size_t)size, sizeof(int));
        gs->places = calloc((size_t)size, sizeof(int));
        if (gs->whole == NULL || gs->counts == NULL || gs->places == NULL)
            return pario_fail_errno(-ENOMEM, "no memory for the whole array");
        for (int r = 0; r < size; r++) {
            gs->counts[r] = 1;
            gs->places[r] = r % set->grid[0] * locals[0] +
                            r / set->grid[0] * locals[1] * sizes[0];
        }
    }
    err = MPI_Type_create_subarray(2, sizes, locals, starts, MPI_ORDER_FORTRAN,
                                   MPI_DOUBLE, &shape);
    if (err == MPI_SUCCESS)
        err = MPI_Type_create_resized(shape, 0, 8, &gs->part);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&gs->part);
    if (shape != MPI_DATATYPE_NULL)
        MPI_Type_free(&shape);
    return pario_mpi_check(err, "making the type of a part");
}

static int timed_gather(struct gatherscat *gs, double *seconds_p)
{
    int64_t begin = pario_clock_ns();
    int err = MPI_Gatherv(gs->array.values, gs->array.columns, gs->array.column,
                          gs->whole, gs->counts, gs->places, gs->part, 0,
                          gs->context->comm);

    *seconds_p = (double)(pario_clock_ns() - begin) * 1e-9;
    return pario_mpi_check(err, "MPI_Gatherv");
}

static int timed_scatter(struct gatherscat *gs, double *seconds_p)
{
    int64_t begin = pario_clock_ns();
    int err = MPI_Scatterv(gs->whole, gs->counts, gs->places, gs->part,
                           gs->array.values, gs->array.columns,
                           gs->array.column, 0, gs->context->comm);

    *seconds_p = (double)(pario_clock_ns() - begin) * 1e-9;
    return pario_mpi_check(err, "MPI_Scatterv");
}

/* Rank 0. */
static int timed_io(struct gatherscat *gs, int writing, double *seconds_p)
{
    int count = (int)(gs->context->set->file_bytes / 8), err;
    MPI_Status status;
    int64_t begin = pario_clock_ns();

    if (writing)
        err = MPI_File_write_at(gs->file.handle, 0, gs->whole, count,
                                MPI_DOUBLE, &status);
    else
        err = MPI_File_read_at(gs->file.handle, 0, gs->whole, count, MPI_DOUBLE,
                               &status);
    *seconds_p = (double)(pario_clock_ns() - begin) * 1e-9;
    return iot_io_check(&gs->file, err, &status, MPI_DOUBLE, count,
                        writing ? "write" : "read");
}

/* Adds one measure of one process or of all; seconds: of the call alone. */
static int record(struct gatherscat *gs, const char *access, double seconds,
                  struct iot_figures *figures)
{
    struct iot_context *context = gs->context;
    int writing = strcmp(access, "write") == 0;
    int io = writing || strcmp(access, "read") == 0;
    int code = iot_timings_time(context, access,
                                io && context->rank > 0 ? -1 : seconds);

    if (code != 0)
        return code;
    figures->access = access;
    figures->active = !io || context->rank == 0;
    figures->partition = io ? 1 : context->size;
    figures->bytes = io ? (context->rank == 0 ? context->set->file_bytes : 0)
                        : gs->array.count * 8;
    figures->operations = io ? context->rank == 0 : 1;
    figures->seconds = seconds + (writing ? gs->file.sync_s : 0);
    figures->messages = !io;
    figures->synced = writing;
    figures->reading = strcmp(access, "read") == 0;
    if (writing)
        figures->extra = iot_write_extra(context, seconds, gs->file.sync_s);
    return iot_record(context, figures);
}

static int write_part(struct gatherscat *gs)
{
    struct iot_context *context = gs->context;
    struct iot_figures figures = {0};
    double gather_s = 0, write_s = 0;
    int first = context->rank == 0, code;

    iot_array_fill(context, &gs->array);
    iot_phase(context, context->set->file_bytes, 0, "gather");
    MPI_Barrier(context->comm);
    code = timed_gather(gs, &gather_s);
    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = record(gs, "gather", gather_s, &figures);
    if (code != 0)
        return code;
    iot_phase(context, context->set->file_bytes, 0, "write");
    if (first)
        code = timed_io(gs, 1, &write_s);
    if (first && code == 0)
        code = iot_file_sync(&gs->file);
    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = iot_file_check_size(context, context->set->file_bytes);
    figures = (struct iot_figures){0};
    if (code == 0)
        code = record(gs, "write", write_s, &figures);
    return code;
}

static int read_part(struct gatherscat *gs)
{
    struct iot_context *context = gs->context;
    struct iot_figures figures = {0};
    double read_s = 0, scatter_s = 0;
    int first = context->rank == 0, code = iot_file_prepare_read(context);

    if (code != 0)
        return code;
    if (first)
        memset(gs->whole, 0xff, (size_t)context->set->file_bytes);
    iot_array_poison(&gs->array);
    iot_phase(context, context->set->file_bytes, 0, "read");
    if (first)
        code = timed_io(gs, 0, &read_s);
    code = pario_agree(context->run->world, code);
    MPI_Barrier(context->comm);
    if (code == 0)
        code = pario_agree(context->run->world, timed_scatter(gs, &scatter_s));
    if (code == 0)
        code = record(gs, "scatter", scatter_s, &figures);
    if (code != 0)
        return code;
    figures = (struct iot_figures){0};
    iot_array_check(context, &gs->array, &figures);
    return record(gs, "read", read_s, &figures);
}

int iot_run_gatherscat(struct iot_context *context)
{
    struct gatherscat gs = {.context = context, .part = MPI_DATATYPE_NULL};
    int first = context->rank == 0;
    int code = iot_array_init(&gs.array, context->set, context->rank);

    if (code == 0)
        code = prepare(&gs);
    code = pario_agree(context->run->world, code);
    if (code == 0) {
        code = iot_file_begin(context, MPI_COMM_SELF, first, IOT_MPI, &gs.file);
        if (code == 0)
            code = write_part(&gs);
        if (code == 0)
            code = read_part(&gs);
        code = iot_file_end(context, &gs.file, first, code);
    }
    if (gs.part != MPI_DATATYPE_NULL)
        MPI_Type_free(&gs.part);
    free(gs.whole);
    free(gs.counts);
    free(gs.places);
    iot_array_fini(&gs.array);
    return code;
}
