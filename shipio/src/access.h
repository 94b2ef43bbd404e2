/* access.h - how each data access is done: shipped or direct. */
#ifndef SHIPIO_ACCESS_H
#define SHIPIO_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "file.h"

/*
 * Moves the bytes of req. Collective when collective is set: then error is
 * what this rank has to report already (0 if nothing), every rank must call,
 * and the result is agreed as far as hints->agreement says. Local otherwise.
 * Returns 0 or an error, the data bytes done in *done_p.
 */
int shipio_access(struct shipio_file *file, const struct shipio_request *req,
                  bool collective, int error, int64_t *done_p)
    __attribute__((warn_unused_result));

#endif
