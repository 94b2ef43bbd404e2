/* suites/prio/plugin.h - sub-benchmarks from outside (pario.h). */
#ifndef PARIO_PRIO_PLUGIN_H
#define PARIO_PRIO_PLUGIN_H

#include "suites/prio/prio.h"

/* Local. Loads a shared object for the rest of the process' life. PARIO_EUSAGE
 * with a message if it is no plug-in of this interface. */
int prio_plugin_load(const char *path,
                     const struct prio_bench **bench_p) PARIO_MUST_USE;

#endif
