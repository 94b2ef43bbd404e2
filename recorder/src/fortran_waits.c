/* fortran_waits.c - the ends of requests in MPICH's module mpi_f08, whose
 * routines call PMPI_Wait and its like. They stay what they are, with their
 * own ways to count and to ignore: what they call is recorded. */
#include "mpi_recorder.h"

#if defined(MPICH_VERSION)

/* Such a routine has begun, and not called anything yet. */
static __thread bool in_routine __attribute__((tls_model("initial-exec")));

/* A routine whose arguments are addresses all. */
typedef void routine(void *, ...);
#define V void *

/* Lists of parameters cannot be put in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define WAITS(symbol, addresses, given, name, params, args)                    \
    REC_PUBLIC void symbol addresses;                                          \
    void symbol addresses                                                      \
    {                                                                          \
        static routine *next;                                                  \
                                                                               \
        if (next == NULL)                                                      \
            next = (routine *)rec_next(#symbol);                               \
        in_routine = true;                                                     \
        next given;                                                            \
        in_routine = false;                                                    \
    }                                                                          \
    REC_PUBLIC int P##name params                                              \
    {                                                                          \
        bool ours = in_routine;                                                \
                                                                               \
        in_routine = false;                                                    \
        return ours ? name args : NEXT(P##name) args;                          \
    }

WAITS(mpi_wait_f08_, (V a, V b, V c), (a, b, c), MPI_Wait,
      (MPI_Request * request, MPI_Status *status), (request, status))
WAITS(mpi_test_f08_, (V a, V b, V c, V d), (a, b, c, d), MPI_Test,
      (MPI_Request * request, int *flag, MPI_Status *status),
      (request, flag, status))
WAITS(mpi_waitall_f08_, (V a, V b, V c, V d), (a, b, c, d), MPI_Waitall,
      (int count, MPI_Request array[], MPI_Status statuses[]),
      (count, array, statuses))
WAITS(mpi_testall_f08_, (V a, V b, V c, V d, V e), (a, b, c, d, e), MPI_Testall,
      (int count, MPI_Request array[], int *flag, MPI_Status statuses[]),
      (count, array, flag, statuses))
WAITS(mpi_waitany_f08_, (V a, V b, V c, V d, V e), (a, b, c, d, e), MPI_Waitany,
      (int count, MPI_Request array[], int *index, MPI_Status *status),
      (count, array, index, status))
WAITS(mpi_testany_f08_, (V a, V b, V c, V d, V e, V f), (a, b, c, d, e, f),
      MPI_Testany,
      (int count, MPI_Request array[], int *index, int *flag,
       MPI_Status *status),
      (count, array, index, flag, status))
WAITS(mpi_waitsome_f08_, (V a, V b, V c, V d, V e, V f), (a, b, c, d, e, f),
      MPI_Waitsome,
      (int count, MPI_Request array[], int *done, int indices[],
       MPI_Status statuses[]),
      (count, array, done, indices, statuses))
WAITS(mpi_testsome_f08_, (V a, V b, V c, V d, V e, V f), (a, b, c, d, e, f),
      MPI_Testsome,
      (int count, MPI_Request array[], int *done, int indices[],
       MPI_Status statuses[]),
      (count, array, done, indices, statuses))
WAITS(mpi_request_free_f08_, (V a, V b), (a, b), MPI_Request_free,
      (MPI_Request * request), (request))
/* NOLINTEND(bugprone-macro-parentheses) */
#endif
