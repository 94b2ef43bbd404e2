/* fortran_waits.c - the ends of requests in MPICH's module mpi_f08, whose
 * routines call PMPI_Wait and its like. Handles and statuses of that module are
 * C's in memory. */
#include "mpi_recorder.h"

#if defined(MPICH_VERSION)

/* Of the module, declared by mpi.h; missing: no program of Fortran. */
#pragma weak MPIR_F08_MPI_STATUS_IGNORE_OBJ
#pragma weak MPIR_F08_MPI_STATUSES_IGNORE_OBJ

static MPI_Status *wanted(MPI_Status *status)
{
    const void *given = status;

    return given == &MPIR_F08_MPI_STATUS_IGNORE_OBJ ||
                   given == &MPIR_F08_MPI_STATUSES_IGNORE_OBJ
               ? MPI_STATUS_IGNORE
               : status;
}

static void give_code(MPI_Fint *ierr, int code)
{
    if (ierr != NULL)
        *ierr = code;
}

/* Fortran counts from 1. */
static MPI_Fint from_one(int index)
{
    return index >= 0 ? index + 1 : index; /* MPI_UNDEFINED */
}

/* Lists of parameters cannot be put in parentheses; requests are begun
 * elsewhere. */
/* NOLINTBEGIN(bugprone-macro-parentheses,clang-analyzer-optin.mpi.MPI-Checker)
 * \
 */
#define WAITS(name, ...)                                                       \
    REC_PUBLIC void mpi_##name##_f08_(__VA_ARGS__, MPI_Fint *ierr);            \
    void mpi_##name##_f08_(__VA_ARGS__, MPI_Fint *ierr)
#define LIST const MPI_Fint *count, MPI_Request *array

WAITS(wait, MPI_Request *request, MPI_Status *status)
{
    give_code(ierr, MPI_Wait(request, wanted(status)));
}

WAITS(test, MPI_Request *request, MPI_Fint *flag, MPI_Status *status)
{
    int over = 0;

    give_code(ierr, MPI_Test(request, &over, wanted(status)));
    *flag = over != 0;
}

WAITS(waitall, LIST, MPI_Status *statuses)
{
    give_code(ierr, MPI_Waitall(*count, array, wanted(statuses)));
}

WAITS(testall, LIST, MPI_Fint *flag, MPI_Status *statuses)
{
    int over = 0;

    give_code(ierr, MPI_Testall(*count, array, &over, wanted(statuses)));
    *flag = over != 0;
}

WAITS(waitany, LIST, MPI_Fint *index, MPI_Status *status)
{
    int which = MPI_UNDEFINED;

    give_code(ierr, MPI_Waitany(*count, array, &which, wanted(status)));
    *index = from_one(which);
}

WAITS(testany, LIST, MPI_Fint *index, MPI_Fint *flag, MPI_Status *status)
{
    int which = MPI_UNDEFINED, over = 0;

    give_code(ierr, MPI_Testany(*count, array, &which, &over, wanted(status)));
    *index = from_one(which);
    *flag = over != 0;
}

#define SOME(name, call)                                                       \
    WAITS(name, LIST, MPI_Fint *ndone, MPI_Fint *indices,                      \
          MPI_Status *statuses)                                                \
    {                                                                          \
        int n = 0;                                                             \
                                                                               \
        give_code(ierr, call(*count, array, &n, indices, wanted(statuses)));   \
        *ndone = n;                                                            \
        for (int i = 0; i < n; i++)                                            \
            indices[i] = from_one(indices[i]);                                 \
    }

SOME(waitsome, MPI_Waitsome)
SOME(testsome, MPI_Testsome)

WAITS(request_free, MPI_Request *request)
{
    give_code(ierr, MPI_Request_free(request));
}
/* NOLINTEND(bugprone-macro-parentheses,clang-analyzer-optin.mpi.MPI-Checker) */
#endif
