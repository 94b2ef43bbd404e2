/* suites/iot/outofcore.c - outofcore (6.7.1): LU decomposition of a matrix
 * that is larger than the memory it is given. docs/iot.md says why the
 * left-looking variant is the one to take.
 *
 * Panel k belongs to process k mod P, which alone reads and writes it; what
 * the others need of it they get by broadcast. So each byte is read once for
 * all processes, and none reads what another wrote.
 */
#include "suites/iot/outofcore.h"
#include "io/mpiio_wait.h"

#include "core/clock.h"
#include "par/watchdog.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which I/O a call belongs to. */
enum io { PANEL_READ, PANEL_WRITE, UPDATE_READ, UPDATE_WRITE, IOS };

static const char *const io_names[IOS] = {"panel_read", "panel_write",
                                          "update_read", "update_write"};
static const char *const io_keywords[IOS] = {"pr", "pw", "ur", "uw"};

static int is_write(enum io io)
{
    return io == PANEL_WRITE || io == UPDATE_WRITE;
}

struct tally {
    struct pario_phase phase; /* a part of the decomposition */
    struct pario_samples samples;
    struct pario_hist latency;
    int64_t spent_ns; /* that the process waited in the calls */
};

struct ooc {
    struct iot_context *context;
    struct iot_file file;
    struct iot_lu lu;
    int64_t slab;       /* panels a process holds at a time */
    double **panel;     /* slab of them, and one more if right-looking */
    double *low, *next; /* a part of L in use, and one on its way */
    MPI_Request handle; /* I/O of next under way */
    struct tally tally[IOS];
    struct pario_phase phase;
    double compute_s, broadcast_s, residual;
    int code;
    char message[IOT_TEXT];
};

/* The first error is kept; the process goes on with the others. */
static void note(struct ooc *ooc, int code)
{
    if (code == 0 || ooc->code != 0)
        return;
    ooc->code = code;
    snprintf(ooc->message, sizeof(ooc->message), "%s", pario_error_message());
}

static void count(struct ooc *ooc, enum io io, int64_t doubles, int64_t begin)
{
    struct tally *tally = &ooc->tally[io];
    int64_t ns = pario_clock_ns() - begin;

    tally->spent_ns += ns;
    tally->phase.figures.bytes += doubles * 8;
    tally->phase.figures.operations++;
    pario_samples_take(&tally->samples, &tally->latency, ns);
}

/* Where the rows from block `from` on of panel k lie, and how many doubles. */
static int64_t place(const struct ooc *ooc, int64_t k, int64_t from)
{
    return k * ooc->lu.n * ooc->lu.width + from * ooc->lu.width * ooc->lu.width;
}

static int64_t length(const struct ooc *ooc, int64_t from)
{
    return (ooc->lu.n - from * ooc->lu.width) * ooc->lu.width;
}

static int owns(const struct ooc *ooc, int64_t k)
{
    return k % ooc->context->size == ooc->context->rank;
}

static void read_slot(struct ooc *ooc, enum io io, int64_t k, int64_t from)
{
    int64_t n = length(ooc, from), begin = pario_clock_ns();
    MPI_Status status;
    int err;

    pario_position_at(place(ooc, k, from) * 8);
    err = MPI_File_read_at(ooc->file.handle, place(ooc, k, from), ooc->next,
                           (int)n, MPI_DOUBLE, &status);
    count(ooc, io, n, begin);
    note(ooc,
         iot_io_check(&ooc->file, err, &status, MPI_DOUBLE, (int)n, "read"));
}

static void write_slot(struct ooc *ooc, enum io io, int64_t k, int64_t from)
{
    int64_t n = length(ooc, from), begin = pario_clock_ns();
    MPI_Status status;
    int err;

    pario_position_at(place(ooc, k, from) * 8);
    err = MPI_File_write_at(ooc->file.handle, place(ooc, k, from), ooc->next,
                            (int)n, MPI_DOUBLE, &status);
    count(ooc, io, n, begin);
    note(ooc,
         iot_io_check(&ooc->file, err, &status, MPI_DOUBLE, (int)n, "write"));
}

/* The part of L of panel k is fetched while earlier ones are applied. */
static void fetch(struct ooc *ooc, int64_t k, int64_t end)
{
    if (k >= end)
        return;
    pario_position_at(place(ooc, k, k) * 8);
    note(ooc, iot_io_check(&ooc->file,
                           MPI_File_iread_at(ooc->file.handle, place(ooc, k, k),
                                             ooc->next, (int)length(ooc, k),
                                             MPI_DOUBLE, &ooc->handle),
                           MPI_STATUS_IGNORE, MPI_DOUBLE, -1, "read"));
}

/* The owner waits for it and asks for its next one. */
static void fetched(struct ooc *ooc, int64_t k, int64_t end)
{
    int64_t begin = pario_clock_ns();
    MPI_Request handle = ooc->handle;
    double *swap = ooc->low;
    MPI_Status status;
    int err;

    ooc->handle = MPI_REQUEST_NULL;
    if (handle != MPI_REQUEST_NULL) {
        err = pario_mpiio_wait(&handle, length(ooc, k) * 8, &status);
        note(ooc, iot_io_check(&ooc->file, err, &status, MPI_DOUBLE,
                               (int)length(ooc, k), "read"));
    }
    ooc->low = ooc->next;
    ooc->next = swap;
    fetch(ooc, k + ooc->context->size, end);
    count(ooc, UPDATE_READ, length(ooc, k), begin);
}

static void broadcast(struct ooc *ooc, int64_t k)
{
    int64_t begin = pario_clock_ns();
    int owner = (int)(k % ooc->context->size);
    int err = MPI_Bcast(ooc->low, (int)length(ooc, k), MPI_DOUBLE, owner,
                        ooc->context->comm);

    note(ooc, pario_mpi_check(err, "MPI_Bcast"));
    ooc->broadcast_s += pario_clock_since_s(begin);
}

static void apply(struct ooc *ooc, int64_t k, double *panel)
{
    int64_t begin = pario_clock_ns();

    iot_lu_apply(&ooc->lu, k, ooc->low, iot_lu_rows(&ooc->lu, k), panel);
    ooc->compute_s += pario_clock_since_s(begin);
}

/* The panels of this process among begin .. end-1, in turn. */
static int64_t first_owned(const struct ooc *ooc, int64_t begin)
{
    int64_t size = ooc->context->size;

    return begin + (ooc->context->rank - begin % size + size) % size;
}

static void read_slab(struct ooc *ooc, int64_t begin, int64_t end, int64_t from)
{
    int64_t q = 0;

    for (int64_t k = first_owned(ooc, begin); k < end;
         k += ooc->context->size, q++) {
        read_slot(ooc, PANEL_READ, k, from);
        iot_lu_unpack(&ooc->lu, ooc->next, from, from, ooc->panel[q]);
    }
}

static void factor(struct ooc *ooc, int64_t k, double *panel, int64_t from)
{
    int64_t begin = pario_clock_ns();

    note(ooc, iot_lu_factor(&ooc->lu, k, panel));
    iot_lu_pack(&ooc->lu, panel, k, k, ooc->low);
    iot_lu_pack(&ooc->lu, panel, from, k, ooc->next);
    ooc->compute_s += pario_clock_since_s(begin);
    write_slot(ooc, PANEL_WRITE, k, from);
}

/* Panels begin .. end-1 are in memory and have all before them applied. */
static void factor_slab(struct ooc *ooc, int64_t begin, int64_t end,
                        int64_t from)
{
    int64_t size = ooc->context->size, width = ooc->lu.width;

    for (int64_t k = begin; k < end; k++) {
        int64_t mine = first_owned(ooc, begin), q = 0;
        int64_t started;

        if (owns(ooc, k))
            factor(ooc, k, ooc->panel[(k - mine) / size], from);
        started = pario_clock_ns();
        note(ooc, pario_mpi_check(
                      MPI_Bcast(ooc->lu.pivots + k * width,
                                (int)((size_t)width * sizeof(*ooc->lu.pivots)),
                                MPI_BYTE, (int)(k % size), ooc->context->comm),
                      "MPI_Bcast"));
        ooc->broadcast_s += pario_clock_since_s(started);
        broadcast(ooc, k);
        for (; mine < end; mine += size, q++)
            if (mine > k)
                apply(ooc, k, ooc->panel[q]);
    }
}

/* A slab is read once, has all that is to its left applied, and is written
 * once: little is written, and each part of L is read once a slab. */
static void left_looking(struct ooc *ooc)
{
    int64_t size = ooc->context->size, width = ooc->slab * size;

    for (int64_t begin = 0; begin < ooc->lu.panels; begin += width) {
        int64_t end = begin + width;

        if (end > ooc->lu.panels)
            end = ooc->lu.panels;
        read_slab(ooc, begin, end, 0);
        fetch(ooc, ooc->context->rank, begin);
        for (int64_t k = 0; k < begin; k++) {
            int64_t q = 0;

            if (owns(ooc, k))
                fetched(ooc, k, begin);
            broadcast(ooc, k);
            for (int64_t p = first_owned(ooc, begin); p < end; p += size, q++)
                apply(ooc, k, ooc->panel[q]);
        }
        factor_slab(ooc, begin, end, 0);
    }
}

/* The panels right of a slab, one a process at a time, are read, have the
 * slab applied and are written: each byte as often as there are slabs. */
static void update_right(struct ooc *ooc, int64_t begin, int64_t end)
{
    int64_t size = ooc->context->size, mine = first_owned(ooc, begin);
    double *trailing = ooc->panel[ooc->slab];

    for (int64_t batch = end; batch < ooc->lu.panels; batch += size) {
        int64_t t = first_owned(ooc, batch);
        int has_one = t < ooc->lu.panels;

        if (has_one) {
            read_slot(ooc, UPDATE_READ, t, begin);
            iot_lu_unpack(&ooc->lu, ooc->next, begin, begin, trailing);
        }
        for (int64_t k = begin; k < end; k++) {
            if (owns(ooc, k))
                iot_lu_pack(&ooc->lu, ooc->panel[(k - mine) / size], k, k,
                            ooc->low);
            broadcast(ooc, k);
            if (has_one)
                apply(ooc, k, trailing);
        }
        if (has_one) {
            iot_lu_pack(&ooc->lu, trailing, begin, end, ooc->next);
            write_slot(ooc, UPDATE_WRITE, t, begin);
        }
    }
}

static void right_looking(struct ooc *ooc)
{
    int64_t width = ooc->slab * ooc->context->size;

    for (int64_t begin = 0; begin < ooc->lu.panels; begin += width) {
        int64_t end = begin + width;

        if (end > ooc->lu.panels)
            end = ooc->lu.panels;
        read_slab(ooc, begin, end, begin);
        factor_slab(ooc, begin, end, begin);
        update_right(ooc, begin, end);
    }
}

/* The matrix, before the time runs: uniform in [0, 1). */
static int make_matrix(struct ooc *ooc)
{
    int64_t slot = ooc->lu.n * ooc->lu.width;
    int code = 0;

    for (int64_t k = ooc->context->rank; code == 0 && k < ooc->lu.panels;
         k += ooc->context->size) {
        MPI_Status status;
        int err;

        iot_values_fill(&ooc->context->data, k * slot, ooc->next, slot);
        err = MPI_File_write_at(ooc->file.handle, k * slot, ooc->next,
                                (int)slot, MPI_DOUBLE, &status);
        code = iot_io_check(&ooc->file, err, &status, MPI_DOUBLE, (int)slot,
                            "write");
    }
    return code;
}

/* Memory: the slab, one part of L in use and one on its way; right-looking
 * also a panel that is updated. */
static int prepare(struct ooc *ooc)
{
    const struct iot_set *set = ooc->context->set;
    int64_t panel_bytes = set->size[0] * set->panel * 8;
    int64_t mine = set->memory_bytes / ooc->context->size / panel_bytes;
    int extra = set->variant == IOT_RIGHT;
    int code = iot_lu_init(&ooc->lu, set->size[0], set->panel);

    ooc->slab = mine - 2 - extra;
    if (ooc->slab >
        (ooc->lu.panels + ooc->context->size - 1) / ooc->context->size)
        ooc->slab =
            (ooc->lu.panels + ooc->context->size - 1) / ooc->context->size;
    ooc->low = malloc((size_t)panel_bytes);
    ooc->next = malloc((size_t)panel_bytes);
    ooc->panel = calloc((size_t)(ooc->slab + 1), sizeof(*ooc->panel));
    if (ooc->low == NULL || ooc->next == NULL || ooc->panel == NULL)
        return pario_fail_errno(-ENOMEM, "no memory for the panels");
    for (int64_t q = 0; code == 0 && q < ooc->slab + extra; q++) {
        ooc->panel[q] = malloc((size_t)panel_bytes);
        if (ooc->panel[q] == NULL)
            code = pario_fail_errno(-ENOMEM, "no memory for the panels");
    }
    for (int io = 0; code == 0 && io < IOS; io++) {
        struct tally *tally = &ooc->tally[io];

        tally->phase = iot_phase_of(ooc->context, is_write((enum io)io));
        tally->phase.outer = &ooc->phase;
        tally->phase.read_later = is_write((enum io)io);
        tally->phase.latency = &tally->latency;
        pario_hist_init(&tally->latency);
        code = pario_samples_init(&tally->samples, 1 << 18);
    }
    ooc->phase = iot_phase_of(ooc->context, 1);
    ooc->phase.reading = 1;
    iot_lu_threads(pario_group_node_size(ooc->context->run->world));
    return code;
}

static void clean_up(struct ooc *ooc)
{
    for (int64_t q = 0; ooc->panel != NULL && q <= ooc->slab; q++)
        free(ooc->panel[q]);
    for (int io = 0; io < IOS; io++)
        pario_samples_fini(&ooc->tally[io].samples);
    free(ooc->panel);
    free(ooc->low);
    free(ooc->next);
    iot_lu_fini(&ooc->lu);
}

/* Local. What the phases of the parts have counted. */
static void sum_up(struct ooc *ooc)
{
    struct pario_figures *all = &ooc->phase.figures;

    for (int io = 0; io < IOS; io++) {
        struct pario_figures *part = &ooc->tally[io].phase.figures;

        part->written_bytes = is_write((enum io)io) ? part->bytes : 0;
        all->bytes += part->bytes;
        all->written_bytes += part->written_bytes;
        all->operations += part->operations;
    }
}

/* Collective. From the first panel until the factors are durable. */
static int decompose(struct ooc *ooc)
{
    struct iot_context *context = ooc->context;
    struct iot_lu_work work = {.n = ooc->lu.n,
                               .width = ooc->lu.width,
                               .slab = ooc->slab * context->size,
                               .size = context->size,
                               .variant = context->set->variant};
    struct iot_lu_volume volume = iot_lu_volume_of(&work);
    int code, sync_code;

    iot_phase(context, volume.read + volume.written, iot_schedule_lu_s(&work),
              "decomposition");
    code = pario_phase_prepare(&ooc->phase);
    if (code == 0)
        code = pario_phase_begin(&ooc->phase);
    if (code != 0)
        return code;
    if (context->set->variant == IOT_LEFT)
        left_looking(ooc);
    else
        right_looking(ooc);
    sync_code = iot_file_sync(&ooc->file);
    if (ooc->code != 0)
        pario_error_replace(ooc->message);
    code = pario_phase_end(&ooc->phase, ooc->code != 0 ? ooc->code : sync_code);
    sum_up(ooc);
    return code;
}

static int check(struct ooc *ooc)
{
    struct iot_context *context = ooc->context;
    struct pario_figures *figures = &ooc->phase.figures;
    int code = 0;

    if (context->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    iot_phase(context, 3 * context->set->file_bytes, 0, "check");
    if (context->rank == 0) {
        code = iot_outofcore_residual(context, &ooc->file, &ooc->lu, ooc->next,
                                      &ooc->residual);
        figures->checked_bytes = context->set->file_bytes;
        /* NaN is wrong, too. */
        figures->wrong_bytes = ooc->residual <= IOT_RESIDUAL_LIMIT ? 0 : 8;
        snprintf(figures->wrong, sizeof(figures->wrong),
                 "||PA - LU|| is %.3g times ||A|| n eps: the factors on disk "
                 "are not those of the matrix",
                 ooc->residual);
    }
    return pario_agree(context->run->world, code);
}

/* Collective. One kind of I/O: how long the decomposition waited for it. The
 * device works on while the processes compute. */
static int record_io(struct ooc *ooc, enum io io)
{
    struct tally *tally = &ooc->tally[io];
    int code = 0;

    if (iot_sum(ooc->context, tally->phase.figures.operations) > 0) {
        pario_samples_fold(&tally->samples, &tally->latency);
        pario_phase_spread(&tally->phase, tally->spent_ns);
        code = pario_phase_settle(&tally->phase);
        if (code == 0)
            code = iot_record(ooc->context, &tally->phase, io_names[io], NULL);
    }
    return code != 0 ? code
                     : iot_timings_samples(ooc->context, io_keywords[io],
                                           &tally->samples);
}

static double waited_s(const struct ooc *ooc)
{
    int64_t ns = 0;

    for (int io = 0; io < IOS; io++)
        ns += ooc->tally[io].spent_ns;
    return (double)ns * 1e-9;
}

/* Collective. The figures are those of all processes. */
static json_t *extra_of(struct ooc *ooc)
{
    struct iot_context *context = ooc->context;
    const struct pario_figures *figures = &ooc->phase.figures;
    double n = (double)ooc->lu.n;
    const struct iot_extra extras[] = {
        {"io_wait_seconds", waited_s(ooc)},
        {"compute_seconds", ooc->compute_s},
        {"broadcast_seconds", ooc->broadcast_s},
        {"gflops",
         context->rank == 0 ? 2e-9 * n * n * n / 3 / figures->seconds : 0},
        {"residual", context->rank == 0 ? ooc->residual : 0},
        {.name = NULL},
    };
    json_t *extra = iot_greatest(context, extras);

    json_object_set_new(extra, "bytes_written",
                        json_integer(figures->written_bytes));
    json_object_set_new(extra, "slab_panels",
                        json_integer(ooc->slab * context->size));
    return extra;
}

static int record(struct ooc *ooc)
{
    int code = 0;

    for (int io = 0; code == 0 && io < IOS; io++)
        code = record_io(ooc, (enum io)io);
    if (code == 0)
        code = pario_phase_settle(&ooc->phase);
    return code != 0
               ? code
               : iot_record(ooc->context, &ooc->phase, "factor", extra_of(ooc));
}

static int run_phases(struct ooc *ooc)
{
    struct iot_context *context = ooc->context;
    int code;

    iot_phase(context, context->set->file_bytes, 0, "making the matrix");
    code = pario_agree(context->run->world, make_matrix(ooc));
    if (code == 0)
        code = pario_agree(context->run->world, iot_file_sync(&ooc->file));
    if (code == 0)
        code = decompose(ooc);
    if (code == 0)
        code = check(ooc);
    if (code == 0)
        code = record(ooc);
    pario_phase_drop(&ooc->phase);
    return code;
}

int iot_run_outofcore(struct iot_context *context)
{
    struct ooc *ooc = calloc(1, sizeof(*ooc));
    int code = ooc != NULL ? 0 : pario_fail_errno(-ENOMEM, "no memory");

    if (ooc != NULL) {
        ooc->context = context;
        ooc->handle = MPI_REQUEST_NULL;
        code = prepare(ooc);
    }
    code = pario_agree(context->run->world, code);
    if (code == 0 && ooc != NULL) {
        code = iot_file_begin(context, context->comm, 1, IOT_MPI, &ooc->file);
        if (code == 0)
            code = run_phases(ooc);
        code = iot_file_end(context, &ooc->file, 1, code);
    }
    if (ooc != NULL)
        clean_up(ooc);
    free(ooc);
    return code;
}
