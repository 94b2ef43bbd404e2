/* mpi_collective.c - collective calls: an order between the processes, and the
 * time that they wait for each other. */
#include "mpi_recorder.h"

static void noted(const struct rec_span *span, MPI_Comm comm, const char *name,
                  int code)
{
    /* Asked for after the call: it must not delay the others. */
    REC_END(span, PARIO_OP_collective, rec_mpi_result(code), rec_group(comm),
            rec_string(name));
}

static bool is_between(MPI_Comm comm)
{
    int flag = 0;

    PMPI_Comm_test_inter(comm, &flag);
    return flag != 0;
}

/* Names and lists of parameters cannot be put in parentheses, and calls have
 * as many as the standard says. */
/* NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size) */
#define COLLECTIVE(name, params, args)                                         \
    REC_PUBLIC int MPI_##name params                                           \
    {                                                                          \
        struct rec_span span;                                                  \
        bool on = rec_begin(&span);                                            \
        int rc = NEXT(MPI_##name) args;                                        \
                                                                               \
        if (on && is_between(comm))                                            \
            rec_end_waiting(&span);                                            \
        else if (on)                                                           \
            noted(&span, comm, #name, rc);                                     \
        return rc;                                                             \
    }

#define OUT const void *out, int nout, MPI_Datatype out_type
#define OUTS                                                                   \
    const void *out, const int nouts[], const int out_at[],                    \
        MPI_Datatype out_type
#define IN void *in, int nin, MPI_Datatype in_type
#define INS void *in, const int nins[], const int in_at[], MPI_Datatype in_type

COLLECTIVE(Barrier, (MPI_Comm comm), (comm))
COLLECTIVE(Bcast,
           (void *buf, int count, MPI_Datatype datatype, int root,
            MPI_Comm comm),
           (buf, count, datatype, root, comm))
COLLECTIVE(Reduce,
           (const void *out, void *in, int count, MPI_Datatype datatype,
            MPI_Op op, int root, MPI_Comm comm),
           (out, in, count, datatype, op, root, comm))
COLLECTIVE(Allreduce,
           (const void *out, void *in, int count, MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm),
           (out, in, count, datatype, op, comm))
COLLECTIVE(Scan,
           (const void *out, void *in, int count, MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm),
           (out, in, count, datatype, op, comm))
COLLECTIVE(Exscan,
           (const void *out, void *in, int count, MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm),
           (out, in, count, datatype, op, comm))
COLLECTIVE(Gather, (OUT, IN, int root, MPI_Comm comm),
           (out, nout, out_type, in, nin, in_type, root, comm))
COLLECTIVE(Gatherv, (OUT, INS, int root, MPI_Comm comm),
           (out, nout, out_type, in, nins, in_at, in_type, root, comm))
COLLECTIVE(Scatter, (OUT, IN, int root, MPI_Comm comm),
           (out, nout, out_type, in, nin, in_type, root, comm))
COLLECTIVE(Scatterv, (OUTS, IN, int root, MPI_Comm comm),
           (out, nouts, out_at, out_type, in, nin, in_type, root, comm))
COLLECTIVE(Allgather, (OUT, IN, MPI_Comm comm),
           (out, nout, out_type, in, nin, in_type, comm))
COLLECTIVE(Allgatherv, (OUT, INS, MPI_Comm comm),
           (out, nout, out_type, in, nins, in_at, in_type, comm))
COLLECTIVE(Alltoall, (OUT, IN, MPI_Comm comm),
           (out, nout, out_type, in, nin, in_type, comm))
COLLECTIVE(Alltoallv, (OUTS, INS, MPI_Comm comm),
           (out, nouts, out_at, out_type, in, nins, in_at, in_type, comm))
COLLECTIVE(Reduce_scatter,
           (const void *out, void *in, const int counts[],
            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
           (out, in, counts, datatype, op, comm))
/* NOLINTEND(bugprone-macro-parentheses,readability-function-size) */
