/* suites/iot/nonseq.c - nonseq (6.3): blocks of a large file in a
 * deterministic random order, some of them modified and written back. */
#include "core/clock.h"
#include "core/rng.h"
#include "par/watchdog.h"
#include "suites/iot/file.h"
#include "suites/iot/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SAMPLES (1 << 26) /* of a rank; further calls are counted only */
#define CHECKED 4             /* values of each block, at random places */
#define SAMPLED_BLOCKS 64     /* of a rank, read again unless --verify full */
#define FILL_BYTES (4 << 20)  /* one call when the file is made */
#define UPDATED (1u << 19)    /* file number of the data after an update */

/* One direction; it takes turns with the other. */
struct turns {
    struct pario_phase phase; /* a part of the whole loop */
    struct pario_samples samples;
    struct pario_hist latency;
    int64_t spent_ns;
};

struct nonseq {
    struct iot_context *context;
    struct iot_file file;
    int64_t count, blocks; /* doubles in a block, blocks in the file */
    struct pario_perm order;
    double *buf;
    struct pario_phase phase; /* all reads and updates */
    struct turns read, update;
};

static struct pario_data data_of(const struct nonseq *ns, int updated)
{
    struct pario_data data = ns->context->data;

    data.file |= updated ? UPDATED : 0;
    return data;
}

/* Which blocks are updated depends on the block alone: the same fraction of
 * blocks for every number of processes. */
static int is_updated(const struct nonseq *ns, int64_t block)
{
    struct pario_rng rng;

    pario_rng_init(&rng,
                   (uint64_t)(ns->context->run->common.seed * 7919 + block));
    return pario_rng_unit(&rng) < ns->context->set->update_frac;
}

/* Each process writes a contiguous share; not timed. */
static int fill_file(struct nonseq *ns)
{
    struct iot_context *context = ns->context;
    int64_t total = context->set->file_bytes / 8;
    int64_t at = total * context->rank / context->size;
    int64_t end = total * (context->rank + 1) / context->size;
    double *buffer = malloc(FILL_BYTES);
    int code = 0;

    if (buffer == NULL)
        return pario_fail_errno(-ENOMEM, "no memory");
    while (code == 0 && at < end) {
        int n = (int)(end - at < FILL_BYTES / 8 ? end - at : FILL_BYTES / 8);
        MPI_Status status;
        int err;

        iot_values_fill(&context->data, at, buffer, n);
        err = MPI_File_write_at(ns->file.handle, at, buffer, n, MPI_DOUBLE,
                                &status);
        code = iot_io_check(&ns->file, err, &status, MPI_DOUBLE, n, "write");
        at += n;
    }
    free(buffer);
    return code;
}

/* A seek and a read of one block: the sample r. */
static int timed_read(struct nonseq *ns, int64_t block, int64_t *elapsed_p)
{
    MPI_Status status;
    int64_t begin = pario_clock_ns();
    int err = MPI_File_seek(ns->file.handle, block * ns->count, MPI_SEEK_SET);

    if (err == MPI_SUCCESS)
        err = MPI_File_read(ns->file.handle, ns->buf, (int)ns->count,
                            MPI_DOUBLE, &status);
    *elapsed_p = pario_clock_ns() - begin;
    return iot_io_check(&ns->file, err, &status, MPI_DOUBLE, (int)ns->count,
                        "read");
}

/* A seek back and a write: the sample u. */
static int timed_update(struct nonseq *ns, int64_t block, int64_t *elapsed_p)
{
    MPI_Status status;
    int64_t begin = pario_clock_ns();
    int err = MPI_File_seek(ns->file.handle, block * ns->count, MPI_SEEK_SET);

    if (err == MPI_SUCCESS)
        err = MPI_File_write(ns->file.handle, ns->buf, (int)ns->count,
                             MPI_DOUBLE, &status);
    *elapsed_p = pario_clock_ns() - begin;
    return iot_io_check(&ns->file, err, &status, MPI_DOUBLE, (int)ns->count,
                        "update");
}

static void add_time(struct turns *turns, int64_t bytes, int64_t ns)
{
    struct pario_figures *figures = &turns->phase.figures;

    turns->spent_ns += ns;
    figures->bytes += bytes;
    figures->operations++;
    pario_samples_take(&turns->samples, &turns->latency, ns);
}

/* Is it the block? A few values at random places, or all. */
static void look_at(struct nonseq *ns, int64_t block, struct pario_rng *rng)
{
    enum pario_verify verify = ns->context->run->common.verify;
    struct iot_expected expected =
        iot_expect(&ns->context->data, block * ns->count);
    struct pario_figures *figures = &ns->read.phase.figures;

    if (verify == PARIO_VERIFY_FULL)
        iot_values_check(&expected, 0, ns->buf, ns->count, figures);
    for (int i = 0; verify == PARIO_VERIFY_SAMPLE && i < CHECKED; i++) {
        int64_t at = (int64_t)pario_rng_below(rng, (uint64_t)ns->count);

        iot_values_check(&expected, at, ns->buf + at, 1, figures);
    }
}

/* Block i of the order: read, touched, perhaps modified and replaced. */
static int visit(struct nonseq *ns, int64_t i, struct pario_rng *rng)
{
    int64_t block = (int64_t)pario_perm_at(&ns->order, (uint64_t)i);
    int64_t elapsed = 0;
    struct pario_data updated = data_of(ns, 1);
    int code;

    pario_position_at(block * ns->count * 8);
    code = timed_read(ns, block, &elapsed);
    if (code != 0)
        return code;
    add_time(&ns->read, ns->count * 8, elapsed);
    look_at(ns, block, rng);
    if (!is_updated(ns, block))
        return 0;
    iot_values_stamp(&updated, block * ns->count, ns->buf, ns->count);
    code = timed_update(ns, block, &elapsed);
    if (code == 0)
        add_time(&ns->update, ns->count * 8, elapsed);
    return code;
}

/* Every block once; process r takes the places r, r + P, ... of the order. */
static int loop(void *arg, struct pario_phase *phase)
{
    struct nonseq *ns = arg;
    const struct iot_context *context = ns->context;
    struct pario_rng rng;
    int code = 0;

    pario_rng_init(&rng, (uint64_t)context->run->common.seed);
    for (int64_t i = context->rank; code == 0 && i < ns->blocks;
         i += context->size)
        code = visit(ns, i, &rng);
    phase->figures.written_bytes = ns->update.phase.figures.bytes;
    phase->figures.bytes =
        ns->read.phase.figures.bytes + phase->figures.written_bytes;
    return code;
}

/* Are the updated blocks updated and the others as they were? */
static int check_after(struct nonseq *ns)
{
    struct iot_context *context = ns->context;
    int updates = context->set->update_frac > 0;
    struct pario_figures *figures =
        updates ? &ns->update.phase.figures : &ns->read.phase.figures;
    int64_t step = context->run->common.verify == PARIO_VERIFY_FULL
                       ? 1
                       : ns->blocks / context->size / SAMPLED_BLOCKS + 1;
    int64_t elapsed;
    int code = 0;

    if (context->run->common.verify == PARIO_VERIFY_OFF)
        return 0;
    for (int64_t i = context->rank; code == 0 && i < ns->blocks;
         i += step * context->size) {
        int64_t block = (int64_t)pario_perm_at(&ns->order, (uint64_t)i);
        struct iot_expected expected =
            iot_expect(&context->data, block * ns->count);

        expected.stamps = data_of(ns, is_updated(ns, block));
        memset(ns->buf, 0xff, (size_t)ns->count * 8);
        code = timed_read(ns, block, &elapsed);
        if (code == 0)
            iot_values_check(&expected, 0, ns->buf, ns->count, figures);
    }
    return code;
}

/* Collective. One direction as a measure of its own. */
static int record(struct nonseq *ns, struct turns *turns, const char *access,
                  const char *keyword)
{
    int64_t sync_ns =
        turns == &ns->update ? (int64_t)(ns->file.sync_s * 1e9) : 0;
    json_t *extra = NULL;
    int code;

    pario_samples_fold(&turns->samples, &turns->latency);
    if (turns == &ns->update)
        turns->phase.figures.written_bytes = turns->phase.figures.bytes;
    pario_phase_spread(&turns->phase, turns->spent_ns + sync_ns);
    code = pario_phase_settle(&turns->phase);
    if (code == 0)
        code = iot_timings_samples(ns->context, keyword, &turns->samples);
    if (code == 0 && turns == &ns->update)
        extra = iot_greatest(ns->context,
                             (const struct iot_extra[]){
                                 {"sync_seconds", ns->file.sync_s}, {NULL, 0}});
    return code != 0 ? code
                     : iot_record(ns->context, &turns->phase, access, extra);
}

static int sync_updates(struct nonseq *ns)
{
    ns->file.sync_s = 0;
    return ns->context->set->update_frac > 0 ? iot_file_sync(&ns->file) : 0;
}

/* Collective. All blocks, from the first read until the updates are durable. */
static int visit_all(struct nonseq *ns)
{
    struct iot_context *context = ns->context;
    int code = pario_phase_prepare(&ns->phase), sync_code;

    if (code == 0)
        code = pario_phase_begin(&ns->phase);
    if (code != 0)
        return code;
    code = loop(ns, &ns->phase);
    sync_code = sync_updates(ns);
    code = pario_phase_end(&ns->phase, code != 0 ? code : sync_code);
    if (code != 0)
        return code;
    iot_phase(context, context->set->file_bytes,
              (double)ns->blocks * IOT_SEEK_S, "check");
    code = pario_agree(context->run->world, check_after(ns));
    if (code == 0 && iot_sum(context, ns->update.phase.figures.operations) > 0)
        code = record(ns, &ns->update, "update", "u");
    return code != 0 ? code : record(ns, &ns->read, "read", "r");
}

static int run_phases(struct nonseq *ns)
{
    struct iot_context *context = ns->context;
    int code;

    iot_phase(context, context->set->file_bytes, 0, "making the file");
    code = pario_agree(context->run->world, fill_file(ns));
    if (code == 0)
        code = pario_agree(context->run->world, iot_file_sync(&ns->file));
    if (code == 0)
        code = iot_file_check_size(context, context->set->file_bytes);
    if (code != 0)
        return code;
    iot_phase(context, 2 * context->set->file_bytes,
              2 * (double)ns->blocks * IOT_SEEK_S, "reads and updates");
    code = visit_all(ns);
    pario_phase_drop(&ns->phase);
    return code;
}

static int turns_init(struct nonseq *ns, struct turns *turns, int writing)
{
    int64_t calls = ns->blocks / ns->context->size + 1;

    turns->phase = iot_phase_of(ns->context, writing);
    turns->phase.outer = &ns->phase;
    turns->phase.scattered = 1;
    turns->phase.read_later = writing;
    turns->phase.latency = &turns->latency;
    pario_hist_init(&turns->latency);
    return pario_samples_init(
        &turns->samples, (size_t)(calls < MAX_SAMPLES ? calls : MAX_SAMPLES));
}

static int prepare(struct nonseq *ns)
{
    const struct iot_set *set = ns->context->set;
    int code;

    ns->count = set->block_bytes / 8;
    ns->blocks = set->file_bytes / set->block_bytes;
    pario_perm_init(&ns->order, (uint64_t)ns->blocks,
                    (uint64_t)ns->context->run->common.seed);
    ns->phase = iot_phase_of(ns->context, set->update_frac > 0);
    ns->phase.reading = ns->phase.scattered = 1;
    ns->buf = malloc((size_t)set->block_bytes);
    code = ns->buf != NULL ? 0 : pario_fail_errno(-ENOMEM, "no memory");
    if (code == 0)
        code = turns_init(ns, &ns->read, 0);
    return code != 0 ? code : turns_init(ns, &ns->update, 1);
}

int iot_run_nonseq(struct iot_context *context)
{
    struct nonseq *ns = calloc(1, sizeof(*ns));
    int code = ns != NULL ? 0 : pario_fail_errno(-ENOMEM, "no memory");

    if (ns != NULL) {
        ns->context = context;
        code = prepare(ns);
    }
    code = pario_agree(context->run->world, code);
    if (code == 0 && ns != NULL) {
        code = iot_file_begin(context, context->comm, 1, IOT_MPI, &ns->file);
        if (code == 0)
            code = run_phases(ns);
        code = iot_file_end(context, &ns->file, 1, code);
    }
    if (ns != NULL) {
        pario_samples_fini(&ns->read.samples);
        pario_samples_fini(&ns->update.samples);
        free(ns->buf);
    }
    free(ns);
    return code;
}
