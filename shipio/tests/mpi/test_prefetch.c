/* test_prefetch.c - reads a view of small pieces; what the driver was given is
 * compared with what the policy says. Started with a stand-in library and
 * SHIPIO_DRIVER, SHIPIO_MAX_ACC=1, STANDIN_LOG; STANDIN_GRANT is how many
 * ranges the file system accepts at a time. Every rank has a log of its own.
 */
#include <sys/stat.h>

#include "check.h"

#define PIECES 5
#define LINE 512

static long long block;

/* The lines the stand-in has written, compared one by one. */
static void expect_log(const char *const *want, int n)
{
    FILE *log = fopen(getenv("STANDIN_LOG"), "re");
    char line[LINE];
    int i = 0;

    CHECK_EQ(log != NULL, 1);
    while (log != NULL && fgets(line, sizeof(line), log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (i < n && strcmp(line, want[i]) != 0) {
            fprintf(stderr, "driver was given \"%s\", not \"%s\"\n", line,
                    want[i]);
            CHECK_EQ(i, -1);
        }
        i++;
    }
    CHECK_EQ(i, n);
    if (log != NULL)
        fclose(log);
}

/* Blocks 0..4, in each the bytes 10..20 and 100..110. max_acc is 1. */
static void expect_gpfs_pieces(void)
{
    static const char *const all[] = {
        "1003 acc 0:10+100r acc 1:10+100r",
        "1003 acc 2:10+100r rel 0:10+100r",
        "1003 acc 3:10+100r rel 1:10+100r",
        "1003 acc 4:10+100r rel 2:10+100r",
        "1003 rel 3:10+100r",
        "1003 rel 4:10+100r",
    };
    /* Of two ranges asked for, one or none is accepted. */
    static const char *const few[] = {
        "1003 acc 0:10+100r acc 1:10+100r",
        "1003 acc 1:10+100r acc 2:10+100r rel 0:10+100r",
        "1003 acc 2:10+100r acc 3:10+100r rel 1:10+100r",
        "1003 acc 3:10+100r acc 4:10+100r rel 2:10+100r",
        "1003 acc 4:10+100r rel 3:10+100r",
        "1003 rel 4:10+100r",
    };

    expect_log(getenv("STANDIN_GRANT") == NULL ? all : few, 6);
}

/* The file ends in block 2: what was scheduled is released, nothing asked. */
static void expect_gpfs_end(void)
{
    static const char *const all[] = {
        "1003 acc 0:10+100r acc 1:10+100r",
        "1003 acc 2:10+100r rel 0:10+100r",
        "1003 acc 3:10+100r rel 1:10+100r",
        "1003 rel 2:10+100r rel 3:10+100r",
    };
    /* Block 3 was asked for and not accepted: there is nothing to release. */
    static const char *const few[] = {
        "1003 acc 0:10+100r acc 1:10+100r",
        "1003 acc 1:10+100r acc 2:10+100r rel 0:10+100r",
        "1003 acc 2:10+100r acc 3:10+100r rel 1:10+100r",
        "1003 rel 2:10+100r",
    };

    expect_log(getenv("STANDIN_GRANT") == NULL ? all : few, 4);
}

/* Stripes of two blocks, by turns: rank 0 reads 0, 1, 4, 5, and so on. */
static void expect_gpfs_shipped(void)
{
    char text[5][LINE];
    const char *want[5];
    int few = getenv("STANDIN_GRANT") != NULL;
    int blocks[4];

    for (int i = 0; i < 4; i++)
        blocks[i] = 2 * check_rank + i % 2 + i / 2 * 2 * check_size;
    for (int i = 0; i < 5; i++) {
        /* Ranges that were not accepted are asked for again. */
        int first = few || i == 0 ? i : i + 1;
        int last = i + 1 < 4 ? i + 1 : 3;
        int len = snprintf(text[i], LINE, "1003");

        for (int b = first; b <= last; b++)
            len += snprintf(text[i] + len, LINE - (size_t)len,
                            " acc %d:0+%lldr", blocks[b], block);
        if (i > 0)
            snprintf(text[i] + len, LINE - (size_t)len, " rel %d:0+%lldr",
                     blocks[i - 1], block);
        want[i] = text[i];
    }
    expect_log(want, 5);
}

static void expect_lustre(void)
{
    char text[12][LINE];
    const char *want[12];
    int n = 0;

    snprintf(text[n++], LINE, "lock 7");
    snprintf(text[n++], LINE, "willread 10-110");
    for (int i = 1; i <= PIECES; i++) {
        if (i > 1)
            snprintf(text[n++], LINE, "dontneed %lld-%lld",
                     (i - 2) * block + 10, (i - 2) * block + 110);
        if (i < PIECES)
            snprintf(text[n++], LINE, "willread %lld-%lld", i * block + 10,
                     i * block + 110);
    }
    snprintf(text[n++], LINE, "dontneed %lld-%lld", (PIECES - 1) * block + 10,
             (PIECES - 1) * block + 110);
    snprintf(text[n++], LINE, "unlock 7");
    for (int i = 0; i < n; i++)
        want[i] = text[i];
    expect_log(want, n);
}

static void read_pieces(MPI_File fh, int bytes)
{
    int lens[2] = {10, 10};
    MPI_Aint disps[2] = {10, 100};
    MPI_Datatype pair;
    MPI_Datatype tile;
    MPI_Status status;
    unsigned char buf[20 * PIECES];
    int wrong = 0;

    MPI_Type_create_hindexed(2, lens, disps, MPI_BYTE, &pair);
    MPI_Type_create_resized(pair, 0, (MPI_Aint)block, &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at(fh, 0, buf, 20 * PIECES, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), bytes);
    for (int i = 0; i < bytes; i++) {
        long long at =
            i / 20 * block + (i % 20 < 10 ? 10 + i % 10 : 100 + i % 10);

        wrong += buf[i] != check_byte(at, 1);
    }
    CHECK_EQ(wrong, 0);
    MPI_Type_free(&pair);
    MPI_Type_free(&tile);
}

static void write_file(const char *path, long long len)
{
    FILE *stream = check_rank == 0 ? fopen(path, "we") : NULL;

    for (long long i = 0; stream != NULL && i < len; i++)
        fputc(check_byte(i, 1), stream);
    if (stream != NULL)
        fclose(stream);
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_File open_file(const char *path, MPI_Info info)
{
    MPI_File fh = MPI_FILE_NULL;

    remove(getenv("STANDIN_LOG"));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                           &fh));
    return fh;
}

static void test_pieces(const char *path, const char *driver)
{
    MPI_File fh;

    write_file(path, block * PIECES);
    fh = open_file(path, MPI_INFO_NULL);
    read_pieces(fh, 20 * PIECES);
    CHECK_OK(MPI_File_close(&fh));
    if (strcmp(driver, "gpfs") == 0)
        expect_gpfs_pieces();
    else
        expect_lustre();
}

/* The file ends between the two pieces of block 2. */
static void test_end_of_file(const char *path)
{
    MPI_File fh;

    write_file(path, 2 * block + 50);
    fh = open_file(path, MPI_INFO_NULL);
    read_pieces(fh, 50);
    CHECK_OK(MPI_File_close(&fh));
    expect_gpfs_end();
}

static void test_shipped(const char *path)
{
    char stripe[32];
    int len = (int)(4 * block);
    MPI_Offset at = (MPI_Offset)check_rank * len;
    unsigned char *buf = malloc((size_t)len);
    MPI_Info info = MPI_INFO_NULL;
    MPI_File fh;
    int wrong = 0;

    if (buf == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    snprintf(stripe, sizeof(stripe), "%lld", 2 * block);
    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", "ship");
    MPI_Info_set(info, "IBM_io_buffer_size", stripe);
    write_file(path, 4 * block * check_size);
    fh = open_file(path, info);
    CHECK_OK(
        MPI_File_read_at_all(fh, at, buf, len, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < len; i++)
        wrong += buf[i] != check_byte(at + i, 1);
    CHECK_EQ(wrong, 0);
    CHECK_OK(MPI_File_close(&fh));
    expect_gpfs_shipped();
    MPI_Info_free(&info);
    free(buf);
}

int main(int argc, char **argv)
{
    char path[512];
    char log[600];
    struct stat st;
    const char *driver = getenv("SHIPIO_DRIVER");

    if (driver == NULL || getenv("STANDIN_LOG") == NULL || argc < 2)
        return 1;
    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, driver);
    snprintf(log, sizeof(log), "%s.%d", getenv("STANDIN_LOG"), check_rank);
    setenv("STANDIN_LOG", log, 1);
    if (stat(argv[1], &st) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    block = st.st_blksize;
    test_pieces(path, driver);
    if (strcmp(driver, "gpfs") == 0) {
        test_end_of_file(path);
        if (check_size > 1)
            test_shipped(path);
    }
    remove(log);
    return check_end();
}
