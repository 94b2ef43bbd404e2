/* test_pointers.c - individual, shared and ordered pointers. */
#include "check.h"

#define LEN 100
#define ROUNDS 20

static MPI_File open_new(const char *path, int extra)
{
    MPI_File fh = MPI_FILE_NULL;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR | extra,
                           MPI_INFO_NULL, &fh));
    return fh;
}

static void fill(unsigned char *buf, int len, int value)
{
    memset(buf, value, (size_t)len);
}

/* Every rank writes with the shared pointer: each block is in the file once,
 * whole, and the pointer ends behind all of them. */
static void test_shared(const char *path)
{
    MPI_File fh = open_new(path, MPI_MODE_DELETE_ON_CLOSE);
    unsigned char buf[LEN];
    int seen[64] = {0};
    MPI_Offset pos = -1;

    for (int i = 0; i < ROUNDS; i++) {
        MPI_Status status;

        fill(buf, LEN, 1 + check_rank);
        CHECK_OK(MPI_File_write_shared(fh, buf, LEN, MPI_BYTE, &status));
        CHECK_EQ(check_count(&status), LEN);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_position_shared(fh, &pos));
    CHECK_EQ(pos, LEN * ROUNDS * check_size);
    for (int i = 0; i < ROUNDS * check_size; i++) {
        int good = 1;

        CHECK_OK(MPI_File_read_at(fh, (MPI_Offset)i * LEN, buf, LEN, MPI_BYTE,
                                  MPI_STATUS_IGNORE));
        for (int k = 1; k < LEN; k++)
            good &= buf[k] == buf[0];
        CHECK_EQ(good, 1);
        seen[buf[0]]++;
    }
    for (int r = 0; r < check_size; r++)
        CHECK_EQ(seen[r + 1], ROUNDS);
    CHECK_OK(MPI_File_close(&fh));
}

/* Lengths differ by rank and round; ranks are in order in each round. */
static void test_ordered(const char *path)
{
    MPI_File fh = open_new(path, MPI_MODE_DELETE_ON_CLOSE);
    unsigned char buf[LEN];
    long long at = 0;
    MPI_Offset pos = -1;

    for (int i = 0; i < ROUNDS; i++) {
        int len = (check_rank * 7 + i * 3) % LEN;

        fill(buf, len, 1 + check_rank + i);
        CHECK_OK(
            MPI_File_write_ordered(fh, buf, len, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++)
        for (int r = 0; r < check_size; r++) {
            int len = (r * 7 + i * 3) % LEN;
            int wrong = 0;

            CHECK_OK(MPI_File_read_at(fh, at, buf, len, MPI_BYTE,
                                      MPI_STATUS_IGNORE));
            for (int k = 0; k < len; k++)
                wrong += buf[k] != 1 + r + i;
            CHECK_EQ(wrong, 0);
            at += len;
        }
    CHECK_OK(MPI_File_get_position_shared(fh, &pos));
    CHECK_EQ(pos, at);
    CHECK_OK(MPI_File_close(&fh));
}

/* Ordered and shared calls take turns on one pointer: each block has a byte of
 * its own, by which its owner, its call and its length are known. */
enum { ORDERED_LEN = 3, SHARED_LEN = 5 };

static int mixed_byte(int call, int rank, int shared)
{
    return 1 + (call * check_size + rank) * 2 + shared;
}

/* Where each byte's block starts; no block twice, none cut, no hole. */
static void find_blocks(MPI_File fh, MPI_Offset size, MPI_Offset *starts)
{
    unsigned char *all = calloc((size_t)size + 1, 1);
    MPI_Offset at = 0;

    for (int v = 0; v < 256; v++)
        starts[v] = -1;
    if (all == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    CHECK_OK(
        MPI_File_read_at(fh, 0, all, (int)size, MPI_BYTE, MPI_STATUS_IGNORE));
    while (at < size && all[at] != 0) {
        int len = all[at] % 2 == 1 ? ORDERED_LEN : SHARED_LEN;
        int same = 0;

        while (same < len && all[at + same] == all[at])
            same++;
        CHECK_EQ(same, len);
        CHECK_EQ(starts[all[at]], -1);
        starts[all[at]] = at;
        at += len;
    }
    CHECK_EQ(at, size);
    free(all);
}

static void check_mixed(MPI_File fh, MPI_Offset size, int rounds)
{
    MPI_Offset starts[256];

    find_blocks(fh, size, starts);
    for (int i = 0; i < rounds; i++)
        for (int r = 0; r < check_size; r++) {
            MPI_Offset mine = starts[mixed_byte(i, r, 0)];

            CHECK_EQ(starts[mixed_byte(i, r, 1)] > mine, 1);
            if (r > 0)
                CHECK_EQ(mine, starts[mixed_byte(i, r - 1, 0)] + ORDERED_LEN);
            if (i > 0)
                CHECK_EQ(starts[mixed_byte(i - 1, r, 1)] < mine, 1);
        }
}

static void test_mixed(const char *path)
{
    MPI_File fh = open_new(path, MPI_MODE_DELETE_ON_CLOSE);
    int rounds = 126 / check_size < ROUNDS ? 126 / check_size : ROUNDS;
    unsigned char buf[LEN];
    MPI_Offset pos = -1;
    MPI_Offset size = -1;

    for (int i = 0; i < rounds; i++) {
        fill(buf, LEN, mixed_byte(i, check_rank, 0));
        CHECK_OK(MPI_File_write_ordered(fh, buf, ORDERED_LEN, MPI_BYTE,
                                        MPI_STATUS_IGNORE));
        fill(buf, LEN, mixed_byte(i, check_rank, 1));
        CHECK_OK(MPI_File_write_shared(fh, buf, SHARED_LEN, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_position_shared(fh, &pos));
    CHECK_EQ(pos, (ORDERED_LEN + SHARED_LEN) * rounds * check_size);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, pos);
    check_mixed(fh, pos, rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_seek_shared(fh, 4, MPI_SEEK_SET));
    CHECK_OK(MPI_File_seek_shared(fh, 2, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_get_position_shared(fh, &pos));
    CHECK_EQ(pos, 6);
    CHECK_OK(MPI_File_seek_shared(fh, -1, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position_shared(fh, &pos));
    CHECK_EQ(pos, size - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_read_ordered(fh, buf, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
}

/* Positions count etypes of the view; all whences. */
static void test_individual(const char *path)
{
    MPI_File fh = open_new(path, MPI_MODE_DELETE_ON_CLOSE);
    int values[4] = {1, 2, 3, 4};
    int got = 0;
    MPI_Datatype vector;
    MPI_Datatype tile;
    MPI_Offset pos = -1;
    MPI_Offset disp = -1;

    MPI_Type_vector(1, 2, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, check_times(8, check_size), &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, check_times(8, check_rank), MPI_INT, tile,
                               "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write(fh, values, 4, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_get_position(fh, &pos));
    CHECK_EQ(pos, 4);
    CHECK_OK(MPI_File_get_byte_offset(fh, 3, &disp));
    CHECK_EQ(disp, 8 * check_rank + 8 * check_size + 4);
    CHECK_OK(MPI_File_seek(fh, -2, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_read(fh, &got, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQ(got, 3);
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_seek(fh, 0, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(fh, &pos));
    CHECK_EQ(pos, 4);
    CHECK_EQ(check_class(MPI_File_seek(fh, -9, MPI_SEEK_SET)), MPI_ERR_ARG);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&vector);
    MPI_Type_free(&tile);
}

static void test_append(const char *path)
{
    MPI_File fh = open_new(path, 0);
    MPI_Offset pos = -1;

    CHECK_OK(MPI_File_set_size(fh, 123));
    CHECK_OK(MPI_File_close(&fh));
    fh = open_new(path, MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE);
    CHECK_OK(MPI_File_get_position(fh, &pos));
    CHECK_EQ(pos, 123);
    CHECK_OK(MPI_File_get_position_shared(fh, &pos));
    CHECK_EQ(pos, 123);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "pointers");
    test_shared(path);
    test_ordered(path);
    test_mixed(path);
    test_individual(path);
    test_append(path);
    return check_end();
}
