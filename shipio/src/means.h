/* means.h - how the ranks of a file are connected: by the memory of their node,
 * or by messages. One table for each; a file gets its own at open.
 */
#ifndef SHIPIO_MEANS_H
#define SHIPIO_MEANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange.h"
#include "file.h"

struct shipio_means {
    const struct shipio_exchange *exchange; /* of stripes */
    /* Errors of direct collective calls can reach the others without a wait. */
    bool deferring;

    /* Collective: one error for all, or 0. */
    int (*agree)(struct shipio_file *file, int error);
    /* Collective. */
    void (*barrier)(struct shipio_file *file);
    /* Collective: the least of each of n values, at most SHIPIO_VOTES. */
    void (*vote)(struct shipio_file *file, int *values, int n);
    /* Collective: what rank 0 has, at most SHIPIO_BOARD_LEN bytes. */
    void (*share)(struct shipio_file *file, void *data, size_t len);
    /* Collective. The end of a direct call with this rank's error or 0; wait:
     * for the others, where that can be left out. The error to return. */
    int (*settle)(struct shipio_file *file, bool wait, int error);

    /* The shared pointer; see pointer.h. */
    void (*pointer_open)(struct shipio_file *file, int64_t start);
    int (*pointer_take)(struct shipio_file *file, int64_t nbytes,
                        int64_t *pos_p);
    int (*pointer_take_ordered)(struct shipio_file *file, int64_t nbytes,
                                int64_t *pos_p);
    void (*pointer_set)(struct shipio_file *file, int64_t pos);
};

extern const struct shipio_means shipio_means_node; /* means_node.c */
extern const struct shipio_means shipio_means_net;  /* means_net.c */

#endif
