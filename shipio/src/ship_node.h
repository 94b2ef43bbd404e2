/* ship_node.h - data shipping between the processes of one node.
 *
 * The file is cut into stripes, each bound to one agent. Stripes pass through
 * buffers in shared memory: every rank copies its pieces of a stripe to their
 * place in the buffer and says so; the agent then writes what is covered, with
 * as few system calls as the gaps allow, and frees the buffer. Reading goes
 * the other way. There are at least two buffers for each agent, so that
 * copying of the next stripes overlaps file access (double buffering).
 */
#ifndef SHIPIO_SHIP_NODE_H
#define SHIPIO_SHIP_NODE_H

#include <stddef.h>

#include "exchange.h"

/* The shared memory for buffers: slots, buffers, and for each buffer a list of
 * pieces from each rank. */
struct shipio_window_plan {
    int nslots;
    size_t parts_len; /* one list */
    size_t slots_len; /* all slots */
    size_t len;       /* everything */
};

/* Local, the same on all ranks: for accesses of so many stripes. */
struct shipio_window_plan shipio_node_plan(const struct shipio_file *file,
                                           int64_t nstripes);

#endif
