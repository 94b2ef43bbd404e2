/* test_lustre.c - stripes at creation and the group lock, against the library
 * that stands in for liblustreapi. Two ranks; no prefetching. */
#include "check.h"

#define LINE 64

static void forget_log(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        remove(getenv("STANDIN_LOG"));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void expect(const char *line, int times)
{
    FILE *log;
    char text[LINE];
    int met = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    log = fopen(getenv("STANDIN_LOG"), "r");
    while (log != NULL && fgets(text, sizeof(text), log) != NULL) {
        text[strcspn(text, "\n")] = '\0';
        met += strcmp(text, line) == 0;
    }
    if (log != NULL)
        fclose(log);
    if (met != times)
        fprintf(stderr, "\"%s\" is there %d times\n", line, met);
    CHECK_EQ(met, times);
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_File open_with(const char *path, const char *key, const char *value,
                          int amode)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Info info = MPI_INFO_NULL;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path, amode, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Only a new file can have them. */
static void test_stripes(const char *path)
{
    int create = MPI_MODE_CREATE | MPI_MODE_RDWR;
    MPI_File fh;

    forget_log();
    fh = open_with(path, "striping_factor", "4", create | MPI_MODE_EXCL);
    CHECK_OK(MPI_File_close(&fh));
    expect("create 0 -1 4", 1);
    fh = open_with(path, "striping_unit", "1048576", create);
    CHECK_OK(MPI_File_close(&fh));
    expect("create 1048576 -1 0", 0);
    CHECK_OK(check_rank == 0 ? MPI_File_delete(path, MPI_INFO_NULL) : 0);
    MPI_Barrier(MPI_COMM_WORLD);
    fh = open_with(path, "striping_factor", "many",
                   create | MPI_MODE_DELETE_ON_CLOSE);
    CHECK_OK(MPI_File_close(&fh));
    expect("create 0 -1 0", 0);
}

static void test_group_lock(const char *path)
{
    int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File fh;

    forget_log();
    fh = open_with(path, "shipio_group_lock", "7", amode);
    expect("lock 7", 2);
    expect("unlock 7", 0);
    CHECK_OK(MPI_File_close(&fh));
    expect("unlock 7", 2);
    /* One rank does not get it: the other would wait for ever. */
    forget_log();
    if (check_rank == 1)
        setenv("STANDIN_NO_LOCK", "1", 1);
    fh = open_with(path, "shipio_group_lock", "7", amode);
    expect("lock 7", 1);
    expect("unlock 7", 1);
    CHECK_OK(MPI_File_close(&fh));
    expect("unlock 7", 1);
}

int main(int argc, char **argv)
{
    char path[4096];

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "lustre");
    test_stripes(path);
    test_group_lock(path);
    return check_end();
}
