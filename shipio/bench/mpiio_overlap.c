/*
 * mpiio_overlap.c - how much of a nonblocking access is hidden behind
 * computing: mpiio_overlap FOLDER MIB ROUNDS
 *
 * Each round takes the time of the access alone, of as much computing alone,
 * and of both at once; overlap = (access + computing - both) / the shorter of
 * the two. The MPI library's own MPI-IO (PMPI_File_*) and what was preloaded
 * (MPI_File_*) take turns; without a preload both are the same. One line of CSV
 * for each library and way: library,way,access_ms,computing_ms,both_ms,overlap,
 * medians of all rounds, of the slowest process.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS_MAX 101

enum way { IWRITE, IWRITE_ALL, SPLIT_WRITE, IREAD, WAYS };

static const char *const way_names[WAYS] = {"iwrite_at", "iwrite_at_all",
                                            "write_at_all_begin", "iread_at"};

struct bench {
    char path[512];
    char *data;
    int len;
    int rank;
    int native; /* else what was preloaded */
    MPI_File files[2];
    MPI_Request request;
    volatile double sink;
};

static MPI_File file_of(const struct bench *b)
{
    return b->files[b->native];
}

static MPI_Offset offset_of(const struct bench *b)
{
    return (MPI_Offset)b->rank * b->len;
}

static int start(struct bench *b, enum way way)
{
    MPI_Offset at = offset_of(b);
    MPI_File file = file_of(b);

    switch (way) {
    case IWRITE:
        return (b->native ? PMPI_File_iwrite_at : MPI_File_iwrite_at)(
            file, at, b->data, b->len, MPI_BYTE, &b->request);
    case IWRITE_ALL:
        return (b->native ? PMPI_File_iwrite_at_all : MPI_File_iwrite_at_all)(
            file, at, b->data, b->len, MPI_BYTE, &b->request);
    case SPLIT_WRITE:
        return (b->native ? PMPI_File_write_at_all_begin
                          : MPI_File_write_at_all_begin)(file, at, b->data,
                                                         b->len, MPI_BYTE);
    case IREAD:
    case WAYS:
    default:
        return (b->native ? PMPI_File_iread_at : MPI_File_iread_at)(
            file, at, b->data, b->len, MPI_BYTE, &b->request);
    }
}

static int finish(struct bench *b, enum way way)
{
    MPI_Status status;

    if (way == SPLIT_WRITE)
        return (b->native
                    ? PMPI_File_write_at_all_end
                    : MPI_File_write_at_all_end)(file_of(b), b->data, &status);
    return (b->native ? PMPI_Wait : MPI_Wait)(&b->request, &status);
}

static void compute(struct bench *b, long steps)
{
    double x = 1;

    for (long i = 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
    b->sink = x;
}

/* Seconds of the slowest process; what was read is not to be had again from
 * the cache. */
static double timed(struct bench *b, enum way way, int access, long steps)
{
    double seconds, most;

    if (way == IREAD && access) {
        if (b->rank == 0 && truncate(b->path, 0) == 0)
            (void)!truncate(b->path, (off_t)1 << 30);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    if (access && start(b, way) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    compute(b, steps);
    if (access && finish(b, way) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof(*values), ascending);
    return values[n / 2];
}

/* Computes as long as the access takes, by the speed of the last round. */
static void measure(struct bench *b, enum way way, int rounds, double per_step)
{
    static double access[2][ROUNDS_MAX], computing[2][ROUNDS_MAX];
    static double both[2][ROUNDS_MAX], overlap[2][ROUNDS_MAX];

    for (int r = 0; r < rounds; r++)
        for (int turn = 0; turn < 2; turn++) {
            int n = (turn + r) % 2;
            double shorter;

            b->native = n;
            access[n][r] = timed(b, way, 1, 0);
            long steps = (long)(access[n][r] / per_step);
            computing[n][r] = timed(b, way, 0, steps);
            per_step = computing[n][r] / (double)(steps + 1);
            both[n][r] = timed(b, way, 1, steps);
            shorter =
                access[n][r] < computing[n][r] ? access[n][r] : computing[n][r];
            overlap[n][r] =
                (access[n][r] + computing[n][r] - both[n][r]) / shorter;
        }
    for (int n = 0; b->rank == 0 && n < 2; n++)
        printf("%s,%s,%.2f,%.2f,%.2f,%.2f\n", n ? "native" : "preloaded",
               way_names[way], 1e3 * median(access[n], rounds),
               1e3 * median(computing[n], rounds),
               1e3 * median(both[n], rounds), median(overlap[n], rounds));
}

int main(int argc, char **argv)
{
    struct bench b = {.request = MPI_REQUEST_NULL};
    int rounds = argc > 3 ? atoi(argv[3]) : 7;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    long steps = 20000000;
    double per_step;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    b.len = (argc > 2 ? atoi(argv[2]) : 4) << 20;
    b.data = malloc((size_t)b.len);
    if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX || b.data == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    memset(b.data, b.rank + 1, (size_t)b.len);
    snprintf(b.path, sizeof(b.path), "%s/mpiio_overlap", argv[1]);
    if (MPI_File_open(MPI_COMM_WORLD, b.path, mode, MPI_INFO_NULL,
                      &b.files[0]) != MPI_SUCCESS ||
        PMPI_File_open(MPI_COMM_WORLD, b.path, mode, MPI_INFO_NULL,
                       &b.files[1]) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    per_step = timed(&b, IWRITE, 0, steps) / (double)steps;
    for (int way = 0; way < WAYS; way++)
        measure(&b, (enum way)way, rounds, per_step);
    PMPI_File_close(&b.files[1]);
    MPI_File_close(&b.files[0]);
    if (b.rank == 0)
        (void)unlink(b.path);
    free(b.data);
    MPI_Finalize();
    return 0;
}
