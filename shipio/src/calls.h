/* calls.h - what the data access entry points have in common. */
#ifndef SHIPIO_CALLS_H
#define SHIPIO_CALLS_H

#include <mpi.h>
#include <stdbool.h>

#include "file.h"

enum shipio_where {
    SHIPIO_AT,         /* explicit offset */
    SHIPIO_INDIVIDUAL, /* individual pointer */
    SHIPIO_SHARED,     /* shared pointer */
    SHIPIO_ORDERED     /* shared pointer, in the order of ranks */
};

/* The arguments of a data access call. */
struct shipio_call {
    bool write;
    bool collective;
    enum shipio_where where;
    MPI_Offset offset; /* etypes; SHIPIO_AT only */
    void *buf;
    MPI_Count count;
    MPI_Datatype datatype;
};

/* Collective or local as call says. The whole access; returns an MPI code. */
int shipio_call_blocking(struct shipio_file *file,
                         const struct shipio_call *call, MPI_Status *status);
/* Local, also for collective calls. *request_p is complete when the data is
 * moved. */
int shipio_call_nonblocking(struct shipio_file *file,
                            const struct shipio_call *call,
                            MPI_Request *request_p);
/* Collective. */
int shipio_call_begin(struct shipio_file *file, const struct shipio_call *call);
int shipio_call_end(struct shipio_file *file, bool write, MPI_Status *status);

/* Local. */
void shipio_status_set(MPI_Status *status, int64_t nbytes);

#endif
