/* suites/common.h - the table of the options every suite has. */
#ifndef PARIO_SUITES_COMMON_H
#define PARIO_SUITES_COMMON_H

#include "core/options.h"
#include "measure/run.h"

extern const struct pario_option pario_common_options[];
extern const struct pario_common pario_common_defaults;

#endif
