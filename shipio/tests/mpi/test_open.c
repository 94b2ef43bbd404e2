/* test_open.c - opening, and failing to: modes, communicators and the handler
 * of MPI_FILE_NULL. With a second argument the job must end in the open and say
 * why.
 */
#include "check.h"

static int handler_calls;
static int handler_class;
static int handler_file_is_null;

static void on_error(MPI_File *fh, int *code, ...)
{
    handler_calls++;
    handler_class = check_class(*code);
    handler_file_is_null = *fh == MPI_FILE_NULL;
}

static int open_class(MPI_Comm comm, const char *path, int amode, MPI_File *fh)
{
    *fh = MPI_FILE_NULL;
    return check_class(MPI_File_open(comm, path, amode, MPI_INFO_NULL, fh));
}

static void test_exclusive(const char *path)
{
    int amode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR;
    MPI_File fh;
    MPI_File second;
    int got = 0;

    CHECK_EQ(open_class(MPI_COMM_WORLD, path, amode, &fh), MPI_SUCCESS);
    CHECK_OK(MPI_File_get_amode(fh, &got));
    CHECK_EQ(got, amode);
    CHECK_EQ(open_class(MPI_COMM_WORLD, path, amode, &second),
             MPI_ERR_FILE_EXISTS);
    CHECK_EQ(second == MPI_FILE_NULL, 1);
    CHECK_OK(MPI_File_close(&fh));
    CHECK_EQ(fh == MPI_FILE_NULL, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        CHECK_OK(MPI_File_delete(path, MPI_INFO_NULL));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The program's own handler is called, once. */
static void test_own_handler(const char *path)
{
    MPI_Errhandler handler;
    MPI_File fh;

    MPI_File_create_errhandler(on_error, &handler);
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    MPI_Errhandler_free(&handler);
    CHECK_EQ(open_class(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, &fh),
             MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(handler_calls, 1);
    CHECK_EQ(handler_class, MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(handler_file_is_null, 1);
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_EQ(open_class(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, &fh),
             MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(handler_calls, 1);
}

/* The handler of an open file, called by the program itself. */
static void test_called_handler(const char *path)
{
    MPI_Errhandler handler;
    MPI_File fh;

    CHECK_EQ(
        open_class(MPI_COMM_WORLD, path,
                   MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   &fh),
        MPI_SUCCESS);
    MPI_File_create_errhandler(on_error, &handler);
    CHECK_OK(MPI_File_set_errhandler(fh, handler));
    MPI_Errhandler_free(&handler);
    handler_calls = 0;
    CHECK_OK(MPI_File_call_errhandler(fh, MPI_ERR_QUOTA));
    CHECK_EQ(handler_calls, 1);
    CHECK_EQ(handler_class, MPI_ERR_QUOTA);
    CHECK_EQ(handler_file_is_null, 0);
    CHECK_OK(MPI_File_close(&fh));
}

/* What the MPI library's own handle knows. */
static void test_group_and_extent(const char *path)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Datatype type;
    MPI_Aint extent = 0;
    MPI_File fh;
    int same = MPI_UNEQUAL;

    CHECK_EQ(
        open_class(MPI_COMM_WORLD, path,
                   MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   &fh),
        MPI_SUCCESS);
    CHECK_OK(MPI_File_get_group(fh, &group));
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(group, world, &same);
    CHECK_EQ(same, MPI_IDENT);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Type_vector(3, 1, 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_INT, type, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(fh, type, &extent));
    CHECK_EQ(extent, 9 * sizeof(int));
    MPI_Type_free(&type);
    CHECK_OK(MPI_File_close(&fh));
}

/* The communicators of such mistakes keep their fatal handlers. */
static void test_wrong_communicator(const char *path)
{
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm between = MPI_COMM_NULL;
    MPI_File fh;

    CHECK_EQ(open_class(MPI_COMM_NULL, path, MPI_MODE_RDONLY, &fh),
             MPI_ERR_COMM);
    CHECK_EQ(fh == MPI_FILE_NULL, 1);
    if (check_size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, check_rank == 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, check_rank == 0, 1, &between);
    CHECK_EQ(open_class(between, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, &fh),
             MPI_ERR_COMM);
    CHECK_EQ(fh == MPI_FILE_NULL, 1);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static void end_in_open(const char *path)
{
    MPI_File fh;

    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    (void)open_class(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, &fh);
    fprintf(stderr, "the program went on\n");
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "open");
    if (argc > 2) {
        end_in_open(path);
        return check_end();
    }
    test_exclusive(path);
    test_own_handler(path);
    test_called_handler(path);
    test_group_and_extent(path);
    test_wrong_communicator(path);
    return check_end();
}
