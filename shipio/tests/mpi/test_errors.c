/* test_errors.c - an error on one rank becomes the error of all of a
 * collective call, and nobody hangs.
 *
 * The last ranks may not write beyond a limit of their own (RLIMIT_FSIZE), so
 * only their writes fail.
 */
#include <signal.h>
#include <sys/resource.h>

#include "check.h"

#define CHUNK 1024
#define COUNT 512

static MPI_File open_mode(const char *path, const char *mode, const char *agree)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", mode);
    MPI_Info_set(info, "shipio_agree", agree);
    MPI_Info_set(info, "IBM_io_buffer_size", "64k");
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* The second half: between nodes an agent is the first rank of its node. */
static void limit_last_ranks(rlim_t limit)
{
    struct rlimit now;

    getrlimit(RLIMIT_FSIZE, &now);
    now.rlim_cur = limit;
    if (check_rank >= check_size / 2)
        setrlimit(RLIMIT_FSIZE, &now);
}

/* Interleaved pieces: the agents on the last ranks fail. */
static void test_interleaved(const char *path, const char *mode,
                             const char *agree)
{
    MPI_File fh = open_mode(path, mode, agree);
    MPI_Datatype vector;
    MPI_Datatype tile;
    MPI_Status status;
    char *buf = malloc((size_t)CHUNK * COUNT);

    memset(buf, 1, (size_t)CHUNK * COUNT);
    MPI_Type_vector(1, CHUNK, CHUNK, MPI_BYTE, &vector);
    MPI_Type_create_resized(vector, 0, check_times(CHUNK, check_size), &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, check_times(CHUNK, check_rank), MPI_BYTE,
                               tile, "native", MPI_INFO_NULL));
    /* The limit concerns shared memory, too, which is there after this. */
    CHECK_OK(MPI_File_write_all(fh, buf, CHUNK * COUNT, MPI_BYTE, &status));
    limit_last_ranks(65536);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(check_class(MPI_File_write_all(fh, buf, CHUNK * COUNT,
                                                MPI_BYTE, &status)),
                 MPI_ERR_IO);
        CHECK_EQ(check_count(&status) < (long long)CHUNK * COUNT ||
                     strcmp(mode, "direct") == 0,
                 1);
    }
    limit_last_ranks(RLIM_INFINITY);
    CHECK_OK(MPI_File_write_all(fh, buf, CHUNK * COUNT, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), (long long)CHUNK * COUNT);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&vector);
    MPI_Type_free(&tile);
    free(buf);
}

/* A new file, large contiguous parts: direct, yet reported to all in the call.
 */
static void test_growing_file(const char *path)
{
    MPI_File fh = open_mode(path, "auto", "auto");
    char *buf = malloc((size_t)CHUNK * COUNT);
    MPI_Offset base = (MPI_Offset)CHUNK * COUNT * check_rank;

    memset(buf, 1, (size_t)CHUNK * COUNT);
    limit_last_ranks(4096);
    CHECK_EQ(check_class(MPI_File_write_at_all(fh, base, buf, CHUNK * COUNT,
                                               MPI_BYTE, MPI_STATUS_IGNORE)),
             MPI_ERR_IO);
    limit_last_ranks(RLIM_INFINITY);
    CHECK_OK(MPI_File_close(&fh));
    free(buf);
}

/* Small direct calls do not wait: reported to the others by the next
 * call, sync or close, once. */
static void test_deferred(const char *path)
{
    MPI_File fh = open_mode(path, "direct", "deferred");
    char buf[100] = {0};
    MPI_Offset base = (MPI_Offset)100 * check_rank;
    int class;

    limit_last_ranks(50);
    class = check_class(
        MPI_File_write_at_all(fh, base, buf, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    limit_last_ranks(RLIM_INFINITY);
    if (check_rank == check_size - 1)
        CHECK_EQ(class, MPI_ERR_IO);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank != check_size - 1 && class == MPI_SUCCESS)
        class = check_class(MPI_File_write_at_all(fh, base, buf, 100, MPI_BYTE,
                                                  MPI_STATUS_IGNORE));
    else
        CHECK_OK(MPI_File_write_at_all(fh, base, buf, 100, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
    CHECK_EQ(class, MPI_ERR_IO);
    CHECK_OK(MPI_File_sync(fh));
    CHECK_OK(MPI_File_close(&fh));
}

/* A wrong argument on one rank only, in calls that exchange data. */
static void test_wrong_argument_on_one_rank(const char *path)
{
    MPI_File fh = open_mode(path, "ship", "auto");
    char buf[100] = {0};
    int count = check_rank == check_size - 1 ? -1 : 100;

    CHECK_EQ(
        check_class(MPI_File_write_at_all(fh, check_times(100, check_rank), buf,
                                          count, MPI_BYTE, MPI_STATUS_IGNORE)),
        MPI_ERR_COUNT);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    signal(SIGXFSZ, SIG_IGN);
    check_path(path, sizeof(path), argc, argv, "errors");
    test_interleaved(path, "ship", "auto");
    test_interleaved(path, "auto", "auto");
    test_interleaved(path, "direct", "strict");
    test_growing_file(path);
    test_deferred(path);
    test_wrong_argument_on_one_rank(path);
    return check_end();
}
