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
#define OUTW                                                                   \
    const void *out, const int nouts[], const int out_at[],                    \
        const MPI_Datatype out_types[]
#define INW                                                                    \
    void *in, const int nins[], const int in_at[], const MPI_Datatype in_types[]

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
COLLECTIVE(Reduce_scatter_block,
           (const void *out, void *in, int count, MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm),
           (out, in, count, datatype, op, comm))
COLLECTIVE(Alltoallw, (OUTW, INW, MPI_Comm comm),
           (out, nouts, out_at, out_types, in, nins, in_at, in_types, comm))
COLLECTIVE(Neighbor_allgather, (OUT, IN, MPI_Comm comm),
           (out, nout, out_type, in, nin, in_type, comm))
COLLECTIVE(Neighbor_allgatherv, (OUT, INS, MPI_Comm comm),
           (out, nout, out_type, in, nins, in_at, in_type, comm))
COLLECTIVE(Neighbor_alltoall, (OUT, IN, MPI_Comm comm),
           (out, nout, out_type, in, nin, in_type, comm))
COLLECTIVE(Neighbor_alltoallv, (OUTS, INS, MPI_Comm comm),
           (out, nouts, out_at, out_type, in, nins, in_at, in_type, comm))
COLLECTIVE(Neighbor_alltoallw,
           (const void *out, const int nouts[], const MPI_Aint out_at[],
            const MPI_Datatype out_types[], void *in, const int nins[],
            const MPI_Aint in_at[], const MPI_Datatype in_types[],
            MPI_Comm comm),
           (out, nouts, out_at, out_types, in, nins, in_at, in_types, comm))

void rec_meeting_begun(const struct rec_span *span, MPI_Comm comm,
                       const char *name, int code, MPI_Request request)
{
    int64_t number;

    if (code != MPI_SUCCESS || is_between(comm)) {
        rec_end_waiting(span);
        return;
    }
    number = rec_request_new();
    REC_END(span, PARIO_OP_icollective, 0, rec_group(comm), rec_string(name),
            number);
    rec_request_set(number, request, REC_MEETING);
}

/* Those that do not wait: over in a call for their request. */
#define STARTING(name, params, args)                                           \
    REC_PUBLIC int MPI_##name params                                           \
    {                                                                          \
        struct rec_span span;                                                  \
        bool on = rec_begin(&span);                                            \
        int rc = NEXT(MPI_##name) args;                                        \
                                                                               \
        if (on)                                                                \
            rec_meeting_begun(&span, comm, #name, rc, *request);               \
        return rc;                                                             \
    }
#define END MPI_Comm comm, MPI_Request *request

STARTING(Ibarrier, (END), (comm, request))
STARTING(Ibcast, (void *buf, int count, MPI_Datatype datatype, int root, END),
         (buf, count, datatype, root, comm, request))
STARTING(Ireduce,
         (const void *out, void *in, int count, MPI_Datatype datatype,
          MPI_Op op, int root, END),
         (out, in, count, datatype, op, root, comm, request))
#define REDUCING                                                               \
    (const void *out, void *in, int count, MPI_Datatype datatype, MPI_Op op,   \
     END)
#define REDUCED (out, in, count, datatype, op, comm, request)
STARTING(Iallreduce, REDUCING, REDUCED)
STARTING(Iscan, REDUCING, REDUCED)
STARTING(Iexscan, REDUCING, REDUCED)
STARTING(Ireduce_scatter_block, REDUCING, REDUCED)
STARTING(Ireduce_scatter,
         (const void *out, void *in, const int counts[], MPI_Datatype datatype,
          MPI_Op op, END),
         (out, in, counts, datatype, op, comm, request))
STARTING(Igather, (OUT, IN, int root, END),
         (out, nout, out_type, in, nin, in_type, root, comm, request))
STARTING(Igatherv, (OUT, INS, int root, END),
         (out, nout, out_type, in, nins, in_at, in_type, root, comm, request))
STARTING(Iscatter, (OUT, IN, int root, END),
         (out, nout, out_type, in, nin, in_type, root, comm, request))
STARTING(Iscatterv, (OUTS, IN, int root, END),
         (out, nouts, out_at, out_type, in, nin, in_type, root, comm, request))
STARTING(Iallgather, (OUT, IN, END),
         (out, nout, out_type, in, nin, in_type, comm, request))
STARTING(Iallgatherv, (OUT, INS, END),
         (out, nout, out_type, in, nins, in_at, in_type, comm, request))
STARTING(Ialltoall, (OUT, IN, END),
         (out, nout, out_type, in, nin, in_type, comm, request))
STARTING(Ialltoallv, (OUTS, INS, END),
         (out, nouts, out_at, out_type, in, nins, in_at, in_type, comm,
          request))
STARTING(Ialltoallw, (OUTW, INW, END),
         (out, nouts, out_at, out_types, in, nins, in_at, in_types, comm,
          request))
/* NOLINTEND(bugprone-macro-parentheses,readability-function-size) */
