/* test_gaps.c - small pieces with gaps between them, which belong to somebody
 * else: a program that knows nothing of MPI writes there at the same time.
 *
 *   test_gaps FOLDER [full]
 *
 * full: the folder's file system is too small for the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "check.h"

#define PIECE 600
#define GAP 200
#define UNIT (PIECE + GAP)
#define PIECES 200 /* per rank and call */
#define CALLS 3

enum shape { INTERLEAVED, OWN_REGION };

/* Rank r's piece i is at this unit of the file. */
static long long unit_of(enum shape shape, int rank, long long i)
{
    return shape == INTERLEAVED ? i * check_size + rank
                                : (long long)rank * CALLS * PIECES + i;
}

/* The other program: writes the gaps of this rank again and again. */
struct other {
    int fd;
    enum shape shape;
    atomic_int stop;
    unsigned char value[CALLS * PIECES]; /* last one in each gap */
    int failures;
};

static void *write_gaps(void *argument)
{
    struct other *o = argument;
    unsigned char bytes[GAP];
    unsigned char turn = 1;

    while (!atomic_load(&o->stop)) {
        for (int i = 0; i < CALLS * PIECES; i++) {
            long long at = unit_of(o->shape, check_rank, i) * UNIT + PIECE;

            memset(bytes, turn, GAP);
            o->failures += pwrite(o->fd, bytes, GAP, at) != GAP;
            o->value[i] = turn;
        }
        turn = (unsigned char)(turn % 250 + 1);
    }
    return NULL;
}

static void set_strided_view(MPI_File fh, enum shape shape)
{
    int ranks = shape == INTERLEAVED ? check_size : 1;
    MPI_Datatype piece, strided;

    CHECK_OK(MPI_Type_contiguous(PIECE, MPI_BYTE, &piece));
    CHECK_OK(
        MPI_Type_create_resized(piece, 0, check_times(UNIT, ranks), &strided));
    CHECK_OK(MPI_Type_commit(&strided));
    CHECK_OK(MPI_File_set_view(fh, unit_of(shape, check_rank, 0) * UNIT,
                               MPI_BYTE, strided, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&piece));
    CHECK_OK(MPI_Type_free(&strided));
}

/* Byte k of this rank's data. */
static unsigned char data_byte(enum shape shape, long long k, int salt)
{
    return check_byte(unit_of(shape, check_rank, k / PIECE) * UNIT + k % PIECE,
                      salt);
}

static void write_all(MPI_File fh, enum shape shape, int collective, int salt)
{
    static unsigned char data[PIECES * PIECE];

    for (int call = 0; call < CALLS; call++) {
        MPI_Offset at = (MPI_Offset)call * PIECES * PIECE;
        MPI_Status status;

        for (int i = 0; i < PIECES * PIECE; i++)
            data[i] = data_byte(shape, at + i, salt);
        CHECK_OK(collective ? MPI_File_write_at_all(fh, at, data, sizeof(data),
                                                    MPI_BYTE, &status)
                            : MPI_File_write_at(fh, at, data, sizeof(data),
                                                MPI_BYTE, &status));
        CHECK_EQ(check_count(&status), sizeof(data));
    }
}

/* Looks into the file: own pieces, and the gaps behind them. */
static void verify(int fd, enum shape shape, int salt,
                   const unsigned char *values)
{
    for (int i = 0; i < CALLS * PIECES; i++) {
        unsigned char unit[UNIT] = {0};
        long long at = unit_of(shape, check_rank, i) * UNIT;
        int wrong = 0;

        /* Nobody may have written the last gap: the file ends before it. */
        CHECK_EQ(pread(fd, unit, UNIT, at) >= PIECE, 1);
        for (int k = 0; k < PIECE; k++)
            wrong +=
                unit[k] != data_byte(shape, (long long)i * PIECE + k, salt);
        CHECK_EQ(wrong, 0);
        for (int k = PIECE; k < UNIT; k++)
            wrong += unit[k] != (values != NULL ? values[i] : 0);
        CHECK_EQ(wrong, 0);
    }
}

static int open_plain(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    CHECK_EQ(fd >= 0, 1);
    return fd;
}

static MPI_File open_new(const char *path, int amode)
{
    MPI_File fh = MPI_FILE_NULL;

    if (check_rank == 0)
        unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, amode | MPI_MODE_CREATE,
                           MPI_INFO_NULL, &fh));
    return fh;
}

/* Somebody else writes into the gaps all the while: none of it is lost. */
static void test_gaps_are_left_alone(const char *path, enum shape shape,
                                     int collective)
{
    static struct other other;
    MPI_File fh = open_new(path, MPI_MODE_RDWR);
    pthread_t thread;

    memset(&other, 0, sizeof(other));
    other.fd = open_plain(path);
    other.shape = shape;
    set_strided_view(fh, shape);
    CHECK_EQ(pthread_create(&thread, NULL, write_gaps, &other), 0);
    for (int salt = 1; salt <= 4; salt++)
        write_all(fh, shape, collective, salt);
    atomic_store(&other.stop, 1);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(other.failures, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    verify(other.fd, shape, 4, other.value);
    close(other.fd);
    CHECK_OK(MPI_File_close(&fh));
}

/* A new file that may only be written: right, and not a byte too long. */
static void test_new_file_ends_with_the_data(const char *path, enum shape shape,
                                             int collective)
{
    MPI_File fh = open_new(path, MPI_MODE_WRONLY);
    long long end =
        unit_of(shape, check_size - 1, CALLS * PIECES - 1) * UNIT + PIECE;
    struct stat st = {.st_size = 0};
    int fd = open_plain(path);

    set_strided_view(fh, shape);
    write_all(fh, shape, collective, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    verify(fd, shape, 7, NULL);
    CHECK_EQ(fstat(fd, &st), 0);
    CHECK_EQ(st.st_size, end);
    CHECK_OK(MPI_File_close(&fh));
    close(fd);
}

/* Whoever looks at the time of the last change sees one. */
static void test_time_of_change_moves(const char *path)
{
    MPI_File fh = open_new(path, MPI_MODE_RDWR);
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct stat st = {.st_size = 0};
    int fd = open_plain(path);

    set_strided_view(fh, INTERLEAVED);
    write_all(fh, INTERLEAVED, 0, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(futimens(fd, old), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    write_all(fh, INTERLEAVED, 0, 2);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(fstat(fd, &st), 0);
    CHECK_EQ(st.st_mtime > 1000, 1);
    close(fd);
}

/* There is no room: the error is one of MPI, on all ranks, and no signal. */
static void test_full_file_system(const char *path, enum shape shape)
{
    static unsigned char data[PIECES * PIECE];
    MPI_File fh = open_new(path, MPI_MODE_RDWR);
    int code = MPI_SUCCESS;

    set_strided_view(fh, shape);
    /* Holes, which get their pages when they are stored to. */
    CHECK_OK(MPI_File_set_size(fh, (MPI_Offset)1 << 28));
    for (int call = 0; call < 100 && code == MPI_SUCCESS; call++)
        code =
            MPI_File_write_at_all(fh, (MPI_Offset)call * PIECES * PIECE, data,
                                  sizeof(data), MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK_EQ(check_class(code), MPI_ERR_NO_SPACE);
    MPI_File_close(&fh);
}

/* The same where a thread moves the data: it meets the bad page. */
static void test_full_file_system_nonblocking(const char *path,
                                              enum shape shape)
{
    static unsigned char data[PIECES * PIECE];
    MPI_File fh = open_new(path, MPI_MODE_RDWR);
    int code = MPI_SUCCESS;

    set_strided_view(fh, shape);
    /* Holes, which get their pages when they are stored to. */
    CHECK_OK(MPI_File_set_size(fh, (MPI_Offset)1 << 28));
    for (int call = 0; call < 100 && code == MPI_SUCCESS; call++) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;

        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        code = MPI_File_iwrite_at(fh, (MPI_Offset)call * PIECES * PIECE, data,
                                  sizeof(data), MPI_BYTE, &request);
        if (code == MPI_SUCCESS)
            code = MPI_Wait(&request, &status);
    }
    CHECK_EQ(check_class(code), MPI_ERR_NO_SPACE);
    MPI_File_close(&fh);
}

int main(int argc, char **argv)
{
    char path[4096];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "gaps");
    for (int shape = INTERLEAVED; shape <= OWN_REGION; shape++) {
        if (argc > 2) {
            test_full_file_system(path, (enum shape)shape);
            test_full_file_system_nonblocking(path, (enum shape)shape);
            continue;
        }
        for (int collective = 0; collective < 2; collective++) {
            test_gaps_are_left_alone(path, (enum shape)shape, collective);
            test_new_file_ends_with_the_data(path, (enum shape)shape,
                                             collective);
        }
    }
    if (argc <= 2)
        test_time_of_change_moves(path);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        unlink(path);
    return check_end();
}
