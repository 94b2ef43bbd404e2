/* diff_calls.h - the 38 data access routines of MPI-IO behind two calls. */
#ifndef SHIPIO_DIFF_CALLS_H
#define SHIPIO_DIFF_CALLS_H

#include "diff_case.h"

struct diff_call {
    MPI_File fh;
    MPI_Offset offset;
    void *buf;
    int count;
    MPI_Datatype type;
    MPI_Request *request; /* of nonblocking calls */
    MPI_Status *status;   /* of blocking calls */
};

/* The routine that `op` names; returns its MPI code. */
int diff_call_begin(const struct diff_op *op, const struct diff_call *call);
/* The end of a split collective. */
int diff_call_end(const struct diff_op *op, const struct diff_call *call);

#endif
