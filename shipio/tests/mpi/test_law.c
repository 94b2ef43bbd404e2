/* test_law.c - what MPI forbids is refused, what its handlers say is returned,
 * and names with the prefix of a file system are the MPI library's.
 */
#include "check.h"

static int calls;

/* Changes the code that the call returns. */
static void on_error(MPI_File *fh, int *code, ...)
{
    (void)fh;
    calls++;
    *code = MPI_ERR_QUOTA;
}

static void test_handler_changes_code(const char *path)
{
    MPI_Errhandler handler;
    MPI_File fh = check_open_new(path);
    MPI_File none = MPI_FILE_NULL;
    char byte = 0;

    MPI_File_create_errhandler(on_error, &handler);
    CHECK_OK(MPI_File_set_errhandler(fh, handler));
    CHECK_EQ(check_class(MPI_File_write_at(fh, -1, &byte, 1, MPI_BYTE,
                                           MPI_STATUS_IGNORE)),
             MPI_ERR_QUOTA);
    CHECK_EQ(check_class(MPI_File_seek(fh, -1, MPI_SEEK_SET)), MPI_ERR_QUOTA);
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    CHECK_EQ(check_class(MPI_File_open(MPI_COMM_WORLD, "/nonexistent/file",
                                       MPI_MODE_RDONLY, MPI_INFO_NULL, &none)),
             MPI_ERR_QUOTA);
    CHECK_EQ(calls, 3);
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    MPI_Errhandler_free(&handler);
    CHECK_OK(MPI_File_close(&fh));
}

/* The class of setting a view in a file opened by amode. */
static int view_class(const char *path, int amode, MPI_Datatype etype,
                      MPI_Datatype filetype)
{
    MPI_File fh = MPI_FILE_NULL;
    int class;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &fh));
    class = check_class(
        MPI_File_set_view(fh, 0, etype, filetype, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_close(&fh));
    return class;
}

static MPI_Datatype two_ints(int first, int second)
{
    int lens[2] = {1, 1};
    int places[2];
    MPI_Datatype type;

    places[0] = first;
    places[1] = second;
    MPI_Type_indexed(2, lens, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void test_forbidden_places(const char *path)
{
    static const struct {
        int first;
        int second;
        int when_writing;
        int when_reading;
    } cases[] = {{0, 2, MPI_SUCCESS, MPI_SUCCESS},
                 {-2, 2, MPI_ERR_TYPE, MPI_ERR_TYPE},
                 {4, 0, MPI_ERR_TYPE, MPI_ERR_TYPE},
                 {1, 1, MPI_ERR_TYPE, MPI_SUCCESS}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MPI_Datatype type = two_ints(cases[i].first, cases[i].second);

        CHECK_EQ(view_class(path, MPI_MODE_RDWR, MPI_INT, type),
                 cases[i].when_writing);
        CHECK_EQ(view_class(path, MPI_MODE_RDONLY, MPI_INT, type),
                 cases[i].when_reading);
        MPI_Type_free(&type);
    }
}

static void test_wrong_types(const char *path)
{
    MPI_Datatype type;
    MPI_Datatype of_it;
    MPI_File fh = MPI_FILE_NULL;
    char data[12] = "";

    MPI_Type_contiguous(3, MPI_BYTE, &type);
    CHECK_EQ(view_class(path, MPI_MODE_RDWR, MPI_BYTE, type), MPI_ERR_TYPE);
    MPI_Type_contiguous(2, type, &of_it);
    MPI_Type_commit(&of_it);
    CHECK_EQ(view_class(path, MPI_MODE_RDWR, type, of_it), MPI_ERR_TYPE);
    CHECK_OK(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    CHECK_EQ(
        check_class(MPI_File_write_at(fh, 0, data, 1, type, MPI_STATUS_IGNORE)),
        MPI_ERR_TYPE);
    MPI_Type_commit(&type);
    CHECK_OK(MPI_File_write_at(fh, 0, data, 1, type, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    CHECK_EQ(view_class(path, MPI_MODE_RDWR, type, of_it), MPI_SUCCESS);
    /* Three bytes are no whole number of integers. */
    CHECK_EQ(view_class(path, MPI_MODE_RDWR, MPI_INT, type), MPI_ERR_ARG);
    MPI_Type_free(&type);
    MPI_Type_free(&of_it);
}

/* One rank's mistake is an error for all. */
static void test_forbidden_on_one_rank(const char *path)
{
    MPI_Datatype type = check_rank == 0 ? two_ints(4, 0) : two_ints(0, 4);

    CHECK_EQ(view_class(path, MPI_MODE_RDWR, MPI_INT, type), MPI_ERR_TYPE);
    MPI_Type_free(&type);
}

static void test_prefix(void)
{
    const char *log = getenv("SHIPIO_STATS_JSON");
    MPI_File fh = MPI_FILE_NULL;
    char text[2000] = "";
    FILE *stream;

    if (log == NULL)
        return;
    if (check_rank == 0)
        unlink(log);
    MPI_Barrier(MPI_COMM_WORLD);
    (void)MPI_File_open(MPI_COMM_WORLD, "my_own_fs:/nonexistent/file",
                        MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
    MPI_Barrier(MPI_COMM_WORLD);
    stream = check_rank == 0 ? fopen(log, "r") : NULL;
    if (check_rank == 0) {
        CHECK_EQ(stream != NULL &&
                     fread(text, 1, sizeof(text) - 1, stream) > 0 &&
                     strstr(text, "passed through") != NULL,
                 1);
        unlink(log);
    }
    if (stream != NULL)
        fclose(stream);
}

/* One of the two names is there where it should be, and is removed. */
static void check_made(const char *name, const char *file, int wanted)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        CHECK_EQ(access(file, F_OK) == 0 || access(name, F_OK) == 0, wanted);
        unlink(file);
        unlink(name);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A name with a colon opens, or does not, as with the MPI library alone, which
 * must find nothing there that it did not create. */
static void test_name(const char *name, const char *file)
{
    MPI_File fh = MPI_FILE_NULL;
    int native;

    native =
        PMPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &fh) == MPI_SUCCESS;
    if (native)
        PMPI_File_close(&fh);
    check_made(name, file, native);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, name,
                           MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                           &fh) == MPI_SUCCESS,
             native);
    if (fh != MPI_FILE_NULL)
        CHECK_OK(MPI_File_close(&fh));
    check_made(name, file, native);
}

static void test_names_with_colons(const char *path)
{
    static const char *const prefixes[] = {"ufs", "nfs", "xfs", "lustre"};
    char file[600];
    char name[sizeof(file) + sizeof("lustre:")];

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        snprintf(file, sizeof(file), "%s-%zu", path, i);
        snprintf(name, sizeof(name), "%s:%s", prefixes[i], file);
        test_name(name, file);
        snprintf(file, sizeof(file), "%s-%zu", strrchr(path, '/') + 1, i);
        snprintf(name, sizeof(name), "%s:%s", prefixes[i], file);
        test_name(name, file);
    }
    snprintf(name, sizeof(name), "%s:colon", path);
    test_name(name, name);
}

int main(int argc, char **argv)
{
    char path[512];
    MPI_File fh = MPI_FILE_NULL;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "law");
    test_handler_changes_code(path);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                           &fh));
    test_forbidden_places(path);
    test_wrong_types(path);
    test_forbidden_on_one_rank(path);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0)
        unlink(path);
    test_names_with_colons(path);
    test_prefix();
    return check_end();
}
