/* suites/iot/irregular.c - irregular (6.7.2): nodal and element data of an
 * unstructured mesh, one array a variable, through indexed file views; and
 * for comparison in the global order after a redistribution. */
#include "core/clock.h"
#include "suites/iot/exchange.h"
#include "suites/iot/file.h"
#include "suites/iot/mesh.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REWRITTEN (1u << 19) /* file number of the data written second */

/* Numbers of this process, how they lie in the file and how they travel. */
struct part {
    const int32_t *numbers;
    int64_t count, total;
    MPI_Datatype filetype; /* MPI_DOUBLE where this process has none */
    struct iot_exchange exchange;
};

enum { OWNED, TOUCHED, TRIANGLES, PARTS };

/* One of the four ways the variables go. */
struct way {
    const char *access;
    int writing, global;
    int rewritten; /* the data written second */
};

struct irregular {
    struct iot_context *context;
    struct iot_file file;
    struct iot_mesh mesh;
    struct part part[PARTS];
    double *values, *share; /* all variables of this process; one share */
    const struct way *way;  /* under way */
    double view_s, io_s, exchange_s; /* of it, on this process */
    double setup_s;
};

/* Runs of successive numbers are one piece of the view. */
static int make_filetype(struct part *part)
{
    int *lengths, *places, runs = 0, err;

    part->filetype = MPI_DOUBLE;
    if (part->count == 0)
        return 0;
    lengths = malloc((size_t)part->count * sizeof(int));
    places = malloc((size_t)part->count * sizeof(int));
    if (lengths == NULL || places == NULL) {
        free(lengths);
        free(places);
        return pario_fail_errno(-ENOMEM, "no memory for a view");
    }
    for (int64_t i = 0; i < part->count; i++) {
        if (runs > 0 &&
            part->numbers[i] == places[runs - 1] + lengths[runs - 1]) {
            lengths[runs - 1]++;
        } else {
            places[runs] = part->numbers[i];
            lengths[runs++] = 1;
        }
    }
    err = MPI_Type_indexed(runs, lengths, places, MPI_DOUBLE, &part->filetype);
    if (err == MPI_SUCCESS)
        err = MPI_Type_commit(&part->filetype);
    free(lengths);
    free(places);
    return pario_mpi_check(err, "making an indexed type");
}

static int make_parts(struct irregular *ir)
{
    struct iot_mesh *mesh = &ir->mesh;
    struct part parts[PARTS] = {
        [OWNED] = {.numbers = mesh->owned,
                   .count = mesh->nowned,
                   .total = mesh->nodes},
        [TOUCHED] = {.numbers = mesh->touched,
                     .count = mesh->ntouched,
                     .total = mesh->nodes},
        [TRIANGLES] = {.numbers = mesh->triangles,
                       .count = mesh->ntriangles,
                       .total = mesh->elements},
    };
    int64_t begin, most_share = 1;
    int code = 0;

    memcpy(ir->part, parts, sizeof(parts));
    for (int p = 0; code == 0 && p < PARTS; p++)
        code = make_filetype(&ir->part[p]);
    code = pario_agree(ir->context->run->world, code);
    begin = pario_clock_ns();
    for (int p = 0; code == 0 && p < PARTS; p++) {
        struct part *part = &ir->part[p];

        code = iot_exchange_init(&part->exchange, ir->context->comm,
                                 part->numbers, part->count, part->total);
        code = pario_agree(ir->context->run->world, code);
        if (part->exchange.share > most_share)
            most_share = part->exchange.share;
    }
    ir->setup_s = pario_clock_since_s(begin);
    ir->values =
        malloc((size_t)(ir->context->set->nodal * mesh->ntouched +
                        ir->context->set->elemental * mesh->ntriangles + 1) *
               8);
    ir->share = malloc((size_t)most_share * 8);
    if (code == 0 && (ir->values == NULL || ir->share == NULL))
        code = pario_fail_errno(-ENOMEM, "no memory for a variable");
    return pario_agree(ir->context->run->world, code);
}

/* Variable v: first the nodal ones, one array after the other. */
static int64_t first_of(const struct irregular *ir, int v)
{
    int64_t nodal = ir->context->set->nodal;

    return v < nodal ? v * ir->mesh.nodes
                     : nodal * ir->mesh.nodes + (v - nodal) * ir->mesh.elements;
}

static struct part *part_of(struct irregular *ir, int v)
{
    if (v >= ir->context->set->nodal)
        return &ir->part[TRIANGLES];
    return &ir->part[ir->way->writing ? OWNED : TOUCHED];
}

static int variables(const struct irregular *ir)
{
    return (int)(ir->context->set->nodal + ir->context->set->elemental);
}

static struct pario_data data_of(const struct irregular *ir)
{
    struct pario_data data = ir->context->data;

    data.file |= ir->way->rewritten ? REWRITTEN : 0;
    return data;
}

/* Before the time. */
static void fill(struct irregular *ir)
{
    struct pario_data data = data_of(ir);
    double *values = ir->values;

    for (int v = 0; v < variables(ir); v++) {
        const struct part *part = part_of(ir, v);

        for (int64_t i = 0; i < part->count; i++)
            values[i] =
                ir->way->writing
                    ? iot_element(&data, first_of(ir, v) + part->numbers[i])
                    : NAN; /* nothing stale passes for data read */
        values += part->count;
    }
}

/* After the time. */
static int check(void *arg, struct pario_phase *phase)
{
    struct irregular *ir = arg;
    struct pario_data data = data_of(ir);
    const double *values = ir->values;

    if (phase->writing)
        return iot_file_check_size(ir->context, ir->context->set->file_bytes);
    if (ir->context->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    for (int v = 0; v < variables(ir); v++) {
        const struct part *part = part_of(ir, v);

        for (int64_t i = 0; i < part->count; i++) {
            struct iot_expected expected =
                iot_expect(&data, first_of(ir, v) + part->numbers[i]);

            iot_values_check(&expected, 0, &values[i], 1, &phase->figures);
        }
        values += part->count;
    }
    return 0;
}

/* One variable through the view: the view is part of the price. */
static int view_io(struct irregular *ir, const struct part *part, int v,
                   double *values)
{
    MPI_File fh = ir->file.handle;
    int collective = ir->context->set->collective, count = (int)part->count;
    int64_t begin = pario_clock_ns(), middle;
    int code = iot_file_view(&ir->file, first_of(ir, v) * 8, part->filetype);
    MPI_Status status;
    int err;

    middle = pario_clock_ns();
    if (ir->way->writing)
        err = collective
                  ? MPI_File_write_all(fh, values, count, MPI_DOUBLE, &status)
                  : MPI_File_write(fh, values, count, MPI_DOUBLE, &status);
    else
        err = collective
                  ? MPI_File_read_all(fh, values, count, MPI_DOUBLE, &status)
                  : MPI_File_read(fh, values, count, MPI_DOUBLE, &status);
    ir->view_s += (double)(middle - begin) * 1e-9;
    ir->io_s += pario_clock_since_s(middle);
    if (code != 0)
        return code;
    return iot_io_check(&ir->file, err, &status, MPI_DOUBLE, count,
                        ir->way->writing ? "write" : "read");
}

/* One variable in the global order: redistributed, then one contiguous call
 * per process; or the other way round. */
static int global_io(struct irregular *ir, struct part *part, int v,
                     double *values)
{
    struct iot_exchange *exchange = &part->exchange;
    MPI_Offset at = first_of(ir, v) + exchange->first;
    int count = (int)exchange->share, code = 0, err;
    int64_t begin = pario_clock_ns(), middle;
    MPI_Status status;

    if (ir->way->writing) {
        code = iot_exchange_to_shares(exchange, values, ir->share);
        middle = pario_clock_ns();
        err = MPI_File_write_at_all(ir->file.handle, at, ir->share, count,
                                    MPI_DOUBLE, &status);
        ir->exchange_s += (double)(middle - begin) * 1e-9;
        ir->io_s += pario_clock_since_s(middle);
    } else {
        err = MPI_File_read_at_all(ir->file.handle, at, ir->share, count,
                                   MPI_DOUBLE, &status);
        middle = pario_clock_ns();
        code = iot_exchange_from_shares(exchange, ir->share, values);
        ir->io_s += (double)(middle - begin) * 1e-9;
        ir->exchange_s += pario_clock_since_s(middle);
    }
    if (code != 0)
        return code;
    return iot_io_check(&ir->file, err, &status, MPI_DOUBLE, count,
                        ir->way->writing ? "write" : "read");
}

/* All variables, one after the other. After an error a process goes on, for
 * the calls are collective. */
static int loop(void *arg, struct pario_phase *phase)
{
    struct irregular *ir = arg;
    double *values = ir->values;
    int code = 0;

    for (int v = 0; v < variables(ir); v++) {
        struct part *part = part_of(ir, v);
        int failed = ir->way->global ? global_io(ir, part, v, values)
                                     : view_io(ir, part, v, values);

        code = code != 0 ? code : failed;
        values += part->count;
    }
    iot_phase_moved(phase, (values - ir->values) * 8, variables(ir));
    return code;
}

static int sync_file(void *arg)
{
    return iot_file_sync(&((struct irregular *)arg)->file);
}

static const struct pario_phase_calls calls = {
    .loop = loop, .sync = sync_file, .check = check};

static json_t *extra_of(const struct irregular *ir)
{
    const struct iot_extra extras[] = {
        {"io_seconds", ir->io_s},
        {"view_seconds", ir->view_s},
        {"exchange_seconds", ir->exchange_s},
        {"exchange_setup_seconds", ir->way->global ? ir->setup_s : 0},
        {"sync_seconds", ir->way->writing ? ir->file.sync_s : 0},
        {.name = NULL},
    };

    return iot_greatest(ir->context, extras);
}

static int timings(const struct irregular *ir)
{
    int writing = ir->way->writing;
    int code = iot_timings_time(ir->context, ir->way->access, ir->io_s);

    if (code == 0 && ir->way->global)
        code = iot_timings_time(ir->context,
                                writing ? "exchange" : "exchange_back",
                                ir->exchange_s);
    else if (code == 0)
        code = iot_timings_time(ir->context, writing ? "view" : "read_view",
                                ir->view_s);
    return code;
}

static int go(struct irregular *ir, const struct way *way)
{
    struct iot_context *context = ir->context;
    struct pario_phase phase = iot_phase_of(context, way->writing);
    int code = 0;

    phase.read_later = way->writing;
    ir->way = way;
    ir->view_s = ir->io_s = ir->exchange_s = 0;
    fill(ir);
    iot_phase(context, context->set->file_bytes,
              (double)context->set->file_bytes / 8 * IOT_PIECE_S, way->access);
    if (way->global)
        code = pario_agree(context->run->world,
                           iot_file_view(&ir->file, 0, MPI_DOUBLE));
    if (code == 0)
        code = pario_phase_run(&phase, &calls, ir);
    if (code == 0)
        code = timings(ir);
    return code != 0 ? code
                     : iot_record(context, &phase, way->access, extra_of(ir));
}

/* What one way wrote the other reads. */
static const struct way ways[] = {
    {.access = "write", .writing = 1},
    {.access = "read_global", .global = 1},
    {.access = "write_global", .writing = 1, .global = 1, .rewritten = 1},
    {.access = "read", .rewritten = 1},
};

int iot_run_irregular(struct iot_context *context)
{
    const struct iot_set *set = context->set;
    struct irregular ir = {.context = context};
    int code = iot_mesh_init(&ir.mesh, set->size[0], set->size[1],
                             set->scramble, context->size, context->rank);

    for (int p = 0; p < PARTS; p++)
        ir.part[p].filetype = MPI_DOUBLE;
    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = make_parts(&ir);
    if (code == 0) {
        code = iot_file_begin(context, context->comm, 1, IOT_MPI, &ir.file);
        for (size_t w = 0; code == 0 && w < sizeof(ways) / sizeof(ways[0]); w++)
            code = go(&ir, &ways[w]);
        code = iot_file_end(context, &ir.file, 1, code);
    }
    for (int p = 0; p < PARTS; p++) {
        if (ir.part[p].filetype != MPI_DOUBLE)
            MPI_Type_free(&ir.part[p].filetype);
        iot_exchange_fini(&ir.part[p].exchange);
    }
    free(ir.values);
    free(ir.share);
    iot_mesh_fini(&ir.mesh);
    return code;
}
