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

#define BATCH (1 << 18)      /* blocks of a rank between two appends */
#define SAMPLED_BLOCKS 64    /* of a rank, read again unless --verify full */
#define FILL_BYTES (4 << 20) /* one call when the file is made */
#define UPDATED (1u << 19)   /* file number of the data after an update */

struct nonseq {
    struct iot_context *context;
    struct iot_file file;
    int64_t count, blocks; /* doubles in a block, blocks in the file */
    struct pario_perm order;
    double *buf;
    struct pario_samples reads, updates;
    struct pario_hist read_latency, update_latency;
    struct iot_figures read, update;
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

static void add_time(struct iot_figures *figures, struct pario_hist *latency,
                     struct pario_samples *samples, int64_t bytes, int64_t ns)
{
    figures->seconds += (double)ns * 1e-9;
    figures->bytes += bytes;
    figures->operations++;
    pario_hist_add(latency, ns);
    pario_samples_add(samples, ns);
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
    add_time(&ns->read, &ns->read_latency, &ns->reads, ns->count * 8, elapsed);
    iot_values_sample(ns->context, block * ns->count, ns->buf, ns->count, rng,
                      &ns->read);
    if (!is_updated(ns, block))
        return 0;
    iot_values_fill(&updated, block * ns->count, ns->buf, ns->count);
    code = timed_update(ns, block, &elapsed);
    if (code == 0)
        add_time(&ns->update, &ns->update_latency, &ns->updates, ns->count * 8,
                 elapsed);
    return code;
}

/* Every block once; process r takes the places r, r + P, ... of the order. */
static int loop_over(struct nonseq *ns)
{
    struct iot_context *context = ns->context;
    int64_t rounds = (ns->blocks + context->size - 1) / context->size;
    struct pario_rng rng;
    int code = 0, kept = 0;

    pario_rng_init(&rng, (uint64_t)context->run->common.seed);
    for (int64_t first = 0; kept == 0 && first < rounds; first += BATCH) {
        double read_s = ns->read.seconds, update_s = ns->update.seconds;

        MPI_Barrier(context->comm);
        for (int64_t j = first; j < first + BATCH && j < rounds; j++) {
            int64_t i = j * context->size + context->rank;

            memset(ns->buf, 0xff, (size_t)ns->count * 8);
            if (code == 0 && i < ns->blocks)
                code = visit(ns, i, &rng);
        }
        kept = pario_agree(context->run->world, code);
        ns->read.slowest_s += iot_max(context, ns->read.seconds - read_s);
        ns->update.slowest_s += iot_max(context, ns->update.seconds - update_s);
        if (kept == 0)
            kept = iot_timings_samples(context, "r", &ns->reads);
        if (kept == 0 && context->set->update_frac > 0)
            kept = iot_timings_samples(context, "u", &ns->updates);
    }
    return kept;
}

/* Are the updated blocks updated and the others as they were? */
static int check_after(struct nonseq *ns)
{
    struct iot_context *context = ns->context;
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
        struct pario_data data = data_of(ns, is_updated(ns, block));

        memset(ns->buf, 0xff, (size_t)ns->count * 8);
        code = timed_read(ns, block, &elapsed);
        if (code == 0)
            iot_values_check(&data, block * ns->count, ns->buf, ns->count,
                             &ns->update);
    }
    return code;
}

static int record(struct nonseq *ns)
{
    struct iot_context *context = ns->context;
    int updates = iot_sum(context, ns->update.operations) > 0, code = 0;

    ns->read.access = "read";
    ns->update.access = "update";
    ns->read.active = ns->update.active = 1;
    ns->read.partition = ns->update.partition = context->size;
    ns->read.latency = &ns->read_latency;
    ns->update.latency = &ns->update_latency;
    ns->read.reading = 1;
    ns->update.synced = 1;
    if (updates) {
        double sync_s = iot_max(context, ns->file.sync_s);

        ns->update.extra = json_pack("{s:f}", "sync_seconds", sync_s);
        ns->update.seconds += ns->file.sync_s;
        ns->update.slowest_s += sync_s;
        code = iot_record(context, &ns->update);
    } else { /* what was checked afterwards is the reads' */
        if (ns->read.wrong_bytes == 0)
            memcpy(ns->read.wrong, ns->update.wrong, sizeof(ns->read.wrong));
        ns->read.wrong_bytes += ns->update.wrong_bytes;
        ns->read.checked_bytes += ns->update.checked_bytes;
    }
    return code != 0 ? code : iot_record(context, &ns->read);
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
    if (code == 0)
        code = iot_file_prepare_read(context);
    if (code != 0)
        return code;
    iot_phase(context, 2 * context->set->file_bytes,
              2 * (double)ns->blocks * IOT_SEEK_S, "reads and updates");
    code = loop_over(ns);
    if (code == 0)
        code = pario_agree(context->run->world, iot_file_sync(&ns->file));
    if (code == 0) {
        iot_phase(context, context->set->file_bytes,
                  (double)ns->blocks * IOT_SEEK_S, "check");
        code = pario_agree(context->run->world, check_after(ns));
    }
    return code != 0 ? code : record(ns);
}

int iot_run_nonseq(struct iot_context *context)
{
    const struct iot_set *set = context->set;
    struct nonseq *ns = calloc(1, sizeof(*ns));
    int code = ns != NULL ? 0 : pario_fail_errno(-ENOMEM, "no memory");

    if (ns != NULL) {
        ns->context = context;
        ns->count = set->block_bytes / 8;
        ns->blocks = set->file_bytes / set->block_bytes;
        pario_perm_init(&ns->order, (uint64_t)ns->blocks,
                        (uint64_t)context->run->common.seed);
        pario_hist_init(&ns->read_latency);
        pario_hist_init(&ns->update_latency);
        ns->buf = malloc((size_t)set->block_bytes);
        code = ns->buf != NULL ? 0 : pario_fail_errno(-ENOMEM, "no memory");
    }
    if (code == 0 && ns != NULL)
        code = pario_samples_init(&ns->reads, BATCH);
    if (code == 0 && ns != NULL)
        code = pario_samples_init(&ns->updates, BATCH);
    code = pario_agree(context->run->world, code);
    if (code == 0 && ns != NULL) {
        code = iot_file_begin(context, context->comm, 1, IOT_MPI, &ns->file);
        if (code == 0)
            code = run_phases(ns);
        code = iot_file_end(context, &ns->file, 1, code);
    }
    if (ns != NULL) {
        pario_samples_fini(&ns->reads);
        pario_samples_fini(&ns->updates);
        free(ns->buf);
    }
    free(ns);
    return code;
}
