/* test_node.c - a node that has not enough for all its ranks: a mapping that
 * one rank cannot make, processors that they must share. Two ranks or more.
 * Linked with --wrap=mmap.
 */
#include "check.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "file.h"

#define PIECE 256
#define PIECES 64
#define LEN (PIECE * PIECES)

static int no_maps; /* here: nothing that is shared can be mapped */
static int met;

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);

void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off)
{
    if (no_maps && (flags & MAP_SHARED) != 0) {
        met++;
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return __real_mmap(at, len, prot, flags, fd, off);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static MPI_File open_file(MPI_Comm comm, const char *path, const char *mode)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "shipio_mode", mode);
    CHECK_OK(MPI_File_open(
        comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
        info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Every second piece of a rank's own, so that there are gaps. */
static void write_and_read(MPI_File fh, int salt)
{
    unsigned char data[LEN];
    MPI_Datatype type;
    int wrong = 0;

    MPI_Type_vector(PIECES, PIECE, 2 * PIECE * check_size, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    CHECK_OK(MPI_File_set_view(fh, (MPI_Offset)2 * PIECE * check_rank, MPI_BYTE,
                               type, "native", MPI_INFO_NULL));
    MPI_Type_free(&type);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < LEN; i++)
            data[i] = check_byte(i, salt + round + check_rank);
        CHECK_OK(MPI_File_write_at_all(fh, 0, data, LEN, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
        memset(data, 0, sizeof(data));
        CHECK_OK(MPI_File_read_at_all(fh, 0, data, LEN, MPI_BYTE,
                                      MPI_STATUS_IGNORE));
        for (int i = 0; i < LEN; i++)
            wrong += data[i] != check_byte(i, salt + round + check_rank);
    }
    CHECK_EQ(wrong, 0);
}

static void lose_maps(int lose)
{
    no_maps = lose && check_rank == check_size - 1;
}

/* The file's own mapping, and the stripe buffers. */
static void test_maps_fail_after_open(const char *path, const char *mode)
{
    MPI_Comm comm;
    MPI_File fh;

    /* What another file has left mapped would do. */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    fh = open_file(comm, path, mode);
    met = 0;
    lose_maps(1);
    write_and_read(fh, 1);
    CHECK_EQ(met > 0, check_rank == check_size - 1);
    lose_maps(0);
    write_and_read(fh, 50);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Comm_free(&comm);
}

/* The memory that a file has from its team: messages do without. */
static void test_maps_fail_at_open(const char *path)
{
    char name[600];
    MPI_File first = open_file(MPI_COMM_WORLD, path, "ship");
    MPI_File second;

    snprintf(name, sizeof(name), "%s-second", path);
    for (int i = 0; i < 3; i++) {
        met = 0;
        lose_maps(1);
        second = open_file(MPI_COMM_WORLD, name, "ship");
        CHECK_EQ(met > 0, check_rank == check_size - 1);
        lose_maps(0);
        write_and_read(second, 90);
        CHECK_OK(MPI_File_close(&second));
    }
    second = open_file(MPI_COMM_WORLD, name, "ship");
    write_and_read(second, 120);
    CHECK_OK(MPI_File_close(&second));
    write_and_read(first, 150);
    CHECK_OK(MPI_File_close(&first));
}

/* Ranks that are all bound to one processor never spin. */
static void test_one_processor(const char *path)
{
    cpu_set_t mine;
    cpu_set_t all;
    cpu_set_t one;
    MPI_Comm comm;
    MPI_File fh;

    CPU_ZERO(&one);
    CHECK_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
    MPI_Allreduce(&mine, &all, (int)sizeof(mine), MPI_BYTE, MPI_BOR,
                  MPI_COMM_WORLD);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0 && cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    for (int bound = 0; bound < 2; bound++) {
        CHECK_EQ(sched_setaffinity(0, sizeof(one), bound ? &one : &mine), 0);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        fh = open_file(comm, path, "auto");
        CHECK_EQ(shipio_file_find(fh)->shm->spin > 0,
                 !bound && check_size <= CPU_COUNT(&all));
        CHECK_OK(MPI_File_close(&fh));
        MPI_Comm_free(&comm);
    }
    CHECK_EQ(sched_setaffinity(0, sizeof(mine), &mine), 0);
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "node");
    alarm(50);
    test_maps_fail_after_open(path, "auto");
    test_maps_fail_at_open(path);
    test_one_processor(path);
    test_maps_fail_after_open(path, "ship");
    return check_end();
}
