/* check.h - assertions of the MPI tests: they print and count, and the
 * program's exit status tells.
 */
#ifndef SHIPIO_TEST_CHECK_H
#define SHIPIO_TEST_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_failures;
static int check_rank;
static int check_size;

#define CHECK_EQ(got, want)                                                    \
    do {                                                                       \
        long long got_ = (long long)(got);                                     \
        long long want_ = (long long)(want);                                   \
        if (got_ != want_ && check_failures++ < 20)                            \
            fprintf(stderr, "%s:%d: rank %d: %s is %lld, not %lld\n",          \
                    __FILE__, __LINE__, check_rank, #got, got_, want_);        \
    } while (0)

#define CHECK_OK(call) CHECK_EQ(check_class(call), MPI_SUCCESS)

/* The class of an MPI error code. */
static inline int check_class(int code)
{
    int class = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

static inline void check_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* The byte that position i of a file should hold; never 0. */
static inline unsigned char check_byte(long long i, int salt)
{
    unsigned long long x = (unsigned long long)(i + 1) * 0x9e3779b97f4a7c15ull +
                           (unsigned long long)salt * 0xbf58476d1ce4e5b9ull;

    x ^= x >> 29;
    x *= 0x94d049bb133111ebull;
    x ^= x >> 32;
    return (unsigned char)(x % 255 + 1);
}

/* n for each rank, as an extent or an offset. */
static inline MPI_Aint check_times(long long n, int ranks)
{
    return (MPI_Aint)(n * ranks);
}

/* Elements of MPI_BYTE in a status. */
static inline long long check_count(MPI_Status *status)
{
    MPI_Count count = -1;

    MPI_Get_elements_x(status, MPI_BYTE, &count);
    return count;
}

static inline int check_end(void)
{
    int sum = 0;

    MPI_Allreduce(&check_failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum > 0 && check_rank == 0)
        fprintf(stderr, "%d checks failed\n", sum);
    MPI_Finalize();
    return sum > 0;
}

/* A path of this run, the same on all ranks, in the folder argv[1]. */
static inline void check_path(char *path, size_t len, int argc, char **argv,
                              const char *name)
{
    int run = (int)getpid();

    MPI_Bcast(&run, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, len, "%s/shipio-%s-%d", argc > 1 ? argv[1] : ".", name, run);
}

/* A view of so many pieces of this rank, with those of the others between. */
static inline void check_interleave(MPI_File fh, int pieces, int piece_bytes)
{
    MPI_Datatype type;

    MPI_Type_vector(pieces, piece_bytes, piece_bytes * check_size, MPI_BYTE,
                    &type);
    MPI_Type_commit(&type);
    CHECK_OK(MPI_File_set_view(fh, (MPI_Offset)piece_bytes * check_rank,
                               MPI_BYTE, type, "native", MPI_INFO_NULL));
    MPI_Type_free(&type);
}

/* A new file of all ranks, which closing deletes. */
static inline MPI_File check_open_new(const char *path)
{
    MPI_File fh = MPI_FILE_NULL;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR |
                               MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    return fh;
}

/* The number behind a key of the last line of the statistics, in the file that
 * SHIPIO_STATS_JSON names; -1: none. */
static inline long long check_stat(const char *key)
{
    const char *path = getenv("SHIPIO_STATS_JSON");
    FILE *in = path != NULL ? fopen(path, "r") : NULL;
    static char line[16384];
    char name[64];
    const char *at = NULL;

    while (in != NULL && fgets(line, sizeof(line), in) != NULL)
        continue;
    if (in != NULL)
        fclose(in);
    snprintf(name, sizeof(name), "\"%s\":", key);
    at = strstr(line, name);
    return at != NULL ? strtoll(at + strlen(name), NULL, 10) : -1;
}

#endif
