/* measure/rate.h - what the device below the run's directory moves now, for the
 * progress line. It is asked for by the line's own thread, outside of the timed
 * loops. Local. */
#ifndef PARIO_MEASURE_RATE_H
#define PARIO_MEASURE_RATE_H

#include "core/progress.h"
#include "sys/device.h"

struct pario_rate {
    struct pario_device_set *devices; /* NULL: not visible */
    struct pario_device_traffic last;
    int64_t last_ns;
};

/* From here on the line shows what this directory's device moves. */
void pario_rate_watch(struct pario_rate *rate, struct pario_progress *progress,
                      const char *directory);
/* After pario_progress_finish. */
void pario_rate_fini(struct pario_rate *rate);

#endif
