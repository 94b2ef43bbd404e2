/* test_lock.c - with shipio_lock every access waits for others' locks. */
#include <fcntl.h>
#include <time.h>

#include "check.h"

#define LEN 100
#define HELD_S 0.4

static void set_lock(int fd, short kind)
{
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_len = LEN};

    CHECK_EQ(fcntl(fd, F_OFD_SETLKW, &lock), 0);
}

/* Rank 0 holds a lock of its own on the bytes that rank 1 wants. */
static void test_waits(const char *path, int write)
{
    MPI_File fh = MPI_FILE_NULL;
    unsigned char buf[LEN];
    struct timespec held = {.tv_nsec = (long)(HELD_S * 1e9)};
    double start;
    int fd = -1;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR |
                               MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    memset(buf, 7, LEN);
    if (check_rank == 0) {
        CHECK_OK(
            MPI_File_write_at(fh, 0, buf, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
        fd = open(path, O_RDWR | O_CLOEXEC);
        set_lock(fd, F_WRLCK);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (check_rank == 0) {
        nanosleep(&held, NULL);
        set_lock(fd, F_UNLCK);
        close(fd);
    } else if (check_rank == 1) {
        if (write)
            CHECK_OK(MPI_File_write_at(fh, 0, buf, LEN, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
        else
            CHECK_OK(
                MPI_File_read_at(fh, 0, buf, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_EQ(MPI_Wtime() - start > HELD_S / 2, 1);
    }
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char path[4096];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "lock");
    test_waits(path, 0);
    test_waits(path, 1);
    return check_end();
}
