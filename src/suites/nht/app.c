/*
 * NHT-1's application I/O benchmark (report RND-92-016, section 2).
 *
 * T_T runs from the timing start of the computation (after one untimed step
 * and a fresh start) until computation and file transfers are complete. The
 * file is opened before, as in BTIO; with one file per dump opening and
 * closing lie inside. T_C is the same run without I/O.
 */
#include "suites/nht/app.h"

#include "core/clock.h"
#include "core/storage.h"
#include "measure/striping.h"
#include "par/mpi.h"
#include "par/watchdog.h"

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

/* Generous: the slowest machine and the most crowded launcher we know. */
static double schedule_s(const struct nht_app *app)
{
    return 60.0 + pario_bt_mops(app->cls, app->dumps.steps) / 400.0;
}

static int solver_failed(const struct nht_app *app, int code, const char *what)
{
    if (code != 0 && pario_error_message()[0] == '\0')
        pario_fail_errno(code, "class %c: %s", app->cls->name, what);
    return pario_agree(app->run->world, code);
}

static int create_solver(struct nht_app *app)
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
static int warm_up(struct nht_app *app)
{
    int code;

    pario_bt_start(app->bt);
    code = pario_bt_step(app->bt);
    pario_bt_start(app->bt);
    return solver_failed(app, code, "the first step failed");
}

/* Both norms against the reference: untimed. *verified_p: nothing speaks
 * against them. */
static int verify_norms(struct nht_app *app, double *worst_p, int *verified_p)
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
static int slowest(const struct nht_app *app, double *seconds)
{
    return pario_reduce_f64(app->run->world, PARIO_MAX, seconds, 1);
}

/* One run without I/O. */
static int compute_once(struct nht_app *app, double *seconds_p)
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
static int run_compute(struct nht_app *app)
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
static int dump(struct nht_app *app, int number)
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
static int complete(struct nht_app *app)
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
    struct nht_app *app = arg;
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

static int read_back(struct nht_app *app, uint64_t *want)
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
static int check_dumps(struct nht_app *app, struct pario_figures *figures)
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
    if (nht_app_is_standard(app) &&
        !pario_bt_norms_match(found->xce, app->cls->xce_io, &worst))
        pario_run_invalidate(app->run,
                             "the error norm of the dumps differs by %.1e from "
                             "the reference",
                             worst);
    return 0;
}

/* --samples: how long each dump kept the computation waiting. */
static int write_samples(struct nht_app *app)
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

static void record_hints(struct nht_app *app, const char *section,
                         const struct pario_hints *hints)
{
    for (size_t i = 0; app->run->result != NULL && i < hints->count; i++)
        pario_result_set(app->run->result, section, hints->hint[i].key,
                         json_string(hints->hint[i].value));
}

/* The file is opened before the time, as in BTIO. */
static int open_files(void *arg)
{
    struct nht_app *app = arg;
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
    struct nht_app *app = arg;
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

static int run_with_io(struct nht_app *app)
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
        .unsynced = !app->opt->sync,
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

static int run_app(struct nht_app *app)
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
    nht_app_explain(app);
    if (app->opt->tc_s > 0) {
        app->tc_s = app->opt->tc_s;
        app->tc_given = 1;
    } else {
        code = run_compute(app);
        if (code == 0)
            code = nht_app_report_compute(app);
        code = pario_agree(run->world, code);
    }
    if (code != 0 || app->mode == NULL)
        return code;
    code = run_with_io(app);
    if (code == 0)
        code = pario_agree(run->world, nht_app_report_io(app));
    return code;
}

int pario_nht_app(struct pario_run *run)
{
    struct nht_app app = {
        .run = run, .opt = run->options, .tc_runs = json_array()};
    int code, close_code = 0;

    if (run->noperands > 1)
        return pario_fail(PARIO_EUSAGE, "nht app takes one directory");
    code = pario_agree(run->world, nht_app_prepare(&app));
    if (code == 0 && !run->common.dry_run)
        code = pario_agree(run->world, nht_app_check_memory(&app));
    if (code == 0)
        code = run->common.dry_run ? nht_app_print_plan(&app) : run_app(&app);
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
