/* suites/tune/worker.c - short passes of several contenders in one job. Rank 0
 * writes down what it begins and what came out, so that the driver knows whom
 * to strike out when the job dies. */
#include "core/cleanup.h"
#include "core/output.h"
#include "suites/tune/tune.h"

#include "core/clock.h"
#include "core/data.h"
#include "core/rng.h"
#include "io/hints.h"
#include "io/mpiio_calls.h"
#include "io/mpiio_hints.h"
#include "par/series.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define END_LIMIT_S 30 /* ending MPI takes no longer */
#define SAMPLE_CHUNKS 64

/* For the signal handler: a file that says that a pass took too long. */
static char hangs_path[4096];

static void on_alarm(int number)
{
    (void)number;
    (void)open(hangs_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    _exit(128 + SIGALRM);
}

struct worker {
    const struct pario_group *world;
    int rank, size;
    struct tune_pattern pattern;
    double pass_s;
    unsigned limit_s;  /* a pass that takes longer hangs */
    int64_t calls;     /* in one tour through the file */
    uint64_t *pass_of; /* whose data each call's place in the file holds */
    char path[4096];
    FILE *report;            /* rank 0 */
    char *buffer;            /* calls * L */
    uint64_t key, pass;      /* of the data */
    struct pario_rng places; /* that are looked at */
    MPI_Datatype view;
};

/* Where chunk c of call i stands in the file. */
static int64_t chunk_offset(const struct worker *w, int64_t call, int64_t chunk)
{
    const struct tune_pattern *p = &w->pattern;
    int64_t per_call = p->L / p->l;

    switch (p->type) {
    case 0:
        return ((call * per_call + chunk) * w->size + w->rank) * p->l;
    case 1:
        return (call * w->size + w->rank) * p->L + chunk * p->l;
    case 2:
        return call * p->L + chunk * p->l;
    default:
        return w->rank * w->calls * p->L + call * p->L + chunk * p->l;
    }
}

static struct pario_data data_of(const struct worker *w, uint64_t pass)
{
    /* Type 2 has a file for each process. */
    return (struct pario_data){
        .key = w->key + (w->pattern.type == 2 ? (uint64_t)w->rank : 0),
        .file = pass};
}

static void fill(struct worker *w)
{
    struct pario_data data = data_of(w, w->pass);
    int64_t chunks = w->pattern.L / w->pattern.l;

    for (int64_t call = 0; call < w->calls; call++)
        for (int64_t c = 0; c < chunks; c++)
            pario_data_fill(&data, chunk_offset(w, call, c),
                            w->buffer + call * w->pattern.L + c * w->pattern.l,
                            (size_t)w->pattern.l);
}

/* Collective. The whole file, before anyone is timed: then nobody has the
 * fresh file, and all that is read was written. */
static int write_whole(struct worker *w)
{
    int64_t len = w->calls * w->pattern.L, done = 0;
    int64_t base = w->pattern.type == 2 ? 0 : w->rank * len;
    int fd = pario_own_open(w->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    struct pario_data data;
    int code = fd < 0 ? -errno : 0;

    data = data_of(w, ++w->pass);
    pario_data_fill(&data, base, w->buffer, (size_t)len);
    while (code == 0 && done < len) {
        ssize_t n =
            pwrite(fd, w->buffer + done, (size_t)(len - done), base + done);

        if (n < 0 && errno != EINTR)
            code = -errno;
        done += n > 0 ? n : 0;
    }
    if (fd >= 0 && close(fd) != 0 && code == 0)
        code = -errno;
    for (int64_t call = 0; call < w->calls; call++)
        w->pass_of[call] = w->pass;
    if (code != 0)
        code = pario_fail_errno(code, "cannot write %s", w->path);
    return pario_agree(w->world, code);
}

/* The n-th of the chunks to look at: one anywhere in its share of them, and
 * the very last. */
static int64_t sample(struct worker *w, int64_t n, int64_t samples,
                      int64_t total)
{
    int64_t first = n * total / samples, next = (n + 1) * total / samples;

    if (n + 1 == samples)
        return total - 1;
    return first +
           (int64_t)pario_rng_below(&w->places, (uint64_t)(next - first));
}

/* Some chunks of these calls: of the file, or of what was read. Returns wrong
 * bytes, or a negative error. */
static int64_t check(struct worker *w, int64_t calls, int in_file,
                     int64_t *checked_p)
{
    int64_t chunks = w->pattern.L / w->pattern.l, wrong = 0;
    int64_t total = calls * chunks;
    int64_t samples = total > SAMPLE_CHUNKS ? SAMPLE_CHUNKS : total;
    size_t len = (size_t)w->pattern.l;
    char *copy = malloc(len);
    int fd = in_file ? open(w->path, O_RDONLY | O_CLOEXEC) : -1;

    if (copy == NULL || (in_file && fd < 0))
        wrong = -EIO;
    for (int64_t s = 0; wrong == 0 && s < samples; s++) {
        int64_t n = sample(w, s, samples, total);
        struct pario_data data = data_of(w, w->pass_of[n / chunks]);
        int64_t offset = chunk_offset(w, n / chunks, n % chunks);
        const char *bytes = w->buffer + n * w->pattern.l;
        struct pario_data_error error;

        if (in_file) {
            memset(copy, 0, len);
            if (pread(fd, copy, len, offset) < 0)
                wrong = -errno;
            bytes = copy;
        }
        if (wrong == 0 &&
            pario_data_check(&data, offset, bytes, len, &error) != 0)
            wrong = error.wrong_bytes;
        *checked_p += w->pattern.l;
    }
    if (fd >= 0)
        close(fd);
    free(copy);
    return wrong;
}

static int transfer(const struct worker *w, const struct mpiio_calls *calls,
                    MPI_File file, int reads, int64_t call, MPI_Status *status)
{
    int len = (int)w->pattern.L;
    char *buf = w->buffer + call * len;
    MPI_Offset at = call * len;

    if (w->pattern.type >= 3)
        at = chunk_offset(w, call, 0);
    if (w->pattern.type == 1)
        return (reads ? calls->read_ordered
                      : calls->write_ordered)(file, buf, len, MPI_BYTE, status);
    if (w->pattern.type == 0 || w->pattern.type == 4)
        return (reads ? calls->read_at_all : calls->write_at_all)(
            file, at, buf, len, MPI_BYTE, status);
    return (reads ? calls->read_at : calls->write_at)(file, at, buf, len,
                                                      MPI_BYTE, status);
}

/* What one access of a pass came to. */
struct access {
    int64_t calls, checked;
    double seconds;
};

/* Timed: the slowest process, between barriers. */
static int timed_pass(struct worker *w, const struct mpiio_calls *calls,
                      MPI_File file, int reads, struct access *access_p)
{
    const char *verb = reads ? "read" : "write";
    struct pario_series series;
    int64_t n, i = 0, lacking = 0;
    double begin_s, seconds;
    int err = MPI_SUCCESS, code = pario_barrier(w->world);

    /* An ordered pointer only goes on; the others tour through the file. */
    pario_series_start(&series, w->world, w->pass_s,
                       w->pattern.type == 1 ? w->calls : 0);
    begin_s = pario_clock_s();
    while ((n = pario_series_next(&series)) > 0) {
        for (; n > 0; n--, i++) {
            MPI_Status status;
            int count = 0;
            int one = transfer(w, calls, file, reads, i % w->calls, &status);

            err = err == MPI_SUCCESS ? one : err;
            if (one == MPI_SUCCESS)
                MPI_Get_count(&status, MPI_BYTE, &count);
            lacking += w->pattern.L - count;
        }
        series.failed = err != MPI_SUCCESS;
    }
    if (code == 0)
        code = pario_barrier(w->world);
    seconds = pario_clock_s() - begin_s;
    if (code == 0)
        code = pario_mpi_check(err, verb);
    if (code == 0 && lacking != 0)
        code = pario_fail(PARIO_ESHORT, "success of a %s of fewer bytes", verb);
    code = pario_agree(w->world, code);
    if (code == 0)
        code = pario_reduce_f64(w->world, PARIO_MAX, &seconds, 1);
    *access_p = (struct access){.calls = i, .seconds = seconds};
    return code;
}

static void report_hints(struct worker *w, const struct mpiio_calls *calls,
                         MPI_File file, int id, const struct pario_hints *asked)
{
    MPI_Info info = MPI_INFO_NULL;

    if (w->report == NULL || calls->get_info(file, &info) != MPI_SUCCESS ||
        info == MPI_INFO_NULL)
        return;
    for (size_t i = 0; i < asked->count; i++) {
        char value[MPI_MAX_INFO_VAL + 1];
        int found = 0;

        MPI_Info_get(info, asked->hint[i].key, MPI_MAX_INFO_VAL, value, &found);
        if (!found)
            fprintf(w->report, "unknown %d %s\n", id, asked->hint[i].key);
    }
    MPI_Info_free(&info);
}

static int open_file(struct worker *w, const struct mpiio_calls *calls,
                     MPI_Info info, MPI_File *file_p)
{
    int err = calls->open(
        w->pattern.type == 2 ? MPI_COMM_SELF : pario_group_comm(w->world),
        w->path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, file_p);
    int code = pario_agree(w->world, pario_mpi_check(err, "MPI_File_open"));

    if (code == 0 && w->pattern.type == 0)
        code = pario_agree(
            w->world,
            pario_mpi_check(calls->set_view(*file_p,
                                            (MPI_Offset)w->rank * w->pattern.l,
                                            MPI_BYTE, w->view, "native", info),
                            "MPI_File_set_view"));
    return code;
}

/* One access of one contender: open, time, close, check. */
static int one_access(struct worker *w, const struct mpiio_calls *calls,
                      const struct pario_hints *hints, int id, int reads,
                      struct access *access_p)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_File file = MPI_FILE_NULL;
    int64_t made = 0;
    int code = pario_agree(w->world, pario_hints_to_info(hints, &info));

    if (code == 0)
        code = open_file(w, calls, info, &file);
    /* shipio's answer has all that the native library was given, too. */
    if (code == 0 && !reads && calls != &mpiio_shipio)
        report_hints(w, calls, file, id, hints);
    if (code == 0)
        code = timed_pass(w, calls, file, reads, access_p);
    if (code == 0)
        code = pario_agree(
            w->world, pario_mpi_check(calls->close(&file), "MPI_File_close"));
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (code != 0)
        return code;
    made = access_p->calls < w->calls ? access_p->calls : w->calls;
    for (int64_t call = 0; !reads && call < made; call++)
        w->pass_of[call] = w->pass;
    if (check(w, made, !reads, &access_p->checked) != 0)
        code = pario_fail(PARIO_EVERIFY, "wrong data was %s",
                          reads ? "read" : "written");
    code = pario_agree(w->world, code);
    if (code == 0)
        code = pario_reduce_i64(w->world, PARIO_SUM, &access_p->checked, 1);
    return code;
}

static void report_pass(struct worker *w, int id, const struct access *done,
                        double begin_s)
{
    fprintf(w->report, "pass %d %.3f", id, pario_clock_s() - begin_s);
    for (int i = 0; i < 2; i++) {
        int64_t bytes = done[i].calls * w->pattern.L * w->size;

        fprintf(w->report, " %lld %.9f %lld", (long long)bytes, done[i].seconds,
                (long long)done[i].checked);
    }
    fputc('\n', w->report);
}

/* Collective. A pass of one contender: new data is written, then the file is
 * read. */
static int one_pass(struct worker *w, int id, const char *library,
                    const char *text)
{
    const struct mpiio_calls *calls =
        strcmp(library, "shipio") == 0 ? &mpiio_shipio : &mpiio_native;
    struct pario_hints hints = {.count = 0};
    struct access done[2];
    double begin_s = pario_clock_s();
    int code = text[0] != '\0' ? pario_hints_parse(&hints, text) : 0;

    alarm(w->limit_s);
    w->pass++;
    fill(w);
    if (w->report != NULL)
        fprintf(w->report, "begin %d\n", id);
    code = pario_agree(w->world, code);
    if (code == 0)
        code = one_access(w, calls, &hints, id, 0, &done[0]);
    memset(w->buffer, 0x5a, (size_t)(w->calls * w->pattern.L));
    if (code == 0)
        code = one_access(w, calls, &hints, id, 1, &done[1]);
    if (w->report != NULL && code == 0)
        report_pass(w, id, done, begin_s);
    else if (w->report != NULL)
        fprintf(w->report, "bad %d %s\n", id, pario_error_message());
    pario_hints_fini(&hints);
    return code;
}

/* TYPE l L TASK_BYTES PASS_MS PASSES START LIMIT_S race|confirmation, then ID
 * LIBRARY [HINTS] lines; the contender in line START begins. */
#define MOST_LINES (TUNE_MOST_CONTENDERS + 1)
struct spec {
    char line[MOST_LINES][640];
    int count, passes, start;
};

static int read_spec(struct worker *w, const char *folder, struct spec *spec)
{
    char path[4096], *at;
    long long number[8];
    FILE *file;

    snprintf(path, sizeof(path), "%s/spec", folder);
    file = fopen(path, "r");
    if (file == NULL)
        return pario_fail_errno(-errno, "cannot read %s", path);
    while (spec->count < MOST_LINES &&
           fgets(spec->line[spec->count], sizeof(spec->line[0]), file) != NULL)
        spec->count++;
    fclose(file);
    for (int i = 0; i < spec->count; i++)
        spec->line[i][strcspn(spec->line[i], "\n")] = '\0';
    at = spec->line[0];
    for (int i = 0; i < 8; i++)
        number[i] = strtoll(at, &at, 10);
    w->pattern = (struct tune_pattern){.type = (int)number[0],
                                       .l = number[1],
                                       .L = number[2],
                                       .task_bytes = number[3]};
    w->pass_s = (double)number[4] / 1e3;
    spec->passes = (int)number[5];
    spec->start = (int)number[6];
    w->limit_s = (unsigned)number[7];
    if (spec->count < 2 || w->pattern.l < 1 || w->pattern.L < w->pattern.l)
        return pario_fail(PARIO_EFORMAT, "%s is not what it must be", path);
    return 0;
}

static int prepare(struct worker *w, const char *folder)
{
    struct sigaction action = {.sa_handler = on_alarm};
    const char *slash = strrchr(folder, '/');
    char path[4096];
    MPI_Datatype block = MPI_DATATYPE_NULL;

    if (w->pattern.L < 1)
        return pario_fail(PARIO_EFORMAT, "a call without bytes");
    if (pario_cleanup_hold_tree(folder) != 0)
        return pario_fail_errno(-ENOENT, "cannot use %s", folder);
    snprintf(hangs_path, sizeof(hangs_path), "%s/hangs", folder);
    sigaction(SIGALRM, &action, NULL);
    w->calls = w->pattern.task_bytes / w->pattern.L;
    w->calls = w->calls < 1 ? 1 : w->calls;
    pario_rng_init(&w->places, (uint64_t)pario_clock_ns() + (uint64_t)w->rank);
    w->buffer = malloc((size_t)(w->calls * w->pattern.L));
    w->pass_of = calloc((size_t)w->calls, sizeof(*w->pass_of));
    if (w->buffer == NULL || w->pass_of == NULL)
        return pario_fail_errno(-ENOMEM, "the data");
    /* OMPIO makes semaphores by the file's name alone. */
    snprintf(w->path, sizeof(w->path), "%s/%s-type%d.%d", folder,
             slash != NULL ? slash + 1 : "", w->pattern.type,
             w->pattern.type == 2 ? w->rank : 0);
    if (w->rank == 0) {
        snprintf(path, sizeof(path), "%s/report", folder);
        w->report = pario_own_stream(path);
        if (w->report == NULL)
            return pario_fail_errno(-errno, "cannot write %s", path);
        setvbuf(w->report, NULL, _IOLBF, 0);
    }
    MPI_Type_contiguous((int)w->pattern.l, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)(w->pattern.l * w->size),
                            &w->view);
    MPI_Type_free(&block);
    return pario_mpi_check(MPI_Type_commit(&w->view), "a file view");
}

static int take_turns(struct worker *w, const struct spec *spec)
{
    int n = spec->count - 1;
    int bad[MOST_LINES] = {0}; /* the same on all ranks: they agreed */
    int code;

    alarm(w->limit_s); /* each pass sets it anew */
    code = write_whole(w);
    for (int pass = 0; code == 0 && pass < spec->passes; pass++)
        for (int i = 0; code == 0 && i < n; i++) {
            int turn = 1 + (i + pass + spec->start) % n;
            char copy[640], *rest = copy, *id, *library, *hints;

            if (bad[turn])
                continue;
            snprintf(copy, sizeof(copy), "%s", spec->line[turn]);
            id = strsep(&rest, " ");
            library = strsep(&rest, " ");
            hints = rest;
            if (library == NULL)
                return pario_fail(PARIO_EFORMAT, "a contender without library");
            bad[turn] = one_pass(w, (int)strtol(id, NULL, 10), library,
                                 hints != NULL ? hints : "") != 0;
            if (bad[turn]) /* who knows what it has written */
                code = write_whole(w);
        }
    return code;
}

int tune_worker(const struct pario_group *world, int argc, char **argv)
{
    struct worker w = {.world = world,
                       .rank = pario_group_rank(world),
                       .size = pario_group_size(world),
                       .view = MPI_DATATYPE_NULL};
    struct spec *spec = calloc(1, sizeof(*spec));
    int code = argc < 3 || spec == NULL
                   ? pario_fail(PARIO_EUSAGE, "not to be called by hand")
                   : 0;

    if (code == 0 && spec != NULL) {
        w.key = strtoull(argv[2], NULL, 16);
        code = read_spec(&w, argv[1], spec);
    }
    if (code == 0)
        code = prepare(&w, argv[1]);
    code = pario_agree(world, code);
    if (code == 0 && spec != NULL)
        code = take_turns(&w, spec);
    if (w.report != NULL) {
        if (code == 0)
            fprintf(w.report, "end\n");
        else
            fprintf(w.report, "stopped %s\n", pario_error_message());
        fclose(w.report);
    }
    alarm(END_LIMIT_S);
    if (w.view != MPI_DATATYPE_NULL)
        MPI_Type_free(&w.view);
    free(w.buffer);
    free(w.pass_of);
    free(spec);
    return code;
}
