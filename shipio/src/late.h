/* late.h - errors that the other ranks learn after the call.
 *
 * A direct collective call need not wait for the others. An error in it is
 * posted with the number of the call, and each rank reports it once: in the
 * same call if it waits for all, else in a later one.
 */
#ifndef SHIPIO_LATE_H
#define SHIPIO_LATE_H

#include <stdint.h>

struct shipio_file;

/* This rank's account of them, in struct shipio_file. */
struct shipio_late {
    uint64_t calls; /* direct collective calls begun */
    uint64_t seen;  /* last call whose error was reported here */
    int own; /* no shared memory: own error that the others are to learn */
};

/* Local. An error in direct collective call number late.calls: tell the
 * others without waiting. Without shared memory they learn it from the next
 * agreement to which this rank brings what it takes by the call below. */
void shipio_late_post(struct shipio_file *file, int error);
/* Local: an error posted by another rank in a call up to the present one, and
 * not yet reported here; or 0. Without shared memory: this rank's own, not yet
 * known to the others. */
int shipio_late_take(struct shipio_file *file);
/* Local, when all ranks have finished the present call: an error of it. */
int shipio_late_common(struct shipio_file *file);

#endif
