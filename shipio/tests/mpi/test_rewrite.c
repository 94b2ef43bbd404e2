/* test_rewrite.c - small pieces that are written again: stored to a mapping on
 * tmpfs, shipped where pages are on a device, and what rank 0 finds counts for
 * all. Two ranks or more, SHIPIO_STATS_JSON. Linked with --wrap=fstatfs.
 */
#include "check.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#define SMALL 512
#define PIECES 64
#define ROUNDS 4

static long kind; /* of the file system that fstatfs says */

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
    int rc = __real_fstatfs(fd, fs);

    if (rc == 0)
        fs->f_type = kind;
    return rc;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* The same bytes, ROUNDS times; the last values are there in the end. */
static void write_again(MPI_File fh)
{
    static char data[SMALL * PIECES];
    int wrong = 0;

    for (int round = 1; round <= ROUNDS; round++) {
        memset(data, 16 * check_rank + round, sizeof(data));
        CHECK_OK(MPI_File_write_at_all(fh, 0, data, sizeof(data), MPI_BYTE,
                                       MPI_STATUS_IGNORE));
    }
    memset(data, 0, sizeof(data));
    CHECK_OK(MPI_File_read_at(fh, 0, data, sizeof(data), MPI_BYTE,
                              MPI_STATUS_IGNORE));
    for (size_t i = 0; i < sizeof(data); i++)
        wrong += data[i] != (char)(16 * check_rank + ROUNDS);
    CHECK_EQ(wrong, 0);
}

/* What rank 0 sees and what the others do; so many rounds are shipped. */
static void test_rewrite(const char *path, long first, long others, int shipped)
{
    MPI_File fh;

    kind = check_rank == 0 ? first : others;
    fh = check_open_new(path);
    check_interleave(fh, PIECES, SMALL);
    write_again(fh);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0)
        CHECK_EQ(check_stat("accesses_shipped"), shipped * check_size);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "rewrite");
    alarm(40); /* ranks that disagree wait for each other */
    test_rewrite(path, TMPFS_MAGIC, TMPFS_MAGIC, 1);
    test_rewrite(path, EXT4_SUPER_MAGIC, EXT4_SUPER_MAGIC, ROUNDS);
    test_rewrite(path, EXT4_SUPER_MAGIC, TMPFS_MAGIC, ROUNDS);
    test_rewrite(path, TMPFS_MAGIC, EXT4_SUPER_MAGIC, 1);
    return check_end();
}
