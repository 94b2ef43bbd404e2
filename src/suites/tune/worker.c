/* suites/tune/worker.c - short passes of several contenders in one job. Rank 0
 * writes down what it begins and what came out, so that the driver knows whom
 * to exclude when the job dies. */
#include "suites/tune/tune.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/output.h"
#include "core/storage.h"
#include "io/backend.h"
#include "measure/marks.h"
#include "measure/placement.h"
#include "suites/beffio/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define END_LIMIT_S 30  /* ending MPI takes no longer */
#define MAX_WAITING 4   /* times a pass: tours and all between them */
#define CHECK_TIMES 2   /* times a pass: a whole tour without a clock */
#define DATA_NUMBERS 64 /* passes have data of their own, in turns */

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
    struct pario_group *group; /* the same processes */
    int rank;
    struct tune_pattern pattern;
    double pass_s;
    unsigned limit_s; /* a pass that takes longer hangs */
    int64_t calls;    /* in one tour through the file */
    char path[4096];
    FILE *report; /* rank 0 */
    /* A pass is b_eff_io's: its one experiment, with one row of its table. */
    struct pario_run run;
    struct beffio beffio;
    struct beffio_pattern row;
};

static struct beffio_experiment *experiment_of(struct worker *w)
{
    return &w->beffio.experiment[0];
}

/* Collective. The whole file, before anyone is timed: then nobody has the
 * fresh file. What is in it is read only after it was written anew. */
static int write_whole(struct worker *w)
{
    int64_t len = w->calls * w->pattern.L, piece = w->beffio.buffer_len;
    int64_t base = w->pattern.type == BEFFIO_SEPARATE ? 0 : w->rank * len;
    struct pario_data data = {.key = w->run.data_key};
    int fd = pario_own_open(w->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    int code = fd < 0 ? -errno : 0;

    pario_data_fill(&data, base, w->beffio.buffer,
                    (size_t)w->beffio.buffer_len);
    for (int64_t at = 0; code == 0 && at < len; at += piece)
        code = pario_pwrite_all(fd, w->beffio.buffer,
                                (size_t)(piece < len - at ? piece : len - at),
                                base + at);
    if (fd >= 0 && close(fd) != 0 && code == 0)
        code = -errno;
    if (code != 0)
        code = pario_fail_errno(code, "cannot write %s", w->path);
    return pario_agree(w->world, code);
}

/* Collective. One tour through the file, from its beginning. */
static int one_tour(struct beffio_pass *pass, struct beffio_part *part,
                    double seconds)
{
    int code;

    pass->begin = 0;
    code = beffio_pattern_run(pass, part, seconds);
    if (code == 0 && part->error[0] != '\0')
        code = pario_fail(PARIO_EMPI, "%s", part->error);
    if (code == 0 && part->phase.figures.wrong_bytes > 0)
        code = pario_fail(PARIO_EVERIFY, "wrong data: %s",
                          part->phase.figures.wrong);
    return code;
}

/* Collective. Rank 0 decides whether there is time for another tour. */
static int goes_on(const struct worker *w, double seconds, double begin_s,
                   int *again_p)
{
    *again_p = seconds < w->pass_s &&
               pario_clock_s() - begin_s < MAX_WAITING * w->pass_s;
    return pario_bcast(w->world, again_p, sizeof(*again_p));
}

/* Collective. Tours until the time of a pass is over. */
static int timed_tours(struct worker *w, struct beffio_pass *pass,
                       struct pario_figures *sum)
{
    struct beffio_experiment *e = pass->experiment;
    double begin_s = pario_clock_s();
    int64_t written = 0;
    int again = 1, code = 0;

    while (code == 0 && again) {
        struct beffio_part part = {.row = &w->row};

        code = one_tour(pass, &part, w->pass_s - sum->seconds);
        written = part.loop.calls > written ? part.loop.calls : written;
        pario_figures_add(sum, &part.phase.figures);
        if (code == 0)
            code = goes_on(w, sum->seconds, begin_s, &again);
    }
    /* Tours are short, the time of all of them need not be. */
    pario_figures_one_piece(sum);
    if (pass->access == BEFFIO_REWRITE)
        e->calls[pass->type][0] = e->rewritten[pass->type][0] = written;
    return code;
}

/* Collective. All that was written is read once more and checked in full, out
 * of any time. */
static int check_all(struct worker *w, struct beffio_pass *pass,
                     struct pario_figures *sum)
{
    struct beffio_part part = {.row = &w->row};
    int code;

    w->run.common.verify = PARIO_VERIFY_FULL;
    code = one_tour(pass, &part, CHECK_TIMES * w->pass_s);
    w->run.common.verify = PARIO_VERIFY_SAMPLE;
    sum->checked_bytes = part.phase.figures.checked_bytes;
    return code;
}

/* shipio's answer has all that the native library was given, too. */
static void report_hints(const struct worker *w, const struct beffio_pass *pass,
                         int id, const struct pario_hints *asked)
{
    if (w->report == NULL || pass->mpi == &pario_mpiio_shipio)
        return;
    for (size_t i = 0; i < asked->count; i++)
        if (pario_hints_get(&pass->in_force, asked->hint[i].key) == NULL)
            fprintf(w->report, "unknown %d %s\n", id, asked->hint[i].key);
}

/* Collective. One access of one contender, from open to close. */
static int one_access(struct worker *w, enum beffio_access access, int id,
                      const struct pario_hints *hints,
                      struct pario_figures *sum_p)
{
    struct beffio_pass pass;
    int code, opened;

    *sum_p = (struct pario_figures){.passes = 0};
    beffio_pass_init(&pass, &w->beffio, experiment_of(w),
                     (enum beffio_type)w->pattern.type, access);
    snprintf(pass.path, sizeof(pass.path), "%s", w->path);
    code = opened = beffio_pass_begin(&pass);
    if (code == 0 && access == BEFFIO_REWRITE)
        report_hints(w, &pass, id, hints);
    if (code == 0)
        code = timed_tours(w, &pass, sum_p);
    if (code == 0 && access == BEFFIO_READ)
        code = check_all(w, &pass, sum_p);
    if (code != 0) { /* the words of the first error */
        char words[512];

        snprintf(words, sizeof(words), "%s", pario_error_message());
        (void)!beffio_pass_end(&pass, opened);
        code = pario_fail(code, "%s", words);
    } else {
        code = beffio_pass_end(&pass, opened);
    }
    pario_phase_drop(&pass.whole);
    pario_hints_fini(&pass.in_force);
    return code;
}

static void report_pass(struct worker *w, int id,
                        const struct pario_figures *done, double begin_s)
{
    fprintf(w->report, "pass %d %.3f", id, pario_clock_s() - begin_s);
    for (int i = 0; i < 2; i++)
        fprintf(w->report, " %lld %.9f %lld %d %u %lld %lld",
                (long long)done[i].bytes, done[i].seconds,
                (long long)done[i].checked_bytes, (int)done[i].cache,
                done[i].flags, (long long)done[i].seen.device_read_bytes,
                (long long)done[i].seen.device_written_bytes);
    fputc('\n', w->report);
}

/* Collective. A pass of one contender: new data is written, then what was
 * written is read. */
static int one_pass(struct worker *w, int id, const char *library,
                    const char *text)
{
    struct beffio_experiment *e = experiment_of(w);
    struct pario_hints hints = {.count = 0};
    struct pario_figures done[2];
    double begin_s = pario_clock_s();
    int code = text[0] != '\0' ? pario_hints_parse(&hints, text) : 0;

    alarm(w->limit_s);
    if (w->report != NULL)
        fprintf(w->report, "begin %d\n", id);
    e->mpi = strcmp(library, "shipio") == 0 ? &pario_mpiio_shipio
                                            : &pario_mpiio_native;
    e->number = (e->number + 1) % DATA_NUMBERS;
    e->calls[w->pattern.type][0] = w->calls;
    if (code == 0)
        code = beffio_hintset_of(&hints, &e->hints);
    code = pario_agree(w->world, code);
    if (code == 0)
        code = one_access(w, BEFFIO_REWRITE, id, &hints, &done[0]);
    if (code == 0)
        code = one_access(w, BEFFIO_READ, id, &hints, &done[1]);
    if (w->report != NULL && code == 0)
        report_pass(w, id, done, begin_s);
    else if (w->report != NULL)
        fprintf(w->report, "bad %d %s\n", id, pario_error_message());
    beffio_hintset_destroy(e->hints);
    e->hints = NULL;
    pario_hints_fini(&hints);
    return code;
}

/* TYPE l L TASK_BYTES PASS_MS PASSES START LIMIT_S race|confirmation, then ID
 * LIBRARY [HINTS] lines; the contender in line START begins. */
#define MAX_LINES (TUNE_MAX_CONTENDERS + 1)
struct spec {
    char line[MAX_LINES][640];
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
    while (spec->count < MAX_LINES &&
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

static int open_report(struct worker *w, const char *folder)
{
    char path[4096];

    if (w->rank != 0)
        return 0;
    snprintf(path, sizeof(path), "%s/report", folder);
    w->report = pario_own_stream(path);
    if (w->report == NULL)
        return pario_fail_errno(-errno, "cannot write %s", path);
    setvbuf(w->report, NULL, _IOLBF, 0);
    return 0;
}

/* b_eff_io with one experiment of one row. */
static int prepare_beffio(struct worker *w)
{
    struct beffio_experiment *e = experiment_of(w);
    int64_t len = w->pattern.L > BEFFIO_WINDOW ? w->pattern.L : BEFFIO_WINDOW;
    void *buffer = NULL;
    int code = pario_buffer_alloc((size_t)len, &buffer);

    w->run.world = w->world;
    w->beffio.run = &w->run;
    w->beffio.options = &beffio_defaults;
    w->beffio.buffer = buffer;
    w->beffio.buffer_len = len;
    w->row =
        (struct beffio_pattern){.l = w->pattern.l, .L = w->pattern.L, .U = 1};
    e->processes = pario_group_size(w->world);
    e->group = w->group;
    e->segment = w->calls * w->pattern.L;
    return code;
}

static int prepare(struct worker *w, const char *folder)
{
    struct sigaction action = {.sa_handler = on_alarm};
    const char *slash = strrchr(folder, '/');
    int code;

    if (w->pattern.L < 1)
        return pario_fail(PARIO_EFORMAT, "a call without bytes");
    if (pario_cleanup_hold_tree(folder) != 0)
        return pario_fail_errno(-ENOENT, "cannot use %s", folder);
    snprintf(hangs_path, sizeof(hangs_path), "%s/hangs", folder);
    sigaction(SIGALRM, &action, NULL);
    w->calls = w->pattern.task_bytes / w->pattern.L;
    w->calls = w->calls < 1 ? 1 : w->calls;
    /* OMPIO makes semaphores by the file's name alone. */
    snprintf(w->path, sizeof(w->path), "%s/%s-type%d.%d", folder,
             slash != NULL ? slash + 1 : "", w->pattern.type,
             w->pattern.type == BEFFIO_SEPARATE ? w->rank : 0);
    code = open_report(w, folder);
    return code != 0 ? code : prepare_beffio(w);
}

static int take_turns(struct worker *w, const struct spec *spec)
{
    int n = spec->count - 1;
    int bad[MAX_LINES] = {0}; /* the same on all ranks: they agreed */
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

/* Collective. Where the processes are: only the job itself can see it. */
static int report_placement(struct worker *w)
{
    struct pario_placement placement;
    int code = pario_placement_look(w->world, &placement);

    if (code != 0 || w->report == NULL)
        return code;
    fprintf(w->report, "nodes %d\n", pario_group_nodes(w->world));
    if (placement.uneven[0] != '\0')
        fprintf(w->report, "uneven %s\n", placement.uneven);
    if (placement.bound[0] != '\0')
        fprintf(w->report, "bound %s\n", placement.bound);
    return 0;
}

/* Collective. */
static int run_worker(struct worker *w, struct spec *spec, char **argv)
{
    int code;

    w->run.data_key = strtoull(argv[2], NULL, 16);
    code = pario_agree(w->world, read_spec(w, argv[1], spec));
    if (code == 0)
        code =
            pario_group_first(w->world, pario_group_size(w->world), &w->group);
    if (code == 0)
        code = pario_agree(w->world, prepare(w, argv[1]));
    if (code == 0)
        code = report_placement(w);
    if (code == 0)
        code = pario_kernels_find(w->run.world, &w->run.kernels);
    if (code == 0)
        code = take_turns(w, spec);
    if (w->report != NULL) {
        if (code == 0)
            fprintf(w->report, "end\n");
        else
            fprintf(w->report, "stopped %s\n", pario_error_message());
        fclose(w->report);
    }
    alarm(END_LIMIT_S);
    pario_group_destroy(w->group);
    free(w->beffio.buffer);
    return code;
}

int tune_worker(const struct pario_group *world, int argc, char **argv)
{
    struct worker *w = calloc(1, sizeof(*w));
    struct spec *spec = calloc(1, sizeof(*spec));
    int code = argc < 3 ? pario_fail(PARIO_EUSAGE, "not to be called by hand")
               : w == NULL || spec == NULL
                   ? pario_fail_errno(-ENOMEM, "cannot start")
                   : 0;

    code = pario_agree(world, code);
    if (code == 0 && w != NULL && spec != NULL) {
        w->world = world;
        w->rank = pario_group_rank(world);
        code = run_worker(w, spec, argv);
    }
    free(w);
    free(spec);
    return code;
}
