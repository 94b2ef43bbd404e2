/* measure/rate.c - what the device moves now. */
#include "measure/rate.h"

#include "core/clock.h"

static double rate_now(void *arg)
{
    struct pario_rate *rate = arg;
    struct pario_device_traffic now, delta;
    int64_t now_ns = pario_clock_ns();
    double seconds = (double)(now_ns - rate->last_ns) * 1e-9;

    if (pario_device_read(rate->devices, &now) != 0)
        return -1;
    pario_device_since(&rate->last, &now, &delta);
    rate->last = now;
    rate->last_ns = now_ns;
    /* A phase has just begun: there is nothing to say yet. */
    if (seconds < 0.2 || delta.read_bytes < 0 || delta.written_bytes < 0)
        return -1;
    return (double)(delta.read_bytes + delta.written_bytes) / seconds * 1e-6;
}

void pario_rate_watch(struct pario_rate *rate, struct pario_progress *progress,
                      const char *directory)
{
    struct pario_rate fresh = {.last_ns = pario_clock_ns()}, old = *rate;

    if (!progress->enabled || progress->columns <= 0)
        return;
    if (pario_device_find(directory, &fresh.devices) != 0)
        fresh.devices = NULL;
    if (fresh.devices != NULL &&
        (pario_device_read(fresh.devices, &fresh.last) != 0 ||
         fresh.last.read_bytes < 0))
        pario_rate_fini(&fresh);
    pario_progress_watch(progress, NULL, NULL);
    *rate = fresh;
    if (rate->devices != NULL)
        pario_progress_watch(progress, rate_now, rate);
    pario_rate_fini(&old);
}

void pario_rate_fini(struct pario_rate *rate)
{
    pario_device_free(rate->devices);
    rate->devices = NULL;
}
