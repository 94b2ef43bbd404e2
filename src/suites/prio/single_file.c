/* suites/prio/single_file.c - a file of its own for each process (PRIOmark,
 * figure 2.c). */
#include "suites/prio/transfer.h"

static int single_file_run(struct prio_env *env, const struct prio_case *what,
                           struct prio_figures *figures)
{
    struct prio_layout layout;

    prio_layout_file(&layout, env, what, 0);
    return prio_transfer(env, what, &layout, figures);
}

extern const struct prio_bench prio_bench_single_file;
const struct prio_bench prio_bench_single_file = {
    .test = {"single_file", "a file of its own for each process"},
    .patterns = 1u << PRIO_WRITE | 1u << PRIO_READ_WRITE | 1u << PRIO_RANDOM |
                1u << PRIO_BACKWARD,
    .methods = 1u << PRIO_POSIX | 1u << PRIO_URING,
    .abilities = PRIO_CAN_TIME | PRIO_COUNTS,
    .run = single_file_run,
};
