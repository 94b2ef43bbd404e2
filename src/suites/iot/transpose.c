/* suites/iot/transpose.c - transpose (6.6): an array is written as it is
 * distributed and read back transposed; messages do the same for comparison
 * and for checking. */
#include "core/clock.h"
#include "suites/iot/array.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 32 /* 2 x 8 KiB: a tile and its transpose stay in the cache */

/*
 * The array A has N x M elements; process r of P holds rows r*n .. of A,
 * n = N/P, and shall hold rows r*m .. of the transpose B, m = M/P: local
 * element (i, j) of B, i fastest, is A(j, r*m + i).
 */
struct transpose {
    struct iot_context *context;
    struct iot_file file;
    struct iot_array array; /* n x M of A */
    int64_t n, m, N;
    double *read, *sent, *received; /* m x N each */
    MPI_Datatype column;            /* a column of A as a row of B in memory */
    double call_s, internal_s;      /* of the last call, on this rank */
    double view_s, io_s;            /* the parts of a read's call_s */
};

static int prepare(struct transpose *t)
{
    size_t bytes;
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    int err;

    t->N = t->context->set->size[0];
    t->n = t->N / t->context->size;
    t->m = t->context->set->size[1] / t->context->size;
    if (t->n * t->m > INT_MAX)
        return pario_fail(-EINVAL,
                          "a process's part of the array is too large");
    bytes = (size_t)(t->m * t->N) * 8;
    t->read = malloc(bytes);
    t->sent = malloc(bytes);
    t->received = malloc(bytes);
    if (t->read == NULL || t->sent == NULL || t->received == NULL)
        return pario_fail_errno(-ENOMEM, "no memory for the transposed array");
    err = MPI_Type_vector((int)t->N, 1, (int)t->m, MPI_DOUBLE, &vector);
    if (err == MPI_SUCCESS)
        err = MPI_Type_create_resized(vector, 0, 8, &t->column);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&t->column);
    if (vector != MPI_DATATYPE_NULL)
        MPI_Type_free(&vector);
    return pario_mpi_check(err, "making the type of a column");
}

static int timed_write(void *arg, struct pario_phase *phase)
{
    struct transpose *t = arg;
    struct iot_array *array = &t->array;
    MPI_File fh = t->file.handle;
    MPI_Status status;
    int64_t begin = pario_clock_ns();
    int err = t->context->set->collective
                  ? MPI_File_write_all(fh, array->values, array->columns,
                                       array->column, &status)
                  : MPI_File_write(fh, array->values, array->columns,
                                   array->column, &status);

    t->call_s = pario_clock_since_s(begin);
    iot_phase_moved(phase, array->count * 8, 1);
    return iot_io_check(&t->file, err, &status, array->column, array->columns,
                        "write");
}

/* The view gives the columns that become this process's rows, the memory type
 * puts them there: both are the price of reading it transposed. */
static int timed_read(void *arg, struct pario_phase *phase)
{
    struct transpose *t = arg;
    MPI_File fh = t->file.handle;
    MPI_Status status;
    int64_t begin = pario_clock_ns(), middle, end;
    int code =
        iot_file_view(&t->file, t->context->rank * t->m * t->N * 8, MPI_DOUBLE);
    int err;

    middle = pario_clock_ns();
    err = t->context->set->collective
              ? MPI_File_read_all(fh, t->read, (int)t->m, t->column, &status)
              : MPI_File_read(fh, t->read, (int)t->m, t->column, &status);
    end = pario_clock_ns();
    t->view_s = (double)(middle - begin) * 1e-9;
    t->io_s = (double)(end - middle) * 1e-9;
    t->call_s = (double)(end - begin) * 1e-9;
    iot_phase_moved(phase, t->array.count * 8, 1);
    if (code != 0)
        return code;
    return iot_io_check(&t->file, err, &status, t->column, (int)t->m, "read");
}

static int sync_array(void *arg)
{
    return iot_file_sync(&((struct transpose *)arg)->file);
}

/* to (m x n, m fastest) = transpose of from (n x m, n fastest). */
static void transpose_block(const double *from, double *to, int64_t n,
                            int64_t m)
{
    for (int64_t a0 = 0; a0 < n; a0 += TILE)
        for (int64_t b0 = 0; b0 < m; b0 += TILE)
            for (int64_t a = a0; a < a0 + TILE && a < n; a++)
                for (int64_t b = b0; b < b0 + TILE && b < m; b++)
                    to[b + m * a] = from[a + n * b];
}

/* What a process sends to each other is contiguous already; what it receives
 * is transposed block by block. */
static int timed_internal(struct transpose *t)
{
    int64_t block = t->n * t->m, begin = pario_clock_ns();
    int err = MPI_Alltoall(t->array.values, (int)block, MPI_DOUBLE, t->received,
                           (int)block, MPI_DOUBLE, t->context->comm);

    for (int s = 0; err == MPI_SUCCESS && s < t->context->size; s++)
        transpose_block(t->received + s * block, t->sent + s * block, t->n,
                        t->m);
    t->internal_s = pario_clock_since_s(begin);
    return pario_mpi_check(err, "MPI_Alltoall");
}

/* Column by column of A; both ways must have given the same bits. */
static int compare(const struct transpose *t, struct pario_figures *figures)
{
    int64_t first = t->context->rank * t->m;
    double *column = malloc((size_t)t->N * 8);

    if (column == NULL)
        return pario_fail_errno(-ENOMEM, "no memory");
    for (int64_t i = 0; i < t->m; i++) {
        struct iot_expected expected =
            iot_expect(&t->context->data, (first + i) * t->N);

        for (int64_t j = 0; j < t->N; j++)
            column[j] = t->read[i + j * t->m];
        iot_values_check(&expected, 0, column, t->N, figures);
    }
    free(column);
    if (memcmp(t->read, t->sent, (size_t)(t->m * t->N) * 8) != 0 &&
        figures->wrong_bytes == 0) {
        figures->wrong_bytes = 8;
        snprintf(figures->wrong, sizeof(figures->wrong),
                 "the array transposed by messages differs from the one read "
                 "back transposed");
    }
    return 0;
}

static int check_written(void *arg, struct pario_phase *phase)
{
    const struct transpose *t = arg;

    (void)phase;
    return iot_file_check_size(t->context, t->context->set->file_bytes);
}

/* Messages do the same, to be compared with. */
static int check_read(void *arg, struct pario_phase *phase)
{
    struct transpose *t = arg;
    struct iot_context *context = t->context;
    int code;

    iot_phase(context, context->set->file_bytes, 0, "transpose by messages");
    MPI_Barrier(context->comm);
    code = pario_agree(context->run->world, timed_internal(t));
    if (code == 0 && context->run->common.verify != PARIO_VERIFY_OFF)
        code = compare(t, &phase->figures);
    return code;
}

static const struct pario_phase_calls write_calls = {
    .loop = timed_write, .sync = sync_array, .check = check_written};
static const struct pario_phase_calls read_calls = {.loop = timed_read,
                                                    .check = check_read};

static int write_part(struct transpose *t)
{
    struct iot_context *context = t->context;
    struct pario_phase phase = iot_phase_of(context, 1);
    int code;

    phase.read_later = 1;
    iot_array_fill(context, &t->array);
    iot_phase(context, context->set->file_bytes,
              (double)t->array.columns * context->size * IOT_CALL_S, "write");
    code = pario_phase_run(&phase, &write_calls, t);
    if (code == 0)
        code = iot_timings_time(context, "write", t->call_s);
    if (code != 0)
        return code;
    return iot_record(context, &phase, "write",
                      iot_write_extra(context, t->call_s, t->file.sync_s));
}

static int read_part(struct transpose *t)
{
    struct iot_context *context = t->context;
    struct pario_phase phase = iot_phase_of(context, 0);
    struct iot_extra extras[] = {
        {"view_seconds", 0}, {"io_seconds", 0}, {"call_seconds", 0}, {NULL, 0}};
    int code;

    memset(t->read, 0xff, (size_t)(t->m * t->N) * 8);
    iot_phase(context, context->set->file_bytes, 0, "transposed read");
    code = pario_phase_run(&phase, &read_calls, t);
    if (code == 0)
        code = iot_timings_time(context, "internal", t->internal_s);
    if (code == 0)
        code = iot_record_messages(context, "internal", t->array.count * 8,
                                   t->internal_s);
    if (code == 0)
        code = iot_timings_time(context, "read", t->call_s);
    if (code != 0)
        return code;
    extras[0].mine = t->view_s;
    extras[1].mine = t->io_s;
    extras[2].mine = t->call_s;
    return iot_record(context, &phase, "read", iot_greatest(context, extras));
}

int iot_run_transpose(struct iot_context *context)
{
    struct transpose t = {.context = context, .column = MPI_DATATYPE_NULL};
    int code = iot_array_init(&t.array, context->set, context->rank);

    if (code == 0)
        code = prepare(&t);
    code = pario_agree(context->run->world, code);
    if (code == 0) {
        code = iot_file_begin(context, context->comm, 1, IOT_MPI, &t.file);
        if (code == 0)
            code = pario_agree(context->run->world,
                               iot_file_view(&t.file, 0, t.array.filetype));
        if (code == 0)
            code = write_part(&t);
        if (code == 0)
            code = read_part(&t);
        code = iot_file_end(context, &t.file, 1, code);
    }
    if (t.column != MPI_DATATYPE_NULL)
        MPI_Type_free(&t.column);
    free(t.read);
    free(t.sent);
    free(t.received);
    iot_array_fini(&t.array);
    return code;
}
