/* api_init.c - asks for threads when agents will need them, and ends them. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <stddef.h>

#include "file.h"

/* Info hints come too late for this: only the environment is heard. */
static int wanted(int required)
{
    struct shipio_hints hints;

    shipio_hints_init(&hints, 4096);
    return shipio_hints_noncollective(&hints) ? MPI_THREAD_MULTIPLE : required;
}

int MPI_Init(int *argc, char ***argv)
{
    int provided;
    int level = wanted(MPI_THREAD_SINGLE);

    if (level == MPI_THREAD_SINGLE)
        return PMPI_Init(argc, argv);
    return PMPI_Init_thread(argc, argv, level, &provided);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return PMPI_Init_thread(argc, argv, wanted(required), provided);
}

/* For files left open. Programs that end MPI by another name are met later, by
 * an attribute (team.c), when MPICH has already stopped its locks. */
int MPI_Finalize(void)
{
    shipio_file_end_all();
    return PMPI_Finalize();
}
