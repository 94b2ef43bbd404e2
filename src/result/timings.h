/* result/timings.h - the words of the timings format (docs/timings-format.md).
 * Local. */
#ifndef PARIO_RESULT_TIMINGS_H
#define PARIO_RESULT_TIMINGS_H

#include <stdint.h>

#define PARIO_TIMINGS_FORMAT "pario-timings/1"
#define PARIO_TIMINGS_END "end\n"
#define PARIO_TIMINGS_KEYWORD_MAX 64

/* "0.000012345": always as long, in seconds; not ended by NUL. */
#define PARIO_TIMINGS_SECONDS_LEN 11
void pario_timings_seconds(uint32_t ns, char out[PARIO_TIMINGS_SECONDS_LEN]);

#endif
