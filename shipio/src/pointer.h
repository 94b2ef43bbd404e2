/* pointer.h - the shared file pointer, without lock files.
 *
 * On one node it is an atomic number in shared memory; across nodes it lives
 * in an MPI window on rank 0. All positions are data bytes of the view.
 */
#ifndef SHIPIO_POINTER_H
#define SHIPIO_POINTER_H

#include <stdint.h>

#include "file.h"

/* Collective. */
int shipio_pointer_open(struct shipio_file *file)
    __attribute__((warn_unused_result));
void shipio_pointer_close(struct shipio_file *file);
/* Collective: to 0, after all calls before and before all calls after. */
void shipio_pointer_reset(struct shipio_file *file);

/* Local: takes nbytes, returns where they start. */
int64_t shipio_pointer_take(struct shipio_file *file, int64_t nbytes);
/* Collective: the same in the order of ranks. */
int64_t shipio_pointer_take_ordered(struct shipio_file *file, int64_t nbytes);
/* Local. */
int64_t shipio_pointer_get(struct shipio_file *file);
/* Local, by one rank between two barriers. */
void shipio_pointer_set(struct shipio_file *file, int64_t pos);

#endif
