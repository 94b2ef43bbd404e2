/* suites/nht/app_plan.c - what the application benchmark is to do, and whether
 * the node bears it. */
#include "suites/nht/app.h"

#include "core/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A process computes about so fast; only for the plan. */
#define PLAN_MOPS 10000.0

static int plan_cut(const struct nht_app *app, struct pario_bt_decomp *dec)
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

int nht_app_print_plan(const struct nht_app *app)
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
int nht_app_check_memory(const struct nht_app *app)
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
static int plan_dumps(struct nht_app *app)
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

int nht_app_prepare(struct nht_app *app)
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

int nht_app_is_standard(const struct nht_app *app)
{
    return app->dumps.steps == app->cls->steps &&
           app->dumps.interval == PARIO_BT_INTERVAL;
}
