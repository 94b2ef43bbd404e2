/* api_cxx.c - how the C++ of MPICH makes error handlers.
 *
 * It makes them by the C call, and then says that their functions are C++: they
 * take other arguments, and it calls them itself when a call returns an error.
 */
#pragma GCC visibility push(default)
#include <mpi.h>

#ifdef MPICH
void MPII_Errhandler_set_cxx(MPI_Errhandler handler, void (*call)(void));
void MPIR_Errhandler_set_cxx(MPI_Errhandler handler, void (*call)(void));
#endif
#pragma GCC visibility pop

#ifdef MPICH
#include <dlfcn.h>
#include <stddef.h>

#include "errors.h"

/* A pointer to an object as one to a function, which C does not convert. */
union symbol {
    void *object;
    void (*set)(MPI_Errhandler handler, void (*call)(void));
};

static void pass_on(const char *name, MPI_Errhandler handler,
                    void (*call)(void))
{
    union symbol next = {.object = dlsym(RTLD_NEXT, name)};

    shipio_errors_remember(handler, NULL);
    if (next.object != NULL)
        next.set(handler, call);
}

/* The name in MPICH 4, and the one before and after. */
void MPII_Errhandler_set_cxx(MPI_Errhandler handler, void (*call)(void))
{
    pass_on("MPII_Errhandler_set_cxx", handler, call);
}

void MPIR_Errhandler_set_cxx(MPI_Errhandler handler, void (*call)(void))
{
    pass_on("MPIR_Errhandler_set_cxx", handler, call);
}
#else
/* Nothing to do: an empty file is not C. */
typedef int shipio_no_cxx;
#endif
