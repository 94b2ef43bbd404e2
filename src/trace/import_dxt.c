/* trace/import_dxt.c - the text of darshan-dxt-parser. */
#include "trace/import_parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LIMITS                                                                 \
    "limits from Darshan DXT: only reads and writes, of MPI-IO the system "    \
    "calls that it made; no views, datatypes, collective calls, opens or "     \
    "closes"
#define MAX_RANKS 65536
#define MAX_OPEN 256 /* files that a process has open at a time */

/* A line of the text. Those of a file stand together there, and files of
 * MPI-IO stand in it twice: by its calls, after the system calls that these
 * made. */
struct line {
    int64_t offset, len;
    uint64_t begin_ns, end_ns;
    size_t path, order;
    int rank;
    bool writes, mpiio;
};

struct path {
    char *text;
    int posix; /* it has system calls */
};

struct reader {
    struct line *lines;
    size_t nlines;
    struct path *paths; /* one for each heading of the text, sorted later */
    size_t npaths;
    char exe[4096];
};

/* Room for one more of count items of that size. */
static int grow(void **items_p, size_t count, size_t size)
{
    void *items;

    if ((count & (count - 1)) != 0)
        return 0;
    items = realloc(*items_p, (count > 0 ? 2 * count : 1) * size);
    if (items == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    *items_p = items;
    return 0;
}

static int take_call(struct reader *reader, const char *text)
{
    char module[16], way[16];
    struct line line = {.order = reader->nlines};
    long long offset, len;
    double start, end;
    int code;

    /* NOLINTNEXTLINE(cert-err34-c): seven conversions or no line of ours */
    if (sscanf(text, " %15s %9d %15s %*d %lld %lld %lf %lf", module, &line.rank,
               way, &offset, &len, &start, &end) != 7 ||
        strncmp(module, "X_", 2) != 0 || line.rank < 0 ||
        !(start >= 0 && end >= start && end <= 1e9) || /* nan too */
        reader->npaths == 0)
        return 0;
    code = grow((void **)&reader->lines, reader->nlines, sizeof(line));
    if (code != 0)
        return code;
    line.path = reader->npaths - 1;
    line.offset = offset;
    line.len = len;
    line.begin_ns = (uint64_t)(start * 1e9);
    line.end_ns = (uint64_t)(end * 1e9);
    line.writes = strcmp(way, "write") == 0;
    line.mpiio = strcmp(module, "X_MPIIO") == 0;
    reader->paths[line.path].posix |= !line.mpiio;
    reader->lines[reader->nlines++] = line;
    return 0;
}

static int take_path(struct reader *reader, const char *text)
{
    int code =
        grow((void **)&reader->paths, reader->npaths, sizeof(reader->paths[0]));

    if (code != 0)
        return code;
    reader->paths[reader->npaths] = (struct path){strndup(text, 4000), 0};
    if (reader->paths[reader->npaths].text == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    reader->npaths++;
    return 0;
}

static int take_line(void *context, char *line)
{
    struct reader *reader = context;
    const char *name = strstr(line, "file_name: ");

    if (line[0] != '#')
        return take_call(reader, line);
    if (strncmp(line, "# exe: ", 7) == 0)
        snprintf(reader->exe, sizeof(reader->exe), "%.*s",
                 (int)strcspn(line + 7, " "), line + 7);
    return name != NULL ? take_path(reader, name + strlen("file_name: ")) : 0;
}

static int by_text(const void *a, const void *b)
{
    const struct path *const *x = a, *const *y = b;

    return strcmp((*x)->text, (*y)->text);
}

/* A file has system calls if any of its headings has. */
static int join_paths(struct reader *reader)
{
    size_t n = reader->npaths;
    struct path **sorted = calloc(n + 1, sizeof(struct path *));

    if (sorted == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    for (size_t i = 0; i < n; i++)
        sorted[i] = &reader->paths[i];
    if (n > 0)
        // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are sorted
        qsort(sorted, n, sizeof(sorted[0]), by_text);
    for (size_t i = 1; i < n; i++)
        if (strcmp(sorted[i]->text, sorted[i - 1]->text) == 0)
            sorted[i]->posix |= sorted[i - 1]->posix;
    for (size_t i = n; i-- > 1;)
        if (strcmp(sorted[i]->text, sorted[i - 1]->text) == 0)
            sorted[i - 1]->posix |= sorted[i]->posix;
    free(sorted);
    return 0;
}

static int by_rank_and_time(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* A process, while its calls are written. */
struct member {
    struct pario_trace_writer *writer;
    size_t process;
    int64_t open[MAX_OPEN]; /* by slot: the string of its path; 0: none */
    int next;               /* slot */
};

/* The slot of the file, with an open call where it is new; the file that was
 * opened first makes way. */
static int find_slot(struct member *member, const char *path, uint64_t ns,
                     int64_t *slot_p)
{
    struct pario_call open = {.op = PARIO_OP_open};
    struct pario_call close = {.op = PARIO_OP_close};
    int64_t number;
    int slot = member->next;
    int code = pario_trace_writer_string(member->writer, member->process, path,
                                         &number);

    for (int i = 0; i < MAX_OPEN && code == 0; i++)
        if (member->open[i] == number && number != 0) {
            *slot_p = i;
            return 0;
        }
    close.args[0] = slot;
    if (code == 0 && member->open[slot] != 0)
        code = pario_trace_writer_add(member->writer, member->process, &close,
                                      ns, ns);
    if (code != 0)
        return code;
    member->next = (slot + 1) % MAX_OPEN;
    member->open[slot] = number;
    *slot_p = slot;
    open.args[0] = number;
    open.args[1] = slot;
    open.args[2] = PARIO_TRACE_READ | PARIO_TRACE_WRITE | PARIO_TRACE_CREATE;
    open.args[3] = 0644;
    return pario_trace_writer_add(member->writer, member->process, &open, ns,
                                  ns);
}

static int start_process(struct member *member, const struct reader *reader,
                         int rank, int size)
{
    struct pario_trace_writer *writer = member->writer;
    char lines[5000];

    snprintf(lines, sizeof(lines), "%s%s%srank %d\nsize %d\n%s\n",
             reader->exe[0] != '\0' ? "program " : "", reader->exe,
             reader->exe[0] != '\0' ? "\n" : "", rank, size, LIMITS);
    *member = (struct member){.writer = writer};
    return pario_trace_writer_process(writer, lines, &member->process);
}

static int write_line(struct member *member, const struct reader *reader,
                      const struct line *line)
{
    struct pario_call call = {.op = line->writes ? PARIO_OP_pwrite
                                                 : PARIO_OP_pread};
    int code = find_slot(member, reader->paths[line->path].text, line->begin_ns,
                         &call.args[0]);

    call.args[1] = line->offset;
    call.args[2] = line->len;
    return code != 0
               ? code
               : pario_trace_writer_add(member->writer, member->process, &call,
                                        line->begin_ns, line->end_ns);
}

static int write_lines(struct reader *reader, struct pario_trace_writer *writer)
{
    struct member member = {.writer = writer};
    int rank = -1, nranks = 0, code = 0;
    int size =
        reader->nlines > 0 ? reader->lines[reader->nlines - 1].rank + 1 : 0;

    for (size_t i = 0; i < reader->nlines && code == 0; i++) {
        const struct line *line = &reader->lines[i];

        if (line->mpiio && reader->paths[line->path].posix)
            continue;
        if (line->rank != rank) {
            rank = line->rank;
            code = ++nranks <= MAX_RANKS
                       ? start_process(&member, reader, rank, size)
                       : pario_fail(PARIO_EFORMAT,
                                    "too many ranks for this importer");
        }
        if (code == 0)
            code = write_line(&member, reader, line);
    }
    return code;
}

int pario_import_dxt(FILE *in, struct pario_trace_writer *writer, int rank)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    int code;

    (void)rank;
    if (reader == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the text");
    code = pario_import_lines(in, take_line, reader);
    if (code == 0)
        code = join_paths(reader);
    if (code == 0 && reader->nlines > 0)
        qsort(reader->lines, reader->nlines, sizeof(reader->lines[0]),
              by_rank_and_time);
    if (code == 0)
        code = write_lines(reader, writer);
    for (size_t i = 0; i < reader->npaths; i++)
        free(reader->paths[i].text);
    free(reader->paths);
    free(reader->lines);
    free(reader);
    return code;
}
