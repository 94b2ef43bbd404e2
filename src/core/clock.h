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

/* Since a reading of pario_clock_ns. */
static inline double pario_clock_since_s(int64_t begin_ns)
{
    return (double)(pario_clock_ns() - begin_ns) * 1e-9;
}

/* Smallest step seen between two readings, in ns. */
int64_t pario_clock_resolution_ns(void);

/* Clocks that tick by themselves, asked from the kernel, beside the one that
 * times everything; a clock that was bent, or stands still, is found. */
struct pario_clocks {
    int64_t used_ns;  /* pario_clock_ns */
    int64_t raw_ns;   /* CLOCK_MONOTONIC_RAW: nobody adjusts it */
    int64_t boot_ns;  /* CLOCK_BOOTTIME: goes on while a node is suspended */
    int64_t mpi_ns;   /* of the caller, e.g. MPI_Wtime; -1: none */
    int64_t width_ns; /* from the first reading to the last: nobody reads them
                         all at once */
};
/* mpi_ns: NULL, or a clock of the caller. */
void pario_clocks_now(int64_t (*mpi_ns)(void), struct pario_clocks *now_p);

/* 1 and a sentence if they disagree by more than 1 % and 10 ms, besides what
 * the readings took; else 0. */
int pario_clocks_compare(const struct pario_clocks *begin,
                         const struct pario_clocks *end, char *text,
                         size_t len);

/* UTC now as 2026-01-31T12:00:00Z; compact: 20260131T120000Z. */
#define PARIO_UTC_LEN 24
void pario_clock_utc(char text[PARIO_UTC_LEN], int compact);

#endif
