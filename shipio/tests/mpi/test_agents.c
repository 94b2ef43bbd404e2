/* test_agents.c - one rank cannot have what its agent needs: memory, a
 * communicator, a thread. The file opens all the same, on all ranks, and
 * noncollective accesses are direct. Two ranks or more, SHIPIO_NONCOLLECTIVE=1.
 */
#include "check.h"

#include <errno.h>
#include <pthread.h>

/* Nothing else allocates as much at once. */
#define STRIPE "12582912"
#define LARGE ((size_t)12582912)
#define LEN 1000

enum trouble { NONE, NO_MEMORY, NO_COMMUNICATOR, NO_THREAD };

static _Atomic enum trouble trouble; /* on the last rank */
static _Atomic int met;

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument);
int __real_PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy);
int __wrap_PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy);

void *__wrap_malloc(size_t len)
{
    if (trouble == NO_MEMORY && len >= LARGE) {
        met++;
        return NULL;
    }
    return __real_malloc(len);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument)
{
    if (trouble == NO_THREAD) {
        met++;
        return EAGAIN;
    }
    return __real_pthread_create(thread, attributes, body, argument);
}

int __wrap_PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    int rc = __real_PMPI_Comm_dup(comm, copy);

    if (trouble == NO_COMMUNICATOR) {
        met++;
        *copy = MPI_COMM_NULL;
        return MPI_ERR_OTHER;
    }
    return rc;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void test_open(const char *path, enum trouble which)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Offset at = (MPI_Offset)LEN * check_rank;
    MPI_Info info;
    MPI_Status status;
    unsigned char out[LEN];
    unsigned char in[LEN] = {0};

    memset(out, 1 + check_rank, sizeof(out));
    MPI_Info_create(&info);
    MPI_Info_set(info, "IBM_io_buffer_size", STRIPE);
    met = 0;
    if (check_rank == check_size - 1)
        trouble = which;
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    trouble = NONE;
    CHECK_EQ(met > 0, which != NONE && check_rank == check_size - 1);
    CHECK_OK(MPI_File_write_at(fh, at, out, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN);
    CHECK_OK(MPI_File_read_at(fh, at, in, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN);
    CHECK_EQ(memcmp(in, out, LEN), 0);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "agents");
    test_open(path, NONE);
    test_open(path, NO_MEMORY);
    test_open(path, NO_COMMUNICATOR);
    test_open(path, NO_THREAD);
    test_open(path, NONE);
    return check_end();
}
