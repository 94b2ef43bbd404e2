/* core/clock.h - CLOCK_MONOTONIC in nanoseconds. */
#ifndef PARIO_CORE_CLOCK_H
#define PARIO_CORE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

static inline int64_t pario_clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline double pario_clock_s(void)
{
    return (double)pario_clock_ns() * 1e-9;
}

/* Smallest step seen between two readings, in ns. */
int64_t pario_clock_resolution_ns(void);

/* UTC now as 2026-01-31T12:00:00Z; compact: 20260131T120000Z. */
#define PARIO_UTC_LEN 24
void pario_clock_utc(char text[PARIO_UTC_LEN], int compact);

#endif
