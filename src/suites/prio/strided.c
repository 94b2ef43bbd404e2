/* suites/prio/strided.c - all processes in one file through file views, their
 * blocks in turn (PRIOmark, figure 2.b). */
#include "suites/prio/transfer.h"

static int strided_run(struct prio_env *env, const struct prio_case *what,
                       struct prio_figures *figures)
{
    struct prio_layout layout;

    prio_layout_file(&layout, env, what, 1);
    layout.block = what->blocks * what->request_high;
    layout.stride = layout.block * pario_group_size(env->group);
    layout.base = layout.block * pario_group_rank(env->group);
    return prio_transfer(env, what, &layout, figures);
}

extern const struct prio_bench prio_bench_strided;
const struct prio_bench prio_bench_strided = {
    .test = {"strided", "all processes in one file through MPI file views"},
    .patterns = 1u << PRIO_WRITE | 1u << PRIO_READ_WRITE,
    .methods = 1u << PRIO_INDIVIDUAL | 1u << PRIO_INDIVIDUAL_ALL,
    .abilities = PRIO_CAN_TIME | PRIO_ONE_FILE | PRIO_COUNTS | PRIO_STRIDES,
    .run = strided_run,
};
