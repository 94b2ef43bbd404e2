/* test_switch.c - the stripe of an open file changes between calls. */
#include "check.h"

#define BLOCK 512
#define BLOCKS 1024 /* of each rank in one call */
#define CALLS 12

static void set_stripe(MPI_File fh, const char *stripe)
{
    MPI_Info info = MPI_INFO_NULL;

    MPI_Info_create(&info);
    MPI_Info_set(info, "IBM_largeblock_io", "false");
    MPI_Info_set(info, "IBM_io_buffer_size", stripe);
    CHECK_OK(MPI_File_set_info(fh, info));
    MPI_Info_free(&info);
}

static void check_file(MPI_File fh, const unsigned char *want,
                       unsigned char *got, int len)
{
    memset(got, 1, (size_t)len);
    CHECK_OK(
        MPI_File_read_at_all(fh, 0, got, len, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(memcmp(want, got, (size_t)len), 0);
}

/*
 * Memory that held data of large stripes becomes the counters and lists of
 * small ones. All bits set, it said that nobody slept and that the lists of
 * all ranks were of some other time, or too long.
 */
static void test_change(MPI_File fh, unsigned char *buf, unsigned char *got)
{
    static const char *const stripes[] = {"256k", "4k", "64k", "8k"};
    const int len = BLOCK * BLOCKS;

    for (int i = 0; i < CALLS; i++) {
        set_stripe(fh, stripes[i % 4]);
        memset(buf, i % 2 == 0 ? 0xff : i, (size_t)len);
        /* Some come late, so that the others sleep. */
        if (check_rank == i % check_size)
            usleep(20000);
        CHECK_OK(MPI_File_write_at_all(fh, 0, buf, len, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
        if (check_rank == (i + 1) % check_size)
            usleep(20000);
        check_file(fh, buf, got, len);
    }
}

int main(int argc, char **argv)
{
    char path[512];
    unsigned char *buf = malloc((size_t)BLOCK * BLOCKS);
    unsigned char *got = malloc((size_t)BLOCK * BLOCKS);
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Datatype tile = MPI_DATATYPE_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_File fh = MPI_FILE_NULL;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "switch");
    if (buf == NULL || got == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Info_create(&info);
    MPI_Info_set(info, "IBM_largeblock_io", "switchable");
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    MPI_Info_free(&info);
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, check_times(BLOCK, check_size), &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, check_times(BLOCK, check_rank), MPI_BYTE,
                               tile, "native", MPI_INFO_NULL));
    test_change(fh, buf, got);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&tile);
    MPI_Type_free(&block);
    free(buf);
    free(got);
    return check_end();
}
