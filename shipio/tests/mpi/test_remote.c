/* test_remote.c - where requests are dear: how many are made, and for what.
 * The statistics of each file tell; they are read from the file that
 * SHIPIO_STATS_JSON names.
 */
#include <fcntl.h>
#include <stdint.h>

#include "check.h"

#define KIB 1024
#define PIECES 512

static MPI_File open_file(const char *path, int amode, const char *key,
                          const char *value)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info = MPI_INFO_NULL;

    if (key != NULL) {
        MPI_Info_create(&info);
        MPI_Info_set(info, key, value);
    }
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           amode | MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    return fh;
}

/* Pieces of len bytes, every rank's in turn, gap bytes behind each. */
static void set_view(MPI_File fh, int len, int gap)
{
    MPI_Datatype piece, view;

    CHECK_OK(MPI_Type_contiguous(len, MPI_BYTE, &piece));
    CHECK_OK(MPI_Type_create_resized(
        piece, 0, check_times(len + gap, check_size), &view));
    CHECK_OK(MPI_Type_commit(&view));
    CHECK_OK(MPI_File_set_view(fh, (MPI_Offset)check_rank * (len + gap),
                               MPI_BYTE, view, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&piece));
    CHECK_OK(MPI_Type_free(&view));
}

static void access_all(MPI_File fh, int nbytes, int write, int collective)
{
    unsigned char *data = malloc((size_t)nbytes);
    MPI_Status status;
    int wrong = 0;

    for (int i = 0; i < nbytes; i++)
        data[i] = write ? check_byte(i, check_rank) : 0;
    if (write && collective)
        CHECK_OK(MPI_File_write_at_all(fh, 0, data, nbytes, MPI_BYTE, &status));
    else if (write)
        CHECK_OK(MPI_File_write_at(fh, 0, data, nbytes, MPI_BYTE, &status));
    else if (collective)
        CHECK_OK(MPI_File_read_at_all(fh, 0, data, nbytes, MPI_BYTE, &status));
    else
        CHECK_OK(MPI_File_read_at(fh, 0, data, nbytes, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), nbytes);
    for (int i = 0; i < nbytes; i++)
        wrong += data[i] != check_byte(i, check_rank);
    CHECK_EQ(wrong, 0);
    free(data);
}

/* Closes, and returns how many requests were made of the file. */
static long long close_and_count(MPI_File *fh, const char *key)
{
    CHECK_OK(MPI_File_close(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    return check_stat(key);
}

/* Pieces of 32 KiB go together in stripes, though a page cache would not gain
 * by that. */
static void test_collective_pieces_are_combined(const char *path)
{
    MPI_File fh = open_file(path, 0, NULL, NULL);

    set_view(fh, 32 * KIB, 0);
    access_all(fh, 64 * 32 * KIB, 1, 1);
    CHECK_EQ(close_and_count(&fh, "file_requests") <= 2, 1);
}

/* One or two stripes are read by several requests of 512 KiB or more each, so
 * that an agent does not wait for one after the other. */
static void test_few_stripes_are_read_in_parts(const char *path)
{
    int nbytes = 64 * 32 * KIB;
    MPI_File fh = open_file(path, 0, NULL, NULL);
    long long requests;

    set_view(fh, 32 * KIB, 0);
    access_all(fh, nbytes, 1, 1);
    CHECK_OK(MPI_File_close(&fh));
    fh = open_file(path, 0, NULL, NULL);
    set_view(fh, 32 * KIB, 0);
    access_all(fh, nbytes, 0, 1);
    requests = close_and_count(&fh, "file_requests");
    CHECK_EQ(requests >= 4, 1);
    CHECK_EQ(requests <= check_times(nbytes, check_size) / (512 * KIB), 1);
}

/* The file ends within the second of four parts: each rank gets what is there
 * of its pieces. */
static void test_end_of_file_within_a_part(const char *path)
{
    int nbytes = 64 * 32 * KIB, whole = 20;
    MPI_File fh = open_file(path, 0, NULL, NULL);
    unsigned char *data = calloc(1, (size_t)nbytes);
    MPI_Status status;
    int wrong = 0;

    set_view(fh, 32 * KIB, 0);
    access_all(fh, whole * 32 * KIB, 1, 1);
    CHECK_OK(MPI_File_read_at_all(fh, 0, data, nbytes, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), whole * 32 * KIB);
    for (int i = 0; i < whole * 32 * KIB; i++)
        wrong += data[i] != check_byte(i, check_rank);
    CHECK_EQ(wrong, 0);
    CHECK_OK(MPI_File_close(&fh));
    free(data);
}

/* Contiguous parts that share a block do not go to the file one by one. */
static void test_small_contiguous_parts_are_combined(const char *path)
{
    MPI_File fh = open_file(path, 0, NULL, NULL);
    unsigned char data[100] = {1};

    CHECK_OK(MPI_File_write_at_all(fh, check_rank * 100, data, 100, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    CHECK_EQ(close_and_count(&fh, "file_requests"), 1);
}

/* ROMIO's buffer size is no wish for stripes of that size. */
static void test_cb_buffer_size_is_not_the_stripe(const char *path)
{
    MPI_File fh = open_file(path, 0, "cb_buffer_size", "8192");

    set_view(fh, KIB, 0);
    access_all(fh, PIECES * KIB, 1, 1);
    CHECK_EQ(close_and_count(&fh, "file_requests") <= 2, 1);
}

/* Independent accesses take the gaps along, unless writes are told not to. */
static void test_independent_pieces_are_sieved(const char *path)
{
    MPI_File fh = open_file(path, 0, NULL, NULL);

    set_view(fh, KIB, KIB);
    access_all(fh, PIECES * KIB, 1, 0);
    /* A window is read and written: some more where ranks wait in turn. */
    CHECK_EQ(close_and_count(&fh, "file_requests") <= 8 * check_size, 1);
    fh = open_file(path, 0, NULL, NULL);
    set_view(fh, KIB, KIB);
    access_all(fh, PIECES * KIB, 0, 0);
    CHECK_EQ(close_and_count(&fh, "file_requests") <= 2 * check_size, 1);
    fh = open_file(path, 0, "shipio_sieve", "false");
    set_view(fh, KIB, KIB);
    access_all(fh, PIECES * KIB, 1, 0);
    CHECK_EQ(close_and_count(&fh, "file_requests"), PIECES * check_size);
}

/* An agent's stripe with gaps is read and written once. */
static void test_collective_gaps_are_sieved(const char *path)
{
    MPI_File fh = open_file(path, 0, NULL, NULL);

    set_view(fh, KIB, KIB);
    access_all(fh, PIECES * KIB, 1, 1);
    CHECK_EQ(close_and_count(&fh, "file_requests") <= 4, 1);
}

/* What each rank has to itself is not shipped, be its pieces small: agents
 * would go through one region after the other. */
static void test_own_regions_are_not_shipped(const char *path)
{
    MPI_File fh = open_file(path, 0, NULL, NULL);
    MPI_Datatype view;

    CHECK_OK(MPI_Type_vector(PIECES, KIB, 16 * KIB, MPI_BYTE, &view));
    CHECK_OK(MPI_Type_commit(&view));
    CHECK_OK(MPI_File_set_view(fh, (MPI_Offset)16 * KIB * PIECES * check_rank,
                               MPI_BYTE, view, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_Type_free(&view));
    access_all(fh, PIECES * KIB, 1, 1);
    CHECK_EQ(close_and_count(&fh, "accesses_shipped"), 0);
}

/* Two pieces 4 GiB apart: what lies between is not read. */
static void test_unwanted_stripes_are_not_read(const char *path)
{
    MPI_File fh = open_file(path, 0, "shipio_mode", "ship");
    MPI_Offset far = (MPI_Offset)4 << 30;
    unsigned char data[KIB];

    memset(data, 7, sizeof(data));
    CHECK_OK(MPI_File_write_at_all(fh, check_rank == 0 ? 0 : far, data, KIB,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    fh = open_file(path, 0, "shipio_mode", "ship");
    memset(data, 0, sizeof(data));
    CHECK_OK(MPI_File_read_at_all(fh, check_rank == 0 ? 0 : far, data, KIB,
                                  MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(data[0] == 7 && data[KIB - 1] == 7, 1);
    CHECK_EQ(close_and_count(&fh, "file_bytes") <= (2LL << 22), 1);
}

/* Pieces of this rank, by a handle that no other rank has, and the file as a
 * program without MPI finds it. How many pieces are not there. */
static int write_and_look(MPI_File fh, int fd, int round)
{
    static unsigned char data[PIECES * KIB];
    int lost = 0;

    memset(data, 1 + (round * check_size + check_rank) % 255, sizeof(data));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_write_at(fh, 0, data, sizeof(data), MPI_BYTE,
                               MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < PIECES; i++) {
        unsigned char piece[KIB];
        off_t at = ((off_t)i * check_size + check_rank) * KIB;

        lost +=
            pread(fd, piece, KIB, at) != KIB || memcmp(piece, data, KIB) != 0;
    }
    return lost;
}

/* Every rank has the file open for itself; amode is that of the last one. */
static void write_by_own_handles(const char *path, int amode)
{
    MPI_File fh = MPI_FILE_NULL;
    int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
    int lost = 0;

    if (check_rank < check_size - 1)
        amode = MPI_MODE_RDWR;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, path, amode | MPI_MODE_CREATE,
                           MPI_INFO_NULL, &fh));
    set_view(fh, KIB, 0);
    for (int round = 0; round < 30; round++)
        lost += write_and_look(fh, fd, round);
    CHECK_EQ(lost, 0);
    CHECK_OK(MPI_File_close(&fh));
    close(fd);
}

/* What one handle writes is not lost in what another reads and writes back. */
static void test_handles_do_not_lose_data(const char *path)
{
    write_by_own_handles(path, MPI_MODE_RDWR);
    write_by_own_handles(path, MPI_MODE_WRONLY);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(const char *) = {
        test_collective_pieces_are_combined,
        test_few_stripes_are_read_in_parts,
        test_end_of_file_within_a_part,
        test_small_contiguous_parts_are_combined,
        test_cb_buffer_size_is_not_the_stripe,
        test_independent_pieces_are_sieved,
        test_collective_gaps_are_sieved,
        test_unwanted_stripes_are_not_read,
        test_own_regions_are_not_shipped,
        test_handles_do_not_lose_data,
    };
    char path[4096];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "remote");
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
