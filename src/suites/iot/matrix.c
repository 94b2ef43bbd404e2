/* suites/iot/matrix.c - matrix2D and matrix3D (6.2), and matrix4D: the whole
 * array in one call, through a view of each process's part. */
#include "core/clock.h"
#include "core/rng.h"
#include "suites/iot/array.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 65536      /* doubles that are read back at once */
#define SAMPLED_CHUNKS 8 /* of each reader, unless --verify full */

struct matrix {
    struct iot_context *context;
    struct iot_file file;
    struct iot_array array;
    int writing;
    double call_s; /* of the last call, on this rank */
};

/* The single operation that is timed (6.2.1). */
static int timed_call(void *arg, struct pario_phase *phase)
{
    struct matrix *matrix = arg;
    struct iot_array *array = &matrix->array;
    MPI_File fh = matrix->file.handle;
    int collective = matrix->context->set->collective, err;
    MPI_Status status;
    int64_t begin = pario_clock_ns();

    if (matrix->writing && collective)
        err = MPI_File_write_all(fh, array->values, array->parts, array->memory,
                                 &status);
    else if (matrix->writing)
        err = MPI_File_write(fh, array->values, array->parts, array->memory,
                             &status);
    else if (collective)
        err = MPI_File_read_all(fh, array->values, array->parts, array->memory,
                                &status);
    else
        err = MPI_File_read(fh, array->values, array->parts, array->memory,
                            &status);
    matrix->call_s = pario_clock_since_s(begin);
    iot_phase_moved(phase, array->count * 8, 1);
    return iot_io_check(&matrix->file, err, &status, array->memory,
                        array->parts, matrix->writing ? "write" : "read");
}

static int sync_matrix(void *arg)
{
    return iot_file_sync(&((struct matrix *)arg)->file);
}

/* Without collective buffering each column of each process is a call. */
static double pieces_s(const struct matrix *matrix)
{
    return (double)matrix->array.columns * matrix->context->size * IOT_CALL_S;
}

/* Reads elements [first, end) as one stream and checks what it reads. */
static int read_stream(struct iot_context *context, struct iot_file *file,
                       int64_t first, int64_t end,
                       struct pario_figures *figures)
{
    int64_t chunks = (end - first + CHUNK - 1) / CHUNK;
    int64_t step = context->run->common.verify == PARIO_VERIFY_FULL
                       ? 1
                       : (chunks + SAMPLED_CHUNKS - 1) / SAMPLED_CHUNKS;
    double *buffer = malloc((size_t)CHUNK * 8);
    int code = 0;

    if (buffer == NULL)
        return pario_fail_errno(-ENOMEM, "no memory");
    for (int64_t c = 0; code == 0 && c < chunks; c += step) {
        int64_t at = first + c * CHUNK;
        int count = (int)(end - at < CHUNK ? end - at : CHUNK);
        MPI_Status status;
        int err;

        memset(buffer, 0xff, (size_t)count * 8);
        err = MPI_File_read_at(file->handle, at, buffer, count, MPI_DOUBLE,
                               &status);
        code = iot_io_check(file, err, &status, MPI_DOUBLE, count, "read back");
        if (code == 0) {
            struct iot_expected expected = iot_expect(&context->data, at);

            iot_values_check(&expected, 0, buffer, count, figures);
        }
    }
    free(buffer);
    return code;
}

/* 6.2: the file can be read on another number of processes. Half of them
 * read it, in slabs and without a view. */
static int read_by_others(struct iot_context *context,
                          struct pario_figures *figures)
{
    int readers = context->size > 1 ? context->size / 2 : 1;
    int reads = context->rank < readers;
    int64_t total = context->set->file_bytes / 8;
    MPI_Comm comm = MPI_COMM_NULL;
    struct iot_file file;
    int code, close_code = 0;

    if (context->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    code =
        pario_mpi_check(MPI_Comm_split(context->comm, reads ? 0 : MPI_UNDEFINED,
                                       context->rank, &comm),
                        "MPI_Comm_split");
    iot_phase(context, context->set->file_bytes, 0, "read by other processes");
    if (code == 0 && reads) {
        code = iot_file_reopen(context, comm, &file);
        if (code == 0) {
            code = read_stream(context, &file, total * context->rank / readers,
                               total * (context->rank + 1) / readers, figures);
            close_code = iot_file_close(&file);
        }
    }
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    return pario_agree(context->run->world, code != 0 ? code : close_code);
}

static int check(void *arg, struct pario_phase *phase)
{
    struct matrix *matrix = arg;
    struct iot_context *context = matrix->context;

    if (matrix->writing)
        return iot_file_check_size(context, context->set->file_bytes);
    iot_array_check(context, &matrix->array, &phase->figures);
    return read_by_others(context, &phase->figures);
}

static const struct pario_phase_calls calls = {
    .loop = timed_call, .sync = sync_matrix, .check = check};

static int part(struct matrix *matrix, int writing)
{
    struct iot_context *context = matrix->context;
    struct pario_phase phase = iot_phase_of(context, writing);
    const char *access = writing ? "write" : "read";
    int code = 0;

    matrix->writing = writing;
    phase.read_later = writing;
    if (writing) {
        iot_array_fill(context, &matrix->array);
    } else {
        iot_array_poison(&matrix->array);
        code =
            pario_mpi_check(MPI_File_seek(matrix->file.handle, 0, MPI_SEEK_SET),
                            "MPI_File_seek");
        code = pario_agree(context->run->world, code);
    }
    iot_phase(context, context->set->file_bytes, pieces_s(matrix), access);
    if (code == 0)
        code = pario_phase_run(&phase, &calls, matrix);
    if (code == 0)
        code = iot_timings_time(context, access, matrix->call_s);
    if (code != 0)
        return code;
    return iot_record(
        context, &phase, access,
        writing ? iot_write_extra(context, matrix->call_s, matrix->file.sync_s)
                : NULL);
}

int iot_run_matrix(struct iot_context *context)
{
    struct matrix matrix = {.context = context};
    int64_t begin;
    int code = iot_array_init(&matrix.array, context->set, context->rank);

    code = pario_agree(context->run->world, code);
    if (code != 0) {
        iot_array_fini(&matrix.array);
        return code;
    }
    code = iot_file_begin(context, context->comm, 1, IOT_MPI, &matrix.file);
    if (code == 0) {
        begin = pario_clock_ns();
        code =
            pario_agree(context->run->world,
                        iot_file_view(&matrix.file, 0, matrix.array.filetype));
        matrix.file.pre_s += pario_clock_since_s(begin);
    }
    if (code == 0)
        code = part(&matrix, 1);
    if (code == 0)
        code = part(&matrix, 0);
    code = iot_file_end(context, &matrix.file, 1, code);
    iot_array_fini(&matrix.array);
    return code;
}
