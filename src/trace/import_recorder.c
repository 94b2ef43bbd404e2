/* trace/import_recorder.c - the text of recorder2text, one file for each rank:
 *
 *   BEGIN END FUNCTION LEVEL TYPE ( ARGUMENT ARGUMENT ... )
 *
 * Descriptors and streams stand there as names of files. Calls of MPI-IO and
 * HDF5 stand above the calls of the C library that they made: these are taken.
 */
#include "trace/import_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define LIMITS                                                                 \
    "limits from Recorder: calls of the C library alone, without results; no " \
    "views, datatypes or order between processes"
#define MAX_ARGS 8
#define MAX_OPEN 256

struct reader {
    struct pario_trace_writer *writer;
    size_t process;
    int started, rank;
    int64_t open[MAX_OPEN];   /* by slot: the string of the path; 0: free */
    int64_t number[MAX_OPEN]; /* of its opening, from 1 on */
    int64_t openings;
    char stream[MAX_OPEN];
};

struct call_text {
    char *name, *args[MAX_ARGS];
    int nargs;
    uint64_t begin_ns, end_ns;
};

/* The arguments in the order of the text: p and q a path and a second one, f a
 * file, - nothing of ours, a digit the place of a number among ours. */
static const struct {
    const char *name, *args;
    enum pario_trace_op op;
} calls[] = {
    {"read", "f-1", PARIO_OP_read},
    {"write", "f-1", PARIO_OP_write},
    {"pread", "f-21", PARIO_OP_pread},
    {"pread64", "f-21", PARIO_OP_pread},
    {"pwrite", "f-21", PARIO_OP_pwrite},
    {"pwrite64", "f-21", PARIO_OP_pwrite},
    {"readv", "f12", PARIO_OP_readv},
    {"writev", "f12", PARIO_OP_writev},
    {"fsync", "f", PARIO_OP_fsync},
    {"fdatasync", "f", PARIO_OP_fdatasync},
    {"ftruncate", "f1", PARIO_OP_ftruncate},
    {"ftruncate64", "f1", PARIO_OP_ftruncate},
    {"fflush", "f", PARIO_OP_fflush},
    {"stat", "p", PARIO_OP_stat},
    {"lstat", "p", PARIO_OP_stat},
    {"__xstat", "-p", PARIO_OP_stat},
    {"__xstat64", "-p", PARIO_OP_stat},
    {"__lxstat", "-p", PARIO_OP_stat},
    {"__lxstat64", "-p", PARIO_OP_stat},
    {"mkdir", "p1", PARIO_OP_mkdir},
    {"rmdir", "p", PARIO_OP_rmdir},
    {"unlink", "p", PARIO_OP_unlink},
    {"remove", "p", PARIO_OP_unlink},
    {"truncate", "p1", PARIO_OP_truncate},
    {"rename", "pq", PARIO_OP_rename},
};

static int parse(char *line, struct call_text *text)
{
    char *rest, *word;
    double begin = strtod(line, &rest), end = strtod(rest, &rest);

    if (rest == line || !(begin >= 0 && end >= begin && end <= 1e10))
        return 0;
    text->begin_ns = (uint64_t)(begin * 1e9);
    text->end_ns = (uint64_t)(end * 1e9);
    text->name = strtok_r(rest, " ", &rest);
    while ((word = strtok_r(NULL, " ", &rest)) != NULL &&
           strcmp(word, "(") != 0)
        ;
    if (text->name == NULL || word == NULL)
        return 0;
    while ((word = strtok_r(NULL, " ", &rest)) != NULL &&
           strcmp(word, ")") != 0 && text->nargs < MAX_ARGS)
        text->args[text->nargs++] = word;
    return 1;
}

static int add(struct reader *reader, const struct call_text *text,
               const struct pario_call *call)
{
    return pario_trace_writer_add(reader->writer, reader->process, call,
                                  text->begin_ns, text->end_ns);
}

static int string_of(struct reader *reader, const char *text, int64_t *number_p)
{
    return pario_trace_writer_string(reader->writer, reader->process, text,
                                     number_p);
}

static int64_t linux_flags(const char *text)
{
    long bits = strtol(text, NULL, 0);
    int64_t flags = (bits & O_ACCMODE) == O_WRONLY ? PARIO_TRACE_WRITE
                    : (bits & O_ACCMODE) == O_RDWR
                        ? PARIO_TRACE_READ | PARIO_TRACE_WRITE
                        : PARIO_TRACE_READ;

    flags |= (bits & O_CREAT) != 0 ? PARIO_TRACE_CREATE : 0;
    flags |= (bits & O_EXCL) != 0 ? PARIO_TRACE_EXCL : 0;
    flags |= (bits & O_TRUNC) != 0 ? PARIO_TRACE_TRUNC : 0;
    flags |= (bits & O_APPEND) != 0 ? PARIO_TRACE_APPEND : 0;
    flags |= (bits & O_DIRECTORY) != 0 ? PARIO_TRACE_DIRECTORY : 0;
    return flags;
}

/* "r", "w+", "ab" */
static int64_t stream_flags(const char *mode)
{
    int64_t flags = strchr(mode, '+') != NULL
                        ? PARIO_TRACE_READ | PARIO_TRACE_WRITE
                    : mode[0] == 'r' ? PARIO_TRACE_READ
                                     : PARIO_TRACE_WRITE;

    if (mode[0] == 'w')
        flags |= PARIO_TRACE_CREATE | PARIO_TRACE_TRUNC;
    if (mode[0] == 'a')
        flags |= PARIO_TRACE_CREATE | PARIO_TRACE_APPEND;
    return flags;
}

/* A free slot; where there is none the file that was opened first is closed. */
static int open_slot(struct reader *reader, const struct call_text *text,
                     int64_t path, int stream, int64_t *slot_p)
{
    struct pario_call close = {.op = PARIO_OP_close};
    int slot = 0, code = 0;

    for (int i = 0; i < MAX_OPEN && reader->open[slot] != 0; i++)
        if (reader->open[i] == 0 || reader->number[i] < reader->number[slot])
            slot = i;
    if (reader->open[slot] != 0) {
        if (reader->stream[slot])
            close.op = PARIO_OP_fclose;
        close.args[0] = slot;
        code = pario_trace_writer_add(reader->writer, reader->process, &close,
                                      text->begin_ns, text->begin_ns);
    }
    reader->open[slot] = path;
    reader->number[slot] = ++reader->openings;
    reader->stream[slot] = (char)stream;
    *slot_p = slot;
    return code;
}

/* The one that was opened last: the text says the name alone. */
static int find_slot(const struct reader *reader, int64_t path)
{
    int slot = -1;

    for (int i = 0; i < MAX_OPEN; i++)
        if (reader->open[i] == path && path != 0 &&
            (slot < 0 || reader->number[i] > reader->number[slot]))
            slot = i;
    return slot;
}

static int add_open(struct reader *reader, const struct call_text *text)
{
    int stream = strncmp(text->name, "fopen", 5) == 0;
    int creat = strncmp(text->name, "creat", 5) == 0;
    struct pario_call call = {.op = stream ? PARIO_OP_fopen : PARIO_OP_open};
    int code;

    if (text->nargs < 2)
        return 0;
    code = string_of(reader, text->args[0], &call.args[0]);
    if (code == 0)
        code = open_slot(reader, text, call.args[0], stream, &call.args[1]);
    if (code != 0)
        return code;
    call.args[2] =
        stream  ? stream_flags(text->args[1])
        : creat ? PARIO_TRACE_WRITE | PARIO_TRACE_CREATE | PARIO_TRACE_TRUNC
                : linux_flags(text->args[1]);
    if (!stream)
        call.args[3] = strtol(creat             ? text->args[1]
                              : text->nargs > 2 ? text->args[2]
                                                : "420",
                              NULL, 0) &
                       07777;
    return add(reader, text, &call);
}

static int slot_of(struct reader *reader, const char *path, int *slot_p)
{
    int64_t number = 0;
    int code = string_of(reader, path, &number);

    *slot_p = code == 0 ? find_slot(reader, number) : -1;
    return code;
}

static int add_close(struct reader *reader, const struct call_text *text)
{
    struct pario_call call = {.op = PARIO_OP_close};
    int slot = -1, code;

    code = text->nargs > 0 ? slot_of(reader, text->args[0], &slot) : 0;
    if (code != 0 || slot < 0)
        return code;
    if (reader->stream[slot])
        call.op = PARIO_OP_fclose;
    call.args[0] = slot;
    reader->open[slot] = 0;
    return add(reader, text, &call);
}

/* lseek and fseek: name, distance, whence as a number. */
static int add_seek(struct reader *reader, const struct call_text *text)
{
    static const enum pario_trace_op ops[2][3] = {
        {PARIO_OP_lseek_set, PARIO_OP_lseek_cur, PARIO_OP_lseek_end},
        {PARIO_OP_fseek_set, PARIO_OP_fseek_cur, PARIO_OP_fseek_end}};
    int stream = text->name[0] == 'f', slot = -1, code;
    long whence = text->nargs > 2 ? strtol(text->args[2], NULL, 0) : -1;
    struct pario_call call = {0};

    code = text->nargs > 0 ? slot_of(reader, text->args[0], &slot) : 0;
    if (code != 0 || slot < 0 || whence < 0 || whence > 2)
        return code;
    call.op = (int32_t)ops[stream][whence];
    call.args[0] = slot;
    call.args[1] = strtoll(text->args[1], NULL, 0);
    return add(reader, text, &call);
}

/* fread and fwrite: address, size, number, name. */
static int add_stream(struct reader *reader, const struct call_text *text)
{
    struct pario_call call = {.op = text->name[1] == 'r' ? PARIO_OP_fread
                                                         : PARIO_OP_fwrite};
    int slot = -1, code;

    code = text->nargs > 3 ? slot_of(reader, text->args[3], &slot) : 0;
    if (code != 0 || slot < 0)
        return code;
    call.args[0] = slot;
    if (__builtin_mul_overflow(strtoll(text->args[1], NULL, 0),
                               strtoll(text->args[2], NULL, 0),
                               &call.args[1]) ||
        call.args[1] < 0)
        return 0;
    return add(reader, text, &call);
}

static int add_other(struct reader *reader, const struct call_text *text,
                     size_t known)
{
    struct pario_call call = {.op = (int32_t)calls[known].op};
    const char *how = calls[known].args;
    int slot = -1, code = 0;

    for (int i = 0; how[i] != '\0' && code == 0; i++) {
        if (i >= text->nargs)
            return 0;
        if (how[i] == 'f') {
            code = slot_of(reader, text->args[i], &slot);
            if (slot < 0)
                return code;
            call.args[0] = slot;
        } else if (how[i] == 'p' || how[i] == 'q') {
            code = string_of(reader, text->args[i], &call.args[how[i] == 'q']);
        } else if (how[i] != '-') {
            call.args[how[i] - '0'] = strtoll(text->args[i], NULL, 0);
        }
    }
    return code != 0 ? code : add(reader, text, &call);
}

static int start(struct reader *reader)
{
    char lines[400];

    reader->started = 1;
    if (reader->rank >= 0)
        snprintf(lines, sizeof(lines), "rank %d\nsize %d\n%s\n", reader->rank,
                 reader->rank + 1, LIMITS);
    else
        snprintf(lines, sizeof(lines), "%s\n", LIMITS);
    return pario_trace_writer_process(reader->writer, lines, &reader->process);
}

static int take_line(void *context, char *line)
{
    struct reader *reader = context;
    struct call_text text = {0};
    int code = 0;

    if (!parse(line, &text))
        return 0;
    if (!reader->started)
        code = start(reader);
    if (code != 0)
        return code;
    if (strcmp(text.name, "open") == 0 || strcmp(text.name, "open64") == 0 ||
        strncmp(text.name, "creat", 5) == 0 ||
        strncmp(text.name, "fopen", 5) == 0)
        return add_open(reader, &text);
    if (strcmp(text.name, "close") == 0 || strcmp(text.name, "fclose") == 0)
        return add_close(reader, &text);
    if (strncmp(text.name, "lseek", 5) == 0 ||
        strncmp(text.name, "fseek", 5) == 0)
        return add_seek(reader, &text);
    if (strcmp(text.name, "fread") == 0 || strcmp(text.name, "fwrite") == 0)
        return add_stream(reader, &text);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (strcmp(text.name, calls[i].name) == 0)
            return add_other(reader, &text, i);
    return 0;
}

int pario_import_recorder(FILE *in, struct pario_trace_writer *writer, int rank)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    int code;

    if (reader == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    reader->writer = writer;
    reader->rank = rank;
    code = pario_import_lines(in, take_line, reader);
    free(reader);
    return code;
}
