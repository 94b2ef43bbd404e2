/* suites/beffio/calls.h - how each pattern type calls MPI-IO (Sect. 3):
 * blocking, nonatomic, no unique open. */
#ifndef PARIO_BEFFIO_CALLS_H
#define PARIO_BEFFIO_CALLS_H

#include "suites/beffio/loop.h"

struct beffio_calls {
    beffio_call *write, *read;
    int collective; /* calls and the decision to stop */
    int strided;    /* chunks of the ranks interleave */
    int segmented;  /* one segment of L_SEG bytes per rank */
};

extern const struct beffio_calls beffio_calls[BEFFIO_ALL_TYPES];

#endif
