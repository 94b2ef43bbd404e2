/* test_foreign.c - files whose shared pointer the MPI library keeps: no
 * network that leads to rank 0. SHIPIO_MESSAGES=1.
 */
#include "check.h"

#include <errno.h>
#include <ifaddrs.h>

static int refusals; /* of the MPI library to come, on the last rank */
static int searches;

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __wrap_getifaddrs(struct ifaddrs **list);
int __real_PMPI_File_set_atomicity(MPI_File fh, int flag);
int __wrap_PMPI_File_set_atomicity(MPI_File fh, int flag);

int __wrap_getifaddrs(struct ifaddrs **list)
{
    (void)list;
    searches++;
    errno = ENETDOWN;
    return -1;
}

int __wrap_PMPI_File_set_atomicity(MPI_File fh, int flag)
{
    int rc = __real_PMPI_File_set_atomicity(fh, flag);

    if (check_rank != check_size - 1 || refusals == 0)
        return rc;
    refusals--;
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static MPI_File open_new(const char *path)
{
    MPI_File fh = check_open_new(path);

    CHECK_EQ(searches > 0, check_rank == 0);
    return fh;
}

/* Refused on one rank, refused on all, and nothing has changed. */
static void test_atomic_mode_is_refused(const char *path)
{
    MPI_File fh = open_new(path);
    int flag = -1;

    refusals = 1;
    CHECK_EQ(check_class(MPI_File_set_atomicity(fh, 1)),
             MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_EQ(flag, 0);
    CHECK_OK(MPI_File_set_atomicity(fh, 1));
    CHECK_OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_EQ(flag, 1);
    CHECK_OK(MPI_File_set_atomicity(fh, 0));
    CHECK_OK(MPI_File_close(&fh));
}

/* Its writes by that pointer take no locks: nothing is read and written back
 * over them. */
static void test_nothing_is_sieved(const char *path)
{
    MPI_File fh = MPI_FILE_NULL;
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int found = 0;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_sieve", "true");
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    MPI_Info_free(&info);
    CHECK_OK(MPI_File_get_info(fh, &info));
    MPI_Info_get(info, "shipio_sieve", MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    CHECK_EQ(strcmp(value, "false"), 0);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "foreign");
    test_atomic_mode_is_refused(path);
    test_nothing_is_sieved(path);
    return check_end();
}
