/* suites/nht/app.h - the application benchmark: between app.c, which runs it,
 * app_plan.c, which says what is to be done, and app_report.c, which makes the
 * figures of the report. */
#ifndef PARIO_NHT_APP_H
#define PARIO_NHT_APP_H

#include "measure/phase.h"
#include "result/samples.h"
#include "suites/nht/app_io.h"

/* One run of the benchmark. */
struct nht_app {
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

/* Local. Class, mode and dumps from the options. */
int nht_app_prepare(struct nht_app *app) PARIO_MUST_USE;
/* Local. --dry-run; rank 0 prints. */
int nht_app_print_plan(const struct nht_app *app) PARIO_MUST_USE;
/* Local. Does the node bear the solver? */
int nht_app_check_memory(const struct nht_app *app) PARIO_MUST_USE;
/* Local. Interval and steps are the class's: there are reference values for
 * all. */
int nht_app_is_standard(const struct nht_app *app);

/* Local. What makes this no NHT-1 result, before it begins. */
void nht_app_explain(struct nht_app *app);
/* Local, rank 0 records. T_C. */
int nht_app_report_compute(struct nht_app *app) PARIO_MUST_USE;
/* Collective. T_T, R_IO and the overhead. */
int nht_app_report_io(struct nht_app *app) PARIO_MUST_USE;

#endif
