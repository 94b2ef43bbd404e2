/* par/watchdog.h - ends a run that would hang (design: the watchdog).
 *
 * One thread a rank looks at the deadline of the present phase and at how
 * long this rank has been waiting in pario_agree with an error. When either
 * is over it prints where each rank of the node was, lets the janitor remove
 * the files and ends the process with status 1, so that the launcher ends
 * the job. The results so far are on disk already.
 */
#ifndef PARIO_PAR_WATCHDOG_H
#define PARIO_PAR_WATCHDOG_H

#include "par/group.h"
#include <stdatomic.h>

/* Collective over world. */
int pario_watchdog_start(const struct pario_group *world) PARIO_MUST_USE;
void pario_watchdog_stop(void);

/* Local. A phase begins that must end within seconds (0: no deadline); its
 * name appears in the message. grace_s: how long the others may keep this rank
 * waiting in pario_agree once it has failed. */
void pario_watchdog_phase(double seconds, double grace_s, const char *fmt, ...)
    PARIO_PRINTF(3, 4);

/* Local. This rank has met an error in the middle of a phase: unless it comes
 * through a pario_agree within the grace time, the others hang in a call. */
void pario_watchdog_error(void);

/* File offset of the call under way; the other ranks of the node read it. */
extern _Atomic int64_t *pario_position; /* never NULL */

/* In the timed loop, before an I/O call: one relaxed store. */
static inline void pario_position_at(int64_t offset)
{
    atomic_store_explicit(pario_position, offset, memory_order_relaxed);
}

/* Local. For a loop of short calls: that store is to another page, and after
 * each call of the kernel's costs up to 40 ns. Such a loop keeps its offset
 * among its own variables, from where the watchdog's thread copies it at each
 * of its looks; NULL before they are gone. */
void pario_watchdog_follow(const _Atomic int64_t *offset);

#endif
