/* An MPI program of known I/O: mpi_program WAY FOLDER. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N 64

static int rank, size;
static double data[N * N];

static void need(int rc)
{
    if (rc != MPI_SUCCESS) {
        fprintf(stderr, "mpi_program: error %d\n", rc);
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
}

static MPI_File open_file(MPI_Comm comm, const char *name)
{
    MPI_Info info;
    MPI_File fh;

    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "1048576");
    need(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Rows of a matrix: a view that interleaves the processes, and memory with a
 * gap in each row. */
static void views(void)
{
    MPI_File fh = open_file(MPI_COMM_WORLD, "views");
    int sizes[2] = {N, N}, parts[2] = {N / size, N}, at[2] = {0, 0};
    MPI_Datatype rows, gaps;

    at[0] = rank * (N / size);
    MPI_Type_create_subarray(2, sizes, parts, at, MPI_ORDER_C, MPI_DOUBLE,
                             &rows);
    MPI_Type_commit(&rows);
    MPI_Type_vector(N / size, N / 2, N, MPI_DOUBLE, &gaps);
    MPI_Type_commit(&gaps);
    need(MPI_File_set_view(fh, 128, MPI_DOUBLE, rows, "native", MPI_INFO_NULL));
    for (int i = 0; i < 5; i++)
        need(MPI_File_write_all(fh, data, N * (N / size), MPI_DOUBLE,
                                MPI_STATUS_IGNORE));
    need(MPI_File_seek(fh, 0, MPI_SEEK_SET));
    need(MPI_File_read_all(fh, data, 1, gaps, MPI_STATUS_IGNORE));
    need(MPI_File_read_at(fh, 3, data, 7, MPI_DOUBLE, MPI_STATUS_IGNORE));
    need(MPI_File_sync(fh));
    need(MPI_File_close(&fh));
    MPI_Type_free(&rows);
    MPI_Type_free(&gaps);
}

static void nonblocking(void)
{
    MPI_File fh = open_file(MPI_COMM_WORLD, "nonblocking");
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Offset offset = (MPI_Offset)rank * 4096;

    for (int i = 0; i < 4; i++)
        need(MPI_File_iwrite_at(fh, offset + i * 1024, data + i * 128, 1024,
                                MPI_BYTE, &requests[i]));
    need(MPI_Waitall(4, requests, statuses));
    MPI_Barrier(MPI_COMM_WORLD);
    need(MPI_File_write_at_all_begin(fh, offset, data, 1024, MPI_BYTE));
    need(MPI_File_write_at_all_end(fh, data, MPI_STATUS_IGNORE));
    need(MPI_File_iread_at(fh, offset, data, 1024, MPI_BYTE, &requests[0]));
    need(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    need(MPI_File_close(&fh));
}

static void groups(void)
{
    MPI_Comm half;
    MPI_File fh;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    fh = open_file(half, rank % 2 == 0 ? "even" : "odd");
    need(MPI_File_write_ordered(fh, data, 10 + rank, MPI_DOUBLE,
                                MPI_STATUS_IGNORE));
    need(MPI_File_close(&fh));
    MPI_Comm_free(&half);
    fh = open_file(MPI_COMM_SELF, rank == 0 ? "own0" : "own1");
    need(MPI_File_write(fh, data, 100, MPI_INT, MPI_STATUS_IGNORE));
    need(MPI_File_close(&fh));
}

/* For `pario advise`: many times the calls with one of the two libraries. */
static void uneven(int with_shipio)
{
    const char *preloaded = getenv("LD_PRELOAD");
    int shipio = preloaded != NULL && strstr(preloaded, "shipio") != NULL;
    int count = shipio == with_shipio ? 2000 : 20;
    MPI_File fh = open_file(MPI_COMM_SELF, rank == 0 ? "own0" : "own1");

    for (int i = 0; i < count; i++)
        need(MPI_File_write_at(fh, 0, data, sizeof(data), MPI_BYTE,
                               MPI_STATUS_IGNORE));
    need(MPI_File_close(&fh));
}

/* Collective writes of 1 MiB of each process, in interleaved pieces of 1 KiB.
 */
static void pieces(void)
{
    MPI_File fh = open_file(MPI_COMM_WORLD, "pieces");
    char *memory = calloc(1024, 1024);
    MPI_Datatype view;

    MPI_Type_vector(1024, 1024, 1024 * size, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    for (int i = 0; i < 20; i++) {
        MPI_Offset at = (MPI_Offset)i * size * 1048576 + rank * 1024;

        need(
            MPI_File_set_view(fh, at, MPI_BYTE, view, "native", MPI_INFO_NULL));
        need(MPI_File_write_all(fh, memory, 1048576, MPI_BYTE,
                                MPI_STATUS_IGNORE));
    }
    need(MPI_File_close(&fh));
    MPI_Type_free(&view);
    free(memory);
}

#define PIECE 65536
#define PIECES 100

/* A message of rank 0 to rank 1, by one of several calls; ranks are the other
 * way round in the second communicator. */
static void tell(int way, MPI_Comm turned)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status *volatile none = MPI_STATUSES_IGNORE; /* GCC: it is no array */
    int out = rank, in = -1, other = 1 - rank, first = size - 1;

    if (way == 0 && rank == 0) {
        need(MPI_Send(&out, 1, MPI_INT, 1, 7, MPI_COMM_WORLD));
    } else if (way == 0) {
        need(
            MPI_Recv(&in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else if (way == 1 && rank == 0) {
        need(MPI_Isend(&out, 1, MPI_INT, first - 1, 8, turned, requests));
        need(MPI_Wait(requests, MPI_STATUS_IGNORE));
    } else if (way == 1) {
        need(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, turned,
                       &requests[1]));
        need(MPI_Waitall(2, requests, none));
    } else {
        need(MPI_Sendrecv(&out, 1, MPI_INT, other, 9 + rank, &in, 1, MPI_INT,
                          other, 9 + other, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

/* Rank 1 reads the last piece that rank 0 wrote as soon as it knows of it. */
static void messages(void)
{
    MPI_Comm turned;
    MPI_File fh;

    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
    fh = open_file(MPI_COMM_SELF, "turns");
    for (int way = 0; way < 3 && rank < 2; way++) {
        MPI_Offset at = (MPI_Offset)way * PIECES * PIECE;
        MPI_Status status;
        int count = 0;

        for (int i = 0; i < PIECES && rank == 0; i++)
            need(MPI_File_write_at(fh, at + (MPI_Offset)i * PIECE, data,
                                   sizeof(data), MPI_BYTE, MPI_STATUS_IGNORE));
        tell(way, turned);
        if (rank == 0)
            continue;
        need(MPI_File_read_at(fh, at + (MPI_Offset)(PIECES - 1) * PIECE, data,
                              8, MPI_BYTE, &status));
        MPI_Get_count(&status, MPI_BYTE, &count);
        if (count != 8)
            MPI_Abort(MPI_COMM_WORLD, 9);
    }
    need(MPI_File_close(&fh));
    MPI_Comm_free(&turned);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 || chdir(argv[2]) != 0)
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(argv[1], "slow-native") == 0 ||
        strcmp(argv[1], "slow-shipio") == 0) {
        uneven(strcmp(argv[1], "slow-shipio") == 0);
        MPI_Finalize();
        return 0;
    }
    if (strcmp(argv[1], "pieces") == 0) {
        pieces();
        MPI_Finalize();
        return 0;
    }
    if (strcmp(argv[1], "messages") == 0) {
        messages();
        MPI_Finalize();
        return 0;
    }
    views();
    nonblocking();
    if (strcmp(argv[1], "views") == 0) { /* no shared pointer */
        MPI_Finalize();
        return 0;
    }
    groups();
    if (strcmp(argv[1], "abort") == 0 && rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (strcmp(argv[1], "abort") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "killed") == 0 && rank == size - 1)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
