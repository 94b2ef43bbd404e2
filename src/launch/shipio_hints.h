/* launch/shipio_hints.h - hints of shipio that a variable can say as well. */
#ifndef PARIO_LAUNCH_SHIPIO_HINTS_H
#define PARIO_LAUNCH_SHIPIO_HINTS_H

#include "core/error.h"

/* Local. The variable, and what it has to say, for a hint; a key SHIPIO_...
 * is a variable itself. Refused, with the nearest name, if there is none. */
int pario_shipio_variable(const char *key, const char *value,
                          const char **variable_p,
                          const char **value_p) PARIO_MUST_USE;

#endif
