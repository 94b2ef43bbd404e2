/* suites/iot/sharedfp.c - sharedfp (6.5): all processes write random amounts
 * to one file through the shared pointer, as into a log. */
#include "core/cleanup.h"
#include "core/clock.h"
#include "core/rng.h"
#include "suites/iot/file.h"
#include "suites/iot/values.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SAMPLES (1 << 24)  /* of a rank; further calls are counted only */
#define READ_DOUBLES (1 << 17) /* the file is checked in pieces of this */
#define RANK_FACTOR 4294967296.0
#define BASE (1u << 18) /* file number of what is between stamps */

/*
 * A record's first double tells who wrote it and how long it is (rank * 2^32
 * + doubles); the others carry stamps (values.h) of the place in the rank's own
 * stream of values: so the check sees every record, whole, once, and in the
 * order of its rank.
 */
struct sharedfp {
    struct iot_context *context;
    struct iot_file file;
    struct pario_rng rng;
    struct pario_data base;
    double *buf;
    int64_t streamed; /* doubles of this rank's stream so far */
    struct pario_samples times;
    int64_t *bytes; /* of each call that has a sample */
    struct pario_hist latency;
    int64_t written, calls;        /* of this rank */
    int64_t write_ns, position_ns; /* that it was in the calls */
    int64_t end;                   /* of the file, in doubles */
};

static int64_t stream_begin(const struct iot_context *context, int rank)
{
    return rank * (context->set->file_bytes / 8);
}

/* The next record; its length in doubles. */
static int make_record(struct sharedfp *fp)
{
    const struct iot_set *set = fp->context->set;
    uint64_t choices = (uint64_t)(set->block_max - set->block_min) / 8 + 1;
    int64_t n =
        set->block_min / 8 + (int64_t)pario_rng_below(&fp->rng, choices);

    if (n == 0)
        return 0;
    fp->buf[0] = fp->context->rank * RANK_FACTOR + (double)n;
    iot_values_stamp(&fp->context->data,
                     stream_begin(fp->context, fp->context->rank) +
                         fp->streamed,
                     fp->buf + 1, n - 1);
    fp->streamed += n - 1;
    return (int)n;
}

static int timed_write(struct sharedfp *fp, int count)
{
    MPI_Status status;
    int64_t begin = pario_clock_ns(), elapsed;
    int err = fp->context->set->collective
                  ? MPI_File_write_ordered(fp->file.handle, fp->buf, count,
                                           MPI_DOUBLE, &status)
                  : MPI_File_write_shared(fp->file.handle, fp->buf, count,
                                          MPI_DOUBLE, &status);

    elapsed = pario_clock_ns() - begin;
    if (fp->times.count < fp->times.capacity)
        fp->bytes[fp->times.count] = (int64_t)count * 8;
    pario_samples_take(&fp->times, &fp->latency, elapsed);
    fp->write_ns += elapsed;
    fp->written += (int64_t)count * 8;
    fp->calls++;
    return iot_io_check(&fp->file, err, &status, MPI_DOUBLE, count, "write");
}

static int position(struct sharedfp *fp, int64_t *doubles_p)
{
    MPI_Offset at = 0;
    int64_t begin = pario_clock_ns();
    int code =
        pario_mpi_check(MPI_File_get_position_shared(fp->file.handle, &at),
                        "MPI_File_get_position_shared");

    fp->position_ns += pario_clock_ns() - begin;
    *doubles_p = at;
    return code;
}

/* ROMIO keeps the shared pointer in a hidden file beside the test file,
 * ".NAME.shfp.RANDOM.PID" of process 0, and leaves it behind when the run is
 * killed: the janitor is to remove it. */
static int note_hidden_file(const struct sharedfp *fp)
{
    const char *path = fp->file.path, *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    int dir_len = slash != NULL ? (int)(slash - path) : 1;
    char dir[PATH_MAX], pattern[PATH_MAX], found[PATH_MAX];
    const struct dirent *entry;
    int code = 0;
    DIR *stream;

    snprintf(dir, sizeof(dir), "%.*s", slash == path ? 1 : dir_len,
             slash != NULL ? path : ".");
    snprintf(pattern, sizeof(pattern), ".%s.shfp.*.%ld", name, (long)getpid());
    stream = opendir(dir);
    while (stream != NULL && code == 0 && (entry = readdir(stream)) != NULL) {
        if (fnmatch(pattern, entry->d_name, FNM_PERIOD) != 0)
            continue;
        if (snprintf(found, sizeof(found), "%s/%s", dir, entry->d_name) <
            (int)sizeof(found))
            code = pario_cleanup_add_file(found);
    }
    if (stream != NULL)
        closedir(stream);
    return code;
}

/* Ends while any process could still write its longest block: the file never
 * grows beyond its size, and fast processes write more than slow ones. Where
 * the pointer stands must be asked for, within the time: who writes a log that
 * may not outgrow a size pays for that. */
static int shared_loop(struct sharedfp *fp)
{
    const struct iot_set *set = fp->context->set;
    int64_t most = set->file_bytes - set->block_max * fp->context->size;
    int64_t at = 0;
    int code = position(fp, &at);

    while (code == 0 && at * 8 <= most) {
        code = timed_write(fp, make_record(fp));
        if (code == 0)
            code = position(fp, &at);
    }
    return code;
}

/* The collective form: the sizes of a round are known to all. */
static int ordered_loop(struct sharedfp *fp)
{
    int64_t written = 0, round;
    int code = 0, failed;

    for (;;) {
        int count = make_record(fp);

        round = (int64_t)count * 8;
        failed =
            pario_reduce_i64(fp->context->run->world, PARIO_SUM, &round, 1);
        if (failed != 0)
            return failed;
        if (written + round > fp->context->set->file_bytes) {
            fp->streamed -= count > 0 ? count - 1 : 0;
            return code;
        }
        failed = timed_write(fp, count);
        code = code != 0 ? code : failed;
        written += round;
    }
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct sharedfp *fp = arg;
    int code =
        fp->context->set->collective ? ordered_loop(fp) : shared_loop(fp);

    iot_phase_moved(phase, fp->written, fp->calls);
    return code;
}

static int sync_file(void *arg)
{
    return iot_file_sync(&((struct sharedfp *)arg)->file);
}

/* One record at buffer[at]; how many doubles it takes, 0 if it is not all in
 * the buffer, -1 if it is no record. */
static int64_t check_record(const struct sharedfp *fp, const double *buffer,
                            int64_t left, int64_t *streams,
                            struct pario_rng *rng,
                            struct pario_figures *figures)
{
    struct iot_expected expected;
    int rank;
    int64_t n;

    if (buffer == NULL || streams == NULL)
        return -1;
    rank = (int)(buffer[0] / RANK_FACTOR);
    n = (int64_t)(buffer[0] - rank * RANK_FACTOR);
    if (!(buffer[0] >= 1) || rank >= fp->context->size || n < 1 ||
        n > fp->context->set->block_max / 8 ||
        !iot_same_bits(buffer[0], rank * RANK_FACTOR + (double)n))
        return -1;
    if (n > left)
        return 0;
    expected = (struct iot_expected){
        .stamps = fp->context->data,
        .base = fp->base,
        .first = stream_begin(fp->context, rank) + streams[rank],
        .base_first = 1,
    };
    iot_values_sample(fp->context->run->common.verify, &expected, buffer + 1,
                      n - 1, rng, figures);
    streams[rank] += n - 1;
    figures->checked_bytes += 8;
    return n;
}

/* Rank 0 reads the file from record to record. */
static int check_file(struct sharedfp *fp, double *buffer, int64_t capacity,
                      int64_t *streams, struct pario_figures *figures)
{
    struct pario_rng rng;
    int64_t at = 0, end = fp->end;
    int code = 0;

    pario_rng_init(&rng, (uint64_t)fp->context->run->common.seed);
    while (code == 0 && at < end && figures->wrong_bytes == 0) {
        int count = (int)(end - at < capacity ? end - at : capacity);
        int64_t used = 0, n = 1;
        MPI_Status status;
        int err = MPI_File_read_at(fp->file.handle, at, buffer, count,
                                   MPI_DOUBLE, &status);

        code = iot_io_check(&fp->file, err, &status, MPI_DOUBLE, count,
                            "read back");
        while (code == 0 && used < count && n > 0) {
            int right = figures->wrong_bytes == 0;

            n = check_record(fp, buffer + used, count - used, streams, &rng,
                             figures);
            if (right && figures->wrong_bytes > 0)
                snprintf(figures->wrong, sizeof(figures->wrong),
                         "the record at byte %lld of the file does not hold "
                         "what was written",
                         (long long)(at + used) * 8);
            used += n > 0 ? n : 0;
        }
        at += used;
        if (code == 0 && (n < 0 || used == 0)) {
            figures->wrong_bytes += 8;
            snprintf(figures->wrong, sizeof(figures->wrong),
                     "no record begins at byte %lld: records overlap or have a "
                     "gap between them",
                     (long long)at * 8);
        }
    }
    return code;
}

/* Rank 0: all that was written must be there, once. */
static int check_records(struct sharedfp *fp, struct pario_figures *figures)
{
    int64_t capacity = fp->context->set->block_max / 8;
    double *buffer;
    int64_t *streams;
    int code = 0;

    if (capacity < READ_DOUBLES)
        capacity = READ_DOUBLES;
    buffer = malloc((size_t)capacity * 8);
    streams = calloc((size_t)fp->context->size, sizeof(*streams));
    if (buffer == NULL || streams == NULL)
        code = pario_fail_errno(-ENOMEM, "no memory to check the file");
    if (code == 0)
        code = check_file(fp, buffer, capacity, streams, figures);
    free(buffer);
    free(streams);
    return code;
}

/* Collective. How evenly the processes wrote. */
static json_t *balance(struct sharedfp *fp)
{
    const struct iot_context *context = fp->context;
    double bytes = (double)fp->written, calls = (double)fp->calls;
    double most = iot_max(context, bytes), least = -iot_max(context, -bytes);
    double mean = iot_mean(context, bytes);
    double least_calls = -iot_max(context, -calls);
    const struct iot_extra extras[] = {
        {"load_balance", most > 0 ? mean / most : 1},
        {"bytes_of_busiest_rank", bytes},
        {"bytes_of_idlest_rank", least},
        {"calls_of_busiest_rank", calls},
        {"calls_of_idlest_rank", least_calls},
        {"call_seconds", (double)fp->write_ns * 1e-9},
        {"position_seconds", (double)fp->position_ns * 1e-9},
        {"sync_seconds", fp->file.sync_s},
        {.name = NULL},
    };

    return iot_greatest(context, extras);
}

static double mean_record(const struct iot_set *set)
{
    double mean = (double)(set->block_min + set->block_max) / 2;

    return mean < 8 ? 8 : mean;
}

/* Collective, after the time: all that was written must be there, once. */
static int check(void *arg, struct pario_phase *phase)
{
    struct sharedfp *fp = arg;
    struct iot_context *context = fp->context;
    int64_t written = iot_sum(context, fp->written);
    int code = position(fp, &fp->end);

    pario_samples_fold(&fp->times, &fp->latency);
    if (code == 0 && fp->end * 8 != written)
        code = pario_fail(PARIO_EVERIFY,
                          "the shared pointer of %s stands at byte %lld after "
                          "%lld bytes were written",
                          fp->file.path, (long long)fp->end * 8,
                          (long long)written);
    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = iot_file_check_size(context, written);
    if (code != 0)
        return code;
    iot_phase(context, context->set->file_bytes, 0, "check");
    if (context->rank == 0 && context->run->common.verify != PARIO_VERIFY_OFF)
        code = check_records(fp, &phase->figures);
    return code;
}

static const struct pario_phase_calls calls = {
    .loop = loop, .sync = sync_file, .check = check};

/* Each call waits for its turn at the pointer. */
static int write_part(struct sharedfp *fp)
{
    struct iot_context *context = fp->context;
    const struct iot_set *set = context->set;
    struct pario_phase phase = iot_phase_of(context, 1);
    int64_t begin = 0;
    size_t ncalls;
    int code;

    phase.latency = &fp->latency;
    iot_phase(context, set->file_bytes,
              (double)set->file_bytes / mean_record(set) * IOT_SEEK_S, "write");
    code = position(fp, &begin); /* now the library has made its file */
    fp->position_ns = 0;
    if (code == 0 && context->rank == 0)
        code = note_hidden_file(fp);
    code = pario_agree(context->run->world, code);
    if (code == 0)
        code = pario_phase_run(&phase, &calls, fp);
    ncalls = fp->times.count;
    if (code == 0)
        code = iot_timings_samples(context, "w", &fp->times);
    if (code == 0)
        code = iot_timings_values(context, "b", "bytes", fp->bytes, ncalls);
    return code != 0 ? code : iot_record(context, &phase, "write", balance(fp));
}

/* A rank writes at most all of the file; memory that is not used costs
 * nothing. */
static int prepare(struct sharedfp *fp)
{
    const struct iot_set *set = fp->context->set;
    double most = 2 * (double)set->file_bytes / mean_record(set) + 1024;
    size_t capacity = most < MAX_SAMPLES ? (size_t)most : MAX_SAMPLES;
    int code = pario_samples_init(&fp->times, capacity);

    pario_rng_init(&fp->rng, (uint64_t)(fp->context->run->common.seed +
                                        (int64_t)1000003 * fp->context->rank));
    fp->base = fp->context->data;
    fp->base.file |= BASE;
    fp->bytes = calloc(capacity, sizeof(*fp->bytes));
    fp->buf = malloc((size_t)set->block_max + 8);
    if (code == 0 && (fp->buf == NULL || fp->bytes == NULL))
        code = pario_fail_errno(-ENOMEM, "no memory for samples");
    if (code == 0)
        iot_values_fill(&fp->base, 0, fp->buf, set->block_max / 8);
    return code;
}

int iot_run_sharedfp(struct iot_context *context)
{
    struct sharedfp *fp = calloc(1, sizeof(*fp));
    int code = fp != NULL ? 0 : pario_fail_errno(-ENOMEM, "no memory");

    if (fp != NULL) {
        fp->context = context;
        code = prepare(fp);
    }
    code = pario_agree(context->run->world, code);
    if (code == 0 && fp != NULL) {
        code = iot_file_begin(context, context->comm, 1, IOT_MPI, &fp->file);
        if (code == 0)
            code = write_part(fp);
        code = iot_file_end(context, &fp->file, 1, code);
    }
    if (fp != NULL) {
        pario_samples_fini(&fp->times);
        free(fp->buf);
        free(fp->bytes);
    }
    free(fp);
    return code;
}
