/* ship_net.h - data shipping between nodes, by MPI messages.
 *
 * Works in rounds: in each, every agent looks after one stripe. Ranks send
 * their pieces of a stripe to its agent in one message; a thread of the agent
 * writes the stripe of round n while the messages of round n + 1 come in
 * (double buffering). Reading goes the other way.
 *
 * Dense access: in each round every rank has a message for every agent, be it
 * empty. Sparse access: a first pass tells the agents who will send to them in
 * which round, and empty messages are left out.
 */
#ifndef SHIPIO_SHIP_NET_H
#define SHIPIO_SHIP_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "ship_node.h"

/* The contracts are those of the calls for one node: ship_node.h. */
struct shipio_span shipio_net_span(struct shipio_file *file,
                                   const struct shipio_request *req, int error);
bool shipio_net_possible(struct shipio_file *file,
                         const struct shipio_span *span);
int shipio_net_write(struct shipio_file *file, const struct shipio_request *req,
                     const struct shipio_span *span)
    __attribute__((warn_unused_result));
int shipio_net_read(struct shipio_file *file, const struct shipio_request *req,
                    const struct shipio_span *span, int64_t *done_p)
    __attribute__((warn_unused_result));
void shipio_net_close(struct shipio_file *file);

#endif
