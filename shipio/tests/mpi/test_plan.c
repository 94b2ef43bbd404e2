/* test_plan.c - ranks that see the file system differently act as one: another
 * block size, no locks, locks that the others do not see. Two ranks or more,
 * SHIPIO_STORAGE=remote, SHIPIO_STATS_JSON. Linked with --wrap=fstat,fcntl.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>

#define PIECE 8192
#define FAR ((MPI_Offset)1 << 20)
#define LONG (6 << 20) /* longer to write than a request costs */
#define SMALL 512
#define PIECES 256

enum locking { SHARED, NONE, OF_THIS_RANK };

static int block;            /* that fstat says; 0: as it is */
static enum locking locking; /* what fcntl does */
static int locks_left = -1;  /* until there are none; -1: any number */

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

int __wrap_fstat(int fd, struct stat *st)
{
    int rc = __real_fstat(fd, st);

    if (rc == 0 && block != 0)
        st->st_blksize = block;
    return rc;
}

static int lock_file(int fd, int command, struct flock *lock)
{
    if (lock->l_type != F_UNLCK && command != F_OFD_GETLK && locks_left == 0)
        locking = NONE;
    if (locks_left > 0 && command == F_OFD_SETLKW && lock->l_type == F_WRLCK)
        locks_left--;
    if (locking == NONE) {
        errno = ENOLCK;
        return -1;
    }
    if (locking == OF_THIS_RANK) {
        if (command == F_OFD_GETLK)
            lock->l_type = F_UNLCK;
        return 0;
    }
    return __real_fcntl(fd, command, lock);
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list arguments;
    struct flock *lock;
    int value;

    va_start(arguments, command);
    if (command == F_OFD_SETLK || command == F_OFD_SETLKW ||
        command == F_OFD_GETLK) {
        lock = va_arg(arguments, struct flock *);
        va_end(arguments);
        return lock_file(fd, command, lock);
    }
    value = va_arg(arguments, int);
    va_end(arguments);
    return __real_fcntl(fd, command, value);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static MPI_File open_file(const char *path, int amode)
{
    MPI_File fh = MPI_FILE_NULL;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           amode | MPI_MODE_CREATE | MPI_MODE_RDWR |
                               MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    return fh;
}

/* Far apart, and larger than one rank's blocks but not than another's. */
static void test_block_sizes_differ(const char *path)
{
    static char data[PIECE];
    MPI_File fh;

    block = check_rank == 0 ? 4096 : 1 << 20;
    fh = open_file(path, 0);
    memset(data, 1 + check_rank, sizeof(data));
    CHECK_OK(MPI_File_write_at_all(fh, FAR * check_rank, data, PIECE, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    memset(data, 0, sizeof(data));
    CHECK_OK(MPI_File_read_at_all(fh, FAR * check_rank, data, PIECE, MPI_BYTE,
                                  MPI_STATUS_IGNORE));
    CHECK_EQ(data[0], 1 + check_rank);
    CHECK_OK(MPI_File_close(&fh));
    block = 0;
}

/* Long pieces, but shorter than a block: no two ranks write into one. */
static void test_long_pieces_do_not_share_blocks(const char *path)
{
    char *data = malloc(LONG);
    MPI_File fh;

    block = 16 << 20;
    fh = open_file(path, 0);
    memset(data, 1 + check_rank, LONG);
    CHECK_OK(MPI_File_write_at_all(fh, (MPI_Offset)LONG * check_rank, data,
                                   LONG, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(check_stat("accesses_shipped"), check_size);
    block = 0;
    free(data);
}

static int sieves(MPI_File fh)
{
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;

    CHECK_OK(MPI_File_get_info(fh, &info));
    MPI_Info_get(info, "shipio_sieve", MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    return strcmp(value, "true") == 0;
}

/* Every rank writes its own pieces, some rounds, at the same time; none is
 * written over by a window of another rank. */
static void write_interleaved(MPI_File fh)
{
    static char data[SMALL * PIECES];

    check_interleave(fh, PIECES, SMALL);
    for (int round = 1; round <= 8; round++) {
        int wrong = 0;

        memset(data, 16 * check_rank + round, sizeof(data));
        CHECK_OK(MPI_File_write_at(fh, 0, data, sizeof(data), MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_sync(fh));
        memset(data, 0, sizeof(data));
        CHECK_OK(MPI_File_read_at(fh, 0, data, sizeof(data), MPI_BYTE,
                                  MPI_STATUS_IGNORE));
        for (size_t i = 0; i < sizeof(data); i++)
            wrong += data[i] != (char)(16 * check_rank + round);
        CHECK_EQ(wrong, 0);
        CHECK_OK(MPI_File_sync(fh));
    }
}

static void test_locks(const char *path, enum locking last, int expected)
{
    MPI_File fh;

    locking = check_rank == check_size - 1 ? last : SHARED;
    fh = open_file(path, MPI_MODE_UNIQUE_OPEN);
    CHECK_EQ(sieves(fh), expected);
    write_interleaved(fh);
    CHECK_OK(MPI_File_close(&fh));
    locking = SHARED;
}

/* The locks end while the file is open: pieces are written without. */
static void test_locks_end(const char *path)
{
    MPI_File fh = open_file(path, MPI_MODE_UNIQUE_OPEN);

    CHECK_EQ(sieves(fh), 1);
    if (check_rank == check_size - 1)
        locks_left = 2;
    write_interleaved(fh);
    CHECK_OK(MPI_File_close(&fh));
    locks_left = -1;
    locking = SHARED;
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "plan");
    alarm(40); /* ranks that disagree wait for each other */
    test_block_sizes_differ(path);
    test_long_pieces_do_not_share_blocks(path);
    test_locks(path, SHARED, 1);
    test_locks(path, NONE, 0);
    test_locks(path, OF_THIS_RANK, 0);
    test_locks_end(path);
    return check_end();
}
