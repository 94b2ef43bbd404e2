/* report/compare_settings.h - what two runs were set to differently. Private
 * to src/report. Local. */
#ifndef PARIO_REPORT_COMPARE_SETTINGS_H
#define PARIO_REPORT_COMPARE_SETTINGS_H

#include "core/error.h"
#include <jansson.h>

/* A text for each difference. The caller owns *list_p. */
int pario_settings_compare(const json_t *base, const json_t *now,
                           json_t **list_p) PARIO_MUST_USE;

#endif
