/* test_targets.c - how many agents a file gets between nodes: at most one for
 * each node and for each target of a file on Lustre, as rank 0 sees it. Four
 * ranks, SHIPIO_NODES=4, SHIPIO_STATS_JSON. Linked with
 * --wrap=fstatfs,fgetxattr.
 */
#include "check.h"

#include <errno.h>
#include <stdint.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#define LUSTRE_MAGIC 0x0bd00bd0
#define LAYOUT_MAGIC 0x0bd10bd0u
#define STRIPE 65536
#define PIECE 1024
#define PIECES 256

static int targets; /* of the file, as this rank sees it; 0: no layout */

/* As liblustreapi has it, without the objects. */
struct layout {
    uint32_t magic;
    uint32_t pattern;
    uint64_t object[2];
    uint32_t stripe_size;
    uint16_t stripe_count;
    uint16_t generation;
};

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);
ssize_t __wrap_fgetxattr(int fd, const char *name, void *value, size_t size);

int __wrap_fstatfs(int fd, struct statfs *fs)
{
    int rc = __real_fstatfs(fd, fs);

    if (rc == 0)
        fs->f_type = LUSTRE_MAGIC;
    return rc;
}

ssize_t __wrap_fgetxattr(int fd, const char *name, void *value, size_t size)
{
    struct layout layout = {.magic = LAYOUT_MAGIC,
                            .stripe_size = STRIPE,
                            .stripe_count = (uint16_t)targets};

    (void)fd;
    if (targets == 0 || strcmp(name, "lustre.lov") != 0 ||
        size < sizeof(layout)) {
        errno = ENODATA;
        return -1;
    }
    memcpy(value, &layout, sizeof(layout));
    return sizeof(layout);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static MPI_File open_with(const char *path, const char *key, const char *value)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info;

    MPI_Info_create(&info);
    if (key != NULL)
        MPI_Info_set(info, key, value);
    MPI_Info_set(info, "shipio_mode", "ship");
    CHECK_OK(MPI_File_open(
        MPI_COMM_WORLD, path,
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Ranks take turns, piece by piece; what they wrote is there. */
static void write_and_read(MPI_File fh)
{
    static unsigned char data[PIECE * PIECES];
    long long wrong = 0;

    check_interleave(fh, PIECES, PIECE);
    for (int i = 0; i < PIECE * PIECES; i++)
        data[i] = check_byte(i, check_rank);
    CHECK_OK(MPI_File_write_at_all(fh, 0, data, sizeof(data), MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    memset(data, 0, sizeof(data));
    CHECK_OK(MPI_File_read_at_all(fh, 0, data, sizeof(data), MPI_BYTE,
                                  MPI_STATUS_IGNORE));
    for (int i = 0; i < PIECE * PIECES; i++)
        wrong += data[i] != check_byte(i, check_rank);
    CHECK_EQ(wrong, 0);
}

/* So many targets as rank 0 and as the others see them; with a hint. */
static void test_agents(const char *path, int first, int others,
                        const char *key, const char *value, int want)
{
    char text[16] = "";
    MPI_File fh;
    MPI_Info info;
    int found = 0;

    targets = check_rank == 0 ? first : others;
    fh = open_with(path, key, value);
    CHECK_OK(MPI_File_get_info(fh, &info));
    MPI_Info_get(info, "cb_nodes", sizeof(text) - 1, text, &found);
    CHECK_EQ(found, 1);
    CHECK_EQ(strtol(text, NULL, 10), want);
    MPI_Info_free(&info);
    write_and_read(fh);
    CHECK_OK(MPI_File_close(&fh));
    if (check_rank == 0) {
        CHECK_EQ(check_stat("agents"), want);
        CHECK_EQ(check_stat("accesses_shipped"), 2LL * check_size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    char path[512];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "targets");
    alarm(40); /* ranks that disagree wait for each other */
    test_agents(path, 0, 0, NULL, NULL, 4);
    test_agents(path, 8, 8, NULL, NULL, 4);
    test_agents(path, 3, 3, NULL, NULL, 3);
    test_agents(path, 1, 1, NULL, NULL, 1);
    /* What all there are is not known. */
    test_agents(path, UINT16_MAX, UINT16_MAX, NULL, NULL, 4);
    test_agents(path, 2, 3, NULL, NULL, 2);
    test_agents(path, 3, 0, NULL, NULL, 3);
    /* Who says how many has them. */
    test_agents(path, 2, 2, "cb_nodes", "4", 4);
    test_agents(path, 2, 2, "cb_config_list", "*:1", 4);
    return check_end();
}
