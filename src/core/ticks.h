/* core/ticks.h - the time in loops of short calls: CLOCK_MONOTONIC as the
 * processor's own counter gives it, where that is what the kernel takes it
 * from.
 *
 * Asking the C library after a system call costs twice what it does in a loop
 * of its own: its code and its data, and the kernel's, are cold by then. The
 * counter is one instruction. How long a tick is was measured against
 * CLOCK_MONOTONIC over the whole run so far. */
#ifndef PARIO_CORE_TICKS_H
#define PARIO_CORE_TICKS_H

#include "core/clock.h"

struct pario_ticks {
    uint64_t from; /* the counter at from_ns */
    int64_t from_ns;
    int64_t scale; /* nanoseconds per tick, times 2^32; 0: there is no counter
                      to rely on, and CLOCK_MONOTONIC is asked */
};

/* Local, once, when the process begins. */
void pario_ticks_begin(void);

/* Local, before a loop. */
struct pario_ticks pario_ticks_start(void);

static inline uint64_t pario_ticks_read(void)
{
#ifdef __x86_64__
    __builtin_ia32_lfence(); /* what was done before is over */
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/* In a loop: as pario_clock_ns. */
static inline int64_t pario_ticks_ns(const struct pario_ticks *ticks)
{
#ifdef __x86_64__
    __extension__ typedef __int128 wide;

    if (ticks->scale != 0)
        return ticks->from_ns +
               (int64_t)((wide)(int64_t)(pario_ticks_read() - ticks->from) *
                             ticks->scale >>
                         32);
#endif
    return pario_clock_ns();
}

#endif
