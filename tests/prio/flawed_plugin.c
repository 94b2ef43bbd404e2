/* A plug-in that wants to count in the total (FLAW 1), or has keywords without
 * defaults (FLAW 2): refused. */
#include "suites/prio/plugin.h"

static int run(struct prio_env *env, const struct prio_case *what,
               struct prio_figures *figures)
{
    (void)what;
    return prio_measure(env, PARIO_EUSAGE, figures, NULL, NULL);
}

extern const struct prio_bench prio_plugin;
const struct prio_bench prio_plugin = {
    .abi = PRIO_PLUGIN_ABI,
    .name = "flawed",
    .summary = "never runs",
#if FLAW == 1
    .abilities = PRIO_NO_DATA | PRIO_COUNTS,
#else
    .abilities = PRIO_NO_DATA,
    .own_size = 8,
#endif
    .run = run,
};
