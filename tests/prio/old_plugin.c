/* A plug-in of another version of the interface: it must be refused. */
#include "suites/prio/plugin.h"

extern const struct prio_bench prio_plugin;
const struct prio_bench prio_plugin = {.abi = PRIO_PLUGIN_ABI - 1,
                                       .name = "old"};
