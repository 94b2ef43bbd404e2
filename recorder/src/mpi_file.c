/* mpi_file.c - open files of MPI-IO, and what its calls return. */
#include "mpi_recorder.h"

#include <pthread.h>
#include <string.h>

/* Handles are few: a table that is searched from where the handle points to.
 * Readers take no lock. */
#define HANDLES 4096

static struct {
    MPI_File fh;
    struct rec_file *file;
} handles[HANDLES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_File gone; /* a place that was used: its address is no handle */

#define GONE ((MPI_File)(void *)&gone)

static size_t place(MPI_File fh)
{
    return ((uintptr_t)fh >> 4) * 0x9e3779b97f4a7c15u >> 52;
}

static size_t find(MPI_File fh)
{
    size_t at = place(fh);

    for (size_t i = 0; i < HANDLES; i++, at = (at + 1) % HANDLES) {
        MPI_File there = __atomic_load_n(&handles[at].fh, __ATOMIC_ACQUIRE);

        if (there == fh)
            return at;
        if (there == NULL)
            break;
    }
    return HANDLES;
}

struct rec_file *rec_mpi_file(MPI_File fh)
{
    size_t at = fh != MPI_FILE_NULL ? find(fh) : HANDLES;

    return at < HANDLES ? handles[at].file : NULL;
}

void rec_mpi_file_set(MPI_File fh, struct rec_file *file)
{
    size_t at = place(fh);

    rec_enter();
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < HANDLES; i++, at = (at + 1) % HANDLES)
        if (handles[at].fh == NULL || handles[at].fh == GONE) {
            handles[at].file = file;
            __atomic_store_n(&handles[at].fh, fh, __ATOMIC_RELEASE);
            break;
        }
    pthread_mutex_unlock(&lock);
    rec_leave();
}

void rec_mpi_file_clear(MPI_File fh)
{
    rec_enter();
    pthread_mutex_lock(&lock);
    for (size_t at = find(fh); at < HANDLES; at = HANDLES)
        __atomic_store_n(&handles[at].fh, GONE, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    rec_leave();
}

static const int classes[] = {
#define ERROR(name, class) MPI_ERR_##class,
    PARIO_TRACE_MPI_ERRORS(ERROR)
#undef ERROR
};

int64_t rec_mpi_result(int code)
{
    int class = MPI_ERR_OTHER;

    if (code == MPI_SUCCESS)
        return 0;
    PMPI_Error_class(code, &class);
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (classes[i] == class)
            return PARIO_RESULT_MPI - (int64_t)i;
    return PARIO_RESULT_MPI;
}

int64_t rec_bytes(int64_t count, MPI_Datatype datatype)
{
    MPI_Count size = 0;

    PMPI_Type_size_x(datatype, &size);
    return count * size;
}

int64_t rec_mpi_moved(int code, const MPI_Status *status, int64_t count,
                      MPI_Datatype datatype)
{
    MPI_Count moved = 0;
    int64_t wanted;

    if (code != MPI_SUCCESS)
        return rec_mpi_result(code);
    wanted = rec_bytes(count, datatype);
    if (PMPI_Get_elements_x(status, MPI_BYTE, &moved) != MPI_SUCCESS ||
        moved == MPI_UNDEFINED || moved >= wanted || moved < 0)
        return 0;
    return moved + 1;
}
