/* report/format.h - what is written: by the name of a format, or by the ending
 * of a file's name. Local. */
#ifndef PARIO_REPORT_FORMAT_H
#define PARIO_REPORT_FORMAT_H

#include "report/table.h"

/* One of a set of formats. */
#define PARIO_FORMAT_BIT(format) (1U << (format))

/* name: what --format says, NULL or "auto": by the ending of output, which may
 * be NULL: text. A format that is not among those of the set, or an ending that
 * stands for none, is PARIO_EUSAGE with a message that lists what there is. */
int pario_format_choose(const char *name, const char *output, unsigned formats,
                        enum pario_format *format_p) PARIO_MUST_USE;

#endif
