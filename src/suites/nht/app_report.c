/* suites/nht/app_report.c - the figures of the application benchmark (NHT-1,
 * 2.4). */
#include "suites/nht/app.h"

#include "core/units.h"
#include "measure/marks.h"
#include "result/parameters.h"
#include "result/value.h"
#include "result/view.h"
#include "suites/nht/claim.h"

/* Below this a time says little about I/O. */
#define SHORT_S 1.0

/* BTIO's I/O time: the harmonic mean of the processes' (NPB 3.3). */
static int btio_time(const struct nht_app *app, double *seconds_p)
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
static void record_claim(const struct nht_app *app)
{
    char lacks[NHT_CLAIM_LEN];
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

    nht_claim_record(app->run->result, nht_claim_lacks(&claim, lacks));
}

static json_t *parameters(const struct nht_app *app)
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

static void set_summary(struct nht_app *app, const char *name, double value,
                        unsigned flags)
{
    if (app->run->result != NULL)
        pario_result_summary(app->run->result, name, json_real(value), flags);
}

/* What a user of the application wants to know. */
static void say_cost(const struct nht_app *app, double tt_s)
{
    double zeta = tt_s / app->tc_s - 1.0;
    char with[PARIO_UNITS_LEN], without[PARIO_UNITS_LEN];
    char answer[3 * PARIO_UNITS_LEN + 128];

    (void)pario_time_print(tt_s, with);
    (void)pario_time_print(app->tc_s, without);
    if (zeta <= 0)
        snprintf(answer, sizeof(answer),
                 "Checkpoints cost nothing that can be seen: %s with, %s "
                 "without (zeta %.3f).",
                 with, without, zeta);
    else
        snprintf(answer, sizeof(answer),
                 "Checkpoints make the run %.*f %% longer (zeta %.3g): %s "
                 "with, %s without.",
                 zeta < 0.0995 ? 1 : 0, 100 * zeta, zeta, with, without);
    pario_view_say(app->run->result, "%s", answer);
    pario_view_text(app->run->result, "headline", "%s", answer);
}

int nht_app_report_compute(struct nht_app *app)
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

static json_t *io_figures(const struct nht_app *app, double btio_s)
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
static void summarise(struct nht_app *app, double btio_s)
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

static void doubt_times(struct nht_app *app)
{
    double tt_s = app->phase.figures.seconds;

    if (tt_s < SHORT_S)
        pario_run_warn(
            app->run,
            "the run took only %.3f s: too short to judge the overhead", tt_s);
    if (tt_s < app->tc_s)
        pario_run_warn(app->run,
                       "the run was shorter with checkpoints than without: "
                       "other load disturbed it%s; the overhead means nothing",
                       app->tc_given ? ", or --tc is not the best time" : "");
}

int nht_app_report_io(struct nht_app *app)
{
    struct pario_measure measure = {
        .test = "app",
        .access = "write",
        .partition = pario_group_size(app->run->world),
    };
    double btio_s;
    int code = btio_time(app, &btio_s);

    if (code == 0)
        code =
            pario_reduce_f64(app->run->world, PARIO_MAX, &app->io.visible_s, 1);
    if (code != 0)
        return code;
    doubt_times(app);
    measure.parameters = parameters(app);
    measure.extra = io_figures(app, btio_s);
    summarise(app, btio_s);
    code = pario_phase_record(&app->phase, &measure);
    if (app->run->result != NULL)
        record_claim(app);
    return code;
}

void nht_app_explain(struct nht_app *app)
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
    if (!nht_app_is_standard(app))
        pario_run_warn(app->run, "--steps or --interval are not NHT-1's: a "
                                 "trial");
}
