/* suites/io500/workbench.c - md-workbench's way with small files: each process
 * looks at, reads and removes files of others and makes as many new ones, so
 * that the number of files stays. Names are made from numbers. */
#include "suites/io500/io500.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETS 10            /* folders of each process */
#define SLOWEST_S 1e-2     /* of one file, for the schedule */
#define CALLS 4            /* on a file: stat, read, delete, create */
#define FILE_SPACE 4096    /* of the numbers that its data is made from */
#define DATA_FILE 0x70000U /* apart from the data of the other phases */

enum work { CREATE, BENCH, DELETE };

/* One process's part of a phase. */
struct bench {
    struct io500 *io500;
    enum work work;
    int dir; /* the run's directory */
    int64_t done;
    struct pario_hist latency;
    struct pario_figures found; /* by what was read */
    char data[IO500_HARD_FILE + 8], got[IO500_HARD_FILE + 8];
    char name[96];
};

static const char *name_of(struct bench *bench, int64_t owner, int set,
                           int64_t file)
{
    snprintf(bench->name, sizeof(bench->name), "w%lld.s%d/w%lld",
             (long long)owner, set, (long long)file);
    return bench->name;
}

static const char *folder_of(struct bench *bench, int64_t owner, int set)
{
    snprintf(bench->name, sizeof(bench->name), "w%lld.s%d", (long long)owner,
             set);
    return bench->name;
}

/* The bytes of every file differ, and tell whose they are. */
static struct pario_data_chunk chunk_of(const struct bench *bench,
                                        int64_t owner, int set, int64_t file)
{
    struct pario_data data = {bench->io500->run->data_key,
                              DATA_FILE + (uint64_t)set};
    int64_t size = pario_group_size(bench->io500->run->world);

    return (struct pario_data_chunk){
        .data = data,
        .offset = (file * size + owner) * FILE_SPACE,
        .base = {data.key, DATA_FILE},
    };
}

static int fail(const struct bench *bench, int code, const char *verb)
{
    return pario_fail_errno(code, "cannot %s %s/%s", verb,
                            bench->io500->run->directory, bench->name);
}

static int make_file(struct bench *bench, int64_t owner, int set, int64_t file)
{
    struct pario_data_chunk chunk = chunk_of(bench, owner, set, file);
    int fd = openat(bench->dir, name_of(bench, owner, set, file),
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    ssize_t n;

    if (fd < 0)
        return fail(bench, -errno, "create");
    pario_data_stamp(&chunk.data, chunk.offset, bench->data, IO500_HARD_FILE);
    n = write(fd, bench->data, IO500_HARD_FILE);
    if (n != IO500_HARD_FILE || close(fd) != 0) {
        int code = n < 0 ? -errno : n != IO500_HARD_FILE ? -ENOSPC : -errno;

        if (n != IO500_HARD_FILE)
            close(fd);
        return fail(bench, code, "write");
    }
    return 0;
}

/* md-workbench compares within the time, too. */
static void compare(struct bench *bench, const struct pario_data_chunk *chunk)
{
    struct pario_data_error error;

    bench->found.checked_bytes += IO500_HARD_FILE;
    if (pario_data_check_stamped(chunk, bench->got, IO500_HARD_FILE, &error) ==
        0)
        return;
    if (bench->found.wrong_bytes == 0)
        snprintf(bench->found.wrong, sizeof(bench->found.wrong),
                 "%s holds other data than was written", bench->name);
    bench->found.wrong_bytes += error.wrong_bytes;
}

static int look_and_read(struct bench *bench, int64_t owner, int set,
                         int64_t file)
{
    struct pario_data_chunk chunk = chunk_of(bench, owner, set, file);
    const char *name = name_of(bench, owner, set, file);
    struct stat st;
    ssize_t n;
    int fd;

    if (fstatat(bench->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return fail(bench, -errno, "stat");
    fd = openat(bench->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail(bench, -errno, "open");
    n = read(fd, bench->got, IO500_HARD_FILE);
    if (n != IO500_HARD_FILE || st.st_size != IO500_HARD_FILE) {
        int code = n < 0 ? -errno : PARIO_ESHORT;

        close(fd);
        return fail(bench, code, "read");
    }
    close(fd);
    if (bench->io500->run->common.verify != PARIO_VERIFY_OFF)
        compare(bench, &chunk);
    return 0;
}

static int remove_file(struct bench *bench, int64_t owner, int set,
                       int64_t file)
{
    if (unlinkat(bench->dir, name_of(bench, owner, set, file), 0) != 0)
        return fail(bench, -errno, "remove");
    return 0;
}

/* File number `file` of a set: the oldest of another process goes, and yet
 * another one's folder gets a new one. */
static int replace_file(struct bench *bench, int set, int64_t file)
{
    int64_t size = pario_group_size(bench->io500->run->world);
    int64_t rank = pario_group_rank(bench->io500->run->world);
    int64_t from = (rank - (set + 1) % size + size) % size;
    int code = look_and_read(bench, from, set, file);

    if (code == 0)
        code = remove_file(bench, from, set, file);
    return code != 0 ? code
                     : make_file(bench, (rank + set + 1) % size, set,
                                 file + bench->io500->workbench.per_set);
}

static int on_folders(struct bench *bench)
{
    int64_t rank = pario_group_rank(bench->io500->run->world);
    int code = 0;

    for (int set = 0; code == 0 && set < SETS; set++) {
        const char *name = folder_of(bench, rank, set);
        int failed = bench->work == CREATE
                         ? mkdirat(bench->dir, name, 0777)
                         : unlinkat(bench->dir, name, AT_REMOVEDIR);

        if (failed)
            code =
                fail(bench, -errno, bench->work == CREATE ? "make" : "remove");
    }
    return code;
}

static int on_file(struct bench *bench, int64_t rank, int set, int64_t file)
{
    switch (bench->work) {
    case CREATE:
        return make_file(bench, rank, set, file);
    case BENCH:
        return replace_file(bench, set, file);
    default:
        return remove_file(bench, rank, set, file);
    }
}

static void pass_on(struct bench *bench, struct pario_figures *figures)
{
    figures->checked_bytes += bench->found.checked_bytes;
    figures->wrong_bytes += bench->found.wrong_bytes;
    if (bench->found.wrong_bytes > 0)
        memcpy(figures->wrong, bench->found.wrong, sizeof(bench->found.wrong));
    bench->found = (struct pario_figures){.wrong_bytes = 0};
}

static int loop(void *arg, struct pario_phase *phase)
{
    struct bench *bench = arg;
    const struct io500_stock *workbench = &bench->io500->workbench;
    int64_t rank = pario_group_rank(bench->io500->run->world);
    int64_t last_ns = pario_clock_ns();
    int code = bench->work == CREATE ? on_folders(bench) : 0;

    for (int64_t i = 0; code == 0 && i < workbench->per_set * SETS; i++) {
        int64_t now_ns;

        code =
            on_file(bench, rank, (int)(i % SETS), workbench->oldest + i / SETS);
        now_ns = pario_clock_ns();
        pario_hist_add(&bench->latency, now_ns - last_ns);
        last_ns = now_ns;
        bench->done += code == 0;
    }
    if (code == 0 && bench->work == DELETE)
        code = on_folders(bench);
    phase->figures.operations =
        bench->work == BENCH ? bench->done * CALLS : bench->done + SETS;
    if (bench->work != DELETE)
        phase->figures.written_bytes = bench->done * IO500_HARD_FILE;
    phase->figures.bytes =
        phase->figures.written_bytes * (bench->work == BENCH ? 2 : 1);
    pass_on(bench, &phase->figures);
    return code;
}

/* What was made is there and holds its data, what was removed is gone. */
static int check_set(struct bench *bench, int set)
{
    const struct io500_stock *workbench = &bench->io500->workbench;
    int64_t rank = pario_group_rank(bench->io500->run->world);
    int64_t last = workbench->oldest + workbench->per_set - 1;
    int64_t gone = bench->work == DELETE ? last : workbench->oldest - 1;
    struct stat st;

    if (gone >= 0 && fstatat(bench->dir, name_of(bench, rank, set, gone), &st,
                             AT_SYMLINK_NOFOLLOW) == 0)
        return pario_fail(PARIO_EVERIFY,
                          "%s is still there after it was removed",
                          bench->name);
    return bench->work == DELETE ? 0 : look_and_read(bench, rank, set, last);
}

static int check(void *arg, struct pario_phase *phase)
{
    struct bench *bench = arg;
    int code = 0;

    if (bench->work == BENCH)
        bench->io500->workbench.oldest += bench->io500->workbench.per_set;
    for (int set = 0; code == 0 && set < SETS; set++)
        code = check_set(bench, set);
    pass_on(bench, &phase->figures);
    return code;
}

static const struct pario_phase_calls calls = {.loop = loop, .check = check};

static int run_once(struct bench *bench, const struct io500_phase *what,
                    struct pario_phase *phase)
{
    struct pario_run *run = bench->io500->run;
    double files = (double)(bench->io500->workbench.per_set * SETS);

    bench->done = 0;
    memset(&bench->latency, 0, sizeof(bench->latency));
    pario_run_phase(run, files * SLOWEST_S, "%s", what->name);
    *phase = (struct pario_phase){
        .run = run,
        .group = run->world,
        .path = run->directory,
        .shared = 1,
        .writing = 1,
        .reading = bench->work == BENCH,
        .names = 1,
        .unsynced = 1, /* as md-workbench */
        .latency = &bench->latency,
    };
    return pario_phase_run(phase, &calls, bench);
}

/* As many files as mdtest-easy would have made in 60 s, as IO500 does it. */
static void choose_number(struct io500 *io500)
{
    int number = pario_io500_find("mdtest-easy-write", 17);
    double seconds =
        io500->options->stonewall_s < 60 ? io500->options->stonewall_s : 60;
    double files = io500->values[number] * 1000 * seconds /
                   pario_group_size(io500->run->world) / SETS;
    int64_t most = io500->how[IO500_HARD].files / SETS;

    io500->workbench.per_set = files < (double)most ? (int64_t)files : most;
    if (io500->workbench.per_set < 1)
        io500->workbench.per_set = 1;
}

int io500_workbench(struct io500 *io500, const struct io500_phase *what,
                    struct pario_phase *phase)
{
    struct pario_run *run = io500->run;
    struct bench bench = {.io500 = io500, .work = CREATE};
    struct pario_data base = {run->data_key, DATA_FILE};
    int code = 0;

    if (strcmp(what->access, "bench") == 0)
        bench.work = BENCH;
    else if (strcmp(what->access, "delete") == 0)
        bench.work = DELETE;
    else
        choose_number(io500);
    pario_data_fill(&base, 0, bench.data, IO500_HARD_FILE);
    bench.dir =
        pario_own_open(run->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (bench.dir < 0)
        code = pario_fail_errno(-errno, "cannot open %s", run->directory);
    code = pario_agree(run->world, code);
    /* The second pass counts, as in IO500. */
    if (code == 0 && bench.work == BENCH)
        code = run_once(&bench, what, phase);
    if (code == 0)
        code = run_once(&bench, what, phase);
    if (bench.dir >= 0)
        close(bench.dir);
    return code;
}
