/* suites/beffio/pattern.c - one pattern on an open file: where its bytes go,
 * the timed loop with its sync, and the check. */
#include "core/clock.h"
#include "suites/beffio/pass.h"

#include <errno.h>
#include <stdio.h>

#define BASE_FILE ((uint64_t)1 << 19) /* data number of the base bytes */

/* The number of the file's data: by experiment, type or owner, and whether it
 * was written once or again, so that a lost rewrite is seen. */
static struct pario_data file_data(const struct beffio_pass *pass, int again)
{
    int world = pario_group_size(pass->beffio->run->world);
    int files = BEFFIO_ALL_TYPES + world;
    int file = pass->type == BEFFIO_SEPARATE ? BEFFIO_ALL_TYPES + pass->rank
                                             : (int)pass->type;

    return (struct pario_data){
        .key = pass->beffio->run->data_key,
        .file =
            (uint64_t)(pass->experiment->number * 2 + again) * (uint64_t)files +
            (uint64_t)file};
}

/* With --no-shared type 1 has the calls of type 0. */
static enum beffio_type calls_as(const struct beffio_pass *pass)
{
    return pass->type == BEFFIO_SHARED && !beffio_uses_shared_pointer(pass)
               ? BEFFIO_SCATTER
               : pass->type;
}

/* The geometry of one pattern on this rank. */
static void describe_loop(const struct beffio_pass *pass,
                          struct beffio_part *part)
{
    const struct beffio *beffio = pass->beffio;
    enum beffio_type as = calls_as(pass);
    const struct beffio_type_info *type = &beffio_types[as];
    struct beffio_loop *loop = &part->loop;
    int verify = beffio->run->common.verify;
    int reading = pass->access == BEFFIO_READ;

    *loop = (struct beffio_loop){
        .mpi = pass->mpi,
        .file = pass->file,
        .call = reading ? beffio_calls[as].read : beffio_calls[as].write,
        .phase = &part->phase,
        .collective = type->collective,
        .reading = reading,
        .l = beffio_bytes(part->row->l, pass->experiment->mpart),
        .L = beffio_bytes(part->row->L, pass->experiment->mpart),
        .first = pass->begin,
        .data = file_data(pass, pass->access == BEFFIO_REWRITE),
        .rewrite = file_data(pass, 1),
        .base = {.key = beffio->run->data_key, .file = BASE_FILE},
        .buffer = beffio->buffer,
        .samples = beffio->samples,
        .check_all = verify == PARIO_VERIFY_FULL,
        .mpi_error = MPI_SUCCESS,
    };
    loop->stride = loop->l;
    loop->view_step =
        beffio_uses_shared_pointer(pass) ? loop->L * pass->size : loop->L;
    loop->shares = beffio_reads_everything(pass) ? pass->size : 1;
    loop->slots = beffio->buffer_len / loop->L;
    if (loop->slots > BEFFIO_WINDOW / loop->L && loop->slots > 1)
        loop->slots = BEFFIO_WINDOW > loop->L ? BEFFIO_WINDOW / loop->L : 1;
    if (type->strided && !beffio_reads_everything(pass)) {
        loop->stride = loop->l * pass->size;
        loop->first += loop->l * pass->rank;
    }
    if (type->segmented)
        loop->first += pass->experiment->segment * pass->rank;
    if (reading)
        loop->rewritten = pass->experiment->rewritten[pass->type][part->index];
}

/* How many calls at most: what was written, the segment, the free space. */
static int64_t most_calls(const struct beffio_pass *pass,
                          const struct beffio_part *part)
{
    int64_t planned = pass->access == BEFFIO_WRITE
                          ? pass->experiment->planned[pass->type][part->index]
                          : pass->experiment->calls[pass->type][part->index];
    int64_t budget = pass->beffio->disk_budget;

    if (part->row->U == 0)
        return 1;
    if (beffio_reads_everything(pass))
        return planned * pass->size;
    if (pass->access != BEFFIO_WRITE || beffio_types[pass->type].segmented)
        return planned;
    if (budget > 0) {
        int64_t share = budget * part->row->U / beffio_sum_units() / pass->size;

        return share / part->loop.L > 0 ? share / part->loop.L : 1;
    }
    return 0;
}

/* Collective. A rank that has nothing to rewrite or read takes no part; if
 * none has, that is an error. */
static int find_idle(const struct beffio_pass *pass, struct beffio_part *part)
{
    int64_t most = part->loop.limit;
    int code = pario_reduce_i64(pass->group, PARIO_MAX, &most, 1);

    if (pass->access == BEFFIO_WRITE)
        return code;
    part->phase.idle = part->loop.limit <= 0;
    if (code == 0 && most <= 0)
        code = pario_fail(-ENODATA, "nothing was written to %s",
                          beffio_access_names[pass->access]);
    return code;
}

/* Collective. */
static int prepare(struct beffio_pass *pass, struct beffio_part *part)
{
    struct beffio_loop *loop = &part->loop;
    int code, prepared;

    describe_loop(pass, part);
    loop->limit = most_calls(pass, part);
    part->error[0] = '\0';
    part->phase = (struct pario_phase){
        .run = pass->beffio->run,
        .group = pass->group,
        .writing = pass->whole.writing,
        .reading = pass->whole.reading,
        .scattered = pass->type == BEFFIO_RANDOM,
        .outer = &pass->whole,
        .latency = &loop->latency,
    };
    prepared = pario_phase_prepare(&part->phase);
    if (pass->type == BEFFIO_RANDOM) {
        pario_perm_init(
            &part->order,
            (uint64_t)pass->experiment->planned[pass->type][part->index],
            (uint64_t)pass->beffio->run->common.seed);
        loop->order = &part->order;
    }
    beffio_loop_fill(loop);
    code = pario_mpi_bytes_init(&loop->bytes, (size_t)loop->L);
    code = pario_agree(pass->group, prepared != 0 ? prepared : code);
    return code != 0 ? code : find_idle(pass, part);
}

static int loop_error(const struct beffio_pass *pass,
                      const struct beffio_loop *loop)
{
    const char *verb = loop->reading ? "read" : "write";
    char what[128];

    if (loop->mpi_error != MPI_SUCCESS) {
        snprintf(what, sizeof(what), "%s fails after %lld calls%s", verb,
                 (long long)loop->calls,
                 beffio_uses_shared_pointer(pass) && loop->calls == 0
                     ? " (no shared file pointers here? try --no-shared)"
                     : "");
        return pario_mpi_check(loop->mpi_error, what);
    }
    if (loop->short_call)
        return pario_fail(PARIO_ESHORT,
                          "%s moved fewer bytes than asked after %lld calls "
                          "although it reported success",
                          verb, (long long)loop->calls);
    return 0;
}

/* What moved much less than those before shows a sync's latency, not its
 * rate. */
#define TEACHES 0.125

void beffio_learn_sync(struct beffio *beffio, double bytes, double seconds)
{
    if (bytes <= TEACHES * beffio->sync_bytes)
        return;
    beffio->sync_s = 0.5 * beffio->sync_s + seconds;
    beffio->sync_bytes = 0.5 * beffio->sync_bytes + bytes;
}

/* Of the sync that ends the pattern, by one call of each process. */
static double sync_share_s(const struct beffio_pass *pass,
                           const struct beffio_loop *loop)
{
    const struct beffio *beffio = pass->beffio;

    if (loop->reading || beffio->sync_bytes <= 0)
        return 0;
    return beffio->sync_s / beffio->sync_bytes * (double)loop->L *
           (double)pass->size;
}

/* What the next patterns can know of this one: how long a sync takes, what it
 * costs to decide. */
static void learn(const struct beffio_pass *pass,
                  const struct beffio_part *part,
                  const struct pario_series *series)
{
    const struct pario_phase *phase = &part->phase;

    if (phase->writing)
        beffio_learn_sync(pass->beffio,
                          (double)(part->loop.calls * part->loop.L) *
                              (double)pass->size,
                          (double)(phase->end_ns - phase->looped_ns) * 1e-9);
    if (series->group != NULL) {
        pass->beffio->decision_ns +=
            series->decisions * pass->experiment->decision_ns;
        pass->beffio->decided_ns += phase->end_ns - phase->begin_ns;
    }
}

/* Collective. Loop and sync, timed; all agree on what went wrong. */
static int timed_part(struct beffio_pass *pass, struct beffio_part *part,
                      double seconds)
{
    struct beffio_loop *loop = &part->loop;
    struct pario_series series;
    int sync_err = MPI_SUCCESS, code = pario_phase_begin(&part->phase);

    if (code != 0)
        return code;
    pario_series_start(&series, loop->collective ? pass->group : NULL, seconds,
                       loop->limit);
    series.owed_s = sync_share_s(pass, loop);
    series.failed = part->phase.idle;
    beffio_loop_run(loop, &series);
    part->phase.looped_ns = pario_clock_ns();
    if (!loop->reading)
        sync_err = pass->mpi->sync(pass->file);
    code = loop_error(pass, loop);
    if (code == 0)
        code = pario_mpi_check(sync_err, "sync fails: the data may not be on "
                                         "the disk");
    code = pario_phase_end(&part->phase, code);
    learn(pass, part, &series);
    return code;
}

/* Collective, not timed. Of a read, what is still in memory; a write is read
 * back. */
static int check_data(struct beffio_pass *pass, struct beffio_loop *loop)
{
    int verify = pass->beffio->run->common.verify;

    if (verify == PARIO_VERIFY_OFF)
        return 0;
    if (loop->reading) {
        if (!loop->check_all)
            beffio_loop_check(loop);
        return 0;
    }
    beffio_loop_read_back(loop);
    return pario_agree(pass->group, loop->mpi_error != MPI_SUCCESS
                                        ? loop_error(pass, loop)
                                        : 0);
}

/* The next pattern begins after the last byte of this one, on all ranks; in
 * random order that is the end of all that was planned. */
static void advance(struct beffio_pass *pass, const struct beffio_part *part)
{
    int64_t *calls = &pass->experiment->calls[pass->type][part->index];
    int64_t taken;

    if (pass->access == BEFFIO_WRITE)
        *calls = part->loop.calls;
    if (pass->access == BEFFIO_REWRITE)
        pass->experiment->rewritten[pass->type][part->index] = part->loop.calls;
    taken = pass->type == BEFFIO_RANDOM
                ? pass->experiment->planned[pass->type][part->index]
                : *calls;
    pass->begin += taken * part->loop.L *
                   (beffio_types[pass->type].strided ? pass->size : 1);
}

/* Collective. What failed on one rank of a collective type failed for all:
 * the patterns after it must begin at one place. */
static int agree_on_calls(const struct beffio_pass *pass,
                          struct beffio_loop *loop)
{
    if (!loop->collective)
        return 0;
    return pario_reduce_i64(pass->group, PARIO_MIN, &loop->calls, 1);
}

/* Of this process. */
static void set_figures(const struct beffio_pass *pass,
                        struct beffio_part *part)
{
    const struct beffio_loop *loop = &part->loop;
    struct pario_figures *figures = &part->phase.figures;

    figures->bytes = loop->calls * loop->L;
    figures->written_bytes = loop->reading ? 0 : figures->bytes;
    figures->operations = loop->calls;
    figures->data_bytes =
        beffio_reads_everything(pass) ? figures->bytes / pass->size : 0;
    figures->checked_bytes = loop->checked_bytes;
    figures->wrong_bytes = loop->wrong_bytes;
    if (loop->wrong_bytes == 0)
        return;
    pario_data_describe(&loop->data, BASE_FILE, &loop->wrong, figures->wrong,
                        sizeof(figures->wrong));
}

int beffio_pattern_run(struct beffio_pass *pass, struct beffio_part *part,
                       double seconds)
{
    int code = prepare(pass, part);

    if (code == 0)
        code = beffio_file_view(pass, part);
    if (code == 0)
        code = timed_part(pass, part, seconds);
    if (code == 0)
        code = check_data(pass, &part->loop);
    if (code != 0)
        snprintf(part->error, sizeof(part->error), "%s", pario_error_message());
    pario_mpi_bytes_fini(&part->loop.bytes);
    code = agree_on_calls(pass, &part->loop);
    if (code != 0)
        return code;
    pass->bytes += part->loop.calls * part->loop.L;
    advance(pass, part);
    set_figures(pass, part);
    code = pario_phase_settle(&part->phase);
    pass->errors +=
        part->error[0] != '\0' || part->phase.figures.wrong_bytes > 0;
    return code;
}
