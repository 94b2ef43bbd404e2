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
    double call_s, scatter_s; /* of the last, on this rank */
};

/* All parts have one shape: they differ in the place where they begin. */
static int prepare(struct gatherscat *gs)
{
    const struct iot_set *set = gs->context->set;
    int sizes[2] = {(int)set->size[0], (int)set->size[1]};
    int columns = (int)set->grid[0], rows = (int)set->grid[1];
    int locals[2] = {sizes[0] / columns, sizes[1] / rows};
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
            gs->places[r] =
                r % columns * locals[0] + r / columns * locals[1] * sizes[0];
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

    *seconds_p = pario_clock_since_s(begin);
    return pario_mpi_check(err, "MPI_Gatherv");
}

static int timed_scatter(struct gatherscat *gs)
{
    int64_t begin = pario_clock_ns();
    int err = MPI_Scatterv(gs->whole, gs->counts, gs->places, gs->part,
                           gs->array.values, gs->array.columns,
                           gs->array.column, 0, gs->context->comm);

    gs->scatter_s = pario_clock_since_s(begin);
    return pario_mpi_check(err, "MPI_Scatterv");
}

/* Rank 0 works for all. */
static int timed_io(void *arg, struct pario_phase *phase)
{
    struct gatherscat *gs = arg;
    int count = (int)(gs->context->set->file_bytes / 8), err;
    MPI_Status status;
    int64_t begin = pario_clock_ns();

    if (phase->idle)
        return 0;
    if (phase->writing)
        err = MPI_File_write_at(gs->file.handle, 0, gs->whole, count,
                                MPI_DOUBLE, &status);
    else
        err = MPI_File_read_at(gs->file.handle, 0, gs->whole, count, MPI_DOUBLE,
                               &status);
    gs->call_s = pario_clock_since_s(begin);
    iot_phase_moved(phase, gs->context->set->file_bytes, 1);
    return iot_io_check(&gs->file, err, &status, MPI_DOUBLE, count,
                        phase->writing ? "write" : "read");
}

static int sync_whole(void *arg)
{
    struct gatherscat *gs = arg;

    return gs->context->rank == 0 ? iot_file_sync(&gs->file) : 0;
}

/* What was read is scattered and checked where it belongs. */
static int check(void *arg, struct pario_phase *phase)
{
    struct gatherscat *gs = arg;
    struct iot_context *context = gs->context;
    int code;

    if (phase->writing)
        return iot_file_check_size(context, context->set->file_bytes);
    MPI_Barrier(context->comm);
    code = timed_scatter(gs);
    if (code == 0)
        iot_array_check(context, &gs->array, &phase->figures);
    return code;
}

static const struct pario_phase_calls calls = {
    .loop = timed_io, .sync = sync_whole, .check = check};

static int run_io(struct gatherscat *gs, struct pario_phase *phase,
                  const char *access)
{
    struct iot_context *context = gs->context;
    int code;

    phase->idle = context->rank > 0;
    phase->idlers = context->size > 1;
    iot_phase(context, context->set->file_bytes, 0, access);
    code = pario_phase_run(phase, &calls, gs);
    if (code == 0)
        code = iot_timings_time(context, access, phase->idle ? -1 : gs->call_s);
    return code;
}

static int write_part(struct gatherscat *gs)
{
    struct iot_context *context = gs->context;
    struct pario_phase phase = iot_phase_of(context, 1);
    double gather_s = 0;
    int code;

    phase.read_later = 1;
    iot_array_fill(context, &gs->array);
    iot_phase(context, context->set->file_bytes, 0, "gather");
    MPI_Barrier(context->comm);
    code = pario_agree(context->run->world, timed_gather(gs, &gather_s));
    if (code == 0)
        code = iot_timings_time(context, "gather", gather_s);
    if (code == 0)
        code = iot_record_messages(context, "gather", gs->array.count * 8,
                                   gather_s);
    if (code == 0)
        code = run_io(gs, &phase, "write");
    if (code != 0)
        return code;
    return iot_record(context, &phase, "write",
                      iot_write_extra(context, gs->call_s, gs->file.sync_s));
}

static int read_part(struct gatherscat *gs)
{
    struct iot_context *context = gs->context;
    struct pario_phase phase = iot_phase_of(context, 0);
    int code;

    if (context->rank == 0)
        memset(gs->whole, 0xff, (size_t)context->set->file_bytes);
    iot_array_poison(&gs->array);
    code = run_io(gs, &phase, "read");
    if (code == 0)
        code = iot_timings_time(context, "scatter", gs->scatter_s);
    if (code == 0)
        code = iot_record_messages(context, "scatter", gs->array.count * 8,
                                   gs->scatter_s);
    return code != 0 ? code : iot_record(context, &phase, "read", NULL);
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
