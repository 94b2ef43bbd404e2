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

#include <stdint.h>

#include "direct.h"
#include "file.h"

/* The extent of a collective call, the same on all ranks. */
struct shipio_span {
    int64_t low;
    int64_t high;
    int64_t nbytes;
    int64_t pieces;
    int error; /* of a rank that could not take part */
};

/* Collective. Everybody's request, without its data. */
struct shipio_span shipio_node_span(struct shipio_file *file,
                                    const struct shipio_request *req,
                                    int error);

/* The shared memory for buffers: slots, buffers, and for each buffer a list of
 * pieces from each rank. */
struct shipio_window_plan {
    int nslots;
    size_t parts_len; /* one list */
    size_t slots_len; /* all slots */
    size_t len;       /* everything */
};

/* Local, the same on all ranks. */
struct shipio_window_plan shipio_node_plan(const struct shipio_file *file);

/* Collective. False when the span has too many stripes or there is no memory
 * for buffers: the same answer on all ranks. */
bool shipio_node_possible(struct shipio_file *file,
                          const struct shipio_span *span);

/* Collective. Returns the agreed error; req->nbytes may be 0. */
int shipio_node_write(struct shipio_file *file,
                      const struct shipio_request *req,
                      const struct shipio_span *span)
    __attribute__((warn_unused_result));
int shipio_node_read(struct shipio_file *file, const struct shipio_request *req,
                     const struct shipio_span *span, int64_t *done_p)
    __attribute__((warn_unused_result));

/* Local. */
void shipio_node_close(struct shipio_file *file);

#endif
