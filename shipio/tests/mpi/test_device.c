/* test_device.c - memory of a GPU in the program's buffers, by a library that
 * stands in for CUDA's: only the MPI library's own calls may touch it. The last
 * rank has such memory, the others have not. The second argument names the
 * stand-in. Linked with --wrap for the calls that move data.
 */
#include "check.h"

#include <dlfcn.h>

#define PIECE 512
#define PIECES 200
#define LEN (PIECE * PIECES)

static int (*reach)(int reachable);
static int (*asked)(void);
static int passed; /* calls of the MPI library */
static int refusal;

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_PMPI_File_write_at(MPI_File fh, MPI_Offset offset, const void *buf,
                              int count, MPI_Datatype type, MPI_Status *status);
int __wrap_PMPI_File_write_at(MPI_File fh, MPI_Offset offset, const void *buf,
                              int count, MPI_Datatype type, MPI_Status *status);
int __real_PMPI_File_read_at(MPI_File fh, MPI_Offset offset, void *buf,
                             int count, MPI_Datatype type, MPI_Status *status);
int __wrap_PMPI_File_read_at(MPI_File fh, MPI_Offset offset, void *buf,
                             int count, MPI_Datatype type, MPI_Status *status);

int __wrap_PMPI_File_write_at(MPI_File fh, MPI_Offset offset, const void *buf,
                              int count, MPI_Datatype type, MPI_Status *status)
{
    int rc;

    passed++;
    if (refusal != 0)
        return refusal;
    reach(1);
    rc = __real_PMPI_File_write_at(fh, offset, buf, count, type, status);
    reach(0);
    return rc;
}

int __wrap_PMPI_File_read_at(MPI_File fh, MPI_Offset offset, void *buf,
                             int count, MPI_Datatype type, MPI_Status *status)
{
    int rc;

    passed++;
    reach(1);
    rc = __real_PMPI_File_read_at(fh, offset, buf, count, type, status);
    reach(0);
    return rc;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int is_last(void)
{
    return check_rank == check_size - 1;
}

static void fill(char *data, int salt)
{
    if (is_last())
        reach(1);
    for (int i = 0; i < LEN; i++)
        data[i] = salt < 0 ? 0 : (char)check_byte(i, salt + check_rank);
    if (is_last())
        reach(0);
}

static int wrong_bytes(const char *data, int salt)
{
    int wrong = 0;

    if (is_last())
        reach(1);
    for (int i = 0; i < LEN; i++)
        wrong += data[i] != (char)check_byte(i, salt + check_rank);
    if (is_last())
        reach(0);
    return wrong;
}

static MPI_Offset at(MPI_File fh)
{
    MPI_Offset disp;
    MPI_Datatype etype, filetype;
    char name[MPI_MAX_DATAREP_STRING];
    int count = 0;
    int rest;
    int kind = MPI_COMBINER_NAMED;

    MPI_File_get_view(fh, &disp, &etype, &filetype, name);
    MPI_Type_get_envelope(filetype, &rest, &rest, &count, &kind);
    if (kind == MPI_COMBINER_NAMED)
        return (MPI_Offset)LEN * check_rank;
    MPI_Type_free(&filetype);
    return 0;
}

static void write_blocking(MPI_File fh, char *data)
{
    CHECK_OK(
        MPI_File_write_at(fh, at(fh), data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void write_collective(MPI_File fh, char *data)
{
    MPI_Status status;

    CHECK_OK(MPI_File_write_at_all(fh, at(fh), data, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN);
}

static void write_split(MPI_File fh, char *data)
{
    CHECK_OK(MPI_File_write_at_all_begin(fh, at(fh), data, LEN, MPI_BYTE));
    CHECK_OK(MPI_File_write_at_all_end(fh, data, MPI_STATUS_IGNORE));
}

static void write_nonblocking(MPI_File fh, char *data)
{
    MPI_Request request;

    CHECK_OK(MPI_File_iwrite_at(fh, at(fh), data, LEN, MPI_BYTE, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_iwrite_at_all(fh, at(fh), data, LEN, MPI_BYTE, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Memory of a type with gaps. */
static void write_strided(MPI_File fh, char *data)
{
    MPI_Datatype type;

    MPI_Type_vector(PIECES, PIECE, PIECE, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    CHECK_OK(
        MPI_File_write_at_all(fh, at(fh), data, 1, type, MPI_STATUS_IGNORE));
    MPI_Type_free(&type);
}

static void read_blocking(MPI_File fh, char *data)
{
    MPI_Status status;

    CHECK_OK(MPI_File_read_at(fh, at(fh), data, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN);
}

static void read_collective(MPI_File fh, char *data)
{
    MPI_Status status;

    CHECK_OK(MPI_File_read_at_all(fh, at(fh), data, LEN, MPI_BYTE, &status));
    CHECK_EQ(check_count(&status), LEN);
}

static void read_nonblocking(MPI_File fh, char *data)
{
    MPI_Request request;

    CHECK_OK(MPI_File_iread_at(fh, at(fh), data, LEN, MPI_BYTE, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

typedef void mover(MPI_File fh, char *data);

/* Each way to write, read back by each way to read. */
static void test_all_ways(const char *path, char *data, int interleaved)
{
    static mover *const writers[] = {write_blocking, write_collective,
                                     write_split, write_nonblocking,
                                     write_strided};
    static mover *const readers[] = {read_blocking, read_collective,
                                     read_nonblocking};
    int salt = 10 * (1 + interleaved);

    for (size_t w = 0; w < sizeof(writers) / sizeof(writers[0]); w++)
        for (size_t r = 0; r < sizeof(readers) / sizeof(readers[0]); r++) {
            MPI_File fh = check_open_new(path);

            if (interleaved)
                check_interleave(fh, PIECES, PIECE);
            passed = 0;
            fill(data, ++salt);
            writers[w](fh, data);
            CHECK_EQ(passed > 0, is_last());
            CHECK_OK(MPI_File_sync(fh));
            MPI_Barrier(MPI_COMM_WORLD);
            fill(data, -1);
            passed = 0;
            readers[r](fh, data);
            CHECK_EQ(passed > 0, is_last());
            CHECK_EQ(wrong_bytes(data, salt), 0);
            CHECK_OK(MPI_File_close(&fh));
        }
}

static int handler_calls;

static void on_error(MPI_File *fh, int *code, ...)
{
    (void)fh;
    (void)code;
    handler_calls++;
}

/* The MPI library's error on one rank is that of all, reported once. */
static void test_error(const char *path, char *data)
{
    MPI_File fh = check_open_new(path);
    MPI_Errhandler handler;

    MPI_File_create_errhandler(on_error, &handler);
    CHECK_OK(MPI_File_set_errhandler(fh, handler));
    check_interleave(fh, PIECES, PIECE);
    refusal = MPI_ERR_NO_SPACE;
    CHECK_EQ(check_class(MPI_File_write_at_all(fh, 0, data, LEN, MPI_BYTE,
                                               MPI_STATUS_IGNORE)),
             MPI_ERR_NO_SPACE);
    CHECK_EQ(handler_calls, 1);
    refusal = 0;
    MPI_Errhandler_free(&handler);
    CHECK_OK(MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_File_close(&fh));
}

/* A library of that name that comes when the file is open already. */
static void *load(const char *name)
{
    union {
        void *object;
        int (*reach)(int reachable);
        int (*asked)(void);
        void *(*memory)(size_t len);
    } symbol;
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    CHECK_EQ(handle != NULL, 1);
    if (handle == NULL)
        return NULL;
    symbol.object = dlsym(handle, "standin_reach");
    reach = symbol.reach;
    symbol.object = dlsym(handle, "standin_asked");
    asked = symbol.asked;
    symbol.object = dlsym(handle, "standin_memory");
    return symbol.memory(LEN);
}

int main(int argc, char **argv)
{
    char path[512];
    char *host = calloc(1, LEN);
    char *data;
    MPI_File fh;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "device");
    alarm(50);
    fh = check_open_new(path);
    write_blocking(fh, host);
    CHECK_EQ(passed, 0);
    data = load(argc > 2 ? argv[2] : "libcuda.so.1");
    if (data != NULL) {
        write_blocking(fh, is_last() ? data : host);
        CHECK_EQ(passed > 0, is_last());
    }
    CHECK_OK(MPI_File_close(&fh));
    for (int interleaved = 0; data != NULL && interleaved < 2; interleaved++)
        test_all_ways(path, is_last() ? data : host, interleaved);
    if (data != NULL) {
        test_error(path, is_last() ? data : host);
        CHECK_EQ(asked() > 0, 1);
    }
    free(host);
    return check_end();
}
