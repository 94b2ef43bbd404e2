/* pointer.h - the shared file pointer, without lock files.
 *
 * On one node it is an atomic number in shared memory; across nodes it lives
 * with rank 0 (cell.h). All positions are data bytes of the view.
 *
 * Ordered calls: every rank notes its length, and the last one to come takes
 * the bytes of all. No rank may have its place before all have come: one that
 * is still to come may use the shared pointer by itself first.
 */
#ifndef SHIPIO_POINTER_H
#define SHIPIO_POINTER_H

#include <stdint.h>

#include "file.h"

/* Collective, before any rank uses it; sets file->pointer.foreign where there
 * can be none. */
void shipio_pointer_open(struct shipio_file *file);
void shipio_pointer_close(struct shipio_file *file);
/* Collective: to 0, after all calls before and before all calls after. */
void shipio_pointer_reset(struct shipio_file *file);

/* Local: takes nbytes, which start at pos_p. */
int shipio_pointer_take(struct shipio_file *file, int64_t nbytes,
                        int64_t *pos_p) __attribute__((warn_unused_result));
/* Collective: the same in the order of ranks. */
int shipio_pointer_take_ordered(struct shipio_file *file, int64_t nbytes,
                                int64_t *pos_p)
    __attribute__((warn_unused_result));
/* Local. */
int shipio_pointer_get(struct shipio_file *file, int64_t *pos_p)
    __attribute__((warn_unused_result));
/* Local, by rank 0 between two barriers. */
void shipio_pointer_set(struct shipio_file *file, int64_t pos);

#endif
