/* suites/pattern/fio_units.h - sizes and times as fio writes them. Local. */
#ifndef PARIO_PATTERN_FIO_UNITS_H
#define PARIO_PATTERN_FIO_UNITS_H

#include "core/error.h"

#include <stdint.h>

/* "4k", "4kb", "1g", "4Ki" (4000). PARIO_EUSAGE without a message. */
int pattern_fio_size(const char *text, int64_t *bytes_p) PARIO_MUST_USE;

/* "10", "500ms", "2m"; bare_s: seconds that a bare number is in. PARIO_EUSAGE
 * without a message. */
int pattern_fio_time(const char *text, double bare_s,
                     double *seconds_p) PARIO_MUST_USE;

#endif
