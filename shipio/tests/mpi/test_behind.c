/* test_behind.c - independent writes that wait for each other.
 *
 *   test_behind FOLDER [killed]
 *
 * killed: rank 1 dies with its writes still waiting; the others look whether
 * they reach the file, and say so by a second file.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "check.h"

#define PIECE 1000
#define PIECES 300     /* of each rank */
#define STRIPE "65536" /* so that pieces reach over its ends */

static MPI_File open_behind(const char *path, int amode)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_write_behind", "true");
    MPI_Info_set(info, "IBM_io_buffer_size", STRIPE);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, amode, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

static MPI_File open_new(const char *path)
{
    return open_behind(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
}

static long long offset_of(int rank, int piece)
{
    return ((long long)piece * check_size + rank) * PIECE;
}

static void write_bytes(MPI_File fh, long long offset, int len, int salt)
{
    unsigned char *data = malloc((size_t)len);
    MPI_Status status;

    for (int i = 0; i < len; i++)
        data[i] = check_byte(offset + i, salt);
    CHECK_OK(MPI_File_write_at(fh, offset, data, len, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), len);
    free(data);
}

static void write_pieces(MPI_File fh, int salt)
{
    for (int i = 0; i < PIECES; i++)
        write_bytes(fh, offset_of(check_rank, i), PIECE, salt);
}

/* How many of these bytes the file has, as another program sees it. */
static int bytes_there(const char *path, long long offset, int len, int salt)
{
    unsigned char *data = calloc(1, (size_t)len);
    int fd = open(path, O_RDONLY);
    ssize_t n = pread(fd, data, (size_t)len, offset);
    int good = 0;

    for (int i = 0; i < n; i++)
        good += data[i] == check_byte(offset + i, salt);
    close(fd);
    free(data);
    return good;
}

static void check_bytes(const char *path, long long offset, int len, int salt)
{
    CHECK_EQ(bytes_there(path, offset, len, salt), len);
}

/* Waits for what must come by itself. */
static int come(const char *path, long long offset, int len, int salt)
{
    const struct timespec nap = {.tv_nsec = 20000000};

    for (int i = 0; i < 1500; i++) {
        if (bytes_there(path, offset, len, salt) == len)
            return 1;
        nanosleep(&nap, NULL);
    }
    return 0;
}

/* Pieces of all ranks become stripes, whose number tells. */
static void test_pieces_are_combined(const char *path)
{
    long long total = (long long)PIECES * PIECE * check_size;
    MPI_File fh = open_new(path);

    write_pieces(fh, 1);
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    check_bytes(path, 0, (int)total, 1);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(check_stat("accesses_delayed"), PIECES * check_size);
    /* A rank that is far ahead, or slow, costs some. */
    CHECK_EQ(check_stat("file_requests") < PIECES * check_size / 2, 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void test_close_writes(const char *path)
{
    MPI_File fh = open_new(path);

    write_pieces(fh, 2);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    check_bytes(path, 0, PIECES * PIECE * check_size, 2);
}

/* A rank reads what it wrote, alone and together with the others. */
static void test_reads_see_own_writes(const char *path)
{
    MPI_File fh = open_new(path);
    unsigned char data[PIECE] = {0};
    long long offset = offset_of(check_rank, 7);

    write_pieces(fh, 3);
    CHECK_OK(
        MPI_File_read_at(fh, offset, data, PIECE, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < PIECE; i++)
        CHECK_EQ(data[i], check_byte(offset + i, 3));
    write_bytes(fh, offset, PIECE, 4);
    CHECK_OK(MPI_File_read_at_all(fh, offset, data, PIECE, MPI_BYTE,
                                  MPI_STATUS_IGNORE));
    for (int i = 0; i < PIECE; i++)
        CHECK_EQ(data[i], check_byte(offset + i, 4));
    CHECK_OK(MPI_File_close(&fh));
}

/* Large writes do not wait, and come neither before nor after their turn. */
static void test_order_of_writes_is_kept(const char *path)
{
    enum { LARGE = 300000 };
    MPI_File fh = open_new(path);
    long long offset = (long long)check_rank * LARGE;

    write_bytes(fh, offset + 1000, 500, 5);
    write_bytes(fh, offset, LARGE, 6);
    write_bytes(fh, offset + 2000, 500, 7);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    check_bytes(path, offset, 2000, 6);
    check_bytes(path, offset + 2000, 500, 7);
    check_bytes(path, offset + 2500, LARGE - 2500, 6);
}

/* Sizes count what waits; what was cut off does not come again. */
static void test_sizes_are_right(const char *path)
{
    MPI_File fh = open_new(path);
    MPI_Offset size = 0;
    struct stat st;

    write_bytes(fh, 5000 + check_rank, 1, 8);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size >= 5000 + check_rank + 1, 1);
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(fh, &size));
    CHECK_EQ(size >= 5000 + check_rank + 1, 1);
    write_bytes(fh, 6000 + check_rank, 1, 8);
    CHECK_OK(MPI_File_set_size(fh, 100));
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(stat(path, &st), 0);
    CHECK_EQ(st.st_size, 100);
}

/* Nobody calls anything: age alone brings it to the file. */
static void test_old_stripes_are_written(const char *path)
{
    MPI_File fh = open_new(path);

    write_bytes(fh, offset_of(check_rank, 0), PIECE, 9);
    CHECK_EQ(come(path, offset_of(check_rank, 0), PIECE, 9), 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_close(&fh));
}

static void test_atomic_mode_does_not_wait(const char *path)
{
    MPI_File fh = open_new(path);

    write_bytes(fh, offset_of(check_rank, 0), PIECE, 10);
    CHECK_OK(MPI_File_set_atomicity(fh, 1));
    check_bytes(path, offset_of(check_rank, 0), PIECE, 10);
    write_bytes(fh, offset_of(check_rank, 1), PIECE, 10);
    check_bytes(path, offset_of(check_rank, 1), PIECE, 10);
    CHECK_OK(MPI_File_close(&fh));
}

static void check_in_force(MPI_File fh, const char *want)
{
    char text[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int found = 0;

    CHECK_OK(MPI_File_get_info(fh, &info));
    MPI_Info_get(info, "shipio_write_behind", MPI_MAX_INFO_VAL, text, &found);
    CHECK_EQ(found, 1);
    CHECK_EQ(strcmp(text, want), 0);
    MPI_Info_free(&info);
}

static void test_info_tells_what_is_in_force(const char *path)
{
    MPI_File fh = open_new(path);

    check_in_force(fh, "true");
    CHECK_OK(MPI_File_close(&fh));
    fh = open_behind(path, MPI_MODE_RDONLY);
    check_in_force(fh, "false");
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    check_in_force(fh, "false");
    CHECK_OK(MPI_File_close(&fh));
}

static void name_of(char *name, const char *folder, const char *word, int rank)
{
    snprintf(name, 4096, "%s/%s-%d", folder, word, rank);
}

static int leave_sign(const char *folder, const char *word, int rank)
{
    char name[4096];
    int fd;

    name_of(name, folder, word, rank);
    fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && close(fd) == 0;
}

static void await_sign(const char *folder, const char *word, int rank)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    char name[4096];

    name_of(name, folder, word, rank);
    while (access(name, F_OK) != 0)
        nanosleep(&nap, NULL);
}

/* The launcher is told to let the others live; the job never ends well. From
 * the kill on nobody calls MPI. */
static int killed(const char *path, const char *folder)
{
    MPI_File fh = open_new(path);
    int good;

    if (check_rank == 1) {
        write_bytes(fh, 0, PIECE, 11);
        write_bytes(fh, 2 * 65536 - 100, PIECE, 11);
    }
    /* By these the launchers tell of a rank that is gone. */
    signal(SIGUSR1, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    leave_sign(folder, "ready", check_rank);
    for (int r = 0; r < check_size; r++)
        await_sign(folder, "ready", r);
    if (check_rank == 1)
        raise(SIGKILL);
    good = come(path, 0, PIECE, 11) && come(path, 2 * 65536 - 100, PIECE, 11);
    _exit(good && leave_sign(folder, "survived", check_rank) ? 0 : 1);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(const char *) = {
        test_pieces_are_combined,       test_close_writes,
        test_reads_see_own_writes,      test_order_of_writes_is_kept,
        test_sizes_are_right,           test_old_stripes_are_written,
        test_atomic_mode_does_not_wait, test_info_tells_what_is_in_force,
    };
    char path[4096];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "behind");
    if (argc > 2 && strcmp(argv[2], "killed") == 0)
        return killed(path, argv[1]);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (check_rank == 0)
            unlink(path);
        MPI_Barrier(MPI_COMM_WORLD);
        tests[i](path);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (check_rank == 0)
        unlink(path);
    return check_end();
}
