/* trace/import_strace.c - the text of `strace -f -ttt -T`. */
#include "trace/import_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIMITS                                                                 \
    "limits from strace: no MPI calls, no streams, times include strace's own"
#define MAX_ARGS 8
#define MAX_PID (1L << 22) /* PID_MAX_LIMIT of Linux */

struct task {
    long pid;
    size_t process;
    char *unfinished; /* a call that another task's line interrupted, and */
    double start_s;   /* when it began */
};

struct reader {
    struct pario_trace_writer *writer;
    struct task *tasks; /* by pid: hashed; process is one more than its number,
                           0: free */
    size_t ntasks, room;
};

/* One call: name(arg, arg, ...) = result <time>. Points into the line. */
struct call_text {
    char *name;
    char *args[MAX_ARGS];
    int nargs;
    long long result;
    double start_s, took_s;
};

static struct task *task_place(const struct reader *reader, long pid)
{
    uint64_t hash = (uint64_t)pid * 0x9e3779b97f4a7c15u >> 32;
    size_t at = (size_t)hash & (reader->room - 1);

    while (reader->tasks[at].process != 0 && reader->tasks[at].pid != pid)
        at = (at + 1) & (reader->room - 1);
    return &reader->tasks[at];
}

static int grow_tasks(struct reader *reader)
{
    struct task *old = reader->tasks;
    size_t room = reader->room;

    if (2 * (reader->ntasks + 1) <= room)
        return 0;
    reader->room = room > 0 ? 2 * room : 64;
    reader->tasks = calloc(reader->room, sizeof(*old));
    if (reader->tasks == NULL) {
        reader->tasks = old;
        reader->room = room;
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    }
    for (size_t i = 0; i < room; i++)
        if (old[i].process != 0)
            *task_place(reader, old[i].pid) = old[i];
    free(old);
    return 0;
}

static int find_task(struct reader *reader, long pid, struct task **task_p)
{
    char lines[200];
    size_t process = 0;
    int code = grow_tasks(reader);

    if (code != 0)
        return code;
    if (reader->tasks == NULL)
        return -ENOMEM;
    *task_p = task_place(reader, pid);
    if ((*task_p)->process != 0)
        return 0;
    snprintf(lines, sizeof(lines), "pid %ld\n%s\n", pid, LIMITS);
    code = pario_trace_writer_process(reader->writer, lines, &process);
    if (code == 0) {
        **task_p = (struct task){.pid = pid, .process = process + 1};
        reader->ntasks++;
    }
    return code;
}

/* Splits at commas outside of quotes and brackets; the end of the list. */
static char *split_args(char *text, struct call_text *call)
{
    int depth = 0, quoted = 0;

    call->args[0] = text;
    call->nargs = 1;
    for (; *text != '\0'; text++) {
        if (quoted) {
            if (*text == '\\' && text[1] != '\0')
                text++;
            else if (*text == '"')
                quoted = 0;
        } else if (*text == '"') {
            quoted = 1;
        } else if (strchr("([{", *text) != NULL) {
            depth++;
        } else if (strchr("])}", *text) != NULL) {
            if (depth-- == 0) {
                *text = '\0';
                return text + 1;
            }
        } else if (*text == ',' && depth == 0 && call->nargs < MAX_ARGS) {
            *text = '\0';
            call->args[call->nargs++] = text + 1 + (text[1] == ' ');
        }
    }
    return NULL;
}

static int parse(char *line, struct call_text *call)
{
    char *open = strchr(line, '('), *rest, *equals, *took;

    if (open == NULL)
        return 0;
    *open = '\0';
    call->name = line;
    rest = split_args(open + 1, call);
    equals = rest != NULL ? strchr(rest, '=') : NULL;
    took = rest != NULL ? strrchr(rest, '<') : NULL;
    if (equals == NULL)
        return 0;
    call->result = strtoll(equals + 1, NULL, 0);
    call->took_s = took != NULL ? strtod(took + 1, NULL) : 0;
    if (call->result == -1) { /* " = -1 ENOENT (No such ...)" */
        char *name = equals + 1 + strspn(equals + 1, " -1");

        name[strcspn(name, " ")] = '\0';
        call->result = -EIO;
        for (int error = 1; error < 134; error++)
            if (strerrorname_np(error) != NULL &&
                strcmp(strerrorname_np(error), name) == 0)
                call->result = -error;
    }
    return call->took_s >= 0 && call->took_s < 1e6;
}

/* How the arguments of a system call become those of ours: F descriptor, P
 * path, N number, V a vector (its sum is the result), - left out. */
static const struct {
    const char *name;
    enum pario_trace_op op;
    const char *args;
} calls[] = {
    {"read", PARIO_OP_read, "F-N"},
    {"write", PARIO_OP_write, "F-N"},
    {"pread64", PARIO_OP_pread, "F-LO"},
    {"pwrite64", PARIO_OP_pwrite, "F-LO"},
    {"readv", PARIO_OP_readv, "FVN"},
    {"writev", PARIO_OP_writev, "FVN"},
    {"close", PARIO_OP_close, "F"},
    {"fsync", PARIO_OP_fsync, "F"},
    {"fdatasync", PARIO_OP_fdatasync, "F"},
    {"ftruncate", PARIO_OP_ftruncate, "FN"},
    {"stat", PARIO_OP_stat, "P"},
    {"lstat", PARIO_OP_stat, "P"},
    {"newfstatat", PARIO_OP_stat, "-P"},
    {"access", PARIO_OP_stat, "P"},
    {"mkdir", PARIO_OP_mkdir, "PM"},
    {"rmdir", PARIO_OP_rmdir, "P"},
    {"unlink", PARIO_OP_unlink, "P"},
    {"unlinkat", PARIO_OP_unlink, "-P"},
    {"rename", PARIO_OP_rename, "PP"},
};

static void unquote(char *text)
{
    char *end;

    if (*text == '"')
        memmove(text, text + 1, strlen(text));
    end = strchr(text, '"');
    if (end != NULL)
        *end = '\0';
}

static int64_t open_flags(const char *text)
{
    static const struct {
        const char *word;
        int64_t flags;
    } words[] = {{"O_RDONLY", PARIO_TRACE_READ},
                 {"O_WRONLY", PARIO_TRACE_WRITE},
                 {"O_RDWR", PARIO_TRACE_READ | PARIO_TRACE_WRITE},
                 {"O_CREAT", PARIO_TRACE_CREATE},
                 {"O_EXCL", PARIO_TRACE_EXCL},
                 {"O_TRUNC", PARIO_TRACE_TRUNC},
                 {"O_APPEND", PARIO_TRACE_APPEND},
                 {"O_DIRECTORY", PARIO_TRACE_DIRECTORY}};
    int64_t flags = 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(text, words[i].word) != NULL)
            flags |= words[i].flags;
    return flags;
}

static int add(struct reader *reader, const struct task *task,
               const struct call_text *text, const struct pario_call *call)
{
    uint64_t begin = (uint64_t)(text->start_s * 1e9);

    return pario_trace_writer_add(reader->writer, task->process - 1, call,
                                  begin,
                                  begin + (uint64_t)(text->took_s * 1e9));
}

static int add_open(struct reader *reader, const struct task *task,
                    struct call_text *text)
{
    int at = strcmp(text->name, "openat") == 0;
    struct pario_call call = {.op = PARIO_OP_open};
    int code;

    if (text->nargs < at + 2)
        return 0;
    unquote(text->args[at]);
    code = pario_trace_writer_string(reader->writer, task->process - 1,
                                     text->args[at], &call.args[0]);
    call.args[1] = text->result >= 0 ? text->result & 0xfffff : -1;
    call.args[2] = open_flags(text->args[at + 1]);
    if (text->nargs > at + 2)
        call.args[3] = strtoll(text->args[at + 2], NULL, 8);
    call.result = text->result < 0 ? text->result : 0;
    return code != 0 ? code : add(reader, task, text, &call);
}

static int add_seek(struct reader *reader, const struct task *task,
                    const struct call_text *text)
{
    struct pario_call call = {.op = PARIO_OP_lseek_set};

    if (text->nargs < 3)
        return 0;
    if (strcmp(text->args[2], "SEEK_CUR") == 0)
        call.op = PARIO_OP_lseek_cur;
    else if (strcmp(text->args[2], "SEEK_END") == 0)
        call.op = PARIO_OP_lseek_end;
    call.args[0] = strtoll(text->args[0], NULL, 10) & 0xfffff;
    call.args[1] = strtoll(text->args[1], NULL, 10);
    call.result = text->result < 0 ? text->result : 0;
    return add(reader, task, text, &call);
}

static int add_other(struct reader *reader, const struct task *task,
                     struct call_text *text, size_t known)
{
    struct pario_call call = {.op = (int32_t)calls[known].op};
    const char *how = calls[known].args;
    int64_t wanted = -1;
    int n = 0, code = 0;

    for (int i = 0; how[i] != '\0' && i < text->nargs && code == 0; i++) {
        char *arg = text->args[i];
        int64_t number = strtoll(arg, NULL, how[i] == 'M' ? 8 : 10);

        if (how[i] == 'P') {
            unquote(arg);
            code = pario_trace_writer_string(reader->writer, task->process - 1,
                                             arg, &call.args[n++]);
        } else if (how[i] == 'F') {
            call.args[n++] = number & 0xfffff;
        } else if (how[i] == 'L') { /* the offset comes first in ours */
            call.args[2] = wanted = number;
        } else if (how[i] == 'V') {
            call.args[n++] = text->result > 0 ? text->result : 0;
        } else if (how[i] != '-') {
            call.args[n++] = number;
            wanted = how[i] == 'N' && strcmp(how, "F-N") == 0 ? number : wanted;
        }
    }
    call.result = text->result < 0 ? text->result : 0;
    if (wanted >= 0 && text->result >= 0 && text->result < wanted)
        call.result = text->result + 1;
    return code != 0 ? code : add(reader, task, text, &call);
}

static int take_call(struct reader *reader, const struct task *task, char *line,
                     double start_s)
{
    struct call_text text = {.start_s = start_s};

    if (!(start_s >= 0 && start_s <= 1e10) || !parse(line, &text)) /* nan too */
        return 0;
    if (strcmp(text.name, "open") == 0 || strcmp(text.name, "openat") == 0)
        return add_open(reader, task, &text);
    if (strcmp(text.name, "lseek") == 0)
        return add_seek(reader, task, &text);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (strcmp(text.name, calls[i].name) == 0)
            return add_other(reader, task, &text, i);
    return 0;
}

/* "<... read resumed>, 100) = 100": the rest of a call. */
static int take_rest(struct reader *reader, struct task *task, const char *text)
{
    const char *rest = strchr(text, '>');
    char *whole = NULL;
    int code;

    if (rest == NULL)
        return 0;
    if (asprintf(&whole, "%s%s", task->unfinished, rest + 1) < 0)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    free(task->unfinished);
    task->unfinished = NULL;
    code = take_call(reader, task, whole, task->start_s);
    free(whole);
    return code;
}

/* "[pid 12] 1.5 read(3, <unfinished ...>" and, later, "<... read resumed>". */
static int take_line(void *context, char *line)
{
    struct reader *reader = context;
    char *at = line + strspn(line, " "), *cut;
    struct task *task = NULL;
    long pid = 0;
    double start_s;
    int code;

    if (strncmp(at, "[pid", 4) == 0) {
        pid = strtol(at + 4, &at, 10);
        at += strspn(at, "] ");
    } else if (strspn(at, "0123456789") > 0 &&
               at[strspn(at, "0123456789")] == ' ') {
        pid = strtol(at, &at, 10);
        at += strspn(at, " ");
    }
    if (pid < 0 || pid > MAX_PID)
        return pario_fail(PARIO_EFORMAT,
                          "process %ld: Linux has none above %ld, this is not "
                          "the text of strace",
                          pid, MAX_PID);
    start_s = strtod(at, &at);
    at += strspn(at, " ");
    code = find_task(reader, pid, &task);
    if (code != 0)
        return code;
    if (strncmp(at, "<... ", 5) == 0 && task->unfinished != NULL)
        return take_rest(reader, task, at + 5);
    cut = strstr(at, " <unfinished ...>");
    if (cut == NULL)
        return take_call(reader, task, at, start_s);
    *cut = '\0';
    free(task->unfinished);
    task->unfinished = strdup(at);
    task->start_s = start_s;
    return task->unfinished != NULL
               ? 0
               : pario_fail_errno(-ENOMEM, "cannot read the text");
}

int pario_import_strace(FILE *in, struct pario_trace_writer *writer, int rank)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    int code;

    (void)rank;
    if (reader == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    reader->writer = writer;
    code = pario_import_lines(in, take_line, reader);
    for (size_t i = 0; i < reader->room; i++)
        free(reader->tasks[i].unfinished);
    free(reader->tasks);
    free(reader);
    return code;
}
