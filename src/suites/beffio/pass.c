/* suites/beffio/pass.c - one pattern type with one access method: from opening
 * the file to closing it. */
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/units.h"
#include "io/mpiio_hints.h"
#include "measure/residency.h"
#include "result/value.h"
#include "suites/beffio/calls.h"
#include "suites/beffio/loop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BASE_FILE ((uint64_t)1 << 19) /* data number of the base bytes */

struct pass {
    struct beffio *beffio;
    struct beffio_experiment *experiment;
    const struct pario_group *group;
    enum beffio_type type;
    enum beffio_access access;
    int rank, size;
    char path[4300];
    MPI_File file;
    int file_is_open; /* while not all ranks have theirs */
    struct pario_hints in_force;
    int64_t begin;    /* file offset where the next pattern begins (types 3 to
                         5: within the segment) */
    int64_t pause_ns; /* filling and checking: not part of the time */
    int64_t bytes;    /* of this rank, warm-up too */
    double resident;  /* share in the page cache before a read; -1 unknown */
    int errors;       /* patterns that failed, the same on all ranks */
};

/* What one pattern gave, reduced over the ranks. */
struct outcome {
    int64_t bytes, calls;
    double seconds, first_s;
    int64_t checked_bytes, wrong_bytes;
    char error[512]; /* "" if none */
};

/* With --no-shared type 1 is type 0 with one chunk a call. */
static int uses_shared_pointer(const struct pass *pass)
{
    return pass->type == BEFFIO_SHARED && !pass->beffio->options->no_shared;
}

static int reads_everything(const struct pass *pass)
{
    return pass->type == BEFFIO_SAMEDATA && pass->access == BEFFIO_READ;
}

static int open_file(struct pass *pass)
{
    int separate = pass->type == BEFFIO_SEPARATE;
    MPI_Comm comm = separate ? MPI_COMM_SELF : pario_group_comm(pass->group);
    int mode = pass->access == BEFFIO_READ ? MPI_MODE_RDONLY
               : pass->access == BEFFIO_WRITE
                   ? MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY
                   : MPI_MODE_WRONLY;
    struct pario_hints hints = {0};
    MPI_Info info = MPI_INFO_NULL;
    int code = beffio_hintset_open(pass->experiment->hints, pass->type,
                                   pass->access, &hints);

    if (code == 0)
        code = pario_hints_to_info(&hints, &info);
    code = pario_agree(pass->group, code);
    if (code == 0) {
        /* Shared pointers and data sieving write need reading too. */
        if (mode & MPI_MODE_WRONLY)
            mode = (mode & ~MPI_MODE_WRONLY) | MPI_MODE_RDWR;
        code = pario_mpi_check(
            MPI_File_open(comm, pass->path, mode, info, &pass->file),
            pass->path);
        if (code == 0)
            code = pario_own_check(pass->path);
        pass->file_is_open = code == 0 && separate;
        code = pario_agree(pass->group, code);
    }
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    pario_hints_fini(&hints);
    if (code != 0 && pass->file != MPI_FILE_NULL && pass->file_is_open)
        MPI_File_close(
            &pass->file); /* a separate file beside one that failed */
    if (code != 0)
        return code;
    MPI_File_set_errhandler(pass->file, MPI_ERRORS_RETURN);
    return pario_agree(pass->group,
                       pario_hints_of_file(pass->file, &pass->in_force));
}

/* What became of the hints that a view asked for, by chunk size. */
static int note_chunk_hints(struct pass *pass, const struct beffio_pattern *row,
                            const struct pario_hints *requested)
{
    struct pario_hints now = {0};
    char chunk[32], name[256];
    int code = pario_hints_of_file(pass->file, &now);

    for (size_t i = 0; code == 0 && i < requested->count; i++) {
        const char *value = pario_hints_get(&now, requested->hint[i].key);

        snprintf(name, sizeof(name), "chunk %s: %s",
                 beffio_chunk_name(row->l, chunk, sizeof(chunk)),
                 requested->hint[i].key);
        code = pario_hints_set(&pass->in_force, name,
                               value != NULL ? value : "(not taken)");
    }
    pario_hints_fini(&now);
    return code;
}

/* Collective over the file's processes. Chunk-size hints go with the view
 * (Sect. 7.1). The view begins where the pattern does. */
static int set_view(struct pass *pass, const struct beffio_pattern *row,
                    struct beffio_loop *loop)
{
    struct pario_hints hints = {0};
    MPI_Info info = MPI_INFO_NULL;
    MPI_Datatype filetype = MPI_BYTE;
    int scattered = beffio_calls[pass->type].strided &&
                    !uses_shared_pointer(pass) && !reads_everything(pass);
    int found = 0;
    int code = beffio_hintset_open(pass->experiment->hints, pass->type,
                                   pass->access, &hints);

    if (code == 0)
        code = beffio_hintset_chunk(pass->experiment->hints, pass->type,
                                    pass->access, row->l, &hints, &found);
    /* Once one chunk size has hints of its own, each view sets them all: what
     * one switched the next must switch back. */
    if (code == 0 && beffio_hintset_has_chunks(pass->experiment->hints,
                                               pass->type, pass->access))
        code = pario_hints_to_info(&hints, &info);
    if (code == 0 && scattered)
        code = pario_mpi_strided_type(loop->l, loop->stride, &filetype);
    code = pario_agree(pass->group, code);
    if (code == 0) {
        loop->view = uses_shared_pointer(pass) ? pass->begin : loop->first;
        code =
            pario_mpi_check(MPI_File_set_view(pass->file, loop->view, MPI_BYTE,
                                              filetype, "native", info),
                            "MPI_File_set_view");
    }
    if (code == 0 && info != MPI_INFO_NULL)
        code = note_chunk_hints(pass, row, &hints);
    if (filetype != MPI_BYTE)
        MPI_Type_free(&filetype);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    pario_hints_fini(&hints);
    return pario_agree(pass->group, code);
}

/* The number of the file's data: by experiment, type or owner, and whether it
 * was written once or again, so that a lost rewrite is seen. */
static struct pario_data file_data(const struct pass *pass, int again)
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

/* The geometry of one pattern on this rank. */
static void describe_loop(struct pass *pass, const struct beffio_pattern *row,
                          struct beffio_loop *loop)
{
    const struct beffio *beffio = pass->beffio;
    int verify = beffio->run->common.verify;
    int reading = pass->access == BEFFIO_READ;

    *loop = (struct beffio_loop){
        .file = pass->file,
        .call = reading ? beffio_calls[pass->type].read
                        : beffio_calls[pass->type].write,
        .collective = beffio_calls[pass->type].collective,
        .reading = reading,
        .l = beffio_bytes(row->l, pass->experiment->mpart),
        .L = beffio_bytes(row->L, pass->experiment->mpart),
        .first = pass->begin,
        .data = file_data(pass, pass->access == BEFFIO_REWRITE),
        .rewrite = file_data(pass, 1),
        .base = {.key = beffio->run->data_key, .file = BASE_FILE},
        .buffer = beffio->buffer,
        .check_all = verify == PARIO_VERIFY_FULL,
        .check_none = verify == PARIO_VERIFY_OFF,
        .mpi_error = MPI_SUCCESS,
    };
    loop->stride = loop->l;
    loop->shares = reads_everything(pass) ? pass->size : 1;
    loop->slots = beffio->buffer_len / loop->L;
    if (loop->slots > BEFFIO_WINDOW / loop->L && loop->slots > 1)
        loop->slots = BEFFIO_WINDOW > loop->L ? BEFFIO_WINDOW / loop->L : 1;
    if (pass->type == BEFFIO_SHARED && !uses_shared_pointer(pass))
        loop->call = reading ? beffio_calls[BEFFIO_SCATTER].read
                             : beffio_calls[BEFFIO_SCATTER].write;
    if (beffio_calls[pass->type].strided && !reads_everything(pass)) {
        loop->stride = loop->l * pass->size;
        loop->first += loop->l * pass->rank;
    }
    if (beffio_calls[pass->type].segmented)
        loop->first += pass->experiment->segment * pass->rank;
    pario_hist_init(&loop->latency);
}

/* How many calls at most: what was written, the segment, the free space. */
static int64_t most_calls(const struct pass *pass, int index,
                          const struct beffio_pattern *row,
                          const struct beffio_loop *loop)
{
    int64_t planned = pass->access == BEFFIO_WRITE
                          ? pass->experiment->planned[pass->type][index]
                          : pass->experiment->calls[pass->type][index];
    int64_t budget = pass->beffio->disk_budget;

    if (row->U == 0)
        return 1;
    if (reads_everything(pass))
        return planned * pass->size;
    if (pass->access != BEFFIO_WRITE || beffio_calls[pass->type].segmented)
        return planned;
    if (budget > 0) {
        int64_t share = budget * row->U / beffio_sum_units() / pass->size;

        return share / loop->L > 0 ? share / loop->L : 1;
    }
    return 0;
}

/* Rank 0 knows the wall clock: a run that is late gives the next patterns
 * less, and a write leaves room for its sync. The others are told. */
static double time_for(const struct pass *pass,
                       const struct beffio_pattern *row)
{
    struct beffio *beffio = pass->beffio;
    double scheduled = beffio_pattern_time(beffio, row->U);
    double late = pario_clock_s() - beffio->start_s - beffio->scheduled_s;
    double seconds = scheduled;

    if (late > 0)
        seconds -= late < scheduled / 2 ? late : scheduled / 2;
    if (pass->access != BEFFIO_READ)
        seconds *= 1 - beffio->sync_share[pass->type];
    beffio->scheduled_s += scheduled;
    if (pario_bcast(pass->group, &seconds, sizeof(seconds)) != 0)
        return scheduled;
    return seconds;
}

static int loop_error(const struct pass *pass, const struct beffio_loop *loop)
{
    const char *verb = loop->reading ? "read" : "write";
    char what[128];

    if (loop->mpi_error != MPI_SUCCESS) {
        snprintf(what, sizeof(what), "%s fails after %lld calls%s", verb,
                 (long long)loop->calls,
                 uses_shared_pointer(pass) && loop->calls == 0
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

static int data_error(const struct beffio_loop *loop)
{
    char text[256];

    if (loop->wrong_bytes == 0)
        return 0;
    pario_data_describe(&loop->data, BASE_FILE, &loop->wrong, text,
                        sizeof(text));
    return pario_fail(PARIO_EVERIFY, "%s", text);
}

/* Collective. Loop and sync, timed; then the agreement on what went wrong. */
static int timed_pattern(struct pass *pass, struct beffio_loop *loop,
                         struct pario_series *series, double *elapsed_s)
{
    int64_t begin = pario_clock_ns(), looped, end;
    int sync_err = MPI_SUCCESS, code;

    beffio_loop_run(loop, series);
    looped = pario_clock_ns();
    if (!loop->reading)
        sync_err = MPI_File_sync(pass->file);
    end = pario_clock_ns();
    *elapsed_s = (double)(end - begin - loop->pause_ns) * 1e-9;
    pass->pause_ns += loop->pause_ns;
    if (!loop->reading && end > begin)
        pass->beffio->sync_share[pass->type] =
            0.5 * pass->beffio->sync_share[pass->type] +
            0.5 * 0.9 * (double)(end - looped) / (double)(end - begin);
    if (series->group != NULL) {
        pass->beffio->decision_ns +=
            series->decisions * pass->experiment->decision_ns;
        pass->beffio->decided_ns += end - begin;
    }
    code = loop_error(pass, loop);
    if (code == 0)
        code = pario_mpi_check(sync_err, "sync fails: the data may not be on "
                                         "the disk");
    if (code == 0)
        code = data_error(loop);
    return pario_agree(pass->group, code);
}

static int reduce_outcome(const struct pass *pass, struct beffio_loop *loop,
                          double elapsed_s, struct outcome *outcome)
{
    int64_t sums[] = {loop->calls * loop->L, loop->calls, loop->checked_bytes,
                      loop->wrong_bytes};
    int code = pario_reduce_i64(pass->group, PARIO_SUM, sums, 4);

    outcome->bytes = sums[0];
    outcome->calls = sums[1];
    outcome->checked_bytes = sums[2];
    outcome->wrong_bytes = sums[3];
    outcome->seconds = outcome->first_s = elapsed_s;
    if (code == 0)
        code = pario_reduce_f64(pass->group, PARIO_MAX, &outcome->seconds, 1);
    if (code == 0)
        code = pario_reduce_f64(pass->group, PARIO_MIN, &outcome->first_s, 1);
    if (code == 0)
        code = pario_merge_hist(pass->group, &loop->latency);
    return code;
}

static enum pario_cache verdict(const struct pass *pass,
                                const struct outcome *outcome)
{
    const struct pario_run *run = pass->beffio->run;
    struct pario_cache_evidence evidence = {
        .writing = pass->access != BEFFIO_READ,
        .synced = pass->access != BEFFIO_READ,
        .memory_backed = run->fs.memory_backed,
        .bytes = outcome->bytes,
        .resident_bytes =
            pass->resident < 0
                ? -1
                : (int64_t)(pass->resident * (double)outcome->bytes),
        .capacity_bytes = pario_node_cache_capacity(&run->node) *
                          pario_group_nodes(pass->group),
    };

    return pario_cache_verdict(&evidence);
}

static json_t *hint_parameters(const struct pass *pass)
{
    if (!pass->beffio->interleaved)
        return NULL;
    return json_pack(
        "{s:o}", "hints",
        pario_json_text(beffio_hintset_name(pass->experiment->hints)));
}

static int record_pattern(struct pass *pass, const struct beffio_pattern *row,
                          struct beffio_loop *loop,
                          const struct outcome *outcome)
{
    char test[16];
    struct pario_measure measure = {
        .test = test,
        .access = beffio_access_names[pass->access],
        .partition = pass->size,
        .pattern = json_pack("{s:i, s:I, s:I, s:i}", "type", (int)pass->type,
                             "l_bytes", (json_int_t)loop->l, "L_bytes",
                             (json_int_t)loop->L, "U", row->U),
        .parameters = hint_parameters(pass),
        .extra =
            row->l == BEFFIO_MPART ? json_pack("{s:b}", "m_part", 1) : NULL,
        .bytes = outcome->bytes,
        .operations = outcome->calls,
        .seconds = outcome->seconds,
        .first_done_s = outcome->first_s,
        .last_done_s = outcome->seconds,
        .latency = &loop->latency,
        .checked_bytes = outcome->checked_bytes,
        .errors = outcome->wrong_bytes,
        .verify_off = pass->beffio->run->common.verify == PARIO_VERIFY_OFF,
        .cache = verdict(pass, outcome),
        .error = outcome->error[0] != '\0' ? outcome->error : NULL,
    };

    snprintf(test, sizeof(test), "type%d", (int)pass->type);
    pario_progress_figure(&pass->beffio->run->progress,
                          pario_mbps(outcome->bytes, outcome->seconds));
    return pario_run_add(pass->beffio->run, &measure);
}

static void announce(struct pass *pass, const struct beffio_pattern *row,
                     double seconds)
{
    char chunk[32];

    pario_run_phase(pass->beffio->run, seconds, "%s type %d %s, %s, np %d",
                    beffio_access_names[pass->access], (int)pass->type,
                    beffio_type_names[pass->type],
                    beffio_chunk_name(row->l, chunk, sizeof(chunk)),
                    pass->size);
}

/* The next pattern begins after the last byte of this one, on all ranks; in
 * random order that is the end of all that was planned. */
static void advance(struct pass *pass, int index,
                    const struct beffio_loop *loop)
{
    int64_t *calls = &pass->experiment->calls[pass->type][index];
    int64_t taken;

    if (pass->access == BEFFIO_WRITE)
        *calls = loop->calls;
    if (pass->access == BEFFIO_REWRITE)
        pass->experiment->rewritten[pass->type][index] = loop->calls;
    taken = pass->type == BEFFIO_RANDOM
                ? pass->experiment->planned[pass->type][index]
                : *calls;
    pass->begin +=
        taken * loop->L * (beffio_calls[pass->type].strided ? pass->size : 1);
}

/* Collective. What failed on one rank of a collective type failed for all:
 * the patterns after it must begin at one place. */
static int agree_on_calls(const struct pass *pass, struct beffio_loop *loop)
{
    if (!beffio_calls[pass->type].collective)
        return 0;
    return pario_reduce_i64(pass->group, PARIO_MIN, &loop->calls, 1);
}

/* Collective. The last call of a write is read back, outside the time; with
 * shared pointers this is left to the read. */
static int read_back(struct pass *pass, struct beffio_loop *loop)
{
    if (loop->reading || uses_shared_pointer(pass) || loop->check_none)
        return 0;
    if (loop->collective || loop->calls > 0)
        beffio_loop_read_back(loop, pass->type == BEFFIO_SHARED
                                        ? beffio_calls[BEFFIO_SCATTER].read
                                        : beffio_calls[pass->type].read);
    return pario_agree(pass->group, loop->mpi_error != MPI_SUCCESS
                                        ? loop_error(pass, loop)
                                        : data_error(loop));
}

/* Collective. Prepares loop and view; *limit_p: most calls of this rank. */
static int prepare_pattern(struct pass *pass, int index,
                           const struct beffio_pattern *row,
                           struct beffio_loop *loop, struct pario_perm *order)
{
    int code;

    describe_loop(pass, row, loop);
    loop->limit = most_calls(pass, index, row, loop);
    loop->samples = pass->beffio->samples;
    if (loop->reading)
        loop->rewritten = pass->experiment->rewritten[pass->type][index];
    if (pass->type == BEFFIO_RANDOM) {
        pario_perm_init(order,
                        (uint64_t)pass->experiment->planned[pass->type][index],
                        (uint64_t)pass->beffio->run->common.seed);
        loop->order = order;
    }
    if (!loop->reading)
        beffio_loop_fill(loop);
    code = pario_agree(pass->group,
                       pario_mpi_bytes_init(&loop->bytes, (size_t)loop->L));
    return code != 0 ? code : set_view(pass, row, loop);
}

/* Collective. A rank that has nothing to rewrite or read takes no part; if
 * none has, that is an error. */
static int run_loop(struct pass *pass, struct beffio_loop *loop, double seconds,
                    double *elapsed_s)
{
    struct pario_series series;
    int64_t most = loop->limit;
    int idle = loop->limit <= 0 && pass->access != BEFFIO_WRITE;
    int code = pario_reduce_i64(pass->group, PARIO_MAX, &most, 1);

    if (code == 0 && most <= 0 && pass->access != BEFFIO_WRITE)
        code = pario_fail(-ENODATA, "nothing was written to %s",
                          beffio_access_names[pass->access]);
    if (code == 0)
        code = pario_barrier(pass->group);
    if (code != 0)
        return code;
    pario_series_start(&series, loop->collective ? pass->group : NULL, seconds,
                       loop->limit);
    series.failed = idle;
    code = timed_pattern(pass, loop, &series, elapsed_s);
    return code != 0 ? code : read_back(pass, loop);
}

static int append_samples(struct pass *pass, const struct beffio_loop *loop)
{
    char header[256];

    if (loop->samples == NULL)
        return 0;
    snprintf(header, sizeof(header),
             "suite beffio\ntestname type%d\naccess %s\nblocksize %lld\n",
             (int)pass->type, beffio_access_names[pass->access],
             (long long)loop->l);
    return pario_samples_append(pass->group, pass->beffio->run->common.samples,
                                header, loop->reading ? "r" : "w",
                                loop->samples);
}

/* Collective. Errors of the pattern itself are recorded, not returned. */
static int run_pattern(struct pass *pass, int index,
                       const struct beffio_pattern *row)
{
    struct beffio_loop loop;
    struct pario_perm order;
    struct outcome outcome = {.bytes = 0};
    double elapsed_s = 0, seconds = time_for(pass, row);
    int64_t begin = pario_clock_ns();
    int code;

    announce(pass, row, seconds);
    code = prepare_pattern(pass, index, row, &loop, &order);
    pass->pause_ns += pario_clock_ns() - begin;
    if (code == 0)
        code = run_loop(pass, &loop, seconds, &elapsed_s);
    begin = pario_clock_ns(); /* what follows is no part of the type's time */
    if (code != 0) {
        snprintf(outcome.error, sizeof(outcome.error), "%s",
                 pario_error_message());
        pass->errors++;
    }
    code = agree_on_calls(pass, &loop);
    pass->bytes += loop.calls * loop.L;
    advance(pass, index, &loop);
    if (code == 0)
        code = append_samples(pass, &loop);
    if (code == 0)
        code = reduce_outcome(pass, &loop, elapsed_s, &outcome);
    pario_mpi_bytes_fini(&loop.bytes);
    if (code == 0 && outcome.error[0] != '\0')
        pario_run_invalidate(pass->beffio->run, "type %d %s: %s",
                             (int)pass->type, beffio_access_names[pass->access],
                             outcome.error);
    if (code == 0 && row->U > 0)
        code = record_pattern(pass, row, &loop, &outcome);
    code = pario_agree(pass->group, code);
    pass->pause_ns += pario_clock_ns() - begin;
    return code;
}

/* A library that reports success for data it lost is caught here. */
static int check_size(const struct pass *pass)
{
    int64_t end = pass->begin;
    MPI_Offset size = 0;
    int code = 0;

    if (pass->access != BEFFIO_WRITE || pass->type == BEFFIO_RANDOM)
        return 0; /* a random order may leave the end of its file unwritten */
    if (beffio_calls[pass->type].segmented)
        end = pass->begin > 0
                  ? pass->experiment->segment * pass->rank + pass->begin
                  : 0;
    if (pass->type != BEFFIO_SEPARATE)
        code = pario_reduce_i64(pass->group, PARIO_MAX, &end, 1);
    if (code == 0)
        code = pario_mpi_check(MPI_File_get_size(pass->file, &size),
                               "MPI_File_get_size");
    if (code == 0 && size < end)
        code = pario_fail(PARIO_EVERIFY,
                          "%s has %lld bytes after writing %lld: success was "
                          "reported for data that was not written",
                          pass->path, (long long)size, (long long)end);
    return pario_agree(pass->group, code);
}

/* Of a file per process: resident, size, unknown, summed. */
static int own_residency(const struct pass *pass, int64_t sums[3])
{
    int64_t left = 0;

    if (pass->beffio->run->common.cold &&
        pario_cache_evict(pass->path, &left) != 0)
        pario_run_warn(pass->beffio->run, "%s", pario_error_message());
    sums[2] = pario_cache_resident(pass->path, 0, 0, &sums[0]) != 0;
    return pario_reduce_i64(pass->group, PARIO_SUM, sums, 3);
}

static int shared_residency(const struct pass *pass, int64_t sums[3])
{
    int code = pario_residency(pass->group, pass->path,
                               pass->beffio->run->common.cold, &sums[0]);

    if (code != 0)
        pario_run_warn(pass->beffio->run, "%s", pario_error_message());
    sums[2] = sums[0] < 0;
    return code;
}

/* Before a read: how much of the data is in the page cache? */
static void residency(struct pass *pass)
{
    int64_t sums[3] = {0, 0, 0}; /* resident, size, unknown */
    struct stat st;
    int code;

    pass->resident = -1;
    if (pass->access != BEFFIO_READ)
        return;
    if (stat(pass->path, &st) == 0)
        sums[1] = (int64_t)st.st_blocks * 512; /* a segment may have holes */
    code = pass->type == BEFFIO_SEPARATE ? own_residency(pass, sums)
                                         : shared_residency(pass, sums);
    if (code == 0 && sums[1] > 0 && sums[2] == 0)
        pass->resident = (double)sums[0] / (double)sums[1];
}

/* The type's figure: all bytes over the time from opening to closing. */
static int record_total(struct pass *pass, double elapsed_s)
{
    struct beffio_experiment *experiment = pass->experiment;
    char test[24];
    struct pario_measure measure = {
        .test = test,
        .access = beffio_access_names[pass->access],
        .partition = pass->size,
        .parameters = hint_parameters(pass),
        .verify_off = pass->beffio->run->common.verify == PARIO_VERIFY_OFF,
        .error = pass->errors > 0 ? "one or more of its patterns failed" : NULL,
    };
    struct outcome total = {.seconds = elapsed_s, .first_s = elapsed_s};
    int64_t bytes = pass->bytes;
    int code = pario_reduce_i64(pass->group, PARIO_SUM, &bytes, 1);

    if (code == 0)
        code = pario_reduce_f64(pass->group, PARIO_MAX, &total.seconds, 1);
    if (code == 0)
        code = pario_reduce_f64(pass->group, PARIO_MIN, &total.first_s, 1);
    snprintf(test, sizeof(test), "type%d_total", (int)pass->type);
    total.bytes = measure.bytes = bytes;
    measure.seconds = measure.last_done_s = total.seconds;
    measure.first_done_s = total.first_s;
    measure.cache = verdict(pass, &total);
    if (pass->type < BEFFIO_TYPES) {
        experiment->bandwidths.mbps[pass->access][pass->type] =
            pario_mbps(bytes, total.seconds);
        experiment->bytes[pass->access] += bytes;
    }
    experiment->failed_patterns += pass->errors;
    if (code == 0)
        code = pario_run_add(pass->beffio->run, &measure);
    else
        json_decref(measure.parameters);
    return pario_agree(pass->group, code);
}

static int record_hints(struct pass *pass)
{
    struct pario_run *run = pass->beffio->run;
    json_t *object = json_object();
    char name[128];
    int code = 0;

    for (size_t i = 0; run->result != NULL && i < pass->in_force.count; i++)
        json_object_set_new(object, pass->in_force.hint[i].key,
                            pario_json_text(pass->in_force.hint[i].value));
    snprintf(name, sizeof(name), "%s%stype%d %s np%d",
             pass->beffio->interleaved
                 ? beffio_hintset_name(pass->experiment->hints)
                 : "",
             pass->beffio->interleaved ? " " : "", (int)pass->type,
             beffio_access_names[pass->access], pass->size);
    if (run->result != NULL)
        code = pario_result_set(run->result, "hints_in_force", name, object);
    else
        json_decref(object);
    pario_hints_fini(&pass->in_force);
    return code;
}

static void name_file(struct pass *pass)
{
    char name[64];

    snprintf(name, sizeof(name),
             pass->type == BEFFIO_SEPARATE ? "beffio-%d-type%d.%d"
                                           : "beffio-%d-type%d",
             pass->experiment->number, (int)pass->type, pass->rank);
    pario_run_path(pass->beffio->run, name, pass->path, sizeof(pass->path));
}

static int run_patterns(struct pass *pass)
{
    const struct beffio_pattern *rows = beffio_patterns(pass->type);
    int code = 0;

    for (int i = 0; code == 0 && rows[i].l != 0; i++)
        code = run_pattern(pass, i, &rows[i]);
    return code;
}

int beffio_pass(struct beffio *beffio, struct beffio_experiment *experiment,
                enum beffio_type type, enum beffio_access access)
{
    struct pass pass = {
        .beffio = beffio,
        .experiment = experiment,
        .group = experiment->group,
        .type = type,
        .access = access,
        .rank = pario_group_rank(experiment->group),
        .size = pario_group_size(experiment->group),
    };
    double elapsed_s;
    int64_t begin;
    int code, size_code, close_code;

    name_file(&pass);
    residency(&pass);
    code = pario_barrier(pass.group);
    begin = pario_clock_ns();
    if (code == 0)
        code = open_file(&pass);
    if (code != 0) {
        pario_run_invalidate(beffio->run, "type %d %s: %s", (int)type,
                             beffio_access_names[access],
                             pario_error_message());
        pass.errors++;
        return record_total(&pass, 0);
    }
    code = run_patterns(&pass);
    elapsed_s = (double)(pario_clock_ns() - begin - pass.pause_ns) * 1e-9;
    size_code = check_size(&pass);
    begin = pario_clock_ns();
    close_code =
        pario_agree(pass.group, pario_mpi_check(MPI_File_close(&pass.file),
                                                "MPI_File_close"));
    elapsed_s += (double)(pario_clock_ns() - begin) * 1e-9;
    if (size_code != 0 || close_code != 0) {
        pario_run_invalidate(beffio->run, "type %d %s: %s", (int)type,
                             beffio_access_names[access],
                             pario_error_message());
        pass.errors++;
    }
    if (code == 0)
        code = record_total(&pass, elapsed_s);
    if (code == 0)
        code = record_hints(&pass);
    return pario_agree(pass.group, code);
}
