/* test_native.c - what the MPI library itself is asked to open. On Open MPI
 * that is dear, so it is put off until a file passes over; nothing that a
 * program sees may differ. WITH_THREADS=1: nor is it put off then. Linked with
 * --wrap=PMPI_File_open.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "check.h"

#ifdef OPEN_MPI
#define PUT_OFF 1
#else
#define PUT_OFF 0
#endif

static int opened; /* by the MPI library, in this process */
static int hushed; /* of these, while MPI_FILE_NULL had another handler than */
static MPI_Errhandler of_null = MPI_ERRHANDLER_NULL;

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_PMPI_File_open(MPI_Comm comm, const char *name, int amode,
                          MPI_Info info, MPI_File *fh);
int __wrap_PMPI_File_open(MPI_Comm comm, const char *name, int amode,
                          MPI_Info info, MPI_File *fh);

int __wrap_PMPI_File_open(MPI_Comm comm, const char *name, int amode,
                          MPI_Info info, MPI_File *fh)
{
    MPI_Errhandler handler = MPI_ERRORS_RETURN;

    opened++;
    if (PUT_OFF && of_null != MPI_ERRHANDLER_NULL) {
        MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
        hushed += handler != of_null;
        if (handler == of_null)
            MPI_Errhandler_free(&handler);
    }
    return __real_PMPI_File_open(comm, name, amode, info, fh);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int handler_calls;
static MPI_File handled; /* the file of the latest of these */

static void on_error(MPI_File *fh, int *code, ...)
{
    (void)code;
    handled = *fh;
    handler_calls++;
}

static MPI_Errhandler make_handler(void)
{
    MPI_Errhandler handler;

    MPI_File_create_errhandler(on_error, &handler);
    return handler;
}

static int count_calls(MPI_File fh)
{
    char byte = 0;

    handler_calls = 0;
    (void)MPI_File_write_at(fh, 0, &byte, -1, MPI_BYTE, MPI_STATUS_IGNORE);
    return handler_calls;
}

static void write_and_read(MPI_File fh)
{
    unsigned char out[100];
    unsigned char in[100] = "";

    memset(out, 'a' + check_rank, sizeof(out));
    CHECK_OK(MPI_File_write_at_all(fh, check_times(100, check_rank), out, 100,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at_all(fh, check_times(100, check_rank), in, 100,
                                  MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(memcmp(in, out, sizeof(in)), 0);
}

static void test_plain_files_are_not_opened_twice(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_File other;
    char name[600];

    snprintf(name, sizeof(name), "%s-other", path);
    other = check_open_new(name);
    CHECK_EQ(fh != other, 1);
    write_and_read(fh);
    write_and_read(other);
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(MPI_File_close(&other));
    CHECK_EQ(fh == MPI_FILE_NULL, 1);
    opened = 0;
    for (int i = 0; i < 10; i++) {
        fh = check_open_new(path);
        CHECK_EQ(MPI_File_f2c(MPI_File_c2f(fh)) == fh, 1);
        write_and_read(fh);
        CHECK_OK(MPI_File_close(&fh));
        CHECK_EQ(access(path, F_OK), -1);
    }
    CHECK_EQ(opened, PUT_OFF ? 0 : 10);
}

/* The next file is opened without a handler. */
static void check_next_has_none(const char *path)
{
    MPI_File fh = check_open_new(path);

    CHECK_EQ(count_calls(fh), 0);
    CHECK_OK(MPI_File_close(&fh));
}

/* The handle of a file that was closed knows nothing of that one. */
static void test_handlers(const char *path)
{
    MPI_Errhandler handler = make_handler();
    MPI_File fh = check_open_new(path);

    CHECK_EQ(count_calls(fh), 0);
    CHECK_OK(MPI_File_set_errhandler(fh, handler));
    CHECK_EQ(count_calls(fh), 1);
    CHECK_OK(MPI_File_close(&fh));
    check_next_has_none(path);
    MPI_Errhandler_free(&handler);
}

/* It has the handler that MPI_FILE_NULL had when it was opened. MPICH loses
 * count of those that use such a handler. */
static void test_handler_of_null(const char *path)
{
    MPI_Errhandler handler = make_handler();
    MPI_File fh;

    if (!PUT_OFF)
        return;
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    fh = check_open_new(path);
    CHECK_EQ(count_calls(fh), 1);
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_EQ(count_calls(fh), 1);
    CHECK_OK(MPI_File_close(&fh));
    check_next_has_none(path);
    MPI_Errhandler_free(&handler);
}

/* The group is the communicator's, in its order. */
static void test_group(const char *path)
{
    MPI_Comm turned;
    MPI_File fh = MPI_FILE_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group wanted = MPI_GROUP_NULL;
    int same = MPI_UNEQUAL;

    MPI_Comm_split(MPI_COMM_WORLD, 0, check_size - check_rank, &turned);
    CHECK_OK(MPI_File_open(turned, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR |
                               MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_get_group(fh, &group));
    MPI_Comm_group(turned, &wanted);
    MPI_Group_compare(group, wanted, &same);
    CHECK_EQ(same, MPI_IDENT);
    MPI_Group_free(&group);
    MPI_Group_free(&wanted);
    MPI_Comm_free(&turned);
    CHECK_OK(MPI_File_close(&fh));
}

/* What the program asked for is what it is told, of this file. */
static void test_info(const char *path)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_File fh = MPI_FILE_NULL;
    char value[100] = "";
    int flag = 0;

    for (int given = 1; given >= 0; given--) {
        MPI_Info_create(&info);
        if (given)
            MPI_Info_set(info, "striping_unit", "65536");
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                               MPI_MODE_CREATE | MPI_MODE_RDWR |
                                   MPI_MODE_DELETE_ON_CLOSE,
                               info, &fh));
        MPI_Info_free(&info);
        CHECK_OK(MPI_File_get_info(fh, &info));
        MPI_Info_get(info, "striping_unit", sizeof(value) - 1, value, &flag);
        if (PUT_OFF)
            CHECK_EQ(flag, given);
        MPI_Info_get(info, "shipio_mode", sizeof(value) - 1, value, &flag);
        CHECK_EQ(flag, 1);
        MPI_Info_free(&info);
        CHECK_OK(MPI_File_close(&fh));
    }
}

static int has_external; /* this MPI library has the representation */

static int set_external(MPI_File fh)
{
    return MPI_File_set_view(fh, 4, MPI_INT, MPI_INT, "external32",
                             MPI_INFO_NULL) == MPI_SUCCESS;
}

/* By a name that leads elsewhere by then; with the program's handlers. */
static void test_passes_on(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    MPI_Errhandler handler = make_handler();
    char here[512] = "";
    char folder[512];
    unsigned char bytes[4] = "";
    int value = 0x01020304;
    int back = 0;
    MPI_File fh;
    MPI_Aint extent = 0;

    snprintf(folder, sizeof(folder), "%.*s", (int)(name - 1 - path), path);
    if (getcwd(here, sizeof(here)) == NULL || chdir(folder) != 0)
        return;
    fh = check_open_new(name);
    CHECK_EQ(chdir("/"), 0);
    CHECK_OK(MPI_File_set_errhandler(fh, handler));
    write_and_read(fh);
    opened = 0;
    has_external = set_external(fh);
    if (has_external) {
        CHECK_EQ(opened, PUT_OFF);
        CHECK_EQ(count_calls(fh), 1);
        CHECK_OK(MPI_File_write_at_all(fh, check_rank, &value, 1, MPI_INT,
                                       MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_sync(fh));
        CHECK_OK(MPI_File_read_at_all(fh, check_rank, &back, 1, MPI_INT,
                                      MPI_STATUS_IGNORE));
        CHECK_EQ(back, value);
        CHECK_OK(MPI_File_get_type_extent(fh, MPI_INT, &extent));
        CHECK_EQ(extent, 4);
        CHECK_OK(MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN));
        CHECK_EQ(count_calls(fh), 0);
        if (check_rank == 0) {
            int fd = open(path, O_RDONLY);

            CHECK_EQ(pread(fd, bytes, 4, 4), 4);
            CHECK_EQ(bytes[0], 1);
            CHECK_EQ(bytes[3], 4);
            close(fd);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        /* It is opened once. */
        CHECK_EQ(set_external(fh), 1);
        CHECK_EQ(opened, PUT_OFF);
    }
    CHECK_OK(MPI_File_close(&fh));
    /* ROMIO looks for it where the program is now. */
    if (PUT_OFF)
        CHECK_EQ(access(path, F_OK), -1);
    unlink(path);
    CHECK_EQ(chdir(here), 0);
    MPI_Errhandler_free(&handler);
}

/* The name leads to another file, which must not be written to, or nowhere: the
 * file is the program's all the same. */
static void test_name_is_gone(const char *path, int replaced)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Offset size = -1;
    int value = 0x01020304;
    int back = 0;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                           &fh));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        CHECK_OK(MPI_File_delete(path, MPI_INFO_NULL));
    if (check_rank == 0 && replaced)
        close(open(path, O_CREAT | O_WRONLY, 0600));
    MPI_Barrier(MPI_COMM_WORLD);
    write_and_read(fh);
    for (int i = 0; i < 3 * check_rank; i++) /* other descriptors are free */
        CHECK_EQ(dup(0) >= 0, 1);
    if (set_external(fh)) {
        CHECK_OK(
            MPI_File_write_ordered(fh, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_sync(fh));
        CHECK_OK(MPI_File_read_at_all(fh, check_rank, &back, 1, MPI_INT,
                                      MPI_STATUS_IGNORE));
        CHECK_EQ(back, value);
        CHECK_OK(MPI_File_get_size(fh, &size));
        CHECK_EQ(size, check_size * 100);
    }
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0 && replaced) {
        int fd = open(path, O_RDONLY);

        CHECK_EQ(lseek(fd, 0, SEEK_END), 0);
        close(fd);
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A handle of a file that was closed is refused, as the library refuses its
 * own; not that of the files to come. */
static void test_closed_handle(const char *path)
{
    MPI_Errhandler handler = make_handler();
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    MPI_File fh = check_open_new(path);
    MPI_File closed = fh;
    MPI_Offset size = 0;
    int amode = 0;
    char byte = 'x';

    CHECK_OK(MPI_File_close(&fh));
    if (!PUT_OFF) /* others may not look at it */
        return;
    CHECK_EQ(check_class(MPI_File_write_at(closed, 0, &byte, 1, MPI_BYTE,
                                           MPI_STATUS_IGNORE)),
             MPI_ERR_FILE);
    CHECK_EQ(check_class(MPI_File_read_at(closed, 0, &byte, 1, MPI_BYTE,
                                          MPI_STATUS_IGNORE)),
             MPI_ERR_FILE);
    CHECK_EQ(check_class(MPI_File_get_size(closed, &size)), MPI_ERR_FILE);
    CHECK_EQ(check_class(MPI_File_get_amode(closed, &amode)), MPI_ERR_FILE);
    CHECK_EQ(check_class(MPI_File_sync(closed)), MPI_ERR_FILE);
    CHECK_EQ(check_class(MPI_File_set_errhandler(closed, handler)),
             MPI_ERR_FILE);
    CHECK_EQ(check_class(MPI_File_call_errhandler(closed, MPI_ERR_IO)),
             MPI_ERR_FILE);
    CHECK_EQ(check_class(MPI_File_get_errhandler(closed, &found)),
             MPI_ERR_FILE);
    CHECK_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
    CHECK_EQ(found == MPI_ERRORS_RETURN, 1);
    CHECK_EQ(MPI_File_c2f(closed), MPI_File_c2f(MPI_FILE_NULL));
    MPI_Errhandler_free(&handler);
}

static void test_closed_twice(const char *path)
{
    MPI_File fh = check_open_new(path);
    MPI_File closed = fh;
    MPI_File other;

    CHECK_OK(MPI_File_close(&fh));
    if (PUT_OFF)
        CHECK_EQ(check_class(MPI_File_close(&closed)), MPI_ERR_FILE);
    fh = check_open_new(path);
    other = check_open_new(path);
    CHECK_EQ(fh != other, 1);
    write_and_read(fh);
    write_and_read(other);
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(MPI_File_close(&other));
}

/* The last rank has but so many descriptors left when the file passes over: all
 * hear of it, or it does. Others would wait for that rank. */
static void test_few_descriptors(const char *path, int left)
{
    struct rlimit limit;
    struct rlimit few;
    MPI_File fh = check_open_new(path);
    int fds[64];
    int n = 0;
    int codes[2];

    getrlimit(RLIMIT_NOFILE, &limit);
    few = limit;
    few.rlim_cur = 64;
    if (check_rank == check_size - 1) {
        CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
        while (n < 64 && (fds[n] = dup(0)) >= 0)
            n++;
        CHECK_EQ(n > left, 1);
        for (int i = 0; i < left; i++)
            close(fds[--n]);
    }
    codes[0] =
        MPI_File_set_view(fh, 4, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    while (n > 0)
        close(fds[--n]);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    codes[1] = -codes[0];
    MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_EQ(codes[0], -codes[1]);
    if (PUT_OFF && left == 0)
        CHECK_EQ(codes[0] != MPI_SUCCESS, 1);
    /* It is as it was, and may pass over yet. */
    if (codes[0] != MPI_SUCCESS) {
        write_and_read(fh);
        CHECK_EQ(set_external(fh), has_external);
    }
    CHECK_OK(MPI_File_close(&fh));
}

static int copies;
static int deletions;

static int on_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out,
                   int *flag)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    *(void **)out = in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

#define MANY 40

static void open_many(const char *path)
{
    MPI_File many[MANY];

    for (int i = 0; i < MANY; i++)
        many[i] = check_open_new(path);
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_File_close(&many[i]));
}

/* Deleted with MPI_COMM_SELF is how a program hears of the end of MPI. */
static void test_attributes_of_self(const char *path)
{
    int keyval = MPI_KEYVAL_INVALID;

    MPI_Comm_create_keyval(on_copy, on_delete, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &copies);
    open_many(path);
    CHECK_EQ(copies, 0);
    CHECK_EQ(deletions, 0);
    MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
    MPI_Comm_free_keyval(&keyval);
}

/* Other threads may open files while the library opens this one. */
static void test_handler_of_null_stays(const char *path)
{
    MPI_Errhandler handler = make_handler();
    MPI_File many[MANY];

    if (!PUT_OFF)
        return;
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    of_null = handler;
    opened = 0;
    for (int i = 0; i < MANY; i++)
        many[i] = check_open_new(path);
    CHECK_EQ(set_external(many[0]), has_external);
    CHECK_EQ(opened >= has_external, 1);
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_File_close(&many[i]));
    CHECK_EQ(hushed, 0);
    of_null = MPI_ERRHANDLER_NULL;
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    MPI_Errhandler_free(&handler);
}

/* A view that is refused is an error of the program's file, also when the
 * library was asked before. */
static void test_refused_view(const char *path)
{
    MPI_Errhandler handler = make_handler();
    MPI_File fh = check_open_new(path);

    CHECK_OK(MPI_File_set_errhandler(fh, handler));
    for (int i = 0; i < 2; i++) {
        handler_calls = 0;
        handled = MPI_FILE_NULL;
        CHECK_EQ(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "bogus",
                                   MPI_INFO_NULL) != MPI_SUCCESS,
                 1);
        CHECK_EQ(handler_calls, 1);
        CHECK_EQ(handled == fh, 1);
        CHECK_EQ(count_calls(fh), 1);
        CHECK_EQ(handled == fh, 1);
    }
    write_and_read(fh);
    if (has_external) {
        CHECK_EQ(set_external(fh), 1);
        CHECK_EQ(count_calls(fh), 1);
    }
    CHECK_OK(MPI_File_close(&fh));
    MPI_Errhandler_free(&handler);
}

static int count_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    if (dir == NULL)
        return 0;
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n;
}

/* Few are kept for files to come. */
static void test_closed_files_take_little(const char *path)
{
    int before = count_descriptors();

    open_many(path);
    CHECK_EQ(count_descriptors() - before <= 10, 1);
}

/* Where threads may open, and let files pass over, at the same time. */
static int with_threads(int argc, char **argv)
{
    char path[512];
    MPI_File fh;
    int level = MPI_THREAD_SINGLE;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    check_path(path, sizeof(path), argc, argv, "native");
    for (int i = 0; i < 2; i++) { /* the first may be that of a token */
        opened = 0;
        fh = check_open_new(path);
        CHECK_OK(MPI_File_close(&fh));
    }
    CHECK_EQ(opened, PUT_OFF && level < MPI_THREAD_MULTIPLE ? 0 : 1);
    return check_end();
}

int main(int argc, char **argv)
{
    char path[512];

    if (getenv("WITH_THREADS") != NULL)
        return with_threads(argc, argv);
    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "native");
    test_attributes_of_self(path); /* of the first file on, too */
    test_closed_files_take_little(path);
    test_plain_files_are_not_opened_twice(path);
    test_handlers(path);
    test_handler_of_null(path);
    test_group(path);
    test_info(path);
    test_passes_on(path);
    test_name_is_gone(path, 1);
    test_name_is_gone(path, 0);
    test_closed_handle(path);
    test_closed_twice(path);
    for (int left = 0; left < 6; left++)
        test_few_descriptors(path, left);
    test_handler_of_null_stays(path);
    test_refused_view(path);
    return check_end();
}
