/* access.h - how each data access is done: shipped or direct. */
#ifndef SHIPIO_ACCESS_H
#define SHIPIO_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "file.h"

enum shipio_together {
    SHIPIO_ALONE,    /* local */
    SHIPIO_TOGETHER, /* collective */
    SHIPIO_UNWAITED  /* collective, but no rank may wait for another */
};

/*
 * Moves the bytes of req. When collective, error is what this rank has to
 * report already (0 if nothing), every rank must call, and the result is
 * agreed as far as hints->agreement says.
 * Returns 0 or an error, the data bytes done in *done_p.
 */
int shipio_access(struct shipio_file *file, const struct shipio_request *req,
                  enum shipio_together together, int error, int64_t *done_p)
    __attribute__((warn_unused_result));

#endif
