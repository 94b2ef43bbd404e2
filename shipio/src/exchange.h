/* exchange.h - one table for shipping on a node, one for between nodes. */
#ifndef SHIPIO_EXCHANGE_H
#define SHIPIO_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "direct.h"
#include "file.h"

/* The extent of a collective call, the same on all ranks. */
struct shipio_span {
    int64_t low;
    int64_t high;
    int64_t nbytes;
    int64_t pieces;
    int64_t extents; /* from first to last byte, summed over the ranks */
    int64_t cost_ns; /* of a request to the file: the dearest of any rank */
    int error;       /* of a rank that could not take part */
};

struct shipio_exchange {
    const char *name;
    /* Collective. Everybody's request, without its data. */
    struct shipio_span (*span)(struct shipio_file *file,
                               const struct shipio_request *req, int error);
    /* Collective. False when the span has too many stripes or there is no
     * memory for buffers: the same answer on all ranks. */
    bool (*possible)(struct shipio_file *file, const struct shipio_request *req,
                     const struct shipio_span *span);
    /* Collective. Returns the agreed error; req->nbytes may be 0. */
    int (*write)(struct shipio_file *file, const struct shipio_request *req,
                 const struct shipio_span *span);
    int (*read)(struct shipio_file *file, const struct shipio_request *req,
                const struct shipio_span *span, int64_t *done_p);
    /* Local. Frees the buffers. */
    void (*close)(struct shipio_file *file);
};

extern const struct shipio_exchange shipio_exchange_node; /* ship_node.c */
extern const struct shipio_exchange shipio_exchange_net;  /* ship_net.c */

#endif
