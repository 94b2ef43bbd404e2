/* suites/quick/metadata.c - files created and asked for: a case of the suite
 * meta, each process in a directory of its own. */
#include "measure/marks.h"
#include "suites/meta/meta.h"
#include "suites/quick/quick.h"

#define MAX_FILES 50000 /* of a process: they must be removed again */

static const char *const accesses[] = {
    [META_OP_CREATE] = "create", [META_OP_STAT] = "stat"};

static struct pario_measure describe(const struct quick *quick, int op)
{
    return (struct pario_measure){
        .test = "metadata",
        .access = accesses[op],
        .partition = pario_group_size(quick->run->world),
        .parameters = json_pack("{s:s}", "directory", "per process"),
    };
}

static int record(void *caller, int op, struct pario_phase *phase)
{
    struct quick *quick = caller;
    struct pario_measure measure;

    quick->phases_done++;
    quick->moved_s += phase->figures.loop_s;
    pario_figures_answer(&phase->figures);
    if (pario_run_is_done(quick->run, describe(quick, op)))
        return 0; /* it was needed for what comes next */
    measure = describe(quick, op);
    return pario_phase_record(phase, &measure);
}

int quick_metadata(struct quick *quick)
{
    static const struct meta_case what = {.layout = META_OWN,
                                          .interface = META_POSIX};
    double share_s = quick_share_s(quick);
    struct meta_how how = {
        .seconds = share_s,
        .ask_s = share_s,
        .files = MAX_FILES,
        .ops = 1U << META_OP_CREATE | 1U << META_OP_STAT,
        .sync = 1,
        .cold = quick->cold_names,
        .kept = 1,
        .record = record,
        .caller = quick,
    };

    if (pario_run_is_done(quick->run, describe(quick, META_OP_STAT))) {
        quick->phases_done += 2;
        return 0;
    }
    return meta_case_run(quick->run, quick->run->world, &what, &how);
}
