/* cell.h - a number on rank 0 that all ranks of a communicator change.
 *
 * For ranks on several nodes. A thread of rank 0 answers datagrams, so that
 * the number moves on while rank 0 computes; MPI's one-sided calls need rank 0
 * to call MPI for that, and not every library has them over every network.
 *
 * A datagram without an answer is sent again; the last request of each rank is
 * remembered, so it is carried out once. At the first opening on a communicator
 * every rank asks once, which shows the address that answers; rank 0 then
 * listens at the one that serves all, and the others take datagrams from there
 * alone. Each datagram has a hash with a key that is new for each open file
 * (seal.h) and goes by MPI, and a counter, so that a copy is worthless. Where
 * one gets no answer in two seconds, that is remembered for all files of the
 * job.
 */
#ifndef SHIPIO_CELL_H
#define SHIPIO_CELL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct shipio_cell;

/* Whether the ranks of a communicator can reach rank 0, once it was tried. */
struct shipio_reach {
    bool known;
    bool good;
    /* Of rank 0, in network order: where this rank reaches it, and on rank 0
     * itself where it listens (0: everywhere, no one address serves all). */
    uint32_t address;
};

/* Collective; the number is rank 0's start. NULL on all ranks where one of them
 * cannot reach rank 0, or where shipio was built without libsodium. That is
 * tried once for a communicator, and never again in a program where it failed:
 * what drops datagrams costs seconds. */
struct shipio_cell *shipio_cell_open(MPI_Comm comm, struct shipio_reach *reach,
                                     int64_t start);
/* Local, when no rank changes the number any more. NULL is allowed. */
void shipio_cell_close(struct shipio_cell *cell);

/* Local: what it was is at before_p. */
int shipio_cell_add(struct shipio_cell *cell, int64_t value, int64_t *before_p)
    __attribute__((warn_unused_result));
/* Local, on rank 0 alone. */
void shipio_cell_set(struct shipio_cell *cell, int64_t value);

#endif
