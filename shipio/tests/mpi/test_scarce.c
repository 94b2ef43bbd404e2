/* test_scarce.c - between nodes one rank cannot have what a collective call
 * needs: the first allocation of the call, the second one, and so on to the
 * last. All ranks have the data in the file, or all of them an error, and the
 * next call works; what is refused is remembered. Two ranks or more,
 * SHIPIO_NODES=2. Linked with
 * --wrap=malloc,calloc,realloc,mmap,pthread_create.
 */
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define PIECE 300
#define PIECES 40
#define LEN (PIECE * PIECES)

static _Atomic int armed; /* the armed-th allocation fails; 0: none */
static _Atomic int met;
static _Atomic int lists;   /* made longer, on this rank */
static _Atomic int no_list; /* none can be */

static int fails(void)
{
    if (armed <= 0 || atomic_fetch_sub(&armed, 1) != 1)
        return 0;
    met = 1;
    return 1;
}

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
void *__real_calloc(size_t n, size_t len);
void *__wrap_calloc(size_t n, size_t len);
void *__real_realloc(void *old, size_t len);
void *__wrap_realloc(void *old, size_t len);
void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument);

void *__wrap_malloc(size_t len)
{
    return fails() ? NULL : __real_malloc(len);
}

void *__wrap_calloc(size_t n, size_t len)
{
    return fails() ? NULL : __real_calloc(n, len);
}

void *__wrap_realloc(void *old, size_t len)
{
    lists++;
    return no_list || fails() ? NULL : __real_realloc(old, len);
}

void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off)
{
    if (!fails())
        return __real_mmap(at, len, prot, flags, fd, off);
    errno = ENOMEM;
    return MAP_FAILED;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument)
{
    if (fails())
        return EAGAIN;
    return __real_pthread_create(thread, attributes, body, argument);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static MPI_File open_shipped(MPI_Comm comm, const char *path)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Datatype one;
    MPI_Datatype tile;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", "ship");
    MPI_Info_set(info, "IBM_io_buffer_size", "4096");
    CHECK_OK(MPI_File_open(
        comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
        info, &fh));
    MPI_Info_free(&info);
    MPI_Type_contiguous(PIECE, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, check_times(PIECE, check_size), &tile);
    MPI_Type_commit(&tile);
    CHECK_OK(MPI_File_set_view(fh, check_times(PIECE, check_rank), MPI_BYTE,
                               tile, "native", MPI_INFO_NULL));
    MPI_Type_free(&one);
    MPI_Type_free(&tile);
    return fh;
}

/* Returns true when all ranks could; false when none could. */
static int all_could(int code)
{
    int bad[2] = {code != MPI_SUCCESS, code == MPI_SUCCESS};
    int sum[2];

    MPI_Allreduce(bad, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQ(sum[0] == 0 || sum[1] == 0, 1);
    return sum[0] == 0;
}

/* The n-th allocation of a write or a read fails on one rank; true when there
 * was one. */
static int nth_fails(const char *path, int n, int victim, int reading)
{
    unsigned char data[LEN];
    MPI_File fh;
    MPI_Comm comm;
    int wrong = 0;
    int code;
    int any = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    fh = open_shipped(comm, path);
    for (int i = 0; i < LEN; i++)
        data[i] = check_byte(i, n + check_rank);
    met = 0;
    armed = check_rank == victim && !reading ? n : 0;
    code = MPI_File_write_at_all(fh, 0, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE);
    armed = 0;
    if (!all_could(code))
        CHECK_OK(MPI_File_write_at_all(fh, 0, data, LEN, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
    memset(data, 0, sizeof(data));
    armed = check_rank == victim && reading ? n : 0;
    /* Not the write's route. */
    code = MPI_File_read_at_all(fh, 0, data, LEN - reading, MPI_BYTE,
                                MPI_STATUS_IGNORE);
    armed = 0;
    if (!all_could(code))
        CHECK_OK(MPI_File_read_at_all(fh, 0, data, LEN - reading, MPI_BYTE,
                                      MPI_STATUS_IGNORE));
    for (int i = 0; i < LEN - reading; i++)
        wrong += data[i] != check_byte(i, n + check_rank);
    CHECK_EQ(wrong, 0);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Comm_free(&comm);
    code = met;
    MPI_Allreduce(&code, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any;
}

static int lists_of_all(void)
{
    int mine = lists;
    int sum = 0;

    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* One rank cannot make its list of pieces: that is not tried again in each
 * call, but in another one, and after many. */
static void test_what_is_refused_is_remembered(const char *path)
{
    unsigned char data[LEN];
    MPI_File fh = open_shipped(MPI_COMM_WORLD, path);
    int made;

    memset(data, check_rank + 1, sizeof(data));
    no_list = check_rank == check_size - 1;
    CHECK_OK(
        MPI_File_write_at_all(fh, 0, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
    made = lists_of_all();
    for (int i = 0; i < 10; i++)
        CHECK_OK(MPI_File_write_at_all(fh, check_times(LEN, i), data, LEN,
                                       MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(lists_of_all(), made);
    CHECK_OK(MPI_File_write_at_all(fh, 0, data, LEN - PIECE, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    CHECK_EQ(lists_of_all() > made, 1);
    no_list = 0;
    made = lists_of_all();
    for (int i = 0; i < 100; i++)
        CHECK_OK(MPI_File_read_at_all(fh, 0, data, LEN - PIECE, MPI_BYTE,
                                      MPI_STATUS_IGNORE));
    CHECK_EQ(lists_of_all() > made, 1);
    for (int i = 0; i < LEN; i++)
        made += data[i] != check_rank + 1 ? 1000000 : 0;
    CHECK_EQ(made < 1000000, 1);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char path[512];
    int total = 0;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "scarce");
    for (int reading = 0; reading < 2; reading++) {
        /* One that is no leader, and the leader of another node than rank 0's.
         */
        const int victims[2] = {1, check_size / 2};

        for (int i = check_size > 2 ? 0 : 1; i < 2; i++) {
            int n = 1;

            while (nth_fails(path, n, victims[i], reading))
                n++;
            total += n - 1;
        }
    }
    CHECK_EQ(total > 40, 1);
    test_what_is_refused_is_remembered(path);
    return check_end();
}
