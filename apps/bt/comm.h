/*
 * The messages of the BT solver: point-to-point doubles and sums, over MPI or
 * (built without MPI) among one process, where no message is ever needed.
 */
#ifndef PARIO_APPS_BT_COMM_H
#define PARIO_APPS_BT_COMM_H

#include "pario_config.h"

#include <stddef.h>

#if PARIO_HAVE_MPI
#include <mpi.h>
#endif

struct pario_bt_comm {
    int rank;
    int size;
    int npending; /* messages under way */
    int capacity;
#if PARIO_HAVE_MPI
    MPI_Comm comm; /* own duplicate */
    MPI_Request *pending;
#endif
};

#if PARIO_HAVE_MPI
/* Collective. Duplicates comm. */
int pario_bt_comm_init(struct pario_bt_comm *bc, MPI_Comm comm)
    __attribute__((warn_unused_result));
#endif
/* Local. One process without messages. */
void pario_bt_comm_init_alone(struct pario_bt_comm *bc);
/* Collective. */
void pario_bt_comm_fini(struct pario_bt_comm *bc);

/* Local. buf belongs to the message until pario_bt_comm_wait. */
int pario_bt_comm_send(struct pario_bt_comm *bc, const double *buf,
                       size_t count, int peer, int tag)
    __attribute__((warn_unused_result));
/* Local. Starts to receive; done after pario_bt_comm_wait. */
int pario_bt_comm_recv_start(struct pario_bt_comm *bc, double *buf,
                             size_t count, int peer, int tag)
    __attribute__((warn_unused_result));
/* Local. Receives now. */
int pario_bt_comm_recv(struct pario_bt_comm *bc, double *buf, size_t count,
                       int peer, int tag) __attribute__((warn_unused_result));
/* Local. Waits for all messages under way. */
int pario_bt_comm_wait(struct pario_bt_comm *bc)
    __attribute__((warn_unused_result));
/* Collective. Sums on all ranks. */
int pario_bt_comm_sum(struct pario_bt_comm *bc, double *values, int count)
    __attribute__((warn_unused_result));
/* Collective. The smallest value of all ranks. */
int pario_bt_comm_min(struct pario_bt_comm *bc, int *value)
    __attribute__((warn_unused_result));

#endif
