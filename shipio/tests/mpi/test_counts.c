/* test_counts.c - more than 2 GiB in one call, with little memory: the pieces
 * of the memory type lie on top of each other, the file is sparse or holds
 * what one rank wrote. Counts are true: MPI_Get_elements_x, and where the
 * library has it MPI_Get_count_c.
 */
#include "check.h"

#include <sys/statvfs.h>

#define MIB ((MPI_Count)1024 * 1024)
#define BLOCK (4 * 1024 * 1024) /* of memory, used again and again */
#define BLOCKS 544              /* 2176 MiB */
#define TOTAL ((long long)BLOCK * BLOCKS)

static MPI_File open_new(const char *path, const char *mode)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", mode);
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* BLOCK bytes, and then the same ones again. */
static MPI_Datatype make_overlapping(void)
{
    MPI_Datatype block;
    MPI_Datatype type;

    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_hvector(BLOCKS, 1, 0, block, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&block);
    return type;
}

/* A read of a hole: it all arrives, the count says so, zeros are there. */
static void test_read(const char *path, const char *mode)
{
    MPI_File fh = open_new(path, mode);
    MPI_Datatype type = make_overlapping();
    unsigned char *buf = malloc(BLOCK);
    MPI_Status status;
    MPI_Count n = -1;
    long long wrong = 0;

    memset(buf, 7, BLOCK);
    /* All but the last block is there. */
    CHECK_OK(MPI_File_set_size(fh, TOTAL - BLOCK));
    CHECK_OK(MPI_File_read_at_all(fh, 0, buf, 1, type, &status));
    CHECK_EQ(check_count(&status), TOTAL - BLOCK);
#ifndef OPEN_MPI /* it cannot count elements of so large a type */
    MPI_Get_elements_x(&status, type, &n);
    CHECK_EQ(n, TOTAL - BLOCK);
#else
    (void)n;
#endif
    for (long i = 0; i < BLOCK; i++)
        wrong += buf[i] != 0;
    CHECK_EQ(wrong, 0);
    CHECK_OK(MPI_File_read_at(fh, TOTAL / 2, buf, 1, type, &status));
    CHECK_EQ(check_count(&status), TOTAL - BLOCK - TOTAL / 2);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&type);
    free(buf);
}

/* A write of more than an int counts in bytes, of the last rank alone. Skipped
 * where it would fill the file system. */
static void test_write(const char *path, const char *folder, const char *mode)
{
    static const int looked_at[] = {0, 1, 510, 511, 512, BLOCKS - 1};
    unsigned char *buf = malloc(BLOCK);
    unsigned char *in = malloc(BLOCK);
    int mine = check_rank == check_size - 1;
    struct statvfs fs;
    MPI_Datatype type;
    MPI_Status status;
    MPI_Offset size = -1;
    MPI_File fh;
    int room = statvfs(folder, &fs) == 0 &&
               (long long)(fs.f_bavail * fs.f_frsize) > 2 * TOTAL;

    MPI_Bcast(&room, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!room || buf == NULL || in == NULL) {
        free(buf);
        free(in);
        return;
    }
    fh = open_new(path, mode);
    type = make_overlapping();
    for (long i = 0; i < BLOCK; i++)
        buf[i] = check_byte(i, 3);
    CHECK_OK(MPI_File_write_at_all(fh, 0, buf, mine, type, &status));
    CHECK_EQ(check_count(&status), mine ? TOTAL : 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, TOTAL);
    for (size_t i = 0; i < sizeof(looked_at) / sizeof(looked_at[0]); i++) {
        memset(in, 0, BLOCK);
        CHECK_OK(MPI_File_read_at(fh, (MPI_Offset)BLOCK * looked_at[i], in,
                                  BLOCK, MPI_BYTE, &status));
        CHECK_EQ(check_count(&status), BLOCK);
        CHECK_EQ(memcmp(in, buf, BLOCK), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&type);
    free(buf);
    free(in);
}

/* A pointer moves by more than 2 GiB, and small data lands behind. */
static void test_pointer(const char *path)
{
    MPI_File fh = open_new(path, "auto");
    MPI_Datatype type = make_overlapping();
    unsigned char *buf = malloc(BLOCK);
    unsigned char byte = (unsigned char)(1 + check_rank);
    MPI_Offset at = -1;
    MPI_Offset size = -1;

    CHECK_OK(MPI_File_set_size(fh, TOTAL));
    CHECK_OK(MPI_File_read_all(fh, buf, 1, type, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, TOTAL);
    CHECK_OK(MPI_File_seek(fh, check_rank, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_write_all(fh, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, TOTAL + check_size);
    byte = 0;
    CHECK_OK(MPI_File_read_at(fh, TOTAL + check_rank, &byte, 1, MPI_BYTE,
                              MPI_STATUS_IGNORE));
    CHECK_EQ(byte, 1 + check_rank);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&type);
    free(buf);
}

#if MPI_VERSION >= 4
/* A count beyond an int: of a type that is a byte at one place. The view
 * puts it on few bytes of the file, too: only its start is ever there. */
static void test_large_count(const char *path)
{
    MPI_File fh = open_new(path, "auto");
    MPI_Count count = 2050 * MIB;
    MPI_Datatype same;
    MPI_Status status;
    unsigned char byte = 9;
    MPI_Count n = -1;

    MPI_Type_create_resized(MPI_BYTE, 0, 0, &same);
    MPI_Type_commit(&same);
    CHECK_OK(MPI_File_write_at(fh, 0, "abc", 3, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_read_at_c(fh, 0, &byte, count, same, &status));
    MPI_Get_count_c(&status, MPI_BYTE, &n);
    CHECK_EQ(n, 3);
    CHECK_EQ(byte, 'c');
    byte = 9;
    CHECK_OK(MPI_File_read_at_all_c(fh, 1, &byte, count, same, &status));
    MPI_Get_count_c(&status, MPI_BYTE, &n);
    CHECK_EQ(n, 2);
    CHECK_EQ(byte, 'c');
    MPI_Type_free(&same);
    CHECK_OK(MPI_File_close(&fh));
}
#endif

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "counts");
    test_read(path, "direct");
    test_read(path, "ship");
    test_write(path, argc > 1 ? argv[1] : ".", "direct");
    test_write(path, argc > 1 ? argv[1] : ".", "ship");
    test_pointer(path);
#if MPI_VERSION >= 4
    test_large_count(path);
#endif
    return check_end();
}
