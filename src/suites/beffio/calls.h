/* suites/beffio/calls.h - how each pattern type calls MPI-IO (Sect. 3):
 * blocking, nonatomic, no unique open. What is in patterns.h needs no MPI. */
#ifndef PARIO_BEFFIO_CALLS_H
#define PARIO_BEFFIO_CALLS_H

#include "suites/beffio/loop.h"

struct beffio_calls {
    beffio_call *write, *read;
};

extern const struct beffio_calls beffio_calls[BEFFIO_ALL_TYPES];

#endif
