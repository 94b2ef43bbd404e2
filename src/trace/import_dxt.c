/* trace/import_dxt.c - the text of darshan-dxt-parser. */
#include "trace/import_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIMITS                                                                 \
    "limits from Darshan DXT: only reads and writes; no views, datatypes, "    \
    "collective calls, opens or closes"

struct reader {
    struct pario_trace_writer *writer;
    char path[4096];
    struct {
        int rank;
        size_t process;
        int64_t paths[64]; /* by slot */
        size_t npaths;
    } ranks[4096];
    size_t nranks;
};

static int find_rank(struct reader *reader, int rank, size_t *at_p)
{
    char lines[300];
    size_t n = reader->nranks;

    for (size_t i = 0; i < n; i++)
        if (reader->ranks[i].rank == rank) {
            *at_p = i;
            return 0;
        }
    if (n == sizeof(reader->ranks) / sizeof(reader->ranks[0]))
        return pario_fail(PARIO_EFORMAT, "too many ranks for this importer");
    snprintf(lines, sizeof(lines), "rank %d\nsize %d\n%s\n", rank, rank + 1,
             LIMITS);
    reader->ranks[n].rank = rank;
    reader->nranks = n + 1;
    *at_p = n;
    return pario_trace_writer_process(reader->writer, lines,
                                      &reader->ranks[n].process);
}

/* The slot of the file, with an open call where it is new. */
static int find_slot(struct reader *reader, size_t at, double start,
                     int64_t *slot_p)
{
    struct pario_call open = {.op = PARIO_OP_open};
    size_t process = reader->ranks[at].process;
    uint64_t ns = (uint64_t)(start * 1e9);
    int64_t number;
    int code = pario_trace_writer_string(reader->writer, process, reader->path,
                                         &number);

    if (code != 0)
        return code;
    for (size_t i = 0; i < reader->ranks[at].npaths; i++)
        if (reader->ranks[at].paths[i] == number) {
            *slot_p = (int64_t)i;
            return 0;
        }
    if (reader->ranks[at].npaths == 64)
        reader->ranks[at].npaths = 0; /* slots are used again */
    *slot_p = (int64_t)reader->ranks[at].npaths;
    reader->ranks[at].paths[reader->ranks[at].npaths++] = number;
    open.args[0] = number;
    open.args[1] = *slot_p;
    open.args[2] = PARIO_TRACE_READ | PARIO_TRACE_WRITE | PARIO_TRACE_CREATE;
    open.args[3] = 0644;
    return pario_trace_writer_add(reader->writer, process, &open, ns, ns);
}

static int take_call(struct reader *reader, const char *line)
{
    char module[16], way[16];
    struct pario_call call = {0};
    long long offset, len;
    double start, end;
    size_t at = 0;
    int rank, code;

    /* NOLINTNEXTLINE(cert-err34-c): seven conversions or no line of ours */
    if (sscanf(line, " %15s %9d %15s %*d %lld %lld %lf %lf", module, &rank, way,
               &offset, &len, &start, &end) != 7 ||
        strncmp(module, "X_", 2) != 0 || rank < 0 ||
        !(start >= 0 && end >= start && end <= 1e9)) /* nan too */
        return 0;
    code = find_rank(reader, rank, &at);
    if (code == 0)
        code = find_slot(reader, at, start, &call.args[0]);
    if (code != 0)
        return code;
    call.op = strcmp(way, "write") == 0 ? PARIO_OP_pwrite : PARIO_OP_pread;
    call.args[1] = offset;
    call.args[2] = len;
    return pario_trace_writer_add(reader->writer, reader->ranks[at].process,
                                  &call, (uint64_t)(start * 1e9),
                                  (uint64_t)(end * 1e9));
}

static int take_line(void *context, char *line)
{
    struct reader *reader = context;
    const char *name = strstr(line, "file_name: ");

    if (line[0] != '#')
        return take_call(reader, line);
    if (name != NULL)
        snprintf(reader->path, sizeof(reader->path), "%.4000s",
                 name + strlen("file_name: "));
    return 0;
}

int pario_import_dxt(FILE *in, struct pario_trace_writer *writer, int rank)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    int code;

    (void)rank;
    if (reader == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    reader->writer = writer;
    code = pario_import_lines(in, take_line, reader);
    free(reader);
    return code;
}
