/* open.c - an MPI library whose open fails on one rank only: preloaded, it
 * stands before the MPI library's own PMPI_File_open. STANDIN_RANK says where.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef int open_function(MPI_Comm comm, const char *filename, int amode,
                          MPI_Info info, MPI_File *fh);

int PMPI_File_open(MPI_Comm comm, const char *filename, int amode,
                   MPI_Info info, MPI_File *fh)
{
    const char *where = getenv("STANDIN_RANK");
    /* POSIX wants this detour from data to function pointer. */
    void *symbol = dlsym(RTLD_NEXT, "PMPI_File_open");
    open_function *next = NULL;
    int rank = -1;
    int rc;

    memcpy(&next, &symbol, sizeof(symbol));
    rc = next(comm, filename, amode, info, fh);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rc == MPI_SUCCESS && where != NULL && strtol(where, NULL, 10) == rank) {
        *fh = MPI_FILE_NULL;
        return MPI_ERR_NO_SPACE;
    }
    return rc;
}
