/* suites/iot/suggest.h - `pario iot suggest DIR`. */
#ifndef PARIO_IOT_SUGGEST_H
#define PARIO_IOT_SUGGEST_H

#include "suites/iot/plan.h"

/* Collective. Short preliminary tests in the directory operands[1], then a
 * parameter file that suits it (5.1.3, 7.2). */
int iot_suggest(struct pario_run *run,
                const struct iot_options *options) PARIO_MUST_USE;

#endif
