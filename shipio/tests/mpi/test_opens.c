/* test_opens.c - many opens: ranks that delete before they create, files that
 * outlive their communicator, attributes of the program's own. With a second
 * argument: "many" files open at once, or one "left" open at the end.
 */
#include "check.h"

#define NOW MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE
#define MANY 1500

static void write_and_close(MPI_File *fh)
{
    char data[64];
    char back[64] = "";
    MPI_Offset at = (MPI_Offset)sizeof(data) * check_rank;

    memset(data, 'a' + check_rank, sizeof(data));
    CHECK_OK(MPI_File_write_at_all(*fh, at, data, sizeof(data), MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at_all(*fh, at, back, sizeof(back), MPI_BYTE,
                                  MPI_STATUS_IGNORE));
    CHECK_EQ(memcmp(data, back, sizeof(data)), 0);
    CHECK_OK(MPI_File_close(fh));
}

/* Whoever comes last deletes what the first could have created. */
static void test_delete_then_create(const char *path)
{
    for (int i = 0; i < 20; i++) {
        MPI_File fh = MPI_FILE_NULL;

        if (check_rank == i % check_size)
            usleep(5000);
        (void)MPI_File_delete(path, MPI_INFO_NULL);
        CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                               MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                               &fh));
        if (fh != MPI_FILE_NULL)
            write_and_close(&fh);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        CHECK_OK(MPI_File_delete(path, MPI_INFO_NULL));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The communicator goes while a file is open, and while none is. */
static void test_freed_communicator(const char *path)
{
    for (int i = 0; i < 20; i++) {
        MPI_Comm comm;
        MPI_File first = MPI_FILE_NULL;
        MPI_File second = MPI_FILE_NULL;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        CHECK_OK(MPI_File_open(comm, path, NOW, MPI_INFO_NULL, &first));
        write_and_close(&first);
        CHECK_OK(MPI_File_open(comm, path, NOW, MPI_INFO_NULL, &second));
        if (i % 2 == 0)
            MPI_Comm_free(&comm);
        write_and_close(&second);
        if (i % 2 != 0)
            MPI_Comm_free(&comm);
    }
}

/* Two open files of one communicator do not share what belongs to a file. */
static void test_two_at_once(const char *path)
{
    char name[600];
    MPI_File first = MPI_FILE_NULL;
    MPI_File second = MPI_FILE_NULL;
    MPI_Offset pos = -1;
    char byte = 'x';

    snprintf(name, sizeof(name), "%s-second", path);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, NOW, MPI_INFO_NULL, &first));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, NOW, MPI_INFO_NULL, &second));
    CHECK_OK(
        MPI_File_write_ordered(first, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_get_position_shared(second, &pos));
    CHECK_EQ(pos, 0);
    CHECK_OK(MPI_File_seek_shared(second, 10, MPI_SEEK_SET));
    CHECK_OK(MPI_File_get_position_shared(first, &pos));
    CHECK_EQ(pos, check_size);
    CHECK_OK(MPI_File_close(&first));
    /* The first one's place may be used again. */
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, NOW, MPI_INFO_NULL, &first));
    CHECK_OK(MPI_File_get_position_shared(first, &pos));
    CHECK_EQ(pos, 0);
    CHECK_OK(MPI_File_get_position_shared(second, &pos));
    CHECK_EQ(pos, 10);
    write_and_close(&second);
    write_and_close(&first);
}

static int copies;

static int on_copy(MPI_Comm comm, int key, void *extra, void *in, void *out,
                   int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    *(void **)out = in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

/* What the MPI library does to attributes is its own; one open may copy them
 * as often as it does, not more. */
static void test_program_attributes(const char *path)
{
    MPI_Comm comm;
    MPI_File fh = MPI_FILE_NULL;
    int key = MPI_KEYVAL_INVALID;
    int first;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &key);
    copies = 0;
    CHECK_OK(MPI_File_open(comm, path, NOW, MPI_INFO_NULL, &fh));
    first = copies;
    write_and_close(&fh);
    copies = 0;
    CHECK_OK(MPI_File_open(comm, path, NOW, MPI_INFO_NULL, &fh));
    CHECK_EQ(copies, first);
    write_and_close(&fh);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
}

static void open_many(const char *path)
{
    MPI_File *files = malloc(MANY * sizeof(MPI_File));

    for (int i = 0; files != NULL && i < MANY; i++) {
        char name[600];

        snprintf(name, sizeof(name), "%s-%d", path, i);
        CHECK_OK(
            MPI_File_open(MPI_COMM_WORLD, name, NOW, MPI_INFO_NULL, &files[i]));
    }
    for (int i = 0; files != NULL && i < MANY; i++)
        write_and_close(&files[i]);
    free(files);
}

static void leave_open(const char *path)
{
    MPI_File fh = check_open_new(path);
    char byte = 'x';

    CHECK_OK(MPI_File_write_at(fh, (MPI_Offset)check_rank * 100000, &byte, 1,
                               MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    unlink(path);
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "opens");
    if (argc > 2 && strcmp(argv[2], "many") == 0) {
        open_many(path);
    } else if (argc > 2) {
        leave_open(path);
    } else {
        test_delete_then_create(path);
        test_freed_communicator(path);
        test_two_at_once(path);
        test_program_attributes(path);
    }
    return check_end();
}
