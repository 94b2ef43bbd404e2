/* late.h - errors that the other ranks learn after the call.
 *
 * A direct collective call need not wait for the others. An error in it is
 * posted with the number of the call, and each rank reports it once: in the
 * same call if it waits for all (waits_for_others in access.c says when), else
 * in a later one.
 */
#ifndef SHIPIO_LATE_H
#define SHIPIO_LATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct shipio_file;

/* This rank's account of them, in struct shipio_file. */
struct shipio_late {
    _Atomic uint64_t calls; /* direct collective calls begun */
    _Atomic uint64_t seen;  /* last call whose error was reported here */
    _Atomic int left_over;  /* of nonblocking calls, not reported yet */
    _Atomic int
        own; /* no shared memory: own error that the others are to learn */
};

/* Local. An error in a direct collective call: for the others, without waiting.
 * Without shared memory they learn it from the next agreement to which this
 * rank brings what it takes by the call below. waited: others may be waiting
 * for this call's end, to return its error; this rank is in the call then. */
void shipio_late_post(struct shipio_file *file, uint64_t call, int error,
                      bool waited);
/* Local. This rank's own error that no call has returned yet. */
void shipio_late_own(struct shipio_file *file, int error);
/* Local: an error posted by another rank in a call up to the present one, and
 * not yet reported here; or 0. Without shared memory: this rank's own, not yet
 * known to the others. */
int shipio_late_take(struct shipio_file *file);
/* Local, when no rank makes any more calls, the same on all ranks of a node:
 * has an error been posted, reported or not? */
bool shipio_late_posted(const struct shipio_file *file);
/* Local, when all ranks have finished the present call: an error of it. */
int shipio_late_common(struct shipio_file *file);
/* Local. This rank will not ask for errors of call, and those before. */
void shipio_late_left(struct shipio_file *file, uint64_t call);

#endif
