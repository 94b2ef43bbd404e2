/* Traces that no program left behind: hostile KIND FILE. */
#include "trace/ops.h"
#include "unit/trace_file.h"

#include <limits.h>

struct hostile {
    const char *kind, *type; /* type: of memory; NULL: a call of POSIX */
    const char *group;
    int64_t count;
    int failed_before; /* the same call, that was an error when recorded */
};

static const struct hostile kinds[] = {
    {"long", NULL, NULL, (int64_t)1 << 40, 0},
    {"negative", NULL, NULL, -1, 0},
    {"after-error", NULL, NULL, (int64_t)1 << 40, 1},
    {"count", "8", "0", (int64_t)1 << 33, 0},
    {"negative-count", "8", "0", -5, 0},
    {"count-after-error", "1024", "0", (int64_t)1 << 30, 1},
    {"backwards", "r(0,-100000000,8)", "0", 1000, 0},
    {"overflow", "v(3,1,4611686018427387904,8)", "0", 1, 0},
    {"far", "i(1;9000000000;8)", "0", 1, 0},
    {"no-type", "", "0", 1, 0},
    {"nobody", "8", "", 1, 0},
    {"twice", "8", "0,0", 1, 0},
    {"others", "8", "0-7", 1, 0},
    {NULL, NULL, NULL, 0, 0},
};

static void add(struct trace_file *file, const struct hostile *how)
{
    struct pario_call open = {.op = PARIO_OP_open,
                              .args = {trace_file_string(file, "/d/x"), 0, 7}};
    struct pario_call data = {.op = PARIO_OP_pwrite,
                              .args = {0, 0, how->count}};

    if (how->type != NULL) {
        open.op = PARIO_OP_File_open;
        open.args[2] = trace_file_string(file, how->group);
        open.args[3] = 7;
        data.op = PARIO_OP_File_write_at;
        data.args[3] = trace_file_string(file, how->type);
    }
    trace_file_add(file, &open, 0, 1000);
    data.result = how->type != NULL ? PARIO_RESULT_MPI : -5;
    if (how->failed_before)
        trace_file_add(file, &data, 0, 1000);
    data.result = 1; /* nothing was moved: it needs no room on the disk */
    trace_file_add(file, &data, 0, 1000);
}

/* A nonblocking access that nobody waits for, its place used again. */
static void add_requests(struct trace_file *file)
{
    struct pario_call open = {.op = PARIO_OP_File_open,
                              .args = {trace_file_string(file, "/d/x"), 0,
                                       trace_file_string(file, "0"), 7}};
    struct pario_call start = {
        .op = PARIO_OP_File_iwrite_at,
        .args = {0, 0, 1 << 20, trace_file_string(file, "8"), 5}};
    struct pario_call wait = {.op = PARIO_OP_Wait, .args = {INT_MAX}};

    trace_file_add(file, &open, 0, 1000);
    for (int i = 0; i < 3; i++)
        trace_file_add(file, &start, 0, 1000);
    trace_file_add(file, &wait, 0, 1000);
}

/* A loop of loops: rounds^2 calls in a few bytes. */
static void add_rounds(struct trace_file *file, uint64_t rounds)
{
    uint8_t block[100], *at;

    memset(block, 0, 4); /* thread, block, beginning, lost calls */
    at = pario_put_uint(block + 4, 1);
    at = pario_put_uint(at, PARIO_OP_close);
    memset(at, 0, 4); /* file, result, sum and longest time */
    at = pario_put_uint(at + 4, 2);
    for (uint64_t loop = 0; loop < 2; loop++) {
        at = pario_put_uint(at, 1);
        at = pario_put_uint(at, rounds);
        at = pario_put_uint(at, loop);
    }
    at = pario_put_uint(at, 1);
    at = pario_put_uint(at, 2);
    at = pario_put_uint(at, 0);
    trace_file_chunk(file, PARIO_CHUNK_BLOCK, block, (size_t)(at - block));
}

static void add_loops(struct trace_file *file)
{
    add_rounds(file, (uint64_t)1 << 18);
}

static void add_lines(struct trace_file *file)
{
    add_rounds(file, 3200);
}

static void add_few(struct trace_file *file)
{
    add_rounds(file, 8);
}

/* Writes, each with another datatype: a number between two texts. */
static void add_written(struct trace_file *file, const char *before,
                        const char *after)
{
    struct pario_call open = {.op = PARIO_OP_File_open,
                              .args = {trace_file_string(file, "/d/x"), 0,
                                       trace_file_string(file, "0"), 7}};
    char text[64];

    trace_file_add(file, &open, 0, 1000);
    for (int i = 0; i < 200; i++) {
        struct pario_call data = {.op = PARIO_OP_File_write_at, .result = 1};

        snprintf(text, sizeof(text), "%s%d%s", before, 1000000 + i, after);
        data.args[3] = trace_file_string(file, text);
        data.args[2] = 1;
        trace_file_add(file, &data, 0, 1000);
    }
}

/* Datatypes of a million pieces each. */
static void add_types(struct trace_file *file)
{
    add_written(file, "v(", ",1,2,1)");
}

/* Texts that are wrong after a list of millions. */
static void add_lists(struct trace_file *file)
{
    add_written(file, "i(1*7", ";");
}

/* Numbers of strings that are far from each other. */
static void add_holes(struct trace_file *file)
{
    for (int i = 0; i < 2000; i++) {
        file->strings += 60000;
        (void)trace_file_string(file, "x");
    }
}

/* Files whose sizes are more than a number holds, together. */
static void add_sizes(struct trace_file *file)
{
    char path[] = "/d/0";

    for (int i = 0; i < 3; i++) {
        struct pario_call open = {.op = PARIO_OP_open, .args = {0, i, 1}};
        struct pario_call data = {.op = PARIO_OP_pread,
                                  .args = {i, (int64_t)1 << 62, 8}};

        path[3] = (char)('0' + i);
        open.args[0] = trace_file_string(file, path);
        trace_file_add(file, &open, 0, 1000);
        trace_file_add(file, &data, 0, 1000);
    }
}

static void add_call(struct trace_file *file, enum pario_trace_op op,
                     int64_t first, int64_t second, int64_t third)
{
    struct pario_call call = {.op = (int32_t)op,
                              .args = {first, second, third}};

    trace_file_add(file, &call, 0, 1000);
}

/* Calls on what is closed: its memory, and its number, may be another's. */
static void add_closed(struct trace_file *file)
{
    add_call(file, PARIO_OP_fopen, trace_file_string(file, "/d/x"), 0,
             PARIO_TRACE_WRITE | PARIO_TRACE_CREATE | PARIO_TRACE_TRUNC);
    for (int i = 0; i < 2; i++) {
        add_call(file, PARIO_OP_fwrite, 0, 8, 0);
        add_call(file, PARIO_OP_fclose, 0, 0, 0);
    }
}

static void add_number(struct trace_file *file)
{
    const int64_t flags = PARIO_TRACE_WRITE | PARIO_TRACE_CREATE;

    add_call(file, PARIO_OP_open, trace_file_string(file, "/d/x"), 0, flags);
    add_call(file, PARIO_OP_close, 0, 0, 0);
    add_call(file, PARIO_OP_open, trace_file_string(file, "/d/y"), 1, flags);
    add_call(file, PARIO_OP_pwrite, 0, 0, 8);
    add_call(file, PARIO_OP_close, 1, 0, 0);
}

/* A message that nobody sent, and one that nobody received. */
static void add_messages(struct trace_file *file)
{
    add_call(file, PARIO_OP_Recv, 0, 5, 0);
    add_call(file, PARIO_OP_Send, 0, 6, 0);
    add_call(file, PARIO_OP_Send, 1 << 20, 6, 0);
    add_number(file);
}

/* A message that was received before it was sent. */
static void add_early(struct trace_file *file)
{
    add_call(file, PARIO_OP_Recv, 0, 5, 0);
    add_call(file, PARIO_OP_Send, 0, 5, 0);
}

static void add_piecewise(struct trace_file *file)
{
    struct pario_call open = {.op = PARIO_OP_File_open,
                              .args = {trace_file_string(file, "/d/x"), 0,
                                       trace_file_string(file, "0"), 5}};
    int64_t byte = trace_file_string(file, "1");
    struct pario_call view = {
        .op = PARIO_OP_File_set_view,
        .args = {0, 0, byte, trace_file_string(file, "r(0,20000,10000)")}};
    struct pario_call data = {.op = PARIO_OP_File_read_at,
                              .args = {0, 9999, 2, byte}};

    trace_file_add(file, &open, 0, 1000);
    trace_file_add(file, &view, 0, 1000);
    trace_file_add(file, &data, 0, 1000);
}

/* Two processes read from no file, and from the end of a long piece on. */
static void add_nowhere(struct trace_file *file)
{
    const char *second = "rank 1\nsize 2\nhost here\npid 6\n";

    for (int process = 0; process < 2; process++) {
        if (process == 1) {
            trace_file_flush(file);
            file->live.process++;
            file->strings = 0;
            trace_file_chunk(file, PARIO_CHUNK_PROCESS, second, strlen(second));
        }
        for (int i = 0; i < 101; i++)
            add_call(file, PARIO_OP_read, -1, 8, 0);
        add_piecewise(file);
    }
}

/* A message of a process to itself: a send may wait for the receive. */
static void add_own(struct trace_file *file)
{
    add_call(file, PARIO_OP_Send, 0, 5, 0);
    add_call(file, PARIO_OP_Recv, 0, 5, 0);
}

/* What follows is of another process or thread, at the same time. */
static void go_on_as(struct trace_file *file, int rank, uint32_t thread)
{
    char text[100];

    trace_file_flush(file);
    file->now = 0;
    pario_live_init(&file->live, 77 + (uint64_t)rank, thread, 0, 1.0);
    snprintf(text, sizeof(text), "rank %d\nsize 2\nhost here\npid 5\n", rank);
    if (thread == 0)
        trace_file_chunk(file, PARIO_CHUNK_PROCESS, text, strlen(text));
}

/* Two threads receive the same; if the second is faster, the first, and with it
 * the other process, waits for ever. */
static void add_both(struct trace_file *file)
{
    add_call(file, PARIO_OP_Recv, 1, 9, 0);
    add_call(file, PARIO_OP_Recv, 1, 5, 0);
    add_call(file, PARIO_OP_Send, 1, 6, 0);
    go_on_as(file, 0, 1);
    add_call(file, PARIO_OP_Recv, 1, 5, 0);
    go_on_as(file, 1, 0);
    add_call(file, PARIO_OP_Send, 0, 5, 0);
    add_call(file, PARIO_OP_Send, 0, 9, 0);
    add_call(file, PARIO_OP_Recv, 0, 6, 0);
    add_call(file, PARIO_OP_Send, 0, 5, 0);
}

static const struct {
    const char *kind;
    void (*add)(struct trace_file *file);
} others[] = {
    {"requests", add_requests}, {"loops", add_loops},
    {"lines", add_lines},       {"few", add_few},
    {"types", add_types},       {"lists", add_lists},
    {"holes", add_holes},       {"sizes", add_sizes},
    {"closed", add_closed},     {"number", add_number},
    {"messages", add_messages}, {"early", add_early},
    {"nowhere", add_nowhere},   {"own", add_own},
    {"both", add_both},
};

int main(int argc, char **argv)
{
    const struct hostile *how = kinds;
    struct trace_file *file;

    if (argc != 3)
        return 2;
    while (how->kind != NULL && strcmp(how->kind, argv[1]) != 0)
        how++;
    file = trace_file_open(argv[2], 0, 0);
    if (how->kind != NULL)
        add(file, how);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(argv[1], others[i].kind) == 0)
            others[i].add(file);
    trace_file_close(file);
    return 0;
}
