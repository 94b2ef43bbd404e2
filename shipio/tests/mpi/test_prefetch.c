/* test_prefetch.c - reads a view of small pieces; what the driver was told is
 * compared with what the policy says. Started with a stand-in library and
 * SHIPIO_DRIVER, SHIPIO_MAX_ACC, STANDIN_LOG. One process.
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
            fprintf(stderr, "driver was told \"%s\", not \"%s\"\n", line,
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
static void expect_gpfs(void)
{
    static const char *const want[] = {
        "1003 acc 0:10+100r acc 1:10+100r",
        "1003 acc 2:10+100r rel 0:10+100r",
        "1003 acc 3:10+100r rel 1:10+100r",
        "1003 acc 4:10+100r rel 2:10+100r",
        "1003 rel 3:10+100r",
        "1003 rel 4:10+100r",
    };

    expect_log(want, 6);
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

static void read_pieces(MPI_File fh)
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
    CHECK_EQ(check_count(&status), 20 * PIECES);
    for (int i = 0; i < 20 * PIECES; i++) {
        long long at =
            i / 20 * block + (i % 20 < 10 ? 10 + i % 10 : 100 + i % 10);

        wrong += buf[i] != check_byte(at, 1);
    }
    CHECK_EQ(wrong, 0);
    MPI_Type_free(&pair);
    MPI_Type_free(&tile);
}

static void write_file(const char *path)
{
    FILE *stream = fopen(path, "we");

    for (long long i = 0; stream != NULL && i < block * PIECES; i++)
        fputc(check_byte(i, 1), stream);
    if (stream != NULL)
        fclose(stream);
}

int main(int argc, char **argv)
{
    char path[512];
    struct stat st;
    MPI_File fh = MPI_FILE_NULL;
    const char *driver = getenv("SHIPIO_DRIVER");

    if (driver == NULL || getenv("STANDIN_LOG") == NULL || argc < 2)
        return 1;
    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, driver);
    if (stat(argv[1], &st) != 0)
        return 1;
    block = st.st_blksize;
    remove(getenv("STANDIN_LOG"));
    write_file(path);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    read_pieces(fh);
    CHECK_OK(MPI_File_close(&fh));
    if (strcmp(driver, "gpfs") == 0)
        expect_gpfs();
    else
        expect_lustre();
    remove(getenv("STANDIN_LOG"));
    return check_end();
}
