/* trace/import_strace.c - the text of `strace -f -ttt -T`. */
#include "trace/import_parts.h"
#include "trace/strace_tasks.h"
#include "trace/strace_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define UNFINISHED " <unfinished ...>"
#define MAX_PID (1L << 22) /* PID_MAX_LIMIT of Linux */

struct reader {
    struct pario_strace_tasks tasks;
    struct pario_strace_task *task; /* whose line it is */
    bool bare;                      /* a line said nothing of whose it is */
};

/* The folder that an argument stands for; with -y strace says where the process
 * is: "AT_FDCWD</path>". dir -1: no such argument. */
static long folder_of(struct reader *reader,
                      const struct pario_strace_call *text, int dir)
{
    char *at = dir >= 0 ? strchr(text->args[dir], '<') : NULL, *end;
    long fd = dir < 0 ? AT_FDCWD : pario_strace_descriptor(text->args[dir]);

    if (fd == AT_FDCWD && at != NULL && (end = strrchr(at, '>')) != NULL) {
        *end = '\0';
        pario_strace_learn_folder(&reader->tasks, reader->task, at + 1);
        *end = '>';
    }
    return fd;
}

static int has(const struct pario_strace_call *text, int i, const char *word)
{
    return i < text->nargs && strstr(text->args[i], word) != NULL;
}

static int64_t number(const struct pario_strace_call *text, int i)
{
    return i < text->nargs ? strtoll(text->args[i], NULL, 0) : 0;
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
                 {"O_DIRECT|", PARIO_TRACE_DIRECT},
                 {"O_SYNC", PARIO_TRACE_SYNC},
                 {"O_DSYNC", PARIO_TRACE_DSYNC},
                 {"O_DIRECTORY", PARIO_TRACE_DIRECTORY}};
    size_t len = strlen(text);
    int64_t flags = 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(text, words[i].word) != NULL)
            flags |= words[i].flags;
    if (len > 8 && strcmp(text + len - 8, "O_DIRECT") == 0)
        flags |= PARIO_TRACE_DIRECT;
    return flags;
}

static int add(struct reader *reader, const struct pario_strace_call *text,
               const struct pario_call *call)
{
    return pario_trace_writer_add(reader->tasks.writer, reader->task->member,
                                  call, text->start_ns,
                                  text->start_ns + text->took_ns);
}

static int string_of(struct reader *reader, const char *text, int64_t *number_p)
{
    return pario_trace_writer_string(
        reader->tasks.writer, reader->task->process->owner, text, number_p);
}

/* 0 or below: what a call that does not move bytes returned. */
static int64_t status(const struct pario_strace_call *text)
{
    return text->result < 0 ? text->result : 0;
}

/* The file of an argument, in a call that is recorded: a process that has it
 * from its parent notes that first. *file_p: NULL: none that is recorded. */
static int begin_file(struct reader *reader,
                      const struct pario_strace_call *text, int i,
                      struct pario_strace_file **file_p)
{
    struct pario_strace_task *task = reader->task;
    struct pario_call call = {.op = PARIO_OP_inherit};
    struct pario_strace_call now = {.start_ns = text->start_ns};
    struct pario_strace_file *file =
        i < text->nargs
            ? pario_strace_file_of(task, pario_strace_descriptor(text->args[i]))
            : NULL;
    int code;

    *file_p = file;
    if (file == NULL)
        return 0;
    code = pario_strace_task_begin(&reader->tasks, task);
    if (code != 0 || file->noted)
        return code;
    file->noted = true;
    file->thread = task->thread;
    file->opening = ++task->process->openings[file->slot];
    code = string_of(reader, file->path, &call.args[0]);
    call.args[1] = pario_strace_file_arg(task, file);
    call.args[2] = file->flags;
    return code != 0 ? code : add(reader, &now, &call);
}

/* The path of an argument, from the folder of argument dir (-1: the current
 * one); *number_p: -1: not recorded. */
static int begin_path(struct reader *reader, struct pario_strace_call *text,
                      int dir, int i, int64_t *number_p)
{
    char whole[PATH_MAX];
    int code;

    *number_p = -1;
    if (i >= text->nargs || text->args[i][0] != '"' ||
        !pario_strace_path(reader->task, folder_of(reader, text, dir),
                           pario_strace_unquote(text->args[i]), whole))
        return 0;
    code = pario_strace_task_begin(&reader->tasks, reader->task);
    return code != 0 ? code : string_of(reader, whole, number_p);
}

/* open, openat, openat2, creat: dir -1: no folder among the arguments. */
static int take_open(struct reader *reader, struct pario_strace_call *text,
                     int dir)
{
    struct pario_call call = {.op = PARIO_OP_open};
    int creat = strcmp(text->name, "creat") == 0, path = dir + 1;
    struct pario_strace_file *file = NULL;
    const char *mode;
    char whole[PATH_MAX];
    int code;

    if (path + 1 >= text->nargs || text->args[path][0] != '"' ||
        !pario_strace_path(reader->task, folder_of(reader, text, dir),
                           pario_strace_unquote(text->args[path]), whole))
        return 0;
    code = pario_strace_task_begin(&reader->tasks, reader->task);
    if (code == 0)
        code = string_of(reader, whole, &call.args[0]);
    call.args[2] =
        creat ? PARIO_TRACE_WRITE | PARIO_TRACE_CREATE | PARIO_TRACE_TRUNC
              : open_flags(text->args[path + 1]);
    mode = strstr(text->args[path + 1], "mode=");
    if (mode != NULL)
        call.args[3] = strtoll(mode + 5, NULL, 8);
    else if (creat || path + 2 < text->nargs)
        call.args[3] = strtoll(text->args[path + 2 - creat], NULL, 8);
    call.args[3] &= 07777;
    if (code == 0 && text->result >= 0)
        code = pario_strace_file_open(reader->task, (long)text->result, whole,
                                      call.args[2],
                                      has(text, path + 1, "O_CLOEXEC"), &file);
    call.args[1] =
        file != NULL ? pario_strace_file_arg(reader->task, file) : -1;
    call.result = status(text);
    return code != 0 ? code : add(reader, text, &call);
}

/* The descriptor is free; in the trace where it was the file's last one. */
static int close_number(struct reader *reader,
                        const struct pario_strace_call *text, long fd)
{
    struct pario_strace_task *task = reader->task;
    struct pario_strace_file *file = pario_strace_file_close(task, fd);
    struct pario_call call = {.op = PARIO_OP_close};
    int code = 0;

    if (file == NULL)
        return 0;
    if (file->noted) {
        code = pario_strace_task_begin(&reader->tasks, task);
        call.args[0] = pario_strace_file_arg(task, file);
        if (code == 0)
            code = add(reader, text, &call);
    }
    pario_strace_file_drop(task, file);
    return code;
}

static int take_close(struct reader *reader, struct pario_strace_call *text,
                      int how)
{
    const struct pario_strace_process *process = reader->task->process;
    int64_t last = number(text, 1);
    int code = 0;

    if (text->result < 0)
        return 0;
    if (how == 0)
        return close_number(reader, text,
                            pario_strace_descriptor(text->args[0]));
    if (has(text, 2, "CLOEXEC")) /* close_range, for later */
        return 0;
    for (int64_t fd = number(text, 0);
         fd >= 0 && fd < (int64_t)process->nfds && fd <= last && code == 0;
         fd++)
        code = close_number(reader, text, (long)fd);
    return code;
}

/* dup, dup2, dup3: the result is another number for the same. */
static int take_copy(struct reader *reader, struct pario_strace_call *text,
                     int how)
{
    long from = pario_strace_descriptor(text->args[0]), to = (long)text->result;
    struct pario_strace_file *file = pario_strace_file_of(reader->task, from);
    int code;

    (void)how;
    if (text->result < 0 || from == to)
        return 0;
    code = close_number(reader, text, to);
    return code != 0 || file == NULL
               ? code
               : pario_strace_file_copy(reader->task, file, to,
                                        has(text, 2, "O_CLOEXEC"));
}

static int take_fcntl(struct reader *reader, struct pario_strace_call *text,
                      int how)
{
    long fd = pario_strace_descriptor(text->args[0]);
    struct pario_strace_file *file = pario_strace_file_of(reader->task, fd);

    (void)how;
    if (text->result < 0 || text->nargs < 2 || file == NULL)
        return 0;
    if (strcmp(text->args[1], "F_SETFD") == 0)
        pario_strace_file_keep(reader->task, fd, has(text, 2, "FD_CLOEXEC"));
    return strncmp(text->args[1], "F_DUPFD", 7) != 0
               ? 0
               : pario_strace_file_copy(reader->task, file, (long)text->result,
                                        has(text, 1, "CLOEXEC"));
}

/* Bytes: as many as asked for, or fewer. */
static int64_t moved(int64_t result, int64_t wanted)
{
    return result < 0 ? result : result >= wanted ? 0 : result + 1;
}

/* read and its like. how: 1: with an offset, 2: a vector, whose length is what
 * was moved. */
static int take_data(struct reader *reader, struct pario_strace_call *text,
                     int how)
{
    static const enum pario_trace_op ops[2][4] = {
        {PARIO_OP_write, PARIO_OP_pwrite, PARIO_OP_writev, PARIO_OP_pwritev},
        {PARIO_OP_read, PARIO_OP_pread, PARIO_OP_readv, PARIO_OP_preadv}};
    int reads = strstr(text->name, "read") != NULL, vector = (how & 2) != 0;
    struct pario_strace_file *file = NULL;
    int at = (how & 1) != 0 && number(text, 3) >= 0, n = 0;
    struct pario_call call = {.op = (int32_t)ops[reads][(how & 2) | at]};
    int64_t wanted =
        vector ? (text->result > 0 ? text->result : 0) : number(text, 2);
    int code = begin_file(reader, text, 0, &file);

    if (code != 0 || file == NULL || wanted < 0)
        return code;
    call.args[n++] = pario_strace_file_arg(reader->task, file);
    if (at)
        call.args[n++] = number(text, 3);
    call.args[n++] = wanted;
    if (vector)
        call.args[n] = number(text, 2);
    call.result = moved(text->result, wanted);
    return add(reader, text, &call);
}

static int take_seek(struct reader *reader, struct pario_strace_call *text,
                     int how)
{
    struct pario_call call = {.op = PARIO_OP_lseek_set};
    struct pario_strace_file *file = NULL;
    int code = begin_file(reader, text, 0, &file);

    (void)how;
    if (code != 0 || file == NULL || text->nargs < 3)
        return code;
    if (strcmp(text->args[2], "SEEK_CUR") == 0)
        call.op = PARIO_OP_lseek_cur;
    else if (strcmp(text->args[2], "SEEK_END") == 0)
        call.op = PARIO_OP_lseek_end;
    else if (strcmp(text->args[2], "SEEK_SET") != 0)
        return 0; /* holes */
    call.args[0] = pario_strace_file_arg(reader->task, file);
    call.args[1] = number(text, 1);
    call.result = status(text);
    return add(reader, text, &call);
}

/* A call on an open file alone; how: its op. */
static int take_file(struct reader *reader, struct pario_strace_call *text,
                     int how)
{
    struct pario_call call = {.op = how, .result = status(text)};
    struct pario_strace_file *file = NULL;
    int code = begin_file(reader, text, 0, &file);

    if (code != 0 || file == NULL)
        return code;
    call.args[0] = pario_strace_file_arg(reader->task, file);
    if (how == PARIO_OP_ftruncate)
        call.args[1] = number(text, 1);
    return add(reader, text, &call);
}

static int take_fallocate(struct reader *reader, struct pario_strace_call *text,
                          int how)
{
    static const struct {
        const char *word;
        int bit;
    } modes[] = {{"KEEP_SIZE", 1},
                 {"PUNCH_HOLE", 2},
                 {"COLLAPSE_RANGE", 8},
                 {"ZERO_RANGE", 16},
                 {"INSERT_RANGE", 32}};
    struct pario_call call = {.op = PARIO_OP_fallocate};
    struct pario_strace_file *file = NULL;
    int code = begin_file(reader, text, 0, &file);

    (void)how;
    if (code != 0 || file == NULL || text->nargs < 4)
        return code;
    call.args[0] = pario_strace_file_arg(reader->task, file);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (has(text, 1, modes[i].word))
            call.args[1] |= modes[i].bit;
    call.args[2] = number(text, 2);
    call.args[3] = number(text, 3);
    call.result = status(text);
    return add(reader, text, &call);
}

static int take_mmap(struct reader *reader, struct pario_strace_call *text,
                     int how)
{
    struct pario_call call = {.op = PARIO_OP_mmap};
    struct pario_strace_file *file = NULL;
    int code = begin_file(reader, text, 4, &file);

    (void)how;
    if (code != 0 || file == NULL || text->nargs < 6)
        return code;
    call.args[0] = pario_strace_file_arg(reader->task, file);
    call.args[1] = number(text, 5);
    call.args[2] = number(text, 1);
    call.args[3] = (has(text, 2, "PROT_READ") ? PARIO_TRACE_READ : 0) |
                   (has(text, 2, "PROT_WRITE") && has(text, 3, "MAP_SHARED")
                        ? PARIO_TRACE_WRITE
                        : 0);
    call.result = status(text);
    return add(reader, text, &call);
}

/* A call on a name; how: the op, and 1000 for each place of its folder. */
static int take_name(struct reader *reader, struct pario_strace_call *text,
                     int how)
{
    int dir = how / 1000 - 1;
    struct pario_call call = {.op = how % 1000, .result = status(text)};
    int code;

    if (dir >= 0 && dir + 1 < text->nargs &&
        strcmp(text->args[dir + 1], "\"\"") == 0)
        return take_file(reader, text, PARIO_OP_fstat); /* AT_EMPTY_PATH */
    code = begin_path(reader, text, dir, dir + 1, &call.args[0]);
    if (code != 0 || call.args[0] < 0)
        return code;
    if (call.op == PARIO_OP_unlink && has(text, 2, "AT_REMOVEDIR"))
        call.op = PARIO_OP_rmdir;
    if (call.op == PARIO_OP_mkdir && dir + 2 < text->nargs)
        call.args[1] = strtoll(text->args[dir + 2], NULL, 8);
    if (call.op == PARIO_OP_truncate)
        call.args[1] = number(text, 1);
    return add(reader, text, &call);
}

/* how: 1: with folders. */
static int take_rename(struct reader *reader, struct pario_strace_call *text,
                       int how)
{
    struct pario_call call = {.op = PARIO_OP_rename, .result = status(text)};
    int code;

    if (has(text, 4, "RENAME_EXCHANGE"))
        return 0;
    code = begin_path(reader, text, how - 1, how, &call.args[0]);
    if (code != 0 || call.args[0] < 0)
        return code;
    code = begin_path(reader, text, how != 0 ? 2 : -1, how != 0 ? 3 : 1,
                      &call.args[1]);
    return code != 0 || call.args[1] < 0 ? code : add(reader, text, &call);
}

/* What is read of a folder, in one call of the C library's. */
static int take_entries(struct reader *reader, struct pario_strace_call *text,
                        int how)
{
    struct pario_call call = {.op = PARIO_OP_readdir};
    struct pario_strace_file *file = NULL;
    const char *entries = text->nargs > 1 ? strstr(text->args[1], "/* ") : NULL;
    int code = begin_file(reader, text, 0, &file);

    (void)how;
    if (code != 0 || file == NULL || text->result <= 0)
        return code;
    code = string_of(reader, file->path, &call.args[0]);
    call.args[1] = entries != NULL ? strtoll(entries + 3, NULL, 10) : 0;
    return code != 0 ? code : add(reader, text, &call);
}

/* One end of a copy: argument i, from or to the offset of argument at (-1: none
 * among the arguments). */
static int take_end(struct reader *reader, const struct pario_strace_call *text,
                    int i, int at, int reads)
{
    struct pario_strace_file *file = NULL;
    const char *place = at >= 0 && at < text->nargs && text->args[at][0] == '['
                            ? text->args[at] + 1
                            : NULL;
    struct pario_call call = {
        .op = place != NULL ? (reads ? PARIO_OP_pread : PARIO_OP_pwrite)
                            : (reads ? PARIO_OP_read : PARIO_OP_write)};
    int code = begin_file(reader, text, i, &file), n = 0;

    if (code != 0 || file == NULL || (text->result == 0 && !reads))
        return code;
    call.args[n++] = pario_strace_file_arg(reader->task, file);
    if (place != NULL)
        call.args[n++] = strtoll(place, NULL, 10);
    call.args[n] = text->result > 0 ? text->result : 1;
    call.result = text->result > 0 ? 0 : 1; /* the end of the file */
    return add(reader, text, &call);
}

/* how: 0: copy_file_range and splice, 1: sendfile, which writes first. */
static int take_transfer(struct reader *reader, struct pario_strace_call *text,
                         int how)
{
    struct pario_strace_call after = *text;
    int code;

    if (text->result < 0)
        return 0;
    code = how != 0 ? take_end(reader, text, 1, 2, 1)
                    : take_end(reader, text, 0, 1, 1);
    after.start_ns += text->took_ns;
    after.took_ns = 0;
    if (code == 0)
        code = how != 0 ? take_end(reader, &after, 0, -1, 0)
                        : take_end(reader, &after, 2, 3, 0);
    return code;
}

/* how: 0: by name, 1: by descriptor, 2: what the system says. */
static int take_folder(struct reader *reader, struct pario_strace_call *text,
                       int how)
{
    struct pario_strace_process *process = reader->task->process;
    const struct pario_strace_file *file;
    char whole[PATH_MAX];

    if (text->result < 0)
        return 0;
    if (how == 2) {
        pario_strace_learn_folder(&reader->tasks, reader->task,
                                  pario_strace_unquote(text->args[0]));
        return 0;
    }
    file = how == 1 ? pario_strace_file_of(
                          reader->task, pario_strace_descriptor(text->args[0]))
                    : NULL;
    process->lost =
        how == 1
            ? file == NULL
            : !pario_strace_folder(reader->task,
                                   pario_strace_unquote(text->args[0]), whole);
    if (!process->lost)
        snprintf(process->cwd, sizeof(process->cwd), "%s",
                 how == 1 ? file->path : whole);
    return 0;
}

static int take_exec(struct reader *reader, struct pario_strace_call *text,
                     int how)
{
    struct pario_strace_process *process = reader->task->process;
    int code = 0;

    if (text->result < 0 || how >= text->nargs)
        return 0;
    snprintf(process->program, sizeof(process->program), "%.*s", PATH_MAX - 1,
             pario_strace_unquote(text->args[how]));
    for (char *c = process->program; *c != '\0'; c++)
        *c = *c == '\n' ? '_' : *c;
    for (size_t fd = 0; fd < process->nfds && code == 0; fd++)
        if (process->fds[fd].file != NULL && process->fds[fd].closes)
            code = close_number(reader, text, (long)fd);
    return code;
}

typedef int take_fn(struct reader *reader, struct pario_strace_call *text,
                    int how);

/* What is not here moves no data of files, or opens what is no file. */
#define AT_DIR(op) (1000 + PARIO_OP_##op)
static const struct {
    const char *name;
    take_fn *take;
    int how;
} calls[] = {
    {"open", take_open, -1},
    {"creat", take_open, -1},
    {"openat", take_open, 0},
    {"openat2", take_open, 0},
    {"close", take_close, 0},
    {"close_range", take_close, 1},
    {"dup", take_copy, 0},
    {"dup2", take_copy, 0},
    {"dup3", take_copy, 0},
    {"fcntl", take_fcntl, 0},
    {"fcntl64", take_fcntl, 0},
    {"read", take_data, 0},
    {"write", take_data, 0},
    {"pread64", take_data, 1},
    {"pwrite64", take_data, 1},
    {"readv", take_data, 2},
    {"writev", take_data, 2},
    {"preadv", take_data, 3},
    {"pwritev", take_data, 3},
    {"preadv2", take_data, 3},
    {"pwritev2", take_data, 3},
    {"lseek", take_seek, 0},
    {"_llseek", take_seek, 0},
    {"fsync", take_file, PARIO_OP_fsync},
    {"fdatasync", take_file, PARIO_OP_fdatasync},
    {"fstat", take_file, PARIO_OP_fstat},
    {"ftruncate", take_file, PARIO_OP_ftruncate},
    {"fallocate", take_fallocate, 0},
    {"mmap", take_mmap, 0},
    {"stat", take_name, PARIO_OP_stat},
    {"lstat", take_name, PARIO_OP_stat},
    {"newfstatat", take_name, AT_DIR(stat)},
    {"statx", take_name, AT_DIR(stat)},
    {"access", take_name, PARIO_OP_stat},
    {"faccessat", take_name, AT_DIR(stat)},
    {"faccessat2", take_name, AT_DIR(stat)},
    {"mkdir", take_name, PARIO_OP_mkdir},
    {"mkdirat", take_name, AT_DIR(mkdir)},
    {"rmdir", take_name, PARIO_OP_rmdir},
    {"unlink", take_name, PARIO_OP_unlink},
    {"unlinkat", take_name, AT_DIR(unlink)},
    {"truncate", take_name, PARIO_OP_truncate},
    {"rename", take_rename, 0},
    {"renameat", take_rename, 1},
    {"renameat2", take_rename, 1},
    {"getdents", take_entries, 0},
    {"getdents64", take_entries, 0},
    {"copy_file_range", take_transfer, 0},
    {"splice", take_transfer, 0},
    {"sendfile", take_transfer, 1},
    {"chdir", take_folder, 0},
    {"fchdir", take_folder, 1},
    {"getcwd", take_folder, 2},
    {"execve", take_exec, 0},
    {"execveat", take_exec, 1},
};

static int take_call(struct reader *reader, char *line, uint64_t start_ns)
{
    struct pario_strace_call text = {.start_ns = start_ns};
    long pid = reader->task->pid, child;

    if (start_ns == 0)
        return 0;
    if (pario_strace_is_fork(line)) {
        const char *equals = strrchr(line, '=');

        child = equals != NULL ? strtol(equals + 1, NULL, 10) : 0;
        return child > MAX_PID
                   ? 0
                   : pario_strace_task_fork(&reader->tasks, pid, child, line);
    }
    if (!pario_strace_parse(line, &text))
        return 0;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (strcmp(text.name, calls[i].name) == 0)
            return calls[i].take(reader, &text, calls[i].how);
    return 0;
}

/* "<... read resumed>, 100) = 100": the rest of a call. */
static int take_rest(struct reader *reader, const char *text)
{
    struct pario_strace_task *task = reader->task;
    const char *rest = strchr(text, '>');
    uint64_t start_ns = task->start_ns;
    char *whole = NULL;
    int code;

    if (rest == NULL)
        return 0;
    if (asprintf(&whole, "%s%s", task->unfinished, rest + 1) < 0)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    free(task->unfinished);
    task->unfinished = NULL;
    code = take_call(reader, whole, start_ns);
    free(whole);
    return code;
}

static int keep_unfinished(struct reader *reader, const char *text,
                           uint64_t start_ns)
{
    struct pario_strace_task *task = reader->task;

    free(task->unfinished);
    task->unfinished = strdup(text);
    task->start_ns = start_ns;
    task->has_child = false;
    task->begun = ++reader->tasks.begun;
    return task->unfinished != NULL
               ? 0
               : pario_fail_errno(-ENOMEM, "cannot read the text");
}

/* "[pid 12] 1.5 read(3, <unfinished ...>" and, later, "<... read resumed>". */
static int take_line(void *context, char *line)
{
    struct reader *reader = context;
    char *at = line + strspn(line, " "), *cut;
    long pid = 0;
    uint64_t start_ns;
    int code;

    if (strncmp(at, "strace: ", 8) == 0) /* its own words */
        return 0;
    if (strncmp(at, "[pid", 4) == 0) {
        if (reader->bare)
            return pario_fail(PARIO_EFORMAT,
                              "some lines do not say whose they are: with "
                              "several processes use `strace -o FILE`");
        pid = strtol(at + 4, &at, 10);
        at += strspn(at, "] ");
    } else if (strspn(at, "0123456789") > 0 &&
               at[strspn(at, "0123456789")] == ' ') {
        pid = strtol(at, &at, 10);
        at += strspn(at, " ");
    } else {
        reader->bare = true;
    }
    if (pid < 0 || pid > MAX_PID)
        return pario_fail(PARIO_EFORMAT,
                          "process %ld: Linux has none above %ld, this is not "
                          "the text of strace",
                          pid, MAX_PID);
    start_ns = pario_strace_ns(at, &at);
    at += strspn(at, " ");
    code = pario_strace_task_find(&reader->tasks, pid, &reader->task);
    if (code != 0)
        return code;
    if (strncmp(at, "<... ", 5) == 0 && reader->task->unfinished != NULL)
        return take_rest(reader, at + 5);
    cut = at + strlen(at) - strlen(UNFINISHED); /* data may look like it */
    if (strlen(at) < strlen(UNFINISHED) || strcmp(cut, UNFINISHED) != 0)
        return take_call(reader, at, start_ns);
    *cut = '\0';
    return keep_unfinished(reader, at, start_ns);
}

int pario_import_strace(FILE *in, struct pario_trace_writer *writer, int rank)
{
    struct reader reader = {.tasks.writer = writer};
    int code = pario_import_lines(in, take_line, &reader);

    (void)rank;
    if (code == 0 && reader.tasks.base[0] != '\0')
        code = pario_trace_writer_rebase(writer, reader.tasks.base);
    pario_strace_tasks_fini(&reader.tasks);
    return code;
}
