/* A plug-in of another version of the interface: it must be refused. Versions 1
 * and 2 exported prio_plugin, whose first member was the number; OLD is 2, or
 * 99 for one that is still to come. */
#include <pario.h>

#if OLD == 2
extern const int prio_plugin[2];
const int prio_plugin[2] = {OLD, 0};
#else
extern const struct pario_plugin pario_plugin;
const struct pario_plugin pario_plugin = {.abi = OLD, .name = "old"};
#endif
