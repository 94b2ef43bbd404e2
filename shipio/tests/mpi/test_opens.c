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

/* Bytes of shared memory that shipio has mapped here. */
static long long mapped_bytes(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    long long sum = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        char *end = NULL;
        unsigned long long low = strtoull(line, &end, 16);
        unsigned long long high = strtoull(end + 1, NULL, 16);

        if (strstr(line, "/dev/shm/shipio-") != NULL &&
            strstr(line, "(deleted)") != NULL)
            sum += (long long)(high - low);
    }
    if (maps != NULL)
        fclose(maps);
    return sum;
}

/* One rank cannot open: what the others had for the file is used again. */
static void test_failed_opens(const char *path)
{
    MPI_File fh = check_open_new(path);
    char name[600];
    long long before = 0;

    snprintf(name, sizeof(name), "%s%s", path,
             check_rank > 0 ? "/not-there" : "");
    for (int i = 0; i < 20; i++) {
        MPI_File none = MPI_FILE_NULL;

        if (i == 1)
            before = mapped_bytes();
        CHECK_EQ(check_class(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR,
                                           MPI_INFO_NULL, &none)) !=
                     MPI_SUCCESS,
                 check_size > 1);
        if (none != MPI_FILE_NULL)
            CHECK_OK(MPI_File_close(&none));
    }
    /* A rank may be late in giving it back, but not for long. */
    CHECK_EQ(mapped_bytes() < before + 5 * 4096, 1);
    write_and_close(&fh);
}

#define AT_ONCE 3
#define LARGE (8 << 20)

static MPI_File open_shipped(const char *path, int i)
{
    char name[600];
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    snprintf(name, sizeof(name), "%s-%d", path, i);
    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", "ship");
    MPI_Info_set(info, "IBM_io_buffer_size", "4194304");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, NOW, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Files that were shipped leave little shared memory in use. */
static void test_memory_after_close(const char *path)
{
    MPI_File files[AT_ONCE];
    char *data = calloc(1, LARGE);

    for (int i = 0; i < AT_ONCE; i++) {
        files[i] = open_shipped(path, i);
        CHECK_OK(MPI_File_write_at_all(files[i], (MPI_Offset)LARGE * check_rank,
                                       data, LARGE, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
    }
    if (check_size > 1 && getenv("SHIPIO_MESSAGES") == NULL)
        CHECK_EQ(mapped_bytes() > (long long)AT_ONCE * LARGE, 1);
    for (int i = 0; i < AT_ONCE; i++)
        CHECK_OK(MPI_File_close(&files[i]));
    CHECK_EQ(mapped_bytes() < (long long)20 << 20, 1);
    free(data);
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

/* The first rank is at the end long before the last one writes, all over the
 * file. */
static void leave_open(const char *path)
{
    MPI_File fh = check_open_new(path);
    char byte = 'x';

    unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(200000 * (useconds_t)check_rank);
    for (int i = 0; i < 8; i++)
        CHECK_OK(MPI_File_write_at(fh, (MPI_Offset)i << 20, &byte, 1, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
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
        MPI_Finalize();
        return check_failures > 0;
    } else {
        test_delete_then_create(path);
        test_freed_communicator(path);
        test_two_at_once(path);
        test_failed_opens(path);
        test_memory_after_close(path);
        test_program_attributes(path);
    }
    return check_end();
}
