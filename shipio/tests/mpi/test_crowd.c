/* test_crowd.c - as many processes as a large node has: small pieces of all
 * ranks in turn, shipped and read back, an ordered call, an error of one.
 */
#include "check.h"

#define PIECE 64
#define PIECES 40
#define LEN (PIECE * PIECES)

static int wrong_bytes(const unsigned char *data)
{
    int wrong = 0;

    for (int i = 0; i < LEN; i++)
        wrong += data[i] != check_byte(i, check_rank);
    return wrong;
}

static void test_pieces(MPI_File fh)
{
    unsigned char data[LEN];
    MPI_Status status;

    check_interleave(fh, PIECES, PIECE);
    for (int i = 0; i < LEN; i++)
        data[i] = check_byte(i, check_rank);
    CHECK_OK(MPI_File_write_all(fh, data, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN);
    memset(data, 0, sizeof(data));
    CHECK_OK(MPI_File_read_at_all(fh, 0, data, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN);
    CHECK_EQ(wrong_bytes(data), 0);
}

/* Each rank finds what it wrote behind all before it. */
static void test_ordered(MPI_File fh)
{
    unsigned char mine = (unsigned char)check_rank;
    unsigned char there = 0;

    CHECK_OK(
        MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_ordered(fh, &mine, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(fh));
    CHECK_OK(MPI_File_read_at(fh, check_rank, &there, 1, MPI_BYTE,
                              MPI_STATUS_IGNORE));
    CHECK_EQ(there, mine);
}

static void test_error(MPI_File fh)
{
    MPI_Offset size = check_rank == check_size / 2 ? -1 : LEN;

    CHECK_EQ(check_class(MPI_File_set_size(fh, size)), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    char path[512];
    MPI_Info info;
    MPI_File fh = MPI_FILE_NULL;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "crowd");
    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", "ship");
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    MPI_Info_free(&info);
    test_pieces(fh);
    test_ordered(fh);
    test_error(fh);
    CHECK_OK(MPI_File_close(&fh));
    return check_end();
}
