/* suites/prio/common_file.c - all processes in one file, each with one
 * consecutive block of it (PRIOmark, figure 2.a). */
#include "suites/prio/transfer.h"

static int common_file_run(struct prio_env *env, const struct prio_case *what,
                           struct prio_figures *figures)
{
    struct prio_layout layout;

    prio_layout_file(&layout, env, what, 1);
    return prio_transfer(env, what, &layout, figures);
}

extern const struct prio_bench prio_bench_common_file;
const struct prio_bench prio_bench_common_file = {
    .test = {"common_file",
             "all processes in one file, each its own consecutive block"},
    .patterns = 1u << PRIO_WRITE | 1u << PRIO_READ_WRITE | 1u << PRIO_RANDOM,
    .methods = 1u << PRIO_POSIX | 1u << PRIO_INDIVIDUAL | 1u << PRIO_EXPLICIT |
               1u << PRIO_INDIVIDUAL_ALL | 1u << PRIO_EXPLICIT_ALL,
    .abilities = PRIO_CAN_TIME | PRIO_ONE_FILE | PRIO_COUNTS,
    .run = common_file_run,
};
