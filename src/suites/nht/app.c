/*
 * NHT-1's application I/O benchmark (report RND-92-016, section 2).
 *
 * T_T runs from the timing start of the computation (after one untimed step
 * and a fresh start) until computation and file transfers are complete. The
 * file is opened before, as in BTIO; with one file per dump opening and
 * closing lie inside. T_C is the same run without I/O.
 */
#include "core/storage.h"
#include "suites/nht/app_io.h"

#include "core/clock.h"
#include "core/units.h"
#include "measure/marks.h"
#include "measure/phase.h"
#include "measure/striping.h"
#include "par/mpi.h"
#include "par/watchdog.h"
#include "result/parameters.h"
#include "result/samples.h"
#include "result/value.h"
#include "result/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const nht_mode_names[] = {"full",   "simple", "posix",
                                      "epio",   "async",  "split",
                                      "thread", "none",   NULL};

/* In the order of the names; NULL: not in this build (or no I/O at all). */
const struct nht_mode *const nht_modes[] = {
#if PARIO_HAVE_MPIIO
    &nht_mode_full,  &nht_mode_simple, &nht_mode_posix,  &nht_mode_epio,
    &nht_mode_async, &nht_mode_split,  &nht_mode_thread, NULL,
#else
    NULL, NULL, &nht_mode_posix,  &nht_mode_epio,
    NULL, NULL, &nht_mode_thread, NULL,
#endif
};

/* Runs without I/O: until they took this long, at most so many. */
#define REPEAT_S 0.5
#define MAX_REPEATS 5
/* Below this a time says little about I/O. */
#define SHORT_S 1.0

struct app {
    struct pario_run *run;
    const struct nht_options *opt;
    const struct pario_bt_class *cls;
    const struct nht_mode *mode; /* NULL: none */
    struct pario_bt *bt;
    struct nht_io io;
    double *buf; /* own part of a dump */
    struct nht_schedule dumps;
    struct pario_phase phase; /* of T_T */
    double tc_s;
    unsigned tc_flags;
    json_t *tc_runs; /* the times of all runs without I/O */
    int tc_verified; /* T_C is the best of so many of them */
    int tc_given;
    double tc_worst, tt_worst; /* largest deviation of the norms */
    struct nht_check check;
    int checked;
    struct pario_samples samples; /* time of each dump on this process */
};

/* Generous: the slowest machine and the most crowded launcher we know. */
static double schedule_s(const struct app *app)
{
    return 60.0 + pario_bt_mops(app->cls, app->dumps.steps) / 400.0;
}

static int solver_failed(const struct app *app, int code, const char *what)
{
    if (code != 0 && pario_error_message()[0] == '\0')
        pario_fail_errno(code, "class %c: %s", app->cls->name, what);
    return pario_agree(app->run->world, code);
}

static int create_solver(struct app *app)
{
    struct pario_bt_setup setup = {
        .cls = app->cls,
        .scheme = (enum pario_bt_scheme)app->opt->scheme,
        .kernel = -1,
    };
    int code;

#if PARIO_HAVE_MPI
    code = pario_bt_create(pario_group_comm(app->run->world), &setup, &app->bt);
#else
    code = pario_bt_create_alone(&setup, &app->bt);
#endif
    if (code == 0)
        code = nht_layout_init(app->bt, &app->io.layout);
    if (code == 0) {
        app->buf = malloc(app->io.layout.bytes + sizeof(double));
        if (app->buf == NULL)
            code = -ENOMEM;
    }
    return solver_failed(app, code, "cannot allocate the solver");
}

/* One untimed step to touch all code and data, then the start values. */
static int warm_up(struct app *app)
{
    int code;

    pario_bt_start(app->bt);
    code = pario_bt_step(app->bt);
    pario_bt_start(app->bt);
    return solver_failed(app, code, "the first step failed");
}

/* Both norms against the reference: untimed. *verified_p: nothing speaks
 * against them. */
static int verify_norms(struct app *app, double *worst_p, int *verified_p)
{
    double xcr[5], xce[5];
    int code;

    if (app->dumps.steps != app->cls->steps) {
        *worst_p = -1.0; /* there is no reference */
        *verified_p = 1;
        return 0;
    }
    code = pario_bt_error_norm(app->bt, xce);
    if (code == 0)
        code = pario_bt_residual_norm(app->bt, xcr);
    code = solver_failed(app, code, "cannot compute the norms");
    if (code != 0)
        return code;
    *verified_p = nht_judge_norms(app->run, app->cls, xce, xcr, worst_p);
    return 0;
}

/* The slowest rank between barriers. */
static int slowest(const struct app *app, double *seconds)
{
    return pario_reduce_f64(app->run->world, PARIO_MAX, seconds, 1);
}

/* One run without I/O. */
static int compute_once(struct app *app, double *seconds_p)
{
    double start_s;
    int code = warm_up(app);

    if (code != 0)
        return code;
    pario_barrier(app->run->world);
    start_s = pario_clock_s();
    for (int s = 0; s < app->dumps.steps && code == 0; s++)
        code = pario_bt_step(app->bt);
    *seconds_p = pario_clock_s() - start_s;
    code = solver_failed(app, code, "a time step failed");
    return code != 0 ? code : slowest(app, seconds_p);
}

/* T_C is the best verified time (2.4.3): of --tc-runs, and of more where these
 * are short. A run that does not verify makes all of it invalid, and its time
 * is nobody's T_C. */
static int run_compute(struct app *app)
{
    double total_s = 0.0, seconds = 0.0, worst;
    int runs = (int)app->opt->tc_runs, code = 0, verified;

    app->tc_worst = -1.0;
    for (int i = 0;
         code == 0 && (i < runs || (i < MAX_REPEATS && total_s < REPEAT_S));
         i++) {
        pario_run_phase(app->run, schedule_s(app),
                        "class %c without I/O, run %d", app->cls->name, i + 1);
        code = compute_once(app, &seconds);
        if (code == 0)
            code = verify_norms(app, &worst, &verified);
        if (code != 0)
            return code;
        if (verified && (app->tc_verified == 0 || seconds < app->tc_s))
            app->tc_s = seconds;
        app->tc_verified += verified;
        if (worst > app->tc_worst)
            app->tc_worst = worst;
        if (json_array_append_new(app->tc_runs, json_real(seconds)) != 0)
            code = pario_fail_errno(-ENOMEM, "cannot keep a time");
        total_s += seconds;
        code = pario_agree(app->run->world, code);
    }
    if (code == 0 && app->tc_verified == 0)
        code = pario_fail(PARIO_EVERIFY,
                          "no run without I/O verifies: there is no T_C");
    return code;
}

static void poke(void *arg)
{
    struct nht_io *io = arg;

    io->mode->poke(io);
}

/* One dump; the wait for the one before counts too. BTIO's time is that of
 * packing and writing alone, not of waiting for other processes. */
static int dump(struct app *app, int number)
{
    double start_s = pario_clock_s(), write_s;
    int code = 0;

    if (app->mode->ready != NULL) {
        code = app->mode->ready(&app->io);
        /* A rank that failed tells the others before they go on. */
        code = pario_agree(app->run->world, code);
    }
    if (code == 0) {
        write_s = pario_clock_s();
        pario_bt_pack(app->bt, app->buf);
        code = app->mode->write(&app->io, number, app->buf);
        app->io.btio_s += pario_clock_s() - write_s;
        code = pario_agree(app->run->world, code);
    }
    start_s = pario_clock_s() - start_s;
    app->io.visible_s += start_s;
    pario_samples_add(&app->samples, (int64_t)(start_s * 1e9));
    return code;
}

/* Collective. The end of all transfers: closed, and if asked for durable, the
 * names in the directory too. */
static int complete(struct app *app)
{
    double start_s = pario_clock_s();
    int code = app->mode->finish(&app->io);

    app->io.sync_s = pario_clock_s() - start_s;
    app->io.btio_s += app->io.sync_s;
    code = pario_agree(app->run->world, code);
    if (code == 0 && app->opt->sync && pario_group_rank(app->run->world) == 0)
        code = pario_sync_path(app->run->directory);
    code = pario_agree(app->run->world, code);
    app->io.visible_s += pario_clock_s() - start_s;
    return code;
}

/* The timed part: steps, dumps, completion. */
static int run_steps(void *arg, struct pario_phase *phase)
{
    struct app *app = arg;
    int number = 0, code = 0;

    for (int s = 1; s <= app->dumps.steps && code == 0; s++) {
        code = pario_bt_step(app->bt);
        if (code == 0 &&
            (s % app->dumps.interval == 0 || s == app->dumps.steps))
            code = dump(app, number++);
    }
    code = solver_failed(app, code, "a time step failed");
    if (code == 0)
        code = complete(app);
    phase->figures.bytes = phase->figures.written_bytes =
        (int64_t)app->io.layout.bytes * app->dumps.ndumps;
    phase->figures.operations = app->io.operations;
    return code;
}

/* Interval and steps are the class's: there are reference values for all. */
static int is_standard(const struct app *app)
{
    return app->dumps.steps == app->cls->steps &&
           app->dumps.interval == PARIO_BT_INTERVAL;
}

static int read_back(struct app *app, uint64_t *want)
{
    int code;

    pario_run_phase(app->run, schedule_s(app), "the digests of the dumps");
    code = nht_app_digests(&app->io, app->bt, &app->dumps, app->buf, want);
    if (code != 0)
        return code;
    pario_run_phase(app->run, schedule_s(app), "reading the dumps back");
    app->io.cold = app->run->common.cold;
    return nht_app_check(&app->io, app->bt, app->dumps.ndumps, want, app->buf,
                         &app->check);
}

/* A digest says whether a dump is right, not how many of its bytes are wrong:
 * dumps are counted. */
static int check_dumps(struct app *app, struct pario_figures *figures)
{
    const struct nht_check *found = &app->check;
    uint64_t *want = calloc((size_t)app->dumps.ndumps, sizeof(*want));
    double worst;
    int code = solver_failed(app, want == NULL ? -ENOMEM : 0, "cannot start");

    if (code == 0)
        code = read_back(app, want);
    free(want);
    if (code != 0)
        return solver_failed(app, code, "cannot read the dumps back");
    app->checked = 1;
    if (pario_group_rank(app->run->world) == 0) {
        figures->checked_bytes = found->checked_bytes;
        figures->wrong_bytes = found->wrong_dumps;
        snprintf(figures->wrong, sizeof(figures->wrong),
                 "%lld of %d dumps are not what was computed; the first is "
                 "number %d",
                 (long long)found->wrong_dumps, app->dumps.ndumps,
                 found->first_wrong);
    }
    if (is_standard(app) &&
        !pario_bt_norms_match(found->xce, app->cls->xce_io, &worst))
        pario_run_invalidate(app->run,
                             "the error norm of the dumps differs by %.1e from "
                             "the reference",
                             worst);
    return 0;
}

/* --samples: how long each dump kept the computation waiting. */
static int write_samples(struct app *app)
{
    const char *path = app->run->common.samples;
    char header[512];

    if (path == NULL)
        return 0;
    snprintf(header, sizeof(header),
             "suite nht\ntestname app\naccess write\nclass %c\nmode %s\n"
             "files %s\nblocksize %lld\n",
             app->cls->name, app->mode->name, app->io.many ? "many" : "one",
             (long long)app->io.layout.bytes);
    return pario_samples_append(app->run->world, path, header, "w",
                                &app->samples);
}

static void record_hints(struct app *app, const char *section,
                         const struct pario_hints *hints)
{
    for (size_t i = 0; app->run->result != NULL && i < hints->count; i++)
        pario_result_set(app->run->result, section, hints->hint[i].key,
                         json_string(hints->hint[i].value));
}

/* The file is opened before the time, as in BTIO. */
static int open_files(void *arg)
{
    struct app *app = arg;
    int code = pario_agree(app->run->world, app->mode->open(&app->io));

    if (code == 0 && app->mode->poke != NULL) {
        app->bt->between = poke;
        app->bt->between_arg = &app->io;
    }
    return code;
}

/* Collective, after T_T. */
static int check_run(void *arg, struct pario_phase *phase)
{
    struct app *app = arg;
    int code, verified;

    app->bt->between = NULL;
    code = nht_app_check_length(&app->io, app->dumps.ndumps);
    if (code == 0)
        code = write_samples(app);
    if (code == 0)
        code = verify_norms(app, &app->tt_worst, &verified);
    if (code == 0 && app->run->common.verify != PARIO_VERIFY_OFF)
        code = check_dumps(app, &phase->figures);
    return code;
}

static int run_with_io(struct app *app)
{
    static const struct pario_phase_calls calls = {
        .open = open_files, .loop = run_steps, .check = check_run};
    char path[4352];
    int code = warm_up(app);

    if (code == 0)
        code = pario_agree(
            app->run->world,
            pario_samples_init(&app->samples, (size_t)app->dumps.ndumps));
    if (code != 0)
        return code;
    pario_run_phase(
        app->run,
        schedule_s(app) + (double)app->io.dump_bytes * app->dumps.ndumps / 20e6,
        "class %c with I/O, mode %s", app->cls->name, app->mode->name);
    app->phase = (struct pario_phase){
        .run = app->run,
        .group = app->run->world,
        .path = app->run->directory,
        .shared = 1,
        .writing = 1,
    };
    code = pario_phase_run(&app->phase, &calls, app);
    app->bt->between = NULL;
    nht_io_place(&app->io, 0, path, sizeof(path));
    pario_striping_check(app->run, &app->io.hints, path);
    record_hints(app, "hints_requested", &app->io.hints);
    record_hints(app, "hints_in_force", &app->io.in_force);
    return code == 0 ? 0
                     : pario_blame_space(app->run->directory,
                                         app->io.dump_bytes, code);
}

/* BTIO's I/O time: the harmonic mean of the processes' (NPB 3.3). */
static int btio_time(const struct app *app, double *seconds_p)
{
    double inverse = 0.0;
    int code;

    if (app->io.layout.bytes > 0 && app->io.btio_s > 0.0)
        inverse = 1.0 / app->io.btio_s;
    code = pario_reduce_f64(app->run->world, PARIO_SUM, &inverse, 1);
    *seconds_p = inverse > 0.0 ? app->bt->dec.active / inverse : 0.0;
    return code;
}

/* Rank 0, after all measures. */
static int is_official(const struct app *app)
{
    struct nht_claim claim = {
        .cls = app->cls,
        .dumps = app->dumps,
        .spread = app->mode->split,
        .sync = app->opt->sync,
        .checked = app->checked,
        .on_disk = app->phase.figures.cache == PARIO_CACHE_DISK,
        .tc_runs = app->tc_verified,
        .valid = pario_result_is_valid(app->run->result),
    };

    return nht_claim_is_official(&claim);
}

static json_t *parameters(const struct app *app)
{
    const struct pario_bt_decomp *dec = &app->bt->dec;
    const char name[] = {app->cls->name, '\0'};
    struct nht_options in_force = *app->opt;
    json_t *object = json_pack(
        "{s:i, s:s, s:[i,i,i], s:i, s:s}", "grid", app->cls->n, "scheme",
        dec->scheme == PARIO_BT_MULTI ? "multi-partition" : "block", "parts",
        dec->parts[0], dec->parts[1], dec->parts[2], "processes_computing",
        dec->active, "kernel", app->bt->kernel->name);

    in_force.bt_class = name;
    in_force.steps = app->dumps.steps;
    in_force.interval = app->dumps.interval;
    (void)pario_parameters_set(object, nht_fields, NHT_SOLVES | NHT_DUMPS,
                               &in_force);
    return object;
}

static void set_summary(struct app *app, const char *name, double value,
                        unsigned flags)
{
    if (app->run->result != NULL)
        pario_result_summary(app->run->result, name, json_real(value), flags);
}

/* What a user of the application wants to know. */
static void say_cost(const struct app *app, double tt_s)
{
    double zeta = tt_s / app->tc_s - 1.0;
    char with[PARIO_UNITS_LEN], without[PARIO_UNITS_LEN];

    if (zeta <= 0)
        pario_view_say(app->run->result,
                       "Checkpoints cost nothing that can be seen: %s with, "
                       "%s without (zeta %.3f).",
                       pario_time_print(tt_s, with),
                       pario_time_print(app->tc_s, without), zeta);
    else
        pario_view_say(app->run->result,
                       "Checkpoints make the run %.*f %% longer (zeta %.3g): "
                       "%s with, %s without.",
                       zeta < 0.0995 ? 1 : 0, 100 * zeta, zeta,
                       pario_time_print(tt_s, with),
                       pario_time_print(app->tc_s, without));
}

static int report_compute(struct app *app)
{
    struct pario_measure measure = {
        .test = "app",
        .access = "compute",
        .partition = pario_group_size(app->run->world),
        .parameters = parameters(app),
    };
    /* It moves no data; the norms take in the whole solution. */
    struct pario_work work = {
        .seconds = app->tc_s,
        .first_s = -1,
        .checked_bytes = app->tc_worst >= 0 ? app->io.dump_bytes : 0,
        .unchecked = app->tc_worst < 0,
    };

    measure.extra =
        json_pack("{s:f, s:o, s:O, s:i}", "mops",
                  pario_bt_mops(app->cls, app->dumps.steps) / app->tc_s,
                  "largest_norm_deviation", pario_json_real(app->tc_worst),
                  "runs_s", app->tc_runs, "runs_verified", app->tc_verified);
    app->tc_flags = pario_work_flags(&work);
    set_summary(app, "t_c_s", app->tc_s, app->tc_flags);
    set_summary(app, "compute_mops",
                pario_bt_mops(app->cls, app->dumps.steps) / app->tc_s,
                app->tc_flags);
    return pario_work_record(app->run, &work, &measure);
}

static json_t *io_figures(const struct app *app, double btio_s)
{
    const struct pario_figures *figures = &app->phase.figures;
    double tt_s = figures->seconds;
    json_t *extra =
        json_pack("{s:f, s:f, s:f, s:i, s:f, s:f, s:o}", "t_t_s", tt_s,
                  "r_io_bytes_per_s", (double)figures->bytes / tt_s, "mops",
                  pario_bt_mops(app->cls, app->dumps.steps) / tt_s, "dumps",
                  app->dumps.ndumps, "visible_io_s", app->io.visible_s,
                  "finish_s", app->io.sync_s, "largest_norm_deviation",
                  pario_json_real(app->tt_worst));

    if (!app->mode->overlap) {
        json_object_set_new(extra, "btio_io_s", json_real(btio_s));
        json_object_set_new(extra, "btio_mbps",
                            json_real(pario_mbps(figures->bytes, btio_s)));
    }
    return extra;
}

/* T_T, R_IO and the overhead (NHT-1, 2.4), each with what speaks against it. */
static void summarise(struct app *app, double btio_s)
{
    const struct pario_figures *figures = &app->phase.figures;
    unsigned flags = figures->flags;
    double tt_s = figures->seconds;

    set_summary(app, "t_t_s", tt_s, flags);
    set_summary(app, "r_io_bytes_per_s", (double)figures->bytes / tt_s, flags);
    set_summary(app, "io_overhead", tt_s / app->tc_s - 1.0,
                flags | app->tc_flags);
    set_summary(app, "t_c_s", app->tc_s, app->tc_flags);
    set_summary(app, "mops", pario_bt_mops(app->cls, app->dumps.steps) / tt_s,
                flags);
    set_summary(app, "visible_io_s", app->io.visible_s,
                pario_flags_of_calls(figures, app->io.visible_s));
    say_cost(app, tt_s);
    if (!app->mode->overlap)
        set_summary(app, "btio_mbps", pario_mbps(figures->bytes, btio_s),
                    pario_flags_of_calls(figures, btio_s));
    if (app->run->result != NULL)
        pario_result_set(app->run->result, "summary", "t_c_given",
                         json_boolean(app->tc_given));
}

static void doubt_times(struct app *app)
{
    double tt_s = app->phase.figures.seconds;

    if (tt_s < SHORT_S)
        pario_run_warn(app->run,
                       "T_T is only %.3f s: too short to judge the overhead",
                       tt_s);
    if (tt_s < app->tc_s)
        pario_run_warn(app->run,
                       "T_T is shorter than T_C: other load disturbed the "
                       "run, or --tc is not the best time; the overhead means "
                       "nothing");
}

static int report_io(struct app *app)
{
    struct pario_measure measure = {
        .test = "app",
        .access = "write",
        .partition = pario_group_size(app->run->world),
    };
    double btio_s;
    int code = btio_time(app, &btio_s);

    if (code == 0)
        code = slowest(app, &app->io.visible_s);
    if (code != 0)
        return code;
    doubt_times(app);
    measure.parameters = parameters(app);
    measure.extra = io_figures(app, btio_s);
    summarise(app, btio_s);
    code = pario_phase_record(&app->phase, &measure);
    if (app->run->result != NULL)
        pario_result_set(app->run->result, "summary", "official",
                         json_boolean(is_official(app)));
    return code;
}

static void explain(struct app *app)
{
    const struct pario_bt_decomp *dec = &app->bt->dec;
    int size = pario_group_size(app->run->world);

    if (dec->active < size)
        pario_run_warn(app->run,
                       "%d of %d processes have no part of the grid: %d points "
                       "a side cannot be cut for %d",
                       size - dec->active, size, app->cls->n, size);
    if (app->mode != NULL && app->mode->split)
        pario_run_warn(app->run, "mode epio spreads the solution over files, "
                                 "which NHT-1 (2.3) forbids: not an NHT-1 "
                                 "result");
    if (app->mode != NULL && !app->opt->sync)
        pario_run_warn(app->run, "without --sync the data may still be in a "
                                 "cache at the end of T_T");
    if (app->mode != NULL && app->run->fs.memory_backed)
        pario_run_warn(app->run, "this file system has no disk: not an NHT-1 "
                                 "result");
    if (app->mode != NULL && app->opt->tc_s > 0)
        pario_run_warn(app->run, "--tc: T_C is not measured here, so the "
                                 "overhead is not an NHT-1 result");
    if (!is_standard(app))
        pario_run_warn(app->run, "--steps or --interval are not NHT-1's: a "
                                 "trial");
}

/* A process computes about so fast; only for the plan. */
#define PLAN_MOPS 10000.0

static int plan_cut(const struct app *app, struct pario_bt_decomp *dec)
{
    int size = pario_group_size(app->run->world);

    if (pario_bt_decomp_init(app->cls->n, size,
                             (enum pario_bt_scheme)app->opt->scheme, dec) != 0)
        return pario_fail(PARIO_EUSAGE,
                          "the multi-partition scheme needs a square number "
                          "of processes, not %d (--scheme block takes any)",
                          size);
    return 0;
}

static int print_plan(const struct app *app)
{
    struct pario_bt_decomp dec;
    char text[4][PARIO_UNITS_LEN];
    int writing = app->mode != NULL;
    int64_t n = app->cls->n, bytes = app->io.dump_bytes * app->dumps.ndumps;
    int runs = (app->opt->tc_s > 0 ? 0 : (int)app->opt->tc_runs) + writing;
    double seconds;
    int code = plan_cut(app, &dec);

    if (code != 0 || pario_group_rank(app->run->world) != 0)
        return code;
    seconds = pario_bt_mops(app->cls, app->dumps.steps) / PLAN_MOPS;
    printf("class %c: %lld^3 points, %d steps, %s %d x %d x %d cells on %d "
           "processes\n",
           app->cls->name, (long long)n, app->dumps.steps,
           dec.scheme == PARIO_BT_MULTI ? "multi-partition," : "block,",
           dec.parts[0], dec.parts[1], dec.parts[2], dec.active);
    printf("mode %s: %d dumps of %s, %s in all\n",
           writing ? app->mode->name : "none", writing ? app->dumps.ndumps : 0,
           pario_size_print_short(app->io.dump_bytes, text[0]),
           pario_size_print_short(writing ? bytes : 0, text[1]));
    printf("memory: about %s a process, %s in all\n",
           pario_size_print_short(pario_bt_memory_bytes(&dec), text[2]),
           pario_size_print_short(pario_bt_memory_bytes(&dec) * dec.active,
                                  text[3]));
    printf("time: %d x about %.0f s of computing if every process has a core "
           "of %.0f Mop/s, and the time of the I/O\n",
           runs, seconds / dec.active, PLAN_MOPS);
    return 0;
}

/* Local. Does the node bear the solver? */
static int check_memory(const struct app *app)
{
    struct pario_bt_decomp dec;
    int64_t need, have = app->run->node.memory_free_bytes;
    char text[2][PARIO_UNITS_LEN];
    int code = plan_cut(app, &dec);

    if (code != 0)
        return code;
    need = pario_bt_memory_bytes(&dec) * pario_group_node_size(app->run->world);
    if (have < 0 || need <= have)
        return 0;
    return pario_fail(-ENOMEM,
                      "class %c needs about %s of memory on this node and only "
                      "%s are free (more nodes, or a smaller class)",
                      app->cls->name, pario_size_print_short(need, text[0]),
                      pario_size_print_short(have, text[1]));
}

/* A run that ends between two dumps would leave a file of which nobody could
 * say later which step its last dump belongs to. */
static int plan_dumps(struct app *app)
{
    const struct nht_options *opt = app->opt;
    int64_t steps = opt->steps > 0 ? opt->steps : app->cls->steps;

    if (steps > app->cls->steps)
        return pario_fail(PARIO_EUSAGE, "class %c has %d steps, not %lld",
                          app->cls->name, app->cls->steps, (long long)steps);
    if (steps != app->cls->steps && steps % opt->interval != 0)
        return pario_fail(PARIO_EUSAGE,
                          "--steps %lld is no multiple of the interval %lld",
                          (long long)steps, (long long)opt->interval);
    app->dumps = (struct nht_schedule){
        .interval = (int)opt->interval,
        .steps = (int)steps,
        .ndumps = (int)((steps + opt->interval - 1) / opt->interval),
    };
    return 0;
}

static int prepare(struct app *app)
{
    const struct nht_options *opt = app->opt;
    int code;

    app->cls = pario_bt_class_find(opt->bt_class != NULL ? opt->bt_class : "B");
    if (app->cls == NULL)
        return pario_fail(PARIO_EUSAGE, "unknown class '%s' (S, W, A, B or C)",
                          opt->bt_class);
    app->mode = nht_modes[opt->mode];
    if (app->mode == NULL && strcmp(nht_mode_names[opt->mode], "none") != 0)
        return pario_fail(PARIO_EUNAVAIL,
                          "mode %s needs MPI-IO, which this build does not "
                          "have",
                          nht_mode_names[opt->mode]);
    if (app->mode != NULL && app->mode->split && opt->files == NHT_FILES_MANY)
        return pario_fail(PARIO_EUSAGE,
                          "--files many and --mode epio exclude each other");
    code = plan_dumps(app);
    if (code != 0)
        return code;
    app->io.mode = app->mode;
    app->io.world = app->run->world;
    app->io.dump_bytes = pario_bt_dump_bytes(app->cls);
    app->io.many = opt->files == NHT_FILES_MANY;
    app->io.sync = opt->sync;
    if (opt->hints != NULL)
        return pario_hints_parse(&app->io.hints, opt->hints);
    return 0;
}

static int run_app(struct app *app)
{
    struct pario_run *run = app->run;
    int64_t need =
        app->mode != NULL ? app->io.dump_bytes * app->dumps.ndumps : (int64_t)0;
    int code = pario_run_directory(
        run, run->noperands > 0 ? run->operands[0] : NULL, need);

    if (code != 0)
        return code;
    pario_run_path(run, "btio", app->io.stem, sizeof(app->io.stem));
    code = create_solver(app);
    if (code != 0)
        return code;
    app->io.bt = app->bt;
    explain(app);
    if (app->opt->tc_s > 0) {
        app->tc_s = app->opt->tc_s;
        app->tc_given = 1;
    } else {
        code = run_compute(app);
        if (code == 0)
            code = report_compute(app);
        code = pario_agree(run->world, code);
    }
    if (code != 0 || app->mode == NULL)
        return code;
    code = run_with_io(app);
    if (code == 0)
        code = pario_agree(run->world, report_io(app));
    return code;
}

int pario_nht_app(struct pario_run *run)
{
    struct app app = {.run = run, .opt = run->options, .tc_runs = json_array()};
    int code, close_code = 0;

    if (run->noperands > 1)
        return pario_fail(PARIO_EUSAGE, "nht app takes one directory");
    code = pario_agree(run->world, prepare(&app));
    if (code == 0 && !run->common.dry_run)
        code = pario_agree(run->world, check_memory(&app));
    if (code == 0)
        code = run->common.dry_run ? print_plan(&app) : run_app(&app);
    if (app.io.state != NULL)
        close_code = app.mode->close(&app.io);
    pario_bt_destroy(app.bt);
    nht_layout_fini(&app.io.layout);
    pario_hints_fini(&app.io.hints);
    pario_hints_fini(&app.io.in_force);
    pario_samples_fini(&app.samples);
    json_decref(app.tc_runs);
    free(app.buf);
    return code != 0 ? code : close_code;
}
