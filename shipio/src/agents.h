/* agents.h - noncollective shipping: threads that serve other tasks' accesses.
 *
 * Asked for by shipio_noncollective. Each agent is a thread of its task, with
 * a communicator of its own, which probes for requests, sleeps in between, and
 * makes progress while the task computes; MPI must allow that
 * (MPI_THREAD_MULTIPLE). Every access to a stripe then goes through the
 * stripe's agent, so no two nodes ever touch one block. Pieces with gaps are
 * stored to a mapping of the agent's own, or sieved.
 */
#ifndef SHIPIO_AGENTS_H
#define SHIPIO_AGENTS_H

#include <stdint.h>

#include "direct.h"
#include "file.h"

/* Collective. Does nothing when not asked for; sets file->agents_missing when
 * asked for in vain. */
void shipio_agents_open(struct shipio_file *file);
/* Collective. All accesses have ended. */
void shipio_agents_close(struct shipio_file *file);

/* Local. MPI is about to end: no agent is needed any more when the request is
 * complete, for all ranks have come so far. */
void shipio_agents_await(struct shipio_file *file, MPI_Request *request_p);
/* Local. The thread of this rank's agent ends. */
void shipio_agents_end(struct shipio_file *file);

/* Local. The contract of shipio_direct. */
int shipio_agents_access(struct shipio_file *file,
                         const struct shipio_request *req, int64_t *done_p)
    __attribute__((warn_unused_result));

#endif
