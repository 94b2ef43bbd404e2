/* device.h - memory of a GPU in the program's buffers.
 *
 * The processor must not touch it. Accesses to such memory pass to the MPI
 * library, which can move it if it was built for that: on its own handle, by
 * one call, or piece by piece where only shipio knows the view. In a collective
 * call the rank then has no part of its own, so the others need not know. When
 * the program has loaded CUDA's library, each call asks that about its buffer;
 * a call that is one plain system call asks only when that could not reach the
 * memory.
 */
#ifndef SHIPIO_DEVICE_H
#define SHIPIO_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"

/* Local. True when req, whose memory is known, begins or ends in a GPU. Asks
 * CUDA, if the program has loaded it. */
bool shipio_device_holds(const struct shipio_request *req);
/* Local. The contract of shipio_direct; calls MPI. */
int shipio_device_access(struct shipio_file *file,
                         const struct shipio_request *req, int64_t *done_p)
    __attribute__((warn_unused_result));

#endif
