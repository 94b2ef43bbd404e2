/* direct.h - accesses by the task itself, without agents. */
#ifndef SHIPIO_DIRECT_H
#define SHIPIO_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "file.h"

/* One access: data bytes [pos, pos + nbytes) of the view, and memory. */
struct shipio_request {
    bool write;
    int64_t pos;
    int64_t nbytes;
    char *buf;
    MPI_Count count; /* of the program's call, and its datatype */
    MPI_Datatype datatype;
    struct shipio_type type; /* of the memory */
    struct shipio_tiling memory;
    bool device; /* memory of a GPU: not to be touched */
};

/*
 * Local. Moves the bytes of request; the data bytes done in order before the
 * end of the file, or before the error, go to *done_p. Returns 0 or -errno.
 */
int shipio_direct(struct shipio_file *file, const struct shipio_request *req,
                  int64_t *done_p) __attribute__((warn_unused_result));

#endif
