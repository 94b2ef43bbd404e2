/*
 * faults_main.c - one MPI-IO call while storage fails under one agent.
 *
 *   shipio_faults FOLDER CALL EXPECT WHEN [hint=value ...]
 *
 * The fault comes from libpariofault.so, whose rules name the file by its
 * folder "hit"; the test's own look at the file goes by another name and never
 * meets it. The file's name is unique, because Open MPI locks a semaphore that
 * is named after it for the whole machine.
 *
 * EXPECT is "success" or an error class; WHEN says where all
 * ranks must have learnt of the error: "call" (all ranks from the faulty call
 * itself), "some" (an independent call: the ranks it concerns), "close" (each
 * rank at the latest from sync or close). Never may a call report
 * success when its data is not there.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK INT64_C(1000) /* not a divisor of any stripe */
#define BLOCKS 64           /* per rank */

struct test {
    const char *call;
    int expect;
    const char *when;
    MPI_Info info;
    char target[400];
    char mirror[400]; /* a second name of the same file */
    int rank;
    int size;
    MPI_File file;
    int call_class;  /* of the faulty call, on this rank */
    int later_class; /* of sync and close: the first error */
    int failed_at;   /* which of a series of calls failed first, from 1 */
    int failures;
};

static const struct {
    const char *name;
    int value;
} classes[] = {
    {"success", MPI_SUCCESS},
    {"no_space", MPI_ERR_NO_SPACE},
    {"quota", MPI_ERR_QUOTA},
    {"io", MPI_ERR_IO},
    {"access", MPI_ERR_ACCESS},
    {"read_only", MPI_ERR_READ_ONLY},
    {"no_such_file", MPI_ERR_NO_SUCH_FILE},
};

static const char *class_name(int value)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (classes[i].value == value)
            return classes[i].name;
    }
    return "another error";
}

static int class_of(int code)
{
    int value = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &value);
    return value;
}

static void complain(struct test *t, const char *what, int got)
{
    fprintf(stderr, "rank %d: %s: %s, wanted %s\n", t->rank, what,
            class_name(got), class_name(t->expect));
    t->failures++;
}

static unsigned char byte_at(int64_t offset, int generation)
{
    uint64_t x = (uint64_t)offset * 0x9e3779b97f4a7c15u + (uint64_t)generation;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    return (unsigned char)(x >> 56);
}

static int64_t file_offset(const struct test *t, int64_t i)
{
    return (i / BLOCK * t->size + t->rank) * BLOCK + i % BLOCK;
}

static void fill(const struct test *t, unsigned char *data, int generation)
{
    for (int64_t i = 0; data && i < BLOCK * BLOCKS; i++)
        data[i] = byte_at(file_offset(t, i), generation);
}

static bool is_read(const struct test *t)
{
    return strstr(t->call, "read") != NULL;
}

static bool is_collective(const struct test *t)
{
    return strcmp(t->when, "some") != 0;
}

/* Generation 0 stands in the file before. */
static void make_file(struct test *t)
{
    int64_t len = BLOCK * BLOCKS * t->size;
    unsigned char *data = malloc((size_t)len);
    /* The shell script made the folder "hit". */
    int fd = open(t->mirror, O_RDWR | O_CREAT | O_TRUNC, 0600);

    if (!data)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int64_t i = 0; data && i < len; i++)
        data[i] = byte_at(i, 0);
    if (fd < 0 || !data || pwrite(fd, data, (size_t)len, 0) != len ||
        link(t->mirror, t->target)) {
        fprintf(stderr, "cannot make %s: %s\n", t->target, strerror(errno));
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    close(fd);
    free(data);
}

static void set_view(struct test *t)
{
    MPI_Datatype block, view;

    MPI_Type_contiguous((int)BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, BLOCK * t->size, &view);
    MPI_Type_commit(&view);
    if (MPI_File_set_view(t->file, t->rank * BLOCK, MPI_BYTE, view, "native",
                          t->info) != MPI_SUCCESS)
        complain(t, "set_view", MPI_ERR_OTHER);
    MPI_Type_free(&view);
    MPI_Type_free(&block);
}

static int do_access(struct test *t, unsigned char *data, MPI_Status *status)
{
    const char *call = t->call;
    const int len = (int)(BLOCK * BLOCKS);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File f = t->file;
    int code = MPI_SUCCESS;

    if (!strcmp(call, "write_all"))
        return MPI_File_write_all(f, data, len, MPI_BYTE, status);
    if (!strcmp(call, "write_at"))
        return MPI_File_write_at(f, 0, data, len, MPI_BYTE, status);
    if (!strcmp(call, "read_all"))
        return MPI_File_read_all(f, data, len, MPI_BYTE, status);
    if (!strcmp(call, "read_at"))
        return MPI_File_read_at(f, 0, data, len, MPI_BYTE, status);
    if (!strcmp(call, "write_all_begin")) {
        code = MPI_File_write_all_begin(f, data, len, MPI_BYTE);
        int end = MPI_File_write_all_end(f, data, status);
        return code == MPI_SUCCESS ? end : code;
    }
    if (!strcmp(call, "iwrite_at_all") || !strcmp(call, "iwrite_then_all"))
        code = MPI_File_iwrite_at_all(f, 0, data, len, MPI_BYTE, &request);
    else if (!strcmp(call, "iwrite_at"))
        code = MPI_File_iwrite_at(f, 0, data, len, MPI_BYTE, &request);
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (!strcmp(call, "iwrite_then_all")) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return MPI_File_write_at_all(f, 0, data, len, MPI_BYTE, status);
    }
    if (request == MPI_REQUEST_NULL)
        return code;
    /* NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): one of two above */
    int end = MPI_Wait(&request, status);
    return code == MPI_SUCCESS ? end : code;
}

/*
 * Blocks of one kibibyte, one after another in the order of the ranks: over
 * what is there, behind the end of the file, or where the file has a hole.
 */
static int do_ordered(struct test *t, unsigned char *data)
{
    int64_t len = BLOCK * BLOCKS * t->size;
    int first = MPI_SUCCESS;

    if (!strcmp(t->call, "append_ordered"))
        MPI_File_seek_shared(t->file, 0, MPI_SEEK_END);
    if (!strcmp(t->call, "hole_ordered") &&
        (MPI_File_set_size(t->file, 0) != MPI_SUCCESS ||
         MPI_File_set_size(t->file, len) != MPI_SUCCESS))
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < BLOCKS; i++) {
        MPI_Status status;
        int code = MPI_File_write_ordered(t->file, data + i * BLOCK, (int)BLOCK,
                                          MPI_BYTE, &status);

        if (first == MPI_SUCCESS && code != MPI_SUCCESS) {
            first = code;
            t->failed_at = i + 1;
        }
    }
    return first;
}

static int do_other(struct test *t)
{
    int64_t len = BLOCK * BLOCKS * t->size;

    if (!strcmp(t->call, "set_size"))
        return MPI_File_set_size(t->file, 2 * len);
    if (!strncmp(t->call, "preallocate", strlen("preallocate")))
        return MPI_File_preallocate(t->file, 2 * len);
    return MPI_SUCCESS; /* sync, close, open: the fault comes later or did */
}

static void check_read(struct test *t, const unsigned char *data, int count)
{
    if (t->call_class != MPI_SUCCESS)
        return;
    if (count != BLOCK * BLOCKS) {
        fprintf(stderr, "rank %d: read %d bytes without an error\n", t->rank,
                count);
        t->failures++;
    }
    for (int64_t i = 0; i < count; i++) {
        if (data[i] != byte_at(file_offset(t, i), 0)) {
            fprintf(stderr, "rank %d: wrong byte %lld read\n", t->rank,
                    (long long)i);
            t->failures++;
            return;
        }
    }
}

static void run_call(struct test *t)
{
    unsigned char *data = malloc((size_t)(BLOCK * BLOCKS));
    MPI_Status status;
    int count = -1;

    if (!data)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (strstr(t->call, "_ordered")) {
        fill(t, data, 1);
        t->call_class = class_of(do_ordered(t, data));
    } else if (strstr(t->call, "write") || is_read(t)) {
        set_view(t);
        fill(t, data, 1);
        t->call_class = class_of(do_access(t, data, &status));
        if (t->call_class == MPI_SUCCESS)
            MPI_Get_count(&status, MPI_BYTE, &count);
        if (is_read(t))
            check_read(t, data, count);
    } else {
        t->call_class = class_of(do_other(t));
    }
    free(data);
}

static void finish(struct test *t)
{
    int sync = class_of(MPI_File_sync(t->file));
    int closed = class_of(MPI_File_close(&t->file));

    if (!strcmp(t->call, "sync"))
        t->call_class = sync;
    if (!strcmp(t->call, "close"))
        t->call_class = closed;
    t->later_class = sync != MPI_SUCCESS ? sync : closed;
    if (t->file != MPI_FILE_NULL) {
        fprintf(stderr, "rank %d: the file is still open\n", t->rank);
        t->failures++;
    }
}

/* Success was reported: the data is in the file. */
static void check_data(struct test *t)
{
    int64_t len = BLOCK * BLOCKS * t->size;
    unsigned char *data = calloc((size_t)len, 1);
    int fd = open(t->mirror, O_RDONLY);

    if (!data || fd < 0 || pread(fd, data, (size_t)len, 0) != len) {
        fprintf(stderr, "rank %d: cannot read the file\n", t->rank);
        t->failures++;
    }
    for (int64_t i = 0; data && i < BLOCK * BLOCKS; i++) {
        int64_t at = file_offset(t, i);
        bool changed = strstr(t->call, "write") || strstr(t->call, "_ordered");

        if (data[at] != byte_at(at, changed ? 1 : 0)) {
            fprintf(stderr,
                    "rank %d: success was reported, but byte %lld is not "
                    "there\n",
                    t->rank, (long long)at);
            t->failures++;
            break;
        }
    }
    if (fd >= 0)
        close(fd);
    free(data);
}

static void judge(struct test *t)
{
    int reported =
        t->call_class != MPI_SUCCESS ? t->call_class : t->later_class;
    int some = 0, any = 0;
    int bounds[2] = {t->failed_at, -t->failed_at};

    MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!strcmp(t->when, "call") && bounds[0] != -bounds[1]) {
        fprintf(stderr, "rank %d: reported in call %d of the series\n", t->rank,
                t->failed_at);
        t->failures++;
    }
    if (!strcmp(t->when, "call") && t->call_class != t->expect)
        complain(t, t->call, t->call_class);
    if (!strcmp(t->when, "close") && reported != t->expect)
        complain(t, "at the end", reported);
    if (!is_collective(t)) {
        some = reported == t->expect;
        if (reported != MPI_SUCCESS && reported != t->expect)
            complain(t, t->call, reported);
    }
    MPI_Allreduce(&some, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!is_collective(t) && !any && t->rank == 0)
        complain(t, "reported to no rank", MPI_SUCCESS);
    if (reported == MPI_SUCCESS)
        check_data(t);
}

/* A fault that never came would make every test pass. */
static void check_fired(struct test *t)
{
    const char *log = getenv("PARIO_FAULT_LOG");
    const char *fault = getenv("PARIO_FAULT");
    struct stat st;

    if (t->rank != 0 || !fault || *fault == '\0')
        return;
    if (!log || stat(log, &st) || st.st_size == 0) {
        fprintf(stderr, "the fault was never met\n");
        t->failures++;
    }
    if (log)
        unlink(log);
}

static bool parse(struct test *t, int argc, char **argv)
{
    bool found = false;

    if (argc < 5)
        return false;
    t->call = argv[2];
    t->when = argv[4];
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (!strcmp(classes[i].name, argv[3])) {
            t->expect = classes[i].value;
            found = true;
        }
    }
    MPI_Info_create(&t->info);
    for (int i = 5; i < argc; i++) {
        char *value = strchr(argv[i], '=');

        if (!value)
            return false;
        *value++ = '\0';
        MPI_Info_set(t->info, argv[i], value);
    }
    const char *name = strrchr(argv[1], '/');
    snprintf(t->target, sizeof(t->target), "%s/hit/%s", argv[1],
             name ? name + 1 : argv[1]);
    snprintf(t->mirror, sizeof(t->mirror), "%s/mirror", argv[1]);
    return found;
}

int main(int argc, char **argv)
{
    struct test t = {.info = MPI_INFO_NULL, .file = MPI_FILE_NULL};
    int all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.size);
    if (!parse(&t, argc, argv)) {
        fprintf(stderr, "usage: shipio_faults FOLDER CALL EXPECT "
                        "call|some|close [hint=value ...]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (t.rank == 0)
        make_file(&t);
    MPI_Barrier(MPI_COMM_WORLD);
    int amode = strstr(t.call, "wronly") ? MPI_MODE_WRONLY : MPI_MODE_RDWR;
    int code = MPI_File_open(MPI_COMM_WORLD, t.target, amode, t.info, &t.file);
    if (code == MPI_SUCCESS) {
        run_call(&t);
        finish(&t);
    } else {
        t.call_class = class_of(code);
        if (strcmp(t.call, "open") != 0)
            complain(&t, "open", t.call_class);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    judge(&t);
    check_fired(&t);
    MPI_Info_free(&t.info);
    MPI_Allreduce(&t.failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all ? 1 : 0;
}
